"""Packing of work into lanes of about equal weight, the largest pieces first.

Local runners deal keys out by index and never steal, so equal lanes are what makes two workers
twice as fast. Lanes never affect a result.
"""

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

__all__ = ["group_by_size", "pack"]

T = TypeVar("T")


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


def group_by_size(items: Iterable[T], size: Callable[[T], int], limit: int) -> list[list[T]]:
    """Cut a sequence into runs whose sizes add up to at most `limit`, or that hold one item."""
    groups: list[list[T]] = []
    total = 0
    for item in items:
        if not groups or total + size(item) > limit:
            groups.append([])
            total = 0
        groups[-1].append(item)
        total += size(item)
    return groups
