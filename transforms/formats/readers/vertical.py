"""Vertical text: a token a line, with its tag and lemma behind tabs, and structures as tags on lines of their own.

So TreeTagger, CWB, Sketch Engine and Korp (VRT) have it:

    <!-- #vrt positional-attributes: word pos lemma -->
    <text id="a" year="1850">
    <s>
    The     DT      the
    ships   NNS     ship
    <g/>
    .       SENT    .
    </s>
    </text>

A document is what stands in `<text>`, or the like; the attributes of that, of those around it, and of what opens before
its first word, are its fields. Sentences are `<s>` or `<sentence>`; what stands in none ends with `SENT` or a full
stop, with a paragraph, and with an empty line. Before a token behind `<g/>` there is no space.

Columns are named by the file, in a comment or its first row, by option `columns`, or, up to three, by what they hold:
the first has words, that whose values are tags has tags (`vertical_layout`), the other lemmas. The beginning of a
file, of 64 KiB, decides this, which tag set it is, and what a document is. A tag set that is not known leaves parts
of speech empty; layer `xpos` has the tags.

A missing lemma (`<unknown>`, `@card@`, `__UNDEF__`, `_`) is the form; of several (`saw|see`) the first counts.
"""

import io
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.texts.encodings import no_line_end
from lexbeam.transforms.formats.readers.conllu import ParsedSentence, SentenceBlocks
from lexbeam.transforms.formats.records.base import (
    BadRecord,
    CutPiece,
    ReaderOptions,
    Record,
    Reject,
    Source,
    Uncuttable,
)
from lexbeam.transforms.formats.records.fields import KNOWN, scalar
from lexbeam.transforms.formats.records.layers import values_of
from lexbeam.transforms.formats.records.text_cleaning import (
    Cleaning,
    clean_field,
    clean_word,
    cleaning,
    decode,
    without_control,
)
from lexbeam.transforms.formats.records.vertical_layout import (
    ASIDE,
    DOCUMENTS,
    NO_TAG,
    NO_WORD,
    PARAGRAPHS,
    SENTENCES,
    TAG_SETS,
    VerticalLayout,
    VerticalTag,
    layout_of,
    openings,
    plain,
)
from lexbeam.transforms.formats.sources.streams import LinePass, iter_lines, opened, opened_head, too_long

_HEAD = 1 << 16  # characters of the beginning that say how a file is read,
_HEAD_BYTES = 1 << 20  # which stand in so many bytes
_NO_LEMMA = frozenset(("", "_", "-", "<unknown>", "@card@", "@ord@", "__UNDEF__"))
_ENDS = frozenset((".", "!", "?", "...", "…", "。", "！", "？", "؟", "۔", "।", "SENT"))


class _BadLine(NamedTuple):
    """A line that cannot be read, and whether it may be a tag: a structure must not pass for none."""

    error: BadRecord
    tag: bool


_Line = tuple[int, str | _BadLine]


