"""Readers: they read a passage and name the word that a summary lacks. Options and data of the networks among them.

A reader is an entry of `READERS`. It is trained on words as numbers (`Questions`), so that nothing here knows
tables. Training and prediction are in `training`, the networks' equations in `networks`. Readers `context` and
`frequency` need no torch, see there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.extras import check_packages
from lexbeam.transforms.common.options.fields import option

if TYPE_CHECKING:
    from lexbeam.transforms.cloze.readers.training import ReaderWeights

CONTEXT = "context"
FREQUENCY = "frequency"


class NetworkReader(NamedTuple):
    """A network, with `train_reader` and `log_probabilities` of it.

    Attributes:
        network: one of `networks`, whose type is not named here: what names it counts torch.
    """

    network: object
    train: Callable[..., "ReaderWeights"]
    log_probabilities: Callable[..., Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]]


MakeReader = Callable[[], NetworkReader]


@dataclass(frozen=True)
class Reader(Entry):
    """A reader.

    Attributes:
        network: returns its network with what trains it, and imports torch only then; None: it is none. Only here
            does code lead to torch, so that a stage of other readers does not count it.
        hops: whether it reads a passage several times.
        glosses: whether it reads glosses.
        draws: whether it draws words by the answer, and is not trained.
    """

    network: MakeReader | None = None
    hops: bool = False
    glosses: bool = False
    draws: bool = False


def _gated_attention() -> NetworkReader:
    from lexbeam.transforms.cloze.readers.networks import GATED_ATTENTION
    from lexbeam.transforms.cloze.readers.training import network_reader

    return network_reader(GATED_ATTENTION)


def _attentive() -> NetworkReader:
    from lexbeam.transforms.cloze.readers.networks import ATTENTIVE
    from lexbeam.transforms.cloze.readers.training import network_reader

    return network_reader(ATTENTIVE)


def _attentive_with_glosses() -> NetworkReader:
    from lexbeam.transforms.cloze.readers.networks import ATTENTIVE_WITH_GLOSSES
    from lexbeam.transforms.cloze.readers.training import network_reader

    return network_reader(ATTENTIVE_WITH_GLOSSES)


READERS: Registry[Reader] = Registry(
    {
        "ga": Reader(_gated_attention, hops=True, doc="gated-attention reader"),
        "ar": Reader(_attentive, doc="attentive reader"),
        "ar-gloss": Reader(_attentive_with_glosses, glosses=True, doc="attentive reader with glosses"),
        "context": Reader(
            doc="counts of words beside each other and in the same texts, weighed; needs no torch",
            modules=("safetensors",),
            extra="models",
        ),
        "frequency": Reader(draws=True, doc="words about as frequent as the answer, alone; needs no torch"),
    },
    what="reader",
    group="lexbeam.cloze_readers",
)

START = ("own", "random")

# Numbers of words that are no words; those of words follow.
PADDING, UNKNOWN, PLACEHOLDER = 0, 1, 2
RESERVED = 3


class NumberLists(NamedTuple):
    """Lists of numbers, one after the other: where each begins, and at last an end; and values."""

    bounds: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]


class Questions(NamedTuple):
    """Questions as numbers.

    Attributes:
        passages: words of passages; a passage may have several questions.
        passage: which one is a question's, int64.
        summaries: words of summaries, with `PLACEHOLDER` where the answer was.
        places: where that is, int64.
        answers: the answer among the candidate words, -1 if it is none of them; int64.
        keys: hash of a question, uint64; draws depend on it alone.
        articles: hash of its article, uint64.
        options: of questions with options, their numbers among the words, int64 of shape
            (questions, options); `answers` are places among them then.
    """

    passages: NumberLists
    passage: npt.NDArray[np.int64]
    summaries: NumberLists
    places: npt.NDArray[np.int64]
    answers: npt.NDArray[np.int64]
    keys: npt.NDArray[np.uint64]
    articles: npt.NDArray[np.uint64]
    options: npt.NDArray[np.int64] | None = None


class Further(NamedTuple):
    """Further questions: candidate words where they stand in texts, see `encoding`.

    Attributes:
        texts: words of summaries, each in its place.
        pair: passage and summary of a question, int64.
        in_passage: whether the word stands in the passage; else in the summary.
        starts: the first word of what serves as the summary, within the text, int64; if that is
            the passage, these words are left out of it.
        stops: behind the last of them, int64.
        places: where the word is, from `starts` on, int64.
        answers: the word among the candidate words, int64.
        keys: hash of a question, uint64.
        articles: hash of its article, uint64.
    """

    texts: NumberLists
    pair: npt.NDArray[np.int64]
    in_passage: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    answers: npt.NDArray[np.int64]
    keys: npt.NDArray[np.uint64]
    articles: npt.NDArray[np.uint64]


# Vectors, float32, and which rows have one.
KnownVectors = tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]


class TrainingData(NamedTuple):
    """What a reader knows beside questions.

    Attributes:
        words: how many numbers words have, `RESERVED` among them.
        candidates: how many candidate words there are.
        vectors: by number of a word, its static vector; None: there are none.
        candidate_vectors: by candidate word.
        glosses: numbers of words of each candidate's gloss, at least one; None: there are none.
        gloss_words: how many numbers those have; 0 is padding.
        static: whether vectors are given; then those of texts may stay as they are.
    """

    words: int
    candidates: int
    vectors: KnownVectors | None = None
    candidate_vectors: KnownVectors | None = None
    glosses: NumberLists | None = None
    gloss_words: int = 1
    static: bool = True


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """Hyperparameters of all readers. The paper does not give its own: these are ours."""

    hidden: int = option(64, help="length of a GRU's state, of each direction", least=1, most=16_384)
    dim: int = option(
        100, help="length of word embeddings; vectors that are given have their own", least=1, most=16_384
    )
    hops: int = option(2, help="times that the gated-attention reader reads a passage", least=1, most=64)
    batch: int = option(64, help="questions of a step of training", least=1, most=65_536)
    learning_rate: float = option(4e-3, help="that Adam begins with", least=0)
    dropout: float = option(0.4, help="share of inputs and final states dropped", least=0, most=0.99)
    epochs: int = option(10, help="times that training sees the questions, at most", least=1, most=10_000)
    patience: int = option(
        3, help="epochs without a better loss on the articles held out, after which it stops", least=1, most=10_000
    )
    clip: float = option(5.0, help="the greatest norm of a step's gradient", least=0)
    passage_tokens: int = option(50, help="words of a passage that are read", least=1)
    start: str = option(
        "own",
        help="what embeddings begin as without `vectors`: own vectors of the texts of the "
        "other folds, or random numbers",
        choices=START,
    )
    own_window: int = option(5, help="own vectors: words to either side, at most", least=1, most=1_000)
    own_epochs: int = option(10, help="own vectors: times that texts are read", least=1, most=10_000)
    own_negative: int = option(5, help="own vectors: words drawn for each true one", least=1, most=1_000)
    own_rate: float = option(0.05, help="own vectors: learning rate at the start", least=1e-4)
    own_sample: float = option(
        1e-4, help="own vectors: threshold of random removal of frequent words; 0 for none", least=0
    )
    own_deviation: float = option(0.3, help="standard deviation to which own vectors' numbers are scaled", least=0)
    tune_vectors: bool = option(
        False,
        help="train embeddings of passage and summary further that `vectors` initialise; "
        "those without a vector are then trained, too; own vectors always are",
    )


@dataclass(frozen=True, kw_only=True)
class ReaderNetworkOptions(NetworkOptions):
    """Hyperparameters of readers that name words."""

    prior: float = option(
        0.1,
        help="scores of words begin with the logarithm of how many questions trained on have "
        "them for an answer, and this much more; 0: without such a term",
        least=0,
    )
    further_each: float = option(2.0, help="further questions of an epoch, see `train_on`, for each question", least=0)
    further_weight: float = option(
        1.0, help="what a further question counts in the loss, where a question counts 1", least=0
    )


def check_torch(option: str = "readers", other: str = FREQUENCY) -> None:
    """Check that neural readers can be trained and kept; `option` takes `other` without torch.

    Raises:
        UsageError: a package is missing.
    """
    otherwise = f"choose `{option}` {other}"
    check_packages("neural readers need", ("torch", "safetensors"), "models", "torch", otherwise=otherwise)


def top_words(log_probs: npt.NDArray[np.float64], k: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the `k` most probable candidates of each question, and their log probabilities.

    Args:
        log_probs: shape (questions, candidates), candidates in the order of their words: of equal
            ones the first word comes first.
        k: candidates wanted; there may be fewer.
    """
    order = np.argsort(-log_probs, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(log_probs, order, axis=1)
