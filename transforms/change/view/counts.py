"""Counts of the training view: uses, documents and tags per word, and sizes of a slice.

Counts are Arrow tables with the columns of `COUNTS`, sorted by word (by code point), ready to be
stored; they hold words of all frequencies.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view.tags import (
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
