r"""Words of a TEI document that breaks cut in two.

At a break (`<lb> <pb> <cb> <gb> <milestone>`) a word may be cut in two:

- with `break="no"` (once `type="inWord"`), or after a sign that is there for the break alone (a soft hyphen, `¬`,
  a `<pc>` of `force` weak), its parts are joined without hyphen; with `break="yes"` there are two words;
- after another hyphen they are joined as those of plain text are, see `transforms/formats/records/hyphens.py`;
- within a `<w>` a break parts nothing, whatever stands beside it.
"""

import re
from typing import NamedTuple

from lexbeam.transforms.formats.readers.tei.marks import BREAK, JOIN, WITHIN
from lexbeam.transforms.formats.records.hyphens import SEEN, SUSPENDED, HyphenWords, TextForms, hyphen_goes, parts_name

_SURE, _WITHIN = JOIN.removeprefix(BREAK).encode(), WITHIN.removeprefix(BREAK).encode()
_SOFT = "\u00ad\u00ac"
# All signs that cut a word.
HYPHENS = SEEN + _SOFT
_CUTTING = tuple(sign.encode() for sign in HYPHENS)
_WORD_BEHIND = re.compile(rf"(\w+(?:[{SEEN}]\w+)*)[{SEEN}]$")
_WORD_AHEAD = re.compile(rf"(\w+)(?:[{SEEN}]\w+)*")
# Bytes beside a break that are looked at: no word is longer.
_WINDOW = 400


class _Doubt(NamedTuple):
    """A word whose hyphen goes if it is written without it.

    Attributes:
        place: of the piece of text that ends with the hyphen.
        bare: this piece, without the hyphen.
        before, after: the parts of the word.
    """

    place: int
    bare: bytes
    before: str
    after: str


def mend_breaks(text: bytes, words: HyphenWords | None = None) -> bytes:
    """Return marked text, in UTF-8, without the marks of breaks, the words that they cut joined.

    Args:
        text: the text.
        words: a list that tells how words are written; None: the text alone does.
    """
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
        forms = TextForms(b"".join(mended), words)
        for doubt in doubts:
            goes = forms.are_joined(doubt.before, doubt.after)
            mended[doubt.place] = doubt.bare if goes else mended[doubt.place].removesuffix(BREAK.encode())
    return b"".join(mended)


def _junction(behind: bytes, gap: bytes, ahead: bytes, place: int, *, sure: bool, within: bool) -> bytes | _Doubt:
    """Return what stands before a break, up to the text ahead of it; or what is to be asked of the whole text."""
    stripped = behind.rstrip()
    hyphen = next(filter(stripped.endswith, _CUTTING), b"")
    bare, sign = stripped.removesuffix(hyphen), hyphen.decode()
    left = _WORD_BEHIND.search(stripped[-_WINDOW:].decode(errors="ignore"))
    right = _WORD_AHEAD.match(ahead[:_WINDOW].decode(errors="ignore"))
    if sure:
        return stripped if left is not None and right is not None and parts_name(left[1], right[1]) else bare
    if right is not None and sign and sign in _SOFT:
        return bare
    if left is None or right is None:
        return stripped if within else behind + gap
    if right[1].lower() in SUSPENDED and not within:
        return stripped + b" "
    goes = hyphen_goes(left[1], sign, right[1])
    if goes is None:
        return _Doubt(place, bare, left[1], right[0])
    return bare if goes else stripped
