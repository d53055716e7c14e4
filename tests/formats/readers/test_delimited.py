import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import calls
from reading import entries, summary

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.records.base import ReaderOptions

CELL = st.text(alphabet='ab,;"\n\té', max_size=8)


# Commas of text, before white space; others may look like those between cells.
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
def test_what_the_csv_module_writes_is_read_back(rows):
    rows = [tuple(cell.replace(",", ", ") for cell in row) for row in rows]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("text", "other"), *rows])
    found = entries(out.getvalue().encode(), "csv", delimiter=",")
    texts = [e.text for e in found if hasattr(e, "text")]
    cleaned = [" ".join(text.split()) for text, _ in rows]
    assert [" ".join(text.split()) for text in texts] == [text for text in cleaned if text]
    assert len(found) == max(1, sum(any(map(str.strip, row)) for row in rows))


def test_stray_quotes_arrive_when_quoting_is_off():
    data = b'id\ttext\n1\t"He said\n2\tyes" and "no\n3\t"a"\n'
    expected = ['"He said', 'yes" and "no', '"a"']
    assert summary(data, name="a.tsv", quoting=False) == expected


def test_a_stray_quote_costs_its_own_row_only():
    data = b'id,text\n1,"open\n2,b\n3,"c"\n4,"d"x\n5,e\n'
    assert summary(data, "csv") == [("2", "malformed"), "b", "c", ("5", "malformed"), "e"]


def test_cells_over_several_lines():
    assert summary(b'text,a\n"one\n\ntwo, three",1\nfour,2', "csv") == ["one\n\ntwo, three", "four"]


def test_stray_quotes_do_not_take_quadratic_time():
    def read(number):
        assert len(entries(b"text,b\n" + b'a","\n' * number, "csv", delimiter=",")) == number

    read(1)
    assert calls(lambda: read(8000)) < 10 * calls(lambda: read(1000))


def test_rows_of_another_width_are_rejects():
    data = b"a\ttext\n1\n2\tx\n3\ty\tz\n4\tw\t\t\n\n"
    assert summary(data, name="a.tsv") == [("2", "malformed"), "x", ("4", "malformed"), "w"]


def test_columns_without_header():
    data = b"7\tone\n8\ttwo"
    assert summary(data, name="a.tsv", header=False, text_field="2") == ["one", "two"]
    options = {"header": False, "columns": ("n", "text"), "fields": ("date=n",)}
    assert [e.fields["date"] for e in entries(data, name="a.tsv", **options)] == ["7", "8"]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "|"])
def test_the_delimiter_is_found(delimiter):
    data = delimiter.join(["Date", "text"]) + "\n" + delimiter.join(["1790", "words"])
    (record,) = entries(data.encode(), "csv")
    assert record.text == "words"
    assert record.fields == {"Date": "1790", "date": "1790"}


def test_a_table_without_text_is_one_reject():
    assert summary(b"a,b\n1,2", "csv") == [("", "missing_field")]
    assert summary(b"text\n", "csv") == [("", "empty")]
    assert summary(b"\n\n", "csv") == [("", "empty")]
    assert summary(b'"text\n', "csv") == [("", "malformed")]


def test_a_column_that_is_there_twice_is_refused_if_an_option_names_it():
    table = b"text,n,n\na,1,2\n"
    (reject,) = entries(table, "csv", fields=("id=n",))
    assert (reject.reason, "several columns 'n'" in reject.detail) == ("malformed", True)
    (record,) = entries(table, "csv")
    assert record.text == "a"
    (reject,) = entries(b"text,text\na,b\n", "csv")
    assert "several columns 'text'" in reject.detail


def test_null_like_words_are_words():
    data = b"text\nnull\nNone\nNA\n"
    assert summary(data, "csv") == ["null", "None", "NA"]


