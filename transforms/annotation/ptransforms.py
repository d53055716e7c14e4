"""Beam glue of annotation.

    AnnotateDocuments  PCollection[StageTask] -> PCollection[receipt, see annotate_file]
    StagedTables       PCollection[receipt] -> PCollection[((table, bucket), Staged)]

Counters (namespace `annotate`): documents, sentences, tokens, characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from transforms.annotation.annotate import AnnotateOptions, annotate_file
from transforms.annotation.base import Engine, load_engine
from transforms.common.artefacts import Workspace
from transforms.common.merge import Staged
from transforms.common.ptransforms import SpreadOverLanes
from transforms.formats.ptransforms import StageTask

__all__ = ["AnnotateDocuments", "StagedTables"]


class _Annotate(beam.DoFn):
    def __init__(self, workspace: Workspace, options: AnnotateOptions) -> None:
        self._workspace = workspace
        self._options = options
        self._engine: Engine | None = None

    def setup(self) -> None:
        """Load the engine, once per process: the loader keeps what it has loaded."""
        if self._options.engine != "none":
            self._engine = load_engine(self._options.engine)

    def process(self, element: StageTask) -> Iterator[dict[str, Any]]:
        receipt = annotate_file(
            self._workspace,
            element.path,
            element.ready,
            element.decisions,
            self._engine,
            self._options,
        )
        for name, number in receipt["counts"].items():
            Metrics.counter("annotate", name).inc(number)
        yield receipt


def _characters(task: StageTask) -> float:
    return task.characters


@dataclass
class AnnotateDocuments(beam.PTransform):
    """Annotate staging files, each as one element, balanced over workers by their length."""

    workspace: Workspace
    options: AnnotateOptions
    lanes: int

    def expand(self, tasks: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            tasks
            | "SpreadTasks"
            >> SpreadOverLanes(
                weight=_characters, lanes=self.lanes, workspace=self.workspace, stage="annotate"
            )
            | "AnnotateFile" >> beam.ParDo(_Annotate(self.workspace, self.options))
        )


class _Staged(beam.DoFn):
    def process(self, element: dict[str, Any]) -> Iterator[tuple[tuple[str, int], Staged]]:
        for table, bucket, name, block, ordinal in element["staged"]:
            yield (table, bucket), Staged((name, block), element[table], ordinal)


@dataclass
class StagedTables(beam.PTransform):
    """Name the staged batches of documents and sentences that receipts hold."""

    def expand(self, receipts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return receipts | "ListBatches" >> beam.ParDo(_Staged())
