r"""Words that line ends cut in two: counted, and joined where a text or a list of words tells how they are written.

A word is cut where a letter and a hyphen stand at the end of a line within a paragraph, and a letter begins the next
one. The first of these that holds decides:

- `¬`, which is nothing but the mark of a cut, goes with the line end;
- before und, oder, bis, and, or, y, o a hyphen stands for a part left out (`Krönungs- und Begräbnißstadt`): all stays;
- between a small letter and a capital one the hyphen stays, and the line end goes (`Lotto-Annahmestelle`);
- the hyphens of old prints (`⸗`, `⹀`, `⹝`) and the Armenian one go;
- another hyphen (`- ‐ ‑`, and `=`) goes if the text has the joined form elsewhere, at least as often as the one with a
  hyphen; or if the text has neither, and a list of words has the joined form alone;
- else the hyphen stays and the line end goes, so that *well-known* and *non-compliant* are not spoilt, as a join by
  rule would do; `=` stays with its line end.

Breaks of TEI follow the same rule. Text and list alone decide, so that no document hangs on its neighbours.

    >>> notes = Counter()
    >>> mended("The govern-\nment. A govern¬\nment. A pro-\nvince. A well-\nknown man.", "join", notes)
    'The government. A government. A pro-vince. A well-known man.'
    >>> sorted(notes.items())
    [('words cut at line ends', 4), ('words joined at line ends', 2)]
    >>> mended("A pro-\nvince.", "join", notes, listed_words(["Province"]))
    'A province.'
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.marks import nfc
from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.common.texts.unseen import seen

HYPHENS: Registry[Entry] = Registry(
    {
        "keep": Entry(doc="they stay in two"),
        "join": Entry(
            doc="they are joined: without hyphen, if the text has the joined form elsewhere, or else "
            "`hyphen_words` has it; else with it"
        ),
    },
    what="treatment of words cut at line ends",
)
CUT_WORDS, _JOINED = "words cut at line ends", "words joined at line ends"
_SURE, _SIGN = "\u00ac", "="
_OF_OLD_PRINTS = "\u2e17\u2e40\u2e5d\u058a"
# Hyphens that stand between parts of words, too.
SEEN = "-\u2010\u2011" + _OF_OLD_PRINTS
SUSPENDED = frozenset(("und", "oder", "bis", "and", "or", "y", "o"))

_CUTTING = SEEN + _SIGN + _SURE
_LETTER = r"[^\W\d_]"
_WORD = rf"\w+(?:[{SEEN}]\w+)*+"
_CUT = re.compile(rf"(?P<hyphen>[{_CUTTING}])(?<={_LETTER}.)(?P<end>[^\S\n]*\n[^\S\n]*)(?={_LETTER})(?P<ahead>{_WORD})")
_BEHIND = re.compile(rf"{_WORD}$")
_NO_LETTER = re.compile(r"\W")
_LONGEST = 200  # characters of a word
_ENDS = tuple(sign + end for sign in _CUTTING for end in ("\n", " \n"))
_EVEN = str.maketrans(dict.fromkeys(SEEN[1:] + _SIGN, "-"))


@dataclass(frozen=True)
class HyphenWords:
    """Words of a list, as `TextForms` has them, and a digest of them."""

    words: Annotated[frozenset[str], Uncounted("the fingerprint is of them")] = field(compare=False, repr=False)
    fingerprint: str


def listed_words(words: Iterable[str]) -> HyphenWords:
    """Return the words of a list, in any letter case, with any hyphens; empty ones are left out."""
    known = frozenset(_even(nfc(seen(word.strip()))) for word in words) - {""}
    return HyphenWords(known, digest(sorted(known)))


def read_hyphen_words(path: str | None, hyphens: str) -> HyphenWords | None:
    """Return the words of a file, one a line or a column of a table; None without a file.

    Args:
        hyphens: the entry of `HYPHENS` that they are for.

    Raises:
        UsageError: it cannot be read, or has no word; or no words are to be joined.
    """
    if path is None:
        return None
    if hyphens != "join":
        raise UsageError("`hyphen_words` say how words are joined: give `hyphens` join, too, or leave them out")
    words = listed_words(word_lines(path, "hyphen_words"))
    if not words.words:
        raise UsageError(f"`hyphen_words` {files.shown(path)} has no word: give a file with a word a line")
    return words


def _even(form: str) -> str:
    return form.lower().translate(_EVEN)


def parts_name(before: str, after: str) -> bool:
    """Return whether a hyphen between two parts of a word is one of its own, as in `Lotto-Annahmestelle`."""
    return before[-1:].islower() and after[:1].isupper()


def hyphen_goes(before: str, hyphen: str, after: str) -> bool | None:
    """Return whether the hyphen of a word that is cut in two goes; None: that hangs on how the word is written."""
    if hyphen == _SURE:
        return True
    if parts_name(before, after):
        return False
    return True if hyphen in _OF_OLD_PRINTS else None


class TextForms:
    """How words are written in a text and in a list, in whatever letter case and with whatever hyphens.

    Words joined by hyphens are one.
    """

    _FORM = re.compile(r"\w+(?:-\w+)*")
    _WITHIN = re.compile(r"\w-?\Z"), re.compile(r"-?\w")
    # What may be spent on looks for single forms, and what each look and each place found costs.
    _BUDGET, _LOOK, _FOUND = 20_000, 200, 1

    def __init__(self, text: bytes, words: HyphenWords | None) -> None:
        self._text = text
        self._words: frozenset[str] = words.words if words else frozenset()
        self._lower: dict[bool, bytes] = {}
        self._budget = self._BUDGET
        self._counts: Counter[str] | None = None

    def are_joined(self, before: str, after: str) -> bool:
        """Return whether two parts of a word are written without a hyphen."""
        before, after = _even(before), _even(after)
        joined, hyphenated = before + after, f"{before}-{after}"
        of_joined = self.count(joined)
        if not of_joined and joined not in self._words:
            return False
        of_hyphenated = self.count(hyphenated)
        return of_joined >= of_hyphenated if of_joined or of_hyphenated else hyphenated not in self._words

    def count(self, form: str) -> int:
        """Return how often a form, in lower case and with plain hyphens, occurs in the text."""
        # Looking for one form is much faster than counting all, unless it occurs everywhere.
        if self._budget > 0:
            count = self._look_for(form)
            if self._budget > 0:
                return count
        if self._counts is None:
            self._counts = Counter(self._FORM.findall(_even(self._text.decode())))
        return self._counts[form]

    def _look_for(self, form: str) -> int:
        """Return how often a form occurs, if the budget lasts."""
        text, sought = self._lowered(form.isascii()), form.encode()
        self._budget -= self._LOOK
        count, start = 0, text.find(sought)
        while start >= 0 and self._budget > 0:
            self._budget -= self._FOUND
            end = start + len(sought)
            before = text[max(0, start - 8) : start].decode(errors="ignore")
            after = text[end : end + 8].decode(errors="ignore")
            count += not self._WITHIN[0].search(before) and not self._WITHIN[1].match(after)
            start = text.find(sought, end)
        return count

    def _lowered(self, ascii: bool) -> bytes:
        """Return the text in lower case, but for letters beyond ASCII if only ASCII is sought."""
        if ascii not in self._lower:
            lower = self._text.lower() if ascii else self._text.decode().lower().encode()
            for hyphen in SEEN[1:]:
                lower = lower.replace(hyphen.encode(), b"-")
            self._lower[ascii] = lower
        return self._lower[ascii]


class _Cut:
    """A word cut in two: its parts, and where its hyphen and the line end stand."""

    def __init__(self, found: re.Match[str]) -> None:
        self.hyphen = found["hyphen"]
        self.start, self.end = found.span("hyphen")[0], found.end("end")
        behind = _BEHIND.search(found.string, max(0, self.start - _LONGEST), self.start)
        self.before, self.after = behind.group() if behind else "", found["ahead"]

    @property
    def is_suspended(self) -> bool:
        """Whether the hyphen stands for a part left out."""
        return self.hyphen != _SURE and _NO_LETTER.split(self.after.lower(), maxsplit=1)[0] in SUSPENDED


def mended(text: str, hyphens: str, notes: Counter[str], words: HyphenWords | None = None) -> str:
    """Return a text, the words that line ends cut in two treated as `hyphens` says, and counted.

    Args:
        text: clean; empty lines part its paragraphs.
        hyphens: an entry of `HYPHENS`.
        notes: counts words cut, and those that were joined without a hyphen.
        words: a list that tells how words are written; None: the text alone does.
    """
    if not any(end in text for end in _ENDS):  # nearly always, and soon
        return text
    cuts = [cut for found in _CUT.finditer(text) if not (cut := _Cut(found)).is_suspended]
    if not cuts:
        return text
    notes[CUT_WORDS] += len(cuts)
    if hyphens == "keep":
        return text
    pieces: list[str] = []
    doubts: list[tuple[int, _Cut]] = []
    done = 0
    for cut in cuts:
        goes = hyphen_goes(cut.before, cut.hyphen, cut.after)
        pieces += (text[done : cut.start], "" if goes else text[cut.start : cut.end])
        done = cut.end
        if goes is None:
            doubts.append((len(pieces) - 1, cut))
        elif goes:
            notes[_JOINED] += 1
        elif cut.hyphen != _SIGN:
            pieces[-1] = cut.hyphen
    pieces.append(text[done:])
    # A word in doubt, with its line end, is no form; one that is certain to be joined is.
    forms = TextForms("".join(pieces).encode(), words) if doubts else None
    for place, cut in doubts:
        assert forms is not None
        if forms.are_joined(cut.before, cut.after):
            notes[_JOINED] += 1
            pieces[place] = ""
        elif cut.hyphen != _SIGN:
            pieces[place] = cut.hyphen
    return "".join(pieces)
