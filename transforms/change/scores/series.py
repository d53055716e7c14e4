"""A series over all seeds as an artefact, against its null series.

MakeSeries   traces of seeds and of null series, counts  -> parts of `change/series`, `change/points`

Distances are averaged over seeds, never vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.spaces import DISTANCES, POINTS
from lexbeam.schemas.change.spaces import SERIES as TABLE
from lexbeam.transforms.change.scores.change_points import Points, Traces, points_of
from lexbeam.transforms.change.scores.evidence_rows import why_no_finding
from lexbeam.transforms.change.scores.measures import most_of
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.null_evidence import Flags, Floats, PairScores, moments, upper_end
from lexbeam.transforms.change.scores.traces import SeriesOptions, Trace, Traced, read_trace
from lexbeam.transforms.change.spaces.aligning import SliceFacts
from lexbeam.transforms.change.view.counts import majority_tags
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.tables import PartFile, write_part

Columns = dict[str, npt.NDArray[Any] | pa.Array]  # of a table, by name


class SeriesTask(NamedTuple):
    """A series of slices.

    Attributes:
        slices: the slices, in the order of time.
        seeds: what was traced of it by seed.
        nulls: what was traced of its null series.
        deal: how their documents were dealt, without the nulls themselves, and what is compared of pairs alone.
    """

    slices: tuple[SliceFacts, ...]
    seeds: tuple[Traced, ...]
    nulls: tuple[Traced, ...] = ()
    deal: Deal | None = None


@dataclass(frozen=True, kw_only=True)
class SeriesMade:
    """A part of `change/series` and one of `change/points`, which are the whole tables."""

    part: PartFile
    points: PartFile


class _Nulls(NamedTuple):
    """What null series say of the words of a series: of distances mean, spread and upper end, and how many they are."""

    mean: Floats
    sd: Floats
    high: Floats
    runs: npt.NDArray[np.int64]


@dataclass(frozen=True)
class MakeSeries(Step[SeriesTask, SeriesMade]):
    """Combine the traces of seeds, and find change points.

    Attributes:
        targets: target words, sorted.
    """

    alignment: str
    targets: tuple[str, ...]

    name = "change/series"
    unit = "series"

    @classmethod
    def of(cls, options: SeriesOptions) -> "MakeSeries":
        """Return the step that combines what was traced with some options."""
        return cls(options.alignment, tuple(sorted(set(options.align.targets))))

    def make(self, artefact: Artefact, task: SeriesTask) -> SeriesMade:
        """Write the rows of both tables."""
        number = len(task.slices)
        seeds, nulls = (
            [(traced, read_trace(traced.rows, number)) for traced in sorted(group, key=attrgetter("rows.sha256"))]
            for group in (task.seeds, task.nulls)
        )
        first = seeds[0][1]
        if any(not trace.words.equals(first.words) for _, trace in seeds):
            raise ValueError("seeds of one series must have the same words")
        target = pc.is_in(first.words, value_set=pa.array(self.targets, pa.string()))
        tested = first.ranked | target.to_numpy(zero_copy_only=False)
        cuts = _mean([trace.cuts for _, trace in seeds])
        points = points_of(
            _traces(first, cuts, seeds[0][0].documents),
            [_traces(trace, trace.cuts, trace_file.documents) for trace_file, trace in nulls],
            tested,
        )
        own = first._replace(distances=_mean([trace.distances for _, trace in seeds]))
        held = _null_distances(
            _Run(own, seeds[0][0].documents), tested, [_Run(trace, traced.documents) for traced, trace in nulls]
        )
        series = _series(task.slices, own, held, self.alignment)
        part = write_part(artefact, TABLE.schema(), [series], sort_keys=TABLE.key)
        columns = {"target": target, "ranked": first.ranked, "null_runs": held.runs}
        columns["upos"] = majority_tags([read_counts(facts.counts) for facts in task.slices], first.words).upos
        rows = _points(task, first.words, points, cuts, columns, self.alignment)
        points_part = write_part(artefact, POINTS.schema(), [rows], sort_keys=POINTS.key, suffix="-points")
        return SeriesMade(part=part, points=points_part)


def _mean(arrays: Sequence[Floats]) -> Floats:
    """Return the mean over seeds, of those that have a value."""
    flat = np.stack([array.ravel() for array in arrays])
    return moments(flat)[1].reshape(arrays[0].shape)


def _traces(trace: Trace, cuts: Floats, documents: int) -> Traces:
    return Traces(cuts, trace.uses, trace.documents, trace.ranked, documents)


class _Run(NamedTuple):
    """A series, real or null, and the documents of its smallest slice."""

    trace: Trace
    documents: int

    def of_words(self, words: pa.Array) -> "_Run":
        """Return it with these words: without uses and distances where it lacks them."""
        trace = self.trace
        place = pc.index_in(words, value_set=trace.words)
        there = place.is_valid().to_numpy(zero_copy_only=False)
        chosen = place.fill_null(0).to_numpy()
        return self._replace(
            trace=trace._replace(
                words=words,
                uses=np.where(there, trace.uses[:, chosen], 0),
                documents=np.where(there, trace.documents[:, chosen], 0),
                ranked=there & trace.ranked[chosen],
                distances=np.where(there, trace.distances[:, :, chosen], np.nan),
            )
        )

    def compared(self, kind: int, place: int, other: int) -> PairScores:
        """Return the distances of a kind between two slices as scores of a pair."""
        uses, documents = (
            np.minimum(values[place], values[other]) for values in (self.trace.uses, self.trace.documents)
        )
        return PairScores(self.trace.distances[kind, place], uses, documents, self.trace.ranked, self.documents)


def _null_distances(real: _Run, tested: Flags, nulls: Sequence[_Run]) -> _Nulls:
    """Return what null series say of the words of a series, whose distances are means over seeds.

    An upper end is for words that are tested. Null series may also have other words, which do not count.
    """
    own = real.trace
    kinds, slices, words = own.distances.shape
    if not nulls:
        nothing = np.full((kinds, 1, words), np.nan)
        return _Nulls(nothing, nothing, nothing, np.zeros(words, np.int64))
    held = [null.of_words(own.words) for null in nulls]
    _, mean, sd = moments(np.stack([null.trace.distances.ravel() for null in held]))
    runs = np.sum([null.trace.uses[0] > 0 for null in held], axis=0).astype(np.int64)
    high = np.full(own.distances.shape, np.nan)
    for kind, name in enumerate(DISTANCES):
        for place in range(slices):
            other = {"previous": place - 1, "first": 0, "last": slices - 1}[name.rpartition("_")[2]]
            if other in (place, -1):
                continue
            pair = real.compared(kind, place, other)
            end = upper_end(pair, [null.compared(kind, place, other) for null in held], most_of("cosine"))
            high[kind, place] = np.where(tested & ~np.isnan(pair.scores), end, np.nan)
    return _Nulls(mean.reshape(own.distances.shape), sd.reshape(own.distances.shape), high, runs)


def _series(slices: Sequence[SliceFacts], trace: Trace, nulls: _Nulls, alignment: str) -> pa.Table:
    """Return the rows of `change/series`: the slices of each word one after another."""
    words, number = len(trace.words), len(slices)
    order = np.repeat(np.arange(words), number)
    tokens = np.array([max(facts.tokens, 1) for facts in slices])
    columns: Columns = {
        "word": trace.words.take(pa.array(order)),
        "slice": pa.array([facts.name for facts in slices] * words, pa.string()),
        "place": np.tile(np.arange(number), words),
        "alignment": pa.array([alignment] * (words * number), pa.string()),
        "count": trace.uses.T.ravel(),
        "relative": (trace.uses / tokens[:, None]).T.ravel(),
        "documents": trace.documents.T.ravel(),
    }
    for kind, name in enumerate(DISTANCES):
        for suffix, values in (
            ("", trace.distances),
            ("_null_mean", nulls.mean),
            ("_null_sd", nulls.sd),
            ("_null_high", nulls.high),
        ):
            flat = np.broadcast_to(values[kind], (number, words)).T.ravel()
            columns[name + suffix] = pa.array(flat, pa.float64(), from_pandas=True)
    return _typed(columns, TABLE.schema())


def _points(
    task: SeriesTask, words: pa.Array, points: Points, cuts: Floats, columns: Columns, alignment: str
) -> pa.Table:
    names = pa.array([facts.name for facts in task.slices], pa.string())
    none = points.cut < 0
    before = np.maximum(points.cut, 0)
    tested = int((columns["ranked"] & ~none).sum())
    finding = why_no_finding(tested, task.deal)
    size = len(words)
    q_value = points.q_value if finding is None else np.full(size, np.nan)
    numbers = {
        "distance": np.where(none, np.nan, cuts[before, np.arange(size)]),
        "m": points.m,
        "p_value": points.p_value,
        "q_value": q_value,
    }
    unit = None if task.deal is None else task.deal.unit
    return _typed(
        columns
        | {name: pa.array(values, pa.float64(), from_pandas=True) for name, values in numbers.items()}
        | {
            "word": words,
            "alignment": pa.array([alignment] * size, pa.string()),
            "point_from": names.take(pa.array(before, mask=none)),
            "point_to": names.take(pa.array(before + 1, mask=none)),
            "null_unit": pa.array([unit] * size, pa.string()),
            "finding": pa.array([finding] * size, pa.string()),
        },
        POINTS.schema(),
    )


def _typed(columns: Columns, schema: pa.Schema) -> pa.Table:
    arrays = [
        column.cast(field.type) if isinstance(column := columns[field.name], pa.Array) else pa.array(column, field.type)
        for field in schema
    ]
    return pa.table(arrays, schema=schema)
