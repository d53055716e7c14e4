"""Beam glue of ingestion.

    IngestFiles       PCollection[Unit] -> PCollection[receipt, see ingest_unit]
    SettleDuplicates  PCollection[receipt] -> PCollection[StageTask], with what is left out
    KeepAcceptable    PCollection[T] -> PCollection[T], empty if too many records were rejected
    StagedRejects     PCollection[receipt] -> PCollection[((table, bucket), Staged)]

Counters (namespace `ingest`): records, documents, rejects.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.metrics import Metrics

from transforms.common.artefacts import Workspace
from transforms.common.batches import BatchReader
from transforms.common.merge import Staged
from transforms.common.ptransforms import SpreadOverLanes
from transforms.formats.duplicates import Decision, Occurrence, decide
from transforms.formats.ingest import (
    IngestOptions,
    Unit,
    acceptable,
    ingest_unit,
)
from transforms.formats.staging import StageFile

__all__ = ["IngestFiles", "KeepAcceptable", "SettleDuplicates", "StageTask", "StagedRejects"]


class StageTask(NamedTuple):
    """A staging file with the decisions on its records that are not the first with their key."""

    characters: int
    path: str
    ready: str
    decisions: tuple[Decision, ...]


class _Ingest(beam.DoFn):
    def __init__(self, workspace: Workspace, options: IngestOptions) -> None:
        self._workspace = workspace
        self._options = options
        self._counters = [Metrics.counter("ingest", name) for name in _COUNTED]

    def process(self, element: Unit) -> Iterator[dict[str, Any]]:
        receipt = ingest_unit(self._workspace, element, self._options)
        for row in receipt["inputs"]:
            for counter, number in zip(self._counters, row[3:], strict=True):
                counter.inc(number)
        yield receipt


_COUNTED = ("records", "documents", "rejects")


def _size(unit: Unit) -> float:
    return unit.size


@dataclass
class IngestFiles(beam.PTransform):
    """Take in units of files, each as one element."""

    workspace: Workspace
    options: IngestOptions
    lanes: int

    def expand(self, units: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            units
            | "SpreadUnits"
            >> SpreadOverLanes(
                weight=_size, lanes=self.lanes, workspace=self.workspace, stage="ingest"
            )
            | "IngestUnit" >> beam.ParDo(_Ingest(self.workspace, self.options))
        )


class _Files(beam.DoFn):
    def process(self, element: dict[str, Any]) -> Iterator[tuple[str, StageFile]]:
        for row in element["files"]:
            yield row[0], StageFile(*row)


class _Occurrences(beam.DoFn):
    def process(self, element: dict[str, Any]) -> Iterator[tuple[str, Occurrence]]:
        with BatchReader() as reader:
            for number, (path, *_) in enumerate(element["files"]):
                columns = reader.read(element["keys"], number).to_pydict().values()
                for key, source, ordinal, position, place in zip(*columns, strict=True):
                    yield key, Occurrence(source, ordinal, position, path, place)


class _Decide(beam.DoFn):
    def __init__(self, mode: str) -> None:
        self._mode = mode

    def process(self, element: tuple[str, Iterable[Occurrence]]) -> Iterator[tuple[str, Decision]]:
        for decision in decide(element[1], self._mode):
            yield decision.path, decision


class _Join(beam.DoFn):
    def process(self, element: tuple[str, dict[str, Iterable[Any]]]) -> Iterator[StageTask]:
        _, found = element
        for file in found["files"]:
            yield StageTask(
                file.characters, file.path, file.ready, tuple(sorted(found["decisions"]))
            )


@dataclass
class SettleDuplicates(beam.PTransform):
    """Decide on records with equal keys; `mode` is one of `DUPLICATES`."""

    mode: str

    def expand(self, receipts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        decisions = (
            receipts
            | "ListOccurrences" >> beam.ParDo(_Occurrences())
            | "GroupByKey" >> beam.GroupByKey()
            | "DecideOnDuplicates" >> beam.ParDo(_Decide(self.mode))
        )
        stage = receipts | "ListStageFiles" >> beam.ParDo(_Files())
        return (
            {"files": stage, "decisions": decisions}
            | "JoinByFile" >> beam.CoGroupByKey()
            | "MakeTasks" >> beam.ParDo(_Join())
        )


class _Shares(beam.DoFn):
    def process(self, element: dict[str, Any]) -> Iterator[tuple[int, int]]:
        yield sum(row[3] for row in element["inputs"]), sum(element["reasons"].values())


class _Gate(beam.DoFn):
    def __init__(self, share: float) -> None:
        self._share = share

    def process(self, element: Any, counts: tuple[int, int]) -> Iterator[Any]:
        if acceptable(*counts, self._share):
            yield element


@dataclass
class KeepAcceptable(beam.PTransform):
    """Let elements pass only if few enough of the records in `receipts` were rejected.

    So a hopeless corpus fails before the long work of annotation; the driver says why.
    """

    receipts: beam.PCollection
    share: float

    def expand(self, elements: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        counts = (
            self.receipts
            | "CountRecords" >> beam.ParDo(_Shares())
            | "SumRecords" >> beam.CombineGlobally(beam.combiners.TupleCombineFn(sum, sum))
        )
        return elements | "Gate" >> beam.ParDo(
            _Gate(self.share), counts=beam.pvalue.AsSingleton(counts)
        )


class _Rejects(beam.DoFn):
    def process(self, element: dict[str, Any]) -> Iterator[tuple[tuple[str, int], Staged]]:
        rejects = element["rejects"]
        for bucket, ordinal in rejects["ordinals"]:
            yield ("rejects", bucket), Staged(("", 0), rejects["path"], ordinal)


@dataclass
class StagedRejects(beam.PTransform):
    """Name the staged batches of rejects that receipts hold, by table and bucket."""

    def expand(self, receipts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return receipts | "ListRejects" >> beam.ParDo(_Rejects())
