"""Kernels of support vector machines that are saved as arrays."""

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import dots, product

Floats = npt.NDArray[np.float64]

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
