"""JSON lines, a record a line; and JSON files, a record an element of an array."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

import msgspec
import orjson

from lexbeam.transforms.common.texts.encodings import no_line_end
from lexbeam.transforms.formats.readers.json_array import begins_array, iter_elements, iter_utf8
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from lexbeam.transforms.formats.records.nested import entries_of, kind_of
from lexbeam.transforms.formats.records.paths import look_up
from lexbeam.transforms.formats.records.pieces import CutPiece
from lexbeam.transforms.formats.records.text_cleaning import Cleaning, cleaning, decode, without_control
from lexbeam.transforms.formats.sources.cutting import cut_by_lines
from lexbeam.transforms.formats.sources.streams import encodings_of, iter_lines, opened, peek, read_all, too_long

_HEAD = 4096
_PIECE = 1 << 18
_SMALL = 1 << 22
_LONG = 1 << 24
_NO_ELEMENTS = "the array has no elements"


def read_jsonl(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each line that is not blank; its position is the line number.

    With `options.records` each line is read as `lexbeam.transforms.formats.records.nested` says.

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
    `options.records` each is read as `lexbeam.transforms.formats.records.nested` says. A file that is
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
