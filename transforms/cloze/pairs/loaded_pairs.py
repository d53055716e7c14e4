"""Pairs loaded: of files and parts of corpora as staged rows; then equal ones joined, texts annotated, targets found.

A record that gives no pair is a reject. The pairs of an article lie side by side. Memory is that of a batch for each
run, and of the pairs that are annotated at a time.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lexbeam.schemas.cloze import PAIR_INPUTS, PAIR_REJECTS, PAIRS
from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.cloze.pairs.pair import (
    TEXTS,
    LengthOptions,
    RawPair,
    Row,
    annotate_pairs,
    give_places,
    join_rows,
    pair_row,
)
from lexbeam.transforms.cloze.pairs.pair_layouts import LAYOUTS, CutOptions, PairEntry, ReadOptions, corpus_pairs
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.ingest.staged_records import RejectStage
from lexbeam.transforms.formats.records.base import Reject, Source
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.intake.intake_staging import (
    Given,
    ReadFiles,
    ReadPart,
    RejectRule,
    RowSchema,
    Staging,
    rejected,
)
from lexbeam.transforms.intake.settling import Counts, SettleRows, grouped_rows

_TARGET = pa.struct(
    [
        ("kind", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("form", pa.string()),
        ("options", pa.list_(pa.string())),
        ("label", pa.int32()),
    ]
)
ANNOTATION = {
    "forms": pa.list_(pa.string()),
    "lemmas": pa.list_(pa.string()),
    "upos": pa.list_(pa.string()),
    "starts": pa.list_(pa.int32()),
    "ends": pa.list_(pa.int32()),
    "sentences": pa.list_(pa.int32()),
}
_COLUMNS = pa.schema(
    [
        ("key", pa.string()),
        ("article_id", pa.string()),
        ("source", pa.string()),
        ("number", pa.int64()),
        ("position", pa.string()),
        ("language", pa.string()),
        ("genre", pa.string()),
        ("source_id", pa.string()),
        ("summary", pa.string()),
        ("passage", pa.string()),
        ("flags", pa.list_(pa.string())),
        ("target", _TARGET),
        # Of pairs that come annotated.
        *((f"summary_{name}", kind) for name, kind in ANNOTATION.items()),
        *((f"passage_{name}", kind) for name, kind in ANNOTATION.items()),
    ]
)
# Bytes of a row besides its texts; of a token with its annotation.
_OVERHEAD, _TOKEN = 500, 60


def _size(row: Mapping[str, Any]) -> int:
    return _OVERHEAD + len(row["summary"]) + len(row["passage"]) + _TOKEN * len(row.get("passage_forms") or ())


ROWS = RowSchema(_COLUMNS, ("key", "source", "number", "position"), _size)


RULE = RejectRule("records")


def _given(source: str, entry: PairEntry, number: int = 0) -> Given[RawPair]:
    if isinstance(entry, Reject):
        return rejected(source, entry)
    return Given(source, entry.position, entry, number)


def _row(given: Given[RawPair], pair: RawPair, lengths: LengthOptions, engine_language: str | None = None) -> Row:
    check_script(f"{pair.passage}\n{pair.summary}", engine_language)
    return {**pair_row(pair, lengths), "source": given.source, "number": given.number}


@dataclass(frozen=True, kw_only=True)
class ReadPairs(ReadFiles[RawPair]):
    """Read files as pairs: how, and how long texts may be."""

    how: ReadOptions
    lengths: LengthOptions

    name = "cloze/read"
    schema, reject_stage, tidies = ROWS, "pairs", True

    def given(
        self, staging: Staging, file: InputFile, reading: FileReading, notes: Counter[str]
    ) -> Iterator[Given[RawPair]]:
        """Yield the pairs of a file."""
        layout = LAYOUTS[self.how.layout]
        how = self.how if layout.format is None else replace(self.how, format=layout.format)
        assert layout.read is not None  # `ReadCorpusPairs` reads folders
        entries = staging.remembered(layout.read(Source(file.name, reading.open, file.path), how))
        for number, (source, entry) in enumerate(entries):
            yield _given(source, entry, number)

    def rows(self, given: Given[RawPair], record: RawPair) -> list[Row]:
        """Return the row of a pair."""
        return [_row(given, record, self.lengths, self.how.engine_language)]

    def chosen(self, task: Unit) -> dict[str, tuple[str, ...]]:
        """Return the layout, and what reads its files."""
        layout = self.how.layout
        chosen: dict[str, tuple[str, ...]] = {"lexbeam.transforms.cloze.pairs.pair_layouts:LAYOUTS": (layout,)}
        if (format := LAYOUTS[layout].format) is not None:
            chosen["lexbeam.transforms.formats.readers.registry:READERS"] = (format,)
        return chosen


@dataclass(frozen=True, kw_only=True)
class ReadCorpusPairs(ReadPart[PartPair, RawPair]):
    """Cut the documents of a corpus into pairs, with their annotation."""

    cut: CutOptions
    lengths: LengthOptions
    language: str | None = None
    genre: str | None = None

    name = "cloze/read-corpus"
    schema, reject_stage, tidies = ROWS, "pairs", True

    def name_of(self, task: PartPair) -> str:
        """Return its content's digest: parts of corpora have the same names."""
        return task.documents.sha256

    def given(self, staging: Staging, task: PartPair) -> Iterator[Given[RawPair]]:
        """Yield the documents of a part; their places in it mean nothing."""
        return itertools.starmap(_given, corpus_pairs(task, self.cut, self.language, self.genre))

    def rows(self, given: Given[RawPair], record: RawPair) -> list[Row]:
        """Return the row of a pair."""
        return [_row(given, record, self.lengths)]


@dataclass(frozen=True, kw_only=True)
class SettlePairs(SettleRows[MergeTask]):
    """Join equal pairs, annotate their texts, and find their targets."""

    name = "cloze/settle"
    noun = "pairs"
    tables = (PAIRS,)
    rejects = PAIR_REJECTS
    inputs = PAIR_INPUTS
    at_once = 64

    def merged(self, task: MergeTask, counts: Counts, rejects: RejectStage) -> Iterator[Row]:
        """Yield pairs in the order of their ids; count passages that differ."""
        article = ""
        for _, rows in grouped_rows(task, ROWS):
            pair = join_rows(rows)
            counts["amounts"]["articles"] += pair["article_id"] != article
            article = pair["article_id"]
            yield pair

    def dealt(self, rows: Iterable[Row]) -> Iterator[list[Row]]:
        """Yield pairs as they are annotated together, by their code points."""
        return batched(
            rows, self.at_once, size=lambda pair: sum(len(pair[name]) for name in TEXTS), largest=_CHARACTERS
        )

    def finish(self, rows: list[Row], engine: Engine | None) -> None:
        """Annotate pairs, and find their targets."""
        annotate_pairs(rows, engine)
        for pair in rows:
            give_places(pair)

    def count(self, row: Row, counts: Counts) -> None:
        """Count flags, languages (empty: none), targets by kind, those found, records that joined a pair, tokens."""
        counts["flags"].update(row["flags"])
        counts["languages"][row["language"] or ""] += 1
        for target in row["targets"]:
            counts["targets"][target["kind"]] += 1
            counts["found"][target["kind"]] += target["token"] is not None
        counts["amounts"]["repeated"] += row["rows"] - 1
        for name in TEXTS:
            counts["amounts"][f"{name}_tokens"] += len(row[f"{name}_forms"])


_CHARACTERS = 1 << 19  # of pairs that are annotated at a time
