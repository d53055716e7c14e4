"""Any sequence of line ends gives the records of line feeds, whole and in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_ending import ended
from reading import entries
from test_cutting import check

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.ingest.date_rules import read_metadata
from lexbeam.transforms.formats.readers import text
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject

WORD = "\t".join(["1", "ship", "ship", *["_"] * 7])
# Lines, among them such as end in the midst of a cell, wrong ones, and blank ones.
LINES = {
    "lines": ["a b", "", "c", " ", "d\x0be"],
    "text": ["One.", "", "", "Two", "three. Four", ""],
    "csv": ["text,title", "a,t", "", '"b', "", 'c",t', "d", '"e"f,t', 'g"h,t'],
    "tsv": ["text\ttitle", "a\tt", '"b\tt', 'c"d\tt', '"e\tt"', ""],
    "jsonl": ['{"text": "a\u2028b"}', "", "{", '{"text": "c"}', '{"text":'],
    "conllu": [
        "# newdoc",
        "# year = 1790",
        WORD,
        "",
        WORD,
        WORD,
        " ",
        "# newdoc",
        "# text = a\u2028b",
        WORD,
        "",
        "1\t",
    ],
    "vertical": [
        "<text id='a'>",
        "<s>",
        "A\tDT\ta",
        "b\tNN",
        "",
        "<g/>",
        "C\tSENT\tc",
        "<text>",
        "D\tNN\td e",
        "</text>",
    ],
}


@pytest.mark.parametrize("format", LINES)
@given(st.data())
def test_line_ends_make_no_record(format, data):
    fed, other = data.draw(ended(LINES[format]))
    name, reader = ("a.tsv", "csv") if format == "tsv" else ("a", format)
    assert entries(other, reader, name) == entries(fed, reader, name)


@pytest.mark.parametrize("format", ["lines", "csv", "jsonl", "conllu", "vertical"])
@given(st.data())
def test_pieces_give_what_the_file_gives(format, data):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text, "BLOCK", 2)
        _, other = data.draw(ended(LINES[format]))
        check(other, format, ReaderOptions(max_line_bytes=60), (1, 3, 10, 30))


@pytest.mark.parametrize("end", "\x85\u2028\u2029")
def test_marks_of_text_end_lines_of_plain_text_alone(end):
    (record,) = entries(f"a b{end}c".encode(), "lines", lines_hold="forms")
    assert [sentence.forms for sentence in record.sentences] == [["a", "b"], ["c"]]
    (record,) = entries(f"a b{end}c".encode(), "lines", lines_hold="text")
    assert record.text == "a b\n\nc"
    (record,) = entries(f'{{"text": "a{end}b"}}'.encode(), "jsonl")
    assert record.text.split() == ["a", "b"]
    (record,) = entries(f"id,text\n1,a{end}b".encode(), "csv")
    assert record.text.split() == ["a", "b"]


@pytest.mark.parametrize("end", "\x85\u2028\u2029")
def test_a_mark_of_text_that_ends_no_line_is_named(end):
    told = f"U+{ord(end):04X} ends no line here"
    for format, data in {
        "csv": f"id,text{end}1,a{end}2,b{end}",
        "jsonl": f'{{"text": "a"}}{end}{{"text": "b"}}',
        "conllu": f"{WORD}{end}{WORD}",
    }.items():
        (reject,) = entries(data.encode(), format)
        assert isinstance(reject, Reject)
        assert told in reject.detail
    _, reject = entries(f"id,text\n1,a\n2,b{end}3,c".encode(), "csv")
    assert told in reject.detail


@given(ended(["key,date", "a,1790", "b,1800", '"c', 'd",1810', ""]))
def test_tables_of_metadata(tmp_path_factory, both):
    path = tmp_path_factory.mktemp("a") / "dates.csv"
    found = []
    for data in both:
        path.write_bytes(data)
        try:
            found.append(read_metadata(str(path), {"key": "key", "date": "date"}).by_key)
        except LexbeamError as error:
            found.append(str(error))
    assert found[0] == found[1]
