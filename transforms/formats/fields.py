"""Records that are named fields (JSON objects, table rows): which field means what."""

import datetime
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from transforms.formats.base import BadRecord, ReaderOptions, Record
from transforms.formats.text_cleaning import Cleaning, clean_field, clean_text, decode

__all__ = ["KNOWN", "look_up", "record_of_fields", "scalar"]

# Fields of a document that are found by name, whatever their case.
KNOWN = ("date", "title", "author", "genre", "language")

_LONGEST = 1000


def record_of_fields(
    position: str, values: Mapping[str, Any], options: ReaderOptions, how: Cleaning
) -> Record:
    """Return a record whose text is `options.text_field` and whose fields are the scalar ones.

    Where `options.fields` names several paths for a field, the first that holds something counts.
    Values over 1,000 characters are texts, not fields, and are left out of them. The text is
    cleaned as `how` says.

    Raises:
        BadRecord: `missing_field`, `malformed` (a text that is not a string), `empty`, `control`,
            `too_many_marks`.
    """
    text = look_up(values, options.text_field)
    if text is None:
        raise BadRecord(
            "missing_field",
            f"no text in field {options.text_field!r}; there are {', '.join(list(values)[:12])}",
        )
    if isinstance(text, bytes):
        text = decode(text, ("utf-8",))
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = "\n\n".join(text)
    if not isinstance(text, str):
        raise BadRecord("malformed", f"{options.text_field!r} is {type(text).__name__}, not text")
    text = clean_text(text, how)
    if not text:
        raise BadRecord("empty", f"field {options.text_field!r} has no text")
    return Record(position, _Fields(values, options), text, None)


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
    if isinstance(value, datetime.date):  # within a struct; NaN is not a number
        return value.isoformat()
    return str(value) if isinstance(value, int | float) and value == value else ""


class _Fields(Mapping[str, str]):
    """Fields by name, made when they are asked for: of most records few ever are."""

    def __init__(self, values: Mapping[str, Any], options: ReaderOptions) -> None:
        self._values = values
        self._options = options

    def __getitem__(self, name: str) -> str:
        if (found := self.get(name)) is None:
            raise KeyError(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """Return the first value that is there for a name."""
        values, options = self._values, self._options
        if options.fields and (paths := _paths(options.fields).get(name)):
            found = (scalar(look_up(values, path)) for path in paths)
            return next(filter(None, found), default)
        if name in values:
            return (scalar(values[name]) if name != options.text_field else "") or default
        if name in KNOWN:
            keys = _known(tuple(values), options.text_field).get(name, ())
            return next(filter(None, (scalar(values[key]) for key in keys)), default)
        return (scalar(look_up(values, name)) if "." in name else "") or default

    def __iter__(self) -> Iterator[str]:
        names = {*self._values, *KNOWN, *_paths(self._options.fields)}
        return (name for name in sorted(names) if self.get(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@functools.lru_cache(16)
def _known(names: tuple[str, ...], text_field: str) -> dict[str, list[str]]:
    """Return the keys that are a known field's name but for their case."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name != text_field and name.lower() in KNOWN:
            found.setdefault(name.lower(), []).append(name)
    return found


@functools.lru_cache(256)
def _paths(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the paths that `--fields` names for each field, in order."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        name, _, path = pair.partition("=")
        found.setdefault(name, []).append(path)
    return found
