"""JSON lines, a record a line; and JSON files, a record an element of an array."""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from transforms.formats.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.fields import look_up, record_of_fields
from transforms.formats.streams import iter_lines, line_encoding, opened, read_all
from transforms.formats.text_cleaning import decode

__all__ = ["read_json", "read_jsonl"]


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

    If an object is there instead of an array, it is the one record, at position "".

    Raises:
        BadRecord: `malformed`, `undecodable`, `missing_field`, `too_large`, `empty`.
    """
    found = _parse(read_all(source, options), options.encoding)
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
        raise BadRecord("empty", "the array has no elements")
    for number, value in enumerate(found, 1):
        try:
            yield _record(str(number), value, options)
        except BadRecord as error:
            yield Reject(str(number), error.reason, error.detail)


def _parse(data: bytes, encoding: str) -> Any:
    if encoding == "utf-8":
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # the slower parser takes more (NaN, a byte order mark), and says what is wrong
    try:
        return json.loads(decode(data, encoding))
    except json.JSONDecodeError as error:
        raise BadRecord("malformed", f"not JSON: {error}") from None
    except RecursionError:
        raise BadRecord("malformed", "JSON nested too deeply") from None
    except ValueError:
        raise BadRecord("malformed", "a number of thousands of digits") from None


def _record(position: str, value: Any, options: ReaderOptions) -> Record:
    if not isinstance(value, dict):
        raise BadRecord("malformed", f"not a JSON object, but {_kind(value)}")
    return record_of_fields(position, value, options)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
