"""GloVe: vectors from weighted co-occurrence counts, by a loop in C (Pennington, Socher and Manning 2014).

X_ij says how often words i and j co-occur, each time by 1 over their distance. What is made small, over all cells that
are not 0, is the sum of f(X_ij) (w_i . u_j + b_i + c_j - log X_ij)^2 (equation 8), with
f(x) = min(1, (x / `x_max`)^.75) (equation 9); the vector of a word is w_i + u_i. Words have vectors w and biases b,
contexts vectors u and biases c. With AdaGrad (Duchi et al. 2011) a cell changes them by

    g = f(X_ij) (w_i . u_j + b_i + c_j - log X_ij)
    w -= .05 g u / sqrt(G_w), u -= .05 g w / sqrt(G_u), b -= .05 g / sqrt(G_b), c -= .05 g / sqrt(G_c)

number by number, both by the values before, where G is 1 plus the squares of the gradients (g u, g w, g, g) of earlier
cells. The authors' code begins with 1, too, but adds up squares of the gradients times .05, so that its rates, which
are 1 / sqrt(400 + sum of squares), begin at .05 as these do and fall more slowly, to at most twenty times these. All
begin uniform in [-1/2d, 1/2d), d the dimension, drawn by word and seed; in each of `iterations` all cells have an order
of their own, drawn by their numbers and the seed. Numbers are float32, each operation rounded (`_glove.c`).
"""

import functools
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import load_loops, padded
from lexbeam.transforms.common.draws.by_content import permutation, uniform
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.models import packaged_text

if TYPE_CHECKING:
    from scipy.sparse import csr_array

RATE = 0.05
POWER = 0.75


@functools.cache
def compiled_glove() -> ModuleType:
    """Return the compiled loop.

    Raises:
        UsageError: it has not been compiled, or from another source than is installed.
    """
    source = packaged_text("lexbeam.transforms.embeddings", "_glove.c")
    return load_loops("lexbeam.transforms.embeddings._glove", source, "`representation` glove", "`representation` svd")


def train_glove(
    counts: "csr_array", words: Sequence[str], *, dim: int, iterations: int, x_max: float, seed: int, variant: str = ""
) -> npt.NDArray[np.float32]:
    """Return the vectors of words, float32 of shape (words, dim); zero for a word that has no context.

    Args:
        counts: weighted, above 0, of shape (words, words).
        words: by which vectors begin.
        dim: length of the vectors.
        iterations: over all cells.
        x_max: from which on counts weigh as much.
        seed: of the beginning and of orders.
        variant: of the compiled loop; by default the widest that this CPU runs.

    Raises:
        UsageError: the loop has not been compiled.
        LexbeamError: numbers grew beyond bounds.
    """
    loops = compiled_glove()
    drawn = (uniform(words, seed=seed, label="glove", draws=2 * dim + 2) - 0.5) / dim
    matrices = [padded(len(words), dim) for _ in range(4)]
    for place, matrix in enumerate(matrices):
        matrix[:, :dim] = drawn[:, place * dim : (place + 1) * dim] if place < 2 else 1
        matrix[:, dim:] = place > 1
    biases = np.ones((4, len(words)), np.float32)
    biases[:2] = drawn[:, 2 * dim :].T
    filled = np.diff(counts.indptr)
    rows = np.repeat(np.arange(len(words), dtype=np.int32), filled)
    shares = np.minimum(1.0, (counts.data / x_max) ** POWER).astype(np.float32)
    cells = (rows, counts.indices.astype(np.int32), np.log(counts.data).astype(np.float32), shares)
    keys = np.arange(len(rows), dtype=np.uint64)
    for iteration in range(iterations):
        order = permutation(keys, seed=seed, label=f"glove {iteration}").astype(np.int64)
        loops.train(*matrices, biases, *cells, order, matrices[0].shape[1], RATE, variant)
    vectors = (matrices[0] + matrices[1])[:, :dim]
    if not np.isfinite(vectors).all():
        raise LexbeamError("`representation` glove: numbers grew beyond bounds: raise `x_max`")
    vectors[filled == 0] = 0
    return np.ascontiguousarray(vectors)
