"""Products in which no row depends on those beside it, to the last bit.

BLAS sums in an order that depends on how many rows and columns a matrix has, and on where a row
stands among them; `numpy.einsum` on how an array lies in memory, and beyond 8192 numbers on how
many rows there are. So here each product is cut into tiles of one shape, filled up with zeros, in
float64. In such a tile the place of a row does not matter, with any kernel of OpenBLAS for x86
(tests/common/test_rowwise.py); of float32 it would.

>>> import numpy as np
>>> rows, matrix = np.arange(6.0).reshape(3, 2), np.array([[1.0, 0.0], [2.0, 1.0]])
>>> product(rows, matrix).tolist()
[[2.0, 1.0], [8.0, 3.0], [14.0, 5.0]]
>>> dots(rows, rows).tolist()
[1.0, 13.0, 41.0]
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.blas import one_thread

Floats = npt.NDArray[np.float64]

# Multiples of the heights and widths that kernels of OpenBLAS work with (4 to 24).
_HEIGHT = 24
_WIDTH = 192
_COLUMNS = 4096  # that einsum sums at once; it cuts longer rows itself, and not always alike


def product(rows: npt.NDArray[Any], matrix: npt.NDArray[Any]) -> Floats:
    """Return `rows @ matrix`, each number decided by its row and its column alone.

    With few rows it costs as much as with 24, and with few columns as much as with 192: for a
    single column use `dots`.

    Args:
        rows: (rows, n).
        matrix: (n, columns).

    Returns:
        Float64 of shape (rows, columns).
    """
    left = np.ascontiguousarray(rows, np.float64)
    right = np.ascontiguousarray(matrix.T, np.float64)
    products = np.empty((len(left), len(right)))
    whole = (_HEIGHT, _WIDTH)
    with one_thread():
        for column in range(0, len(right), _WIDTH):
            columns = _filled(right[column : column + _WIDTH], _WIDTH).T
            for row in range(0, len(left), _HEIGHT):
                place = products[row : row + _HEIGHT, column : column + _WIDTH]
                tile = _filled(left[row : row + _HEIGHT], _HEIGHT)
                if place.shape == whole:
                    np.matmul(tile, columns, out=place)
                else:
                    place[:] = (tile @ columns)[: len(place), : place.shape[1]]
    return products


def _filled(rows: Floats, height: int) -> Floats:
    if len(rows) == height:
        return rows
    filled = np.zeros((height, rows.shape[1]))
    filled[: len(rows)] = rows
    return filled


def dots(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the inner product of each row of one matrix with that of another, or with one vector.

    Args:
        first: (rows, n), float64 or float32.
        second: of the same shape and type, or (n,).

    Returns:
        (rows,), of their type.
    """
    first, second = np.ascontiguousarray(first), np.ascontiguousarray(second)
    how = "ij,ij->i" if second.ndim > 1 else "ij,j->i"
    sums = np.zeros(len(first), np.result_type(first, second))
    for start in range(0, first.shape[1], _COLUMNS):
        piece = slice(start, start + _COLUMNS)
        sums += np.einsum(how, first[:, piece], second[..., piece])
    return sums


_BLOCK = 1 << 22  # numbers of a block of a kernel matrix


def gaussian_sums(rows: Floats, vectors: Floats, shares: Floats, gamma: float) -> Floats:
    """Return for each row x the sum over vectors v of their share times exp(-gamma |x - v|^2).

    The sum of a row does not depend on other rows.

    Args:
        rows: (rows, columns).
        vectors: support vectors, (vectors, columns).
        shares: (vectors,).
        gamma: the kernel's width, over 0.
    """
    step = max(1, _BLOCK // max(len(vectors), 1))
    squares = dots(vectors, vectors)
    sums = [np.zeros(0)]
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        apart = dots(block, block)[:, None] + squares - 2 * product(block, vectors.T)
        sums.append(dots(np.exp(-gamma * np.maximum(apart, 0.0)), shares))
    return np.concatenate(sums)
