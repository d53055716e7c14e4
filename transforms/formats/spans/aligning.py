"""Which characters of a source a reader's text comes from.

A reader puts text into NFC, evens white space and removes what is not seen. So the two are aligned by what neither
changes: their characters in NFD, without white space and what is not seen. Both are cut wherever a character of each
begins there, and what lies between two cuts is a unit: nearly always one character, else a letter and its marks in
several ways of writing, or what an entity stands for. Units are found with arrays, in time linear in the text.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.formats.spans.origin import SourcePiece

__all__ = ["Unaligned", "Units", "align", "is_passed"]

# Of what no two characters in a row are the same text: white space, what is not seen, what marks are put for.
_PASSED = "\u00ad\u034f\u200b\u200c\u200d\u2060\ufeff" + "".join(
    map(chr, (*range(9), *range(0xE, 0x1C), *range(0x7F, 0x85), *range(0x86, 0xA0), *range(0xFDD0, 0xFDF0)))
)
# Texts have fewer characters than that: a place needs four bytes, and there are many for each character.
_PLACE = np.int32
_Places = NDArray[np.int32]


class Unaligned(Exception):
    """The text of a reader is not what the pieces of its source stand for."""


class Units(NamedTuple):
    """Units of a text, in its order; arrays of one length.

    Attributes:
        starts, ends: of each unit in the text; between two units stands white space, or nothing.
        first, last: of its first character in the source, and behind its last one.
        opens, closes: the stretches that it begins and ends in.
    """

    starts: _Places
    ends: _Places
    first: _Places
    last: _Places
    opens: _Places
    closes: _Places


class _Skeleton(NamedTuple):
    """Characters of a text that neither side changes.

    Attributes:
        places: where they stand.
        text: these characters.
        before: for each, how many characters in NFD stand before it.
        begins: whether it is a starter, so that NFD puts nothing of it before what precedes it.
    """

    places: _Places
    text: str
    before: _Places
    begins: NDArray[np.bool_]


def align(text: str, source: str, pieces: Sequence[SourcePiece]) -> Units:
    """Return where the units of a text stand in its source.

    Args:
        text: of a reader, in NFC.
        source: that it was read from.
        pieces: of the source that stand for text, in the order of the text.

    Raises:
        Unaligned: the pieces stand for another text.
    """
    said, first, last, stretch = _spread(source, _kept(text, source, pieces))
    ours, theirs = _skeleton(text), _skeleton(said)
    if ours.text != theirs.text and not _equal(ours.text, theirs.text):
        raise Unaligned
    if not ours.text:
        return Units(*6 * (np.zeros(0, _PLACE),))
    # Cuts: where a character begins on both sides.
    both = np.intersect1d(ours.before[ours.begins], theirs.before[theirs.begins], assume_unique=True)
    cuts = np.union1d(np.zeros(1, _PLACE), both)
    begin, begin_source = (np.searchsorted(side.before, cuts).astype(_PLACE) for side in (ours, theirs))
    end = np.append(begin[1:], _PLACE(len(ours.before))) - _PLACE(1)
    end_source = np.append(begin_source[1:], _PLACE(len(theirs.before))) - _PLACE(1)
    from_source, to_source = theirs.places[begin_source], theirs.places[end_source]
    # A piece that stands for several characters is one of the source, and so are units that share it.
    return _joined(
        Units(
            ours.places[begin],
            ours.places[end] + 1,
            first[from_source],
            last[to_source],
            stretch[from_source],
            stretch[to_source],
        )
    )


def _equal(ours: str, theirs: str) -> bool:
    return unicodedata.normalize("NFD", ours) == unicodedata.normalize("NFD", theirs)


def _kept(text: str, source: str, pieces: Sequence[SourcePiece]) -> Sequence[SourcePiece]:
    """Return pieces without those that a reader has left out: with them the text would go on in another way."""
    places = [place for place, piece in enumerate(pieces) if piece.perhaps]
    if not places:
        return pieces
    ours = _rest(text)
    kept, done = list(pieces[: places[0]]), len(_rest(_spread(source, pieces[: places[0]])[0]))
    for place, following in zip(places, [*places[1:], len(pieces)], strict=True):
        some = pieces[place:following]
        rest = _rest(_spread(source, some)[0])
        if not ours.startswith(rest, done):
            some = some[1:]
            rest = _rest(_spread(source, some)[0])
        kept += some
        done += len(rest)
    return kept


def _rest(text: str) -> str:
    """Return what neither a reader nor a form changes in a text."""
    return unicodedata.normalize("NFD", _skeleton(text).text)


def is_passed(character: str) -> bool:
    """Return whether a character is white space, or such as a reader may remove."""
    return character.isspace() or character in _PASSED


def _joined(units: Units) -> Units:
    """Return units of which those that overlap in the source are one."""
    apart = np.ones(len(units.starts), bool)
    apart[1:] = (units.first[1:] >= units.last[:-1]) | (units.first[1:] < units.first[:-1])
    begin = np.flatnonzero(apart)
    end = np.append(begin[1:], len(apart)) - 1
    return Units(
        units.starts[begin], units.ends[end], units.first[begin], units.last[end], units.opens[begin], units.closes[end]
    )


def _spread(source: str, pieces: Sequence[SourcePiece]) -> tuple[str, _Places, _Places, _Places]:
    """Return what pieces stand for, and for each of its characters where it begins and ends, and its stretch."""
    texts = [source[piece.start : piece.end] if piece.text is None else piece.text for piece in pieces]
    sizes = np.fromiter(map(len, texts), _PLACE, len(texts))
    literal = np.repeat(np.fromiter((piece.text is None for piece in pieces), bool, len(texts)), sizes)
    first = np.repeat(np.fromiter((piece.start for piece in pieces), _PLACE, len(texts)), sizes)
    last = np.repeat(np.fromiter((piece.end for piece in pieces), _PLACE, len(texts)), sizes)
    within = np.arange(len(first), dtype=_PLACE)
    within -= np.repeat(np.cumsum(sizes, dtype=_PLACE) - sizes, sizes)
    first[literal] += within[literal]
    last[literal] = first[literal] + 1
    stretch = np.repeat(np.fromiter((piece.stretch for piece in pieces), _PLACE, len(texts)), sizes)
    return "".join(texts), first, last, stretch


def _skeleton(text: str) -> _Skeleton:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    kinds = np.unique(codes)
    known = list(map(_known, map(chr, kinds.tolist())))
    by_code = np.zeros((2, int(kinds[-1]) + 1 if len(kinds) else 1), _PLACE)
    by_code[:, kinds] = np.array(known, _PLACE).reshape(-1, 2).T
    sizes, begins = by_code[0][codes], by_code[1].astype(bool)[codes]
    places = np.flatnonzero(sizes).astype(_PLACE)
    sizes = sizes[places]
    kept = codes[places].tobytes().decode("utf-32-le", "surrogatepass")
    return _Skeleton(places, kept, np.cumsum(sizes, dtype=_PLACE) - sizes, begins[places])


def _known(character: str) -> tuple[int, bool]:
    """Return how many characters one is in NFD, none if it is passed over, and whether it begins with a starter."""
    if is_passed(character):
        return 0, False
    decomposed = unicodedata.normalize("NFD", character)
    return len(decomposed), not unicodedata.combining(decomposed[0])
