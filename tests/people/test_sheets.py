import dataclasses
from pathlib import Path

import pyarrow as pa
import pytest
from people_making import COMPLEXITY, ROWS, cells_of, rows_of

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.people.answers import CELL_LIMIT, Answer, text_of
from lexbeam.transforms.people.sheets import Sheet, SheetColumn, answers_schema, sheet_text, write_sheet


def body(text):
    return [row for row in cells_of(text) if not row[0].startswith("#")]


def test_the_header_says_what_is_to_be_done():
    text = sheet_text(COMPLEXITY, ROWS, annotator="anna")
    assert text.startswith("\ufeff# lexbeam sheet complexity, version 1: 4 rows, digest ")
    comments = [line for line in text.splitlines() if line.lstrip("\ufeff").startswith("#")]
    assert comments[0].endswith(", for anna")
    assert "# How hard is the marked word to understand?" in comments
    assert (
        "# rating (fill in): how hard; 1 = very easy, 2 = easy, 3 = neutral, 4 = difficult, "
        "5 = very difficult" in comments
    )
    names = ["id", "sentence", "hint", "rating", "comment"]
    assert body(text)[0] == names
    assert all(any(line.startswith(f"# {name}") for line in comments) for name in names)


def test_rows_show_marked_text_and_give_it_back():
    for row, given in zip(body(sheet_text(COMPLEXITY, ROWS))[1:], ROWS.to_pylist(), strict=True):
        assert row[0] == given["id"] or row[0] == "'" + given["id"]
        assert text_of(row[1]) == (given["sentence"], (given["start"], given["end"]))
        assert row[2:] == ["book", "", ""]


def test_the_same_rows_give_the_same_bytes_however_they_come():
    turned = (ROWS.slice(at, 1).to_batches()[0] for at in (2, 0, 3, 1))
    assert sheet_text(COMPLEXITY, turned) == sheet_text(COMPLEXITY, ROWS)


def test_the_digest_depends_on_every_text_and_target():
    def digest(rows):
        return sheet_text(COMPLEXITY, rows).partition("digest ")[2][:32]

    sentences = [("one bad day", 4, 7), ("two", 0, 3)]
    other = [("one bad days", 4, 7), ("two", 0, 3)], [("one bad day", 0, 3), ("two", 0, 3)]
    assert len({digest(rows_of(some)) for some in (sentences, sentences[:1], *other)}) == 4


def test_annotators_see_other_orders_of_the_same_rows():
    rows = rows_of([(f"word {n} of many", 0, 4) for n in range(40)])

    def order(annotator, seed):
        text = sheet_text(COMPLEXITY, rows, annotator=annotator, seed=seed)
        return [row[0] for row in body(text)[1:]]

    orders = [order(who, seed) for who in ("anna", "ben") for seed in (1, 2, None)]
    assert order("anna", None) == sorted(order("anna", None))
    assert orders[2] == orders[5]
    assert len(set(map(tuple, orders))) == 5
    assert len({frozenset(each) for each in orders}) == 1
    assert order("anna", 1) == orders[0]


def test_a_file_that_was_filled_in_is_never_written_over(tmp_path):
    folder = str(tmp_path / "new")
    path = write_sheet(COMPLEXITY, ROWS, folder, annotator="anna")
    file = Path(path)
    assert path == f"{folder}/complexity.anna.tsv"
    content = file.read_bytes()
    assert content.decode() == sheet_text(COMPLEXITY, ROWS, annotator="anna")
    assert write_sheet(COMPLEXITY, ROWS, folder, annotator="anna") == path
    file.write_bytes(content + b"filled")
    with pytest.raises(LexbeamError, match=r"complexity\.anna\.tsv exists .*: move it away"):
        write_sheet(COMPLEXITY, ROWS, folder, annotator="anna")
    assert file.read_bytes() == content + b"filled"
    assert write_sheet(COMPLEXITY, ROWS, folder) == f"{folder}/complexity.tsv"
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["complexity.anna.tsv", "complexity.tsv"]


