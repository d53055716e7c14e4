"""CoNLL-U: annotated text, a document from one `# newdoc` to the next, or the whole file.

A token is a syntactic word; the parts of a multiword token share its span, and empty nodes are
skipped. The text is rebuilt from the surface forms and `SpaceAfter=No`; sentences are separated
by a space, paragraphs (`# newpar`) by an empty line. A document over 2,000 sentences comes in
blocks of that size, without text and offsets, so that a file of any size is read in little memory.

A sentence that breaks the format is a reject of its own and counts as one more input record; the
rest of its document is kept. Comments before the first sentence (`# year = 1790`,
`# meta::genre = letter`) are the document's fields.

The layers that options name are taken as they stand: a head is the number of a word, and words are
never dropped. A head that is not a word of its sentence is null, so a layer changes nothing else.

Forms and lemmas are taken as they stand, joiners and all; only soft hyphens, marks of direction and the like go.

A missing lemma (`_`) is the form, and a missing part of speech `X`; a sentence without any has None
instead of the list.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, chain
from typing import NamedTuple

from lexbeam.transforms.common.marks import is_nfc
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.common.texts.line_ends import no_line_end
from lexbeam.transforms.formats.records.base import BLOCK, BadRecord, CutPiece, ReaderOptions, Record, Reject, Source
from lexbeam.transforms.formats.records.fields import KNOWN, scalar
from lexbeam.transforms.formats.records.layers import ConlluWord, values_of
from lexbeam.transforms.formats.records.text_cleaning import (
    Cleaning,
    clean_field,
    clean_word,
    cleaning,
    decode,
    stands,
    without_control,
)
from lexbeam.transforms.formats.sources.streams import LinePass, iter_lines, opened

_OF_SENTENCE = {"sent_id", "text", "newpar", "newdoc", "newpar id"}


class ParsedSentence(NamedTuple):
    """A sentence, its surface text, and whether a space follows it."""

    sentence: Sentence
    text: str


class _Chunk(NamedTuple):
    """The lines of one sentence: comments and tokens, the number of the first of either, errors.

    A `# newdoc` that no sentence follows is a chunk without tokens.
    """

    number: int
    first: int
    comments: list[str]
    lines: list[str]
    error: BadRecord | None


def read_conllu(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield documents, by blocks, and rejects of single sentences.

    Raises:
        BadRecord: `empty`, if there is no sentence at all.
    """
    how = cleaning(source, options)
    document: SentenceBlocks | None = None
    chunks = 0
    for chunk in _chunks(source, options):
        chunks += 1
        opens = _opens(chunk.comments)
        if document is None or opens:
            if document is not None:
                yield from document.end()
            document = SentenceBlocks(str(chunk.number) if opens else "")
        document.describe(chunk.comments)
        if not chunk.lines and chunk.error is None:
            continue
        document.begin()
        try:
            if chunk.error is not None:
                raise chunk.error
            parsed = _parse(chunk.lines, options.layers, how)
        except BadRecord as error:
            document.broken()
            yield Reject(str(chunk.first), error.reason, error.detail)
            continue
        keys = (comment.split("=")[0].split()[:1] for comment in chunk.comments)
        yield from document.add(parsed, ["newpar"] in keys)
    if document is not None:
        yield from document.end()
    if source.begins and not chunks:
        raise BadRecord("empty", "no sentence in it")


