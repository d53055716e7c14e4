"""Common frames: the slices of a run mapped onto one of them, so that any two can be compared.

In a chain each slice is mapped onto the one before it as that was mapped, the first staying as it is: with W_k the map
of slice k onto slice k - 1 as trained, slice k is mapped by W_k W_(k-1) ... W_1 (Hamilton et al. 2016). With an anchor
each slice is mapped onto that slice, which stays. A map is fitted by an alignment of which one side stays; its steps
before the map (unit length, mean) are those of the slice itself.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, Alignment, composed_alignment, fit_alignment
from lexbeam.transforms.embeddings.spaces import Side, Space

Leg = tuple[int, int]  # the slice that is mapped, and the one that stays


class _Fitted(NamedTuple):
    """A leg: what is done to either slice, how many words it was fitted on, why nothing was."""

    moving: Side
    fixed: Side
    words: int
    reason: str | None


def route(place: int, anchor: int | None) -> tuple[int, ...]:
    """Return the slices over which one is mapped, itself first, the one whose frame it is last.

    >>> route(2, None), route(2, 1), route(1, 1)
    ((2, 1, 0), (2, 1), (1,))
    """
    if anchor is None:
        return tuple(range(place, -1, -1))
    return (place,) if place == anchor else (place, anchor)


def frame_places(pair: tuple[int, int], anchor: int | None) -> list[int]:
    """Return the slices beside those of a pair that its maps go over.

    >>> frame_places((1, 3), None), frame_places((1, 3), 2), frame_places((1, 3), 3)
    ([0, 2], [2], [])
    """
    return sorted({place for end in pair for place in route(end, anchor)} - set(pair))


def fit_in_frame(
    name: str, spaces: Mapping[int, Space], pair: tuple[int, int], anchor: int | None, **options: Any
) -> Alignment:
    """Return what is done to the two slices of a pair in a common frame.

    Args:
        name: key of `ALIGNMENTS`, of an entry that `moves` a space.
        spaces: of the slices of the pair and of `frame_places`, by place.
        pair: places of the earlier and the later slice.
        anchor: place of the slice onto which all are mapped; None: a chain.
        options: of `fit_alignment`.

    Returns:
        An alignment; `fit_words` are the fewest that a map on the way was fitted on, and where one could not be fitted
        there is none.
    """
    legs: dict[Leg, _Fitted] = {}

    def fitted(moving: int, fixed: int) -> _Fitted:
        if (moving, fixed) not in legs:
            legs[moving, fixed] = _fit(name, spaces[moving], spaces[fixed], options)
        return legs[moving, fixed]

    with one_thread():
        moved = [_moved([fitted(*leg) for leg in pairwise(route(place, anchor))]) for place in pair]
    words = min(leg.words for leg in legs.values())
    reason = next((leg.reason for leg in legs.values() if leg.reason is not None), None)
    if reason is not None:
        nothing = Side(ALIGNMENTS[name].unit_length)
        return Alignment(nothing, nothing, words, None, reason)
    # A slice that stays is prepared as where another one is mapped onto it.
    stays = {fixed: leg.fixed for (_, fixed), leg in legs.items()}
    first, second = (side or stays[place] for side, place in zip(moved, pair, strict=True))
    earlier, later = (spaces[place] for place in pair)
    found = composed_alignment(name, first, second, earlier, later, **options)
    return found._replace(fit_words=words)


def _fit(name: str, moving: Space, fixed: Space, options: Mapping[str, Any]) -> _Fitted:
    if ALIGNMENTS[name].moves == "later":
        found = fit_alignment(name, fixed, moving, **options)
        return _Fitted(found.target, found.source, found.fit_words, found.reason)
    found = fit_alignment(name, moving, fixed, **options)
    return _Fitted(found.source, found.target, found.fit_words, found.reason)


def _moved(legs: Sequence[_Fitted]) -> Side | None:
    """Return what is done to the first slice of a route with these legs; None: it has none, and the slice stays."""
    if not legs:
        return None
    matrices = [leg.moving.matrix for leg in legs if leg.moving.matrix is not None]
    return legs[0].moving._replace(matrix=reduce(np.matmul, matrices) if matrices else None)
