"""Which characters of a source a reader's text comes from.

A reader puts text into NFC, evens white space and removes what is not seen. So the two are aligned by what neither
changes: their characters in NFD, without white space and what is not seen. Both are cut wherever a character of each
begins there, and what lies between two cuts is a unit: nearly always one character, else a letter and its marks in
several ways of writing, or what an entity stands for. Units are found with arrays, in time linear in the text.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexbeam.transforms.common.texts.unseen import UNSEEN
from lexbeam.transforms.formats.spans.origin import SourcePiece

# Of what no two characters in a row are the same text: white space, what is not seen, what marks are put for.
_PASSED = UNSEEN.union(
    "\u034f", map(chr, (*range(9), *range(0xE, 0x1C), *range(0x7F, 0x85), *range(0x86, 0xA0), *range(0xFDD0, 0xFDF0)))
)
# Texts have fewer characters than that: a place needs four bytes, and there are many for each character.
_PLACE = np.int32
_Places = NDArray[np.int32]


class Unaligned(Exception):
    """The text of a reader is not what the pieces of its source stand for."""


class AlignedUnit(NamedTuple):
    """A unit.

    Attributes:
        start, end: in the text.
        first, last: its first character in the source, and the place behind its last one.
        opens, closes: the stretches that it begins and ends in.
    """

    start: int
    end: int
    first: int
    last: int
    opens: int
    closes: int


class _Runs(NamedTuple):
    """Units, or runs of such as are one character each and as far apart in the text as in the source.

    Arrays of one length, as the fields of `AlignedUnit`; `even` tells runs, each of which begins and ends with a unit.
    """

    starts: _Places
    ends: _Places
    first: _Places
    last: _Places
    opens: _Places
    closes: _Places
    even: NDArray[np.bool_]


class Units:
    """Units of a text, in its order; between two of them stands white space, or nothing.

    They take the memory of their runs: of plain text that is in NFC, few bytes.

    Args:
        runs: of its units, in its order.
    """

    def __init__(self, text: str, runs: Sequence[_Runs]) -> None:
        self._text = text
        self._runs = _Runs(*map(np.concatenate, zip(*runs, strict=True)))

    def of_stretch(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return where in the text the units stand that begin or end in a stretch: their starts, and their ends."""
        held = (self._runs.opens == number) | (self._runs.closes == number)
        return tuple(self._runs.starts[held].tolist()), tuple(self._runs.ends[held].tolist())

    # `bisect` looks at some places; `searchsorted` would copy all of them into the type of the one that it looks for.
    def before(self, place: int) -> AlignedUnit | None:
        """Return the last unit that starts before a place of the text; None: there is none."""
        run = bisect_left(self._runs.starts, place) - 1
        if run < 0:
            return None
        if not self._runs.even[run]:
            return self._whole(run)
        at = min(place, int(self._runs.ends[run])) - 1
        while is_passed(self._text[at]):
            at -= 1
        return self._within(run, at)

    def behind(self, place: int) -> AlignedUnit | None:
        """Return the first unit that starts at or behind the end of another; None: there is none."""
        run = bisect_right(self._runs.ends, place)
        if run == len(self._runs.ends):
            return None
        if not self._runs.even[run]:
            return self._whole(run)
        at = max(place, int(self._runs.starts[run]))
        while is_passed(self._text[at]):
            at += 1
        return self._within(run, at)

    def _whole(self, run: int) -> AlignedUnit:
        return AlignedUnit(*(int(column[run]) for column in self._runs[:-1]))

    def _within(self, run: int, at: int) -> AlignedUnit:
        whole = self._whole(run)
        first = whole.first + at - whole.start
        return AlignedUnit(at, at + 1, first, first + 1, whole.opens, whole.closes)


class _Spread(NamedTuple):
    """What pieces stand for, and for each of its characters where it begins and ends, and its stretch."""

    text: str
    first: _Places
    last: _Places
    stretch: _Places

    def behind(self, place: int) -> "_Spread":
        """Return what stands at a place and behind it."""
        return _Spread(self.text[place:], self.first[place:], self.last[place:], self.stretch[place:])

    def and_then(self, other: "_Spread") -> "_Spread":
        """Return this and another."""
        return _Spread(self.text + other.text, *map(np.concatenate, zip(self[1:], other[1:], strict=True)))


