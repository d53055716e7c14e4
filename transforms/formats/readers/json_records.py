r"""JSON lines, a record a line; and JSON files, a record an element of an array.

Elements of an array of any size are cut out of a stream of bytes in bounded memory. They end at the commas and the
closing bracket that are outside strings and inner brackets. numpy finds them, looking at each byte once. What lies
between them is not parsed, so an element may turn out not to be JSON. It makes no difference how the bytes are cut
into pieces.

    >>> [data for _, data in iter_elements([b'[{"a": "],\\"', b'"}, 1', b'2]'], 100)]
    [b'{"a": "],\\""}', b' 12']
"""

import codecs
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

import msgspec
import numpy as np
import orjson

from lexbeam.transforms.common.texts.line_ends import no_line_end
from lexbeam.transforms.formats.records.base import BadRecord, CutPiece, ReaderOptions, Record, Reject, Source, look_up
from lexbeam.transforms.formats.records.fields import entries_of, kind_of
from lexbeam.transforms.formats.records.text_cleaning import Cleaning, cleaning, decode, without_control
from lexbeam.transforms.formats.sources.streams import (
    cut_by_lines,
    encodings_of,
    iter_lines,
    opened,
    peek,
    read_all,
    too_long,
)

_WHITE = b" \t\n\r"
_MORE = "not JSON: text follows the array"
_BEFORE = "\ufeff \t\n\r"
_QUOTE = ord('"')
# Which bytes open, close or separate something, and how many brackets more are open behind each.
_MARKS = bytes(code in b"[]{}," for code in range(256))
_STEPS = np.zeros(256, np.int64)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1


def begins_array(head: bytes, encoding: str) -> bool:
    """Return whether the first bytes of a file are those of a JSON array."""
    return head.decode(encoding, "ignore").lstrip(_BEFORE).startswith("[")


