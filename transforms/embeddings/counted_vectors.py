"""Embeddings that are made of counts: which words co-occur, how counts are weighted, GloVe.

*Counts* are of words in a symmetric window within sentences, as sparse matrices of whole numbers. Two words of a
sentence co-occur if at most `window` - 1 words stand between them; words that are not counted are taken out of the
sentences first, as in training. Every pair of places counts once in either direction, so that counts are symmetric, and
only the upper triangle is kept until all parts are added up (Schlechtweg et al. 2019, `CNT`). By distance a pair counts
1 over its distance (Pennington et al. 2014), in steps of 2**-24, whole numbers of which are summed.

>>> sentences = pa.array([["a", "b", "x", "a"]])
>>> upper = count_pairs([sentences], pa.array(["a", "b"]), 1)
>>> symmetric([upper]).toarray().tolist()
[[0, 2], [2, 0]]

*Weighted counts*: association, fewer dimensions by decomposition or by chance.

- PPMI with context distribution smoothing and shift (Levy, Goldberg and Dagan 2015):
  max(0, log[#(w,c) / (#(w) P_a(c))] - log k), with #(w) the sum of a row and P_a(c) = #(c)^a / sum of #(c')^a.
- Truncated SVD (ibid.): M = U S Vt, of which U S^gamma is kept in the dimensions with the greatest singular values.
- Random indexing (Kanerva et al. 2000; Sahlgren 2005): counts times a sparse matrix of -1, 0 and 1, in which each
  context has a row of its own, drawn from its text and the seed alone, so that all slices share it (temporal random
  indexing, Basile et al. 2014).

>>> from scipy.sparse import csr_array
>>> counts = csr_array(np.array([[0, 2], [2, 0]]))
>>> ppmi(counts, smoothing=1.0, shift=1.0).toarray().round(4).tolist()
[[0.0, 0.6931], [0.6931, 0.0]]
>>> truncated_svd(counts, dim=1, gamma=1.0).round(4).shape
(2, 1)

*GloVe* makes vectors from counts by a loop in C (Pennington, Socher and Manning 2014).

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
import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import load_loops, one_thread, padded
from lexbeam.transforms.common.draws.by_content import numbers, permutation, uniform
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.models import packaged_text

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Ints = npt.NDArray[np.int64]

STEPS = 1 << 24  # that a pair beside each other counts, by distance
HELD = 1 << 22  # pairs that are held before equal ones are added up


class Cooccurrences(NamedTuple):
    """Words, sorted, and how often each occurs with each: int64 of shape (words, words), symmetric, in rows."""

    words: list[str]
    counts: "csr_array"


def count_pairs(
    sentences: Iterable[pa.ListArray], words: pa.Array, window: int, *, by_distance: bool = False
) -> "csr_array":
    """Return how often two words stand near each other, each pair once, the word that sorts first in the row.

    Args:
        sentences: arrays of lists of words, list<string> or of dictionary.
        words: those that count, sorted.
        window: words to either side, at most.
        by_distance: whether a pair counts `STEPS` over its distance, rounded, in place of 1.

    Returns:
        int64 of shape (words, words), nothing below the diagonal. The order of sentences, and how they are cut into
        arrays, change nothing.
    """
    size = len(words)
    total, held = _Pairs(), 0
    fresh: dict[int, list[Ints]] = {}  # by what a pair counts
    dictionary, places = pa.array([], pa.string()), np.zeros(0, np.int64)
    for lists in sentences:
        tokens = lists.flatten()
        if not pa.types.is_dictionary(tokens.type):
            tokens = tokens.dictionary_encode()
        if not tokens.dictionary.equals(dictionary):  # batches of a file share one
            dictionary = tokens.dictionary
            places = pc.index_in(dictionary, value_set=words).fill_null(-1).to_numpy().astype(np.int64)
        found = places[tokens.indices.to_numpy(zero_copy_only=False)]
        sentence = np.repeat(np.arange(len(lists)), lists.value_lengths().to_numpy(zero_copy_only=False))
        known = found >= 0
        found, sentence = found[known], sentence[known]
        for apart in range(1, min(window, len(found) - 1) + 1):
            both = sentence[apart:] == sentence[:-apart]
            if not both.any():
                break  # no sentence is longer
            first, second = found[:-apart][both], found[apart:][both]
            pairs = np.minimum(first, second) * size + np.maximum(first, second)
            fresh.setdefault(round(STEPS / apart) if by_distance else 1, []).append(pairs)
            held += len(pairs)
            if held > max(HELD, len(total.codes) // 2):  # so that adding up stays linear in what is added
                total = total.with_more(fresh)
                fresh, held = {}, 0
    codes, counts = total.with_more(fresh)
    rows, columns = np.divmod(codes, max(size, 1))
    return matrix_of(rows, columns, counts, size)


class _Pairs(NamedTuple):
    """Pairs by number, sorted, and how often there is each."""

    codes: Ints = np.zeros(0, np.int64)
    counts: Ints = np.zeros(0, np.int64)

    def with_more(self, fresh: Mapping[int, Sequence[Ints]]) -> "_Pairs":
        parts = [self] if len(self.codes) else []
        for worth, pairs in fresh.items():
            codes, counts = np.unique(np.concatenate(pairs), return_counts=True)
            parts.append(_Pairs(codes, counts * worth))
        if len(parts) < 2:
            return parts[0] if parts else self
        joined, held = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(joined, kind="stable")
        joined, held = joined[order], held[order]
        starts = np.flatnonzero(np.append(True, joined[1:] != joined[:-1]))
        return _Pairs(joined[starts], np.add.reduceat(held, starts))


def matrix_of(rows: Ints, columns: Ints, counts: Ints, size: int) -> "csr_array":
    """Return a matrix of counts from its cells, sorted by row and column."""
    from scipy.sparse import csr_array

    starts = np.searchsorted(rows, np.arange(size + 1))
    index = np.int32 if len(rows) < 1 << 31 else np.int64
    return csr_array((counts, columns.astype(index), starts.astype(index)), shape=(size, size))


def symmetric(parts: Sequence["csr_array"]) -> "csr_array":
    """Return the counts of all parts, in both directions: int64, columns ascending in every row."""
    upper = parts[0]
    for part in parts[1:]:
        upper = upper + part
    whole = (upper + upper.T).tocsr()
    whole.sort_indices()
    return whole


Floats = npt.NDArray[np.float64]

NO_DIRECTION = 1e-8  # of the greatest singular value: what is smaller is rounding
BLOCK = 4_096  # rows


def ppmi(counts: "csr_array", *, smoothing: float, shift: float) -> "csr_array":
    """Return positive pointwise mutual information of words (rows) and contexts (columns), natural logarithms.

    Args:
        counts: whole numbers from 0.
        smoothing: a, the power of context counts; 1 for none.
        shift: k, whose logarithm is subtracted; 1 for none.

    Returns:
        float64 of the same shape; what is not above 0 is not stored.
    """
    from scipy.sparse import csr_array

    uses = np.asarray(counts.sum(axis=1), np.float64)
    contexts = np.asarray(counts.sum(axis=0), np.float64) ** smoothing
    values = np.repeat(uses, np.diff(counts.indptr))
    values *= (contexts / (contexts.sum() or 1.0))[counts.indices]  # what is expected
    np.divide(counts.data, values, out=values)
    np.log(values, out=values)
    values -= np.log(shift)
    above = values > 0
    starts = np.append(0, np.cumsum(above))[counts.indptr]
    return csr_array((values[above], counts.indices[above], starts), shape=counts.shape)


def truncated_svd(matrix: "csr_array", *, dim: int, gamma: float) -> Floats:
    """Return U S^gamma of the `dim` greatest singular values, greatest first.

    Of each column the number farthest from 0 is positive. Columns are 0 where there is no further direction (the
    singular value is below 1e-8 of the greatest), and so are rows that are 0 in the matrix.

    Args:
        matrix: of shape (words, contexts).
        dim: columns of the result; there may be fewer words.
        gamma: power of the singular values; 0: U alone.
    """
    found = np.zeros((matrix.shape[0], dim))
    matrix = matrix.astype(np.float64, copy=False)
    rows = np.flatnonzero(np.diff(matrix.indptr))
    columns = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
    if not len(rows):
        return found
    if (len(rows), len(columns)) != matrix.shape:
        matrix = matrix[rows][:, columns]
    with one_thread():
        left, values = _left_side(matrix, dim)
    sound = values > NO_DIRECTION * values[0]
    left, values = left[:, sound], values[sound]
    farthest = left[np.abs(left).argmax(axis=0), np.arange(len(values))]
    found[rows, : len(values)] = left * np.sign(farthest) * values**gamma
    return found


def _left_side(matrix: "csr_array", dim: int) -> tuple[Floats, Floats]:
    """Return the left singular vectors, as columns, and the greatest singular values, greatest first."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    least = min(matrix.shape)
    if least <= 3 * dim:  # Lanczos vectors would come near to spanning everything
        left, values, _ = np.linalg.svd(matrix.toarray(), full_matrices=False)
        return left[:, :dim], values[:dim]
    columns = matrix.shape[1]
    turned = matrix.T
    square = LinearOperator((columns, columns), lambda vector: turned @ (matrix @ vector), dtype=np.float64)
    # `svds` has eigenvectors found likewise, but restarts by chance where the Lanczos vectors are exhausted.
    restarts = {"rng": 0} if "rng" in inspect.signature(eigsh).parameters else {}
    start = uniform(range(columns), seed=0, label="start of eigsh") - 0.5
    _, right = eigsh(square, k=dim, v0=start, **restarts)
    left, values, _ = np.linalg.svd(matrix @ np.linalg.qr(right)[0], full_matrices=False)
    return left, values


