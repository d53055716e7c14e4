"""Staged rows merged: the rows of a key put together by a task's rule, annotated, written as parts of its tables.

Part `bucket` of `parts` holds the keys of its range, so that the parts follow each other in the order of keys.
Memory is that of a batch for each run, however long the part: the rows of a second table wait on disk until the
first one is written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.columns import Table
from schemas.rejects import RejectRow
from transforms.annotation.engines.registry import Engine, load_engine
from transforms.annotation.engines.texts import annotate_sentences
from transforms.common.records import Sentence
from transforms.common.store.artefacts import Artefact
from transforms.common.store.batches import BatchReader, SideRows
from transforms.common.store.classes import Staged
from transforms.common.store.identity import Fingerprinted
from transforms.common.store.parts import parts_for
from transforms.common.store.runs import SortedRows, rows_of_part
from transforms.common.store.tables import PartFile, write_rows
from transforms.formats.ingest.merges import list_rejects
from transforms.intake.staging import Loaded, RowSchema

__all__ = [
    "PartTask",
    "RejectTask",
    "Settled",
    "TextAnnotationOptions",
    "chosen_engine",
    "engine_of",
    "grouped_rows",
    "part_tasks",
    "rejects_of",
    "sentences_of",
    "write_rejects",
    "write_tables",
]


class PartTask(NamedTuple):
    """The rows that become part `bucket` of `parts`."""

    bucket: int
    parts: int
    loaded: tuple[SortedRows, ...]


@dataclass(frozen=True, kw_only=True)
class TextAnnotationOptions:
    """What decides how texts are annotated.

    Attributes:
        engine: its specification; empty for none, or if texts come annotated.
        fingerprint: identifies engine and model.
        layers: the layers to add.
    """

    engine: Fingerprinted = ""
    fingerprint: str = ""
    layers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Receipt of a part, to which a task adds its counts.

    Attributes:
        tables: the part of each table, by name.
        rejects: the staged rejects of this stage; None without any.
    """

    tables: dict[str, PartFile]
    rejects: Staged | None = None


class RejectTask(NamedTuple):
    """The rejects of a table: staged ones, and others."""

    staged: tuple[Staged, ...]
    rows: tuple[RejectRow, ...] = ()


def part_tasks(loaded: Iterable[Loaded], parts: int) -> list[PartTask]:
    """Return the task of each part: all loaded rows, in the order of the files' names.

    With 0 `parts` there are as many as the number of rows asks for.
    """
    loaded = list(loaded)
    parts = parts or parts_for(sum(receipt.count for receipt in loaded))
    rows = tuple(receipt.rows for receipt in sorted(loaded, key=lambda receipt: receipt.name))
    return [PartTask(bucket, parts, rows) for bucket in range(parts)]


def rejects_of(loaded: Sequence[Loaded], settled: Sequence[Settled]) -> RejectTask:
    """Return the task of the table of rejects."""
    staged = (*(receipt.rejects for receipt in loaded), *(receipt.rejects for receipt in settled))
    return RejectTask(tuple(file for file in staged if file is not None))


def write_rejects(artefact: Artefact, task: RejectTask, table: Table) -> PartFile:
    """Write all rejects as the one part of their table."""
    return list_rejects(artefact, table, task.staged, task.rows)


def grouped_rows(
    reader: BatchReader, task: PartTask, schema: RowSchema
) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """Yield the keys of a part, in order, with their rows; ties are in the order of the files' names."""
    runs = [(staged.rows, run) for staged in task.loaded for run in staged.runs]
    merged = rows_of_part(runs, reader, schema.order, task.bucket, task.parts)
    return groupby(merged, key=itemgetter(schema.order[0]))


def engine_of(options: TextAnnotationOptions) -> Engine | None:
    """Return the loaded engine; None without one."""
    return load_engine(options.engine, layers=options.layers) if options.engine else None


def chosen_engine(_: object, options: TextAnnotationOptions) -> dict[str, tuple[str, ...]]:
    """Return the entries of registries that count, see `Stage`."""
    kind = options.engine.partition(":")[0]
    return {
        "transforms.annotation.engines.registry:ENGINES": (kind,) if kind else (),
        "transforms.layers.registry:LAYERS": options.layers,
    }


def sentences_of(rows: Iterable[Mapping[str, Any]], engine: Engine | None) -> dict[str, Sentence]:
    """Return the annotation of the sentences in rows, by sentence; each is annotated once."""
    texts = list(dict.fromkeys(row["sentence"] for row in rows if row["sentence"] is not None))
    return dict(zip(texts, annotate_sentences(texts, engine), strict=True))


def write_tables(
    artefact: Artefact, tables: Sequence[Table], batches: Iterable[Sequence[Sequence[Mapping[str, Any]]]]
) -> dict[str, PartFile]:
    """Write a part of each table.

    Args:
        artefact: what is made.
        tables: the tables.
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
