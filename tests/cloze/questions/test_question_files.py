"""Questions as JSON lines: the task's fields, a file for each kind and split, all or nothing."""

import json

import pyarrow as pa
import pytest

from lexbeam.schemas.cloze import QUESTIONS
from lexbeam.transforms.cloze.questions.question import (
    check_name,
    json_line,
    names_of,
    refuse_existing,
    write_questions,
)
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.tables import write_rows


def question(number, kind="nonspecificity", split="train", *, kept=True):
    row = dict.fromkeys(QUESTIONS.schema().names)
    row |= {
        "question_id": f"{number:032x}",
        "kind": kind,
        "pair_id": "p",
        "article_id": "a",
        "answer": "hope",
        "kept": kept,
        "split": split if kept else None,
    }
    if kept:
        row |= {
            "article": f"Passage {number}.\nÉtat\u2028",
            "question": "No @placeholder left .",
            "options": ["a", "hope", "c", "d", "e"],
            "label": 1,
        }
    return row


@pytest.fixture
def paths(tmp_path):
    rows = [
        [question(1), question(1, "imperceptibility", "dev"), question(2, kept=False)],
        [question(3, split="test"), question(4)],
    ]
    parts = []
    for place, rows_of_part in enumerate(rows):
        path = tmp_path / f"{place}.parquet"
        with path.open("wb") as stream:
            write_rows(stream, QUESTIONS.schema(), [pa.Table.from_pylist(rows_of_part, QUESTIONS.schema())])
        parts.append(str(path))
    return parts


def test_lines_are_the_tasks(paths, tmp_path):
    out = tmp_path / "task" / "all.jsonl"
    assert write_questions(paths, str(out)) == {str(out): 4}
    lines = out.read_text("utf-8").splitlines()
    records = list(map(json.loads, lines))
    assert records[0]["question_id"] == question(1)["question_id"]
    assert list(records[0]) == [
        "question_id",
        "kind",
        "article",
        "question",
        "option_0",
        "option_1",
        "option_2",
        "option_3",
        "option_4",
        "label",
    ]
    assert [record["article"][8] for record in records] == ["1", "1", "3", "4"]
    assert records[0]["article"] == "Passage 1.\nÉtat\u2028"
    assert "É" in lines[0]
    assert records[0]["option_1"] == "hope"
    assert records[0]["label"] == 1


def test_a_file_for_each_kind_and_split(paths, tmp_path):
    name = str(tmp_path / "{kind}_{split}.jsonl")
    counts = write_questions(paths, name)
    assert {path.rpartition("/")[2]: count for path, count in counts.items()} == {
        "imperceptibility_dev.jsonl": 1,
        "nonspecificity_test.jsonl": 1,
        "nonspecificity_train.jsonl": 2,
    }
    splits = ["train", "dev", "test"]
    assert counts.keys() <= names_of(name, splits)
    assert len(names_of(name, splits)) == 9
    assert names_of("all.jsonl", splits) == {"all.jsonl"}


def test_some_alone_and_nothing_that_is_there_is_lost(paths, tmp_path):
    out = tmp_path / "{split}.jsonl"
    (tmp_path / "train.jsonl").write_text("mine\n")
    only = {(f"{4:032x}", "nonspecificity"), (f"{3:032x}", "nonspecificity")}
    with pytest.raises(UsageError, match=r"train\.jsonl is there"):
        write_questions(paths, str(out), only)
    assert not (tmp_path / "test.jsonl").exists()
    with pytest.raises(UsageError, match=r"train\.jsonl is there"):
        refuse_existing(str(out), ["test", "train"])
    counts = write_questions(paths, str(out), only, replace=True)
    assert list(counts.values()) == [1, 1]
    assert "Passage 4." in (tmp_path / "train.jsonl").read_text()


def test_nothing_appears_if_a_line_cannot_be_written(paths, tmp_path, monkeypatch):
    count = 0

    def breaking(row):
        nonlocal count
        count += 1
        if count == 4:
            raise OSError("disk full")
        return json_line(row)

    monkeypatch.setattr("lexbeam.transforms.cloze.questions.question.json_line", breaking)
    out = tmp_path / "task"
    out.mkdir()
    with pytest.raises(OSError, match="disk full"):
        write_questions(paths, str(out / "{kind}_{split}.jsonl"))
    assert list(out.iterdir()) == []


def test_other_fields_are_refused():
    check_name("a/{kind}.jsonl")
    with pytest.raises(UsageError, match=r"\{task\}"):
        check_name("{task}.jsonl")
    with pytest.raises(UsageError, match="names no file"):
        check_name("folder/")
