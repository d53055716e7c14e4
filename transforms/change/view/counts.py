"""Counts of the training view, uses, documents and tags per word, and slices brought together over parts.

Counts are Arrow tables with the columns of `COUNTS`, sorted by word (by code point), ready to be
stored; they hold words of all frequencies.

What the parts of `sentences` give for a slice is brought together in artefacts:

    CountSlice     counts of parts    -> a slice's counts and sizes, or those of a group of parts
    ShuffleRange   staged sentences   -> a file of sentences in the order of training

The order of training is that of the sentences' keys, which are hashes: ranges of keys are sorted
one by one, so that shuffling a whole slice takes the memory of one range.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view.feeds import FEED, STAGED, StagedView, as_batch
from lexbeam.transforms.change.view.words import (
    TAGS,
    USES,
    Majority,
    TagUses,
    as_cells,
    as_lists,
    count_cells,
    majority,
    total_cells,
)
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File

Ints = npt.NDArray[np.int64]

COUNTS = pa.schema(
    [
        pa.field("word", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("documents", pa.int64(), nullable=False),
        pa.field("tags", USES),
    ]
)
COMPACT_AT = 1 << 22  # (word, document) pairs held before duplicates are removed
_LOOKED_UP = pa.schema([*list(COUNTS)[:-1], pa.field("proper_nouns", pa.int64())])


class ViewCounts(NamedTuple):
    """Counts of a slice's view or of a part of it: a table of `COUNTS`, and sizes."""

    words: pa.Table
    documents: int
    sentences: int
    tokens: int
    largest_document: int


Batch = tuple[pa.ListArray, pa.Array, npt.NDArray[np.uint8] | None]


def count_view(batches: Iterable[Batch]) -> ViewCounts:
    """Count the view, or a part that holds whole documents, in any order of sentences.

    Args:
        batches: per batch the sentences' words (list<string>, or of dictionary), their documents'
            ids (string or dictionary), and per word the number of its tag, or None.

    Returns:
        The counts. `tags` is null where no batch with tags was seen; words of untagged batches
        beside tagged ones have no use with a tag.
    """
    words: dict[str, int] = {}
    documents: dict[str, int] = {}
    uses = np.zeros(0, np.int64)
    lengths = np.zeros(0, np.int64)
    pairs: list[Ints] = [np.zeros(0, np.int64)]
    cells: list[TagUses] = []
    held = sentences = 0
    tagged = False
    for lists, ids, tags in batches:
        places, number = _codes(lists.flatten(), words)
        word = places[number]
        documents_here, row = _codes(ids, documents)
        document = documents_here[row]
        size = lists.value_lengths().to_numpy(zero_copy_only=False)
        uses = _added(uses, np.bincount(word, minlength=len(words)))
        lengths = _added(lengths, np.bincount(document, size, minlength=len(documents)).astype(np.int64))
        if tags is not None:
            tagged = True
            cells.append(count_cells(number, tags, places))
        pairs.append(np.unique(word << 32 | np.repeat(document, size)))
        held += len(pairs[-1])
        if held > COMPACT_AT:
            pairs, cells = [np.unique(np.concatenate(pairs))], [total_cells(cells)]
            held = len(pairs[0]) // 2  # so that compacting stays linear in what is added
        sentences += len(lists)
    spread = np.bincount(np.unique(np.concatenate(pairs)) >> 32, minlength=len(words))
    table = pa.table(
        [
            pa.array(list(words), pa.string()),
            pa.array(uses, pa.int64()),
            pa.array(spread, pa.int64()),
            as_lists(total_cells(cells), len(words)) if tagged else pa.nulls(len(words), USES),
        ],
        schema=COUNTS,
    )
    table = table.filter(pc.greater(table["count"], 0)).sort_by("word").combine_chunks()
    largest = int(lengths.max()) if len(lengths) else 0
    return ViewCounts(table, int((lengths > 0).sum()), sentences, int(uses.sum()), largest)


