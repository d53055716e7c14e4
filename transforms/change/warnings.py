"""What may mislead in a change run: slices that one document rules, or of very unlike sizes."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["LARGE_SHARE", "UNEVEN", "slice_warnings"]

LARGE_SHARE = 0.2  # of a slice's tokens, in one document
UNEVEN = 5  # times as many tokens in one slice as in another


def slice_warnings(slices: Sequence[Mapping[str, Any]], outside: int) -> list[str]:
    """Return warnings, a sentence each without a full stop.

    Args:
        slices: rows of table `slices`.
        outside: documents that are in no slice.

    >>> slice_warnings([{"slice": "old", "tokens": 10, "largest_document_share": 0.5}], 2)
    ['slice old: one document has 50 % of the tokens', '2 documents lie outside all slices']
    """
    found = [
        f"slice {row['slice']}: one document has {100 * row['largest_document_share']:.0f} % of "
        "the tokens"
        for row in slices
        if row["largest_document_share"] > LARGE_SHARE
    ]
    sizes = [row["tokens"] for row in slices]
    if sizes and max(sizes) > UNEVEN * min(sizes):
        found.append(
            f"slices differ over fivefold in size ({min(sizes)} to {max(sizes)} tokens): "
            "downsampling to the smallest slice evens them out (`max_tokens`)"
        )
    if outside:
        found.append(f"{outside} documents lie outside all slices")
    return found
