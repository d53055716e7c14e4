"""Training as artefacts: one slice, or slices together, and one seed in; parts of table `vectors` out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.change.spaces import VECTORS
from lexbeam.transforms.change.view.counts import look_up, majority_tags
from lexbeam.transforms.change.view.feeds import WHOLE, KeySpan, read_counts, read_dealt, read_feed, read_held
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile, write_part
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.joint_trainings import JOINT_REGISTRY, JOINT_TRAININGS, JointSlices, SliceText
from lexbeam.transforms.embeddings.sgns import SgnsOptions, derive_seed
from lexbeam.transforms.embeddings.spaces import Rows, is_sparse
from lexbeam.transforms.embeddings.trainers import REGISTRY, train_space

BATCH_WORDS = 4_096


class TrainTask(NamedTuple):
    """A slice to train with a seed.

    Attributes:
        tokens: words of the slice.
        slice: its name.
        seed: the seed as given.
        min_count: its frequency cut.
        counts: its counts.
        sentences: number of its sentences.
        feeds: the files of its sentences, in the order of training; of a null slice those of each slice that it is
            dealt from.
        documents: those that a null slice has, or its sentences, see `feeds.Held`; None: all.
    """

    tokens: int
    slice: str
    seed: int
    min_count: int
    counts: File
    sentences: int
    feeds: tuple[tuple[File, ...], ...]
    documents: File | None = None


@dataclass(frozen=True)
class Train(Step[TrainTask, PartFile]):
    """Train the words of a slice with a seed.

    The cut of `options` does not count, since each slice has its own; it is 1.
    """

    options: SgnsOptions

    name = "change/train"
    noun = unit = "embeddings"
    blas = True

    def make(self, artefact: Artefact, task: TrainTask) -> PartFile:
        """Write the vectors of the words that are frequent enough."""
        counts = read_counts(task.counts)
        words, vectors, _ = train_space(
            feed_of(task),
            uses_of(counts),
            replace(self.options, min_count=task.min_count),
            seed=derive_seed(task.slice, task.seed),
            sentences=task.sentences,
            tokens=task.tokens,
            slice_name=task.slice,
            keep_untaught=False,
        )
        return write_space(artefact, task, counts, words, self.options.dim, cut_rows(vectors))

    def chosen(self, task: TrainTask) -> dict[str, tuple[str, ...]]:
        """Return the trainer."""
        return {REGISTRY: (self.options.trainer,)}


def cut_rows(vectors: npt.NDArray[np.float32]) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the rows of a matrix, some at a time, as `write_space` takes them."""
    return (vectors[start : start + BATCH_WORDS] for start in range(0, len(vectors), BATCH_WORDS))


def uses_of(counts: pa.Table) -> dict[str, int]:
    """Return the uses of each word of a slice, from a table of `counts.COUNTS`."""
    return dict(zip(counts["word"].to_pylist(), counts["count"].to_pylist(), strict=True))


def feed_of(task: TrainTask, span: KeySpan = WHOLE) -> Callable[[], Iterator[pa.ListArray]]:
    """Return what reads the sentences of a slice, or of a span of it, in the order of training.

    Raises:
        LexbeamError: the slice has none.
    """
    if not task.sentences:
        raise LexbeamError(f"slice {task.slice!r} has no sentence left: lower `min_sentence`, or take wider slices")
    if task.documents is None:
        (feed,) = task.feeds
        return lambda: read_feed(feed, span)
    held = read_held(task.documents)
    return lambda: read_dealt(task.feeds, held, span)


def write_space(
    artefact: Artefact,
    task: TrainTask,
    counts: pa.Table,
    words: list[str],
    dim: int | None,
    vectors: Iterable[Rows],
    *,
    variant: str = APART,
    suffix: str = "",
) -> PartFile:
    """Write an embedding.

    Args:
        artefact: takes the part.
        task: slice and seed.
        counts: of the slice.
        words: sorted.
        dim: of the vectors; None: they are sparse.
        vectors: those of the words, some at a time, in their order.
        variant: which of the spaces of slice and seed it is.
        suffix: of the file, where the artefact has several.
    """
    vocabulary = pa.array(words, pa.string())
    rows, size = look_up(counts, vocabulary), len(words)
    schema = VECTORS.schema(dim=dim)
    about = pa.table(
        [
            pa.repeat(task.slice, size),
            pa.repeat(pa.scalar(task.seed, pa.int32()), size),
            pa.repeat(variant, size),
            *(rows[name] for name in ("word", "count", "documents", "proper_nouns")),
            *majority_tags([counts], vocabulary),
        ],
        names=schema.names[: schema.names.index("upos_share") + 1],
    )

    def tables() -> Iterator[pa.Table]:
        start = 0
        for some in vectors:
            end = start + some.shape[0]
            yield pa.table([*about.slice(start, end - start).columns, *_columns(some)], schema=schema)
            start = end

    return write_part(artefact, schema, tables(), sort_keys=VECTORS.key, suffix=suffix)


def _columns(vectors: Rows) -> list[pa.Array]:
    if not is_sparse(vectors):
        return [pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])]
    starts = pa.array(vectors.indptr, pa.int32())
    return [
        pa.ListArray.from_arrays(starts, pa.array(vectors.indices, pa.int32())),
        pa.ListArray.from_arrays(starts, pa.array(vectors.data)),
    ]


class JointTask(NamedTuple):
    """Slices to train together with a seed.

    Attributes:
        slices: in the order of time.
        training: key of `JOINT_TRAININGS`; the variant of the spaces.
        wanted: numbers of those whose spaces are wanted.
        targets: that have a vector in each slice, sorted; empty where all words have.
        anchor: the slice that others go on from; None: the one before each, or it does not matter.
    """

    slices: tuple[TrainTask, ...]
    training: str
    wanted: tuple[int, ...]
    targets: tuple[str, ...] = ()
    anchor: int | None = None


@dataclass(frozen=True)
class TrainedSpaces:
    """The spaces that were wanted, in the order of their slices."""

    spaces: tuple[PartFile, ...]


@dataclass(frozen=True)
class TrainJointly(Step[JointTask, TrainedSpaces]):
    """Train slices together with a seed; the cut of `options` does not count, and is 1, see `Train`."""

    options: SgnsOptions

    name = "change/train-jointly"
    noun = "embeddings"
    unit = "comparisons"
    blas = True

    def make(self, artefact: Artefact, task: JointTask) -> TrainedSpaces:
        """Write the vectors of the slices that are wanted."""
        counts = [read_counts(one.counts) for one in task.slices]
        texts = [
            SliceText(one.slice, feed_of(one), uses_of(of), one.min_count, one.sentences, one.tokens)
            for one, of in zip(task.slices, counts, strict=True)
        ]
        joint = JointSlices(texts, task.slices[0].seed, frozenset(task.targets), task.anchor)
        made = JOINT_TRAININGS[task.training].train(joint, self.options)
        spaces = [
            write_space(
                artefact,
                task.slices[place],
                counts[place],
                made[place].words,
                self.options.dim,
                cut_rows(made[place].vectors),
                variant=task.training,
                suffix=f"-{place}",
            )
            for place in task.wanted
        ]
        return TrainedSpaces(tuple(spaces))

    def chosen(self, task: JointTask) -> dict[str, tuple[str, ...]]:
        """Return the way of training, and the trainer."""
        return {JOINT_REGISTRY: (task.training,), REGISTRY: (self.options.trainer,)}
