"""How the maps of alignments are fitted: orthogonal Procrustes, also with whitening, and canonical correlation.

A fit takes the matrices of two spaces and the rows of each that are of the same words, and returns what becomes of
either side, in float64. `alignment` has the equations, and the alignments by name.

>>> import numpy as np
>>> rows = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
>>> bool(np.allclose(canonical_map(rows, rows[:, ::-1], 1e-10), [[0, 1], [1, 0]]))
True
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.embeddings.spaces import BLOCK, Rows, Side, apply, unit_mean, with_direction, working_rows

Matrix = npt.NDArray[np.float64]

FLAT = 1e-6  # of the largest singular value: vectors of float32 tell no smaller one from none


def canonical_map(source: npt.NDArray[np.floating], target: npt.NDArray[np.floating], rcond: float) -> Matrix:
    """Return the map of canonical correlation that takes one space onto another, see `alignment`."""
    u_s, d_s, v_s = _thin(source, rcond)
    u_t, d_t, v_t = _thin(target, rcond)
    p, _, qt = np.linalg.svd(u_s.T @ u_t, full_matrices=False)
    a = (v_s / d_s) @ p
    # B^+ of B = V D^-1 Q: V has orthonormal columns, and Q is orthogonal unless rows were dropped.
    b = qt.T / d_t[:, None]
    inverse = qt * d_t if qt.shape[0] == qt.shape[1] else np.linalg.pinv(b)
    return np.asarray(a @ inverse @ v_t.T)


def _thin(rows: npt.NDArray[np.floating], rcond: float) -> tuple[Matrix, Matrix, Matrix]:
    u, d, vt = np.linalg.svd(rows.astype(np.float64), full_matrices=False)
    rank = int((d > rcond * d[0]).sum())
    return u[:, :rank], d[:rank], vt[:rank].T


def whitened_maps(
    earlier: Matrix, later: Matrix, *, whiten: bool, reweight: float, dewhiten: bool
) -> tuple[Matrix, Matrix] | None:
    """Return the maps of both spaces by the steps of Artetxe et al. (2018), which VecMap takes.

    1. Whiten (`whiten`): X Wx and Z Wz with Wx = (Xt X)^-1/2, Wz = (Zt Z)^-1/2.
    2. Map orthogonally: U S Vt = svd((X Wx)t Z Wz); X Wx U and Z Wz V.
    3. Re-weight: both times S^`reweight`.
    4. De-whiten (`dewhiten`), if whitened: times Ut Wx^-1 U and Vt Wz^-1 V.

    Args:
        earlier: Z, (words, dim), of unit length, centred, and of unit length again.
        later: X, likewise.
        whiten: whether step 1 is taken; without it Wx and Wz are the identity.
        reweight: the power in step 3; 0 leaves dimensions as they are.
        dewhiten: whether step 4 is taken.

    Returns:
        The matrices of Z and X; None where a space is to be whitened that spans fewer than its dimensions.
    """
    if not whiten:
        v, s, ut = np.linalg.svd(earlier.T @ later)
        return v * s**reweight, ut.T * s**reweight
    of_z, of_x = _roots(earlier.T @ earlier), _roots(later.T @ later)
    if of_z is None or of_x is None:
        return None
    (root_z, w_z), (root_x, w_x) = of_z, of_x
    v, s, ut = np.linalg.svd(w_z @ (earlier.T @ later) @ w_x)
    maps = w_z @ v * s**reweight, w_x @ ut.T * s**reweight
    if dewhiten:
        maps = maps[0] @ (v.T @ root_z @ v), maps[1] @ (ut @ root_x @ ut.T)
    return maps


def _roots(gram: Matrix) -> tuple[Matrix, Matrix] | None:
    """Return the symmetric root of rows' inner products and its inverse; None without one."""
    values, vectors = np.linalg.eigh(gram)
    if not values[0] > FLAT**2 * values[-1]:
        return None
    root = np.sqrt(values)
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T


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
