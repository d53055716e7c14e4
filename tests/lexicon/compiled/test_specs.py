import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.compiled.resource_kind import split_spec


@pytest.mark.parametrize(
    ("argument", "path", "options"),
    [
        ("a.csv", "a.csv", {}),
        ("a.csv:word=x", "a.csv", {"word": "x"}),
        ("s3://bucket/a.csv:word=x,value= y ", "s3://bucket/a.csv", {"word": "x", "value": "y"}),
        ("s3://bucket/a.csv", "s3://bucket/a.csv", {}),
        (r"C:\norms\a=b.csv:word=1", r"C:\norms\a=b.csv", {"word": "1"}),
        ("/data/x=1:2/a.csv:value=v", "/data/x=1:2/a.csv", {"value": "v"}),
        ("a.csv:word=Conc.M (1:5)", "a.csv", {"word": "Conc.M (1:5)"}),
    ],
)
def test_options_begin_at_the_last_colon_before_a_key(argument, path, options):
    assert split_spec(argument, ("word", "value"), form="F") == (path, options)


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("", "names no file; it is written F"),
        (":word=x", "names no file"),
        ("a.csv:words=x", "no option 'words'; did you mean 'word'?"),
        ("a.csv:word=x,value", "'value' is not of the form key=value"),
        ("a.csv:word=x,value=", "'value=' is not of the form key=value"),
        ("a.csv:word=x,word=y", "'word' stands twice"),
        ("a.csv:word=a,b,value=c", "'b' is not of the form key=value (a column whose name"),
    ],
)
def test_wrong_options_are_told(argument, told):
    with pytest.raises(UsageError) as failed:
        split_spec(argument, ("word", "value"), form="F")
    assert told in str(failed.value)
