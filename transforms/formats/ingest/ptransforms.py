"""Beam glue of ingestion.

    IngestFiles       PCollection[(name, Unit)] -> PCollection[Ingested]
    SettleDuplicates  PCollection[Ingested] -> PCollection[AnnotateTask], with the duplicates
    KeepAcceptable    PCollection[T] -> PCollection[T], empty if the input is not good enough
    ListRows          PCollection[receipt with rejects and inputs] -> PCollection[(table, File)]

Counters (namespace `ingest`): records, documents, rejects.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import apache_beam as beam
from apache_beam.metrics import Metrics

from schemas.corpus.inputs import INPUTS
from schemas.rejects import REJECTS
from transforms.common.store.artefacts import Workspace
from transforms.common.store.batches import BatchReader
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.common.store.receipts import File
from transforms.formats.ingest.duplicates import AnnotateTask, Decision, RecordOccurrence, decide
from transforms.formats.ingest.stage import INGEST, Ingested, IngestOptions, Unit, YearChecks, acceptable, lacking
from transforms.formats.ingest.staging import StageFile

__all__ = ["IngestFiles", "KeepAcceptable", "ListRows", "SettleDuplicates"]

T = TypeVar("T")


class _Count(beam.DoFn):
    def __init__(self) -> None:
        self._counters = [Metrics.counter("ingest", name) for name in _COUNTED]

    def process(self, element: tuple[str, Ingested]) -> Iterator[Ingested]:
        for counter, name in zip(self._counters, _COUNTED, strict=True):
            counter.inc(element[1].counts[name])
        yield element[1]


_COUNTED = ("records", "documents", "rejects")


def _size(task: tuple[str, Unit]) -> float:
    return task[1].size


@dataclass
class IngestFiles(beam.PTransform):
    """Take in units of files, each as one element."""

    workspace: Workspace
    options: IngestOptions
    lanes: int

    def expand(self, units: beam.PCollection[tuple[str, Unit]]) -> beam.PCollection[Ingested]:
        """Apply the transform."""
        return (
            units
            | "SpreadUnits"
            >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage=INGEST.name)
            | "IngestUnit" >> beam.ParDo(MakeArtefact(self.workspace, INGEST, self.options))
            | "CountRecords" >> beam.ParDo(_Count())
        )


def _name(stage: StageFile) -> str:
    return stage.records.path.rpartition("/")[2]


def _files(element: Ingested) -> Iterator[tuple[str, StageFile]]:
    for stage in element.stages:
        yield _name(stage), stage


# The fields of a `RecordOccurrence`. There is one for each record: plain tuples take a third of what named ones do.
_Occurrence = tuple[str, int, str, str, int]


def _occurrences(element: Ingested) -> Iterator[tuple[str, _Occurrence]]:
    with BatchReader() as reader:
        for number, stage in enumerate(element.stages):
            columns = reader.read(element.keys, number).to_pydict().values()
            for key, source, ordinal, position, place in zip(*columns, strict=True):
                yield key, (source, ordinal, position, _name(stage), place)


def _decide(element: tuple[str, Iterable[_Occurrence]], mode: str) -> Iterator[tuple[str, Decision]]:
    for decision in decide((RecordOccurrence(*row) for row in element[1]), mode):
        yield decision.file, decision


def _join(element: tuple[str, dict[str, Iterable[Any]]]) -> Iterator[AnnotateTask]:
    _, joined = element
    for stage in joined["files"]:
        yield AnnotateTask(stage, tuple(sorted(joined["decisions"])))


@dataclass
class SettleDuplicates(beam.PTransform):
    """Decide on records with equal keys; `mode` is one of `DUPLICATES`."""

    mode: str

    def expand(self, receipts: beam.PCollection[Ingested]) -> beam.PCollection[AnnotateTask]:
        """Apply the transform."""
        decisions = (
            receipts
            | "ListOccurrences" >> beam.FlatMap(_occurrences)
            | "GroupByKey" >> beam.GroupByKey()
            | "DecideOnDuplicates" >> beam.FlatMap(_decide, self.mode)
        )
        stage = receipts | "ListStageFiles" >> beam.FlatMap(_files)
        return (
            {"files": stage, "decisions": decisions}
            | "JoinByFile" >> beam.CoGroupByKey()
            | "MakeTasks" >> beam.FlatMap(_join)
        )


_Counts = tuple[int, int, frozenset[int]]  # records, rejects, years


def _counts(element: Ingested) -> _Counts:
    return element.counts["records"], element.counts["rejects"], frozenset(element.years)


def _union(years: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*years)


def _gate(element: Any, share: float, year_checks: YearChecks, counts: _Counts) -> Iterator[Any]:
    records, rejected, years = counts
    if acceptable(records, rejected, share) and not lacking(years, year_checks):
        yield element


@dataclass
class KeepAcceptable(beam.PTransform):
    """Let elements pass only if few enough of the records in `receipts` were rejected.

    Their documents must also have the years that other sections of the run need. So a hopeless
    corpus fails before the long work of annotation; the driver says why.
    """

    receipts: beam.PCollection
    share: float
    year_checks: YearChecks = field(default_factory=dict)

    def expand(self, elements: beam.PCollection[T]) -> beam.PCollection[T]:
        """Apply the transform."""
        counts = (
            self.receipts
            | "CountRecords" >> beam.Map(_counts)
            | "SumRecords" >> beam.CombineGlobally(beam.combiners.TupleCombineFn(sum, sum, _union))
        )
        return elements | "Gate" >> beam.FlatMap(
            _gate, self.share, self.year_checks, counts=beam.pvalue.AsSingleton(counts)
        )


def _rows(element: Any) -> Iterator[tuple[str, File]]:
    for table, file in ((REJECTS, element.rejects), (INPUTS, element.inputs)):
        if file is not None:
            yield table.name, file


@dataclass
class ListRows(beam.PTransform):
    """Name the staged rejects and rows of `corpus/inputs` of receipts, which have fields `rejects` and `inputs`."""

    def expand(self, receipts: beam.PCollection[Any]) -> beam.PCollection[tuple[str, File]]:
        """Apply the transform."""
        return receipts | "ListFiles" >> beam.FlatMap(_rows)
