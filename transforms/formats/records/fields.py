"""Records that are named fields (JSON objects, table rows): which field means what.

Records within records are the elements of the array that `ReaderOptions.records` names. Each inherits the fields of
the objects it lies in. Its position is that of the outermost object and its number in each array on the way, from 1:
`12:3` is the third element in line 12, `12:3:4` the fourth of an array within it. An object whose array is missing or
empty is a reject; so is an element that is not an object or has no text.

    >>> debate = {"date": "1850", "speeches": [{"text": "One."}, {"text": "Two.", "date": "1851"}]}
    >>> for entry in entries_of("7", debate, ReaderOptions(records="speeches[]")):
    ...     print(entry.position, entry.text, entry.fields["date"])
    7:1 One. 1850
    7:2 Two. 1851
"""

import datetime
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lexbeam.transforms.common.errors import nearest
from lexbeam.transforms.common.texts.languages import language_of
from lexbeam.transforms.formats.records.base import (
    ARRAY,
    BadRecord,
    ReaderOptions,
    Record,
    Reject,
    look_up,
    paths_of,
    routes,
)
from lexbeam.transforms.formats.records.text_cleaning import STRICT, Cleaning, clean_field, clean_text, decode

# Fields of a document that are found by name, whatever their case.
KNOWN = ("date", "title", "author", "genre", "language")

_LONGEST = 1000
_FEW = 12
_NAME = 40
_WORDS = 3
_STOPS = tuple(".!?;,…")


def record_of_fields(
    position: str, values: Mapping[str, object], options: ReaderOptions, how: Cleaning, parent: "Fields | None" = None
) -> Record:
    """Return a record whose text is `options.text_field` and whose fields are the scalar ones.

    If `options.fields` names several paths for a field, the first that is not empty counts. Values over
    1,000 characters are texts, not fields, and are left out. The text is never that of the parent, and
    is cleaned as `how` says.

    Raises:
        BadRecord: `missing_field`, `malformed` (a text that is not a string), `empty`, `control`,
            `too_many_marks`.
    """
    fields = Fields(values, options, parent)
    text = text_at(values, options.text_field, how)
    if text is None:
        said = list_fields(fields.without_parent(), options.text_field)
        raise BadRecord("missing_field", f"no text in field {options.text_field!r}{said}")
    if not text:
        raise BadRecord("empty", f"field {options.text_field!r} has no text")
    return Record(position, fields, text, None)


def text_at(values: Mapping[str, object], path: str, how: Cleaning) -> str | None:
    """Return the text at a path, cleaned as `how` says; None if nothing is there.

    Several strings are paragraphs.

    Raises:
        BadRecord: `malformed` (something else than a string), `undecodable`, `control`, `too_many_marks`.
    """
    text = look_up(values, path)
    if text is None:
        return None
    if isinstance(text, bytes):
        text = decode(text, ("utf-8",))
    if isinstance(text, list):
        text = _joined(text, path)
    if not isinstance(text, str):
        raise BadRecord("malformed", f"{path!r} is {type(text).__name__}, not text")
    return clean_text(text, how)


def _joined(parts: list[object], path: str) -> object:
    """Return strings as paragraphs of one text; if a value is not a string, that value."""
    if ARRAY in path:  # the texts of each element may be several
        parts = [text for part in parts for text in (part if isinstance(part, list) else [part])]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts):
        return "\n\n".join(texts)
    return next(part for part in parts if not isinstance(part, str))


def language_in(cell: str) -> str | None:
    """Return the code of the language that a cell says; None if it is empty.

    Raises:
        BadRecord: `malformed`, if it says no language.
    """
    if not cell.strip():
        return None
    if (code := language_of(cell)) is None:
        raise BadRecord(
            "malformed", f"language is {quoted_field(cell)}, no code such as en and no name such as English"
        )
    return code


def quoted_field(value: str) -> str:
    """Return, for a reject, a value of metadata, of which one as long as text is not quoted."""
    value = value.strip()
    return repr(value) if len(value) <= _NAME else f"a value of {len(value)} characters"


