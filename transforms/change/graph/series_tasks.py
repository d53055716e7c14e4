"""Series of slices as tasks: which spaces, maps and counts a run of a series is traced from."""

from collections.abc import Iterable, Iterator, Mapping

from transforms.change.graph.comparisons import Comparisons, PairSeed, SpaceKey, facts_of
from transforms.change.nulls.deal_stages import Deal
from transforms.change.series.series_stage import SeriesTask
from transforms.change.series.trace_stage import ALIGNMENT, Traced, TraceTask
from transforms.change.spaces.alignment_stage import Aligned, AlignTask, SliceFacts
from transforms.change.view.slice_merges import SliceCounts
from transforms.common.store.receipts import File

__all__ = ["RunKey", "Side", "map_of", "series_task", "side_of", "trace_task"]

# A run of a series: which null series, 0 for the real one, and the seed.
RunKey = tuple[int, int]
Side = tuple[int, SliceFacts, File]  # the place in its series, the slice, its space


def side_of(key: SpaceKey, first: int, slices: int, facts: SliceFacts, space: File) -> tuple[RunKey, Side]:
    """Return the run that a space is of, with its place there.

    The first series begins at the place `first`; each has so many slices.
    """
    series, place = divmod(key[0] - first, slices)
    return (series, key[1]), (place, facts, space)


def map_of(
    comparisons: Comparisons, key: PairSeed, made: tuple[AlignTask, Aligned]
) -> Iterator[tuple[RunKey, tuple[int, int, File]]]:
    """Yield the run of the real series that a map is of, with its slices, if it is one by `op`."""
    pair, seed = key
    task, aligned = made
    if task.alignment == ALIGNMENT:
        yield (0, seed), (*comparisons.pairs[pair], aligned.part.file)


def trace_task(key: RunKey, sides: Iterable[Side], maps: Iterable[tuple[int, int, File]]) -> TraceTask:
    """Return the task of a run."""
    found = sorted(sides, key=_place)
    return TraceTask(
        tuple(facts for _, facts, _ in found),
        tuple(space for _, _, space in found),
        key[1],
        tuple(sorted(maps, key=_sides)),
    )


def _place(side: Side) -> int:
    return side[0]


def _sides(fitted: tuple[int, int, File]) -> tuple[int, int]:
    return fitted[:2]


def series_task(
    comparisons: Comparisons,
    counts: Mapping[int, SliceCounts],
    seeds: Iterable[Traced],
    nulls: Iterable[Traced],
    deals: Iterable[Deal],
) -> SeriesTask:
    """Return the task of a series from what was traced of its seeds and null series, if any."""
    return SeriesTask(
        tuple(facts_of(comparisons, place, counts) for place in range(len(comparisons.names))),
        tuple(sorted(seeds, key=_sha256)),
        tuple(sorted(nulls, key=_sha256)),
        next(iter(deals), None),
    )


def _sha256(traced: Traced) -> str:
    return traced.rows.sha256
