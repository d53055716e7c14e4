"""Spaces that are made of counts, as artefacts: a slice is counted piece by piece, pieces are added up, words weighted.

    CountContexts   a piece of a slice      -> how often its words co-occur
    AddContexts     counts of some pieces   -> their sum
    Represent       counts of a slice       -> a part of table `vectors`

Counts are whole numbers, so that pieces and sums change no space.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.change.spaces.shards import ShardOptions, span_of
from lexbeam.transforms.change.spaces.training import BATCH_WORDS, TrainTask, feed_of, uses_of, write_space
from lexbeam.transforms.change.view.feeds import batches_of, read_counts
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
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
        space: the slice, see `context_task`.
        piece: from 0.
        pieces: of the slice.
        weight: tokens of the piece.
    """

    space: TrainTask
    piece: int
    pieces: int
    weight: Annotated[float, Uncounted("it says how long counting takes")]


def context_task(space: TrainTask, piece: int, pieces: int) -> ContextTask:
    """Return the task of a piece of a slice; counting has no seed, and no use for the number of tokens."""
    return ContextTask(space._replace(seed=0, tokens=0), piece, pieces, space.tokens / pieces)


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
    """

    slice: str
    number: int
    parts: tuple[CountedContexts, ...]


class RepresentTask(NamedTuple):
    """A slice and a seed, see `represent_task`, and the counts of all its pieces."""

    space: TrainTask
    contexts: tuple[CountedContexts, ...]


def represent_task(space: TrainTask, contexts: tuple[CountedContexts, ...]) -> RepresentTask:
    """Return the task of a slice and a seed, without what its contexts are counted from."""
    return RepresentTask(space._replace(tokens=0, sentences=0, feeds=(), documents=None), contexts)


def _words(space: TrainTask, counts: pa.Table) -> list[str]:
    return sorted(vocabulary_of(uses_of(counts), space.min_count, space.slice))


@dataclass(frozen=True)
class CountContexts(Step[ContextTask, CountedContexts]):
    """Count how often words co-occur in a piece of a slice.

    Attributes:
        window: words to either side.
        by_distance: whether each counts 1 over its distance, and not 1.
    """

    window: int
    by_distance: bool = False

    name = "change/contexts"
    noun = "embeddings"
    unit = "pieces of slices"

    def make(self, artefact: Artefact, task: ContextTask) -> CountedContexts:
        """Write the counts."""
        words = _words(task.space, read_counts(task.space.counts))
        feed = feed_of(task.space, span_of(task.piece, 0, ShardOptions(shards=task.pieces)))
        return _written(
            artefact, count_pairs(feed(), pa.array(words, pa.string()), self.window, by_distance=self.by_distance)
        )


@dataclass(frozen=True)
class AddContexts(Step[SumTask, CountedContexts]):
    """Add up the counts of some pieces."""

    name = "change/add-contexts"
    noun = "embeddings"
    unit = "sums"

    def make(self, artefact: Artefact, task: SumTask) -> CountedContexts:
        """Write the sum."""
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
    batches = list(batches_of([counted.cells]))
    rows, columns, counts = (np.concatenate([batch[name].to_numpy() for batch in batches]) for name in CELLS.names)
    return matrix_of(rows, columns, counts, counted.words)


@dataclass(frozen=True)
class Represent(Step[RepresentTask, PartFile]):
    """Make a space of the counts of a slice."""

    options: RepresentationOptions

    name = "change/represent"
    noun = unit = "embeddings"
    blas = True

    def make(self, artefact: Artefact, task: RepresentTask) -> PartFile:
        """Write the vectors."""
        counts = read_counts(task.space.counts)
        words = _words(task.space, counts)
        contexts = Cooccurrences(words, symmetric([_read(part) for part in task.contexts]))
        shared = REPRESENTATIONS[self.options.representation].axes == SHARED
        seed = task.space.seed if shared else derive_seed(task.space.slice, task.space.seed)
        vectors = represent(contexts, seed, self.options)
        dim = None if is_sparse(vectors) else vectors.shape[1]
        return write_space(artefact, task.space, counts, words, dim, _cut(vectors))

    def chosen(self, task: RepresentTask) -> dict[str, tuple[str, ...]]:
        """Return the representation."""
        return {REGISTRY: (self.options.representation,)}


def _cut(vectors: Rows) -> Iterator[Rows]:
    for start in range(0, vectors.shape[0], BATCH_WORDS):
        some = vectors[start : start + BATCH_WORDS].astype(np.float32)
        if is_sparse(some):
            some.eliminate_zeros()  # what float32 cannot tell from 0
        yield some