def test_bad_lines_are_rejects_of_their_own():
    data = b'text,n\na,1\n\xff,2\n"b\n\xff",3\nc,4'
    assert summary(data, "csv") == ["a", ("3", "undecodable"), ("4", "malformed"), ("5", "undecodable"), "c"]


def test_options_that_mean_nothing_are_bad_usage():
    for options in (
        {"delimiter": "ab"},
        {"encoding": ("utf-9",)},
        {"encoding": ("hex",)},
        {"fields": ("a",)},
        {"lines_hold": "lemma"},
        {"tei_parts": ("head",)},
    ):
        with pytest.raises(UsageError):
            ReaderOptions(**options)


def test_rows_that_a_quote_would_swallow_arrive_and_its_own_row_is_a_reject():
    data = b'text\tn\tm\n"Can it grow?\t1\tx\nplain row\t2\tx\nHe said so."\t3\tx\nlast row\t4\tx\n'
    assert summary(data, "csv", name="a.tsv") == [("2", "malformed"), "plain row", 'He said so."', "last row"]
    data = b'n,text,m,k\n1,"A,2,x\n3,B,4,y\n5,C",6,z\n'
    assert summary(data, "csv") == [("2", "malformed"), "B", 'C"']


def test_cells_of_several_lines_are_read():
    data = b'n,text\n1,"One,\ntwo, and three."\n2,"a\n\nb"\n'
    assert summary(data, "csv") == ["One,\ntwo, and three.", "a\n\nb"]
    data = b'n\ttext\tm\n1\t"Scene\nANNA.\nBOB. Yo."\tx\n'
    assert summary(data, "csv", name="a.tsv") == ["Scene\nANNA.\nBOB. Yo."]
    data = b'n,text\n1,"One, two\nthree, four"\n'
    assert summary(data, "csv") == ["One, two\nthree, four"]
    data = b'n,text,m\n1,"One, two\nthree, four",2\n'
    assert summary(data, "csv") == ["One, two\nthree, four"]


def test_rows_of_empty_cells_are_blank():
    assert summary(b'n,text,m\n1,One.,\n,,\n , ,\n"","",""\n', "csv") == ["One."]


def test_an_open_quote_before_many_empty_lines_meets_the_limit():
    data = b'text,b\n"a,b' + b"\n" * 1000 + b"c,d\n"
    assert summary(data, "csv", max_line_bytes=10_000) == [("2", "malformed"), "c"]


def test_a_compressed_tsv_is_a_table_with_tabs():
    data = b"text,with,commas\ttext\nx\tone\n"
    assert summary(data, name="a.tsv") == ["one"]
    assert summary(gzip.compress(data), name="a.tsv.gz") == ["one"]


