"""Beam glue of candidates: parts of pairs in, parts of candidates and their counts out.

TakeThresholds   PCollection[Part] -> PCollection[(0, Thresholds)], the one of a corpus
FindCandidates   PCollection[Part] -> PCollection[Judgement], PCollection[Part]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.cloze.pairs import CANDIDATES
from transforms.cloze.filters.candidates import JUDGE, Asking, CandidateTask, Judgement
from transforms.cloze.filters.thresholds import MEASURE, SETTLE, Measured, Sampled, Thresholds
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.receipts import File
from transforms.common.store.tables import Part

__all__ = ["FindCandidates", "TakeThresholds"]


class _Number(beam.DoFn):
    def process(self, part: Part) -> Iterator[tuple[int, Part]]:
        yield part.number, part


class _File(beam.DoFn):
    def process(self, element: tuple[int, Measured]) -> Iterator[tuple[int, File]]:
        yield 0, element[1].file


class _Files(beam.DoFn):
    def process(self, element: tuple[int, Iterable[File]]) -> Iterator[tuple[int, tuple[File, ...]]]:
        yield element[0], tuple(sorted(element[1], key=_digest))


def _digest(file: File) -> str:
    return file.sha256


class _Tasks(beam.DoFn):
    def process(
        self, part: Part, thresholds: tuple[int, Thresholds] | None = None
    ) -> Iterator[tuple[int, CandidateTask]]:
        yield part.number, CandidateTask(part, None if thresholds is None else thresholds[1])


class _Receipt(beam.DoFn):
    def process(self, element: tuple[int, Judgement]) -> Iterator[Judgement]:
        yield element[1]


class _Named(beam.DoFn):
    def process(self, element: tuple[int, Judgement]) -> Iterator[Part]:
        number, made = element
        yield Part.of(CANDIDATES.name, number, made.part)


class _Second(beam.DoFn):
    def process(self, element: tuple[int, Thresholds]) -> Iterator[Thresholds]:
        yield element[1]


@dataclass
class TakeThresholds(beam.PTransform):
    """Take thresholds from random words of the corpus.

    Attributes:
        workspace: where artefacts lie.
        sampled: which word pairs, and what of them.
        quantiles: by filter.
    """

    workspace: Workspace
    sampled: Sampled
    quantiles: Mapping[str, float]

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[tuple[int, Thresholds]]:
        """Apply the transform."""
        return (
            parts
            | "Number" >> beam.ParDo(_Number())
            | "Measure" >> beam.ParDo(MakeArtefact(self.workspace, MEASURE, self.sampled))
            | "File" >> beam.ParDo(_File())
            | "GroupMeasured" >> beam.GroupByKey()
            | "AllMeasured" >> beam.ParDo(_Files())
            | "Settle" >> beam.ParDo(MakeArtefact(self.workspace, SETTLE, self.quantiles))
        )


@dataclass
class FindCandidates(beam.PTransform):
    """Ask the words of summaries; return receipts, thresholds that were taken, and parts.

    Attributes:
        workspace: where artefacts lie.
        asking: what is asked, as workers open it.
        sampled: what thresholds are taken from; None: none are.
        quantiles: by filter.
    """

    workspace: Workspace
    asking: Asking
    sampled: Sampled | None
    quantiles: Mapping[str, float]

    def expand(self, parts: beam.PCollection[Part]) -> Any:
        """Apply the transform."""
        found = {}
        if self.sampled is None:
            taken = parts.pipeline | "NoThresholds" >> beam.Create([])
        else:
            thresholds = parts | "Thresholds" >> TakeThresholds(self.workspace, self.sampled, self.quantiles)
            found["thresholds"] = beam.pvalue.AsSingleton(thresholds)
            taken = thresholds | "Taken" >> beam.ParDo(_Second())
        judged = (
            parts
            | "Tasks" >> beam.ParDo(_Tasks(), **found)
            | "Judge" >> beam.ParDo(MakeArtefact(self.workspace, JUDGE, self.asking))
        )
        receipts = judged | "Receipts" >> beam.ParDo(_Receipt())
        return receipts, taken, judged | "Name" >> beam.ParDo(_Named())
