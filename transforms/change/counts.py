"""Counts of the training view: uses, documents and proper nouns per word, and sizes of a slice.

Counts are Arrow tables with the columns of `COUNTS`, sorted by word (by code point), so that they
can be stored as they are; words of all frequencies are in them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["COUNTS", "ViewCounts", "count_view", "look_up", "merge_counts"]

COUNTS = pa.schema(
    [
        pa.field("word", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("documents", pa.int64(), nullable=False),
        pa.field("proper_nouns", pa.int64()),
    ]
)
COMPACT_AT = 1 << 22  # (word, document) pairs held before duplicates are removed


class ViewCounts(NamedTuple):
    """Counts of a slice's view or of a part of it: a table of `COUNTS`, and sizes."""

    words: pa.Table
    documents: int
    sentences: int
    tokens: int
    largest_document: int


Batch = tuple[pa.ListArray, pa.Array, npt.NDArray[np.bool_] | None]


def count_view(batches: Iterable[Batch]) -> ViewCounts:
    """Count the view, or a part that holds whole documents, in any order of sentences.

    Args:
        batches: per batch the sentences' words (list<string>, or of dictionary), their documents'
            ids (string or dictionary), and per word whether it is a proper noun, or None.

    Returns:
        The counts. `proper_nouns` is null where no batch with tags was seen; words of untagged
        batches count as no proper nouns beside tagged ones.
    """
    words: dict[str, int] = {}
    documents: dict[str, int] = {}
    uses = np.zeros(0, np.int64)
    proper_uses = np.zeros(0, np.int64)
    lengths = np.zeros(0, np.int64)
    pairs: list[npt.NDArray[np.int64]] = [np.zeros(0, np.int64)]
    held = sentences = 0
    tagged = False
    for lists, ids, proper in batches:
        word = _codes(lists.flatten(), words)
        document = _codes(ids, documents)
        size = lists.value_lengths().to_numpy(zero_copy_only=False)
        uses = _added(uses, np.bincount(word, minlength=len(words)))
        lengths = _added(
            lengths, np.bincount(document, size, minlength=len(documents)).astype(np.int64)
        )
        if proper is not None:
            tagged = True
            proper_uses = _added(proper_uses, np.bincount(word[proper], minlength=len(words)))
        pairs.append(np.unique(word << 32 | np.repeat(document, size)))
        held += len(pairs[-1])
        if held > COMPACT_AT:
            pairs = [np.unique(np.concatenate(pairs))]
            held = len(pairs[0]) // 2  # so that compacting stays linear in what is added
        sentences += len(lists)
    spread = np.bincount(np.unique(np.concatenate(pairs)) >> 32, minlength=len(words))
    proper_uses = _added(proper_uses, np.zeros(len(words), np.int64))
    table = pa.table(
        [
            pa.array(list(words), pa.string()),
            pa.array(uses, pa.int64()),
            pa.array(spread, pa.int64()),
            pa.array(proper_uses, pa.int64()) if tagged else pa.nulls(len(words), pa.int64()),
        ],
        schema=COUNTS,
    )
    table = table.filter(pc.greater(table["count"], 0)).sort_by("word").combine_chunks()
    largest = int(lengths.max()) if len(lengths) else 0
    return ViewCounts(table, int((lengths > 0).sum()), sentences, int(uses.sum()), largest)


def _codes(values: pa.Array, known: dict[str, int]) -> npt.NDArray[np.int64]:
    """Return each value's number in `known`, which grows by the new ones."""
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    numbers = [known.setdefault(value, len(known)) for value in encoded.dictionary.to_pylist()]
    return np.array(numbers, np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]


def _added(total: npt.NDArray[np.int64], more: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the sum of two arrays, the shorter one (of fewer words known) filled with zeros."""
    result = np.zeros(max(len(total), len(more)), np.int64)
    result[: len(total)] += total
    result[: len(more)] += more
    return result


def merge_counts(parts: Sequence[ViewCounts]) -> ViewCounts:
    """Return the counts of a slice from those of its parts, which share no document."""
    if not parts:
        return count_view([])
    joined = pa.concat_tables([part.words for part in parts])
    sums = joined.group_by("word", use_threads=False).aggregate(
        [("count", "sum"), ("documents", "sum"), ("proper_nouns", "sum")]
    )
    table = pa.table(
        [sums["word"], sums["count_sum"], sums["documents_sum"], sums["proper_nouns_sum"]],
        schema=COUNTS,
    )
    return ViewCounts(
        table.sort_by("word").combine_chunks(),
        sum(part.documents for part in parts),
        sum(part.sentences for part in parts),
        sum(part.tokens for part in parts),
        max(part.largest_document for part in parts),
    )


def look_up(counts: pa.Table, words: pa.Array) -> pa.Table:
    """Return the rows of `counts` for `words`, in their order, with zeros for words not there."""
    place = pc.index_in(words, value_set=counts["word"].combine_chunks())
    found = counts.take(place)
    tagged = counts["proper_nouns"].null_count < counts.num_rows
    columns = [words, found["count"].fill_null(0), found["documents"].fill_null(0)]
    proper = found["proper_nouns"].fill_null(0) if tagged else pa.nulls(len(words), pa.int64())
    return pa.table([*columns, proper], schema=COUNTS)
