r"""Words of a TEI document that breaks cut in two.

At a break (`<lb> <pb> <cb> <gb> <milestone>`) a word may be cut in two:

- with `break="no"` (once `type="inWord"`), or after a sign that is there for the break alone (a soft hyphen, `¬`,
  a `<pc>` of `force` weak), its parts are joined without hyphen; with `break="yes"` there are two words;
- so they are after the hyphens of old prints (`⸗`, `⹀`, `⹝`) and the Armenian one;
- after another hyphen they are joined without it if the joined form occurs elsewhere in the document, at least as often
  as the hyphenated one; words that are certain to be joined count. Else the hyphen stays and the gap is closed;
- a hyphen that is seen stays after a small letter and before a capital one (`Lotto-Annahmestelle`);
- never before und, oder, bis, and, or, y, o: there the hyphen stands for a part left out
  (`Krönungs- und Begräbnißstadt`), and the gap stays, too;
- within a `<w>` a break parts nothing, whatever stands beside it.
"""

import re
from collections import Counter
from typing import NamedTuple

from transforms.formats.readers.tei.marks import BREAK, JOIN, WITHIN

__all__ = ["HYPHENS", "mend_breaks"]

_SURE, _WITHIN = JOIN.removeprefix(BREAK).encode(), WITHIN.removeprefix(BREAK).encode()
_SOFT = "\u00ad\u00ac"
_OF_OLD_PRINTS = "\u2e17\u2e40\u2e5d\u058a"
_SEEN = "-\u2010\u2011" + _OF_OLD_PRINTS
# All signs that cut a word.
HYPHENS = _SEEN + _SOFT
_CUTTING = tuple(sign.encode() for sign in HYPHENS)
_FORM = re.compile(rf"\w+(?:[{_SEEN}]\w+)*")
_WORD_BEHIND = re.compile(rf"(\w+(?:[{_SEEN}]\w+)*)([{_SEEN}])$")
_WORD_AHEAD = re.compile(rf"(\w+)(?:[{_SEEN}]\w+)*")
_WITHIN_FORM = re.compile(rf"\w[{_SEEN}]?\Z"), re.compile(rf"[{_SEEN}]?\w")
_SUSPENDED = frozenset(("und", "oder", "bis", "and", "or", "y", "o"))
# Bytes beside a break that are looked at: no word is longer.
_WINDOW = 400
# What may be spent on looks for single forms, and what each look and each place found costs.
_BUDGET, _LOOK, _FOUND = 20_000, 200, 1


class _Doubt(NamedTuple):
    """A word whose hyphen goes if the document has the word without it.

    Attributes:
        place: of the piece of text that ends with the hyphen.
        bare: this piece, without the hyphen.
        joined, hyphenated: the word.
    """

    place: int
    bare: bytes
    joined: str
    hyphenated: str


def mend_breaks(text: bytes) -> bytes:
    """Return marked text, in UTF-8, without the marks of breaks, the words that they cut joined."""
    if BREAK.encode() not in text:
        return text
    behind, *rest = text.split(BREAK.encode())
    mended: list[bytes] = []
    doubts: list[_Doubt] = []
    gap: list[bytes] = []
    sure = within = False
    for piece in rest:
        if piece.startswith(_SURE):
            sure, piece = True, piece.removeprefix(_SURE)
        elif piece.startswith(_WITHIN):
            within, piece = True, piece.removeprefix(_WITHIN)
        ahead = piece.lstrip()
        if ahead and not sure and not within and not gap:
            stripped = behind.rstrip()
            if stripped and not stripped.endswith(_CUTTING):
                mended.append(behind)  # by far the most breaks cut nothing
                behind = piece
                continue
        gap.append(piece[: len(piece) - len(ahead)])
        if ahead:
            found = _junction(behind, b"".join(gap), ahead, len(mended), sure=sure, within=within)
            if isinstance(found, _Doubt):
                doubts.append(found)
                mended.append(behind.rstrip() + BREAK.encode())
            else:
                mended.append(found)
            behind, gap, sure, within = ahead, [], False, False
    mended.append(behind.rstrip() if sure or within else behind + b"".join(gap))
    if doubts:
        forms = _Forms(b"".join(mended))
        for doubt in doubts:
            goes = 0 < forms.count(doubt.joined) >= forms.count(doubt.hyphenated)
            mended[doubt.place] = doubt.bare if goes else mended[doubt.place].removesuffix(BREAK.encode())
    return b"".join(mended)


def _junction(behind: bytes, gap: bytes, ahead: bytes, place: int, *, sure: bool, within: bool) -> bytes | _Doubt:
    """Return what stands before a break, up to the text ahead of it; or what is to be asked of the whole text."""
    stripped = behind.rstrip()
    hyphen = next(filter(stripped.endswith, _CUTTING), b"")
    bare, sign = stripped.removesuffix(hyphen), hyphen.decode()
    left = _WORD_BEHIND.search(stripped[-_WINDOW:].decode(errors="ignore"))
    right = _WORD_AHEAD.match(ahead[:_WINDOW].decode(errors="ignore"))
    name = left is not None and right is not None and left[1][-1].islower() and right[1][0].isupper()
    if sure:
        return stripped if name else bare
    if right is not None and sign and sign in _SOFT:
        return bare
    if left is None or right is None:
        return stripped if within else behind + gap
    if right[1].lower() in _SUSPENDED and not within:
        return stripped + b" "
    if name:
        return stripped
    if sign in _OF_OLD_PRINTS:
        return bare
    return _Doubt(place, bare, left[1] + right[0], left[0] + right[0])


class _Forms:
    """Counts words, ignoring case; words joined by hyphens are one."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._lower: dict[bool, bytes] = {}
        self._budget = _BUDGET
        self._counts: Counter[str] | None = None

    def count(self, form: str) -> int:
        """Return how often a form occurs."""
        # Looking for one form is much faster than counting all, unless it occurs everywhere.
        if self._budget > 0:
            return self._look_for(form.lower())
        if self._counts is None:
            self._counts = Counter(_FORM.findall(self._text.decode().lower()))
        return self._counts[form.lower()]

    def _look_for(self, form: str) -> int:
        text, sought = self._lowered(form.isascii()), form.encode()
        self._budget -= _LOOK
        count, start = 0, text.find(sought)
        while start >= 0:
            self._budget -= _FOUND
            end = start + len(sought)
            before = text[max(0, start - 8) : start].decode(errors="ignore")
            after = text[end : end + 8].decode(errors="ignore")
            count += not _WITHIN_FORM[0].search(before) and not _WITHIN_FORM[1].match(after)
            start = text.find(sought, end)
        return count

    def _lowered(self, ascii: bool) -> bytes:
        """Return the text in lower case, but for letters beyond ASCII if only ASCII is sought."""
        if ascii not in self._lower:
            lower = self._text.lower() if ascii else self._text.decode().lower().encode()
            self._lower[ascii] = lower
        return self._lower[ascii]
