"""A slice of the training view, brought together over the parts of `sentences`.

    COUNT     counts of parts      -> a slice's counts and sizes, or those of a group of parts
    SHUFFLE   staged sentences     -> a file of sentences in the order of training

The order of training is that of the sentences' keys, which are hashes: ranges of keys are sorted
one by one, so that shuffling a whole slice takes the memory of one range.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.change.view.counts import COUNTS, ViewCounts, merge_counts
from lexbeam.transforms.change.view.feeds import FEED, STAGED, StagedView, as_batch
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File

FEED_ROWS = 8_192
MOST_COUNTED = 64  # parts whose counts one task sums, on average


def count_groups(parts: int) -> int:
    """Return into how many groups the parts of a slice fall whose counts are summed first; 0: all are at once."""
    return 0 if parts <= 2 * MOST_COUNTED else -(-parts // MOST_COUNTED)


class PartCounts(NamedTuple):
    """A slice's counts in one part of `sentences`; see `view_stage.Viewed`."""

    counts: File
    documents: int
    sentences: int
    tokens: int
    largest_document: int
    tokens_before: int
    short: int
    short_tokens: int
    split: int
    sampled_out: int


@dataclass(frozen=True, kw_only=True)
class SliceCounts:
    """A slice's counts, of words in `counts` (schema `COUNTS`), and its sizes."""

    counts: File
    documents: int
    sentences: int
    tokens: int
    largest_document: int
    types: int
    tokens_before: int
    short: int
    short_tokens: int
    split: int
    sampled_out: int


@dataclass(frozen=True)
class Shuffled:
    """Sentences of a range in the order of training, of schema `FEED`."""

    feed: File


def _count(artefact: Artefact, parts: tuple[PartCounts, ...], _: None) -> SliceCounts:
    ordered = sorted(parts, key=lambda part: part.counts.sha256)
    merged = merge_counts([])
    for some in batched(ordered, _MERGED):
        with BatchReader() as reader:
            read = [ViewCounts(pa.Table.from_batches([reader.read(part.counts, 0)]), *part[1:5]) for part in some]
            merged = merge_counts([merged, *read])
    with artefact.writing(".arrow") as stream, BatchWriter(stream, COUNTS) as writer:
        writer.write(as_batch(merged.words))
    return SliceCounts(
        counts=artefact.file(".arrow"),
        documents=merged.documents,
        sentences=merged.sentences,
        tokens=merged.tokens,
        largest_document=merged.largest_document,
        types=merged.words.num_rows,
        **{name: sum(getattr(part, name) for part in ordered) for name in _SUMS},
    )


_MERGED = 16  # parts whose counts are held at a time, beside those of all before them
_SUMS = ("tokens_before", "short", "short_tokens", "split", "sampled_out")


def _place(entry: StagedView) -> tuple[str, int]:
    return entry.file.sha256, entry.ordinal


def _shuffle(artefact: Artefact, staged: tuple[StagedView, ...], _: None) -> Shuffled:
    with BatchReader() as reader:
        batches = [reader.read(entry.file, entry.ordinal) for entry in sorted(staged, key=_place)]
        table = pa.Table.from_batches(batches, STAGED)
    # Stable, for the pieces of a split sentence share a key and follow one another.
    order = np.lexsort(
        (np.arange(table.num_rows), table["sentence"].to_numpy(), _ranks(table["document_id"]), table["key"].to_numpy())
    )
    lists = table["words"].take(pa.array(order)).combine_chunks()
    lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
    coded = pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode())
    documents = content_hashes(table["document_id"].combine_chunks().dictionary_encode())[order]
    batch = pa.RecordBatch.from_arrays(
        [coded, pa.array(table["key"].to_numpy()[order]), pa.array(documents)], schema=FEED
    )
    with artefact.writing(".arrow") as stream, BatchWriter(stream, FEED) as writer:
        for start in range(0, batch.num_rows, FEED_ROWS):
            writer.write(batch.slice(start, FEED_ROWS))
    return Shuffled(artefact.file(".arrow"))


def _ranks(documents: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return numbers that sort as the ids of the documents do."""
    return np.unique(documents.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1]


COUNT: Stage[tuple[PartCounts, ...], None, SliceCounts] = Stage(
    name="change/count", noun="slices", receipt=SliceCounts, build=_count, unordered=("task",), unit="slices"
)
SHUFFLE: Stage[tuple[StagedView, ...], None, Shuffled] = Stage(
    name="change/shuffle", noun="slices", receipt=Shuffled, build=_shuffle, unordered=("task",), unit="ranges"
)
