"""What comes back, one change after another; how spreadsheets write it is test_spreadsheets.py."""

import dataclasses
import os

import pytest
from people_making import (
    ALL,
    COMPLEXITY,
    RATINGS,
    ROWS,
    back,
    cells_of,
    filled,
    rated,
    ratings,
    reasons,
    rows_of,
    text_from,
)

from lexbeam.schemas.rejects import ANSWER_REASONS as REASONS
from lexbeam.schemas.rejects import ANSWER_STAGE as STAGE
from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.people.answered_sheets import pseudonym, read_answers
from lexbeam.transforms.people.answers import Answer
from lexbeam.transforms.people.sheets import SheetColumn, answers_schema, sheet_text

HEADER = next(number for number, row in enumerate(rated()) if row[0] == "id")
LINE = HEADER + 2  # of the first row, from 1


def test_what_was_filled_in_comes_back_typed_and_sorted(tmp_path):
    found = back(tmp_path, rated({**RATINGS, "r1": {"rating": "2", "comment": "why?"}}))
    assert found.table.schema.equals(answers_schema(COMPLEXITY), check_metadata=True)
    assert found.table.to_pylist() == [
        {"id": f"r{n}", "annotator": "anna", "rating": n + 1, "comment": "why?" if n == 1 else None, "notes": None}
        for n in range(4)
    ]
    assert found.rejects == ()


def altered(change):
    """Return the cells of a filled file after `change(header, rows)`."""
    table = rated()
    head, header, rows = table[:HEADER], table[HEADER], table[HEADER + 1 :]
    change(header, rows)
    return [*head, header, *rows]


def test_rows_and_columns_may_be_moved_and_blank_rows_stand_anywhere(tmp_path):
    table = rated()
    moved = [[row[at] for at in (4, 3, 0, 2, 1)] for row in table[HEADER:] if len(row) == 5]
    assert len(moved) == 5
    moved = [moved[0], [""] * 5, *moved[:0:-1], [""] * 5, [" "] * 5]
    assert ratings(back(tmp_path, moved)) == ALL
    assert ratings(back(tmp_path, [*table[:HEADER][::-1], *table[HEADER:]])) == ALL


def test_comments_may_be_lost_sorted_in_or_repeated(tmp_path):
    table = rated()
    comments, rest = table[:HEADER], table[HEADER:]
    for found in (rest, rest + comments, table + table[: HEADER + 1]):
        found = back(tmp_path, found)
        assert ratings(found) == ALL
        assert found.rejects == ()


def test_names_of_columns_may_change_in_case_and_at_the_edges(tmp_path):
    def change(header, rows):
        header[:] = [" ID", "Sentence\u00a0", "hint", "RATING ", "Comment"]

    assert ratings(back(tmp_path, altered(change))) == ALL


def test_unchecked_columns_may_be_changed_or_dropped(tmp_path):
    def change(header, rows):
        for row in rows:
            row[2] = "other"

    assert back(tmp_path, altered(change)).table["notes"].null_count == 4

    def drop(header, rows):
        for row in (header, *rows):
            del row[2]

    assert ratings(back(tmp_path, altered(drop))) == ALL


def test_columns_that_people_add_become_notes(tmp_path):
    def change(header, rows):
        header += ["my notes", ""]
        rows[0] += [" hm ", "ok", "far out"]
        rows[1] += ["", "", ""]

    found = back(tmp_path, altered(change))
    notes = dict(zip(found.table["id"].to_pylist(), found.table["notes"].to_pylist(), strict=True))
    assert notes == {"r0": "my notes: hm\ncolumn 7: ok\ncolumn 8: far out", "r1": None, "r2": None, "r3": None}


def test_an_unknown_row_is_a_reject(tmp_path):
    table = [*rated(), ["r9", "x", "", "3"], ["Thanks, that was fun!"]]
    found = back(tmp_path, table)
    assert ratings(found) == ALL
    assert found.rejects == (
        RejectRow("complexity.anna.tsv", str(LINE + 4), STAGE, "unknown", "no row 'r9' was sent out"),
        RejectRow(
            "complexity.anna.tsv", str(LINE + 5), STAGE, "unknown", "no row 'Thanks, that was fun!' was sent out"
        ),
    )


def test_a_row_that_is_not_there_is_a_reject_without_position(tmp_path):
    found = back(tmp_path, rated()[:-1])
    assert ratings(found) == {"r0": 1, "r1": 2, "r2": 3}
    assert [(one.position, one.reason) for one in found.rejects] == [("", "missing")]
    assert found.rejects[0].detail == "r3 is not in the file"


