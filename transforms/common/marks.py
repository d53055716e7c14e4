r"""Runs of combining marks, bounded as in Unicode's Stream-Safe Text Format (UAX #15, section 13).

What is counted are non-starters: characters whose canonical combining class is not zero, in a
text's compatibility decomposition (NFKD). A letter that is composed with marks counts with the
marks that its decomposition ends in (ǖ with two), and so U+0344, which is two marks. No language
comes near 30 in a row. To bring a run into canonical order, Python's `unicodedata` takes time that
grows with its square, as does its `is_normalized`; so a text's runs are bounded before either sees
it. Signs of combining class zero, such as the vowels of Devanagari, need no order and do not count.

    >>> text = "a" + 40 * "\u0301" + "b"
    >>> too_many(text), broken(text)[1], len(nfc(text))
    (31, 1, 42)
"""

import functools
import re
import unicodedata

LIMIT = 30
# Combining grapheme joiner: a starter that is not seen, which the Stream-Safe Text Process inserts.
_JOINER = "\u034f"
_FIRST, _LAST = 0x300, 0x1FFFF  # there are no marks before and none behind
_FAR = "\U00010000"
# A run is over the limit only if so many characters in a row are nothing but marks: one of them is
# two marks at most, and a letter before them ends in three at most.
ENOUGH = 14


def too_many(text: str) -> int | None:
    """Return the place, in code points, of the first mark that is one too many in its run."""
    if _harmless(text):
        return None
    for stretch in _pattern().finditer(text):
        if breaks := _breaks(text, *stretch.span(), first=True):
            return breaks[0]
    return None


def broken(text: str) -> tuple[str, int]:
    """Return a text in the Stream-Safe Text Format, and how many U+034F were inserted for that.

    That is what the Stream-Safe Text Process makes of it: wherever a mark is one too many, U+034F
    stands before it, and the count begins anew.
    """
    if _harmless(text):
        return text, 0
    breaks: list[int] = []
    for stretch in _pattern().finditer(text):
        breaks += _breaks(text, *stretch.span())
    if not breaks:
        return text, 0
    pieces = [text[: breaks[0]]]
    for start, end in zip(breaks, [*breaks[1:], len(text)], strict=True):
        pieces += (_JOINER, text[start:end])
    return "".join(pieces), len(breaks)


def nfc(text: str) -> str:
    """Return a text in NFC, its runs of marks broken, in linear time."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text if len(text) < ENOUGH else broken(text)[0])


def is_nfc(text: str) -> bool:
    """Return whether a text is in NFC and has no run over the limit, in linear time."""
    return text.isascii() or (too_many(text) is None and unicodedata.is_normalized("NFC", text))


def _harmless(text: str) -> bool:
    """Return whether a text has no run over the limit; nearly always, and soon."""
    return len(text) < ENOUGH or text.isascii() or _pattern().search(text) is None


def _breaks(text: str, start: int, end: int, *, first: bool = False) -> list[int]:
    """Return the places in a stretch where a mark is one too many; or the first of them alone."""
    marks = _marks()
    count = _trailing(text[start - 1]) if start else 0
    places = []
    for place in range(start, end):
        more = marks.get(text[place])
        if more is None:
            count = _trailing(text[place])
            continue
        if count + more > LIMIT:
            places.append(place)
            if first:
                break
            count = 0
        count += more
    return places


@functools.lru_cache(1 << 12)
def _trailing(character: str) -> int:
    """Return how many non-starters a starter's decomposition ends in."""
    decomposed = unicodedata.normalize("NFKD", character)
    place = len(decomposed)
    while place and unicodedata.combining(decomposed[place - 1]):
        place -= 1
    return len(decomposed) - place


@functools.cache
def _marks() -> dict[str, int]:
    """Return the characters that decompose into nothing but non-starters, and into how many."""
    marks = {}
    for character in map(chr, range(_FIRST, _LAST + 1)):
        if unicodedata.combining(character) or unicodedata.decomposition(character):
            decomposed = unicodedata.normalize("NFKD", character)
            if all(map(unicodedata.combining, decomposed)):
                marks[character] = len(decomposed)
    return marks


@functools.cache
def _pattern() -> re.Pattern[str]:
    """Return what finds the stretches that hold all runs over the limit, a letter before aside."""
    # The few hundred beyond the first plane, one by one, would make the search 30 times slower.
    near = "".join(re.escape(mark) for mark in _marks() if mark < _FAR)
    mark = f"[{near}{_FAR}-{chr(_LAST)}]"
    # One of them in front, outside the repetition, makes it faster still.
    return re.compile(f"{mark}{mark}{{{ENOUGH - 1},}}")
