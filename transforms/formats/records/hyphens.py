r"""Words that line ends cut in two: counted, and joined where a text itself tells how they are written.

A word is cut where a letter and a hyphen stand at the end of a line within a paragraph, and a letter begins the next
one. `¬` is nothing but the mark of such a cut. After another hyphen (`- ‐ ‑ ⸗ =`) the parts are joined without it if
the joined form stands elsewhere in the text, at least as often as the one with a hyphen: so *well-known* and
*non-compliant* stay, which a join by rule would spoil. Else the hyphen stays and the line end goes, but for `=`. Before
und, oder, bis, and, or, y, o the hyphen stands for a part left out, and all stays. It is the rule that breaks of TEI
follow. The text alone decides, so that no document hangs on its neighbours.

    >>> notes = Counter()
    >>> mended("The govern-\nment. A govern¬\nment. A well-\nknown man.", "join", notes)
    'The government. A government. A well-known man.'
    >>> sorted(notes.items())
    [('words cut at line ends', 3), ('words joined at line ends', 2)]
"""

import re
from collections import Counter

from transforms.common.code.registry import Entry, Registry

__all__ = ["CUT_WORDS", "HYPHENS", "mended"]

HYPHENS: Registry[Entry] = Registry(
    {
        "keep": Entry(doc="they stay in two"),
        "join": Entry(doc="they are joined: without hyphen, if the text has the joined form elsewhere, else with it"),
    },
    what="treatment of words cut at line ends",
)
CUT_WORDS, _JOINED = "words cut at line ends", "words joined at line ends"
_SURE, _SIGN = "\u00ac", "="
_CUTTING = f"-\u2010\u2011\u2e17{_SIGN}{_SURE}"
_LETTER = r"[^\W\d_]"
_WORD = r"\w+(?:[-\u2010\u2011\u2e17]\w+)*+"
_CUT = re.compile(rf"(?P<hyphen>[{_CUTTING}])(?<={_LETTER}.)(?P<end>[^\S\n]*\n[^\S\n]*)(?={_LETTER})(?P<ahead>{_WORD})")
_BEHIND = re.compile(rf"{_WORD}$")
_FORM = re.compile(_WORD)
_SUSPENDED = frozenset(("und", "oder", "bis", "and", "or", "y", "o"))
_LONGEST = 200  # characters of a word
_SEEN = tuple(sign + end for sign in _CUTTING for end in ("\n", " \n"))


class _Cut:
    """A word cut in two: where its hyphen and the line end stand, and its forms, in lower case."""

    def __init__(self, found: re.Match[str], text: str) -> None:
        self.hyphen = found["hyphen"]
        self.start, self.end = found.span("hyphen")[0], found.end("end")
        behind = _BEHIND.search(text, max(0, self.start - _LONGEST), self.start)
        before, after = (behind.group() if behind else "").lower(), found["ahead"].lower()
        self.forms = before + after, f"{before}{self.hyphen}{after}"


def mended(text: str, hyphens: str, notes: Counter[str]) -> str:
    """Return a text, the words that line ends cut in two treated as `hyphens` says, and counted.

    Args:
        text: clean; empty lines part its paragraphs.
        hyphens: an entry of `HYPHENS`.
        notes: counts words cut, and those that were joined without a hyphen.
    """
    if not any(sign in text for sign in _SEEN):  # nearly always, and soon
        return text
    cuts = [_Cut(found, text) for found in _CUT.finditer(text) if found["ahead"].lower() not in _SUSPENDED]
    if not cuts:
        return text
    notes[CUT_WORDS] += len(cuts)
    if hyphens == "keep":
        return text
    counts = _counted(text, cuts)
    pieces: list[str] = []
    done = 0
    for cut in cuts:
        joined, hyphened = cut.forms
        is_joined = cut.hyphen == _SURE or 0 < counts[joined] >= counts[hyphened]
        notes[_JOINED] += is_joined
        if is_joined or cut.hyphen != _SIGN:
            pieces += (text[done : cut.start], "" if is_joined else cut.hyphen)
            done = cut.end
    return "".join([*pieces, text[done:]])


def _counted(text: str, cuts: list[_Cut]) -> Counter[str]:
    """Return how often the forms of cut words stand in a text, a sure cut counted as its joined form."""
    wanted = {form for cut in cuts for form in cut.forms}
    counts = Counter(form for found in _FORM.finditer(text) if (form := found.group().lower()) in wanted)
    counts.update(cut.forms[0] for cut in cuts if cut.hyphen == _SURE)
    return counts
