"""Weights that were trained side by side from the same start, averaged: iterative parameter mixing.

After McDonald, Hall & Mann 2010, "Distributed Training Strategies for the Structured Perceptron", word by word.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def averaged(common: Floats, uses: Sequence[Ints], weights: Sequence[Floats]) -> Floats:
    """Return the average of the weights of some words over shards, by the uses of each word in each.

        w = (n_1 w_1 + ... + n_K w_K) / (n_1 + ... + n_K), or the common w where no shard has the word

    Sums are in float64, in the order of the shards.

    Args:
        common: what the shards started from, float32 of shape (words, ...).
        uses: of each shard n, int64 of shape (words,).
        weights: of each shard those of the words that it has, in their order, float32 of shape (its words, ...).

    Returns:
        float32 of the shape of `common`.
    """
    column = (-1,) + (1,) * (common.ndim - 1)
    sums = np.zeros(common.shape, np.float64)
    for of_shard, rows in zip(uses, weights, strict=True):
        held = np.flatnonzero(of_shard)
        sums[held] += of_shard[held].reshape(column) * rows.astype(np.float64)
    total: Ints = np.asarray(np.sum(uses, axis=0, dtype=np.int64))
    known = np.flatnonzero(total)
    result = np.array(common, np.float32)
    result[known] = sums[known] / total[known].reshape(column)
    return result
