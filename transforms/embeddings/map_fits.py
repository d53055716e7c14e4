"""How the maps of alignments are fitted: from two matrices and the rows of each that are fitted on to two sides.

Formulas are in `alignment`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.embeddings.linear_maps import FLAT, canonical_map, whitened_maps
from lexbeam.transforms.embeddings.rows import Rows, with_direction
from lexbeam.transforms.embeddings.spaces import BLOCK, Side, apply, unit_mean, working_rows

Matrix = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


class Fit(NamedTuple):
    """What is done to either space.

    Attributes:
        source: to the earlier space.
        target: to the later space.
        squares: the sum of the squared distances of the vectors fitted on, aligned, where the fit tells it.
    """

    source: Side
    target: Side
    squares: float | None = None


def fitted_rows(z: Rows, x: Rows, mine: Places, theirs: Places) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows of both spaces that are fitted on, some at a time."""
    for start in range(0, len(mine), BLOCK):
        yield _taken(z, mine[start : start + BLOCK]), _taken(x, theirs[start : start + BLOCK])


def _taken(rows: Rows, places: Places) -> Rows:
    """Return the rows at places; those that lie side by side are not copied."""
    return rows[places[0] : places[-1] + 1] if (np.diff(places) == 1).all() else rows[places]


def procrustes_centred(z: Vectors, x: Vectors, mine: Places, theirs: Places) -> Fit | None:
    """Return the sides of `op`; `mine` and `theirs` are the rows of z and x fitted on; None as `_means` says."""
    means = _means(z, x)
    return None if means is None else _procrustes(z, x, mine, theirs, *means)


def _means(z: Vectors, x: Vectors) -> tuple[Matrix, Matrix] | None:
    """Return the means of vectors brought to length 1; None where those of a space are all alike, but for rounding."""
    means = unit_mean(z), unit_mean(x)
    for mean, rows in zip(means, (z, x), strict=True):
        share = with_direction(rows).mean()  # of zeros the mean has zeros
        if mean @ mean > (1 - FLAT**2) * share**2:
            return None
    return means


def procrustes(z: Vectors, x: Vectors, mine: Places, theirs: Places) -> Fit:
    """Return the sides of `op-`."""
    return _procrustes(z, x, mine, theirs, None, None)


def _procrustes(
    z: Vectors, x: Vectors, mine: Places, theirs: Places, mean_z: Matrix | None, mean_x: Matrix | None
) -> Fit:
    source, target = Side(True, mean_z), Side(True, mean_x)
    products, squares = np.zeros((z.shape[1], x.shape[1])), 0.0
    of_z, of_x = working_rows(z), working_rows(x)
    for earlier, later in fitted_rows(z, x, mine, theirs):
        both = apply(source, earlier, of_z), apply(target, later, of_x)
        products += both[0].T @ both[1]
        squares += sum(float(np.einsum("ij,ij->", rows, rows)) for rows in both)
    u, s, vt = np.linalg.svd(products)
    # |Z - X W|^2 = |Z|^2 + |X|^2 - 2 tr(W Zt X), and the trace is that of S.
    return Fit(source, target._replace(matrix=vt.T @ u.T), max(0.0, squares - 2 * float(s.sum())))


def procrustes_plus(
    z: Vectors,
    x: Vectors,
    mine: Places,
    theirs: Places,
    *,
    whiten: bool = True,
    reweight: float = 0.5,
    dewhiten: bool = True,
) -> Fit | None:
    """Return the sides of `op+`; None where a space cannot be whitened, and as `_means` says."""
    means = _means(z, x)
    if means is None:
        return None
    source, target = (Side(True, mean, unit_centred=True) for mean in means)
    rows = apply(source, z[mine]), apply(target, x[theirs])
    maps = whitened_maps(*rows, whiten=whiten, reweight=reweight, dewhiten=dewhiten)
    return None if maps is None else Fit(source._replace(matrix=maps[0]), target._replace(matrix=maps[1]))


def canonical(z: Vectors, x: Vectors, mine: Places, theirs: Places, *, rcond: float = 1e-10) -> Fit:
    """Return the sides of `cca`: the earlier space is mapped onto the later."""
    return Fit(Side(matrix=canonical_map(z[mine], x[theirs], rcond)), Side())


def canonical_reversed(z: Vectors, x: Vectors, mine: Places, theirs: Places, *, rcond: float = 1e-10) -> Fit:
    """Return the sides of `cca-reversed`: the later space is mapped onto the earlier."""
    return Fit(Side(), Side(matrix=canonical_map(x[theirs], z[mine], rcond)))


def intersected(z: Rows, x: Rows, mine: Places, theirs: Places) -> Fit:
    """Return the sides of `column-intersection`: rows that are fitted on are those of the contexts that are kept."""
    return Fit(Side(contexts=mine), Side(contexts=theirs))


def unaligned(z: Vectors, x: Vectors, mine: Places, theirs: Places) -> Fit:
    """Return sides that change nothing."""
    return Fit(Side(), Side())
