"""Files of annotations: what is read, and why rows are rejected, in every form they come in."""

import json

import pytest
from questioned import OPTIONS, question

from lexbeam.schemas.cloze import ANNOTATION_REJECT_REASONS, QUESTIONS
from lexbeam.transforms.cloze.questions.answer_sheets import (
    SHEET,
    SHEET_COLUMNS,
    AnnotationOptions,
    Question,
    asked_rows,
    parse_columns,
    read_annotations,
)
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.people.sheets import sheet_text

import pyarrow as pa  # isort: skip

ROWS = [question(number) for number in range(5)]
ROWS += [question(4, "imperceptibility"), question(9, kept=False)]
KEPT = {(row["question_id"], row["kind"]): Question(tuple(OPTIONS), row["label"]) for row in ROWS if row["kept"]}


def name(number):
    return f"{number:032x}"


def sheet_rows():
    table = pa.Table.from_pylist(ROWS, QUESTIONS.schema()).select(list(SHEET_COLUMNS))
    return asked_rows(table, (), ()).rows


def read(*paths, **options):
    return read_annotations(list(map(str, paths)), KEPT, sheet_rows, AnnotationOptions(**options))


HEAD = "question_id,annotator_id,answer,difficulty,span_passage,span_summary,approval_rate\n"


def table_of(tmp_path, *lines, head=HEAD):
    path = tmp_path / "crowd.csv"
    path.write_text(head + "".join(f"{line}\n" for line in lines), "utf-8")
    return path


@pytest.mark.parametrize(
    ("cell", "answer"),
    [("B", 1), ("b", 1), ("1", 1), ("1.0", 1), ("hope", 1), ("HOPE", 1), ("1950", 2), ("-", None), ("0", 0), ("E", 4)],
)
def test_an_answer_is_a_letter_a_number_or_the_option(tmp_path, cell, answer):
    result = read(table_of(tmp_path, f"{name(1)},anna,{cell},easy,p,s,0.95"))
    assert result.rejects == []
    (entry,) = result.annotations
    assert (entry.answer, entry.correct) == (answer, answer == 1)
    assert (entry.difficulty, entry.spans, entry.approval) == ("easy", ("p", "s"), 0.95)
    assert (entry.source, entry.position) == ("crowd.csv", "2")


def test_numbers_from_one(tmp_path):
    path = table_of(tmp_path, f"{name(1)},anna,5,,,,", f"{name(2)},anna,0,,,,")
    result = read(path, first_option="1")
    assert [entry.answer for entry in result.annotations] == [4]
    assert [entry.reason for entry in result.rejects] == ["wrong_answer"]
    (reject,) = read(table_of(tmp_path, f"{name(1)},anna,5,,,,")).rejects
    assert "first_option" in reject.detail


@pytest.mark.parametrize(("cell", "rate"), [("", None), ("95", 0.95), ("95%", 0.95), ("0,9", 0.9)])
def test_rates_are_shares_or_per_cent(tmp_path, cell, rate):
    (entry,) = read(table_of(tmp_path, f'{name(1)},anna,B,,,,"{cell}"')).annotations
    assert entry.approval == rate