def random_vectors(words: Sequence[str], *, dim: int, nonzero: int, seed: int) -> "csr_array":
    """Return the vector of each context, drawn from its text and the seed: -1 or 1 in `nonzero` places, else 0.

    The dimensions are cut into as many spans, as equal as may be, and each span has one of these places.

    Returns:
        int64 of shape (words, dim).
    """
    from scipy.sparse import csr_array

    bounds = np.arange(nonzero + 1) * dim // nonzero
    drawn = numbers(words, seed=seed, label="random indexing", draws=nonzero)
    signs = 1 - 2 * (drawn & np.uint64(1)).astype(np.int64)
    # The upper bits, as a number below 1.
    places = bounds[:-1] + ((drawn >> np.uint64(11)) * 2.0**-53 * np.diff(bounds)).astype(np.int64)
    starts = np.arange(len(words) + 1) * nonzero
    return csr_array((signs.ravel(), places.ravel(), starts), shape=(len(words), dim))


def projected(counts: "csr_array", vectors: "csr_array") -> npt.NDArray[np.float32]:
    """Return the sum of the vectors of each word's contexts, as often as they occur; whole numbers, as float32."""
    found = np.empty((counts.shape[0], vectors.shape[1]), np.float32)
    for start in range(0, len(found), BLOCK):
        found[start : start + BLOCK] = (counts[start : start + BLOCK] @ vectors).toarray()
    return found


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
