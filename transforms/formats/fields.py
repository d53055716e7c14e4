"""Records that are named fields (JSON objects, table rows): which field means what."""

from collections.abc import Mapping
from typing import Any

from transforms.formats.base import BadRecord, ReaderOptions, Record
from transforms.formats.text_cleaning import clean_field, clean_text, decode

__all__ = ["KNOWN", "look_up", "record_of_fields", "scalar"]

# Fields of a document that are found by name, whatever their case.
KNOWN = ("date", "title", "author", "genre", "language")

_LONGEST = 1000


def record_of_fields(position: str, values: Mapping[str, Any], options: ReaderOptions) -> Record:
    """Return a record whose text is `options.text_field` and whose fields are the scalar ones.

    Values over 1,000 characters are texts, not fields, and are left out of them.

    Raises:
        BadRecord: `missing_field`, `malformed` (a text that is no string), `empty`.
    """
    text = look_up(values, options.text_field)
    if text is None:
        raise BadRecord(
            "missing_field",
            f"no text in field {options.text_field!r}; there are {', '.join(list(values)[:12])}",
        )
    if isinstance(text, bytes):
        text = decode(text, "utf-8")
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = "\n\n".join(text)
    if not isinstance(text, str):
        raise BadRecord("malformed", f"{options.text_field!r} is {type(text).__name__}, not text")
    _check(text)
    text = clean_text(text)
    if not text:
        raise BadRecord("empty", f"field {options.text_field!r} has no text")
    return Record(position, _fields(values, options), text, None)


def look_up(values: Any, path: str) -> Any:
    """Return what lies at a dotted path (`meta.date`, `parts.0.text`), or None.

    A key that is the whole path goes before.
    """
    if isinstance(values, Mapping) and path in values:
        return values[path]
    for name in path.split("."):
        if isinstance(values, Mapping):
            values = values.get(name)
        elif isinstance(values, list) and name.isdecimal() and int(name) < len(values):
            values = values[int(name)]
        else:
            return None
    return values


def scalar(value: Any) -> str:
    """Return a string or number as a field's string; empty for anything else."""
    if isinstance(value, str):
        return clean_field(value) if len(value) <= _LONGEST else ""
    if isinstance(value, bytes):
        return scalar(value.decode("utf-8", "replace"))
    if isinstance(value, bool) or value is None:
        return ""
    return str(value) if isinstance(value, int | float) else ""


def _check(text: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            place = f"code point {error.start}"
            raise BadRecord("malformed", f"half of a surrogate pair at {place}") from None


def _fields(values: Mapping[str, Any], options: ReaderOptions) -> dict[str, str]:
    fields = {}
    for name, value in values.items():
        if name != options.text_field and (found := scalar(value)):
            fields[name] = found
            if name not in KNOWN and (lower := name.lower()) in KNOWN and lower not in values:
                fields.setdefault(lower, found)
    for pair in options.fields:
        name, _, path = pair.partition("=")
        fields.pop(name, None)
        if found := scalar(look_up(values, path)):
            fields[name] = found
    return fields
