r"""Text in a cell that a spreadsheet shows, may change in small ways, and gives back.

A cell has one line, never begins with a quote, and is never taken for a formula, a number or a date; so
it is the same whether the file is read with quoting or without.

- `\\`, `\t`, `\[`, `\]` and `\uXXXX` stand for a backslash, a tab, a bracket that could be taken
  for a mark, and any other control character; a space at the edge is `\s`, for spreadsheets and
  people trim cells. A line end is `¶`, and `\¶` that sign itself.
- `'` is put in front of what a spreadsheet could take for something else, and of what begins so.
- `[[` and `]]` enclose the target.

    >>> print(cell_of("=1+1"), cell_of("so they\nsaid "), cell_of("a bad day", (2, 5)), sep=" / ")
    '=1+1 / so they¶said\s / a [[bad]] day
    >>> text_of("a [[bad]] day")
    ('a bad day', (2, 5))
"""

import re
import unicodedata

from lexbeam.transforms.common.shown import FORMULA, GUARD
from lexbeam.transforms.formats.records.text_cleaning import clean_field

# Length of a cell in Excel, in UTF-16 units; it drops the rest of longer ones.
CELL_LIMIT = 32_767

_LINE_END = "¶"
# A quote would be CSV's, and `#` would make the row a comment.
_RISKY = (*FORMULA, '"', "#", GUARD)
_BOOLEANS = frozenset(
    (
        "true",
        "false",
        "wahr",
        "falsch",
        "vrai",
        "faux",
        "verdadero",
        "falso",
        "vero",
        "verdadeiro",
        "sant",
        "falskt",
        "waar",
        "onwaar",
    )
)
_DATE_LENGTH = 40
_RUNS = re.compile(r"(\d+)|[^\W\d_]+")

_ESCAPED = re.compile(r"\\u([0-9a-f]{4})|\\([\\ts\[\]¶])|(\[\[)|(\]\])|(¶)")
_MEANT = {"t": "\t", "s": " "}


def cell_of(text: str, mark: tuple[int, int] | None = None) -> str:
    """Return the cell that shows a text, with the code points from `mark[0]` to `mark[1]` marked.

    Raises:
        ValueError: `mark` is empty or not within the text.
    """
    if mark is None:
        cell = _escaped(text, "[[" in text or "]]" in text)
    else:
        start, end = mark
        if not 0 <= start < end <= len(text):
            raise ValueError(f"the target, {start} to {end}, is not within {len(text)} characters")
        before, target, after = text[:start], text[start:end], text[end:]
        # A bracket beside the mark would be taken for a part of it.
        beside = before.endswith("[") or target.startswith("[")
        beside |= target.endswith("]") or after.startswith("]")
        brackets = beside or "[[" in text or "]]" in text
        pieces = [_escaped(piece, brackets) for piece in (before, target, after)]
        cell = f"{pieces[0]}[[{pieces[1]}]]{pieces[2]}"
    cell = _edged(cell)
    return GUARD + cell if _risky(cell) else cell


def text_of(cell: str) -> tuple[str, tuple[int, int] | None]:
    """Return the text that a cell shows and the place of its target, None if none is marked.

    White space at the edges, which `cell_of` never writes, and the guard are removed. A cell that a person
    changed is read as far as possible: marks that do not enclose anything are dropped.
    """
    cell = cell.strip().removeprefix(GUARD)
    pieces: list[str] = []
    opened: list[int] = []
    closed: list[int] = []
    done = length = 0
    for escape in _ESCAPED.finditer(cell):
        code, sign, opening, closing, _ = escape.groups()
        piece = cell[done : escape.start()]
        length += len(piece)
        if opening:
            opened.append(length)
            meant = ""
        elif closing:
            closed.append(length)
            meant = ""
        elif code:
            meant = chr(int(code, 16))
        else:
            meant = _MEANT.get(sign, sign) if sign else "\n"
        length += len(meant)
        pieces += (piece, meant)
        done = escape.end()
    text = "".join((*pieces, cell[done:]))
    if len(opened) == len(closed) == 1 and opened[0] < closed[0]:
        return text, (opened[0], closed[0])
    return text, None


def folded(text: str) -> str:
    """Return a text without what tools change in passing; two texts are the same if these are.

    That is the Unicode form, the kind and amount of white space, invisible characters, and leading
    apostrophes, which spreadsheets take for their own guard.
    """
    return clean_field(text).lstrip(GUARD).strip()


def _escaped(text: str, brackets: bool) -> str:
    if text.isalnum():
        return text
    pieces = []
    for character in text:
        if character == "\n":
            pieces.append(_LINE_END)
        elif character == "\t":
            pieces.append("\\t")
        elif character in ("\\", _LINE_END) or (brackets and character in "[]"):
            pieces.append("\\" + character)
        elif character == "\ufeff" or unicodedata.category(character) in ("Cc", "Zl", "Zp"):
            pieces.append(f"\\u{ord(character):04x}")
        else:
            pieces.append(character)
    return "".join(pieces)


def _edged(cell: str) -> str:
    if cell[-1:].isspace():
        cell = cell[:-1] + _space(cell[-1])
    if cell[:1].isspace():
        cell = _space(cell[0]) + cell[1:]
    return cell


def _space(character: str) -> str:
    return "\\s" if character == " " else f"\\u{ord(character):04x}"


def _risky(cell: str) -> bool:
    """Return whether a spreadsheet could take a cell for a formula, a number, a date or a truth value."""
    if cell.startswith(_RISKY) or cell.lower() in _BOOLEANS:
        return True
    if len(cell) > _DATE_LENGTH or "_" in cell:
        return False
    # Numbers and dates have at most two words among their digits: `5 May`, `1e10`, `Mar 3, 4 PM`.
    digits = [bool(letters) for letters in _RUNS.findall(cell)]
    return any(digits) and digits.count(False) <= 2
