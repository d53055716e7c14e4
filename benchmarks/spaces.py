"""Alignments and neighbourhoods of whole spaces, beside the bare linear algebra that they cannot do without.

    python -m benchmarks spaces

Each row is a ratio of CPU times on one core, measured in turn: fitting `op`, from vectors as they are trained, over the
two products and the singular value decomposition by numpy alone, from rows of unit length that are centred already; and
the local neighbourhood distance of all words over the products of all vectors with all, in blocks of the same size.
Vectors are random. Of sparse spaces the distance is over the bare products of sparse matrices; these are PPMI of
sentences that `counts` makes.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks import counts
from benchmarks.measure import BenchmarkRow, ratios
from lexbeam.transforms.change.scores.neighbourhood_measures import local_neighbourhood_distance
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.embeddings.alignment import fit_alignment
from lexbeam.transforms.embeddings.counted_vectors import count_pairs, ppmi, symmetric
from lexbeam.transforms.embeddings.neighbours import BLOCK, SpacePair, lengths_of
from lexbeam.transforms.embeddings.spaces import Space, at_length_one, products

DIM = 300
ALIGNED = 100_000
NEIGHBOURS = 50_000
SPARSE = 5_000


def spaces(words: int) -> tuple[Space, Space]:
    """Return two spaces of the same words, whose vectors agree in part."""
    random = np.random.default_rng(1)
    shared = random.normal(size=(words, DIM))
    names = [f"w{number:07}" for number in range(words)]
    earlier, later = (
        Space(names, np.full(words, 9), (shared + random.normal(size=(words, DIM))).astype(np.float32), 9 * words)
        for _ in range(2)
    )
    return earlier, later


def centred(space: Space) -> npt.NDArray[np.float64]:
    """Return the vectors of a space at length 1, minus their mean."""
    rows = _unit(space.vectors)
    rows -= rows.mean(axis=0)
    return rows


def bare_procrustes(z: npt.NDArray[np.float64], x: npt.NDArray[np.float64]) -> None:
    """Align by numpy alone."""
    with one_thread():
        u, _, vt = np.linalg.svd(z.T @ x)
        x @ (vt.T @ u.T)


def bare_products(pair: tuple[Space, Space]) -> None:
    """Multiply all vectors of each space with all, block by block."""
    with one_thread():
        for space in pair:
            rows = _unit(space.vectors)
            for query in range(0, len(rows), BLOCK):
                for place in range(0, len(rows), BLOCK):
                    rows[query : query + BLOCK] @ rows[place : place + BLOCK].T


def sparse_spaces(words: int) -> tuple[Space, Space]:
    """Return two spaces of the same words with as many dimensions, of a million tokens each."""
    names = [f"w{number:05}" for number in range(words)]
    feed = counts.sentences(2_000_000)
    half = len(feed) // 2
    earlier, later = (
        ppmi(symmetric([count_pairs(some, pa.array(names), counts.WINDOW)]), smoothing=0.75, shift=1.0)
        for some in (feed[:half], feed[half:])
    )
    uses = np.full(words, 9)
    return Space(names, uses, earlier.astype(np.float32), 10**6), Space(names, uses, later.astype(np.float32), 10**6)


def bare_sparse_products(pair: tuple[Space, Space]) -> None:
    """Multiply all sparse vectors of each space with all, block by block."""
    for space in pair:
        rows = at_length_one(space.vectors)
        for query in range(0, rows.shape[0], BLOCK):
            for place in range(0, rows.shape[0], BLOCK):
                products(rows[query : query + BLOCK], rows[place : place + BLOCK])


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    return np.asarray(vectors / lengths_of(vectors)[:, None])


def lnd_over(pair: tuple[Space, Space], bare: Callable[[tuple[Space, Space]], None]) -> float:
    """Return the ratio of the local neighbourhood distance of all words and of bare products."""
    return ratios(
        lambda: local_neighbourhood_distance(SpacePair(*pair), neighbourhood=25),
        lambda: bare(pair),
        1,
        time.process_time,
    )[0]


def measure(_: Path, aligned: int = ALIGNED, neighbours: int = NEIGHBOURS, sparse: int = SPARSE) -> list[BenchmarkRow]:
    """Return the ratios."""
    pair = spaces(aligned)
    ready = [centred(space) for space in pair]
    fit, fits = ratios(lambda: fit_alignment("op", *pair), lambda: bare_procrustes(*ready), 5, time.process_time)
    near = lnd_over(spaces(neighbours), bare_products)
    thin = lnd_over(sparse_spaces(sparse), bare_sparse_products)
    note = ", ".join(f"{ratio:.2f}" for ratio in fits)
    return [
        BenchmarkRow(f"op of {aligned:,} words over bare algebra", fit, 1.2, True, "ratio", note),
        BenchmarkRow(f"lnd of {neighbours:,} words over bare products", near, 1.5, True, "ratio"),
        BenchmarkRow(f"lnd of {sparse:,} sparse words over bare products", thin, 1.5, True, "ratio"),
    ]
