"""Questions drafted part by part: which candidates become one, and with which options.

DRAFT    a part of cloze/candidates, of cloze/options and of cloze/pairs -> Drafted: rows without
         texts, which hashes stand for
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze.pairs import CRITERIA
from lexbeam.transforms.cloze.pairs.pair import ARTICLE_DIGITS, Row
from lexbeam.transforms.cloze.questions.question import (
    SCORES,
    QuestionOptions,
    gapped,
    merit,
    normalised,
    reason_of_options,
    reason_of_text,
    shown_options,
)
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.tables import Part, PartFile, RowsByKey, write_part

KEYS = ("passage_key", "summary_key", "question_key")

# A question without its texts; hashes of their words reveal duplicates.
DRAFTS = pa.schema(
    [
        ("question_id", pa.string()),
        ("kind", pa.string()),
        ("pair_id", pa.string()),
        ("article_id", pa.string()),
        ("token", pa.int32()),
        ("language", pa.string()),
        ("options", pa.list_(pa.string())),
        ("label", pa.int32()),
        ("answer", pa.string()),
        ("upos", pa.string()),
        ("concreteness", pa.float64()),
        ("depth", pa.float64()),
        ("origin", pa.string()),
        ("reason", pa.string()),
        *((key, pa.uint64()) for key in KEYS),
    ]
)
_CANDIDATES = [
    "question_id",
    "kind",
    "pair_id",
    "article_id",
    "token",
    "form",
    "upos",
    "passed",
    "target",
    *(f"{name}_value" for name in SCORES),
]
_OPTIONS = ["question_id", "kind", "place", "word", "origin", "score", "kept"]
PAIR_COLUMNS = ("pair_id", "language", "summary", "summary_starts", "summary_ends", "passage")


class DraftTask(NamedTuple):
    """Parts of the same number: of candidates, of their options, and of their pairs."""

    number: int
    candidates: Part
    options: tuple[Part, ...]
    pairs: tuple[Part, ...]


@dataclass(frozen=True)
class Drafted:
    """Receipt of drafts: their rows (`DRAFTS`), and how many there are by kind and reason.

    Attributes:
        rows: the file, sorted by question and kind.
        counts: kind, reason (empty: a question), how many.
    """

    rows: PartFile
    counts: tuple[tuple[str, str, int], ...]


class _Offered(NamedTuple):
    """The options that a question has: the answer first."""

    words: list[str]
    origin: str | None
    agreed: float


def _draft(artefact: Artefact, task: DraftTask, options: QuestionOptions) -> Drafted:
    counts: Counter[tuple[str, str]] = Counter()

    def tables() -> Iterator[pa.Table]:
        for rows in _articles(task, options):
            counts.update((row["kind"], row["reason"] or "") for row in rows)
            yield pa.Table.from_pylist(rows, DRAFTS)

    part = write_part(artefact, DRAFTS, tables(), sort_keys=("question_id", "kind"))
    return Drafted(part, tuple((*key, count) for key, count in sorted(counts.items())))


def _articles(task: DraftTask, options: QuestionOptions) -> Iterator[list[Row]]:
    """Yield the drafts of each article, in the order of questions and kinds."""
    offers = RowsByKey(task.options, _OPTIONS, "question_id", digits=ARTICLE_DIGITS, keep=_chosen_options)
    pairs = RowsByKey(task.pairs, PAIR_COLUMNS, "pair_id", digits=ARTICLE_DIGITS)
    candidates = RowsByKey((task.candidates,), _CANDIDATES, "question_id", digits=ARTICLE_DIGITS, keep=_asked)
    for article, asked in candidates:
        offered = _offered(offers.of(article))
        rows = [
            _row(candidate, offered)
            for candidate in asked
            if candidate["passed"] or (candidate["question_id"], candidate["kind"]) in offered
        ]
        texts = {pair["pair_id"]: pair for pair in pairs.of(article)}
        by_pair: dict[str, list[Row]] = {}
        for row in rows:
            by_pair.setdefault(row["pair_id"], []).append(row)
        for pair_id, rows_of_pair in by_pair.items():
            if pair_id not in texts:
                raise LexbeamError(
                    f"part {task.number} of cloze/candidates has pair {pair_id}, which is not in "
                    "that of cloze/pairs: make candidates and options anew"
                )
            _settle(texts[pair_id], rows_of_pair, offered, options)
        if rows:
            yield rows


def _chosen_options(rows: pa.Table) -> pa.ChunkedArray:
    return rows["kept"]


def _asked(rows: pa.Table) -> pa.ChunkedArray:
    return pc.or_(rows["passed"], rows["target"])


def _offered(rows: list[Row]) -> dict[tuple[str, str], _Offered]:
    offered: dict[tuple[str, str], _Offered] = {}
    for row in rows:  # the answer, which has place 0, comes first
        before = offered.get((row["question_id"], row["kind"]), _Offered([], None, 0.0))
        offered[row["question_id"], row["kind"]] = _Offered(
            [*before.words, row["word"]], row["origin"] if row["place"] else None, before.agreed + row["score"]
        )
    return offered


def _row(candidate: Row, offered: Mapping[tuple[str, str], _Offered]) -> Row:
    scores = {
        column: candidate[f"{name}_value"] if name in CRITERIA[candidate["kind"]] else None
        for name, column in SCORES.items()
    }
    reason = None if candidate["passed"] else "not_passed"
    if (candidate["question_id"], candidate["kind"]) not in offered:
        reason = "not_asked"
    shared = {name: candidate[name] for name in ("question_id", "kind", "pair_id", "article_id", "token", "upos")}
    return {**dict.fromkeys(DRAFTS.names), **shared, **scores, "answer": candidate["form"], "reason": reason}


def _settle(pair: Row, rows: list[Row], offered: Mapping[tuple[str, str], _Offered], options: QuestionOptions) -> None:
    """Complete the drafts of a pair, and give those that are not to be questions their reasons."""
    best: dict[str, list[Row]] = {}
    summary, passage = pair["summary"], pair["passage"]
    keys = [hash_of(normalised(text)) for text in (passage, summary)]
    for row in rows:
        row["language"] = pair["language"]
        if row["reason"] is not None:
            continue
        place = pair["summary_starts"][row["token"]], pair["summary_ends"][row["token"]]
        offer = offered[row["question_id"], row["kind"]]
        row["origin"] = offer.origin
        row["reason"] = reason_of_text(summary, passage, *place, row["answer"]) or (reason_of_options(offer.words))
        if row["reason"] is not None:
            continue
        row["options"], row["label"] = shown_options(row["question_id"], row["kind"], offer.words, options.seed)
        question = hash_of(normalised(gapped(summary, *place, row["answer"])))
        row |= dict(zip(KEYS, (*keys, question), strict=True))
        best.setdefault(row["kind"], []).append({**row, "agreed": offer.agreed})
    if options.per_summary == "all":
        return
    first = {kind: min(rows_of_kind, key=merit)["question_id"] for kind, rows_of_kind in best.items()}
    for row in rows:
        if row["reason"] is None and row["question_id"] != first[row["kind"]]:
            row["reason"] = "not_best"


DRAFT: Stage[DraftTask, QuestionOptions, Drafted] = Stage(
    name="cloze/draft",
    noun="questions",
    receipt=Drafted,
    build=_draft,
    unused={"task.number": "parts hold rows, not the number that they have"},
    unordered=("task.options", "task.pairs"),
    unit="drafts",
)
