"""What a person is to know of slices before believing a score."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["slice_warnings"]

LARGE_SHARE = 0.2
UNEVEN = 5


def slice_warnings(slices: Sequence[Mapping[str, Any]], outside: int) -> list[str]:
    """Return warnings about rows of table `slices`, and documents outside all of them.

    One is due where a document has over a fifth of a slice's tokens, where slices differ over
    fivefold in tokens, and where documents lie outside all slices.
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
            "`max_tokens` smallest evens them out"
        )
    if outside:
        found.append(f"{outside} documents lie outside all slices")
    return found