@pytest.mark.parametrize("annotator", ["../anna", "a/b", ".a", "a.b", "a\tb", " a"])
def test_an_annotator_whose_name_is_no_file_name_is_an_error(tmp_path, annotator):
    with pytest.raises(UsageError, match="the file is named after it"):
        write_sheet(COMPLEXITY, ROWS, str(tmp_path), annotator=annotator)


def changed(**columns):
    return pa.table({**{name: ROWS[name] for name in ROWS.column_names}, **columns})


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (ROWS.slice(0, 0), "no rows"),
        (ROWS.drop_columns(["sentence"]), "no column 'sentence', but id, "),
        (changed(id=["a", "b", "c", "a\u00a0"]), "two rows have the key 'a\\\\xa0'"),
        (changed(id=["a", "b", "c", None]), "empty key"),
        (changed(sentence=[1.5, 2.0, 3.0, 4.0]), "'sentence' is double"),
        (changed(end=[1, 0, 0, 0]), "row r0, sentence: the target"),
        (changed(sentence=["x" * (CELL_LIMIT + 1)] * 4), "and a cell of Excel 32767"),
        (changed(sentence=["x😀" * (CELL_LIMIT // 3 + 1)] * 4), "and a cell of Excel 32767"),
    ],
)
def test_rows_that_cannot_be_shown_are_errors(rows, words):
    with pytest.raises(UsageError, match=words):
        sheet_text(COMPLEXITY, rows)


def test_what_is_quoted_from_must_be_in_nfc():
    evidence = Answer(name="evidence", help="where", kind="spans", of="sentence")
    sheet = dataclasses.replace(COMPLEXITY, answers=(evidence,))
    with pytest.raises(UsageError, match="not in NFC"):
        sheet_text(sheet, changed(sentence=["e\u0301tude"] * 4))


def test_whole_numbers_and_nulls_are_shown_as_text():
    sheet = dataclasses.replace(COMPLEXITY, columns=(SheetColumn("start", ""), SheetColumn("hint", "")))
    rows = changed(hint=pa.array([None] * 4, pa.string()))
    assert [row[1:3] for row in body(sheet_text(sheet, rows))[1:]] == [["'1", ""], ["'1", ""], ["'5", ""], ["'0", ""]]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "a.b"}, "not plain names"),
        ({"version": "1 2"}, "not plain names"),
        ({"answers": ()}, "something to fill in"),
        ({"key": ()}, "needs a key"),
        ({"key": ("annotator",)}, "'annotator' is there twice"),
        ({"columns": (SheetColumn("Rating", ""),)}, "'rating' is there twice"),
        ({"columns": (SheetColumn("a b", ""),)}, "not a plain name"),
        ({"answers": (Answer(name="e", help="", kind="spans", of="text"),)}, "no column 'text' to quote from"),
    ],
)
def test_a_sheet_whose_columns_could_not_be_told_apart_is_an_error(fields, words):
    with pytest.raises(UsageError, match=words):
        dataclasses.replace(COMPLEXITY, **fields)


PAIR = (("1", ""), ("2", ""))


def test_the_schema_has_a_typed_column_for_each_answer():
    sheet = Sheet(
        name="all",
        version="1",
        instructions=(),
        columns=(SheetColumn("text", ""),),
        key=("a", "b"),
        answers=(
            Answer(name="one", help="o", values=(("x", ""), ("y", ""))),
            Answer(name="two", help="t", kind="scale", values=PAIR, undecided="-"),
            Answer(name="three", help="n", kind="number", least=0, most=1, optional=True),
            Answer(name="four", help="f", kind="spans", of="text"),
        ),
    )
    schema = answers_schema(sheet)
    assert schema.names == ["a", "b", "annotator", "one", "two", "three", "four", "notes"]
    assert [field.nullable for field in schema] == [False] * 4 + [True, True, False, True]
    assert schema.field("two").type == pa.int16()
    assert schema.field("two").metadata[b"range"] == b"1, 2; - = cannot decide"
    assert schema.field("four").type.value_type.names == ["start", "end"]