@pytest.mark.parametrize("equal", [True, False])
def test_a_row_that_is_there_twice(tmp_path, equal):
    table = rated()
    again = list(table[LINE - 1])
    again[3] = again[3] if equal else "5"
    found = back(tmp_path, [*table, again, [*again[:4], "another comment"][:4]])
    places = [(one.position, one.reason) for one in found.rejects]
    if equal:
        assert ratings(found) == ALL
        assert places == [(str(LINE + 4), "doubled"), (str(LINE + 5), "doubled")]
        assert found.rejects[0].detail == f"r0: the same as complexity.anna.tsv line {LINE}"
    else:
        assert ratings(found) == {name: value for name, value in ALL.items() if name != "r0"}
        lines = [str(LINE), str(LINE + 4), str(LINE + 5)]
        assert places == [(line, "contradictory") for line in lines]


def test_an_unanswered_copy_of_a_row_does_not_contradict(tmp_path):
    table = rated()
    found = back(tmp_path, [*table, [*table[LINE - 1][:3], "", ""]])
    assert ratings(found) == ALL
    assert reasons(found) == {"empty": 1}


def test_answers_that_are_not_given_or_not_allowed_are_rejects(tmp_path):
    given = {"r0": {}, "r1": {"rating": "7"}, "r2": {"comment": "?"}, "r3": {"rating": "4"}}
    found = back(tmp_path, rated(given))
    assert ratings(found) == {"r3": 4}
    assert [(one.reason, one.detail) for one in found.rejects] == [
        ("empty", "r0: nothing is filled in"),
        ("wrong_answer", "r1: rating: '7' is not one of 1, 2, 3, 4, 5"),
        ("empty", "r2: rating is empty"),
    ]


def test_a_row_of_which_nothing_is_filled_in_is_no_answer(tmp_path):
    sheet = dataclasses.replace(COMPLEXITY, answers=(Answer(name="rating", help="", kind="text", optional=True),))
    found = back(tmp_path, sheet_text(sheet, ROWS), sheet)
    assert reasons(found) == {"empty": 4}


def test_a_text_that_was_changed_is_a_reject(tmp_path):
    def change(header, rows):
        rows[0][1] = rows[0][1].replace("words", "word")
        rows[1][1] = "#NAME?"
        rows[3][1] = "04. Mrz"

    found = back(tmp_path, altered(change))
    assert ratings(found) == {"r2": 3}
    assert reasons(found) == {"changed": 3}
    assert found.rejects[0].detail == ("r0: sentence is ', he said.' from character 11 on, instead of 's, he said.'")


def test_marks_are_not_part_of_the_text(tmp_path):
    def change(header, rows):
        for row in rows:
            row[1] = row[1].replace("[[", "").replace("]]", "")

    assert ratings(back(tmp_path, altered(change))) == ALL


def test_a_file_written_from_other_rows_gives_what_is_the_same(tmp_path):
    others = rows_of([('"Hard" words, he said.', 1, 5), ("new", 0, 3), ("zwei", 0, 4)])
    found = back(tmp_path, rated(rows=ROWS), rows=others)
    assert ratings(found) == {"r0": 1}
    assert reasons(found) == {"changed": 2, "unknown": 1}
    assert all("written from other rows" in one.detail for one in found.rejects)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "cloze"}, "is of sheet 'cloze', version 1, not of 'complexity', version 1"),
        ({"version": "2"}, "is of sheet 'complexity', version 2, not of"),
        ({"key": ("start",)}, "is of sheet|no row names the column 'id'"),
    ],
)
def test_a_file_of_another_sheet_is_an_error(tmp_path, change, words):
    sheet = dataclasses.replace(COMPLEXITY, **change)
    rows = rows_of().append_column("key", rows_of()["id"])
    if "key" in change:
        rows = rows.set_column(2, "start", [[str(n) for n in (0, 1, 2, 3)]])
        sheet = dataclasses.replace(sheet, columns=(SheetColumn("hint", ""),))
    with pytest.raises(LexbeamError, match=words):
        back(tmp_path, sheet_text(sheet, rows))


def test_an_older_file_whose_comments_are_lost_lacks_columns_or_rows(tmp_path):
    table = rated()[HEADER:]
    with pytest.raises(LexbeamError, match="column 'rating' of sheet 'complexity' is not there"):
        back(tmp_path, [row[:3] for row in table])
    table[0][3] = "ratings"
    with pytest.raises(LexbeamError, match="is not there; did you mean 'ratings'"):
        back(tmp_path, table)
    table[0][3:] = ["rating", "rating"]
    with pytest.raises(LexbeamError, match="'rating' of sheet 'complexity' is there twice"):
        back(tmp_path, table)
    table = rated()[HEADER:]
    for row in table[1:]:
        row[0] += "x"
    with pytest.raises(LexbeamError, match="none of its rows was sent out"):
        back(tmp_path, table)


