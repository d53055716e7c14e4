"""A series over all seeds as an artefact, against its null series.

SERIES   traces of seeds and of null series, counts  -> parts of `change/series`, `change/points`

Distances are averaged over seeds, never vectors.

Series of three or more slices: one space for all of them, and where a word's usage turns.

*Common space.* Of the words that all slices share, the vectors of each slice are taken to unit
length and rotated onto the sum of all other slices, in turn, until they move no more: generalised
Procrustes analysis (Gower 1975) by orthogonal maps alone.

*Change point.* A series can be cut between any two slices. For each cut c, d is 1 - cos of a word's
mean vector before it and that after it. What is expected of d falls with the uses of a word, so it
is compared with words of null series, whose documents were dealt out anew (`deals`): log d is
regressed on frequency and spread as scores of pairs are (`standards.Standard`), and

    z_c = residual / scale,   over its standard deviation among null words
    M   = the greatest z_c, its cut the change point
    p   = (1 + null words with an M at least as large) / (1 + null words)

Null words are the ranked words of all null series. As a cut has several slices to either side, the
uses of a side are the harmonic mean of those in its slices, for the noise of a vector falls with
them; the side with fewer counts. Likewise the documents that use the word.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.spaces import DISTANCES, POINTS
from lexbeam.schemas.change.spaces import SERIES as TABLE
from lexbeam.transforms.change.scores.evidence_rows import why_no_finding
from lexbeam.transforms.change.scores.measures import cosine_distance, most_of
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.null_evidence import (
    Flags,
    Floats,
    PairScores,
    Standard,
    benjamini_hochberg,
    fitting,
    moments,
    upper_end,
)
from lexbeam.transforms.change.scores.traces import SeriesOptions, Trace, Traced, read_trace
from lexbeam.transforms.change.spaces.aligning import SliceFacts
from lexbeam.transforms.change.view.counts import majority_tags
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.tables import PartFile, write_part, write_rows
from lexbeam.transforms.embeddings.spaces import Rows, at_length_one, is_sparse, with_direction

Matrix = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Vectors stay where they are: root mean square over words and spaces of how far a round has moved them.
TOLERANCE = 1e-6
MOST_ROUNDS = 500


class Traces(NamedTuple):
    """A series, real or null, as change points see it; all arrays are over the same words.

    Attributes:
        distances: d of each cut, float64 of shape (slices - 1, words), nan if there is none.
        uses: of each slice, int64 of shape (slices, words).
        documents: that use the word, of the same shape.
        ranked: whether rankings take the word in every slice.
        slice_documents: documents of the smallest slice.
    """

    distances: Floats
    uses: Ints
    documents: Ints
    ranked: Flags
    slice_documents: int


class Points(NamedTuple):
    """Change points of words; nan, and -1 for the cut, for words without one.

    Attributes:
        cut: the cut with the greatest z: 0 between the first slice and the second.
        m: that z.
        p_value: of such an m by chance, for words tested.
        q_value: the same by Benjamini and Hochberg (1995), over the words tested.
    """

    cut: Ints
    m: Floats
    p_value: Floats
    q_value: Floats


def unit_rows(vectors: Rows) -> Rows:
    """Return rows at unit length, float64; those of length zero stay zero."""
    if is_sparse(vectors):
        return at_length_one(vectors)
    rows = vectors.astype(np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=rows, where=length > 0))


def common_rotations(spaces: Sequence[Matrix]) -> Matrix:
    """Return for each space the orthogonal matrix that takes it into the common space, of shape (spaces, dim, dim).

    It starts from the first space, with the others rotated onto it, and ends when the rotated vectors move by less
    than `TOLERANCE`, or after `MOST_ROUNDS`. A round rotates each space onto the sum of the others (ten Berge 1977),
    from where the last two rounds point to (Nesterov 1983); one that went too far, so that spaces agree less, is
    taken back, and the next starts from where they are (O'Donoghue and Candes 2015).

    Args:
        spaces: unit vectors of the same words, in one order, of one dimension.
    """
    number, (words, dim) = len(spaces), spaces[0].shape
    with one_thread():
        # The products of the spaces, which are small, say it all: (rotation)t X_st (rotation).
        side_by_side = np.hstack(spaces)
        products = (side_by_side.T @ side_by_side).reshape(number, dim, number, dim)
        rotations = before = _nearest_rotation(np.ascontiguousarray(products[:, :, 0]))
        each = np.arange(number)
        own = products[each, :, each]
        products[each, :, each] = 0.0
        others = products.reshape(number, dim, number * dim)
        agreement, weight = -np.inf, 1.0
        for _ in range(MOST_ROUNDS):
            heavier = (1.0 + math.sqrt(1.0 + 4.0 * weight**2)) / 2.0
            turned = rotations + (weight - 1.0) / heavier * (rotations - before)
            for space in range(number):
                turned[space] = _nearest_rotation(others[space] @ turned.reshape(-1, dim))
            agreed = float(np.vdot(turned, others @ turned.reshape(-1, dim)))
            if agreed < agreement and weight > 1.0:
                before, weight = rotations, 1.0
                continue
            before, rotations, agreement, weight = rotations, turned, agreed, heavier
            step = rotations - before
            if np.vdot(step, own @ step) <= number * words * TOLERANCE**2:
                break
    return rotations


def _nearest_rotation(product: Matrix) -> Matrix:
    """Return the orthogonal R that brings A R nearest to B, from At B (Schonemann 1966); of a stack, one each."""
    u, _, vt = np.linalg.svd(product)
    return np.asarray(u @ vt)


def common_space(spaces: Sequence[Matrix]) -> list[Matrix]:
    """Return spaces rotated into their common space; args as `common_rotations`.

    All is nan with fewer words that have a direction in each than dimensions, for then any spaces can be rotated onto
    each other.
    """
    if _directed(spaces).sum() < spaces[0].shape[1]:
        return [np.full(space.shape, np.nan) for space in spaces]
    rotations = common_rotations(spaces)
    with one_thread():
        return [space @ turn for space, turn in zip(spaces, rotations, strict=True)]


def cut_distances(spaces: Sequence[Rows]) -> Floats:
    """Return the cosine distance of each word's mean vectors before and after each cut.

    Args:
        spaces: of the same words, in one space, in the order of time.

    Returns:
        float64 of shape (slices - 1, words), 0 to 2; nan where a mean has length zero, and at every cut for a word
        whose vector is zero in some slice.
    """
    known = _directed(spaces)
    before = list(accumulate(spaces, operator.add))[:-1]
    after = list(accumulate(spaces[::-1], operator.add))[:-1][::-1]
    pairs = zip(before, after, strict=True)
    return np.stack([np.where(known, cosine_distance(earlier, later), np.nan) for earlier, later in pairs])


def _directed(spaces: Sequence[Rows]) -> Flags:
    """Return which words have no vector of length zero."""
    return np.asarray(np.logical_and.reduce([with_direction(space) for space in spaces]))


def points_of(real: Traces, nulls: Sequence[Traces], tested: Flags) -> Points:
    """Return the change points of a series.

    Args:
        real: the series; distances are means over its seeds.
        nulls: null series, which may have other words.
        tested: words to test; q-values are over those that have an m.
    """
    words = len(real.ranked)
    nothing = Points(np.full(words, -1), *(np.full(words, np.nan) for _ in range(3)))
    standardised = [_standardised(real, nulls, cut) for cut in range(len(real.distances))]
    if any(cut_z is None for cut_z in standardised):
        return nothing
    fitted = [cut_z for cut_z in standardised if cut_z is not None]
    z = np.stack([words_z for words_z, _ in fitted])
    null_m = np.stack([null for _, null in fitted]).max(axis=0)
    null_m = np.sort(null_m[~np.isnan(null_m)])
    known = ~np.isnan(z).any(axis=0)
    if not known.any() or not len(null_m):
        return nothing
    filled = np.where(known, z, -np.inf)
    m = np.where(known, filled.max(axis=0), np.nan)
    larger = len(null_m) - np.searchsorted(null_m, m, side="left")
    p_value = np.where(tested & known, (1.0 + larger) / (1.0 + len(null_m)), np.nan)
    cut = np.where(known, filled.argmax(axis=0), -1)
    return Points(cut.astype(np.int64), m, p_value, benjamini_hochberg(p_value))


def _standardised(real: Traces, nulls: Sequence[Traces], cut: int) -> tuple[Floats, Floats] | None:
    """Return z of a series' words and of null words at a cut; None if nothing can be fitted."""
    runs = [_run(null, cut) for null in nulls]
    fitted = [fitting(run) for run in runs]
    if sum(int(fit.sum()) for fit in fitted) < 2:
        return None
    standard = Standard.of(runs)
    # Words that have no distance at a cut stay, as nan, so that a word's z of all cuts come
    # together.
    r = np.concatenate([standard(run)[null.ranked] for run, null in zip(runs, nulls, strict=True)])
    spread = float(r[~np.isnan(r)].std(ddof=1))
    if not spread > 0:
        return None
    return standard(_run(real, cut)) / spread, r / spread


def _run(traces: Traces, cut: int) -> PairScores:
    uses, documents = (
        np.minimum(_harmonic(values[: cut + 1]), _harmonic(values[cut + 1 :]))
        for values in (traces.uses, traces.documents)
    )
    return PairScores(traces.distances[cut], uses, documents, traces.ranked, traces.slice_documents)


def _harmonic(values: Ints) -> Ints:
    """Return the harmonic mean down the columns, rounded; values below 1 count as 1."""
    mean = len(values) / (1.0 / np.maximum(values, 1)).sum(axis=0)
    return np.asarray(np.rint(mean), np.int64)


Columns = dict[str, npt.NDArray[Any] | pa.Array]  # of a table, by name


class SeriesTask(NamedTuple):
    """A series of slices.

    Attributes:
        slices: the slices, in the order of time.
        seeds: what was traced of it by seed.
        nulls: what was traced of its null series.
        deal: how their documents were dealt.
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


def _make(artefact: Artefact, task: SeriesTask, options: SeriesOptions) -> SeriesMade:
    number = len(task.slices)
    seeds, nulls = (
        [(traced, read_trace(traced.rows, number)) for traced in sorted(group, key=_sha256)]
        for group in (task.seeds, task.nulls)
    )
    first = seeds[0][1]
    if any(not trace.words.equals(first.words) for _, trace in seeds):
        raise ValueError("seeds of one series must have the same words")
    target = pc.is_in(first.words, value_set=pa.array(list(options.align.targets), pa.string()))
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
    series = _series(task.slices, own, held, options.alignment)
    part = write_part(artefact, TABLE.schema(), [series], sort_keys=TABLE.key)
    columns = {"target": target, "ranked": first.ranked, "null_runs": held.runs}
    columns["upos"] = majority_tags([read_counts(facts.counts) for facts in task.slices], first.words).upos
    rows = _points(task, first.words, points, cuts, columns, options.alignment)
    with artefact.writing("-points.parquet") as stream:
        write_rows(stream, POINTS.schema(), [rows], sort_keys=POINTS.key)
    return SeriesMade(part=part, points=PartFile(artefact.file("-points.parquet"), rows.num_rows))


def _sha256(traced: Traced) -> str:
    return traced.rows.sha256


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
    """Return the rows of `change/points`."""
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


SERIES: Stage[SeriesTask, SeriesOptions, SeriesMade] = Stage(
    name="change/series",
    receipt=SeriesMade,
    build=_make,
    unused={
        **dict.fromkeys(
            ("options.rank", "options.align.fit_on", "options.align.rcond", "options.axes"),
            "used where series are traced",
        ),
        "task.deal.nulls": "their distances are in `task.nulls`",
        "task.deal.slices": "of pairs alone",
    },
    unordered=("task.seeds", "task.nulls", "options.align.targets"),
    unit="series",
)
