"""Rows of table `slices`, and the numbers of the parts of the change tables."""

from typing import Any

from transforms.change.graph.comparisons import Comparisons, PairSeed, SpaceKey
from transforms.change.view.slice_merges import SliceCounts
from transforms.change.view.slices import Slice

__all__ = ["map_number", "slice_row", "space_number"]


def slice_row(slice: Slice, counts: SliceCounts, vocabulary: int, min_count: int) -> dict[str, Any]:
    """Return the row of a slice.

    Args:
        slice: name and years.
        counts: what was counted in it.
        vocabulary: words that have a vector.
        min_count: the uses that such a word has at least.
    """
    tokens = counts.tokens
    return {
        "slice": slice.name,
        "from": slice.start,
        "to": slice.end,
        "documents": counts.documents,
        "sentences": counts.sentences,
        "tokens_before": counts.tokens_before,
        "tokens": tokens,
        "sentences_short": counts.short,
        "sentences_sampled_out": counts.sampled_out,
        "sentences_split": counts.split,
        "types": counts.types,
        "vocabulary": vocabulary,
        "min_count": min_count,
        "largest_document_share": counts.largest_document / tokens if tokens else 0.0,
    }


def space_number(comparisons: Comparisons, key: SpaceKey) -> int:
    """Return the number of a space's part: by slice, then by seed."""
    place, seed = key
    return place * len(comparisons.seeds) + comparisons.seeds.index(seed)


def map_number(comparisons: Comparisons, alignments: tuple[str, ...], key: PairSeed, alignment: str) -> int | None:
    """Return the number of an alignment's part: by pair, seed, then name; None for `none`."""
    if alignment == "none":
        return None
    names = sorted(set(alignments) - {"none"})
    pair, seed = key
    number = pair * len(comparisons.seeds) + comparisons.seeds.index(seed)
    return number * len(names) + names.index(alignment)
