"""Words on their way through the slices: one space for all of them, and a plane to draw it in.

>>> import numpy as np
>>> project(np.array([[0.0, 3, 0], [0, 0, 0], [0, 6, 0]])).shares
(1.0, 0.0)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.embeddings.spaces import Side, apply

Matrix = npt.NDArray[np.float64]

_NOTHING = 1e-10  # of the variance: what is left by rounding


class Link(NamedTuple):
    """An alignment of two slices that leaves the earlier space where it is (`op`, `op-`).

    Attributes:
        earlier, later: names of the slices.
        source: what is done to the earlier space; it has no matrix.
        target: what is done to the later space.
    """

    earlier: str
    later: str
    source: Side
    target: Side


def common_space(slices: Sequence[str], links: Sequence[Link]) -> dict[str, Side]:
    """Return what takes each slice's vectors into the space of the first slice.

    A slice that was not aligned with the first one is mapped by way of others, by as few alignments
    as possible, the first ones among equals: later @ W2 @ W1. A slice that cannot be reached is left
    out.

    Args:
        slices: names, in the order of time.
        links: the alignments.
    """
    sides: dict[str, Side] = {}
    first = next((link.source for link in links if link.earlier == slices[0]), None)
    if first is None:
        return sides
    sides[slices[0]] = first
    reached = [slices[0]]
    while reached:
        new = []
        for link in links:
            if link.earlier in reached and link.later not in sides:
                sides[link.later] = _after(link.target, sides[link.earlier].matrix)
                new.append(link.later)
        reached = new
    return sides


def _after(side: Side, matrix: Matrix | None) -> Side:
    if side.matrix is None or matrix is None:
        return side if matrix is None else side._replace(matrix=matrix)
    with one_thread():
        return side._replace(matrix=side.matrix @ matrix)


def directions(side: Side, vectors: npt.NDArray[np.floating]) -> Matrix:
    """Return vectors (rows) in the common space, of unit length; one of length zero stays zero.

    The cosines that scores are made of are theirs.
    """
    mapped = apply(side, vectors)
    length = np.sqrt(dots(mapped, mapped))[:, None]
    return np.asarray(np.divide(mapped, length, out=np.zeros_like(mapped), where=length > 0))


class Projection(NamedTuple):
    """Points in a plane.

    Attributes:
        places: of each point, shape (points, 2).
        shares: of the points' variance along either axis, 0 to 1; 0 where they do not differ.
    """

    places: Matrix
    shares: tuple[float, float]


def project(points: Matrix) -> Projection:
    """Return points (rows) along their first two principal components.

    These are the first two eigenvectors of the covariance of the points, found by way of their
    inner products, of which there are fewer. The loading of a component that is largest by absolute
    value is positive, the first one among equals. A component without variance gives zeros.
    """
    centred = points - points.mean(axis=0)
    with one_thread():
        values, vectors = np.linalg.eigh(centred @ centred.T)
    total = float(np.einsum("ij,ij->", centred, centred))
    places, shares = np.zeros((len(points), 2)), [0.0, 0.0]
    for axis in range(min(2, len(points))):
        value, vector = float(values[-1 - axis]), vectors[:, -1 - axis]
        if value <= _NOTHING * total:
            break
        with one_thread():
            loadings = centred.T @ vector  # times the root of the eigenvalue, which is positive
        sign = -1.0 if loadings[np.argmax(np.abs(loadings))] < 0 else 1.0
        places[:, axis] = sign * np.sqrt(value) * vector
        shares[axis] = value / total
    return Projection(places, (shares[0], shares[1]))
