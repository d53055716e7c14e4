"""Packing of work into lanes of about equal weight, the largest pieces first.

Local runners deal keys out by index and never steal, so equal lanes are what makes two workers
twice as fast. Lanes never affect a result.
"""

import heapq
from collections.abc import Sequence

__all__ = ["pack"]


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
