"""What may mislead in a change run: slices, frequency, alignments that differ, few documents."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from transforms.change.scores.ranking import Row

__all__ = [
    "FALLING",
    "LARGE_SHARE",
    "UNEVEN",
    "frequency_warning",
    "overlap_warnings",
    "size_warnings",
    "slice_warnings",
]

LARGE_SHARE = 0.2  # of a slice's tokens, in one document
UNEVEN = 5  # times as many tokens in one slice as in another
FALLING = -0.35  # Spearman's rho with log count
COMPARED = 50  # words of two rankings
# What evidence needs on either side: authors if they were dealt as blocks, else documents.
FEWEST = 10
SAFE = 20
FEWEST_WORDS = 100


def slice_warnings(slices: Sequence[Row], outside: int) -> list[str]:
    """Return warnings, a sentence each without a full stop.

    Args:
        slices: rows of table `slices`.
        outside: documents that are in no slice.

    >>> slice_warnings([{"slice": "old", "tokens": 10, "largest_document_share": 0.5}], 2)
    ['slice old: one document has 50 % of the tokens', '2 documents lie outside all slices']
    """
    warnings = [
        f"slice {row['slice']}: one document has {100 * row['largest_document_share']:.0f} % of the tokens"
        for row in slices
        if row["largest_document_share"] > LARGE_SHARE
    ]
    sizes = [row["tokens"] for row in slices]
    if sizes and max(sizes) > UNEVEN * min(sizes):
        warnings.append(
            f"slices differ over fivefold in size ({min(sizes)} to {max(sizes)} tokens): "
            "downsampling to the smallest slice evens them out (`max_tokens`)"
        )
    if outside:
        warnings.append(f"{outside} documents lie outside all slices")
    return warnings


def frequency_warning(pair: str, what: str, earlier: float, later: float) -> list[str]:
    """Return a warning if rarer words rank higher.

    Args:
        pair: the slices, for a person.
        what: what words are ranked by.
        earlier: Spearman's rho of it and log count in the earlier slice, perhaps nan.
        later: in the later slice.

    >>> frequency_warning("a to b", "score", -0.412, 0.1)
    ['a to b: the score falls with frequency (Spearman with log count -0.41): rare words rank high']
    """
    least = min((rho for rho in (earlier, later) if rho == rho), default=0.0)
    if least >= FALLING:
        return []
    return [f"{pair}: the {what} falls with frequency (Spearman with log count {least:.2f}): rare words rank high"]


def overlap_warnings(pair: str, tops: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a warning for every two alignments whose first words are mostly different.

    Args:
        pair: the slices, for a person.
        tops: by alignment, its ranking; the first `COMPARED` words count.

    >>> overlap_warnings("a to b", {"op": ["x", "y", "z"], "cca": ["z", "v", "w"]})
    ['a to b: op and cca have 1 of their first 3 words in common: the ranking depends on which']
    """
    warnings = []
    for (name, first), (other_name, second) in combinations(tops.items(), 2):
        size = min(COMPARED, len(first), len(second))
        common = len({*first[:size]} & {*second[:size]})
        if 2 * common < size:
            warnings.append(
                f"{pair}: {name} and {other_name} have {common} of their first {size} words in common: "
                "the ranking depends on which"
            )
    return warnings


def size_warnings(pair: str, facts: Row) -> list[str]:
    """Return a warning if a pair is too small for any finding, or for most.

    That there are no nulls says nothing about its size.

    Args:
        pair: the slices, for a person.
        facts: the pair's row of table `change/pairs`, empty if there is none.

    >>> size_warnings("a to b", {"finding": "too_few_words", "ranked": 40})
    ['a to b: no finding possible at this size: 40 words are ranked, 100 are needed']
    """
    unit = "authors" if facts.get("null_unit") == "author" else "documents"
    sizes = [facts.get(name) for name in ("clusters_from", "clusters_to")]
    size_text = " and ".join(f"{size}" for size in sizes if size is not None)
    finding = facts.get("finding")
    if finding == "too_few_words":
        reason = f"{facts.get('ranked')} words are ranked, {FEWEST_WORDS} are needed"
    elif finding == "too_few_clusters":
        reason = f"the slices have {size_text} {unit}, {FEWEST} on either side are needed"
    elif finding and finding != "no_null":
        reason = str(finding).replace("_", " ")
    elif facts.get("low_power"):
        return [
            f"{pair}: low power: with {size_text} {unit} in the slices, most changes are not found "
            f"({SAFE} on either side are better)"
        ]
    else:
        return []
    return [f"{pair}: no finding possible at this size: {reason}"]
