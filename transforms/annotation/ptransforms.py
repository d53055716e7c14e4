"""Beam glue of annotation.

    AnnotateDocuments  PCollection[AnnotateTask] -> PCollection[Annotated]
    ListStaged         PCollection[Annotated] -> PCollection[((table, bucket), StagedRun)]
    SumCounts          PCollection[Ingested or Annotated] -> one IntakeCounts

Counters (namespace `annotate`): documents, sentences, tokens, characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import apache_beam as beam
from apache_beam.metrics import Metrics

from transforms.annotation.annotate import ANNOTATE, Annotated, AnnotateOptions
from transforms.annotation.counts import IntakeCounts, counts_of, sum_counts
from transforms.common.code.fingerprints import bucket_of
from transforms.common.store.artefacts import Workspace
from transforms.common.store.merge import StagedRun
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.formats.ingest.duplicates import AnnotateTask
from transforms.formats.ingest.stage import Ingested

__all__ = ["AnnotateDocuments", "ListStaged", "SumCounts"]


def _count(element: tuple[str, Annotated]) -> Annotated:
    for name, number in element[1].counts.items():
        Metrics.counter("annotate", name).inc(number)
    return element[1]


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
            | "AnnotateFile" >> beam.ParDo(MakeArtefact(self.workspace, ANNOTATE, self.options))
            | "CountTokens" >> beam.Map(_count)
        )


def _staged(element: Annotated, parts: int) -> Iterator[tuple[tuple[str, int], StagedRun]]:
    files = {"documents": element.documents, "sentences": element.sentences}
    runs: dict[tuple[str, int], list[tuple[str, int, int]]] = {}
    for batch in element.staged:
        key = (batch.table, bucket_of(batch.document_id, parts))
        runs.setdefault(key, []).append((batch.document_id, batch.block, batch.ordinal))
    for (table, bucket), batches in runs.items():
        yield (table, bucket), StagedRun(files[table], tuple(batches))


@dataclass
class ListStaged(beam.PTransform):
    """Name the staged batches of documents and sentences, by part."""

    parts: int

    def expand(self, receipts: beam.PCollection[Annotated]) -> beam.PCollection[tuple[tuple[str, int], StagedRun]]:
        """Apply the transform."""
        return receipts | "ListBatches" >> beam.FlatMap(_staged, self.parts)


class SumCounts(beam.PTransform):
    """Sum what receipts of ingestion and of annotation count, as a tree: workers sum what they have made."""

    def expand(self, receipts: beam.PCollection[Ingested | Annotated]) -> beam.PCollection[IntakeCounts]:
        """Apply the transform."""
        return receipts | "CountsOf" >> beam.Map(counts_of) | "Sum" >> beam.CombineGlobally(sum_counts)
