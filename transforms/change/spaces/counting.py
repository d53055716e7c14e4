"""Spaces that are made of counts, as artefacts: a slice is counted piece by piece, pieces are added up, words weighted.

    COUNT_CONTEXTS   a piece of a slice      -> how often its words co-occur
    ADD_CONTEXTS     counts of some pieces   -> their sum
    REPRESENT        counts of a slice       -> a part of table `vectors`

Counts are whole numbers, so that pieces and sums change no space.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.change.spaces.shards import ShardOptions, span_of
from lexbeam.transforms.change.spaces.training import (
    BATCH_WORDS,
    TrainedSpace,
    TrainTask,
    feed_of,
    uses_of,
    write_space,
)
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.embeddings.counted_vectors import Cooccurrences, count_pairs, matrix_of, symmetric
from lexbeam.transforms.embeddings.representations import (
    REGISTRY,
    REPRESENTATIONS,
    SHARED,
    RepresentationOptions,
    represent,
)
from lexbeam.transforms.embeddings.sgns import derive_seed, vocabulary_of
from lexbeam.transforms.embeddings.spaces import Rows, is_sparse

if TYPE_CHECKING:
    from scipy.sparse import csr_array


PIECES = 4  # of a range of the training view, a million words each
ADDED = 16  # pieces that one task adds up

# Cells of the matrix of counts that are not 0, by row and column: numbers of words.
CELLS = pa.schema([("word", pa.int32()), ("context", pa.int32()), ("count", pa.int64())])
BATCH_CELLS = 1 << 20


def pieces_of(ranges: int) -> int:
    """Return into how many pieces a slice is counted that lies in so many ranges, files of the training view."""
    return PIECES * ranges


def sums_of(pieces: int) -> int:
    """Return how many sums so many pieces are first added up to."""
    return -(-pieces // ADDED)


class ContextTask(NamedTuple):
    """A piece of a slice to count.

    Attributes:
        space: the slice; its seed counts for nothing.
        piece: from 0.
        pieces: of the slice.
    """

    space: TrainTask
    piece: int
    pieces: int


@dataclass(frozen=True)
class CountedContexts:
    """How often words co-occur, pairs of words once: cells of schema `CELLS`, and the number of words."""

    cells: File
    words: int


class SumTask(NamedTuple):
    """Some pieces of a slice to add up.

    Attributes:
        slice: its name: no two slices share a sum, which may be freed.
        number: of the sum, from 0.
        parts: the pieces.
    """

    slice: str
    number: int
    parts: tuple[CountedContexts, ...]


class RepresentTask(NamedTuple):
    """A slice and a seed, and the counts of all its pieces."""

    space: TrainTask
    contexts: tuple[CountedContexts, ...]


def _words(space: TrainTask, counts: pa.Table) -> list[str]:
    return sorted(vocabulary_of(uses_of(counts), space.min_count, space.slice))


@dataclass(frozen=True)
class ContextOptions:
    """What counts as a context: words to either side, and whether each counts 1 or 1 over its distance."""

    window: int
    by_distance: bool = False


def _count(artefact: Artefact, task: ContextTask, options: ContextOptions) -> CountedContexts:
    words = _words(task.space, read_counts(task.space.counts))
    feed = feed_of(task.space, span_of(task.piece, 0, ShardOptions(shards=task.pieces)))
    return _written(
        artefact, count_pairs(feed(), pa.array(words, pa.string()), options.window, by_distance=options.by_distance)
    )


def _add(artefact: Artefact, task: SumTask, _: None) -> CountedContexts:
    total = _read(task.parts[0])
    for part in task.parts[1:]:
        total = total + _read(part)
    return _written(artefact, total)


def _written(artefact: Artefact, upper: "csr_array") -> CountedContexts:
    rows = np.repeat(np.arange(upper.shape[0], dtype=np.int32), np.diff(upper.indptr))
    columns = (rows, upper.indices.astype(np.int32), upper.data)
    with artefact.writing(".arrow") as stream, BatchWriter(stream, CELLS) as writer:
        for start in range(0, max(upper.nnz, 1), BATCH_CELLS):
            some = [pa.array(column[start : start + BATCH_CELLS]) for column in columns]
            writer.write(pa.RecordBatch.from_arrays(some, schema=CELLS))
    return CountedContexts(artefact.file(".arrow"), upper.shape[0])


def _read(counted: CountedContexts) -> "csr_array":
    with BatchReader(limit=1) as reader:
        batches = [reader.read(counted.cells, ordinal) for ordinal in range(reader.count(counted.cells))]
    rows, columns, counts = (np.concatenate([batch[name].to_numpy() for batch in batches]) for name in CELLS.names)
    return matrix_of(rows, columns, counts, counted.words)


def _represent(artefact: Artefact, task: RepresentTask, options: RepresentationOptions) -> TrainedSpace:
    counts = read_counts(task.space.counts)
    words = _words(task.space, counts)
    contexts = Cooccurrences(words, symmetric([_read(part) for part in task.contexts]))
    shared = REPRESENTATIONS[options.representation].axes == SHARED
    seed = task.space.seed if shared else derive_seed(task.space.slice, task.space.seed)
    vectors = represent(contexts, seed, options)
    dim = None if is_sparse(vectors) else vectors.shape[1]
    return write_space(artefact, task.space, counts, words, dim, _cut(vectors))


def _cut(vectors: Rows) -> Iterator[Rows]:
    for start in range(0, vectors.shape[0], BATCH_WORDS):
        some = vectors[start : start + BATCH_WORDS].astype(np.float32)
        if is_sparse(some):
            some.eliminate_zeros()  # what float32 cannot tell from 0
        yield some


def _chosen(_: RepresentTask, options: RepresentationOptions) -> dict[str, tuple[str, ...]]:
    return {REGISTRY: (options.representation,)}


COUNT_CONTEXTS: Stage[ContextTask, ContextOptions, CountedContexts] = Stage(
    name="change/contexts",
    noun="embeddings",
    receipt=CountedContexts,
    build=_count,
    unused={"task.space.seed": "counting has no chance in it", "task.space.tokens": "they say how long it takes"},
    unit="pieces of slices",
)
ADD_CONTEXTS: Stage[SumTask, None, CountedContexts] = Stage(
    name="change/add-contexts",
    noun="embeddings",
    receipt=CountedContexts,
    build=_add,
    unordered=("task.parts",),
    unit="sums",
)
REPRESENT: Stage[RepresentTask, RepresentationOptions, TrainedSpace] = Stage(
    name="change/represent",
    noun="embeddings",
    receipt=TrainedSpace,
    build=_represent,
    unused=dict.fromkeys(
        ("task.space.tokens", "task.space.sentences", "task.space.feeds", "task.space.documents"),
        "the contexts are counted from them",
    ),
    unordered=("task.contexts",),
    chosen=_chosen,
    blas=True,
    unit="embeddings",
)
