"""JSON lines, a record a line; and JSON files, a record an element of an array."""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import orjson

from transforms.formats.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.fields import look_up, record_of_fields
from transforms.formats.json_array import begins_array, iter_elements, iter_utf8
from transforms.formats.streams import iter_lines, line_encoding, opened, peek, read_all
from transforms.formats.text_cleaning import decode

__all__ = ["read_json", "read_jsonl"]

_HEAD = 4096
_PIECE = 1 << 18
_SMALL = 1 << 22
_NO_ELEMENTS = "the array has no elements"


def read_jsonl(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each line that is not blank; its position is the line number.

    Raises:
        BadRecord: `empty`, if all lines are blank.
    """
    encoding = line_encoding(options)
    records = 0
    with opened(source, options) as stream:
        for number, line in iter_lines(stream, options.max_line_bytes):
            if line is not None and (not line or line.isspace()):
                continue
            records += 1
            try:
                if line is None:
                    raise BadRecord(
                        "too_large",
                        f"over {options.max_line_bytes} bytes in a line; see --max-line-bytes",
                    )
                value = _parse(line, encoding)
                yield _record(str(number), value, options)
            except BadRecord as error:
                yield Reject(str(number), error.reason, error.detail)
    if not records:
        raise BadRecord("empty", "no line holds anything")


def read_json(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each element of the array at `options.json_path`.

    If an object is there instead of an array, it is the one record, at position "". A file that is
    an array itself is read element by element where it is over 4 MiB; if it breaks off or turns out
    to be broken, what is missing is one reject more, at the number of the element.

    Raises:
        BadRecord: `malformed`, `undecodable`, `missing_field`, `too_large`, `empty`.
    """
    head, stream = peek(source.open(), _HEAD)
    if options.json_path or not begins_array(head, options.encoding):
        source = source._replace(open=lambda: stream)
        yield from _of_value(_parse(read_all(source, options), options.encoding), options)
        return
    with stream:
        yield from _of_array(stream, options)


def _of_array(stream: BinaryIO, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Return the entries of an array; a small one is parsed at once."""
    # What is there already, if the rest turns out to be broken.
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    pieces = iter(lambda: read(_PIECE), b"")
    first, size = [], 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size > min(_SMALL, options.max_record_bytes):
            return _of_elements(itertools.chain(first, pieces), options)
    return _of_value(_parse(b"".join(first), options.encoding), options)


def _of_elements(pieces: Iterable[bytes], options: ReaderOptions) -> Iterator[Record | Reject]:
    utf8 = iter_utf8(pieces, options.encoding)
    elements = iter_elements(utf8, options.max_record_bytes)
    for number in itertools.count(1):
        try:
            place, data = next(elements, (0, None))
            if data is None:
                break
            value = _element(place, data)
        except BadRecord as error:
            yield Reject(str(number), error.reason, error.detail)
            return
        yield _entry(number, value, options)
    if number == 1:
        raise BadRecord("empty", _NO_ELEMENTS)


def _element(place: int, data: bytes) -> Any:
    try:
        return _parse(data, "utf-8")
    except BadRecord as error:
        detail = f"in the element from byte {place} (in UTF-8): {error.detail}"
        raise BadRecord(error.reason, detail) from None


def _of_value(found: Any, options: ReaderOptions) -> Iterator[Record | Reject]:
    if options.json_path:
        found = look_up(found, options.json_path)
        if found is None:
            raise BadRecord("missing_field", f"nothing lies at {options.json_path!r}")
    if isinstance(found, dict):
        yield _record("", found, options)
        return
    if not isinstance(found, list):
        raise BadRecord("malformed", f"neither an array nor an object, but {_kind(found)}")
    if not found:
        raise BadRecord("empty", _NO_ELEMENTS)
    for number, value in enumerate(found, 1):
        yield _entry(number, value, options)


def _parse(data: bytes, encoding: str) -> Any:
    if encoding == "utf-8":
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # the slower parser takes more (NaN, a byte order mark), and says what is wrong
    try:
        return json.loads(decode(data, encoding), parse_int=_integer)
    except json.JSONDecodeError as error:
        raise BadRecord("malformed", f"not JSON: {error}") from None
    except RecursionError:
        raise BadRecord("malformed", "JSON nested too deeply") from None
    except ValueError:
        raise BadRecord("malformed", "a number of thousands of digits") from None


def _integer(digits: str) -> int | float:
    """Return a number as the fast parser has it, so that no record depends on those beside it."""
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)


def _entry(number: int, value: Any, options: ReaderOptions) -> Record | Reject:
    try:
        return _record(str(number), value, options)
    except BadRecord as error:
        return Reject(str(number), error.reason, error.detail)


def _record(position: str, value: Any, options: ReaderOptions) -> Record:
    if not isinstance(value, dict):
        raise BadRecord("malformed", f"not a JSON object, but {_kind(value)}")
    return record_of_fields(position, value, options)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
