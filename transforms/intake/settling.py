"""Staged rows merged: the rows of a key put together by a task's rule, annotated, written as parts of its tables.

Parts have ranges of keys, so that they follow each other in the order of keys. Memory is that of a batch for each
sorted run, however long the part: the rows of a second table wait on disk until the first one is written.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_sentences
from lexbeam.transforms.annotation.engines.known_engines import chosen_entries, load_engine
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import Sentence, SideRows
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.identity import Fingerprinted
from lexbeam.transforms.common.store.staged import Gather, MergeTask, entries
from lexbeam.transforms.common.store.tables import PartFile, Row, write_rows
from lexbeam.transforms.formats.ingest.intake_tables import MergeListed
from lexbeam.transforms.formats.ingest.staged_records import RejectStage
from lexbeam.transforms.intake.intake_staging import RowSchema

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TextAnnotationOptions:
    """What decides how texts are annotated.

    Attributes:
        engine: its specification; empty for none, or if texts come annotated.
        fingerprint: identifies engine and model.
    """

    engine: Fingerprinted = ""
    fingerprint: str = ""
    layers: tuple[str, ...] = ()

    def load(self) -> Engine | None:
        """Return the loaded engine; None without one."""
        if not self.engine:
            return None
        return load_engine(self.engine, layers=self.layers, fingerprint=self.fingerprint)

    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Return the entries of registries that count, see `Step`."""
        return {**chosen_entries(self.engine), "lexbeam.transforms.formats.records.layers:LAYERS": self.layers}


Counts = defaultdict[str, Counter[str]]  # by what is counted, how many there are of each kind


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Receipt of a part.

    Attributes:
        tables: the part of each table, by name.
        counts: for the summary: by what is counted, how many there are of each kind.
        rejects: the staged rejects of this step; None without any.
    """

    tables: dict[str, PartFile]
    counts: dict[str, dict[str, int]]
    rejects: Staged | None = None


def sum_settled(parts: Iterable[Settled]) -> Counts:
    """Return the sums of what the receipts of parts count."""
    summed: Counts = defaultdict(Counter)
    for part in parts:
        for name, counts in part.counts.items():
            summed[name].update(counts)
    return summed


@dataclass(frozen=True, kw_only=True)
class SettleRows(Step[T, Settled]):
    """Put the staged rows of a part together by a task's rule, annotate them, and write its tables.

    Attributes:
        rejects: the table of rejects; it has one part.
        at_once: rows that are annotated at a time.
    """

    annotate: TextAnnotationOptions = field(default_factory=TextAnnotationOptions)

    unit = "parts"
    tables: ClassVar[tuple[Table, ...]]
    rejects: ClassVar[Table]
    inputs: ClassVar[Table]
    at_once: ClassVar[int] = 256

    @classmethod
    def merging(cls) -> tuple[MergeListed, MergeListed]:
        """Return the steps that merge rejects and input files."""
        section = cls.name.partition("/")[0]
        return MergeListed(section, cls.rejects, False, one_part=True), MergeListed(section, cls.inputs, True)

    @classmethod
    def gather(cls) -> Gather:
        """Return the step that gathers staged files, where there are many."""
        return Gather(cls.name.partition("/")[0])

    @classmethod
    def steps(cls) -> tuple[Any, ...]:
        """Return all steps that make the tables of the task."""
        return cls, *cls.merging(), cls.gather()

    def merged(self, task: T, counts: Counts, rejects: RejectStage) -> Iterator[Row]:
        """Yield the rows of the first table in their order, not annotated yet."""
        raise NotImplementedError

    def dealt(self, rows: Iterable[Row]) -> Iterator[list[Row]]:
        """Yield rows as they are annotated together."""
        return batched(rows, self.at_once)

    def finish(self, rows: list[Row], engine: Engine | None) -> None:
        """Annotate rows."""
        raise NotImplementedError

    def count(self, row: Row, counts: Counts) -> None:
        """Count a row that is finished."""
        raise NotImplementedError

    def tables_of(self, task: T) -> tuple[Table, ...]:
        """Return the tables of a part."""
        return self.tables

    def beside(self, row: Row) -> Iterator[Row]:
        """Yield the rows of the second table, if there is one, that belong to a row of the first."""
        raise NotImplementedError

    def left(self, task: T, counts: Counts) -> Iterable[RejectRow]:
        """Return the rejects that show when all rows are merged."""
        return ()

    def make(self, artefact: Artefact, task: T) -> Settled:
        """Write the parts of the tables."""
        engine, tables = self.annotate.load(), self.tables_of(task)
        counts: Counts = defaultdict(Counter)

        def batches() -> Iterator[list[list[Row]]]:
            with one_thread():
                for rows in self.dealt(self.merged(task, counts, rejects)):
                    self.finish(rows, engine)
                    for row in rows:
                        self.count(row, counts)
                    yield [rows, *([found for row in rows for found in self.beside(row)] for _ in tables[1:])]

        with RejectStage(artefact, one_part=True) as rejects:
            written = write_tables(artefact, tables, batches())
            for reject in self.left(task, counts):
                rejects.add(reject)
        counts["rejects"] = rejects.reasons
        return Settled(
            tables=written,
            counts={name: dict(sorted(of.items())) for name, of in sorted(counts.items()) if of},
            rejects=rejects.staged(),
        )


def grouped_rows(task: MergeTask, schema: RowSchema) -> Iterator[tuple[str, Iterator[Row]]]:
    """Yield the keys of a part, in order, with their rows in the order of the schema."""
    with entries(task.staged, task.parts, task.bucket) as found:
        yield from groupby((row for some in found for row in some.rows.to_pylist()), key=itemgetter(schema.order[0]))


def sentences_of(rows: Iterable[Mapping[str, Any]], engine: Engine | None) -> dict[str, Sentence]:
    """Return the annotation of the sentences in rows, by sentence; each is annotated once."""
    texts = list(dict.fromkeys(row["sentence"] for row in rows if row["sentence"] is not None))
    return dict(zip(texts, annotate_sentences(texts, engine), strict=True))


def write_tables(
    artefact: Artefact, tables: Sequence[Table], batches: Iterable[Sequence[Sequence[Mapping[str, Any]]]]
) -> dict[str, PartFile]:
    """Write a part of each table.

    Args:
        batches: rows of each table, in their order; row groups end between batches.
    """
    first, *others = tables

    def rows_of(beside: Sequence[SideRows]) -> Iterator[pa.Table]:
        for rows, *more in batches:
            for held, more_rows in zip(beside, more, strict=True):
                held.add(more_rows)
            yield pa.Table.from_pylist(rows, schema=first.schema())

    written = {}
    with ExitStack() as stack:
        beside = [stack.enter_context(SideRows(table.schema())) for table in others]
        sources = [rows_of(beside), *(held.batches() for held in beside)]
        for table, rows in zip(tables, sources, strict=True):
            suffix = ".parquet" if table is first else f"-{table.name.rpartition('/')[2]}.parquet"
            with artefact.writing(suffix) as stream:
                count = write_rows(stream, table.schema(), rows, sort_keys=table.key)
            written[table.name] = PartFile(artefact.file(suffix), count)
    return written