class _Skeleton(NamedTuple):
    """Characters of a text that neither side changes.

    Attributes:
        places: where they stand.
        text: these characters.
        before: for each, how many characters in NFD stand before it.
        begins: whether it is a starter, so that NFD puts nothing of it before what precedes it.
        size: how many characters they are in NFD.
    """

    places: _Places
    text: str
    before: _Places
    begins: NDArray[np.bool_]
    size: int


def align(text: str, source: str, pieces: Sequence[SourcePiece], *, window: int = 1 << 16) -> Units:
    """Return where the units of a text stand in its source.

    Text and source are taken a window at a time; the last unit of a window goes into the next one, for it may go on.

    Args:
        text: of a reader, in NFC.
        source: that it was read from.
        pieces: of the source that stand for text, in the order of the text.
        window: characters that are taken at a time; it changes nothing but the memory that is needed.

    Raises:
        Unaligned: the pieces stand for another text.
    """
    runs = [_Runs(*6 * (np.zeros(0, _PLACE),), np.zeros(0, bool))]
    at, said = 0, _spread(source, ())
    windows = _windows(source, _kept(text, source, pieces), window)
    is_last = False
    while not is_last:
        some = next(windows, None)
        is_last = some is None
        if some is not None:
            said = said.and_then(some)
        theirs = _skeleton(said.text)
        ours = _ours(text, at, len(text) if is_last else at + len(said.text), theirs.size)
        units, rest, rest_said = _units(ours, theirs, said, at, is_last=is_last)
        runs.append(_evened(units))
        at, said = at + rest, said.behind(rest_said)
    return Units(text, runs)


def _windows(source: str, pieces: Sequence[SourcePiece], most: int) -> Iterator[_Spread]:
    """Yield what pieces stand for, some at a time; those of text as it is are cut where they are long."""
    some: list[SourcePiece] = []
    size = 0
    for piece in pieces:
        cuts = range(piece.start, piece.end, most) if piece.text is None else (piece.start,)
        for cut in cuts:
            part = piece if piece.text is not None else piece._replace(start=cut, end=min(cut + most, piece.end))
            some.append(part)
            size += part.end - part.start if part.text is None else len(part.text)
            if size >= most or len(some) >= most:
                yield _spread(source, some)
                some, size = [], 0
    if some:
        yield _spread(source, some)


def _ours(text: str, start: int, end: int, size: int) -> _Skeleton:
    """Return the skeleton of a text from `start` on, of at least `size` characters in NFD if it has so many."""
    while True:
        found = _skeleton(text[start:end])
        if found.size >= size or end >= len(text):
            return found
        end += end - start + 1


def _units(
    ours: _Skeleton, theirs: _Skeleton, said: _Spread, at: int, *, is_last: bool
) -> tuple[tuple[_Places, ...], int, int]:
    """Return the units of a window, and how much of the text and of what is said they take.

    Args:
        ours: the text, from `at` on.
        theirs: what is said from there on; the text must not end before it.
        said: the same.
        at: where the window begins in the text.
        is_last: whether nothing follows.

    Raises:
        Unaligned: they are not the same.
    """
    nothing = 6 * (np.zeros(0, _PLACE),)
    if ours.size < theirs.size or (is_last and ours.size > theirs.size):
        raise Unaligned
    if not theirs.size:
        return nothing, 0, 0
    # Cuts: where a character begins on both sides.
    both = np.intersect1d(ours.before[ours.begins], theirs.before[theirs.begins], assume_unique=True)
    cuts = np.union1d(np.zeros(1, _PLACE), both).astype(_PLACE)
    begin, begin_source = (np.searchsorted(side.before, cuts).astype(_PLACE) for side in (ours, theirs))
    if is_last:
        done, done_source = len(ours.before), len(theirs.before)
    else:
        done, done_source = int(begin[-1]), int(begin_source[-1])
        begin, begin_source = begin[:-1], begin_source[:-1]
    if ours.text[:done] != theirs.text[:done_source] and not _equal(ours.text[:done], theirs.text[:done_source]):
        raise Unaligned
    if not len(begin):
        return nothing, 0, 0
    end = np.append(begin[1:], _PLACE(done)) - _PLACE(1)
    end_source = np.append(begin_source[1:], _PLACE(done_source)) - _PLACE(1)
    from_source, to_source = theirs.places[begin_source], theirs.places[end_source]
    units = (
        ours.places[begin] + _PLACE(at),
        ours.places[end] + _PLACE(at + 1),
        said.first[from_source],
        said.last[to_source],
        said.stretch[from_source],
        said.stretch[to_source],
    )
    # A piece that stands for several characters is one of the source, and so are units that share it.
    opened = _opened(units)
    if not is_last:  # the last one may share a piece with what follows
        last = int(opened[-1])
        rest, rest_source = int(ours.places[begin[last]]), int(from_source[last])
        return _joined(tuple(column[:last] for column in units), opened[:-1]), rest, rest_source
    return _joined(units, opened), 0, 0


