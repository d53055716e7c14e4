"""Where the text of marked-up sources stands: what the reader's own parser takes for text, told by marks in it.

No parser of pages or XML says where in the source a text stood. So a mark is put before the first letter of each
stretch of text, the reader's own road is walked with the marked source, and the marks that come out tell which
stretches the reader takes, and in which order. Marks are noncharacters, which are neither letters nor white space to
any reader. If they changed the reading, the text would not be what the stretches hold, and `align` says so.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from lxml import etree

from lexbeam.transforms.common.texts.languages import language_of, short_tag
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.spans.aligning import is_passed
from lexbeam.transforms.formats.spans.origin import FROZEN, Coded, SourcePiece

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
    """

    start: int
    end: int
    verbatim: bool = False


class Said(NamedTuple):
    """What an element says of the text in it.

    Attributes:
        code: whether it is code or the like, whatever elements in it say.
        words: whether words of it may be replaced, until an element in it says otherwise; None: it does not say.
        language: a tag; empty: it names none.
        whole: whether it holds the whole text, so that its language is one of the text's.
    """

    code: bool = False
    words: bool | None = None
    language: str = ""
    whole: bool = False


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
            parts += (text[done:place], mark(number))
            done = place
    return "".join([*parts, text[done:]])


def mark(number: int) -> str:
    """Return the mark of a stretch."""
    return str(number).translate(_NUMBER) + _END


def stretches_in(text: str) -> list[int]:
    """Return the numbers of the stretches whose marks are in a text, in its order."""
    return [int(number.translate(_VALUE)) for number in _MARK.findall(text)]


def fixed_stretches(root: etree._Element, said: Callable[[etree._Element], Said], language: str = "") -> set[int]:
    """Return the numbers of the stretches of a tree's text in which no words are replaced.

    Such are code and what its elements protect; and what they say is in another language than the text, that is than
    `language` and than what an element says that holds the whole. If neither is known, nothing is in another one.

    Args:
        root: of a source with marks.
        said: what an element says.
        language: of the text, if it is known.
    """
    fixed: set[int] = set()
    states = [_State(False, True, frozenset({_short(language)} - {""}), "")]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            states.append(states[-1].within(said(element)))
            text = element.text
        else:
            states.pop()
            text = None if element is root else element.tail
        if text and _END in text and states[-1].is_fixed:
            fixed.update(stretches_in(text))
    return fixed


class _State(NamedTuple):
    """What the elements around a text say of it: as `Said`, and the languages of the whole."""

    code: bool
    words: bool
    languages: frozenset[str]
    language: str

    @property
    def is_fixed(self) -> bool:
        foreign = bool(self.languages and self.language) and self.language not in self.languages
        return self.code or not self.words or foreign

    def within(self, said: Said) -> "_State":
        language = _short(said.language) if said.language else self.language
        return _State(
            self.code or said.code,
            self.words if said.words is None else said.words,
            self.languages | {language} if said.whole and said.language and language else self.languages,
            language,
        )


def _short(tag: str) -> str:
    """Return the language of a tag; empty if it says none (`und`, `mul`)."""
    found = language_of(tag.strip()) if tag else None
    short = short_tag(found) if found else ""
    return "" if short in ("und", "mul", "mis") else short


def pieces_of(
    text: str, stretches: Sequence[Stretch], numbers: Iterable[int], value: Value, fixed: Set[int] = frozenset()
) -> list[SourcePiece]:
    """Return the pieces of some stretches, given by number; those in `fixed` take no new text."""
    return [
        piece
        for number in numbers
        for piece in _pieces(text, stretches[number], FROZEN if number in fixed else number, value)
    ]


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
    place, end, verbatim = stretch
    if verbatim:
        yield SourcePiece(place, end, None, FROZEN)
        return
    for entity in _ENTITY.finditer(text, place, end):
        stands_for = value(entity[0])
        if stands_for != entity[0]:
            if place < entity.start():
                yield SourcePiece(place, entity.start(), None, number)
            yield SourcePiece(entity.start(), entity.end(), stands_for, number)
            place = entity.end()
    if place < end:
        yield SourcePiece(place, end, None, number)
