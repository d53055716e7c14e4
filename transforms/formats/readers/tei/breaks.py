r"""Words of a TEI document that breaks cut in two.

At a break (`<lb> <pb> <cb> <gb> <milestone>`) a word may be cut in two:

- with `break="no"`, or after a soft hyphen, its parts are joined without hyphen; with `break="yes"`
  there are two words;
- after a hyphen they are joined without it if the joined form occurs elsewhere in the document, at
  least as often as the hyphenated one; else the hyphen stays and the gap is closed;
- never before und, oder, bis, and, or, y, o: there the hyphen stands for a part left out
  (`Krönungs- und Begräbnißstadt`), and the gap stays, too.
"""

import re
from collections import Counter

from transforms.formats.readers.tei.marks import BREAK, JOIN

__all__ = ["mend_breaks"]

_WITHIN_WORD = JOIN.removeprefix(BREAK).encode()
_SOFT = ("\u00ad".encode(), "\u00ac".encode())
_CUTTING = (b"-", "\u2010".encode(), *_SOFT)
_WORD_BEHIND = re.compile(r"(\w+(?:[-\u2010]\w+)*)([-\u2010])$")
_WORD_AHEAD = re.compile(r"(\w+)(?:[-\u2010]\w+)*")
_FORM = re.compile(r"\w+(?:[-\u2010]\w+)*")
_WITHIN_FORM = re.compile(r"\w[-\u2010]?\Z"), re.compile(r"[-\u2010]?\w")
_SUSPENDED = frozenset(("und", "oder", "bis", "and", "or", "y", "o"))
# Bytes beside a break that are looked at: no word is longer.
_WINDOW = 400
# What may be spent on looks for single forms, and what each look and each place found costs.
_BUDGET, _LOOK, _FOUND = 20_000, 200, 1


def mend_breaks(text: bytes) -> bytes:
    """Return marked text, in UTF-8, without the marks of breaks, the words that they cut joined."""
    if BREAK.encode() not in text:
        return text
    forms = _Forms(text)
    behind, *rest = text.split(BREAK.encode())
    mended: list[bytes] = []
    gap: list[bytes] = []
    joined = False
    for piece in rest:
        if piece.startswith(_WITHIN_WORD):
            joined, piece = True, piece.removeprefix(_WITHIN_WORD)
        ahead = piece.lstrip()
        if ahead and not joined and not gap:
            stripped = behind.rstrip()
            if stripped and not stripped.endswith(_CUTTING):
                mended.append(behind)  # by far the most breaks cut nothing
                behind = piece
                continue
        gap.append(piece[: len(piece) - len(ahead)])
        if ahead:
            mended.append(_junction(behind, b"".join(gap), joined, ahead, forms))
            behind, gap, joined = ahead, [], False
    mended.append(_junction(behind, b"".join(gap), joined, b"", forms) if gap else behind)
    return b"".join(mended)


def _junction(behind: bytes, gap: bytes, joined: bool, ahead: bytes, forms: "_Forms") -> bytes:
    """Return what stands before a break, up to the text ahead of it."""
    stripped = behind.rstrip()
    right = _WORD_AHEAD.match(ahead[:_WINDOW].decode(errors="ignore"))
    if joined or (right is not None and stripped.endswith(_SOFT)):
        cut = next(filter(stripped.endswith, _CUTTING), b"")
        return stripped.removesuffix(cut)
    left = _WORD_BEHIND.search(stripped[-_WINDOW:].decode(errors="ignore"))
    if left is None or right is None:
        return behind + gap
    if right[1].lower() in _SUSPENDED:
        return stripped + b" "
    count = forms.count(left[1] + right[0])
    if 0 < count >= forms.count(left[0] + right[0]):
        return stripped.removesuffix(left[2].encode())
    return stripped


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
