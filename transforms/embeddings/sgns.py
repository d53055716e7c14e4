"""Skip-gram with negative sampling (Mikolov et al. 2013), trained by gensim, one-threaded.

The vectors depend on the sentences, their order, the counts, the options and the seed alone. Words
enter the model by descending count, ties by word, so that no tie is left to a library's sort.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.common.blas import one_thread
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options.fields import option

if TYPE_CHECKING:
    from gensim.models import Word2Vec

__all__ = ["SgnsOptions", "derive_seed", "sentences_of", "train", "vocabulary_of"]


@dataclass(frozen=True, kw_only=True)
class SgnsOptions:
    """Hyperparameters of training.

    Attributes:
        dim: dimension of the vectors.
        window: words to either side, at most; gensim draws 1 to `window` for each word.
        epochs: passes over the sentences.
        negative: words drawn for each true context.
        sample: threshold of random removal of frequent words, 0 for none.
        min_count: words with fewer uses are left out of the sentences.
        alpha: learning rate at the start.
        min_alpha: learning rate at the end.
        ns_exponent: power of the counts that negative words are drawn by.
        trainer: what trains, see `trainers`; `train` of this module is gensim's whatever it says.
    """

    dim: int = option(100, help="length of the vectors", least=1, most=10_000)
    window: int = option(10, help="words to either side, at most", least=1, most=10_000)
    epochs: int = option(5, help="passes over a slice", least=1, most=10_000)
    negative: int = option(5, help="words drawn for each true context", least=1, most=1_000)
    sample: float = option(0.0, help="threshold of random removal of frequent words; 0 for none", least=0, most=1)
    min_count: int = 5
    alpha: float = option(0.025, help="learning rate at the start", least=0, most=1)
    min_alpha: float = 0.0001
    ns_exponent: float = 0.75
    trainer: str = option(
        "gensim",
        help="what trains: gensim, the reference, or the same computed by a loop in C, several times as fast",
        choices="transforms.embeddings.trainers:TRAINERS",
    )

    def __post_init__(self) -> None:
        for name in ("dim", "window", "epochs", "negative", "min_count"):
            if getattr(self, name) < 1:
                raise UsageError(f"`{name}` {getattr(self, name)}: must be at least 1")
        if self.sample < 0:
            raise UsageError(f"`sample` {self.sample}: must be 0 (off) or more")
        if not 0 < self.min_alpha <= self.alpha:
            raise UsageError(
                f"`alpha` {self.alpha} to `min_alpha` {self.min_alpha}: the learning rate must "
                "start above 0 and not rise"
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

    def __init__(self, feed: Callable[[], Iterator[list[str]]]) -> None:
        self._feed = feed
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[list[str]]:
        if self.error is not None:
            return
        try:
            yield from self._feed()
        except Exception as error:  # any error is raised again once gensim has stopped
            self.error = error


def train(
    feed: Callable[[], Iterator[list[str]]],
    counts: Mapping[str, int],
    options: SgnsOptions,
    *,
    seed: int,
    sentences: int,
    tokens: int,
    slice_name: str = "",
) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Train one slice's embedding.

    Args:
        feed: returns the sentences anew, in the same order, at each call.
        counts: uses of each word; words below `min_count` may be among them.
        options: hyperparameters.
        seed: of the generator, see `derive_seed`.
        sentences: number of sentences, by which the learning rate falls.
        tokens: number of words in them.
        slice_name: named in errors.

    Returns:
        The words, sorted, and their input vectors, float32 of shape (words, dim).

    Raises:
        LexbeamError: no word has `min_count` uses.
    """
    vocabulary = vocabulary_of(counts, options.min_count, slice_name)
    model = _model(options, seed)
    model.build_vocab_from_freq(vocabulary, corpus_count=sentences)
    source = _Feed(feed)
    with one_thread():
        model.train(corpus_iterable=source, total_examples=sentences, total_words=tokens, epochs=options.epochs)
    if source.error is not None:
        raise source.error
    words = sorted(vocabulary)
    places = [model.wv.key_to_index[word] for word in words]
    return words, model.wv.vectors[places]


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


def _model(options: SgnsOptions, seed: int) -> "Word2Vec":
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
        alpha=options.alpha,
        min_alpha=options.min_alpha,
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