@given(st.data(), st.integers(1, 4))
def test_no_stray_quote_swallows_a_row_separated_by_tabs(data, width):
    """Any quotes at the borders of cells: each row is a document or a reject at its own line."""
    cell = st.text(alphabet="ab ", min_size=1, max_size=3)
    quoted = st.tuples(st.sampled_from(["", '"']), cell, st.sampled_from(["", '"'])).map("".join)
    row = st.lists(quoted, min_size=width, max_size=width).map("\t".join)
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    header = "\t".join(["text", "b", "c", "d"][:width])
    made = "\n".join([header, *rows]).encode()
    found = entries(made, name="a.tsv")
    there = [n for n, row in enumerate(rows, 2) if row.replace('"', "").strip()]
    assert {entry.position for entry in found} >= set(map(str, there))


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        # Two columns, separated by tabs; once these were one document of three rows.
        (
            "a.tsv",
            ["text\tn", '"Can it grow?\t1', "plain row\t2", 'He said so."\t3', "last\t4"],
            [("2", "malformed"), "plain row", 'He said so."', "last"],
        ),
        (
            "a.tsv",
            ["n\ttext", '1\t"Can it grow?', "2\tplain row", '3\tHe said so."'],
            [("2", "malformed"), "plain row", 'He said so."'],
        ),
        # One of the rows between is broken; once these were one document, in any table.
        (
            "a.tsv",
            ["text\tn\tm", '"Can it?\t1\tx', "broken\t2", 'He said."\t3\tx'],
            [("2", "malformed"), ("3", "malformed"), 'He said."'],
        ),
        # The row that results has too many cells; once one reject stood for both.
        ("a.tsv", ["n\ttext", '1\t"open', 'closed"\t5'], [("2", "malformed"), "5"]),
        # One column.
        (
            "a.tsv",
            ["text", '"Can it grow?', "plain row", 'He said so."'],
            [("2", "malformed"), "plain row", 'He said so."'],
        ),
        # Two and three columns, separated by commas.
        (
            "a.csv",
            ["text,n", '"Can it grow?,1', "plain row,2", 'He said, so.",3', "last,4"],
            [("2", "malformed"), "plain row", ("4", "malformed"), "last"],
        ),
        (
            "a.csv",
            ["text;n;m", '"Can it?;1;x', "plain; row;2;x", 'He said.";3;x', "last;4;x"],
            [("2", "malformed"), ("3", "malformed"), 'He said."', "last"],
        ),
        # Rows written with blanks.
        (
            "a.csv",
            ["text, n", '"Can it?, 1', "plain row, 2", 'He said.", 3'],
            [("2", "malformed"), "plain row", 'He said."'],
        ),
    ],
)
def test_a_stray_quote_swallows_no_row_however_few_the_columns(name, lines, expected):
    assert summary("\n".join(lines).encode(), "csv", name=name) == expected


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("a.tsv", ["text\tn", '"One', 'two"\t5'], ["One\ntwo"]),
        ("a.tsv", ["n\ttext", '1\t"One', "", 'two"'], ["One\n\ntwo"]),
        ("a.tsv", ["n\tm\ttext", '1\tx\t"One', "a\tb", 'two"\t'], ["One\na\tb\ntwo"]),
        ("a.csv", ["text", '"One', 'two"', "three"], ["One\ntwo", "three"]),
        (
            "a.csv",
            ["n,text", '1,"Yes,', "he said, 1,000 times,", 'and then, ""No""."'],
            ['Yes,\nhe said, 1,000 times,\nand then, "No".'],
        ),
        ("a.csv", ["text,n", '"So, then,', "we went, all,", 'of us.",1'], ["So, then,\nwe went, all,\nof us."]),
    ],
)
def test_cells_of_several_lines_go_on_working(name, lines, expected):
    assert summary("\n".join(lines).encode(), "csv", name=name) == expected


@pytest.mark.parametrize("row", [b'"x\t1\np"\t3\n', b'a\t"\n', b'"x\t1\np\t2\n', b'x"\t"\n'])
def test_quotes_that_meet_quotes_take_no_quadratic_time(row):
    """Eight times the rows take eight times the calls, or 64 times if it is quadratic."""

    def read(number):
        assert entries(b"text\tb\n" + row * number, "csv", name="a.tsv")

    read(1)
    assert calls(lambda: read(2400)) < 10 * calls(lambda: read(300))


@pytest.mark.parametrize(("rows", "texts"), [("c,2\n", []), ("c,2\nd,3\n", ["c"])])
def test_a_table_that_breaks_off_within_quotes_says_so(rows, texts):
    """The quote was blamed, and what is missing was lost; or nothing but an IndexError was told."""
    data = f'text,b\n"a,1\n{rows}'.encode("utf-16")[:-1]
    assert summary(data, "csv") == [("2", "malformed"), *texts, ("", "undecodable")]


def test_a_stray_quote_before_a_bad_line_leaves_cells_of_several_lines_whole():
    """Lines between the two were read alone, and the first that ended so was taken for the last."""
    data = b'text,b\none,"\ntwo","\n\xb1\nthree,"a\nb"\n'
    stray, bad = "malformed", "undecodable"
    assert summary(data, "csv") == [("2", stray), ("3", stray), ("4", bad), "three"]
