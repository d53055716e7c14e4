"""What trains an embedding of one slice: gensim, or the same definition in C.

The trainer `fast` is skip-gram with negative sampling by a loop in C, in one thread, several times as fast as gensim.

What is computed is gensim's definition (`word2vec_inner.pyx` of gensim 4, after Mikolov et al. 2013, "Distributed
Representations of Words and Phrases and their Compositionality"), with another generator. Words have numbers by
descending count, V in all; v_w is the input vector of word w, u_w its context vector, d the dimension:

    start            v_w uniform in [-1/d, 1/d), the numbers of gensim for the seed; u_w = 0
    subsampling      a use of w stays with probability min(1, (sqrt(n_w / t) + 1) t / n_w), t = `sample` * sum of n
    window           of each word w_i its own, b_i uniform in 1 .. `window`, over the words that stayed
    pairs            i ascending, for each j ascending with 0 < |i - j| <= b_i: input w_j, targets w_i with label 1,
                     then `negative` drawn words with label 0, those that are w_i left out
    negative table   P(w) proportional to n_w ** `ns_exponent`: r uniform in 0 .. 2^31 - 2; w is the first with
                     round((2^31 - 1) sum of P up to w) >= r
    step             for each target u in turn: f = v . u, left out if |f| >= 6; g = (label - s(f)) a;
                     e += g u; u += g v; after the last target v += e
    s(f)             1 / (1 + exp(-f)) at the lower edge of step floor(83 (f + 6)) of 1,000 equal steps from -6 to 6:
                     83 is 1,000 / 6 / 2 in whole numbers, so that s(0) is .494
    learning rate    a = `alpha` - (`alpha` - `min_alpha`) (epoch + share of its sentences done) / `epochs`, constant
                     over a job: as many whole sentences as have 10,000 words together

Numbers are float32, each operation rounded, sums in 16 lanes and these in a tree. Draws are counter-based, of seed
and position alone (`_sgns.c`). So the bytes are the same whatever the CPU, as far as `pow` of libm is, by which the
negative table is made before it is rounded: the loops are compiled for several
widths of vectors, and the widest that the CPU has is taken. Unlike gensim, which drops what comes after 10,000
words of a sentence, sentences may be of any length.
"""

import decimal
import functools
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import load_loops, padded
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.models import packaged_text
from lexbeam.transforms.embeddings.sgns import (
    SgnsOptions,
    check_memory,
    check_read,
    jobs_of,
    sentences_of,
    train,
    vocabulary_of,
)
from lexbeam.transforms.embeddings.starts import Start, Weights, context_rows, fill_by_chance, given_rows, zero_untaught

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.int32]

_MOST = 6  # of a dot product
_STEPS = 1_000
_DOMAIN = 2**31 - 1
_GUIDE_BITS = 16
_TRIAL = "f895da3857d3c4b110920badb0e53668e8ca59d614bdeb68fd357e53738ce00f"  # of any compiler and CPU


@functools.cache
def compiled() -> ModuleType:
    """Return the compiled loops.

    Raises:
        UsageError: they have not been compiled, or from another source than is installed, or give other bytes.
    """
    source = packaged_text("lexbeam.transforms.embeddings", "_sgns.c") + packaged_text(
        "lexbeam.transforms.embeddings", "_sgns_kernel.h"
    )
    loops = load_loops("lexbeam.transforms.embeddings._sgns", source, "`trainer` fast", "`trainer` gensim")
    if _trial(loops) != _TRIAL:
        raise UsageError(
            "`trainer` fast was compiled so that numbers are rounded otherwise than elsewhere: install Lexbeam once "
            "more with flags that neither fuse nor reorder operations (CFLAGS), or take `trainer` gensim"
        )
    return loops


