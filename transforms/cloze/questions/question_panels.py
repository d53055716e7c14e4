"""Questions as a reader sees them, and panels about them.

lexbeam show cloze --questions 10 --question-kind nonspecificity
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import KINDS, OPTIONS, PREDICTIONS, QUESTION_REASONS, QUESTIONS
from lexbeam.schemas.columns import column
from lexbeam.transforms.cloze.pairs.pair import Row
from lexbeam.transforms.cloze.questions.question import LETTERS
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot, View
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.report.panels import Panel, Rows

SECTION = "cloze.questions"
QUOTED = 10
WORDS = 80  # of a passage
_COLUMNS = ["question_id", "kind", "split", "article", "question", "options", "label", "answer", "origin"]
_READER = pa.struct([("reader", pa.string()), ("first", pa.string()), ("choice", pa.int32())])
_SHOWN = pa.schema(
    [*(QUESTIONS.schema().field(name).remove_metadata() for name in _COLUMNS), ("readers", pa.list_(_READER))]
)


@dataclass(frozen=True, kw_only=True)
class QuestionsOptions:
    """Options of the view `questions`."""

    questions: int = option(10, help="questions as a reader sees them, the first by id", least=1)
    question_kind: str | None = option(None, help="of this kind", choices=KINDS)
    question_split: str | None = option(None, help="of this split")
    passage_words: int = option(WORDS, help="words of a passage that are shown; 0: all", least=0)


def questions_shown(snapshot: Snapshot, options: QuestionsOptions) -> pa.Table:
    """Return questions with what each reader answered.

    `readers` has of each reader its first word in the place of the gap, and the option that comes
    first among its words (null: none of them is). It is empty where predictions are published
    elsewhere, and for readers that know the answer.
    """
    shown: list[Row] = []
    for rows in read_rows(snapshot.paths(QUESTIONS.name), [*_COLUMNS, "kept"]):
        published = rows.filter(rows["kept"])
        for name in ("kind", "split"):
            if (value := getattr(options, f"question_{name}")) is not None:
                published = published.filter(pc.equal(published[name], value))
        shown += published.slice(0, options.questions - len(shown)).to_pylist()
        if len(shown) == options.questions:
            break
    readers = _readers(snapshot, shown)
    for row in shown:
        row["readers"] = readers.get((row["question_id"], row["kind"]), [])
    return pa.Table.from_pylist(shown, _SHOWN)


_Key = tuple[str, str]


def _of(snapshot: Snapshot, table: str, columns: Sequence[str], ids: pa.Array) -> Iterator[Row]:
    if table in snapshot.tables:
        for rows in read_rows(snapshot.paths(table), ["question_id", "kind", *columns]):
            yield from rows.filter(pc.is_in(rows["question_id"], ids)).to_pylist()


def _readers(snapshot: Snapshot, questions: Sequence[Row]) -> dict[_Key, list[Row]]:
    ids = pa.array(sorted({row["question_id"] for row in questions}), pa.string())
    answers = {(row["question_id"], row["kind"]): row for row in questions}
    ranks: dict[_Key, dict[str, dict[int, int]]] = {}  # by question, reader and option
    first: dict[_Key, dict[str, str]] = {}
    for row in _of(snapshot, PREDICTIONS.name, ["reader", "rank", "word"], ids):
        key = row["question_id"], row["kind"]
        if key not in answers or answers[key]["origin"] != "readers":
            continue
        of_option = ranks.setdefault(key, {}).setdefault(row["reader"], {})
        if row["rank"] == 1:
            first.setdefault(key, {})[row["reader"]] = row["word"]
        if row["word"].lower() == answers[key]["answer"].lower():
            of_option[answers[key]["label"]] = row["rank"]
    for row in _of(snapshot, OPTIONS.name, ["word", "readers", "ranks", "kept", "place"], ids):
        key = row["question_id"], row["kind"]
        if key in ranks and row["kept"] and row["place"]:
            place = answers[key]["options"].index(row["word"])
            for reader, rank in zip(row["readers"], row["ranks"], strict=True):
                ranks[key].setdefault(reader, {})[place] = rank
    return {
        key: [
            {"reader": reader, "first": first[key].get(reader), "choice": min(of, key=of.__getitem__) if of else None}
            for reader, of in sorted(by_reader.items())
        ]
        for key, by_reader in ranks.items()
    }


def _cut(text: str, words: int) -> str:
    held = text.split()
    return " ".join(held) if not words or len(held) <= words else " ".join(held[:words]) + " ..."


def _tell(snapshot: Snapshot, options: QuestionsOptions) -> Iterator[Block]:
    for number, row in enumerate(questions_shown(snapshot, options).to_pylist(), 1):
        yield f"{number}. {row['kind']}, {row['split']}, question {row['question_id']}"
        yield f"   {_cut(row['article'], options.passage_words)}"
        yield f"   {_cut(row['question'], 0)}"
        yield "   " + "   ".join(f"{letter} {word}" for letter, word in zip(LETTERS, row["options"], strict=True))
        yield f"   answer {_said(row, row['label'])}" + "".join(
            f"; {choice['reader']}: {choice['first']}, of the options {_said(row, choice['choice'])}"
            for choice in row["readers"]
        )


def _said(row: Row, place: int | None) -> str:
    return "none" if place is None else f"{LETTERS[place]} {row['options'][place]}"


def quoted_questions(snapshot: Snapshot, _: Sequence[str] = ()) -> list[Panel]:
    """Return ten questions as a reader sees them, with what each reader answered."""
    rows = []
    for row in questions_shown(snapshot, QuestionsOptions(questions=QUOTED)).to_pylist():
        rows.append(
            {
                "kind": row["kind"],
                "passage": _cut(row["article"], WORDS),
                "question": row["question"],
                **dict(zip(LETTERS, row["options"], strict=True)),
                "answer": LETTERS[row["label"]],
                "readers": "; ".join(
                    f"{choice['reader']}: {choice['first']}, "
                    + ("none" if choice["choice"] is None else LETTERS[choice["choice"]])
                    for choice in row["readers"]
                )
                or None,
            }
        )
    schema = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("passage", pa.string(), "how the passage begins"),
            column("question", pa.string(), "the summary with a gap"),
            *(column(letter, pa.string(), "an option") for letter in LETTERS),
            column("answer", pa.string(), "the option that the summary had"),
            column(
                "readers", pa.string(), "of each reader its first word, and the option that it prefers", nullable=True
            ),
        ]
    )
    text = (
        f"{len(rows)} questions, the first by id. Readers name words without seeing the options; "
        "the option that a reader prefers is the first among its words."
    )
    return [Rows("Questions as a reader sees them", text, pa.Table.from_pylist(rows, schema))]


def question_panels(snapshot: Snapshot) -> list[Panel]:
    """Return what became of candidates, and how alike splits are."""
    section = snapshot.section(SECTION)
    return [_outcomes(section), _split_sizes(section["splits"]), _split_scores(section["splits"])]


def _outcomes(section: Row) -> Panel:
    rows = [
        {"kind": numbers["kind"], "outcome": outcome, "words": count}
        for numbers in section["kinds"]
        for outcome, count in {"question": numbers["questions"], **numbers["reasons"]}.items()
    ]
    reasons = "; ".join(f"{name}: {doc}" for name, doc in QUESTION_REASONS.items())
    schema = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("outcome", pa.string(), f"a question, or why not: {reasons}"),
            column("words", pa.int64(), "candidates"),
        ]
    )
    text = "Candidates that passed all filters, by what they are."
    return Rows("What became of candidates", text, pa.Table.from_pylist(rows, schema))


def _split_sizes(splits: Row) -> Panel:
    rows = [{**row, "kind": row["kind"] or "all", "upos": row["upos"] or "all"} for row in splits["strata"]]
    schema = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("upos", pa.string(), "part of speech of the answer"),
            column("split", pa.string(), "the split"),
            column("questions", pa.int64(), "questions in it"),
            column("share", pa.float64(), "of the questions of this kind and part of speech"),
            column("wanted", pa.float64(), "the share that was asked for"),
            column("off", pa.bool_(), f"more than {splits['tolerance']} and a question off"),
        ]
    )
    text = "Questions of each split, by kind and part of speech."
    return Rows("Splits of questions", text, pa.Table.from_pylist(rows, schema))


def _split_scores(splits: Row) -> Panel:
    schema = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("score", pa.string(), "the score"),
            column("distance", pa.float64(), "Kolmogorov-Smirnov, of the splits farthest apart", nullable=True),
            column("off", pa.bool_(), f"more than {splits['score_tolerance']} and a question of each apart"),
        ]
    )
    text = "How far the scores of two splits are apart, at most."
    return Rows("Scores of splits", text, pa.Table.from_pylist(splits["distances"], schema))


QUESTION_VIEWS: Registry[View[Any]] = Registry(
    {
        "questions": View(
            QuestionsOptions,
            questions_shown,
            _tell,
            doc="questions as a reader sees them, the first by id, and what readers answered",
        )
    },
    what="view",
    group="lexbeam.cloze_question_views",
)
