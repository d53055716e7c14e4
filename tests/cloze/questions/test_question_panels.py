"""Questions as a reader sees them, and what readers answered."""

from types import SimpleNamespace

import pyarrow as pa
import pytest
from questioned import OPTIONS as WORDS
from questioned import question

from lexbeam.schemas.cloze import OPTIONS, PREDICTIONS, QUESTIONS
from lexbeam.transforms.cloze.questions.question_panels import (
    QUESTION_VIEWS,
    QuestionsOptions,
    questions_shown,
    quoted_questions,
)
from lexbeam.transforms.common.store.tables import write_rows

LABEL = WORDS.index("hope")
ID = f"{1:032x}"


def prediction(reader, rank, word):
    return {
        "question_id": ID,
        "kind": "nonspecificity",
        "reader": reader,
        "fold": 0,
        "rank": rank,
        "word": word,
        "log_prob": -float(rank),
    }


def chosen(place, word, ranks):
    return {
        "question_id": ID,
        "kind": "nonspecificity",
        "place": place,
        "word": word,
        "named": word,
        "origin": "readers" if place else "answer",
        "readers": sorted(ranks),
        "ranks": [ranks[reader] for reader in sorted(ranks)],
        "score": 1.0,
        "list_size": 10,
        "kept": True,
        "reason": None,
    }


@pytest.fixture
def snapshot(tmp_path):
    questions = [
        question(1, label=LABEL),
        question(2, kept=False),
        question(3, "imperceptibility", split="test", origin="frequency"),
    ]
    predictions = [
        prediction("ar", 1, "law"),
        prediction("ar", 2, "Hope"),
        prediction("ga", 1, "zeal"),
        prediction("ga", 2, "fear"),
        prediction("none", 1, "zeal"),
    ]
    options = [
        chosen(0, "hope", {}),
        chosen(1, "law", {"ar": 1}),
        chosen(2, "fear", {"ga": 2}),
        chosen(3, "trust", {"ar": 4}),
        chosen(4, "1950", {"ga": 9}),
    ]
    paths = {}
    for table, rows in ((QUESTIONS, questions), (PREDICTIONS, predictions), (OPTIONS, options)):
        path = tmp_path / table.name.replace("/", "_")
        with path.open("wb") as stream:
            write_rows(stream, table.schema(), [pa.Table.from_pylist(rows, table.schema())])
        paths[table.name] = [str(path)]
    return SimpleNamespace(tables=paths, paths=paths.__getitem__)


def test_readers_prefer_the_option_that_comes_first_among_their_words(snapshot):
    rows = questions_shown(snapshot, QuestionsOptions()).to_pylist()
    assert [row["question_id"][-1] for row in rows] == ["1", "3"]
    assert rows[0]["readers"] == [
        {"reader": "ar", "first": "law", "choice": WORDS.index("law")},
        {"reader": "ga", "first": "zeal", "choice": WORDS.index("fear")},
        {"reader": "none", "first": "zeal", "choice": None},
    ]
    assert rows[1]["readers"] == []


def test_some_alone(snapshot):
    def ids(**options):
        shown = questions_shown(snapshot, QuestionsOptions(**options))
        return [row["question_id"][-1] for row in shown.to_pylist()]

    assert ids(question_kind="imperceptibility") == ["3"]
    assert ids(question_split="train") == ["1"]
    assert ids(questions=1) == ["1"]
    del snapshot.tables[PREDICTIONS.name]  # as where questions are published elsewhere
    assert questions_shown(snapshot, QuestionsOptions()).to_pylist()[0]["readers"] == []


def test_what_is_told(snapshot):
    lines = list(QUESTION_VIEWS["questions"].blocks(snapshot, QuestionsOptions(passage_words=3)))
    assert lines[1].strip() == "Passage 1. It ..."
    assert lines[3].strip() == "A trust   B hope   C 1950   D fear   E law"
    assert lines[4].strip() == (
        "answer B hope; ar: law, of the options E law; ga: zeal, of the options D fear; none: zeal, of the options none"
    )
    (panel,) = quoted_questions(snapshot)
    assert panel.rows["readers"].to_pylist() == ["ar: law, E; ga: zeal, D; none: zeal, none", None]