def test_every_bad_row_is_a_reject_with_its_place(tmp_path):
    lines = {
        f"{name(7)},anna,B,,,,": "unknown",
        f"{name(9)},anna,B,,,,": "unknown",  # published, and no question
        ",anna,B,,,,": "empty",
        f"{name(1)},,B,,,,": "no_annotator",
        f"{name(1)},anna,,,,,": "empty",
        f"{name(1)},anna,F,,,,": "wrong_answer",
        f"{name(1)},anna,7,,,,": "wrong_answer",
        f"{name(1)},anna,-1,,,,": "wrong_answer",
        f"{name(1)},anna,B,,,,200": "wrong_answer",
        f"{name(4)},anna,B,,,,": "several_kinds",
        f"{name(2)},anna,B,,,,": None,
        f"{name(3)},anna,B,,,,": "contradictory",
        f"{name(3)},anna,C,,,,": "contradictory",
    }
    result = read(table_of(tmp_path, *lines, f"{name(2)},anna,B,,,,"))
    assert [entry.key[0] for entry in result.annotations] == [name(2)]
    reasons = {int(entry.position): entry.reason for entry in result.rejects}
    expected = {line: reason for line, reason in enumerate(lines.values(), 2) if reason}
    assert reasons == {**expected, len(lines) + 2: "doubled"}
    assert all(entry.source == "crowd.csv" for entry in result.rejects)
    assert set(reasons.values()) <= set(ANNOTATION_REJECT_REASONS)
    kinds = next(entry for entry in result.rejects if entry.reason == "several_kinds")
    assert "column `kind`" in kinds.detail


def test_a_column_says_the_kind(tmp_path):
    head = "question_id,annotator_id,answer,kind\n"
    lines = [
        f"{name(4)},anna,B,imperceptibility",
        f"{name(4)},bob,B,Nonspecificity",
        f"{name(1)},bob,B,imperceptibility",
    ]
    result = read(table_of(tmp_path, *lines, head=head))
    assert [entry.key[1] for entry in result.annotations] == ["imperceptibility", "nonspecificity"]
    assert [entry.reason for entry in result.rejects] == ["unknown"]


def test_json_lines(tmp_path):
    rows = [
        {
            "question_id": name(1),
            "annotator_id": "anna",
            "answer": 1,
            "approval_rate": 0.97,
            "passage_span": "two",
            "summary_span": None,
        },
        {"question_id": name(1), "annotator_id": 7, "answer": "C"},
        {"question_id": name(2), "annotator_id": "anna"},
        {"question_id": name(2), "annotator_id": "anna", "answer": [1]},
        [1],
    ]
    path = tmp_path / "crowd.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "{\n")
    result = read(path)
    assert [(entry.annotator, entry.answer) for entry in result.annotations] == [("7", 2), ("anna", 1)]
    assert result.annotations[1].spans == ("two", "")
    assert {entry.position: entry.reason for entry in result.rejects} == {
        "3": "missing_field",
        "4": "malformed",
        "5": "malformed",
        "6": "malformed",
    }


def test_columns_of_ones_own(tmp_path):
    path = table_of(tmp_path, f"{name(1)}\tw1\tB", head="hit\tworker\tanswer\n")
    with pytest.raises(LexbeamError, match=r"no column 'question_id'.*`columns` question_id=NAME"):
        read(path)
    result = read(path, columns=("question_id=hit", "annotator_id=worker"))
    assert [entry.annotator for entry in result.annotations] == ["w1"]
    for wrong in (["question_id"], ["worker=x"], ["answer=a", "answer=b"]):
        with pytest.raises(UsageError):
            parse_columns(wrong)


def test_sheets_come_back(tmp_path):
    rows = sheet_rows()
    assert rows.num_rows == 6
    text = sheet_text(SHEET, rows, annotator="anna", seed=1)
    lines = text.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("question_id"))
    filled = lines[: head + 1]
    for at, line in enumerate(lines[head + 1 :]):
        cells = line.split("\t")
        cells[9:] = [["A", "b", "-", "F", "C", ""][at], "easy", "two", "", "for a reason"]
        filled.append("\t".join(cells))
    path = tmp_path / "cloze.anna.tsv"
    path.write_text("\n".join(filled) + "\n", "utf-8")
    result = read(path)
    answers = {answer.key: answer for answer in result.annotations}
    assert sorted(map(str, (answer.answer for answer in answers.values()))) == ["0", "1", "2", "None"]
    for key, answer in answers.items():
        assert answer.correct == (answer.answer == KEPT[key].label)
        assert (answer.annotator, answer.difficulty, answer.spans) == ("anna", "easy", ("two", ""))
        assert answer.explained == "for a reason"
    assert sorted(answer.reason for answer in result.rejects) == ["empty", "wrong_answer"]
    # The same answer in a table counts once.
    key, answer = next(iter(answers.items()))
    letter = "-" if answer.answer is None else "ABCDE"[answer.answer]
    head = "question_id,annotator_id,answer,kind,difficulty,span_passage,explained\n"
    line = f"{key[0]},anna,{letter},{key[1]},easy,two,for a reason"
    both = read(path, table_of(tmp_path, line, head=head))
    assert len(both.annotations) == 4
    assert [answer.reason for answer in both.rejects if answer.source == "crowd.csv"] == ["doubled"]


