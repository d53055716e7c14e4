"""Beam glue of annotation.

    AnnotateDocuments  PCollection[AnnotateTask] -> PCollection[Annotated]
    ListStaged         PCollection[Annotated] -> PCollection[(table, Staged)]
    SumCounts          PCollection[Ingested or Annotated] -> one IntakeCounts

Counters (namespace `annotate`): documents, sentences, tokens, characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import apache_beam as beam

from lexbeam.transforms.annotation.annotate import (
    ANNOTATE,
    Annotated,
    AnnotateOptions,
    IntakeCounts,
    counts_of,
    sum_counts,
    with_landed,
)
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from lexbeam.transforms.formats.ingest.ingestion import Ingested
from lexbeam.transforms.formats.ingest.staged_records import AnnotateTask


def _characters(task: tuple[str, AnnotateTask]) -> float:
    return task[1].stage.characters


def _keyed(task: AnnotateTask) -> tuple[str, AnnotateTask]:
    return task.stage.records.sha256, task


@dataclass
class AnnotateDocuments(beam.PTransform):
    """Annotate staging files, each as one element, balanced over workers by length."""

    workspace: Workspace
    options: AnnotateOptions
    lanes: int

    def expand(self, tasks: beam.PCollection[AnnotateTask]) -> beam.PCollection[Annotated]:
        """Apply the transform."""
        return (
            tasks
            | "KeyByContent" >> beam.Map(_keyed)
            | "SpreadTasks"
            >> SpreadOverLanes(weight=_characters, lanes=self.lanes, workspace=self.workspace, stage=ANNOTATE.name)
            | "AnnotateFile"
            >> beam.ParDo(MakeArtefact(self.workspace, ANNOTATE, with_landed(self.workspace, self.options)))
            | "Receipts" >> beam.Values()
        )


def _staged(element: Annotated) -> Iterator[tuple[str, Staged]]:
    yield "documents", element.documents
    yield "sentences", element.sentences


@dataclass
class ListStaged(beam.PTransform):
    """Name the staged documents and sentences of receipts."""

    def expand(self, receipts: beam.PCollection[Annotated]) -> beam.PCollection[tuple[str, Staged]]:
        """Apply the transform."""
        return receipts | "ListFiles" >> beam.FlatMap(_staged)


class SumCounts(beam.PTransform):
    """Sum what receipts of ingestion and of annotation count, as a tree: workers sum what they have made."""

    def expand(self, receipts: beam.PCollection[Ingested | Annotated]) -> beam.PCollection[IntakeCounts]:
        """Apply the transform."""
        return receipts | "CountsOf" >> beam.Map(counts_of) | "Sum" >> beam.CombineGlobally(sum_counts)
