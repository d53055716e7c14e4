"""Staged rows merged: the rows of a key put together by a task's rule, annotated, written as parts of its tables.

Parts have ranges of keys, so that they follow each other in the order of keys. Memory is that of a batch for each
sorted run, however long the part: the rows of a second table wait on disk until the first one is written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_sentences
from lexbeam.transforms.annotation.engines.known_engines import chosen_entries, load_engine
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import SideRows
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.identity import Fingerprinted
from lexbeam.transforms.common.store.staged import Gathered, GatherTask, MergeTask, entries, gather_stage
from lexbeam.transforms.common.store.tables import PartFile, Row, write_rows
from lexbeam.transforms.formats.ingest.intake_tables import merge_inputs, merge_rejects
from lexbeam.transforms.intake.intake_staging import RowSchema


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


class TaskStages(NamedTuple):
    """The stages that make the tables of a task from loaded rows.

    Attributes:
        settle: makes a part of the tables of rows.
        rejects: the table of rejects, and the stage that makes it; it has one part.
        inputs: the table of input files, and the stage that makes its parts; None where tables are read.
        gather: gathers staged files, where there are many.
    """

    settle: Stage[Any, Any, Any]
    rejects: tuple[Table, Stage[MergeTask, Table, PartFile]]
    inputs: tuple[Table, Stage[MergeTask, Table, PartFile]] | None
    gather: Stage[GatherTask, None, Gathered]

    @classmethod
    def of(cls, settle: Stage[Any, Any, Any], rejects: Table, inputs: Table) -> "TaskStages":
        """Return the stages of the task of a stage that settles, with its tables."""
        section = settle.name.partition("/")[0]
        merging: list[Stage[MergeTask, Table, PartFile]] = [
            Stage(name=f"{section}/merge-{name}", noun="tables", receipt=PartFile, build=build, unit=unit)
            for name, build, unit in (("rejects", merge_rejects, "tables"), ("inputs", merge_inputs, "parts"))
        ]
        return cls(settle, (rejects, merging[0]), (inputs, merging[1]), gather_stage(section))

    def all(self) -> tuple[Stage[Any, Any, Any], ...]:
        """Return the stages."""
        return self.settle, self.rejects[1], *([self.inputs[1]] if self.inputs else []), self.gather


def grouped_rows(task: MergeTask, schema: RowSchema) -> Iterator[tuple[str, Iterator[Row]]]:
    """Yield the keys of a part, in order, with their rows in the order of the schema."""
    with entries(task.staged, task.parts, task.bucket) as found:
        yield from groupby((row for some in found for row in some.rows.to_pylist()), key=itemgetter(schema.order[0]))


def engine_of(options: TextAnnotationOptions) -> Engine | None:
    """Return the loaded engine; None without one."""
    if not options.engine:
        return None
    return load_engine(options.engine, layers=options.layers, fingerprint=options.fingerprint)


def chosen_engine(_: object, options: TextAnnotationOptions) -> dict[str, tuple[str, ...]]:
    """Return the entries of registries that count, see `Stage`."""
    return {**chosen_entries(options.engine), "lexbeam.transforms.formats.records.layers:LAYERS": options.layers}


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
