"""Questions as stages: drafts of all parts split, and each part written with its texts.

SPLIT    drafts of all parts -> Split: the split of each question, and how alike splits are
WRITE    a part of drafts and of pairs, and all splits -> a part of cloze/questions
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze.questions import QUESTIONS
from lexbeam.transforms.cloze.pairs.pair import ARTICLE_DIGITS, Row
from lexbeam.transforms.cloze.questions.drafts import DRAFTS, PAIR_COLUMNS
from lexbeam.transforms.cloze.questions.question import gapped
from lexbeam.transforms.cloze.questions.splits import (
    COLUMNS,
    Distance,
    Stratum,
    distances_of,
    place_questions,
    strata_of,
)
from lexbeam.transforms.common.draws.balancing import Ints
from lexbeam.transforms.common.draws.splits import Shares, parse_shares
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, RowsByKey, read_rows, sort_rows, write_part

SPLITS = pa.schema([("question_id", pa.string()), ("kind", pa.string()), ("split", pa.string())])


class SplitRules(NamedTuple):
    """How questions are split, see `QuestionSplitOptions`; `kept`: parts of published questions that stay in splits."""

    shares: tuple[str, ...]
    tolerance: float
    score_tolerance: float
    seed: int
    kept: tuple[Part, ...] = ()


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


class WriteTask(NamedTuple):
    """A part: its drafts, the parts that have its pairs, and all splits."""

    number: int
    drafts: Part
    pairs: tuple[Part, ...]
    splits: Part


def _split(artefact: Artefact, drafts: Sequence[PartFile], rules: SplitRules) -> QuestionSplit:
    drafted = [
        rows.filter(pc.is_null(rows["reason"])).select(COLUMNS)
        for rows in read_rows([checked(draft.file) for draft in drafts], [*COLUMNS, "reason"])
    ]
    schema = pa.schema([DRAFTS.field(name) for name in COLUMNS])
    rows = sort_rows(pa.concat_tables([schema.empty_table(), *drafted]), ("question_id", "kind"))
    shares = parse_shares(rules.shares)
    placed = place_questions(rows, shares, seed=rules.seed, kept=_kept(rows, shares, rules.kept))
    names = pa.array(shares.names, pa.string()).take(pa.array(placed.split))
    table = pa.table([rows["question_id"], rows["kind"], names], schema=SPLITS)
    sizes = np.bincount(placed.group) if rows.num_rows else np.zeros(1, np.int64)
    return QuestionSplit(
        rows=write_part(artefact, SPLITS, [table], sort_keys=("question_id", "kind")),
        strata=strata_of(rows, placed.split, shares, rules.tolerance),
        distances=distances_of(rows, placed.split, shares, rules.score_tolerance),
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


def _write(artefact: Artefact, task: WriteTask, _: None) -> PartFile:
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


SPLIT: Stage[Sequence[PartFile], SplitRules, QuestionSplit] = Stage(
    name="cloze/split",
    noun="splits",
    receipt=QuestionSplit,
    build=_split,
    unordered=("task",),
    blas=True,
    unit="tables",
)
WRITE: Stage[WriteTask, None, PartFile] = Stage(
    name="cloze/write",
    noun="questions",
    receipt=PartFile,
    build=_write,
    unused={"task.number": "parts hold rows, not the number that they have"},
    unordered=("task.pairs",),
    unit="parts",
)