def _codes(values: pa.Array, known: dict[str, int]) -> tuple[Ints, Ints]:
    """Return the places in `known` of the distinct values, and the number of each value among those.

    New values are added to `known`.
    """
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    places = [known.setdefault(value, len(known)) for value in encoded.dictionary.to_pylist()]
    numbers = encoded.indices.to_numpy(zero_copy_only=False)
    return np.array(places, np.int64), numbers.astype(np.int64)


def _added(total: Ints, more: Ints) -> Ints:
    """Return the sum of two arrays, the shorter one filled up with zeros."""
    result = np.zeros(max(len(total), len(more)), np.int64)
    result[: len(total)] += total
    result[: len(more)] += more
    return result


def merge_counts(parts: Sequence[ViewCounts]) -> ViewCounts:
    """Return the counts of a slice from those of its parts, which share no document."""
    if not parts:
        return count_view([])
    joined = pa.concat_tables([part.words for part in parts])
    sums = joined.group_by("word", use_threads=False).aggregate([("count", "sum"), ("documents", "sum")])
    sums = sums.select(["word", "count_sum", "documents_sum"]).sort_by("word").combine_chunks()
    table = pa.table([*sums.columns, _merged_tags(joined, sums["word"])], schema=COUNTS)
    return ViewCounts(
        table.combine_chunks(),
        sum(part.documents for part in parts),
        sum(part.sentences for part in parts),
        sum(part.tokens for part in parts),
        max(part.largest_document for part in parts),
    )


def _merged_tags(joined: pa.Table, words: pa.ChunkedArray) -> pa.Array:
    """Return the uses by tag of words, each of which has one or more rows in `joined`."""
    if not _tagged(joined):
        return pa.nulls(len(words), USES)
    places = pc.index_in(joined["word"], value_set=words.combine_chunks()).to_numpy()
    cells = as_cells(joined["tags"].combine_chunks(), places.astype(np.int64))
    return as_lists(total_cells([cells]), len(words))


def _tagged(counts: pa.Table) -> bool:
    return bool(counts["tags"].null_count < counts.num_rows)


def look_up(counts: pa.Table, words: pa.Array) -> pa.Table:
    """Return count, documents and proper_nouns of words, in their order, 0 for words not there.

    `proper_nouns`, the uses tagged PROPN, is null where `counts` has no tags.
    """
    rows = counts.select(["count", "documents"]).take(_places(counts, words))
    uses = tag_uses(counts, words)
    columns = [words, rows["count"].fill_null(0), rows["documents"].fill_null(0)]
    proper = pa.nulls(len(words), pa.int64()) if uses is None else pa.array(uses[:, _PROPER])
    return pa.table([*columns, proper], schema=_LOOKED_UP)


_PROPER = UPOS.index("PROPN")


def tag_uses(counts: pa.Table, words: pa.Array) -> Ints | None:
    """Return the uses of words by tag, a row for each word; None where `counts` has no tags."""
    if not _tagged(counts):
        return None
    lists = counts["tags"].take(_places(counts, words)).combine_chunks()
    cells = as_cells(lists, np.arange(len(words)))
    uses = np.zeros((len(words), TAGS), np.int64)
    uses.ravel()[cells.cells] = cells.uses
    return uses


def majority_tags(slices: Sequence[pa.Table], words: pa.Array) -> Majority:
    """Return the tag that most tagged uses of each word have over the counts of some slices."""
    tagged = [uses for counts in slices if (uses := tag_uses(counts, words)) is not None]
    return majority(sum(tagged[1:], tagged[0]) if tagged else None, len(words))


def _places(counts: pa.Table, words: pa.Array) -> pa.Array:
    return pc.index_in(words, value_set=counts["word"].combine_chunks())


FEED_ROWS = 8_192
MOST_COUNTED = 64  # parts whose counts one task sums, on average


