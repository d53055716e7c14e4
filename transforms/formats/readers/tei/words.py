r"""Words and signs of a TEI document that are marked one by one (`<w>`, `<pc>`), and what stands between them.

Each is a token, whoever finds the tokens. So where no white space stands between two of them, a space is put there, but
before closing signs and after opening ones, which are told from words without it, and around signs of `force` weak.
Where `@join` says so (`left`, `right`, `both`), none is put, and what there is goes. `join="no"` is a space.

Parts of a word (`part` I, M, F) with nothing but breaks between them are one word, with the values of the first part;
so are words beside a break that is within a word (`break="no"`).
"""

import re

from lexbeam.transforms.formats.readers.tei.breaks import HYPHENS
from lexbeam.transforms.formats.readers.tei.marks import (
    BREAK,
    GLUE,
    JOIN,
    PART,
    SIGN,
    SIGN_END,
    TIGHT,
    VALUE,
    WITHIN,
    WORD,
    WORD_END,
)

_OPENING = re.escape("([{\u00a1\u00ab\u00bf\u2018\u201a\u201c\u201e\u2039\u3008\u300a\u300c\u300e\u3010\uff08")
_CLOSING = re.escape(
    ",.;:!?)]}%\u00b7\u00bb\u2019\u201d\u2026\u2030\u203a\u0589\u060c\u061b\u061f\u06d4\u0964\u0965"
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
)
_THREE = f"[^{VALUE}]*{VALUE}" * 3
_VALUES = re.compile(f"([{WORD}{SIGN}])" + f"([^{VALUE}]*){VALUE}" * 3)
_WORD_VALUES, _SIGN_VALUES = re.compile(WORD + _THREE), re.compile(SIGN + _THREE)
_HYPHENS = re.escape(HYPHENS)
# A hyphen before a break is no word of its own.
_HYPHEN = re.compile(f"{SIGN}{_THREE}([{_HYPHENS}]){SIGN_END}(?=[ \t\n]*{BREAK})")
_BLANK = " \t\n" + JOIN + WITHIN
_CUT = JOIN.removeprefix(BREAK)
# From the end of a word to the text of the next one, where both are one.
_REST = re.compile(
    f"{WORD_END}(?:{PART}([{_BLANK}{_HYPHENS}{GLUE}]*+){PART}"
    f"|{PART}?(?=[^{_CUT}{WORD}]*+{_CUT})([{_BLANK}{_HYPHENS}]*+){PART}?){WORD}{_THREE}"
)
# Where a space is to part two tokens.
_AHEAD = f"(?={BREAK}*+(?:{WORD}|{SIGN}(?![{_CLOSING}])))"
_WORD_EDGE, _SIGN_EDGE = re.compile(WORD_END + _AHEAD), re.compile(f"(?<![{_OPENING}]){SIGN_END}" + _AHEAD)


def token_values(text: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return marked text whose tokens are all marked as words, without values, and what their marks and values were."""
    text = _HYPHEN.sub(r"\1", text)
    if PART in text or JOIN in text:
        text = _REST.sub(_between, text).replace(PART, "")
    values = _VALUES.findall(text)
    text = _SIGN_VALUES.sub(SIGN, _WORD_VALUES.sub(WORD, text))
    text = _SIGN_EDGE.sub(SIGN_END + " ", _WORD_EDGE.sub(WORD_END + " ", text)).replace(TIGHT, "")
    if GLUE in text:
        first, *rest = text.split(GLUE)
        text = first.rstrip(_BLANK) + "".join(piece.strip(_BLANK) for piece in rest[:-1]) + rest[-1].lstrip(_BLANK)
    return text.replace(SIGN, WORD).replace(SIGN_END, WORD_END), values


def _between(found: re.Match[str]) -> str:
    """Return what stands between the parts of a word, with a break that cuts it."""
    return (found[1] or found[2] or "").replace(GLUE, "") + JOIN
