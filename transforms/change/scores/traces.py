"""A series under one seed as an artefact: every word's distances between slices.

TraceSlices   the spaces of all slices, the maps of pairs that were fitted  -> distances, uses, documents

The words that all slices share are traced. Pairs of slices that the run has not aligned by its alignment are
aligned here, in the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.change.spaces import DISTANCES
from lexbeam.transforms.change.scores.change_points import common_space, cut_distances, unit_rows
from lexbeam.transforms.change.scores.measures import cosine_distance
from lexbeam.transforms.change.scores.ranking import RankedWordOptions, WordCounts, ranked_in_all
from lexbeam.transforms.change.spaces.aligning import (
    REGISTRY,
    AlignOptions,
    SliceFacts,
    SliceSpace,
    fit_words,
    load_alignments,
    load_spaces,
)
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.embeddings.alignment import APART, fit_alignment
from lexbeam.transforms.embeddings.representations import OWN
from lexbeam.transforms.embeddings.spaces import Rows, Space, apply, is_sparse

ALIGNMENT = "op"

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Sides = tuple[int, int]  # places of an earlier slice and a later one


@dataclass(frozen=True, kw_only=True)
class SeriesOptions:
    """What decides series: how pairs are aligned, which words are ranked, which are targets.

    Attributes:
        align: how maps are fitted.
        rank: which words are ranked.
        alignment: how pairs of slices are aligned.
        axes: what the dimensions of spaces are, see `representations`.
        variant: which spaces of slices are followed.
        of_targets: whether targets alone are, since other words have one vector in all slices of these.
    """

    align: AlignOptions = field(default_factory=AlignOptions)
    rank: RankedWordOptions = field(default_factory=RankedWordOptions)
    alignment: str = ALIGNMENT
    axes: str = OWN
    variant: str = APART
    of_targets: bool = False


class TraceTask(NamedTuple):
    """A series under a seed.

    Attributes:
        slices: the slices, in the order of time.
        seed: of the spaces.
        maps: the pairs that the run has aligned by the alignment of the series, as they are published.
    """

    slices: tuple[SliceFacts, ...]
    spaces: tuple[File, ...]
    seed: int
    maps: tuple[tuple[int, int, File], ...] = ()


@dataclass(frozen=True)
class Traced:
    """One seed's distances, see `Trace`; documents of the smallest slice."""

    rows: File
    documents: int


class Trace(NamedTuple):
    """What `Traced` stands for.

    Attributes:
        words: that all slices share, sorted.
        uses: int64 of shape (slices, words).
        documents: that use the word, of the same shape.
        ranked: whether the word is ranked in every slice.
        distances: float64 of shape (kinds, slices, words), kinds as in `lexbeam.schemas.change.spaces.DISTANCES`;
            nan if there is none.
        cuts: float64 of shape (slices - 1, words), see `change_points.cut_distances`.
    """

    words: pa.Array
    uses: Ints
    documents: Ints
    ranked: npt.NDArray[np.bool_]
    distances: Floats
    cuts: Floats


@dataclass(frozen=True, kw_only=True)
class TraceSlices(Step[TraceTask, Traced]):
    """Trace the words of a series under a seed.

    Attributes:
        rank: which words are ranked, of whatever part of speech.
        alignment: how pairs of slices are aligned.
        words: that it is fitted on, see `aligning.fit_words`.
        axes: what the dimensions of spaces are, see `representations`.
        variant: which spaces are followed.
        followed: the words that are followed, sorted; None: all that the slices share.
    """

    rank: RankedWordOptions
    alignment: str
    words: Mapping[str, Any]
    axes: str
    variant: str
    followed: tuple[str, ...] | None = None

    name = "change/series-trace"
    noun = unit = "series"
    blas = True

    @classmethod
    def of(cls, options: SeriesOptions) -> "TraceSlices":
        """Return the step that traces with some options."""
        return cls(
            rank=replace(options.rank, pos=()),
            alignment=options.alignment,
            words=fit_words(options.align, options.alignment),
            axes=options.axes,
            variant=options.variant,
            followed=tuple(sorted(set(options.align.targets))) if options.of_targets else None,
        )

    def chosen(self, task: TraceTask) -> dict[str, tuple[str, ...]]:
        """Return the alignment."""
        return {REGISTRY: (self.alignment,)}

    def make(self, artefact: Artefact, task: TraceTask) -> Traced:
        """Write what is traced."""
        words = _shared(task.spaces)
        ranked = ranked_in_all(_counts(task, words), self.rank)
        if self.followed is not None:
            kept = pc.is_in(words, value_set=pa.array(self.followed, pa.string()))
            words, ranked = words.filter(kept), ranked[kept.to_numpy(zero_copy_only=False)]
        pairs = _Pairs(task, self, words)
        places = range(len(task.slices))
        first, last = pairs.load(0), pairs.load(places[-1])
        distances = np.full((len(DISTANCES), len(places), len(words)), np.nan)
        units = []
        before = first
        for place in places:  # four spaces in memory at most
            space = {0: first, places[-1]: last}.get(place) or pairs.load(place)
            units.append(unit_rows(_rows(space, words)))
            if place:
                distances[0, place] = pairs.distances((place - 1, place), before, space)
                distances[1, place] = pairs.distances((0, place), first, space)
            if place < places[-1]:
                distances[2, place] = pairs.distances((place, places[-1]), space, last)
            before = space
        common = common_space(units) if self.axes == OWN else units
        for place in places:
            if place:
                distances[3, place] = cosine_distance(common[place - 1], common[place])
                distances[4, place] = cosine_distance(common[0], common[place])
            if place < places[-1]:
                distances[5, place] = cosine_distance(common[place], common[-1])
        counts = _counts(task, words)
        trace = Trace(
            words,
            np.stack([slice_counts.uses for slice_counts in counts]),
            np.stack([slice_counts.documents for slice_counts in counts]),
            ranked,
            distances,
            cut_distances(common),
        )
        with artefact.writing(".parquet") as stream:
            pq.write_table(_as_table(trace), pa.PythonFile(stream, "w"), compression="lz4")
        return Traced(artefact.file(".parquet"), min(facts.documents for facts in task.slices))


