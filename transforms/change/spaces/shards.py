"""A slice trained in shards, as artefacts: what each reads, how fast it learns, and how their weights are averaged.

A slice's sentences lie in the order of their keys, which are hashes. Shard k of K has the k-th of K equal spans of
keys, and each epoch goes through it in R rounds, equal spans again: so a piece is neither counted nor sorted for, and
what a shard reads follows one another on disk. A step is one round of one epoch: all shards start from common weights,
each trains on its piece, and their weights are averaged.

    TrainShard     common weights, a piece of a slice   -> the weights of the words in it
    AverageStep    common weights, those of all shards  -> common weights
    AverageLast    the same, of the last step           -> a part of table `vectors`

Weights are vectors and contexts of words, sorted by word. The first common weights are those of chance that a
training of the whole slice starts from, and contexts of zero.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.spaces.training import BATCH_WORDS, TrainTask, feed_of, uses_of, write_space
from lexbeam.transforms.change.view.feeds import KeySpan, read_counts
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, mapped
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.embeddings.sgns import SgnsOptions, derive_seed, vocabulary_of
from lexbeam.transforms.embeddings.starts import Start, averaged, fill_by_chance
from lexbeam.transforms.embeddings.trainers import REGISTRY, train_space

MOST_STEPS = 50  # each is a dozen transforms in the graph, for real slices and for null ones
MOST_SHARDS = 256  # each is a file that averaging holds open


@dataclass(frozen=True, kw_only=True)
class ShardOptions:
    """Into how many pieces a training is cut.

    Attributes:
        shards: parts of a slice that are trained side by side.
        rounds: how often in an epoch they are averaged.
    """

    shards: int = option(
        1,
        help="parts of a slice that are trained side by side, on as many workers, and averaged",
        least=1,
        most=MOST_SHARDS,
    )
    rounds: int = option(
        1, help="how often in an epoch the shards are averaged, if they are several", least=1, most=MOST_STEPS
    )

    def __post_init__(self) -> None:
        """Refuse averages of one."""
        if self.rounds > 1 and self.shards == 1:
            raise UsageError(
                f"`rounds` {self.rounds}: one shard has nothing to be averaged with; give `shards` of 2 or more, or "
                "leave `rounds` out"
            )


def steps_of(options: ShardOptions, epochs: int) -> int:
    """Return the number of steps of a training, each a level of the graph; 0: it is not cut."""
    return epochs * options.rounds if options.shards > 1 else 0


def check_steps(options: ShardOptions, epochs: int) -> None:
    """Refuse more steps than a graph should have levels.

    Raises:
        UsageError: there are more.
    """
    if steps_of(options, epochs) > MOST_STEPS:
        raise UsageError(
            f"`epochs` {epochs} with `rounds` {options.rounds}: shards would be averaged "
            f"{steps_of(options, epochs)} times, each a level of the graph, and {MOST_STEPS} are the most: lower "
            "`rounds` or `epochs`, or leave `shards` out"
        )


def span_of(shard: int, number: int, options: ShardOptions) -> KeySpan:
    """Return what a shard reads in a round; shards and rounds count from 0.

    >>> span_of(0, 0, ShardOptions(shards=2)).last == 2**63 - 1
    True
    """
    pieces = options.shards * options.rounds
    place = shard * options.rounds + number
    return KeySpan((place << 64) // pieces, (place + 1 << 64) // pieces - 1)


def options_of_step(options: SgnsOptions, step: int, steps: int) -> SgnsOptions:
    """Return the hyperparameters of a step, one pass in which the learning rate falls as it does in the whole.

    >>> some = options_of_step(SgnsOptions(alpha=0.5, min_alpha=0.1), 2, 4)
    >>> some.epochs, round(some.alpha, 6), round(some.min_alpha, 6)
    (1, 0.3, 0.2)
    """

    def rate(done: int) -> float:
        return options.alpha - (options.alpha - options.min_alpha) * done / steps

    return replace(options, epochs=1, alpha=rate(step), min_alpha=rate(step + 1))


Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class ShardTask(NamedTuple):
    """A shard to train in a step.

    Attributes:
        space: the slice and the seed.
        step: from 0: the round of an epoch, all rounds counted on.
        shard: from 0.
        sharding: of how many shards and rounds.
        common: the weights that it starts from; None: those of chance.
    """

    space: TrainTask
    step: int
    shard: int
    sharding: ShardOptions
    common: File | None


@dataclass(frozen=True)
class TrainedShard:
    """What a shard was trained to.

    Attributes:
        weights: for each word of the slice its uses in the piece, int64; then of each that has some its vector and its
            context, float32.
        tokens: of the piece.
    """

    weights: File
    tokens: int


class AverageTask(NamedTuple):
    """Shards of a step to average.

    Attributes:
        space: the slice and the seed.
        step: see `ShardTask`; in small slices two successive steps may average the same, the second of what is freed
            after it.
        common: the weights that the shards started from; None: those of chance.
        shards: their weights, see `TrainedShard`, in the order of the shards.
    """

    space: TrainTask
    step: int
    common: File | None
    shards: tuple[File, ...]


@dataclass(frozen=True)
class TrainShard(Step[ShardTask, TrainedShard]):
    """Train a shard of a slice in a step; the cut of `options` does not count, and is 1, see `Train`."""

    options: SgnsOptions

    name = "change/train-shard"
    noun = "embeddings"
    unit = "rounds of shards"
    blas = True

    def make(self, artefact: Artefact, task: ShardTask) -> TrainedShard:
        """Write the weights of the words that the shard has taught."""
        space, sharding = task.space, task.sharding
        counts = uses_of(read_counts(space.counts))
        vocabulary = vocabulary_of(counts, space.min_count, space.slice)
        words = sorted(vocabulary)
        feed = feed_of(space, span_of(task.shard, task.step % sharding.rounds, sharding))
        uses, sentences, tokens = _counted(feed(), words)
        vectors = contexts = None
        if uses.any():
            of_step = options_of_step(self.options, task.step, steps_of(sharding, self.options.epochs))
            _, vectors, contexts = train_space(
                feed,
                counts,
                replace(of_step, min_count=space.min_count),
                seed=derive_seed(f"{space.slice} step {task.step} shard {task.shard}", space.seed),
                sentences=sentences,
                tokens=tokens,
                slice_name=space.slice,
                start=_start(task, words, self.options.dim),
                keep_contexts=True,
            )
        with artefact.writing(".weights") as stream:
            stream.write(uses.tobytes())
            if vectors is not None and contexts is not None:
                held = np.flatnonzero(uses)
                for start in range(0, len(held), BATCH_WORDS):
                    some = held[start : start + BATCH_WORDS]
                    stream.write(np.stack([vectors[some], contexts[some]], axis=1).tobytes())
        return TrainedShard(artefact.file(".weights"), tokens)

    def chosen(self, task: ShardTask) -> dict[str, tuple[str, ...]]:
        """Return the trainer."""
        return {REGISTRY: (self.options.trainer,)}


def _counted(lists: Iterable[pa.ListArray], words: list[str]) -> tuple[Ints, int, int]:
    """Return the uses of words in sentences, and the numbers of sentences and of all words."""
    uses, sentences, tokens = np.zeros(len(words), np.int64), 0, 0
    known = pa.array(words, pa.string())
    dictionary, places = pa.array([], pa.string()), np.zeros(0, np.int32)
    for some in lists:
        coded = some.flatten()
        if not coded.dictionary.equals(dictionary):  # batches of a file share one
            dictionary = coded.dictionary
            places = pc.index_in(dictionary, value_set=known).fill_null(len(words)).to_numpy()
        found = places[coded.indices.to_numpy(zero_copy_only=False)]
        uses += np.bincount(found, minlength=len(words) + 1)[:-1]
        sentences, tokens = sentences + len(some), tokens + len(coded)
    return uses, sentences, tokens


def _start(task: ShardTask, words: list[str], dim: int) -> Start:
    """Return what a shard starts from: weights that are mapped from their file, or those of chance, and no copy."""
    if task.common is None:
        return Start(seed=derive_seed(task.space.slice, task.space.seed))
    common = _weights_in(task.common, dim)
    return Start(words=words, vectors=common[:, 0], contexts=common[:, 1])


def _weights_in(file: File, dim: int) -> Floats:
    """Return common weights, of shape (words, 2, dim), mapped."""
    return np.frombuffer(mapped(file), np.float32).reshape(-1, 2, dim)


def _common_weights(task: AverageTask, vocabulary: dict[str, int], dim: int) -> Callable[[slice], Floats]:
    """Return a function that gives what shards started from, of some words: of shape (words, 2, dim)."""
    if task.common is not None:
        return _weights_in(task.common, dim).__getitem__
    by_chance = np.empty((len(vocabulary), dim), np.float32)
    fill_by_chance(by_chance, derive_seed(task.space.slice, task.space.seed))
    rows = np.array(sorted(range(len(vocabulary)), key=list(vocabulary).__getitem__))
    return lambda words: np.stack([some := by_chance[rows[words]], np.zeros_like(some)], axis=1)


def _averages(task: AverageTask, vocabulary: dict[str, int], dim: int) -> Iterator[Floats]:
    """Yield the average of some words at a time, of shape (words, 2, dim), in the order of the words."""
    common = _common_weights(task, vocabulary, dim)
    size = len(vocabulary)
    buffers = [mapped(file) for file in task.shards]
    uses = [np.frombuffer(buffer, np.int64, size) for buffer in buffers]
    weights = [np.frombuffer(buffer, np.float32, offset=8 * size).reshape(-1, 2, dim) for buffer in buffers]
    read = [0] * len(buffers)
    for start in range(0, size, BATCH_WORDS):
        words = slice(start, start + BATCH_WORDS)
        rows = []
        for shard, of_shard in enumerate(uses):
            begin, read[shard] = read[shard], read[shard] + int(np.count_nonzero(of_shard[words]))
            rows.append(weights[shard][begin : read[shard]])
        yield averaged(common(words), [of_shard[words] for of_shard in uses], rows)


@dataclass(frozen=True)
class AverageStep(Step[AverageTask, File]):
    """Average the shards of a step: common weights, of each word of a slice its vector and its context, float32."""

    dim: int

    name = "change/average"
    noun = "embeddings"
    unit = "averages"

    def make(self, artefact: Artefact, task: AverageTask) -> File:
        """Write the weights of all words."""
        counts = uses_of(read_counts(task.space.counts))
        vocabulary = vocabulary_of(counts, task.space.min_count, task.space.slice)
        with artefact.writing(".weights") as stream:
            for some in _averages(task, vocabulary, self.dim):
                stream.write(some.tobytes())
        return artefact.file(".weights")


@dataclass(frozen=True)
class AverageLast(Step[AverageTask, PartFile]):
    """Average the shards of the last step."""

    dim: int

    name = "change/average-last"
    noun = unit = "embeddings"

    def make(self, artefact: Artefact, task: AverageTask) -> PartFile:
        """Write the vectors."""
        counts = read_counts(task.space.counts)
        vocabulary = vocabulary_of(uses_of(counts), task.space.min_count, task.space.slice)
        by_chance = _common_weights(task._replace(common=None), vocabulary, self.dim)
        vectors = (
            _taught(some[:, 0], by_chance(slice(start, start + BATCH_WORDS))[:, 0])
            for start, some in zip(
                range(0, len(vocabulary), BATCH_WORDS), _averages(task, vocabulary, self.dim), strict=True
            )
        )
        return write_space(artefact, task.space, counts, sorted(vocabulary), self.dim, vectors)


def _taught(vectors: Floats, by_chance: Floats) -> Floats:
    """Return vectors with zeros in place of those that are still chance, see `starts.zero_untaught`."""
    return np.where((vectors != by_chance).any(axis=1, keepdims=True), vectors, np.float32(0))
