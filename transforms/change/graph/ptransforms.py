"""Beam glue of lexical semantic change, from spaces on: pairs and series of slices, real ones and nulls.

counts_by_place PCollection[SliceReady] -> what is counted in slices, as tasks are made with it
AlignPairs      PCollection[(SpaceKey, PartFile)] -> PCollection[(PairSeed, (AlignTask, PartFile))]
ScorePairs      PCollection[(SpaceKey, PartFile)] -> PCollection[(pair, ScoredSeed)]
TraceSeries     PCollection[(SpaceKey, PartFile)] -> PCollection[(RunKey, Traced)]
ScoreBeside     PCollection[SliceReady] -> PCollection[(pair, Combined)]
NumberParts     what was made, by table -> PCollection[Part]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.change.scores import NULLS, PAIRS, SYSTEM_CONTROLS
from lexbeam.schemas.change.spaces import ALIGNMENTS, NEIGHBOURS, POINTS, VECTORS
from lexbeam.transforms.change.graph.comparisons import (
    Comparisons,
    PairSeed,
    RunKey,
    SliceReady,
    SpaceKey,
    combine_tasks,
    map_number,
    maps_of,
    series_sides,
    space_number,
    trace_tasks,
)
from lexbeam.transforms.change.graph.pair_tasks import null_slices, pair_sides, pair_tasks, score_tasks
from lexbeam.transforms.change.graph.space_ptransforms import TrainSlices
from lexbeam.transforms.change.scores.combined_scores import Combined, CombineSeeds
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions, ScoredSeed, ScoreSeed
from lexbeam.transforms.change.scores.traces import SeriesOptions, Traced, TraceSlices
from lexbeam.transforms.change.spaces.aligning import REGISTRY, Align, AlignOptions, AlignTask
from lexbeam.transforms.change.view.counts import SliceCounts
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import By
from lexbeam.transforms.common.store.tables import Part, PartFile


def _counts(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


def counts_by_place(ready: beam.PCollection[SliceReady], label: str = "KeyCounts") -> Any:
    """Return what is counted in slices, by place, to be read beside."""
    return beam.pvalue.AsDict(ready | label >> beam.Map(_counts))


@dataclass
class AlignPairs(beam.PTransform):
    """Fit every alignment to the two spaces of every pair of slices and seed, of the variant that it compares.

    Attributes:
        comparisons: pairs, seeds, and variants with their alignments.
        slices: see `counts_by_place`.
        others: of null pairs, real slices over which theirs are mapped, as `null_sides` yields them, by name; none
            without a common frame.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: AlignOptions
    slices: Any
    others: Mapping[str, beam.PCollection] = field(default_factory=dict)

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, PartFile]]
    ) -> beam.PCollection[tuple[PairSeed, tuple[AlignTask, PartFile]]]:
        """Bring together what each pair is aligned with, and align it."""
        alignments = tuple(name for variant in self.comparisons.variants for name in variant.alignments)
        sides = spaces | "KeyByPair" >> beam.FlatMap(pair_sides, self.comparisons, slices=self.slices)
        if self.others:
            sides = (sides, *self.others.values()) | "AllSides" >> beam.Flatten()
        return sides | "Align" >> By(
            self.workspace,
            Align(),
            pair_tasks,
            {"comparisons": self.comparisons, "options": self.options},
            entries={REGISTRY: alignments},
            with_task=True,
        )


@dataclass
class ScorePairs(beam.PTransform):
    """Align and score every pair and seed; null pairs have the key of the pair that they are nulls of.

    Attributes:
        nulls: how many of the pairs are of one pair.
        frees: whether nothing needs the spaces once they are scored.
    """

    align: AlignPairs
    score: ChangeScoreOptions
    nulls: int = 1
    frees: bool = False

    def expand(self, spaces: beam.PCollection[tuple[SpaceKey, PartFile]]) -> beam.PCollection[tuple[int, ScoredSeed]]:
        """Align, and score what is aligned."""
        of = {"comparisons": self.align.comparisons, "slices": self.align.slices, "nulls": self.nulls}
        frees = attrgetter("spaces") if self.frees else None
        return (
            spaces
            | "Align" >> self.align
            | "Score" >> By(self.align.workspace, ScoreSeed.of(self.score), score_tasks, of, frees=frees)
        )


