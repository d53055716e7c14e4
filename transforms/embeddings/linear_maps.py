"""Formulas of alignments: matrices from the rows of two spaces that are of the same words, float64.

>>> import numpy as np
>>> rows = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
>>> bool(np.allclose(canonical_map(rows, rows[:, ::-1], 1e-10), [[0, 1], [1, 0]]))
True
"""

import numpy as np
import numpy.typing as npt

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
