"""Where the text of marked-up sources stands: what the reader's own parser takes for text, told by marks in it.

No parser of pages or XML says where in the source a text stood. So a mark is put before the first letter of each
stretch of text, the reader's own road is walked with the marked source, and the marks that come out tell which
stretches the reader takes, and in which order. Marks are noncharacters, which are neither letters nor white space to
any reader. If they changed the reading, the text would not be what the stretches hold, and `align` says so.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from transforms.formats.records.base import BadRecord
from transforms.formats.spans.aligning import is_passed
from transforms.formats.spans.origin import FROZEN, Coded, SourcePiece

__all__ = ["Stretch", "Value", "escaped", "marked", "pieces_of", "stretches_in"]

# Digits of the number of a stretch, and the sign that ends it.
_DIGITS = "".join(map(chr, range(0xFDE0, 0xFDEA)))
_END = "\ufdef"
_NUMBER = {ord(str(value)): digit for value, digit in enumerate(_DIGITS)}
_VALUE = {ord(digit): str(value) for value, digit in enumerate(_DIGITS)}
_MARK = re.compile(f"(?<![{_DIGITS}])([{_DIGITS}]++){_END}")
_TAKEN = re.compile("[\ufdd0-\ufdef]")
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|\w[\w.:-]*);?")
_LONGEST = 40
# What would make one sign of markup with what follows it.
_OPEN = re.compile(r"(?:&[#\w]*|<[/!?]?)$")


class Stretch(NamedTuple):
    """Where text stands in a source.

    Attributes:
        start, end: its first character, and the place behind its last one.
        verbatim: whether nothing in it is an entity, so that new text has no way to it.
        fixed: whether it is code or the like, in which no words are replaced.
    """

    start: int
    end: int
    verbatim: bool = False
    fixed: bool = False


Value = Callable[[str], str]


def marked(text: str, stretches: Sequence[Stretch], value: Value) -> str:
    """Return a source with a mark in each stretch of its text that holds any.

    Args:
        text: the source.
        stretches: where text stands in it, in its order.
        value: what an entity stands for.

    Raises:
        BadRecord: `malformed`: the source has such characters itself.
    """
    if _TAKEN.search(text):
        raise BadRecord("malformed", "it has noncharacters (U+FDD0 to U+FDEF), and so cannot be edited")
    parts: list[str] = []
    done = 0
    for number, stretch in enumerate(stretches):
        seen = next((piece for piece in _pieces(text, stretch, number, value) if _is_seen(text, piece)), None)
        if seen is not None:
            place = seen.start
            if seen.text is None:
                held = text[seen.start : seen.end]
                place += next(at for at, character in enumerate(held) if not is_passed(character))
            parts += (text[done:place], str(number).translate(_NUMBER), _END)
            done = place
    return "".join([*parts, text[done:]])


def stretches_in(text: str) -> list[int]:
    """Return the numbers of the stretches whose marks are in a text, in its order."""
    return [int(number.translate(_VALUE)) for number in _MARK.findall(text)]


def pieces_of(text: str, stretches: Sequence[Stretch], numbers: Iterable[int], value: Value) -> list[SourcePiece]:
    """Return the pieces of some stretches, given by number."""
    return [piece for number in numbers for piece in _pieces(text, stretches[number], number, value)]


def escaped(text: str, coded: Coded, start: int, end: int) -> str:
    """Return new text as markup has it: with references for signs of markup and for what the encoding lacks.

    Raises:
        ValueError: it would become one sign with what stands before it.
    """
    if _OPEN.search(coded.text[max(0, start - _LONGEST) : start]):
        raise ValueError("what stands before it in the source would be read as markup with it")
    for sign, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, reference)
    return text.encode(coded.encoding, "xmlcharrefreplace").decode(coded.encoding)


def _is_seen(text: str, piece: SourcePiece) -> bool:
    return not all(map(is_passed, text[piece.start : piece.end] if piece.text is None else piece.text))


def _pieces(text: str, stretch: Stretch, number: int, value: Value) -> Iterator[SourcePiece]:
    place, end, verbatim, fixed = stretch
    if verbatim:
        yield SourcePiece(place, end, None, FROZEN)
        return
    of = FROZEN if fixed else number
    for entity in _ENTITY.finditer(text, place, end):
        stands_for = value(entity[0])
        if stands_for != entity[0]:
            if place < entity.start():
                yield SourcePiece(place, entity.start(), None, of)
            yield SourcePiece(entity.start(), entity.end(), stands_for, of)
            place = entity.end()
    if place < end:
        yield SourcePiece(place, end, None, of)
