import io

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.complexity.instances.labelled_layouts import LAYOUTS
from lexbeam.transforms.formats.readers.delimited import rows
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject, Source
from lexbeam.transforms.intake.labelled_targets import Cwi2018Row, FileLabel
from lexbeam.transforms.intake.row_files import About


def read(layout, text, name="a.tsv", **about):
    how = LAYOUTS[layout]
    source = Source(name, lambda: io.BytesIO(text.encode()), name)
    options = ReaderOptions(quoting=how.quoted, delimiter=how.delimiter)
    return list(how.read(rows(source, options), About(name, **about)))


COMPLEX = 'id\tcorpus\tsentence\ttoken\tcomplexity\n1\tbible\tHe said "no.\tnull\t0.25\n'


def test_complex_with_stray_quotes_and_words_that_look_missing():
    assert read("complex", COMPLEX) == [
        Cwi2018Row(2, "null", 'He said "no.', "single", "bible", "en", "1", None, (FileLabel("", 0.25, None, None),))
    ]


@pytest.mark.parametrize(
    ("name", "token", "kind"),
    [
        ("lcp_multi_train.tsv", "life-cycle", "mwe"),
        ("lcp_single.tsv", "a b", "single"),
        ("x.tsv", "a b", "mwe"),
        ("x.tsv", "ab", "single"),
        ("single/x.tsv", "a b", "mwe"),
    ],
)
def test_the_kind_of_complex(name, token, kind):
    text = f"id\tsubcorpus\tsentence\ttoken\n1\tbiomed\tX.\t{token}\n"
    (found,) = read("complex", text, name)
    assert (found.kind, found.genre, found.labels) == (kind, "biomed", ())


def test_rows_of_complex_that_cannot_be_read():
    bad = COMPLEX + "2\tb\tS.\tt\tnan\n3\tb\tS.\tt\t1.5\n4\tb\tS.\n5\tb\tS.\tt\t1\tmore\n6\tb\tS.\tt\n"
    found = read("complex", bad)
    assert [(one.position, one.reason) for one in found if isinstance(one, Reject)] == [
        ("3", "malformed"),
        ("4", "malformed"),
        ("5", "malformed"),
        ("6", "malformed"),
    ]
    assert found[-1].labels == ()  # an empty cell at the end may be left out


@pytest.mark.parametrize(
    ("layout", "text", "said"),
    [
        ("complex", "a\tb\n1\t2\n", r"a\.tsv: no column 'id'.*'a', 'b'.*tsv"),
        ("complex", "1\tS s.\t0\t1\tS\t1\t0\t0\t0\t0\t0.0\n", "cwi2018"),
        ("complex", COMPLEX.replace("corpus", "token"), "several columns 'token'"),
        ("tsv", "wrd\tfreq\na\t1\n", "no column 'token'.*name the column"),
        ("cwi2018", "token\tcomplexity\n", "2 cells in its first row.*layout"),
    ],
)
def test_a_file_of_another_layout_is_an_error_with_a_remedy(layout, text, said):
    with pytest.raises(LexbeamError, match=said):
        read(layout, text)


CWI = "H1\tDie Katze schlief.\t4\t9\tKatze\t10\t4\t2\t1\t1\t0.214\n"


def test_cwi2018_keeps_counts_and_groups():
    (found,) = read("cwi2018", CWI, "German_Dev.tsv")
    assert (found.kind, found.genre, found.language) == ("single", None, "de")
    assert (found.source_id, found.offsets) == ("H1", (4, 9))
    whole, native, other = found.labels
    assert whole[:3] == ("", 0.214, 14)
    assert native[:3] == ("native", 0.2, 10)
    assert other[:3] == ("other", 0.25, 4)
    assert native.spread == pytest.approx((8 * 0.2**2 + 2 * 0.8**2) ** 0.5 / 9**0.5)


def test_cwi2018_without_annotators_of_a_group_and_without_labels():
    (found,) = read("cwi2018", CWI.replace("\t4\t2\t1\t", "\t0\t2\t0\t"), "News_Train.tsv")
    assert [label.group for label in found.labels] == ["", "native"]
    assert (found.genre, found.language) == ("news", "en")
    (found,) = read("cwi2018", "\t".join(CWI.split("\t")[:5]) + "\n")
    assert found.labels == ()


def test_rows_of_cwi2018_that_cannot_be_read():
    bad = [
        CWI.replace("\t9\t", "\tnine\t"),
        CWI.replace("0.214", "2"),
        CWI.replace("\t10\t", "\t1\t"),
        CWI.replace("\t1\t0.214", ""),
    ]
    found = read("cwi2018", "".join([CWI, *bad]))
    assert [type(one) for one in found] == [Cwi2018Row] + [Reject] * 4


def test_a_table_of_ones_own():
    text = (
        "Sentence,TOKEN,start,end,complexity,annotations,language,kind,id\n"
        '"A, b c",b c,3,6,.5,7,de,,x1\n"Q",q,,,,,,single,\n'
    )
    first, second = read("tsv", text, "a.csv", genre="own", language="en")
    label = FileLabel("", 0.5, 7, None)
    assert first == Cwi2018Row(2, "b c", "A, b c", "mwe", "own", "de", "x1", (3, 6), (label,))
    assert second == Cwi2018Row(3, "q", "Q", "single", "own", "en", None, None, ())


def test_a_table_of_ones_own_with_wrong_cells():
    found = read("tsv", "token\tkind\tstart\tend\na\tword\t\t\nb\t\t3\t\nc\t\tx\t1\nd\t\t\t\n")
    assert [type(one) for one in found] == [Reject] * 3 + [Cwi2018Row]


@pytest.mark.parametrize("text", ["null\nold sea\n\nzwei\n", "token\nnull\nold sea\n\nzwei\n"])
def test_a_list_of_words(text):
    found = read("tsv", text, "words.txt", language="de")
    assert [(one.token, one.kind, one.language) for one in found] == [
        ("null", "single", "de"),
        ("old sea", "mwe", "de"),
        ("zwei", "single", "de"),
    ]
