"""Spaces made of counts, beside what they cannot do without.

    python -m benchmarks counts

The first row is a ratio of CPU times on one core, measured in turn: PPMI and its decomposition in 100 dimensions, by
Lexbeam, over the logarithms of all cells that are not 0 and `scipy.sparse.linalg.svds` of the same matrix, on the
counts of ten million words, half of them of the topic of their sentence. The second is a ratio of seconds: these words
counted in pieces by one process over the same by two; adding up the pieces, which one does, stands beside it.
"""

import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_array, load_npz, save_npz
from scipy.sparse.linalg import svds

from benchmarks.measure import BenchmarkRow, ratios, timed
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.embeddings.counted_vectors import count_pairs, ppmi, symmetric, truncated_svd

TOKENS = 10_000_000
VOCABULARY = 20_000
SENTENCE = 25
BATCH = 8_192  # sentences
WINDOW = 10
DIM = 100
PIECES = 8


def sentences(tokens: int) -> list[pa.ListArray]:
    """Return sentences of words whose shares fall as their ranks rise, half of them of the topic of the sentence."""
    random = np.random.default_rng(1)
    shares = 1 / np.arange(1, VOCABULARY + 1)
    drawn = random.choice(VOCABULARY, tokens, p=shares / shares.sum())
    topic = np.repeat(random.integers(0, 100, -(-tokens // SENTENCE)), SENTENCE)[:tokens]
    own = random.random(tokens) < 0.5
    drawn[own] -= (drawn[own] - topic[own]) % 100  # a word of the topic that is about as frequent
    words = pa.array([f"w{number:05}" for number in range(VOCABULARY)])
    coded = pa.DictionaryArray.from_arrays(pa.array(np.abs(drawn), pa.int32()), words)
    size = BATCH * SENTENCE
    return [_lists(coded[start : start + size]) for start in range(0, tokens, size)]


def _lists(words: pa.DictionaryArray) -> pa.ListArray:
    starts = np.minimum(np.arange(0, len(words) + SENTENCE, SENTENCE), len(words))
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), words)


def bare(counts: csr_array, matrix: csr_array) -> npt.NDArray[np.float64]:
    """Take logarithms of counts, and decompose another matrix by scipy alone."""
    with one_thread():
        np.log(counts.data / np.repeat(counts.sum(axis=1), np.diff(counts.indptr)))
        left, _, _ = svds(matrix, k=DIM, v0=np.ones(matrix.shape[1]))
    return np.asarray(left)


FEED: list[pa.ListArray] = []  # what processes that are forked have without a copy


def count_piece(piece: int, folder: str) -> None:
    """Count a piece of the feed, and write its cells."""
    words = pa.array([f"w{number:05}" for number in range(VOCABULARY)])
    save_npz(f"{folder}/{piece}.npz", count_pairs(FEED[piece::PIECES], words, WINDOW), compressed=False)


def count(processes: int, folder: str) -> None:
    """Count the feed in pieces, by some processes."""
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        pool.starmap(count_piece, [(piece, folder) for piece in range(PIECES)], chunksize=1)


def add(folder: str) -> None:
    """Add up the pieces."""
    symmetric([load_npz(f"{folder}/{piece}.npz") for piece in range(PIECES)])


def measure(_: Path, tokens: int = TOKENS) -> list[BenchmarkRow]:
    """Return the rows."""
    feed, words = sentences(tokens), pa.array([f"w{number:05}" for number in range(VOCABULARY)])
    counts = symmetric([count_pairs(feed, words, WINDOW)])
    matrix = ppmi(counts, smoothing=0.75, shift=1.0)
    made, all_made = ratios(
        lambda: truncated_svd(ppmi(counts, smoothing=0.75, shift=1.0), dim=DIM, gamma=0.0),
        lambda: bare(counts, matrix),
        3,
        time.process_time,
    )
    note = f"{', '.join(f'{ratio:.2f}' for ratio in all_made)}; {counts.nnz:,} cells"
    FEED[:] = feed
    with tempfile.TemporaryDirectory() as folder:
        spread, all_spread = ratios(lambda: count(1, folder), lambda: count(2, folder), 5)
        added = timed(lambda: add(folder), time.process_time)
    return [
        BenchmarkRow(f"PPMI and SVD of {tokens:,} words over scipy", made, 1.2, True, "ratio", note),
        BenchmarkRow(
            f"contexts of {tokens:,} words by one process over two",
            spread,
            1.7,
            False,
            "ratio",
            f"{', '.join(f'{ratio:.2f}' for ratio in all_spread)}; adding up takes {added:.1f} s",
        ),
    ]