@dataclass
class TraceSeries(beam.PTransform):
    """Trace the words that all slices of a series share, for each seed, or for each null series.

    Attributes:
        first: the place of the first slice of the first series; slices before it are in no series.
        length: how many slices a series has.
        slices: see `counts_by_place`.
        maps: pairs of slices that are aligned already, as `AlignPairs` yields them, by name.
        frees: whether nothing needs the spaces once they are traced.
    """

    workspace: Workspace
    comparisons: Comparisons
    first: int
    length: int
    options: SeriesOptions
    slices: Any
    maps: Mapping[str, beam.PCollection]
    frees: bool = False

    def expand(self, spaces: beam.PCollection[tuple[SpaceKey, PartFile]]) -> beam.PCollection[tuple[RunKey, Traced]]:
        """Bring together spaces and maps of each run, and trace it."""
        sides = spaces | "KeySpaces" >> beam.FlatMap(
            series_sides, self.comparisons, self.first, self.length, slices=self.slices
        )
        maps = {
            name: aligned | "KeyMaps" >> beam.FlatMap(maps_of, self.comparisons, self.options.alignment)
            for name, aligned in self.maps.items()
        }
        return {"sides": sides, **maps} | "Trace" >> By(
            self.workspace,
            TraceSlices.of(self.options),
            trace_tasks,
            frees=attrgetter("spaces") if self.frees else None,
        )


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
        """Score nulls and pairs, and combine them."""
        of, real = self.training, self.training.comparisons
        slices = counts_by_place(ready)
        scored = {"deals": self.chance["deals"]}
        if self.nulls:
            null = null_slices(real, real.pairs, self.nulls)
            dealt = self.chance["ready"] | "OfPairs" >> beam.Filter(_is_of_pair, len(null.names))
            align = AlignPairs(of.workspace, null, self.align, counts_by_place(dealt, "KeyNullCounts"))
            spaces = dealt | "TrainNulls" >> replace(of, comparisons=null, real={"ready": ready})
            scored["nulls"] = spaces | "ScoreNulls" >> ScorePairs(align, self.score, self.nulls, of.frees)
        spaces = ready | "Train" >> replace(of, frees=False)
        scored["seeds"] = spaces | "Score" >> ScorePairs(AlignPairs(of.workspace, real, self.align, slices), self.score)
        return scored | "Combine" >> By(
            of.workspace, CombineSeeds.of(self.score), combine_tasks, {"comparisons": real, "slices": slices}
        )


# Tables whose parts lie beside others, under another name of the receipt.
_BESIDE = {PAIRS.name: "pair", NULLS.name: "nulls", SYSTEM_CONTROLS.name: "controls", POINTS.name: "points"}


def _part(element: tuple[Any, Any], table: str, comparisons: Comparisons) -> Iterator[Part]:
    key, made = element
    part = made if isinstance(made, PartFile) else getattr(made, _BESIDE.get(table, "part"))
    if part is not None:
        yield Part.of(table, space_number(comparisons, key) if table in (VECTORS.name, NEIGHBOURS.name) else key, part)


def _map_part(
    element: tuple[PairSeed, tuple[AlignTask, PartFile]], table: str, comparisons: Comparisons, names: tuple[str, ...]
) -> Iterator[Part]:
    key, (task, aligned) = element
    number = map_number(comparisons, names, key, task.alignment)
    if number is not None:
        yield Part.of(table, number, aligned)


@dataclass
class NumberParts(beam.PTransform):
    """Name the parts of the change tables that are made; each part is an artefact of its own."""

    comparisons: Comparisons
    alignments: tuple[str, ...]

    def expand(self, made: Any) -> beam.PCollection[Part]:
        """Name parts of collections by table: by space, by alignment, else by their keys."""
        parts = []
        for table, elements in made.items():
            label = f"Number{table.rpartition('/')[2].title()}"
            if table == ALIGNMENTS.name:
                named = beam.FlatMap(_map_part, table, self.comparisons, self.alignments)
            else:
                named = beam.FlatMap(_part, table, self.comparisons)
            parts.append(elements | label >> named)
        return parts | "AllParts" >> beam.Flatten()