@pytest.mark.parametrize(
    ("name", "annotator"),
    [
        ("complexity.anna.tsv", "anna"),
        ("complexity.anna (1).tsv", "anna"),
        ("complexity.Anna K.TXT", "Anna K"),
        ("ben.csv", "ben"),
    ],
)
def test_the_name_of_the_file_says_who_answered(tmp_path, name, annotator):
    assert set(back(tmp_path, rated(), name=name).table["annotator"].to_pylist()) == {annotator}


@pytest.mark.parametrize(
    ("name", "annotator"),
    [
        ("first round.anna.tsv", "anna"),
        ("v1.2.anna (3).tsv", "anna"),
        ("complexity.anna.tsv", "anna"),
        ("anna.tsv", "anna"),
        # handed on: the file's name counts
        ("complexity.ben.tsv", "ben"),
        ("joanna.tsv", "joanna"),
    ],
)
def test_a_file_of_any_name_that_was_made_for_somebody_is_theirs(tmp_path, name, annotator):
    table = filled(COMPLEXITY, ROWS, RATINGS, annotator="anna")
    assert set(back(tmp_path, table, name=name).table["annotator"].to_pylist()) == {annotator}


def test_a_file_that_does_not_say_who_answered_is_an_error(tmp_path):
    with pytest.raises(LexbeamError, match=r"call it complexity\.WHO\.tsv, or add a column"):
        back(tmp_path, rated(), name="complexity.tsv")


def test_a_column_says_who_answered(tmp_path):
    def change(header, rows):
        header.append("Annotator")
        for row, who in zip(rows, ("ben", "anna", " anna ", ""), strict=True):
            row.append(who)
        rows.append([*rows[0][:3], "5", "", "anna"])

    found = back(tmp_path, altered(change), name="complexity.tsv")
    assert list(zip(found.table["id"].to_pylist(), found.table["annotator"].to_pylist(), strict=True)) == [
        ("r0", "anna"),
        ("r0", "ben"),
        ("r1", "anna"),
        ("r2", "anna"),
    ]
    assert reasons(found) == {"no_annotator": 1}


def test_several_files_are_read_as_one(tmp_path):
    folder = tmp_path / "back"
    folder.mkdir()
    table = rated()
    (folder / "complexity.ben.tsv").write_text(text_from(table))
    (folder / "complexity.anna.tsv").write_text(text_from(table[:-1]))
    table[LINE - 1][3] = "5"
    (folder / "complexity.anna (1).tsv").write_text(text_from(table))
    (folder / ".~lock.complexity.anna.tsv#").write_text("anna")
    found = read_answers(COMPLEXITY, ROWS, str(folder))
    assert [(row["id"], row["annotator"]) for row in found.table.to_pylist()] == [
        ("r0", "ben"),
        ("r1", "anna"),
        ("r1", "ben"),
        ("r2", "anna"),
        ("r2", "ben"),
        ("r3", "anna"),
        ("r3", "ben"),
    ]
    first, second = "complexity.anna (1).tsv", "complexity.anna.tsv"
    assert [(one.source, one.position, one.reason) for one in found.rejects] == [
        (first, str(LINE), "contradictory"),
        (second, str(LINE), "contradictory"),
        (second, str(LINE + 1), "doubled"),
        (second, str(LINE + 2), "doubled"),
        (second, "", "missing"),
    ]
    assert found.rows == 11
    paths = [str(folder / name) for name in (second, "complexity.ben.tsv", first)]
    again = read_answers(COMPLEXITY, ROWS, paths)
    assert again.table.drop_columns("notes") == found.table.drop_columns("notes")
    with pytest.raises(LexbeamError, match=r"two files are called complexity\.anna\.tsv"):
        (tmp_path / "complexity.anna.tsv").write_text(text_from(table))
        read_answers(COMPLEXITY, ROWS, [str(folder), str(tmp_path / "complexity.anna.tsv")])


def test_names_can_be_replaced_by_pseudonyms(tmp_path):
    found = back(tmp_path, rated({"r0": {"rating": "9"}, "r1": {"rating": "2"}}), salt="pepper")
    assert found.table["annotator"].to_pylist() == [pseudonym("anna", "pepper")]
    assert not any("anna" in field for one in found.rejects for field in one)
    assert pseudonym("anna", "pepper") != pseudonym("anna", "salt") != pseudonym("ben", "salt")
    assert pseudonym("anna", "") == "anna"


