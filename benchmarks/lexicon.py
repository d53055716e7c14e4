"""Look-ups of whole arrays, in millions of words a second, in word lists, frequencies and vectors.

    python -m benchmarks lexicon

A million words are drawn from a list of 50,000 by Zipf's law, as text has them, one in ten with a
capital and one in twenty of no list; each resource looks all of them up at once, five times,
and the median counts, in seconds of the processor, since machines are shared. Vectors are copied
out, which is as fast as memory is.
"""

import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measure import BenchmarkRow
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

QUERIES = 1_000_000
LISTED = 50_000
DIM = 50
REPEATS = 5


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows; frequencies are left out where wordfreq is not installed."""
    random = np.random.default_rng(1)
    words = [f"w{number:x}" for number in random.permutation(LISTED)]
    queries = _queries(words, random)
    rows = [*_word_list(folder, words, queries), *_vectors(folder, words, queries)]
    if importlib.util.find_spec("wordfreq") is None:
        print("frequencies are not measured: wordfreq is not installed (extra `frequency`)")
        return rows
    return [*rows, _frequencies(folder, random)]


def _queries(words: list[str], random: np.random.Generator) -> pa.Array:
    """Return words as a text has them."""
    shares = 1 / np.arange(1, len(words) + 1)
    places = random.choice(len(words), QUERIES, p=shares / shares.sum())
    chance = random.random(QUERIES)
    return pa.array(
        [
            f"{words[place]}x" if x < 0.05 else words[place].upper() if x < 0.15 else words[place]
            for place, x in zip(places.tolist(), chance.tolist(), strict=True)
        ]
    )


def _opened(folder: Path, spec: str) -> Any:
    """Return a resource as workers have it: compiled into a cache, mapped."""
    options = LexiconOptions(resources=(f"asked={spec}",), cache=str(folder / "cache"))
    return prepare(options).held[0].open()


def _row(name: str, ask: Callable[[], object]) -> BenchmarkRow:
    rates = []
    for _ in range(REPEATS):
        start = time.process_time()
        ask()
        rates.append(QUERIES / 1e6 / (time.process_time() - start))
    note = f"all runs: {', '.join(f'{rate:.1f}' for rate in rates)}"
    return BenchmarkRow(name, statistics.median(rates), 1.0, False, "M words/s", note)


def _word_list(folder: Path, words: list[str], queries: pa.Array) -> list[BenchmarkRow]:
    path = folder / "list.tsv"
    path.write_text("word\tvalue\n" + "".join(f"{w}\t{n}\n" for n, w in enumerate(words)))
    resource = _opened(folder, f"{path}:word=word,value=value")
    distinct = pa.array([*words, *(f"w{number:x}" for number in range(LISTED, QUERIES))])
    return [
        _row("look-ups in a word list", lambda: resource.look_up(queries)),
        _row("of words that are all different", lambda: resource.look_up(distinct)),
    ]


def _vectors(folder: Path, words: list[str], queries: pa.Array) -> list[BenchmarkRow]:
    path = folder / "vectors.bin"
    vectors = np.random.default_rng(2).normal(size=(len(words), DIM)).astype("<f4")
    with open(path, "wb") as stream:
        stream.write(f"{len(words)} {DIM}\n".encode())
        for word, vector in zip(words, vectors, strict=True):
            stream.write(word.encode() + b" " + vector.tobytes())
    resource = _opened(folder, f"vectors:{path}")
    return [
        _row("look-ups of rows of vectors", lambda: resource.rows(queries)),
        _row(f"look-ups of vectors of {DIM} numbers", lambda: resource.vectors(queries)),
    ]


def _frequencies(folder: Path, random: np.random.Generator) -> BenchmarkRow:
    import wordfreq

    queries = _queries(wordfreq.top_n_list("en", LISTED), random)
    resource = _opened(folder, "wordfreq:en")
    return _row("look-ups in wordfreq's list for English", lambda: resource.look_up(queries))
