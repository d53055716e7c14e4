"""Training as an artefact: one slice and one seed in, a part of table `vectors` out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import pyarrow as pa

from schemas.change.spaces import VECTORS
from transforms.change.view.counts import look_up, majority_tags
from transforms.change.view.feeds import read_counts, read_dealt, read_documents, read_feed
from transforms.common.errors import LexbeamError
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.tables import PartFile, write_part
from transforms.embeddings.sgns import SgnsOptions, derive_seed
from transforms.embeddings.trainers import REGISTRY, train_space

__all__ = ["TRAIN", "TrainTask", "TrainedSpace"]

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
        documents: those that a null slice has, of schema `DOCUMENTS`; None: all.
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
class TrainedSpace:
    """An embedding, a part of table `vectors`."""

    part: PartFile


def _train(artefact: Artefact, task: TrainTask, options: SgnsOptions) -> TrainedSpace:
    if not task.sentences:
        raise LexbeamError(f"slice {task.slice!r} has no sentence left: lower `min_sentence`, or take wider slices")
    counts = read_counts(task.counts)
    uses = dict(zip(counts["word"].to_pylist(), counts["count"].to_pylist(), strict=True))
    words, vectors, _ = train_space(
        _feed_of(task),
        uses,
        replace(options, min_count=task.min_count),
        seed=derive_seed(task.slice, task.seed),
        sentences=task.sentences,
        tokens=task.tokens,
        slice_name=task.slice,
    )
    vocabulary = pa.array(words, pa.string())
    rows = look_up(counts, vocabulary)
    size = len(words)
    schema = VECTORS.schema(dim=options.dim)
    table = pa.table(
        [
            pa.repeat(task.slice, size),
            pa.repeat(pa.scalar(task.seed, pa.int32()), size),
            *(rows[name] for name in ("word", "count", "documents", "proper_nouns")),
            *majority_tags([counts], vocabulary),
            pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), options.dim),
        ],
        names=schema.names,
    )
    return TrainedSpace(write_part(artefact, schema, _cut(table), sort_keys=VECTORS.key))


def _feed_of(task: TrainTask) -> Callable[[], Iterator[pa.ListArray]]:
    if task.documents is None:
        (feed,) = task.feeds
        return lambda: read_feed(feed)
    documents = read_documents(task.documents)
    return lambda: read_dealt(task.feeds, documents)


def _cut(table: pa.Table) -> Sequence[pa.Table]:
    return [table.slice(start, BATCH_WORDS) for start in range(0, table.num_rows, BATCH_WORDS)]


def _chosen(_: TrainTask, options: SgnsOptions) -> dict[str, tuple[str, ...]]:
    return {REGISTRY: (options.trainer,)}


TRAIN: Stage[TrainTask, SgnsOptions, TrainedSpace] = Stage(
    name="change/train",
    receipt=TrainedSpace,
    build=_train,
    unused={"options.min_count": "each slice has a cut of its own, `task.min_count`"},
    chosen=_chosen,
    blas=True,
    unit="embeddings",
)
