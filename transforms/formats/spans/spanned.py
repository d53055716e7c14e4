"""A source whose words can be replaced, and nothing else of it.

An edit is given in characters of a block's text; `replaced` gives the source's bytes in which its new text stands in
the place of the old one. Read again they give the old text with the edit made, and all other bytes are as they
were. What cannot be done so is refused, with a reason.

Formats whose text can be edited are entries of `SPANS`, by name. An entry has one function, from the bytes of a
source to its `Origin`: what the text is, the reader of the format says alone.
"""

import io
import itertools
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.characters import BY_CONTEXT, is_nfc
from lexbeam.transforms.formats.readers.registry import READERS, read_file
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_value
from lexbeam.transforms.formats.sources.streams import SUFFIXES
from lexbeam.transforms.formats.spans.aligning import AlignedUnit, Unaligned, Units, align
from lexbeam.transforms.formats.spans.markdown_spans import find_in_markdown
from lexbeam.transforms.formats.spans.markup import find_in_page, find_in_tei
from lexbeam.transforms.formats.spans.origin import FROZEN, Find, Origin, code_places, united, whole

_BESIDE = 3  # characters of a block on either side of an edit
# Controls, halves of surrogate pairs, and what is no character.
_UNSEEN = frozenset(("Cc", "Cs", "Cn"))
_HANGING = "".join(sorted(BY_CONTEXT))  # what only stays for what stands beside it
_IS_FROZEN = "it is code, an address, another language or the like, in which no words are replaced"


class TextBlock(NamedTuple):
    """A paragraph, heading, cell or the like.

    Attributes:
        text: as the reader of the format gives it.
        start: its first character in the text of the source.
    """

    text: str
    start: int


class TextEdit(NamedTuple):
    """New text for characters of a block.

    Attributes:
        block: number of the block, from 0.
        start: the first character of the block's text that goes.
        end: the one behind the last; `start` if none goes.
        text: what comes in their place, in NFC; empty for nothing.
    """

    block: int
    start: int
    end: int
    text: str


class _Refused(Exception):
    """Raised where an edit cannot be made; its text is the reason."""


