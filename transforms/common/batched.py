"""Values many at a time, by their number and size alone, so that batches depend on the data; and in lanes.

Lanes are of about equal weight, the largest pieces first: local runners deal keys out by index and never steal, so
equal lanes are what makes two workers twice as fast. Lanes never affect a result.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def batched(
    values: Iterable[T], most: int, *, size: Callable[[T], int] | None = None, largest: int = 0
) -> Iterator[list[T]]:
    """Yield values in order: `most` at a time, or fewer as soon as their sizes come to `largest`.

    >>> list(batched("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    >>> list(batched(["a", "bcd", "e"], 2, size=len, largest=1))
    [['a'], ['bcd'], ['e']]
    """
    held: list[T] = []
    total = 0
    for value in values:
        held.append(value)
        total += size(value) if size is not None else 0
        if len(held) == most or (size is not None and total >= largest):
            yield held
            held, total = [], 0
    if held:
        yield held


def pack(weights: Sequence[float], lanes: int) -> list[list[int]]:
    """Deal indices of `weights` out to `lanes` lists by longest processing time first.

    Returns at most `lanes` lists, none empty, each in order of falling weight; ties by index.

    >>> pack([5, 1, 4, 3], 2)
    [[0, 1], [2, 3]]
    """
    order = sorted(range(len(weights)), key=lambda index: (-weights[index], index))
    loads: list[tuple[float, int]] = [(0.0, lane) for lane in range(lanes)]
    packed: list[list[int]] = [[] for _ in range(lanes)]
    for index in order:
        load, lane = heapq.heappop(loads)
        packed[lane].append(index)
        heapq.heappush(loads, (load + weights[index], lane))
    return [lane for lane in packed if lane]
