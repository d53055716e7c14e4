"""Beam glue of systems by name: parts of tables `change/systems` and `change/controls`.

ScoreBeside     PCollection[SliceReady] -> PCollection[(pair, Combined)]
JoinSystems     PCollection[(pair, Combined)] of several runs -> PCollection[(pair, JoinedSystems)]
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import apache_beam as beam

from transforms.change.graph.comparisons import SliceReady
from transforms.change.graph.null_pairs import null_slices
from transforms.change.graph.null_ptransforms import ScoreNulls
from transforms.change.graph.ptransforms import AlignPairs, CombineSeeds, ScoreSeeds, TrainSlices
from transforms.change.scores.combine_stage import Combined
from transforms.change.scores.score_stage import ChangeScoreOptions
from transforms.change.scores.system_ensembles import SYSTEMS_SIDE_BY_SIDE, JoinedSystems, SystemsTask
from transforms.change.spaces.alignment_stage import AlignOptions
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.receipts import File
from transforms.common.store.tables import PartFile

__all__ = ["JoinSystems", "ScoreBeside"]


def _is_of_pair(ready: SliceReady, slices: int) -> bool:
    return ready.place < slices  # those of series follow


@dataclass
class ScoreBeside(beam.PTransform):
    """Train, align and score for systems that want other spaces than the run's own, with nulls of their own.

    Attributes:
        training: makes the spaces, of what these systems compare.
        align: options of alignments.
        score: options of scores: names of the systems among them.
        nulls: null pairs of each pair.
        chance: `deals` of pairs and, where there are nulls, the null slices, `ready`.
    """

    training: TrainSlices
    align: AlignOptions
    score: ChangeScoreOptions
    nulls: int
    chance: Mapping[str, beam.PCollection]

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[int, Combined]]:
        """Apply the transform."""
        of, real = self.training, self.training.comparisons
        nulls: dict[str, beam.PCollection] = {"deals": self.chance["deals"]}
        if self.nulls:
            null = null_slices(real, real.pairs, self.nulls)
            dealt = self.chance["ready"] | "OfPairs" >> beam.Filter(_is_of_pair, len(null.names))
            spaces = dealt | "TrainNulls" >> replace(of, comparisons=null, real={"ready": ready})
            nulls["nulls"] = spaces | "ScoreNulls" >> ScoreNulls(
                of.workspace, null, self.nulls, self.align, self.score, dealt, of.frees, {}
            )
        return (
            ready
            | "Train" >> replace(of, frees=False)
            | "Align" >> AlignPairs(of.workspace, real, self.align, ready)
            | "Score" >> ScoreSeeds(of.workspace, real, self.score)
            | "Combine" >> CombineSeeds(of.workspace, real, self.score, nulls, ready)
        )


def _has_systems(element: tuple[int, Combined]) -> bool:
    return element[1].systems is not None


def _task(element: tuple[int, Iterable[Combined]]) -> tuple[int, SystemsTask]:
    pair, found = element
    runs = list(found)
    return pair, SystemsTask(_files(run.systems for run in runs), _files(run.system_nulls for run in runs))


def _files(parts: Iterable[PartFile | None]) -> tuple[File, ...]:
    return tuple(sorted((part.file for part in parts if part is not None), key=_sha256))


def _sha256(file: File) -> str:
    return file.sha256


@dataclass
class JoinSystems(beam.PTransform):
    """Bring the systems of all runs together, by pair, and add ensembles of them.

    Attributes:
        ensembles: keys of `system_ensembles.ENSEMBLES`.
    """

    workspace: Workspace
    ensembles: tuple[str, ...]

    def expand(self, runs: Any) -> beam.PCollection[tuple[int, JoinedSystems]]:
        """Apply the transform to what `CombineSeeds` yields, by the name of the run."""
        return (
            [runs[name] for name in sorted(runs)]
            | "AllRuns" >> beam.Flatten()
            | "OfSystems" >> beam.Filter(_has_systems)
            | "GroupByPair" >> beam.GroupByKey()
            | "MakeTasks" >> beam.Map(_task)
            | "JoinSystems" >> beam.ParDo(MakeArtefact(self.workspace, SYSTEMS_SIDE_BY_SIDE, self.ensembles))
        )