def _counts(task: TraceTask, words: pa.Array) -> list[WordCounts]:
    return [WordCounts.of(read_counts(facts.counts), words, facts.documents) for facts in task.slices]


class _Pairs:
    """Distances of pairs of slices, each by its own alignment, each once."""

    def __init__(self, task: TraceTask, step: TraceSlices, words: pa.Array) -> None:
        self._task = task
        self._step = step
        self._words = words
        self._maps: Mapping[Sides, File] = {(earlier, later): file for earlier, later, file in task.maps}
        self._found: dict[Sides, Floats] = {}

    def load(self, place: int) -> Space:
        facts, file = self._task.slices[place], self._task.spaces[place]
        return load_spaces([SliceSpace(facts.name, facts.tokens, file)], self._task.seed, self._step.variant)[0]

    def distances(self, sides: Sides, earlier: Space, later: Space) -> Floats:
        if sides not in self._found:
            self._found[sides] = self._aligned(sides, earlier, later)
        return self._found[sides]

    def _aligned(self, sides: Sides, earlier: Space, later: Space) -> Floats:
        if sides in self._maps:
            fitted = load_alignments({"": self._maps[sides]})[""]
        else:
            fitted = fit_alignment(self._step.alignment, earlier, later, **self._step.words)
        if fitted.residual is None:
            return np.full(len(self._words), np.nan)
        both = ((earlier, fitted.source), (later, fitted.target))
        return cosine_distance(*(apply(side, space.vectors[_places(space, self._words)]) for space, side in both))


def _shared(spaces: Sequence[File]) -> pa.Array:
    """Return the words that all spaces share, sorted."""
    shared: pa.Array | None = None
    for file in spaces:
        rows = pa.concat_tables(read_rows([checked(file)], ["word"]))
        words = rows["word"].combine_chunks()
        shared = words if shared is None else shared.filter(pc.is_in(shared, value_set=words))
    return shared


def _places(space: Space, words: pa.Array) -> Ints:
    indices = pc.index_in(words, value_set=pa.array(space.words, pa.string()))
    return np.asarray(indices.to_numpy(zero_copy_only=False), np.int64)


def _rows(space: Space, words: pa.Array) -> Rows:
    """Return the vectors of words; of sparse ones the contexts that all slices have, which are these words."""
    places = _places(space, words)
    rows = space.vectors[places]
    return rows[:, places] if is_sparse(rows) else rows


def _as_table(trace: Trace) -> pa.Table:
    columns: dict[str, Any] = {"word": trace.words, "ranked": trace.ranked}
    for name in ("uses", "documents", "cuts"):
        for place, values in enumerate(getattr(trace, name)):
            columns[f"{name}_{place}"] = values
    for kind, rows in zip(DISTANCES, trace.distances, strict=True):
        for place, values in enumerate(rows):
            columns[f"{kind}_{place}"] = values
    return pa.table(columns)


def read_trace(file: File, slices: int) -> Trace:
    """Return what was traced, of a series of so many slices."""
    with files.open_read(checked(file)) as stream:
        table = pq.read_table(pa.PythonFile(stream, "r"))

    def columns(name: str, number: int) -> npt.NDArray[Any]:
        return np.stack([table[f"{name}_{place}"].to_numpy() for place in range(number)])

    return Trace(
        table["word"].combine_chunks(),
        columns("uses", slices),
        columns("documents", slices),
        table["ranked"].to_numpy(),
        np.stack([columns(kind, slices) for kind in DISTANCES]),
        columns("cuts", slices - 1),
    )