def test_half_a_file_is_rows_and_rejects_or_an_error(tmp_path):
    content = text_from(rated()).encode()
    end = content.index(b"\nid\t")
    for cut in range(0, len(content), 7):
        if cut <= end + len("\nid\tsentence\thint\trating\tcomment"):
            with pytest.raises(LexbeamError, match=r"complexity\.anna\.tsv"):
                back(tmp_path, content[:cut])
            continue
        found = back(tmp_path, content[:cut])
        assert ratings(found).items() <= ALL.items()
        missing = sum(one.reason == "missing" for one in found.rejects)
        # A row that is cut in its id is unknown, and missing as well.
        assert found.rows + missing - reasons(found).get("unknown", 0) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf\r\n \r\n", "no row names the column 'id'"),
        (b"PK\x03\x04rest of a workbook", "is a workbook or an archive: save it as tab-separated"),
        (bytes(range(256)) * 8, "holds bytes that no text has"),
        (b"\x89PNG\r\n\x1a\n" + b"\xff" * 5000, "no row names the column 'id'"),
        (b"a\tb\n1\t2\n", "no row names the column 'id'"),
    ],
)
def test_what_is_no_file_of_ours_is_an_error(tmp_path, content, words):
    with pytest.raises(LexbeamError, match=words):
        back(tmp_path, content)


def test_a_file_in_another_encoding_is_rejects_until_the_encoding_is_named(tmp_path):
    content = text_from(rated()).removeprefix("\ufeff").encode("cp1252")
    found = back(tmp_path, content)
    assert ratings(found) == {"r0": 1, "r1": 2, "r3": 4}
    assert reasons(found) == {"undecodable": 1, "missing": 1}
    assert "name its `encoding`" in found.rejects[0].detail
    assert ratings(back(tmp_path, content, encoding="cp1252")) == ALL
    found = back(tmp_path, content, encoding="mac_roman")
    assert reasons(found) == {"changed": 1}


def test_reading_is_bounded(tmp_path):
    table = rated()
    table[LINE - 1][4] = "x" * 5000
    found = back(tmp_path, table, max_line_bytes=4000)
    assert reasons(found) == {"too_large": 1, "missing": 1}
    assert found.rejects[0].detail == "over 4000 bytes in a line"
    with pytest.raises(LexbeamError, match="has over 100 bytes"):
        back(tmp_path, table, max_file_bytes=100)


def test_a_pipe_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "anna.tsv")
    with pytest.raises(LexbeamError, match="cannot be read: not a regular file"):
        read_answers(COMPLEXITY, ROWS, [str(tmp_path / "anna.tsv")])


def test_spans_come_back_as_places_in_our_text(tmp_path):
    evidence = Answer(name="evidence", help="where", kind="spans", of="sentence")
    sheet = dataclasses.replace(COMPLEXITY, answers=(evidence,))
    table = cells_of(sheet_text(sheet, ROWS))
    quotes = {"'r0": '[[Hard]]" words', "'r1": "[word]", "'r2": "Und¶", "'r3": "'3/4"}
    for row in table[-4:]:
        row[3] = quotes[row[0]]
    found = back(tmp_path, table, sheet)
    texts = [row["sentence"] for row in ROWS.to_pylist()]
    assert [
        [text[span["start"] : span["end"]] for span in spans]
        for text, spans in zip(texts[:2], found.table["evidence"].to_pylist()[:2], strict=True)
    ] == [['Hard" words'], ["[word]"]]
    assert reasons(found) == {}


def test_every_reason_is_explained_and_every_explanation_used(tmp_path):
    rows = rows_of([(f"word {n}", 0, 4) for n in range(8)])
    table = rated({f"r{n}": {"rating": str(n % 5 + 1)} for n in range(8)}, rows)
    del table[-8 - 1][5:]
    for number, row in enumerate(table[-9:]):
        row.append("annotator" if number == 0 else "anna")
    body = table[-8:]
    body[0][1] = "another"
    body[1][5] = ""
    body[2][3] = ""
    body[3][3] = "6"
    body[4][4] = "x" * 3000
    body[5][4] = "é"
    table += [list(body[6]), [*body[7][:3], "5", "", "anna"], ["r8", "", "", "", "", ""]]
    content = text_from(table).removeprefix("\ufeff").encode("latin-1")
    found = back(tmp_path, content, rows=rows, max_line_bytes=2000)
    assert set(reasons(found)) == set(REASONS)
    assert ratings(found) == {"r6": 2}