def read_vertical(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield documents, by blocks, and rejects of single sentences and lines.

    Raises:
        BadRecord: `empty`, if there is no token at all; `malformed`, if columns are not known.
    """
    how = cleaning(source, options)
    stream, encodings = opened(source, options)
    with stream:
        lines = _decoded(iter_lines(stream, options.max_line_bytes, source.before), encodings, options, how)
        if source.piece is None:
            early, lines = _early(lines)
        else:
            with opened_head(source, options) as head:
                raw = iter_lines(head, options.max_line_bytes)
                early, _ = _early(_decoded(raw, encodings, options, how._replace(notes=None)))
        layout = _layout(early, options)
        if layout.fault:
            raise BadRecord("malformed", layout.fault)
        reading = _Reading(source, options, how, layout)
        for number, line in lines:
            yield from reading.add(number, line)
        yield from reading.end()
    if source.begins and not reading.any:
        raise BadRecord("empty", "no token in it")


def _decoded(
    lines: Iterator[tuple[int, bytes | bytearray | None]],
    encodings: tuple[str, ...],
    options: ReaderOptions,
    how: Cleaning,
) -> Iterator[_Line]:
    for number, raw in lines:
        try:
            if raw is None:
                raise too_long(options)
            line = decode(raw, encodings, how)
            yield number, without_control(line, how) if how.control == "drop" or "\x00" in line else line
        except BadRecord as error:
            yield number, _BadLine(error, raw is None or raw[:1] == b"<")


def _early(lines: Iterator[_Line]) -> tuple[list[_Line], Iterator[_Line]]:
    early: list[_Line] = []
    size = 0
    for entry in lines:
        size += len(entry[1]) + 1 if isinstance(entry[1], str) else 1
        if size > _HEAD:
            return early, itertools.chain(early, [entry], lines)
        early.append(entry)
    return early, iter(early)


def _layout(early: list[_Line], options: ReaderOptions) -> VerticalLayout:
    return layout_of([line for _, line in early if isinstance(line, str)], options.columns)


class _Reading:
    """The lines of a file on their way to sentences and documents.

    Attributes:
        any: whether there was a token, a document or a fault.
    """

    def __init__(self, source: Source, options: ReaderOptions, how: Cleaning, layout: VerticalLayout) -> None:
        self.any = False
        self._options = options
        self._how = how
        self._layout = layout
        self._at_start = source.begins  # no document has come
        self._header = layout.header if source.begins else ""  # that has not come
        self._document: SentenceBlocks | None = None
        self._around: list[tuple[str, dict[str, str]]] = []  # structures that are open around words
        self._fields: dict[str, str] = {}
        self._described = False  # a word of the document has come
        self._sentence = _Words(layout, options, how)
        self._within = False  # a sentence
        self._paragraph = True  # begins with the next sentence

    def add(self, number: int, line: str | _BadLine) -> Iterator[Record | Reject]:
        """Take in a line."""
        if isinstance(line, _BadLine):
            self.any = True
            if line.tag:
                yield from self._bad_tag(number, line.error)
            else:
                self._begin(number)
                self._sentence.break_off(number, line.error)
        elif not line or line.isspace():
            if not self._within:
                yield from self._end_sentence()
        elif (tags := openings(line)) is not None:
            if sum(self._is_document(tag.name) and not tag.closes and not tag.empty for tag in tags) > 1:
                self.any = True
                yield from self._bad_tag(number, BadRecord("malformed", "several documents in a line"))
                return
            for tag in tags:
                yield from self._structure(number, tag)
        elif ASIDE.fullmatch(line):
            return
        elif self._header and line == self._header:
            self._header = ""
        elif "\t" not in line and NO_WORD.match(line):
            self.any = True
            yield from self._bad_tag(number, BadRecord("malformed", "a line begins like a tag, and is none"))
        else:
            self._begin(number)
            self._sentence.add(number, line)
            if not self._within and self._sentence.ended:
                yield from self._end_sentence()

    def _begin(self, number: int) -> None:
        """Begin a document, if none has begun, with a word."""
        self.any = self._described = True
        if self._document is None:
            self._document = SentenceBlocks("" if self._at_start else str(number), self._inherited())
            self._at_start = False

    def _inherited(self) -> dict[str, str]:
        fields = {}
        for _, attributes in self._around:
            fields.update(attributes)
        return _fields(fields)

    def _structure(self, number: int, tag: VerticalTag) -> Iterator[Record | Reject]:
        name = tag.name
        if name == "g":
            self._sentence.glue()
        elif name in SENTENCES:
            yield from self._end_sentence()
            self._within = not tag.closes and not tag.empty
        elif name in PARAGRAPHS:
            yield from self._end_sentence()
            self._within, self._paragraph = False, True
        elif name in self._documents():
            yield from self.end()
            self._close(name)
            if not tag.closes and not tag.empty:
                self._around.append((name, tag.attributes))
                if self._is_document(name):
                    self.any = True
                    self._at_start = False
                    self._fields = self._inherited()
                    self._document = SentenceBlocks(str(number), self._fields)
                    self._described = False
        elif not tag.closes and self._document is not None and not self._described:
            for key, value in _fields(tag.attributes).items():
                self._fields.setdefault(key, value)

    def _is_document(self, name: str) -> bool:
        return name == self._layout.document if self._layout.document else name in DOCUMENTS

    def _documents(self) -> tuple[str, ...]:
        return (self._layout.outer, self._layout.document) if self._layout.document else DOCUMENTS

    def _close(self, name: str) -> None:
        """Close a structure around documents, and those in it; the outermost closes all."""
        if name == self._layout.outer or not self._layout.outer:
            self._around.clear()
        else:
            names = [around for around, _ in self._around]
            del self._around[names.index(name) if name in names else len(names) :]

    def _bad_tag(self, number: int, error: BadRecord) -> Iterator[Record | Reject]:
        """Yield a tag that cannot be read; what comes after it is not of the document before it."""
        yield from self.end()
        self._around.clear()
        self._at_start = False
        yield Reject(str(number), error.reason, error.detail)

    def _end_sentence(self) -> Iterator[Record | Reject]:
        if not self._sentence.begun:
            return
        sentence, self._sentence = self._sentence, _Words(self._layout, self._options, self._how)
        assert self._document is not None
        self._document.begin()
        try:
            parsed = sentence.parsed()
        except BadRecord as error:
            self._document.broken()
            yield Reject(str(sentence.number), error.reason, error.detail)
            return
        yield from self._document.add(parsed, self._paragraph)
        self._paragraph = False

    def end(self) -> Iterator[Record | Reject]:
        """Yield what is left of a document, or of the file."""
        yield from self._end_sentence()
        self._within, self._paragraph = False, True
        self._sentence = _Words(self._layout, self._options, self._how)
        if self._document is not None:
            yield from self._document.end()
            self._document = None


class _Words:
    """The words of a sentence.

    Attributes:
        number: the line of the first.
        ended: whether the last one ends a sentence that no tag ends.
    """

    def __init__(self, layout: VerticalLayout, options: ReaderOptions, how: Cleaning) -> None:
        self.number = 0
        self.ended = False
        self._layout = layout
        self._options = options
        self._how = how
        self._rows: list[list[str]] = []
        self._glued: set[int] = set()  # words before which is no space
        self._size = 0
        self._error: BadRecord | None = None

    @property
    def begun(self) -> bool:
        """Whether there is a line."""
        return bool(self._rows) or self._error is not None

    def glue(self) -> None:
        """Note that no space comes before the next word."""
        self._glued.add(len(self._rows))

    def break_off(self, number: int, error: BadRecord) -> None:
        """Note a line that cannot be read."""
        if self._error is None:
            self.number, self._error = number, error

    def add(self, number: int, line: str) -> None:
        """Add a line."""
        if not self.begun:
            self.number = number
        cells = line.split("\t")
        self._size += len(line)
        self.ended = cells[0] in _ENDS or (0 < self._layout.tag < len(cells) and cells[self._layout.tag] in _ENDS)
        if len(cells) != self._layout.width:
            hint = f"{len(cells)} columns, not {self._layout.width}, in line {number}{no_line_end(line)}"
            self.break_off(number, BadRecord("malformed", hint))
        elif self._size > self._options.max_line_bytes:
            self._rows.clear()
            self.break_off(self.number, too_long(self._options))
        elif self._error is None:
            self._rows.append(cells)

    def parsed(self) -> ParsedSentence:
        """Return the sentence.

        Raises:
            BadRecord: `malformed`; `too_many_marks`; or what a line was.
        """
        if self._error is not None:
            raise self._error
        layout, how = self._layout, self._how
        forms = [clean_word(plain(row[0]), how) for row in self._rows]
        if not all(forms):
            raise BadRecord("malformed", f"a token without a form, in line {self.number} or one that follows it")
        lemmas = tags = None
        if layout.lemma > 0:
            given = [self._lemma(plain(row[layout.lemma])) for row in self._rows]
            lemmas = [lemma or form for lemma, form in zip(given, forms, strict=True)] if any(given) else None
        if layout.tag > 0:
            tags = [clean_field(plain(row[layout.tag])) for row in self._rows]
        starts, ends, text = [], [], ""
        for place, form in enumerate(forms):
            text += "" if place in self._glued or not place else " "
            starts.append(len(text))
            text += form
            ends.append(len(text))
        layers = values_of(self._options.layers, "vertical", tags or [""] * len(forms)) if self._options.layers else ()
        return ParsedSentence(Sentence(forms, lemmas, self._upos(tags), starts, ends, layers), text)

    def _lemma(self, cell: str) -> str:
        if cell in _NO_LEMMA:
            return ""
        lemma = clean_word(cell, self._how)
        if "|" in lemma and lemma.strip("|"):
            several = [one for one in lemma.split("|") if one]
            if len(several) > 1:
                self._how.note("lemmas of which the first of several was taken")
            lemma = several[0].strip()
        if self._layout.lempos:
            lemma = re.sub(r"(?<=.)-[a-z]$", "", lemma)
        return lemma

    def _upos(self, tags: list[str] | None) -> list[str] | None:
        if tags is None or not any(tag not in NO_TAG for tag in tags):
            return None
        if self._layout.tags is None:
            self._how.note("tags of an unknown set left out", len(tags))
            return None
        known = TAG_SETS[self._layout.tags]
        if unknown := sum(tag not in known for tag in tags if tag not in NO_TAG):
            self._how.note(f"tags that {self._layout.tags} does not have", unknown)
        return [known.get(tag, "X") for tag in tags]


def _fields(attributes: dict[str, str]) -> dict[str, str]:
    fields = {key: field for key, value in attributes.items() if (field := scalar(value))}
    for key, value in list(fields.items()):
        short = {"lang": "language", "year": "date"}.get(key.lower(), key.lower())
        if short in (*KNOWN, "date"):
            fields.setdefault(short, value)
    if "date" not in fields and fields.get("datefrom"):
        fields["date"] = "/".join(dict.fromkeys((fields["datefrom"], fields.get("dateto", fields["datefrom"]))))
    return fields


def cut_vertical(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of whole documents, each of at least `size` bytes but the last.

    Raises:
        Uncuttable: a byte of the encoding may be a line feed and something else; there is no document in its beginning.
    """
    passed = LinePass(source, options)
    early: list[tuple[int, int, bytes]] = []
    while passed.place < _HEAD_BYTES:
        place, lines = passed.place, passed.lines
        if not (line := passed.line()):
            break
        early.append((place, lines, line))
    head = passed.place
    raw = iter_lines(io.BytesIO(b"".join(line for *_, line in early)), options.max_line_bytes)
    decoded, _ = _early(_decoded(raw, options.encoding, options, cleaning(source, options)._replace(notes=None)))
    layout = _layout(decoded, options)
    outer = layout.outer
    if layout.fault or not outer:
        raise Uncuttable("vertical text without a document in its beginning")
    pieces: list[CutPiece] = []
    start = before = 0
    opened_one, whole = False, True
    lines_of_head = iter(early)
    while True:
        if (entry := next(lines_of_head, None)) is None:
            if last := passed.skip(start + size - passed.place):
                whole = last == b"\n"
            entry = passed.place, passed.lines, passed.line()
        place, number, line = entry
        if not line:
            break
        if whole and _opens(line, outer, options):
            if opened_one and place - start >= size:
                pieces.append(CutPiece(len(pieces), start, place, before, head))
                start, before = place, number
            opened_one = True
        whole = line.endswith(b"\n")
    if start < passed.place:
        pieces.append(CutPiece(len(pieces), start, passed.place, before, head))
    return pieces


def _opens(line: bytes, outer: str, options: ReaderOptions) -> bool:
    """Return whether a line certainly opens a document, and is no more than that."""
    if not line.startswith(b"<") or not line.endswith(b"\n") or b"\r" in line.removesuffix(b"\r\n"):
        return False
    try:
        text = decode(line.rstrip(b"\r\n"), options.encoding)
    except BadRecord:
        return False
    tags = openings(text) if "\x00" not in text and len(line) <= options.max_line_bytes else None
    return tags is not None and (tags[0].name, tags[0].closes, tags[0].empty) == (outer, False, False)
