"""What trains an embedding of one slice: gensim, or the same definition in C."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.embeddings.fast_trainer import compiled, train_fast
from lexbeam.transforms.embeddings.sgns import SgnsOptions, sentences_of, train, vocabulary_of
from lexbeam.transforms.embeddings.starts import Start, Weights, zero_untaught

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
        options: hyperparameters.
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
