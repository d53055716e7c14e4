"""How far two slices differ in what is known of their documents: genre, source, authors, length.

A difference in usage may be owed to any of these, and nulls do not take them away: what they deal out is a mixture
of both slices.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.change.nulls.deals import Flags, Hashes, Ints

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """How far two slices differ in a field.

    Attributes:
        distance: half the sum of the differences of all shares: 0 for the same mixture, 1 for nothing in common.
        value: whose shares differ most; empty for documents without one.
        shares: of it among the tokens of either slice.
    """

    distance: float
    value: str
    shares: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Comparability:
    """What is known of the documents of two slices.

    Attributes:
        genre, source: None if no document has one.
        authors: of either slice.
        authors_both: who wrote in both.
        shares_both: of the tokens of either slice that have an author, the share by those; None if none has.
        unsigned: documents without an author.
        author_shares: the share of tokens that the author with most has, of either slice.
        lengths: median tokens of a document, of either slice.
    """

    genre: Mixture | None
    source: Mixture | None
    authors: tuple[int, int]
    authors_both: int
    shares_both: tuple[float | None, float | None]
    unsigned: int
    author_shares: tuple[float, float]
    lengths: tuple[float, float]


def source_group(source: str, position: str) -> str:
    """Return where a document comes from: its folder, or its file if that has many documents.

    Digits do not count, for they are often years.

    >>> source_group("news/1990/a.txt", ""), source_group("all.zip!sport/b12.csv", "3"), source_group("a.txt", "")
    ('news/#', 'all.zip!sport/b#.csv', '')
    """
    archive, mark, member = source.rpartition("!")
    place = member if position else posixpath.dirname(member)
    return _DIGITS.sub("#", f"{archive}{mark}{place}")


def mixture(values: Sequence[str], places: Ints, tokens: Ints) -> Mixture | None:
    """Return how far two slices differ in a field.

    Args:
        values: of each document; empty for none.
        places: its slice, 0 or 1.
        tokens: its size.
    """
    if not any(values):
        return None
    names = sorted(set(values))
    code = {name: number for number, name in enumerate(names)}
    codes = np.array([code[value] for value in values], np.intp)
    shares = [_shares(codes[places == side], tokens[places == side], len(names)) for side in (0, 1)]
    apart = np.abs(shares[0] - shares[1])
    most = int(np.argmax(apart))
    return Mixture(
        distance=float(apart.sum() / 2), value=names[most], shares=(float(shares[0][most]), float(shares[1][most]))
    )


def _shares(codes: npt.NDArray[np.intp], tokens: Ints, size: int) -> npt.NDArray[np.float64]:
    return np.bincount(codes, tokens, minlength=size) / max(int(tokens.sum()), 1)


def comparability(
    *, genres: Sequence[str], sources: Sequence[str], authors: Hashes, known: Flags, places: Ints, tokens: Ints
) -> Comparability:
    """Return what is known of the documents of two slices.

    Args:
        genres, sources: of each document, empty where not known; sources as `source_group` has them.
        authors: a key for its author.
        known: whether that is known.
        places: its slice, 0 or 1.
        tokens: its size.
    """
    written = [np.unique(authors[known & (places == side)]) for side in (0, 1)]
    both = np.intersect1d(written[0], written[1])
    by_both = known & np.isin(authors, both)
    largest, lengths, shares_both = [], [], []
    for side in (0, 1):
        own = places == side
        names, codes = np.unique(authors[own & known], return_inverse=True)
        share = _shares(codes, tokens[own & known], len(names)).max(initial=0.0) if len(names) else 0.0
        signed = int(tokens[own & known].sum())
        largest.append(float(share * (signed / max(int(tokens[own].sum()), 1))))
        shares_both.append(int(tokens[own & by_both].sum()) / signed if signed else None)
        lengths.append(float(np.median(tokens[own])) if own.any() else 0.0)
    return Comparability(
        genre=mixture(genres, places, tokens),
        source=mixture(sources, places, tokens),
        authors=(len(written[0]), len(written[1])),
        authors_both=len(both),
        shares_both=(shares_both[0], shares_both[1]),
        unsigned=int((~known).sum()),
        author_shares=(largest[0], largest[1]),
        lengths=(lengths[0], lengths[1]),
    )