def scalar(value: object) -> str:
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


class Fields(Mapping[str, str]):
    """Fields by name, read on demand, since few are ever needed.

    A field that a record lacks, or has empty, comes from its parent: the object that holds the array of
    the record. A path that begins with a dot starts at the parent, one with two dots at the parent's.
    """

    def __init__(self, values: Mapping[str, object], options: ReaderOptions, parent: "Fields | None" = None) -> None:
        self._values = values
        self.text_field = options.text_field
        self._options = options
        self._parent = parent
        self._known: dict[str, list[str]] | None = None

    def __getitem__(self, name: str) -> str:
        value: str | None = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """Return the first value for a name that is not empty."""
        options = self._options
        if options.fields and (paths := _paths(options.fields).get(name)):
            return next(filter(None, map(self._at, paths)), default)
        return self._named(name) or default

    def _at(self, path: str) -> str:
        """Return the value at a path, of this record or else of its parent."""
        parent = self._parent
        if parent is not None and path.startswith(".") and path not in self._values:
            return parent._at(path[1:])
        value = _value(look_up(self._values, path), path)
        return value or (parent._at(path) if parent is not None else "")

    def text(self, name: str, how: Cleaning) -> str:
        """Return the first text for a name that is not empty: of any length, cleaned as `how` says.

        Raises:
            BadRecord: `missing_field`, if there is none, not even an empty one; see `text_at`.
        """
        paths = _paths(self._options.fields).get(name, [name])
        texts = [text for path in paths if (text := self._text_at(path, how)) is not None]
        if not texts:
            raise BadRecord("missing_field", f"no field {paths[0]!r}{list_fields(self, paths[0])}")
        return next(filter(None, texts), "")

    def holds(self, path: str) -> bool:
        """Return whether the record has a field where a path begins, even an empty one."""
        return path in self._values or path.partition(".")[0].removesuffix(ARRAY) in self._values

    def _text_at(self, path: str, how: Cleaning) -> str | None:
        parent = self._parent
        if parent is not None and path.startswith(".") and path not in self._values:
            return parent._text_at(path[1:], how)
        text = text_at(self._values, path, how)
        return parent._text_at(path, how) if text is None and parent is not None else text

    def _named(self, name: str) -> str:
        """Return the value for a name that `fields` does not mention."""
        values, value = self._values, ""
        if name in values:
            value = _value(values[name], name) if name != self.text_field else ""
        elif name in KNOWN:
            if self._known is None:
                self._known = _known(tuple(values), self.text_field)
            if keys := self._known.get(name):
                value = next(filter(None, (scalar(values[key]) for key in keys)), "")
        elif "." in name or ARRAY in name:
            return self._at(name)
        return value or (self._parent._named(name) if self._parent is not None else "")

    @property
    def paths(self) -> Iterator[str]:
        """The first paths to values, of this record and then of its parent."""
        paths = paths_of(self._values)
        return itertools.chain(paths, self._parent.paths) if self._parent is not None else paths

    def without_parent(self) -> "Fields":
        """Return the fields without those of the parent."""
        return Fields(self._values, self._options)

    def _names(self) -> set[str]:
        return {*self._values, *(self._parent._names() if self._parent is not None else ())}

    def __iter__(self) -> Iterator[str]:
        names = {*self._names(), *KNOWN, *_paths(self._options.fields)}
        return (name for name in sorted(names) if self.get(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def list_fields(fields: Mapping[str, object], missing: str) -> str:
    """Return, for a message, the first fields that exist, and the nearest to a missing one."""
    paths = fields.paths if isinstance(fields, Fields) else iter(fields)
    unlike = {missing, fields.text_field} if isinstance(fields, Fields) else {missing}
    names = [clean_field(name) for name in itertools.islice(dict.fromkeys(paths), _FEW)]
    if not names or any(map(_reads_like_text, names)):
        return listed_names(names)
    others = [name for name in names if name not in unlike]
    ends = [name for name in others if name.rpartition(".")[2] == missing.rpartition(".")[2]]
    hint = f"; did you mean {ends[0]!r}?" if ends else nearest(missing[:_NAME], others)
    return f"{listed_names(names)}{hint}"


def listed_names(names: Sequence[str]) -> str:
    """Return, for a reject, the first of some names of fields.

    If one of them reads like text, none is quoted: where a file has no header, its first row is taken for one.
    """
    if not names:
        return "; there are no fields"
    if any(map(_reads_like_text, names)):
        return f"; {len(names)} fields, not all of them with names"
    return f"{_THERE}{', '.join(names[:_FEW])}"


def _reads_like_text(name: str) -> bool:
    return len(name) > _NAME or len(name.split()) > _WORDS or name.rstrip()[-1:] in _STOPS


def listed_fields(detail: str) -> list[str]:
    """Return the names that `list_fields` put into the detail of a reject."""
    listed = detail.partition(_THERE)[2].partition(_HINT)[0]
    return listed.split(", ") if listed else []


_THERE, _HINT = "; there are ", "; did you mean"


def _value(value: object, path: str) -> str:
    """Return a value at a path as a field's string; several values are joined, each once."""
    if not isinstance(value, list) or ARRAY not in path:
        return scalar(value)
    texts = dict.fromkeys(filter(None, map(scalar, value)))
    joined = "; ".join(itertools.islice(texts, _LONGEST))
    return joined if len(joined) <= _LONGEST else ""


@functools.lru_cache(16)
def _known(names: tuple[str, ...], text_field: str) -> dict[str, list[str]]:
    """Return the keys that are a known field's name but for their case."""
    keys: dict[str, list[str]] = {}
    for name in names:
        if name != text_field and name.lower() in KNOWN:
            keys.setdefault(name.lower(), []).append(name)
    return keys


@functools.lru_cache(256)
def _paths(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the paths that `--fields` names for each field, in order."""
    paths: dict[str, list[str]] = {}
    for pair in pairs:
        name, _, path = pair.partition("=")
        paths.setdefault(name, []).append(path)
    return paths


_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    type(None): "null",
    bytes: "a string",
}


def entries_of(
    position: str, value: object, options: ReaderOptions, how: Cleaning = STRICT
) -> Iterator[Record | Reject]:
    """Return the record that a value is, or those of its array `options.records`, and rejects.

    Texts are cleaned as `how` says.
    """
    ways = routes(options.records) if options.records else []
    return _below(position, value, ways, options, how, None)


def _below(
    position: str, value: object, ways: list[str], options: ReaderOptions, how: Cleaning, parent: Fields | None
) -> Iterator[Record | Reject]:
    try:
        if not isinstance(value, dict):
            raise BadRecord("malformed", f"not a JSON object, but {kind_of(value)}")
        if not ways:
            yield record_of_fields(position, value, options, how, parent)
            return
        here = Fields(value, options, parent)
        elements = _elements(value, ways[0], here)
    except BadRecord as error:
        yield Reject(position, error.reason, error.detail)
        return
    for number, element in enumerate(elements, 1):
        place = f"{position}:{number}" if position else str(number)
        yield from _below(place, element, ways[1:], options, how, here)


def _elements(value: dict[str, object], way: str, fields: Fields) -> list[object]:
    named = way + ARRAY
    elements = value[named] if named in value else look_up(value, way)
    if elements is None:
        paths = fields.without_parent().paths
        arrays = dict.fromkeys(path[: path.rindex(ARRAY) + 2] for path in paths if ARRAY in path)
        said = list_fields(arrays or fields.without_parent(), named)
        raise BadRecord("missing_field", f"no array {named!r}{said}")
    if not isinstance(elements, list):
        raise BadRecord("malformed", f"{way!r} is {kind_of(elements)}, not an array")
    if not elements:
        raise BadRecord("empty", f"the array {named!r} has no elements")
    return elements


def kind_of(value: object) -> str:
    """Return what a value of JSON is, in words."""
    return _KINDS.get(type(value), "a number")