class SpannedSource:
    """A source's text, and where in the source it stands.

    Attributes:
        text: all of its text: its blocks with an empty line between them, as the reader gives them.
        blocks: of the text, in its order.
    """

    def __init__(self, name: str, format: str, text: str, origin: Origin, units: Units) -> None:
        self.name = name
        self.format = format
        self.text = text
        self.blocks = tuple(_blocks(text))
        self._origin = origin
        self._units = units
        places = united([*zip(*units.of_stretch(FROZEN), strict=True), *code_places(text)])
        self._fixed = tuple(start for start, _ in places), tuple(end for _, end in places)

    @property
    def fixed(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where code, formulas and the like stand in the text, in which no words are replaced: starts, and ends."""
        return self._fixed

    def refusal(self, edit: TextEdit) -> str | None:
        """Return why an edit cannot be made, for a person; None if it can.

        Raises:
            ValueError: there is no such block, or its text has no such characters.
        """
        try:
            self._change(edit)
        except _Refused as refused:
            return str(refused)
        return None

    def replaced(self, edits: Iterable[TextEdit]) -> bytes:
        """Return the bytes of the source with edits made, in whatever order they come.

        Edits may touch each other, as in *l'eau*, but not overlap.

        Raises:
            LexbeamError: an edit is refused, two overlap, or readers would no longer find out the encoding.
            ValueError: as for `refusal`.
        """
        changes = []
        for edit in edits:
            try:
                changes.append((self._change(edit), edit))
            except _Refused as refused:
                raise LexbeamError(f"{self.name}: {_shown(edit)} cannot be made: {refused}") from None
        changes.sort(key=lambda pair: (pair[1].block, pair[1].start, pair[1].end))
        source = self._origin.coded.text
        pieces: list[str] = []
        done = 0
        for (_, edit), (_, following) in itertools.pairwise(changes):
            if (edit.block, edit.end) > (following.block, following.start):
                raise LexbeamError(f"{self.name}: {_shown(edit)} and {_shown(following)} overlap")
        for (start, end, text), _ in changes:
            pieces += (source[done:start], text)
            done = end
        try:
            return self._origin.coded.bytes_of("".join([*pieces, source[done:]]))
        except LexbeamError as error:
            raise LexbeamError(f"{self.name}: {error}") from None

    def _change(self, edit: TextEdit) -> tuple[int, int, str]:
        """Return the characters of the source that go, and what comes in their place."""
        if not 0 <= edit.block < len(self.blocks):
            raise ValueError(f"there is no block {edit.block} among {len(self.blocks)}")
        block = self.blocks[edit.block]
        if not 0 <= edit.start <= edit.end <= len(block.text):
            raise ValueError(f"block {edit.block} has {len(block.text)} characters, not {edit.start} to {edit.end}")
        start, end = self._places(block.start + edit.start, block.start + edit.end)
        _check_text(block.text, edit)
        try:
            return start, end, self._origin.write(edit.text, self._origin.coded, start, end)
        except ValueError as error:
            raise _Refused(str(error)) from None

    def _places(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the source that hold some of the text."""
        at = bisect_right(self._fixed[1], start)
        if at < len(self._fixed[0]) and self._fixed[0][at] < end:
            raise _Refused(_IS_FROZEN)
        if start == end:
            place, stretch = self._end(end) if self._is_end(end) else self._start(start)
            if stretch == FROZEN:
                raise _Refused(_IS_FROZEN)
            return place, place
        first, opens = self._start(start)
        last, closes = self._end(end)
        if opens != closes:
            raise _Refused("markup stands between its first and its last character")
        if opens == FROZEN:
            raise _Refused(_IS_FROZEN)
        return first, last

    def _is_end(self, place: int) -> bool:
        """Whether a unit ends before a character of the text."""
        unit = self._units.before(place)
        return unit is not None and unit.end == place

    def _start(self, place: int) -> tuple[int, int]:
        """Return where in the source a character of the text begins, and in which stretch."""
        unit = self._units.before(place + 1)
        if unit is None:
            raise _Refused("it begins in what the source has not got")
        if place == unit.start:
            return unit.first, unit.opens
        if place < unit.end:
            raise _Refused("it begins within what is one sign in the source")
        return self._between(unit, place)

    def _end(self, place: int) -> tuple[int, int]:
        """Return where in the source the character before one of the text ends, and in which stretch."""
        unit = self._units.before(place)
        if unit is None:
            raise _Refused("it ends in what the source has not got")
        if place < unit.end:
            raise _Refused("it ends within what is one sign in the source")
        following = self._units.behind(unit.end)
        if place > unit.end and following is not None and place == following.start:
            return following.first, following.opens
        return self._between(unit, place)

    def _between(self, unit: AlignedUnit, place: int) -> tuple[int, int]:
        """Return where in the source white space behind a unit stands."""
        if place == unit.end:
            return unit.last, unit.closes
        following = self._units.behind(unit.end)
        if following is not None:
            gap = self.text[unit.end : following.start]
            if gap == self._origin.coded.text[unit.last : following.first]:
                return unit.last + place - unit.end, unit.closes
        raise _Refused("it begins or ends within white space that is another in the source")


def _blocks(text: str) -> Iterable[TextBlock]:
    start = 0
    for paragraph in text.split("\n\n"):
        yield TextBlock(paragraph, start)
        start += len(paragraph) + 2


def _check_text(block: str, edit: TextEdit) -> None:
    """Check that readers would give a new text as it is, between the texts around it in its block.

    Raises:
        _Refused: they would not.
    """
    text = edit.text
    # Of a block, which may be a whole book, only what stands beside the edit.
    before, after = block[max(0, edit.start - _BESIDE) : edit.start], block[edit.end : edit.end + _BESIDE]
    if any(character.isspace() and character != " " for character in text):
        raise _Refused("its new text has white space other than spaces")
    beside = [(before[-1:], (text + after)[:1]), ((before + text)[-1:], after[:1])]
    if "  " in text or any(left.isspace() and right.isspace() for left, right in beside):
        raise _Refused("it would leave two spaces in a row")
    if not (before + text + after).strip() and not (block[: edit.start] + block[edit.end :]).strip():
        raise _Refused("it would leave nothing of the block")
    if (not before and (text or after)[:1].isspace()) or (not after and (text or before)[-1:].isspace()):
        raise _Refused("its block would begin or end in white space")
    try:
        same = clean_value(text) == text
    except BadRecord as error:
        raise _Refused(f"its new text has {error.detail}") from None
    if not same or any(unicodedata.category(character) in _UNSEEN for character in text):
        raise _Refused("its new text is not in NFC, or has characters that are not seen")
    joint = before + text + after
    if unicodedata.category(text[:1] or "a")[0] == "M" or not is_nfc(joint):
        raise _Refused("its new text would become one character with what stands beside it")
    joint = before.lstrip(_HANGING) + text + after.rstrip(_HANGING)
    if clean_value(joint) != joint:
        raise _Refused("a joiner at its border would have no effect there")


def _shown(edit: TextEdit) -> str:
    return f"the edit of characters {edit.start} to {edit.end} of block {edit.block}"


@dataclass(frozen=True)
class Editable(Entry):
    """How the text of a format is found in its sources.

    Attributes:
        find: from the bytes of a source, the source and options, where text stands.
    """

    find: Find


SPANS: Registry[Editable] = Registry(
    {
        "text": Editable(whole, doc="plain text"),
        "tei": Editable(find_in_tei, doc="TEI P5: the parts of its text that are read"),
        "markdown": Editable(find_in_markdown, doc="Markdown: words outside code, addresses and HTML"),
        "html": Editable(find_in_page, doc="web pages, all that a reader sees"),
    },
    what="format that can be edited",
    group="lexbeam.spans",
)


def spanned(
    data: bytes, name: str, *, format: str = "auto", options: ReaderOptions | None = None, language: str = ""
) -> SpannedSource:
    """Return a source's text and where it stands in its bytes.

    The text is that of the format's reader: of a page all that a reader sees, whatever `options.html` says.

    Args:
        name: of the source; with `auto` its ending and the first bytes decide the format.
        format: a key of `SPANS`, or `auto`.
        options: of the reader, but for `marks`, since a run of too many combining marks cannot be edited, and
            `hyphens`: words that line ends cut stay so.
        language: of the text, if it is known: what the source says is in another one is left alone.

    Raises:
        UsageError: no format that can be edited has this name, or the source is in none.
        BadRecord: the source cannot be read; it is compressed or an archive; or where its text stands cannot be told.
    """
    if format != "auto":
        SPANS.check([format])
    if data.startswith(tuple(SUFFIXES.values())):
        raise BadRecord("binary", "a compressed file cannot be edited; decompress it first")
    options = replace(options or ReaderOptions(), html="all", marks="reject", hyphens="keep")
    formats: list[str] = []
    texts: list[str] = []

    def found(_: str, format: str) -> None:
        SPANS.check([format], f"{name}")
        formats.append(format)

    for _, record in read_file(
        name, name, format=format, options=options, open=lambda: io.BytesIO(data), on_format=found
    ):
        if isinstance(record, Reject):
            raise BadRecord(record.reason, record.detail)
        texts.append(record.text or "")
    text = "\n\n".join(texts)
    origin = SPANS[formats[0]].find(data, Source(name, lambda: io.BytesIO(data), name, language=language), options)
    try:
        units = align(text, origin.coded.text, origin.pieces)
    except Unaligned:
        title = READERS[formats[0]].title or formats[0]
        raise BadRecord(
            "malformed", f"where its text stands in the source cannot be told; is it valid {title}?"
        ) from None
    return SpannedSource(name, formats[0], text, origin, units)
