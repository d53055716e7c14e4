"""Beam glue of candidates: parts of pairs in, parts of candidates and their counts out.

TakeThresholds   PCollection[Part] -> PCollection[(0, Thresholds)], the one of a corpus
FindCandidates   PCollection[Part] -> PCollection[Judgement], PCollection[Part]
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.cloze import CANDIDATES
from lexbeam.transforms.cloze.filters.candidates import JUDGE, CandidateSetting, CandidateTask
from lexbeam.transforms.cloze.filters.similarity import MEASURE, SETTLE, Sampled, Thresholds
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Collect, MakeArtefact, NameParts
from lexbeam.transforms.common.store.tables import Part


def _task(part: Part, thresholds: tuple[int, Thresholds] | None = None) -> tuple[int, CandidateTask]:
    return part.number, CandidateTask(part, None if thresholds is None else thresholds[1])


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
            | "Number" >> beam.WithKeys(attrgetter("number"))
            | "Measure" >> beam.ParDo(MakeArtefact(self.workspace, MEASURE, self.sampled))
            | "AllMeasured" >> Collect("file")
            | "Settle" >> beam.ParDo(MakeArtefact(self.workspace, SETTLE, self.quantiles))
        )


@dataclass
class FindCandidates(beam.PTransform):
    """Judge the words of summaries; return receipts, thresholds that were taken, and parts.

    Attributes:
        workspace: where artefacts lie.
        candidates: what filters are to do, as workers open it.
        sampled: what thresholds are taken from; None: none are.
        quantiles: by filter.
    """

    workspace: Workspace
    candidates: CandidateSetting
    sampled: Sampled | None
    quantiles: Mapping[str, float]

    def expand(self, parts: beam.PCollection[Part]) -> Any:
        """Apply the transform; returns judgements, thresholds and parts."""
        side_inputs = {}
        if self.sampled is None:
            taken = parts.pipeline | "NoThresholds" >> beam.Create([])
        else:
            thresholds = parts | "Thresholds" >> TakeThresholds(self.workspace, self.sampled, self.quantiles)
            side_inputs["thresholds"] = beam.pvalue.AsSingleton(thresholds)
            taken = thresholds | "Taken" >> beam.Values()
        judged = (
            parts
            | "Tasks" >> beam.Map(_task, **side_inputs)
            | "Judge" >> beam.ParDo(MakeArtefact(self.workspace, JUDGE, self.candidates))
        )
        receipts = judged | "Receipts" >> beam.Values()
        return receipts, taken, judged | "Name" >> beam.ParDo(NameParts(CANDIDATES.name, "part"))