def iter_utf8(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield pieces of text in any encoding as UTF-8; what is said to be UTF-8 goes through as is.

    Raises:
        BadRecord: `undecodable`, with the place of the first bad byte, after all that precedes it.
    """
    if encoding == "utf-8":
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    place = 0
    for piece in itertools.chain(pieces, [b""]):
        before = decoder.getstate()
        try:
            # A half of a surrogate pair, which UTF-7 may hold, is left to the parser to refuse.
            yield decoder.decode(piece, not piece).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            # Its bytes begin with those that were left of the piece before.
            good = len(piece) - len(error.object) + error.start
            decoder.setstate(before)
            yield decoder.decode(piece[: max(good, 0)]).encode("utf-8", "surrogatepass")
            detail = f"not {encoding}: byte {place + good}: {error.reason}"
            raise BadRecord("undecodable", detail) from None
        except UnicodeError as error:
            raise BadRecord("undecodable", f"not {encoding}: {error}") from None
        place += len(piece)


def iter_elements(pieces: Iterable[bytes], limit: int) -> Iterator[tuple[int, bytes]]:
    """Yield each element of an array in UTF-8: the place of its first byte, and its bytes.

    White space around an element counts as part of it. An empty array has no elements.

    Raises:
        BadRecord: `too_large`, if an element has more than `limit` bytes; `malformed`, if the array
            is not closed, or if anything but white space follows it.
    """
    segments = _segments(pieces, limit)
    next(segments, None)  # what stands before the array
    for number, (place, data, border) in enumerate(segments, 1):
        if border not in b",]":
            raise BadRecord("malformed", "not JSON: a brace closes the array")
        if number > 1 or border == b"," or data.strip(_WHITE):
            yield place, data
        if border == b"]":
            break
    else:
        raise BadRecord("malformed", "not JSON: the array breaks off before its last bracket")
    for _ in segments:
        raise BadRecord("malformed", _MORE)


def _segments(pieces: Iterable[bytes], limit: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield what lies before each border: its place, its bytes, and the byte that is the border.

    Raises:
        BadRecord: `too_large`; `malformed`, if text follows the array.
    """
    scanner = _Scanner()
    held: list[bytes] = []  # of an element that goes on in the next piece
    size = place = 0
    for piece in pieces:
        start = 0
        for border in scanner.borders(piece):
            size += border - start
            _refuse_over(limit, size)
            yield place, b"".join((*held, piece[start:border])), piece[border : border + 1]
            held = []
            place += size + 1
            size = 0
            start = border + 1
        rest = piece[start:]
        if scanner.depth <= 0:  # less, if what follows closes more than is open
            if scanner.began and rest.strip(_WHITE):
                raise BadRecord("malformed", _MORE)
            place += len(rest)
            continue
        held.append(rest)
        size += len(rest)
        _refuse_over(limit, size)


def _refuse_over(limit: int, size: int) -> None:
    if size > limit:
        detail = f"over {limit} bytes in an element; see --max-record-bytes"
        raise BadRecord("too_large", detail)


class _Scanner:
    """Finds, piece by piece, where an array begins, where its elements end, and where it ends.

    Attributes:
        began: whether any bracket was seen.
        depth: how many brackets are open.
    """

    def __init__(self) -> None:
        self.began = False
        self.depth = 0
        self._quotes = 0
        self._escape = False

    def borders(self, piece: bytes) -> list[int]:
        """Return the places of the outermost brackets, and of the commas in no others."""
        plain = self._without_escapes(piece)
        codes = np.frombuffer(plain, np.uint8)
        quotes = np.flatnonzero(codes == _QUOTE)
        marks = np.flatnonzero(np.frombuffer(plain.translate(_MARKS), np.bool_))
        marks = marks[(np.searchsorted(quotes, marks) + self._quotes) % 2 == 0]
        steps = _STEPS[codes[marks]]
        depths = self.depth + steps.cumsum()
        self._quotes += len(quotes)
        self.depth += int(steps.sum())
        self.began |= bool(steps.any())
        brackets = (steps != 0) & (depths - (steps > 0) == 0)
        commas = (steps == 0) & (depths == 1)
        places: list[int] = marks[brackets | commas].tolist()
        return places

    def _without_escapes(self, piece: bytes) -> bytes:
        """Return bytes without escaped quotes and backslashes, at the same places."""
        if self._escape and piece[:1] in (b'"', b"\\"):  # of others none is, in no piece
            piece = b"." + piece[1:]
        self._escape = (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1
        if b"\\" not in piece:
            return piece
        return piece.replace(b"\\\\", b"..").replace(b'\\"', b"..")


_HEAD = 4096
_PIECE = 1 << 18
_SMALL = 1 << 22
_LONG = 1 << 24
_NO_ELEMENTS = "the array has no elements"


def read_jsonl(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each line that is not blank; its position is the line number.

    With `options.records` each line is read as `lexbeam.transforms.formats.records.fields` says.

    Raises:
        BadRecord: `empty`, if all lines are blank.
    """
    how = cleaning(source, options)
    for number, value in json_rows(source, options):
        if isinstance(value, BadRecord):
            yield Reject(str(number), value.reason, value.detail)
        else:
            yield from entries_of(str(number), value, options, how)


def json_rows(source: Source, options: ReaderOptions) -> Iterator[tuple[int, object]]:
    """Yield the number and the value of each line that is not blank, or a `BadRecord`.

    Raises:
        BadRecord: `empty`, if all lines are blank.
    """
    how = cleaning(source, options)
    records = 0
    stream, encodings = opened(source, options)
    with stream:
        for number, line in iter_lines(stream, options.max_line_bytes, source.before):
            if line is not None and (not line or line.isspace()):
                continue
            records += 1
            try:
                if line is None:
                    raise too_long(options)
                value = _parse(line, encodings, how)
            except BadRecord as error:
                value = error
            if records == 1 and source.begins and line is not None and isinstance(value, list | BadRecord):
                value = _without_lines(line, encodings[0], value)
            line = None  # which may be long
            yield number, value
    if source.begins and not records:
        raise BadRecord("empty", "no line holds anything")


def cut_jsonl(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of JSON lines of at least `size` bytes each; the first holds the first record.

    Raises:
        Uncuttable: a byte of the encoding may be a line feed and something else.
    """
    return cut_by_lines(source, options, size)


def _without_lines(line: bytes | bytearray, encoding: str, value: object) -> object:
    """Return what the first line of a file holds, or, if an array begins there, a reject that says so."""
    if not begins_array(bytes(line[:_HEAD]), encoding) or (
        isinstance(value, BadRecord) and value.reason != "malformed"
    ):
        return value
    return BadRecord("malformed", "an array begins here, and JSON lines have an object a line; an array is json")


def read_json(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each element of the array at `options.json_path`.

    If an object is there instead of an array, it is the one record, at position "". With
    `options.records` each is read as `lexbeam.transforms.formats.records.fields` says. A file that is
    an array itself is read element by element if it is over 4 MiB; if it breaks off or turns out to
    be broken, the missing rest is one more reject, at the number of its first element.

    Raises:
        BadRecord: `malformed`, `undecodable`, `missing_field`, `too_large`, `empty`.
    """
    head, stream = peek(source.open(), _HEAD)
    how = cleaning(source, options)
    encodings = encodings_of(head, source, options)
    # Which of several encodings it is only the whole file can tell.
    if options.json_path or len(encodings) > 1 or not begins_array(head, encodings[0]):
        source = replace(source, open=lambda: stream)
        yield from _of_value(_parse(read_all(source, options), encodings, how), options, how)
        return
    with stream:
        yield from _of_array(stream, encodings[0], options, how)


def _of_array(stream: BinaryIO, encoding: str, options: ReaderOptions, how: Cleaning) -> Iterator[Record | Reject]:
    """Return the entries of an array; a small one is parsed at once."""
    # What is there already, if the rest turns out to be broken.
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    pieces = iter(lambda: read(_PIECE), b"")
    first, size = [], 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size > min(_SMALL, options.max_record_bytes):
            return _of_elements(itertools.chain(first, pieces), encoding, options, how)
    return _of_value(_parse(b"".join(first), (encoding,), how), options, how)


def _of_elements(
    pieces: Iterable[bytes], encoding: str, options: ReaderOptions, how: Cleaning
) -> Iterator[Record | Reject]:
    utf8 = iter_utf8(pieces, encoding)
    elements = iter_elements(utf8, options.max_record_bytes)
    for number in itertools.count(1):
        try:
            place, data = next(elements, (0, None))
            if data is None:
                break
            value = _element(place, data, how)
        except BadRecord as error:
            yield Reject(str(number), error.reason, error.detail)
            return
        yield from entries_of(str(number), value, options, how)
    if number == 1:
        raise BadRecord("empty", _NO_ELEMENTS)


def _element(place: int, data: bytes, how: Cleaning) -> object:
    try:
        return _parse(data, ("utf-8",), how)
    except BadRecord as error:
        detail = f"in the element from byte {place} (in UTF-8): {error.detail}"
        raise BadRecord(error.reason, detail) from None


def _of_value(value: object, options: ReaderOptions, how: Cleaning) -> Iterator[Record | Reject]:
    if options.json_path:
        value = look_up(value, options.json_path)
        if value is None:
            raise BadRecord("missing_field", f"nothing lies at {options.json_path!r}")
    if isinstance(value, dict):
        yield from entries_of("", value, options, how)
        return
    if not isinstance(value, list):
        raise BadRecord("malformed", f"neither an array nor an object, but {kind_of(value)}")
    if not value:
        raise BadRecord("empty", _NO_ELEMENTS)
    for number, element in enumerate(value, 1):
        yield from entries_of(str(number), element, options, how)


def _parse(data: bytes | bytearray, encodings: tuple[str, ...], how: Cleaning) -> object:
    if encodings[0] == "utf-8":
        try:
            # orjson, the faster, makes a copy of what it parses.
            value = orjson.loads(data) if len(data) < _LONG else msgspec.json.decode(data)
        except (ValueError, RecursionError):
            pass  # the slower parser takes more (NaN, a byte order mark), and says what is wrong
        else:
            if len(encodings) > 1:
                how.note("encoding utf-8")
            return value
    # Those that are not escaped, which JSON forbids. What it allows stays, as the faster parser has
    # it, so that no record depends on those beside it; texts are cleaned of it later.
    text = without_control(decode(data, encodings, how), how, json=True)
    try:
        return json.loads(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise BadRecord("malformed", f"not JSON: {error}{no_line_end(text[error.pos : error.pos + 1])}") from None
    except RecursionError:
        raise BadRecord("malformed", "JSON nested too deeply") from None
    except ValueError:
        raise BadRecord("malformed", "a number of thousands of digits") from None


def _integer(digits: str) -> int | float:
    """Return a number as the fast parser has it, so that no record depends on those beside it."""
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)