def _equal(ours: str, theirs: str) -> bool:
    return unicodedata.normalize("NFD", ours) == unicodedata.normalize("NFD", theirs)


def _kept(text: str, source: str, pieces: Sequence[SourcePiece]) -> Sequence[SourcePiece]:
    """Return pieces without those that a reader has left out: with them the text would go on in another way."""
    places = [place for place, piece in enumerate(pieces) if piece.perhaps]
    if not places:
        return pieces
    ours = _rest(text)
    kept, done = list(pieces[: places[0]]), len(_rest(_spread(source, pieces[: places[0]]).text))
    for place, following in zip(places, [*places[1:], len(pieces)], strict=True):
        some = pieces[place:following]
        rest = _rest(_spread(source, some).text)
        if not ours.startswith(rest, done):
            some = some[1:]
            rest = _rest(_spread(source, some).text)
        kept += some
        done += len(rest)
    return kept


def _rest(text: str) -> str:
    """Return what neither a reader nor a form changes in a text."""
    return unicodedata.normalize("NFD", _skeleton(text).text)


def is_passed(character: str) -> bool:
    """Return whether a character is white space, or such as a reader may remove."""
    return character.isspace() or character in _PASSED


def _opened(units: tuple[_Places, ...]) -> NDArray[np.intp]:
    """Return which units do not overlap the one before in the source."""
    first, last = units[2:4]
    apart = np.ones(len(first), bool)
    apart[1:] = (first[1:] >= last[:-1]) | (first[1:] < first[:-1])
    return np.flatnonzero(apart)


def _joined(units: tuple[_Places, ...], begin: NDArray[np.intp]) -> tuple[_Places, ...]:
    """Return units of which those that overlap in the source are one; `begin` are those that do not."""
    end = np.append(begin[1:], len(units[0])) - 1 if len(begin) else begin
    starts, ends, first, last, opens, closes = units
    return starts[begin], ends[end], first[begin], last[end], opens[begin], closes[end]


def _evened(units: tuple[_Places, ...]) -> _Runs:
    starts, ends, first, last, opens, closes = units
    even = (ends - starts == 1) & (last - first == 1) & (opens == closes)
    begins = np.ones(len(starts), bool)
    begins[1:] = ~(
        even[1:] & even[:-1] & (opens[1:] == opens[:-1]) & (starts[1:] - starts[:-1] == first[1:] - first[:-1])
    )
    begin = np.flatnonzero(begins)
    end = np.append(begin[1:], len(starts)) - 1 if len(begin) else begin
    return _Runs(starts[begin], ends[end], first[begin], last[end], opens[begin], closes[end], even[begin])


def _spread(source: str, pieces: Sequence[SourcePiece]) -> _Spread:
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
    return _Spread("".join(texts), first, last, stretch)


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
    return _Skeleton(places, kept, np.cumsum(sizes, dtype=_PLACE) - sizes, begins[places], int(sizes.sum()))


def _known(character: str) -> tuple[int, bool]:
    """Return how many characters one is in NFD, none if it is passed over, and whether it begins with a starter."""
    if is_passed(character):
        return 0, False
    decomposed = unicodedata.normalize("NFD", character)
    return len(decomposed), not unicodedata.combining(decomposed[0])
