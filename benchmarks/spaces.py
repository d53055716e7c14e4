"""Alignments and neighbourhoods of whole spaces, beside the bare linear algebra that they cannot do without.

    python -m benchmarks spaces

Each row is a ratio of CPU times on one core, measured in turn: fitting `op` over unit length, means, the two products
and the singular value decomposition by numpy alone; and the local neighbourhood distance of all words over the products
of all vectors with all, in blocks of the same size. Vectors are random.
"""

import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.measure import BenchmarkRow, ratios
from transforms.change.scores.neighbourhood_measures import local_neighbourhood_distance
from transforms.common.blas import one_thread
from transforms.embeddings.alignment import fit_alignment
from transforms.embeddings.neighbourhoods import CANDIDATES, QUERIES, SpacePair, lengths_of
from transforms.embeddings.spaces import Space

DIM = 300
ALIGNED = 100_000
NEIGHBOURS = 50_000


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


def bare_procrustes(pair: tuple[Space, Space]) -> None:
    """Align by numpy alone."""
    with one_thread():
        z, x = (_unit(space.vectors) for space in pair)
        for rows in (z, x):
            rows -= rows.mean(axis=0)
        u, _, vt = np.linalg.svd(z.T @ x)
        x @ (vt.T @ u.T)


def bare_products(pair: tuple[Space, Space]) -> None:
    """Multiply all vectors of each space with all, block by block."""
    with one_thread():
        for space in pair:
            rows = _unit(space.vectors)
            for query in range(0, len(rows), QUERIES):
                for place in range(0, len(rows), CANDIDATES):
                    rows[query : query + QUERIES] @ rows[place : place + CANDIDATES].T


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    return np.asarray(vectors / lengths_of(vectors)[:, None])


def measure(_: Path, aligned: int = ALIGNED, neighbours: int = NEIGHBOURS) -> list[BenchmarkRow]:
    """Return the ratios."""
    pair = spaces(aligned)
    fit, fits = ratios(lambda: fit_alignment("op", *pair), lambda: bare_procrustes(pair), 3, time.process_time)
    pair = spaces(neighbours)
    near, _ = ratios(
        lambda: local_neighbourhood_distance(SpacePair(*pair), neighbourhood=25),
        lambda: bare_products(pair),
        1,
        time.process_time,
    )
    note = ", ".join(f"{ratio:.2f}" for ratio in fits)
    return [
        BenchmarkRow(f"op of {aligned:,} words over bare algebra", fit, 1.2, True, "ratio", note),
        BenchmarkRow(f"lnd of {neighbours:,} words over bare products", near, 1.5, True, "ratio"),
    ]