def _trial(loops: ModuleType) -> str:
    """Return the digest of what training makes of fixed rows: that of other compilers, flags and CPUs.

    A few sentences, in each dimension that has a loop of its own and in one that has none, contexts frozen or not.
    Tables are of whole numbers, so that they are the same anywhere.
    """
    size = 9
    row_of = np.arange(size, dtype=np.int32) * 2 % size
    keep = (np.arange(size, dtype=np.int64) * 977_777_777 % 2**32).astype(np.uint32)
    cumulative = (np.arange(1, size + 1, dtype=np.int64) * _DOMAIN // size).astype(np.uint32)
    guide = np.searchsorted(cumulative, np.arange(16, dtype=np.uint32) << 27).astype(np.uint32)
    words, bounds = np.arange(100, dtype=np.int32) * 31 % 77 % size, np.array([0, 45, 45, 100])
    digest = hashlib.sha256()
    for dim in (20, 50, 100, 300):
        for frozen in (False, True):
            vectors, contexts = padded(size, dim), padded(size, dim)
            numbers = np.arange(2 * size * dim).reshape(2, size, dim) * 7_919 % 2_003 - 1_001
            vectors[:, :dim], contexts[:, :dim] = numbers / 2_002
            tables = sigmoid_table(), dim, row_of, keep, cumulative, guide
            loops.train(vectors, contexts, *tables, words, bounds, 5, 5, 0.05, 7, 2**40, frozen, "")
            digest.update(vectors.tobytes() + contexts.tobytes())
    return digest.hexdigest()


@functools.cache
def sigmoid_table() -> Floats:
    """Return s(f) at the 1,000 lower edges, float32, made by decimal arithmetic: the same anywhere."""
    with decimal.localcontext(decimal.Context(prec=40)):
        edges = [decimal.Decimal(2 * step - _STEPS) * _MOST / _STEPS for step in range(_STEPS)]
        return np.array([float(1 / (1 + (-edge).exp())) for edge in edges], np.float32)


class DrawTables(NamedTuple):
    """What draws of words are looked up in.

    Attributes:
        keep: of each word the greatest draw with which a use of it stays, uint32; empty: all stay.
        cumulative: the negative table, uint32 of shape (contexts,), up to 2**31 - 1.
        guide: where in it the search for a draw begins, by the draw's upper bits, uint32 of shape (2**16,).
    """

    keep: npt.NDArray[np.uint32]
    cumulative: npt.NDArray[np.uint32]
    guide: npt.NDArray[np.uint32]


def draw_tables(counts: Iterable[int], contexts: Iterable[int], options: SgnsOptions) -> DrawTables:
    """Return the tables of words, and of contexts, with these uses, in the order of their numbers."""
    uses = list(counts)
    powers = [count**options.ns_exponent for count in contexts]
    sums = np.cumsum(powers)
    cumulative = np.round(sums / sums[-1] * _DOMAIN).astype(np.uint32)
    starts = np.arange(1 << _GUIDE_BITS, dtype=np.int64) << (31 - _GUIDE_BITS)
    guide = np.searchsorted(cumulative, starts.astype(np.uint32)).astype(np.uint32)
    keep: list[int] = []
    if options.sample:
        threshold = options.sample * sum(uses)
        shares = [(math.sqrt(count / threshold) + 1) * (threshold / count) for count in uses]
        keep = [int(min(share, 1.0) * (2**32 - 1)) for share in shares]
    return DrawTables(np.array(keep, np.uint32), cumulative, guide)


def train_fast(
    feed: Callable[[], Iterable[pa.ListArray]],
    counts: Mapping[str, int],
    options: SgnsOptions,
    *,
    seed: int,
    sentences: int,
    tokens: int,
    slice_name: str = "",
    start: Start | None = None,
    keep_contexts: bool = False,
    variant: str = "",
) -> Weights:
    """Train one slice's embedding.

    Args:
        feed: returns the sentences anew, in the same order, at each call: arrays of lists of words.
        counts: uses of each word; words below `min_count` may be among them.
        seed: of the generator, from 0 to 2**64 - 1, see `sgns.derive_seed`.
        sentences: number of sentences, by which the learning rate falls.
        tokens: not used: sentences are known.
        slice_name: named in errors.
        start: what it starts from.
        keep_contexts: whether context vectors are returned.
        variant: of the compiled loops; by default the widest that this CPU runs.

    Raises:
        LexbeamError: no word has `min_count` uses, there is not enough memory, the feed has other sentences than are
            said, or what is given to start from has another shape.
        UsageError: the loops have not been compiled.
    """
    loops = compiled()
    start = start or Start()
    vocabulary = vocabulary_of(counts, options.min_count, slice_name)
    rows = context_rows(vocabulary, start.marks)
    rare = len(counts) - len(vocabulary)
    check_memory(slice_name, len(vocabulary), options.dim, len(rows.words), rare, keep_contexts=keep_contexts)
    tables = draw_tables(vocabulary.values(), rows.uses, options)
    dim = options.dim
    vectors, contexts = padded(len(vocabulary), dim), padded(len(rows.words), dim)
    fill_by_chance(vectors[:, :dim], seed if start.seed is None else start.seed)
    given_rows(list(vocabulary), start.words, start.vectors, vectors[:, :dim])
    given_rows(rows.words, start.words, start.contexts, contexts[:, :dim])
    jobs = jobs_of(options, sentences)
    numbers = pa.array(vocabulary, pa.string())
    position = 0
    for epoch in range(options.epochs):
        jobs.begin(epoch)
        for words, bounds, lengths in _encoded(feed(), numbers):
            for first, last, alpha in jobs.cut(lengths):
                loops.train(
                    vectors, contexts, sigmoid_table(), dim, rows.row_of, *tables, words, bounds[first : last + 1],
                    options.window, options.negative, alpha, seed, position + int(bounds[first]),
                    start.freeze_contexts, variant,
                )  # fmt: skip
            position += len(words)
        check_read(slice_name, jobs.sentences_done(), sentences)
    words_sorted = sorted(vocabulary)
    places = {word: place for place, word in enumerate(vocabulary)}
    order = [places[word] for word in words_sorted]
    kept = contexts[rows.row_of[order], :dim] if keep_contexts else None
    return Weights(words_sorted, vectors[order, :dim], kept)


def _encoded(
    batches: Iterable[pa.ListArray], vocabulary: pa.Array
) -> Iterator[tuple[Words, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield the numbers of the words that have one, where sentences begin and end among them, and all their lengths."""
    dictionary, places = pa.array([], pa.string()), np.zeros(0, np.int32)
    for lists in batches:
        tokens = lists.flatten()
        if not pa.types.is_dictionary(tokens.type):
            tokens = tokens.dictionary_encode()
        if not tokens.dictionary.equals(dictionary):  # batches of a file may share one
            dictionary = tokens.dictionary
            places = pc.index_in(dictionary, value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int32)
        words = places[tokens.indices.to_numpy(zero_copy_only=False)]
        lengths = lists.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
        known = np.append(0, np.cumsum(words >= 0))
        yield words[words >= 0], known[np.append(0, np.cumsum(lengths))], lengths


REGISTRY = "lexbeam.transforms.embeddings.trainers:TRAINERS"

Feed = Callable[[], Iterable[pa.ListArray]]


def _train_gensim(feed: Feed, counts: Mapping[str, int], options: SgnsOptions, **rest: Any) -> Weights:
    return train(lambda: sentences_of(feed()), counts, options, **rest)


def _nothing_needed() -> None:
    """Return: gensim is of the core."""


@dataclass(frozen=True)
class Trainer(Entry):
    """A trainer.

    Attributes:
        train: as `train_space`.
        check: raises UsageError where it cannot train.
        speed: about how many times as fast it is as gensim, for progress.
    """

    train: Callable[..., Weights]
    check: Callable[[], object] = _nothing_needed
    speed: float = 1.0

    def check_installed(self, what: str) -> None:
        """Check that it can train here.

        Raises:
            UsageError: it cannot.
        """
        super().check_installed(what)
        self.check()


TRAINERS: Registry[Trainer] = Registry(
    {
        "gensim": Trainer(_train_gensim, doc="gensim, the reference"),
        "fast": Trainer(train_fast, compiled, 4.0, doc="the same by a loop in C, several times as fast"),
    },
    what="trainer",
)


def train_space(
    feed: Feed,
    counts: Mapping[str, int],
    options: SgnsOptions,
    *,
    seed: int,
    sentences: int,
    tokens: int,
    slice_name: str = "",
    start: Start | None = None,
    keep_contexts: bool = False,
    keep_untaught: bool = True,
) -> Weights:
    """Train one slice's embedding with the trainer that the options name.

    Args:
        feed: returns the sentences anew, in the same order, at each call: arrays of lists of words.
        counts: uses of each word; words below `min_count` may be among them.
        seed: of the generator, see `sgns.derive_seed`.
        sentences: number of sentences, by which the learning rate falls.
        tokens: number of words in them.
        slice_name: named in errors.
        start: what it starts from: given vectors or contexts, frozen contexts, words with marks.
        keep_contexts: whether context vectors are returned.
        keep_untaught: whether vectors that training has not changed stay; else they are zero, see `zero_untaught`.

    Raises:
        LexbeamError: no word has `min_count` uses, or what is given to start from has another shape.
        UsageError: the trainer cannot train here.
    """
    weights = TRAINERS[options.trainer].train(
        feed,
        counts,
        options,
        seed=seed,
        sentences=sentences,
        tokens=tokens,
        slice_name=slice_name,
        start=start,
        keep_contexts=keep_contexts,
    )
    if not keep_untaught:
        order = list(vocabulary_of(counts, options.min_count, slice_name))
        zero_untaught(weights, order, start or Start(), seed)
    return weights