def sheet_of(tmp_path, annotator, cells, rows=None):
    """Return a sheet that came back with these answers, by the number of the row; other rows are not in it."""
    text = sheet_text(SHEET, sheet_rows() if rows is None else rows, annotator=annotator, seed=1)
    kept = []
    for line in text.splitlines():
        parts = line.split("\t")
        number = parts[0][-1:] + parts[1][:1] if len(parts) > 9 and parts[0][-4:].isdigit() else None
        if number is None or number in cells:
            kept.append("\t".join([*parts[:9], cells[number], *parts[10:]]) if number in cells else line)
    path = tmp_path / f"cloze.{annotator}.tsv"
    path.write_text("\n".join(kept) + "\n", "utf-8")
    return path


def missing(result):
    return sorted((reject.source, reject.detail.split()[0]) for reject in result.rejects if reject.reason == "missing")


def test_rows_that_are_missing_in_a_sheet_are_rejects(tmp_path):
    everything = {"0n": "A", "1n": "B", "2n": "C", "3n": "A", "4n": "A", "4i": "A"}
    some = {number: cell for number, cell in everything.items() if number not in ("2n", "4i")}
    result = read(sheet_of(tmp_path, "anna", some), sheet_of(tmp_path, "bob", everything))
    assert missing(result) == [("cloze.anna.tsv", name(2)), ("cloze.anna.tsv", name(4))]
    assert len(result.annotations) == 10
    # A sheet of some questions: what another file of it has was asked.
    three = sheet_rows().slice(0, 3)
    few = read(sheet_of(tmp_path, "anna", {"0n": "A", "1n": "B"}, three), sheet_of(tmp_path, "bob", everything, three))
    assert missing(few) == [("cloze.anna.tsv", name(2))]
    # No file has it: nothing says which it was.
    alone = read(sheet_of(tmp_path, "anna", {"0n": "A", "1n": "B"}, three))
    assert missing(alone) == [("cloze.anna.tsv", "rows")]
    assert len(alone.annotations) == 2


def test_a_sheet_takes_the_options_word(tmp_path):
    cells = {"0n": "HOPE", "1n": "hope", "2n": OPTIONS[2], "3n": "nothing", "4n": "b"}
    result = read(sheet_of(tmp_path, "anna", cells))
    chosen = {entry.key[0]: OPTIONS[entry.answer] for entry in result.annotations}
    assert chosen == {name(0): "hope", name(1): "hope", name(2): OPTIONS[2], name(4): OPTIONS[1]}
    assert [reject.reason for reject in result.rejects if reject.reason != "missing"] == ["wrong_answer"]


def test_a_text_that_no_cell_holds_is_left_out():
    rows = [question(1), question(2, article="long " * 7000)]
    result = asked_rows(pa.Table.from_pylist(rows, QUESTIONS.schema()).select(list(SHEET_COLUMNS)), (), ())
    assert (result.rows["question_id"].to_pylist(), result.too_long) == ([name(1)], 1)
    some = pa.Table.from_pylist(ROWS, QUESTIONS.schema()).select(list(SHEET_COLUMNS))
    assert asked_rows(some, ("imperceptibility",), ()).rows.num_rows == 1
    assert asked_rows(some, (), ("test",)).rows.num_rows == 0