def cut_conllu(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of whole documents, each of at least `size` bytes but the last.

    Raises:
        Uncuttable: a byte of the encoding may be a line feed and something else.
    """
    passed = LinePass(source, options)
    pieces: list[CutPiece] = []
    start = before = 0
    line = passed.line()
    while line:
        line = passed.skip(start + size - passed.place) or line
        border = _next_document(passed, options) if line else (passed.place, passed.lines)
        pieces.append(CutPiece(len(pieces), start, border[0], before))
        start, before = border
        line = b"\n" if start < passed.place else b""
    return pieces


def _next_document(passed: LinePass, options: ReaderOptions) -> tuple[int, int]:
    """Return the place, and the lines before it, where a document certainly begins, or the end.

    It follows an empty line behind a word, with which a sentence is over whatever it holds.
    """
    word = over = False  # whether a word, then an empty line stood here
    border = passed.place, passed.lines
    length = 0  # of the comments since then
    whole = False
    while line := passed.line():
        begins, whole = whole, line.endswith(b"\n")
        if not begins or b"\r" in line.removesuffix(b"\r\n"):  # in the midst of a line, or several lines
            word = over = False
        elif line.isspace():
            if word or (over and not length):
                over, border, length = True, (passed.place, passed.lines), 0
            else:
                over = False
            word = False
        elif over and line.startswith(b"#"):
            length += len(line)
            if whole and length <= options.max_line_bytes and _certainly_opens(line, options):
                return border
        else:
            over = False
            word = line[:1].isdigit() and whole
    return passed.place, passed.lines


def _certainly_opens(line: bytes, options: ReaderOptions) -> bool:
    try:
        text = decode(line.rstrip(b"\r\n"), options.encoding)
    except BadRecord:
        return False
    return "\x00" not in text and _opens([text[1:].strip()])


class SentenceBlocks:
    """Sentences of a document that comes annotated, until a block is full."""

    def __init__(self, position: str, fields: dict[str, str] | None = None) -> None:
        self._position = position
        self._fields = {} if fields is None else fields
        self._described = False
        self._parsed: list[ParsedSentence] = []
        self._paragraphs: list[bool] = []
        self._block = 0
        self._broken = False

    def describe(self, comments: list[str]) -> None:
        """Take fields from comments, unless a sentence has come already."""
        if not self._described:
            self._fields = {**_fields(comments), **self._fields}

    def begin(self) -> None:
        """Note that the first sentence has come: later comments are about other sentences."""
        self._described = True

    def broken(self) -> None:
        """Note that a sentence was left out: if none is left, its reject stands for the document."""
        self._broken = True

    def add(self, parsed: ParsedSentence, paragraph: bool) -> Iterator[Record]:
        """Add a sentence, which may begin a paragraph; yield the block before it if that is full."""
        if len(self._parsed) == BLOCK:
            yield self._without_text()
        self._parsed.append(parsed)
        self._paragraphs.append(paragraph)

    def end(self) -> Iterator[Record | Reject]:
        """Yield what is left: the last block, the document, or the reject of one without a sentence."""
        if self._block and self._parsed:
            yield self._without_text()
        elif self._parsed:
            yield self._with_text()
        elif not self._broken:
            yield Reject(self._position, "empty", "a document without a sentence")

    def _without_text(self) -> Record:
        sentences = [p.sentence._replace(starts=None, ends=None) for p in self._parsed]
        record = Record(self._position, self._fields, None, sentences, self._block)
        self._block += 1
        self._parsed, self._paragraphs = [], []
        return record

    def _with_text(self) -> Record:
        pieces: list[str] = []
        length = 0
        sentences = []
        for (sentence, text), paragraph in zip(self._parsed, self._paragraphs, strict=True):
            if pieces:
                pieces.append("\n\n" if paragraph else " ")
                length += len(pieces[-1])
            starts, ends = (
                [length + offset for offset in offsets or ()] for offsets in (sentence.starts, sentence.ends)
            )
            sentences.append(sentence._replace(starts=starts, ends=ends))
            pieces.append(text)
            length += len(text)
        joined: str | None = "".join(pieces)
        if not is_nfc(joined or ""):
            # A form begins with a combining mark: no NFC text has these forms at these places.
            joined = None
            sentences = [s._replace(starts=None, ends=None) for s in sentences]
        return Record(self._position, self._fields, joined, sentences)


def _chunks(source: Source, options: ReaderOptions) -> Iterator[_Chunk]:
    stream, encodings = opened(source, options)
    lines = _Lines(encodings, cleaning(source, options), options.max_line_bytes)
    held: list[bytes | bytearray] = []  # lines that begin with a digit
    room = _TOGETHER
    with stream:
        for current, raw in iter_lines(stream, options.max_line_bytes, source.before):
            if raw and len(raw) < room and raw[0] in _DIGITS:
                held.append(raw)
                room -= len(raw)
                continue
            if held:
                lines.add_words(current - len(held), held)
                held, room = [], _TOGETHER
            if raw is not None and (not raw or raw.isspace()):
                if lines.words or lines.error or _opens(lines.comments):
                    yield lines.end()
                continue
            line = lines.text(current, raw)
            if line is None:
                continue
            if line.startswith("#"):
                comment = line[1:].strip()
                if _opens([comment]) and _opens(lines.comments) and not lines.words and lines.error is None:
                    size = lines.size
                    yield lines.end()
                    lines.number, lines.size = current, size
                lines.comments.append(comment)
            else:
                lines.add(current, line)
        if held:
            lines.add_words(current - len(held) + 1, held)
    if lines.words or lines.error or _opens(lines.comments):
        yield lines.end()


_DIGITS = frozenset(b"0123456789")
_TOGETHER = 1 << 16  # bytes of lines that are decoded at once


class _Lines:
    """The lines of a sentence so far, see `_Chunk`; `words` are its `lines`."""

    def __init__(self, encodings: tuple[str, ...], how: Cleaning, limit: int) -> None:
        self._encodings = encodings
        self._how = how
        self._drop = how.control == "drop"
        self._limit = limit
        self._begin()

    def _begin(self) -> None:
        self.comments: list[str] = []
        self.words: list[str] = []
        self.error: BadRecord | None = None
        self.number = self.size = self._first = 0

    def end(self) -> _Chunk:
        """Return the lines, and begin anew."""
        chunk = _Chunk(self.number, self._first, self.comments, self.words, self.error)
        self._begin()
        return chunk

    def text(self, current: int, raw: bytes | bytearray | None) -> str | None:
        """Return a line as text; if it is none, or too long, note that and return None."""
        if not self.comments and not self.words and self.error is None:
            self.number = current
        try:
            self.size += len(raw or b"")
            if raw is None or self.size > self._limit:
                raise BadRecord("too_large", f"over {self._limit} bytes; see --max-line-bytes")
            line = decode(raw, self._encodings, self._how)
            return without_control(line, self._how) if self._drop or "\x00" in line else line
        except BadRecord as bad:
            if self.error is None:
                self.error, self._first = bad, current
            return None

    def add(self, current: int, line: str) -> None:
        """Add a line of a word."""
        if self.error is None:
            self._first = self._first if self.words else current
            self.words.append(line)

    def add_words(self, first: int, raws: list[bytes | bytearray]) -> None:
        """Add lines, the `first` and those that follow it, which are no comments: at once, if they are plain text."""
        whole = b"\n".join(raws)
        size = self.size + len(whole) - len(raws) + 1
        if self._encodings == ("utf-8",) and not self._drop and self.error is None and size <= self._limit:
            with suppress(UnicodeError):
                text = str(whole, "utf-8")
                if "\x00" not in text and "\ufeff" not in text:
                    self.number = self.number if self.comments or self.words else first
                    self._first = self._first if self.words else first
                    self.size = size
                    self.words += text.split("\n")
                    return
        for current, raw in enumerate(raws, first):
            if (line := self.text(current, raw)) is not None:
                self.add(current, line)


def _opens(comments: list[str]) -> bool:
    return any(comment.split("=")[0].split()[:1] == ["newdoc"] for comment in comments)


class _Words:
    """The words of a sentence, line by line, and its text; their offsets are within it."""

    def __init__(self) -> None:
        self.words: list[ConlluWord] = []
        self.text = ""
        self._forms: list[str] = []
        self._lemmas: list[str] = []
        self._tags: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._space = ""
        self._surface = 0  # characters of the form that was put last into the text
        self._span: list[str] | None = None  # the line of the last multiword token, and its last word
        self._last_part = 0

    def add(self, line: str, how: Cleaning) -> None:
        """Add a line: a word, a multiword token, or an empty node, which is skipped.

        Raises:
            BadRecord: `malformed`; `too_many_marks`, in a form or lemma.
        """
        cells = line.split("\t")
        if len(cells) != 10:
            raise BadRecord("malformed", f"{len(cells)} columns, not 10{no_line_end(line)}")
        name, form, lemma, tag = cells[:4]
        form, lemma = clean_word(form, how), clean_word(lemma, how)
        if not tag.isascii():
            tag = clean_field(tag)
        if "." in name:
            return
        first, dash, last = name.partition("-")
        number = len(self._forms) + 1
        if not first.isdecimal() or int(first) != number or not form:
            raise BadRecord("malformed", "a word out of order or without a form")
        if dash:
            if not last.isdecimal() or int(last) < number or self._last_part >= number:
                raise BadRecord("malformed", "not a range of words")
            self._last_part, self._span = int(last), cells
        if dash or number > self._last_part:
            self.text += self._space + form
            self._space = "" if "SpaceAfter=No" in cells[9].split("|") else " "
            self._surface = len(form)
        if not dash:
            self._forms.append(form)
            self._lemmas.append(lemma if lemma != "_" or form == "_" else "")
            self._tags.append("" if tag == "_" else tag)
            self._starts.append(len(self.text) - self._surface)
            self._ends.append(len(self.text))
            self.words.append(ConlluWord(cells, self._span if number <= self._last_part else None))

    def sentence(self, layers: tuple[str, ...]) -> Sentence:
        """Return the sentence, all of whose lines have been added.

        Raises:
            BadRecord: `malformed`, if it has no words, or lacks one of a multiword token.
        """
        if not self._forms or self._last_part > len(self._forms):
            raise BadRecord("malformed", "a sentence without words, or a word that is not there")
        lemmas = [lemma or form for lemma, form in zip(self._lemmas, self._forms, strict=True)]
        return Sentence(
            self._forms,
            lemmas if any(self._lemmas) else None,
            [tag or "X" for tag in self._tags] if any(self._tags) else None,
            self._starts,
            self._ends,
            values_of(layers, "conllu", self.words),
        )


def _parse(lines: list[str], layers: tuple[str, ...], how: Cleaning) -> ParsedSentence:
    """Return the sentence of some token lines; offsets are within its text.

    Raises:
        BadRecord: `malformed`; `too_many_marks`, in a form or lemma.
    """
    if (parsed := _plain(lines, layers)) is not None:
        return parsed
    words = _Words()
    for line in lines:
        words.add(line, how)
    return ParsedSentence(words.sentence(layers), words.text)


_NUMBERS = tuple(map(str, range(1, 1001)))
_NO_TAGS = frozenset(("_", ""))


def _plain(lines: list[str], layers: tuple[str, ...]) -> ParsedSentence | None:
    """Return what `_Words` makes of lines, column by column, if they are words alone that are clean; None if not.

    Nearly all sentences are, and line by line they take three times as long.
    """
    rows = [line.split("\t") for line in lines]
    if {len(row) for row in rows} != {10}:
        return None
    numbers, forms, lemmas, tags, *_, misc = zip(*rows, strict=True)
    words = " ".join((*forms, *lemmas))
    if numbers != _NUMBERS[: len(rows)] or words.split() != [*forms, *lemmas] or not "".join(tags).isascii():
        return None
    if not (words.isascii() or all(map(stands, set(words)))):
        return None
    after = [" "] * len(rows)
    if "SpaceAfter=No" in "|".join(misc):
        after = ["" if "SpaceAfter=No" in cell.split("|") else " " for cell in misc]
    gaps = accumulate(map(len, after[:-1]), initial=0)
    ends = [end + gap for end, gap in zip(accumulate(map(len, forms)), gaps, strict=True)]
    lemmatised = any(lemma != "_" or form == "_" for lemma, form in zip(lemmas, forms, strict=True))
    if "_" in lemmas:
        lemmas = tuple(form if lemma == "_" else lemma for lemma, form in zip(lemmas, forms, strict=True))
    tagged = not _NO_TAGS.issuperset(tags)
    if not _NO_TAGS.isdisjoint(tags):
        tags = tuple("X" if tag in _NO_TAGS else tag for tag in tags)
    sentence = Sentence(
        list(forms),
        list(lemmas) if lemmatised else None,
        list(tags) if tagged else None,
        [end - len(form) for end, form in zip(ends, forms, strict=True)],
        ends,
        values_of(layers, "conllu", [ConlluWord(row) for row in rows]) if layers else (),
    )
    return ParsedSentence(sentence, "".join(chain.from_iterable(zip(forms, after, strict=True)))[: ends[-1]])


def _fields(comments: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for comment in comments:
        key, equals, value = (part.strip() for part in comment.partition("="))
        if not equals or key in _OF_SENTENCE or not (value := scalar(value)):
            if key == "newdoc id" and value:
                fields["newdoc"] = value
            continue
        fields.setdefault(key, value)
        short = key.rpartition("::")[2].lower()
        if short in KNOWN:
            fields.setdefault(short, value)
        elif short == "year":
            fields.setdefault("date", value)
    return fields