def count_groups(parts: int) -> int:
    """Return into how many groups the parts of a slice fall whose counts are summed first; 0: all are at once."""
    return 0 if parts <= 2 * MOST_COUNTED else -(-parts // MOST_COUNTED)


@dataclass(frozen=True, kw_only=True)
class PartCounts:
    """What is counted in a slice, or in what a part of `sentences` has of it.

    Attributes:
        counts: file of `COUNTS`.
        documents: documents with a sentence in the view.
        sentences: sentences in the view.
        tokens: words in them.
        largest_document: words of the longest document.
        tokens_before: tokens before any filter.
        short: sentences dropped as too short.
        short_tokens: tokens of these.
        sampled_out: sentences dropped by downsampling.
    """

    counts: File
    documents: int
    sentences: int
    tokens: int
    largest_document: int
    tokens_before: int = 0
    short: int = 0
    short_tokens: int = 0
    split: int = 0
    sampled_out: int = 0


@dataclass(frozen=True, kw_only=True)
class SliceCounts(PartCounts):
    """A slice's counts, and how many words it has."""

    types: int


def write_counts(artefact: Artefact, suffix: str, counts: ViewCounts) -> PartCounts:
    """Write counts to an artefact's file, and return them; of what the view leaves out nothing is known."""
    with artefact.writing(suffix) as stream, BatchWriter(stream, COUNTS) as writer:
        writer.write(as_batch(counts.words))
    return PartCounts(
        counts=artefact.file(suffix),
        documents=counts.documents,
        sentences=counts.sentences,
        tokens=counts.tokens,
        largest_document=counts.largest_document,
    )


_MERGED = 16  # parts whose counts are held at a time, beside those of all before them
_SUMS = ("tokens_before", "short", "short_tokens", "split", "sampled_out")


@dataclass(frozen=True)
class CountSlice(Step[tuple[PartCounts, ...], SliceCounts]):
    """Sum the counts of a slice over its parts, or over a group of them, in whatever order they come."""

    name = "change/count"
    noun = unit = "slices"

    def make(self, artefact: Artefact, task: tuple[PartCounts, ...]) -> SliceCounts:
        """Write the sum."""
        ordered = sorted(task, key=lambda part: part.counts.sha256)
        merged = merge_counts([])
        for some in batched(ordered, _MERGED):
            with BatchReader() as reader:
                tables = [pa.Table.from_batches([reader.read(part.counts, 0)]) for part in some]
                read = [
                    ViewCounts(table, part.documents, part.sentences, part.tokens, part.largest_document)
                    for table, part in zip(tables, some, strict=True)
                ]
                merged = merge_counts([merged, *read])
        sums = {name: sum(getattr(part, name) for part in ordered) for name in _SUMS}
        return SliceCounts(**vars(write_counts(artefact, ".arrow", merged)) | sums, types=merged.words.num_rows)


@dataclass(frozen=True)
class ShuffleRange(Step[tuple[StagedView, ...], File]):
    """Put the sentences of a range in the order of training, of schema `FEED`, in whatever order their files come."""

    name = "change/shuffle"
    noun = "slices"
    unit = "ranges"

    def make(self, artefact: Artefact, task: tuple[StagedView, ...]) -> File:
        """Write the sentences."""
        with BatchReader() as reader:
            batches = [
                reader.read(entry.file, entry.ordinal)
                for entry in sorted(task, key=attrgetter("file.sha256", "ordinal"))
            ]
            table = pa.Table.from_batches(batches, STAGED)
        # Stable, for the pieces of a split sentence share a key and follow one another.
        order = np.lexsort(
            (
                np.arange(table.num_rows),
                table["sentence"].to_numpy(),
                _ranks(table["document_id"]),
                table["key"].to_numpy(),
            )
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
        return artefact.file(".arrow")


def _ranks(documents: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return numbers that sort as the ids of the documents do."""
    return np.unique(documents.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1]
