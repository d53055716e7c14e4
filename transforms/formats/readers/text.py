"""Text, where the file is the document: plain, or ready-made as `lines`.

Plain text has an empty line between paragraphs. Ready-made text has a sentence a line, its tokens
separated by white space, lemmatised or not. It comes in blocks of 2,000 lines, counted as they
stand in the file, so that a file of any size is read in little memory. A line that is not text, or
too long, is a reject of its own, which counts as one input record more; the rest of the document is
kept.
"""

import re
from collections.abc import Iterator

from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.formats.records.base import (
    BLOCK,
    BadRecord,
    CutPiece,
    ReaderOptions,
    Record,
    Reject,
    Source,
    Uncuttable,
)
from lexbeam.transforms.formats.records.text_cleaning import clean_bytes, clean_value, cleaning, decode
from lexbeam.transforms.formats.sources.streams import (
    cut_by_lines,
    encodings_of,
    iter_lines,
    opened,
    read_all,
    too_long,
)

_PIECE = 1 << 20
_SPACE = re.compile(r"\s")


def read_text(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the file as one record without fields.

    Raises:
        BadRecord: `undecodable`, `control`, `too_many_marks`, `empty`, `too_large`.
    """
    data = read_all(source, options)
    text = clean_bytes(data, encodings_of(data, source, options), cleaning(source, options))
    if not text:
        raise BadRecord("empty", "nothing but white space")
    yield Record("", {}, text, None)


def read_lines(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the document's blocks as records at position "", and rejects of single lines.

    With `lines_hold` `lemmas` or `forms` the tokens fill that list, the other lists are None. With
    `text` there is one record, whose text has a paragraph for each line.

    Raises:
        BadRecord: `empty`, if no line holds a token and none was rejected; `too_large`, if held
            text is longer than `max_record_bytes`.
    """
    if options.lines_hold == "text":
        yield from _text(source, options)
        return
    lemmatised = options.lines_hold == "lemmas"
    begun = not source.begins
    sentences: list[Sentence] = []
    rejected = False
    last = source.before
    for number, line in _decoded(source, options):
        if number // BLOCK > last // BLOCK and sentences:
            yield Record("", {}, None, sentences, last // BLOCK if begun else 0)
            begun = True
            sentences = []
        last = number
        if isinstance(line, Reject):
            rejected = True
            yield line
            continue
        for tokens in filter(None, map(str.split, line.split("\n"))):
            forms, lemmas = (None, tokens) if lemmatised else (tokens, None)
            sentences.append(Sentence(forms, lemmas, None, None, None))
    if sentences:
        yield Record("", {}, None, sentences, last // BLOCK if begun else 0)
    elif not begun and not rejected:
        raise BadRecord("empty", "no line holds a token")


def cut_lines(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of `lines`, each of whole blocks and at least `size` bytes; the first holds the first sentence.

    Raises:
        Uncuttable: the lines are one text; or a byte of the encoding may be a line feed and something else.
    """
    if options.lines_hold == "text":
        raise Uncuttable("its lines are one text")
    how = cleaning(Source(source.name, source.open, source.path), options)

    def is_sentence(line: bytes) -> bool:
        if len(line) > options.max_line_bytes:
            return False
        try:
            return bool(clean_value(decode(line, options.encoding, how), how).split())
        except BadRecord:
            return False

    return cut_by_lines(source, options, size, is_record=is_sentence, every=BLOCK)


def _decoded(source: Source, options: ReaderOptions) -> Iterator[tuple[int, str | Reject]]:
    """Yield the number, from 0, of each line, and the line or why it must be left out.

    What is a line end in plain text alone, such as U+2028, is a line feed in it.
    """
    how = cleaning(source, options)
    stream, encodings = opened(source, options)
    with stream:
        for number, line in iter_lines(stream, options.max_line_bytes, source.before):
            try:
                if line is None:
                    raise too_long(options)
                held = [decode(line, encodings, how)]
                line = None  # which may be long; nor is the text kept here
                held[0] = clean_value(held[0], how)
                yield number - 1, held.pop()
            except BadRecord as error:
                yield number - 1, Reject(str(number), error.reason, error.detail)


def _single_spaces(text: str) -> str:
    """Return the words of a text with a space between them; of a long text, some at a time."""
    pieces, start = [], 0
    while len(text) - start > _PIECE:
        space = _SPACE.search(text, start + _PIECE)
        end = space.start() if space else len(text)
        pieces.append(" ".join(text[start:end].split()))
        start = end
    pieces.append(" ".join(text[start:].split()))
    return " ".join(filter(None, pieces))


def _text(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    paragraphs: list[str] = []
    size = 0
    rejected = False
    for _, line in _decoded(source, options):
        if isinstance(line, Reject):
            rejected = True
            yield line
            continue
        for part in filter(None, map(_single_spaces, line.split("\n"))):
            size += len(part)
            if size > options.max_record_bytes:
                raise BadRecord("too_large", f"over {options.max_record_bytes} characters")
            paragraphs.append(part)
    if paragraphs:
        yield Record("", {}, "\n\n".join(paragraphs), None)
    elif not rejected:
        raise BadRecord("empty", "no line holds a token")
