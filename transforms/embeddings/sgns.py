"""Skip-gram with negative sampling (Mikolov et al. 2013), trained by gensim, one-threaded.

The vectors depend on the sentences, their order, the counts, the options and the seed alone. Words
enter the model by descending count, ties by word, so that no tie is left to a library's sort.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.embeddings.starts import ContextRows, Start, Weights, context_rows, fill_by_chance, given_rows

if TYPE_CHECKING:
    from gensim.models import Word2Vec


JOB_WORDS = 10_000


class Jobs:
    """Sentences cut into jobs: as many as have 10,000 words together, or a longer one; a job has one learning rate."""

    def __init__(self, *, alpha: float, min_alpha: float, epochs: int, sentences: int) -> None:
        """Begin.

        Args:
            alpha: the learning rate at the start.
            min_alpha: that at the end.
            epochs: passes over the sentences.
            sentences: of an epoch.
        """
        self._alpha = alpha
        self._min_alpha = min_alpha
        self._epochs = epochs
        self._sentences = sentences
        self.begin(0)

    def begin(self, epoch: int) -> None:
        """Begin an epoch."""
        self._epoch = epoch
        self._done = self._inside = self._words = 0

    def sentences_done(self) -> int:
        """Return the number of sentences of the epoch so far."""
        return self._done + self._inside

    def cut(self, lengths: npt.NDArray[np.int64]) -> Iterator[tuple[int, int, float]]:
        """Yield the first of some sentences, the last (not included), and the learning rate; `lengths` are in words."""
        ends = np.cumsum(lengths)
        first, before = 0, 0
        while first < len(ends):
            last = int(np.searchsorted(ends, before + JOB_WORDS - self._words, side="right"))
            if last <= first:  # it does not fit: a job is full
                self._done, self._inside, self._words = self._done + self._inside, 0, 0
                last = int(np.searchsorted(ends, before + JOB_WORDS, side="right"))
                last = max(last, first + 1)
            yield first, last, self._rate()
            self._inside += last - first
            self._words += int(ends[last - 1]) - before
            first, before = last, int(ends[last - 1])

    def _rate(self) -> float:
        progress = (self._epoch + self._done / self._sentences) / self._epochs
        return max(self._min_alpha, self._alpha - (self._alpha - self._min_alpha) * progress)


_PADDED = 16  # numbers to which a row of the trainer in C is filled up
_TEXT = 250  # bytes of a word beside its vectors: its text, its uses, its places
_REST = 1 << 20  # tables of one size


def training_memory(words: int, dim: int, contexts: int = 0, rare: int = 0, *, keep_contexts: bool = False) -> int:
    """Return the bytes that a training takes at its peak, about: two matrices, what is handed on, and tables.

    Args:
        dim: of the vectors.
        contexts: rows of contexts, if they are not as many.
        rare: words below the frequency cut, which are read and not trained.
        keep_contexts: whether context vectors are handed on beside the vectors.
    """
    padded = -(-dim // _PADDED) * _PADDED
    matrices = 4 * (words + (contexts or words)) * padded + 4 * words * dim * (1 + keep_contexts)
    return matrices + _TEXT * (words + rare) + _REST


def decomposition_memory(words: int, dim: int) -> int:
    """Return the bytes that a truncated singular value decomposition takes at its peak, about.

    These are eight dense matrices of words by words where there are at most three times `dim`, six of words by `dim` of
    more words (`counted_vectors.truncated_svd`).
    """
    return 8 * words * (8 * words if words <= 3 * dim else 6 * dim) + _REST


def available_memory(root: str = "/") -> int | None:
    """Return the bytes that this process can still have: of the machine, or of the container; None: nobody knows.

    Args:
        root: where the system's files are.
    """
    found = []
    for line in _read(root, "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            found.append(1024 * int(line.split()[1]))
    for most, used, stat in _GROUPS:
        limit, now = _read(root, most).strip(), _read(root, used).strip()
        if limit.isdigit() and now.isdigit():
            # The cache of files counts as used, and is given up when it is asked for.
            cached = [line.split()[1] for line in _read(root, stat).splitlines() if line.startswith("inactive_file ")]
            found.append(max(0, int(limit) - int(now) + sum(map(int, cached))))
    return min(found, default=None)


# Limits, use and its kinds, by the two versions of control groups.
_GROUPS = (
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current", "sys/fs/cgroup/memory.stat"),
    (
        "sys/fs/cgroup/memory/memory.limit_in_bytes",
        "sys/fs/cgroup/memory/memory.usage_in_bytes",
        "sys/fs/cgroup/memory/memory.stat",
    ),
)


def _read(root: str, path: str) -> str:
    try:
        with open(os.path.join(root, path), encoding="ascii") as stream:
            return stream.read()
    except OSError:
        return ""


def check_memory(
    slice_name: str, words: int, dim: int, contexts: int = 0, rare: int = 0, *, keep_contexts: bool = False
) -> None:
    """Refuse a training that this machine has not the memory for, before it begins.

    Raises:
        LexbeamError: it has not; the message has both numbers.
    """
    _check(
        training_memory(words, dim, contexts, rare, keep_contexts=keep_contexts),
        f"slice {slice_name!r}: to train {words:,} words of {dim} numbers",
        "raise `min_count`, lower `dim`, or let fewer workers train at a time",
    )


def check_decomposition(words: int, dim: int) -> None:
    """Refuse a decomposition that this machine has not the memory for, before it begins.

    Raises:
        LexbeamError: it has not; the message has both numbers.
    """
    _check(
        decomposition_memory(words, dim),
        f"to decompose the vectors of {words:,} words to {dim} numbers",
        "raise `min_count`, or lower `dim`",
    )


def _check(needed: int, what: str, remedy: str) -> None:
    left = available_memory()
    if left is not None and needed > left:
        raise LexbeamError(f"{what} takes {needed / 1e9:.2f} GB of memory, and {left / 1e9:.2f} GB are left: {remedy}")


_TRAINED = "lexbeam.transforms.embeddings.representations:REPRESENTATIONS=sgns"  # what uses an option, see `option`


@dataclass(frozen=True, kw_only=True)
class SgnsOptions:
    """Hyperparameters of training.

    Attributes:
        dim: dimension of the vectors.
        window: words to either side, at most; gensim draws 1 to `window` for each word.
        epochs: passes over the sentences.
        negative: words drawn for each true context.
        sample: threshold of random removal of frequent words, as a share of all uses, below 1; 0 for none.
        min_count: words with fewer uses are left out of the sentences.
        alpha: learning rate at the start.
        min_alpha: learning rate at the end.
        ns_exponent: power of the counts that negative words are drawn by.
        trainer: what trains, see `trainers`; `train` of this module is gensim's whatever it says.
    """

    dim: int = option(100, help="length of the vectors", least=1, most=10_000, of=f"{_TRAINED},svd,ri,glove")
    window: int = option(10, help="words to either side, at most", least=1, most=10_000)
    epochs: int = option(5, help="passes over a slice", least=1, most=10_000, of=_TRAINED)
    negative: int = option(5, help="words drawn for each true context", least=1, most=1_000, of=_TRAINED)
    sample: float = option(
        0.0, help="threshold of random removal of frequent words; 0 for none", least=0, most=1, of=_TRAINED
    )
    min_count: int = 5
    alpha: float = option(0.025, help="learning rate at the start", least=0, most=1, of=_TRAINED)
    min_alpha: float = 0.0001
    ns_exponent: float = 0.75
    trainer: str = option(
        "gensim",
        help="what trains: gensim, the reference, or the same computed by a loop in C, several times as fast",
        choices="lexbeam.transforms.embeddings.trainers:TRAINERS",
        of=_TRAINED,
    )

    def __post_init__(self) -> None:
        for name in ("dim", "window", "epochs", "negative", "min_count"):
            if getattr(self, name) < 1:
                raise UsageError(f"`{name}` {getattr(self, name)}: must be at least 1")
        if not 0 <= self.sample < 1:  # gensim takes 1 and more for a number of uses, above which words are removed
            raise UsageError(f"`sample` {self.sample}: a share of all uses, below 1; 0 removes none")
        if not 0 < self.min_alpha <= self.alpha:
            raise UsageError(
                f"`alpha` {self.alpha}: the learning rate falls to {self.min_alpha} (`min_alpha`, above 0), and "
                "begins there or above"
            )


def derive_seed(slice_name: str, seed: int) -> int:
    """Return the generator's seed for a slice, 0 to 2**32 - 1, from its name and the given seed.

    Each slice gets its own seed: with a common one, words of the same rank would start from the same
    vector in two slices, which would seem aligned before they are.
    """
    return int.from_bytes(hashlib.blake2b(f"{seed}:{slice_name}".encode(), digest_size=4).digest(), "little")


class _Feed:
    """An iterable that starts anew in each epoch, and holds the error of a feed that fails.

    gensim reads sentences in a thread; an exception there would leave it waiting forever.
    """

    def __init__(self, feed: Callable[[], Iterator[list[str]]], slice_name: str, sentences: int) -> None:
        self._feed = feed
        self._slice_name = slice_name
        self._sentences = sentences
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[list[str]]:
        if self.error is not None:
            return
        number = 0
        try:
            for words in self._feed():
                number += 1
                yield words
            check_read(self._slice_name, number, self._sentences)
        except Exception as error:  # any error is raised again once gensim has stopped
            self.error = error


def check_read(slice_name: str, number: int, sentences: int) -> None:
    """Check that an epoch had as many sentences as were said, or the learning rate would end elsewhere.

    Raises:
        LexbeamError: it had others.
    """
    if number != sentences:
        raise LexbeamError(
            f"slice {slice_name!r}: {number} sentences were read, not {sentences}: `sentences` must be how many the "
            "feed yields, and those the same at each call"
        )


def train(
    feed: Callable[[], Iterator[list[str]]],
    counts: Mapping[str, int],
    options: SgnsOptions,
    *,
    seed: int,
    sentences: int,
    tokens: int,
    slice_name: str = "",
    start: Start | None = None,
    keep_contexts: bool = False,
) -> Weights:
    """Train one slice's embedding.

    Contexts are frozen by learning rates so small that a context, in float32, stays what it is, while the steps of
    input vectors are made as much larger: powers of two, so that nothing is rounded otherwise. Contexts that words with
    marks share are made one after every 20 sentences: each has the steps of all. Of a word with marks its own context
    may be among its negative ones, which gensim knows by the number of the word. `fast` shares contexts at each step,
    and leaves it out: at .2 % of the words both come to the same, at 4 % two marks are nearer to one another by gensim.

    Args:
        feed: returns the sentences anew, in the same order, at each call.
        counts: uses of each word; words below `min_count` may be among them.
        seed: of the generator, see `derive_seed`.
        sentences: number of sentences, by which the learning rate falls.
        tokens: number of words in them.
        slice_name: named in errors.
        start: what it starts from.
        keep_contexts: whether context vectors are returned.

    Raises:
        LexbeamError: no word has `min_count` uses, there is not enough memory, the feed has other sentences than are
            said, or what is given to start from has another shape.
    """
    start = start or Start()
    vocabulary = vocabulary_of(counts, options.min_count, slice_name)
    rows = context_rows(vocabulary, start.marks)
    # Frozen contexts are a second copy.
    contexts_held = len(rows.words) * (1 + start.freeze_contexts)
    rare = len(counts) - len(vocabulary)
    check_memory(slice_name, len(vocabulary), options.dim, contexts_held, rare, keep_contexts=keep_contexts)
    scale = _FROZEN if start.freeze_contexts else 1.0
    model = _model(options, seed, scale)
    model.build_vocab_from_freq({word: vocabulary.get(word, 1) for word in rows.words}, corpus_count=sentences)
    if start.seed is not None:
        fill_by_chance(model.wv.vectors, start.seed)
    given_rows(rows.words, start.words, start.vectors, model.wv.vectors)
    given_rows(rows.words, start.words, start.contexts, model.syn1neg)
    model.wv.vectors_lockf[:] = 1 / scale
    frozen = model.syn1neg.copy() if start.freeze_contexts else None
    source = _Feed(feed, slice_name, sentences)
    with one_thread():
        if start.marks:
            _train_marked(model, source, rows, options, sentences, scale)
        else:
            model.train(corpus_iterable=source, total_examples=sentences, total_words=tokens, epochs=options.epochs)
    if source.error is not None:
        raise source.error
    words = sorted(vocabulary)
    places = np.array([model.wv.key_to_index[word] for word in words])
    contexts = model.syn1neg if frozen is None else frozen
    return Weights(words, model.wv.vectors[places], contexts[rows.row_of[places]] if keep_contexts else None)


_FROZEN = 2.0**-64


def _train_marked(
    model: "Word2Vec", source: "_Feed", rows: ContextRows, options: SgnsOptions, sentences: int, scale: float
) -> None:
    """Train job by job, and make the contexts one that words with marks share."""
    model.lifecycle_events = None  # else it notes each call
    powers = np.array(rows.uses, float) ** options.ns_exponent
    model.cum_table[:] = np.round(np.cumsum(powers) / powers.sum() * (2**31 - 1))
    own = np.arange(len(rows.row_of))
    marked = own[rows.row_of != own]
    shared = rows.row_of[marked]
    jobs = jobs_of(options, sentences)
    for epoch in range(options.epochs):
        jobs.begin(epoch)
        for texts in batched(source, _AT_ONCE):
            for first, last, rate in jobs.cut(np.array([len(text) for text in texts])):
                alpha = rate * scale
                for some in batched(texts[first:last], _SHARED):
                    model.syn1neg[marked] = before = model.syn1neg[shared]
                    model.train(some, total_examples=len(some), epochs=1, start_alpha=alpha, end_alpha=alpha)
                    np.add.at(model.syn1neg, shared, model.syn1neg[marked] - before)


_AT_ONCE = 1_000
_SHARED = 20  # sentences: of fewer, the start of gensim's threads would take most of the time


def jobs_of(options: SgnsOptions, sentences: int) -> Jobs:
    """Return the jobs of a training of so many sentences."""
    return Jobs(alpha=options.alpha, min_alpha=options.min_alpha, epochs=options.epochs, sentences=sentences)


def vocabulary_of(counts: Mapping[str, int], min_count: int, slice_name: str) -> dict[str, int]:
    """Return the frequent words with their uses, in the order in which they enter the model."""
    frequent = [(word, count) for word, count in counts.items() if count >= min_count]
    if not frequent:
        most = max(counts.values(), default=0)
        raise LexbeamError(
            f"slice {slice_name!r} has no word with {min_count} uses (the most frequent "
            f"has {most}): lower `min_count` or take wider slices"
        )
    return dict(sorted(frequent, key=lambda item: (-item[1], item[0])))


def _model(options: SgnsOptions, seed: int, scale: float) -> "Word2Vec":
    from gensim.models import Word2Vec  # takes a second to import, and few processes train

    return Word2Vec(
        sg=1,
        hs=0,
        workers=1,
        seed=seed,
        vector_size=options.dim,
        window=options.window,
        epochs=options.epochs,
        negative=options.negative,
        sample=options.sample,
        ns_exponent=options.ns_exponent,
        alpha=options.alpha * scale,
        min_alpha=options.min_alpha * scale,
        min_count=1,
        sorted_vocab=0,
    )


def sentences_of(batches: Iterable[pa.ListArray | pa.ChunkedArray]) -> Iterator[list[str]]:
    """Yield the sentences of Arrow arrays of type list<string> or list<dictionary<_, string>>.

    A word is one Python object in the whole stream, which makes gensim's look-up faster.
    """
    known: dict[str, str] = {}
    dictionary = pa.array([], pa.string())
    objects = np.empty(0, dtype=object)
    for batch in batches:
        for lists in batch.chunks if isinstance(batch, pa.ChunkedArray) else [batch]:
            tokens = lists.flatten()
            if not pa.types.is_dictionary(tokens.type):
                tokens = tokens.dictionary_encode()
            if not tokens.dictionary.equals(dictionary):  # batches of a file may share one
                dictionary = tokens.dictionary
                objects = np.empty(len(dictionary), dtype=object)
                objects[:] = [known.setdefault(text, text) for text in dictionary.to_pylist()]
            words = objects[tokens.indices.to_numpy(zero_copy_only=False)].tolist()
            start = 0
            for length in lists.value_lengths().to_pylist():
                yield words[start : start + length]
                start += length
