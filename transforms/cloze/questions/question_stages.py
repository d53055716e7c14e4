"""Questions made part by part: drafted, split, written.

DraftQuestions    a part of cloze/candidates, of cloze/options and of cloze/pairs -> Drafted: rows without
                  texts, which hashes stand for
SplitQuestions    drafts of all parts -> QuestionSplit: the split of each question, and how alike splits are
WriteQuestions    a part of drafts and of pairs, and all splits -> a part of cloze/questions
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import CRITERIA, QUESTIONS
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
from lexbeam.transforms.cloze.questions.splits import (
    COLUMNS,
    Distance,
    Stratum,
    distances_of,
    place_questions,
    strata_of,
)
from lexbeam.transforms.common.draws.balancing import Ints
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.draws.splits import Shares, parse_shares
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, RowsByKey, read_rows, sort_rows, write_part

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


@dataclass(frozen=True)
class DraftQuestions(Step[DraftTask, Drafted]):
    """Draft the questions of a part of the candidates, without texts."""

    options: QuestionOptions

    name = "cloze/draft"
    noun = "questions"
    unit = "drafts"

    def make(self, artefact: Artefact, task: DraftTask) -> Drafted:
        """Write the drafts.

        Raises:
            LexbeamError: a pair of the candidates is not among the pairs.
        """
        counts: Counter[tuple[str, str]] = Counter()

        def tables() -> Iterator[pa.Table]:
            for rows in _articles(task, self.options):
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
                    f"part {task.candidates.number} of cloze/candidates has pair {pair_id}, which is not in "
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


SPLITS = pa.schema([("question_id", pa.string()), ("kind", pa.string()), ("split", pa.string())])


@dataclass(frozen=True)
class QuestionSplit:
    """Receipt of the splits of all questions.

    Attributes:
        rows: the split of each question, sorted by question and kind.
        strata: how many questions each split has, of all, of kinds, of their parts of speech.
        distances: how far scores are apart.
        articles: passages that have questions.
        groups: groups of articles that duplicates connect.
        largest: questions of the largest group.
        too_large: questions of groups that were too large to be dealt out, the largest first.
    """

    rows: PartFile
    strata: tuple[Stratum, ...]
    distances: tuple[Distance, ...]
    articles: int
    groups: int
    largest: int
    too_large: tuple[int, ...]


@dataclass(frozen=True)
class SplitQuestions(Step[tuple[PartFile, ...], QuestionSplit]):
    """Split the questions that the drafts of all parts have, see `QuestionSplitOptions`.

    Attributes:
        shares: splits and what they have of the questions.
        tolerance: how far a share may be off.
        score_tolerance: how far the scores of two splits may be apart.
        seed: of the draws.
        kept: parts of published questions, which stay in their splits.
    """

    shares: tuple[str, ...]
    tolerance: float
    score_tolerance: float
    seed: int
    kept: tuple[Part, ...] = ()

    name = "cloze/split"
    noun = "splits"
    unit = "tables"
    blas = True

    def make(self, artefact: Artefact, drafts: tuple[PartFile, ...]) -> QuestionSplit:
        """Write the splits.

        Raises:
            LexbeamError: a question is to stay in a split that there is not.
        """
        drafted = [
            rows.filter(pc.is_null(rows["reason"])).select(COLUMNS)
            for rows in read_rows([checked(draft.file) for draft in drafts], [*COLUMNS, "reason"])
        ]
        schema = pa.schema([DRAFTS.field(name) for name in COLUMNS])
        rows = sort_rows(pa.concat_tables([schema.empty_table(), *drafted]), ("question_id", "kind"))
        shares = parse_shares(self.shares)
        placed = place_questions(rows, shares, seed=self.seed, kept=_kept(rows, shares, self.kept))
        names = pa.array(shares.names, pa.string()).take(pa.array(placed.split))
        table = pa.table([rows["question_id"], rows["kind"], names], schema=SPLITS)
        sizes = np.bincount(placed.group) if rows.num_rows else np.zeros(1, np.int64)
        return QuestionSplit(
            rows=write_part(artefact, SPLITS, [table], sort_keys=("question_id", "kind")),
            strata=strata_of(rows, placed.split, shares, self.tolerance),
            distances=distances_of(rows, placed.split, shares, self.score_tolerance),
            articles=len(pc.unique(rows["article_id"])),
            groups=len(sizes) if rows.num_rows else 0,
            largest=int(sizes.max()),
            too_large=tuple(sorted((int(sizes[group]) for group in placed.too_large), reverse=True)),
        )


def _kept(rows: pa.Table, shares: Shares, parts: Sequence[Part]) -> Ints:
    """Return of each question the place of the split that it keeps; -1: none."""
    places: dict[tuple[str, str], int] = {}
    for published in read_rows([checked(part) for part in parts], ["question_id", "kind", "split"]):
        for name, kind, split in zip(*(column.to_pylist() for column in published.columns), strict=True):
            if split is not None and split not in shares.names:
                raise LexbeamError(
                    f"`splits_from`: questions are in split {split}, which `shares` does not have: name the same "
                    "splits, or split anew without it"
                )
            if split is not None:
                places[name, kind] = shares.names.index(split)
    keys = zip(rows["question_id"].to_pylist(), rows["kind"].to_pylist(), strict=True)
    return np.array([places.get(key, -1) for key in keys], np.int64)


class WriteTask(NamedTuple):
    """A part: its drafts, the parts that have its pairs, and all splits."""

    drafts: Part
    pairs: tuple[Part, ...]
    splits: Part


def write_tasks(
    element: tuple[int, Drafted], pairs: tuple[Part, ...], split: tuple[int, QuestionSplit]
) -> list[tuple[int, WriteTask]]:
    """Return the task of a part of the questions, by its number."""
    number, drafted = element
    drafts, splits = Part.of("drafts", number, drafted.rows), Part.of("splits", 0, split[1].rows)
    return [(number, WriteTask(drafts, tuple(part for part in pairs if part.number == number), splits))]


@dataclass(frozen=True)
class WriteQuestions(Step[WriteTask, PartFile]):
    """Write a part of the questions, with texts and splits."""

    name = "cloze/write"
    noun = "questions"
    unit = "parts"

    def make(self, artefact: Artefact, task: WriteTask) -> PartFile:
        """Write the part."""

        def tables() -> Iterator[pa.Table]:
            ids = [rows["question_id"].combine_chunks() for rows in read_rows([checked(task.drafts)], ["question_id"])]
            drafted = pa.concat_arrays([pa.array([], pa.string()), *ids])

            def mine(rows: pa.Table) -> pa.ChunkedArray:
                return pc.is_in(rows["question_id"], drafted)

            splits = RowsByKey((task.splits,), SPLITS.names, "question_id", digits=ARTICLE_DIGITS, keep=mine)
            pairs = RowsByKey(task.pairs, PAIR_COLUMNS, "pair_id", digits=ARTICLE_DIGITS)
            for article, rows in RowsByKey((task.drafts,), DRAFTS.names, "question_id", digits=ARTICLE_DIGITS):
                split = {(row["question_id"], row["kind"]): row["split"] for row in splits.of(article)}
                texts = {pair["pair_id"]: pair for pair in pairs.of(article)}
                yield pa.Table.from_pylist(
                    [_question(row, texts[row["pair_id"]], split) for row in rows], QUESTIONS.schema()
                )

        return write_part(artefact, QUESTIONS.schema(), tables(), sort_keys=QUESTIONS.key)


def _question(row: Row, pair: Row, split: Mapping[tuple[str, str], str]) -> Row:
    is_question = row["reason"] is None
    question = article = options = label = None
    if is_question:
        place = pair["summary_starts"][row["token"]], pair["summary_ends"][row["token"]]
        question, article = gapped(pair["summary"], *place, row["answer"]), pair["passage"]
        options, label = row["options"], row["label"]
    return {
        **{name: row[name] for name in row if name in QUESTIONS.schema().names},
        "article": article,
        "question": question,
        "options": options,
        "label": label,
        "split": split.get((row["question_id"], row["kind"])),
        "kept": is_question,
    }
