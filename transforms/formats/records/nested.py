"""Records within records: the elements of the array that `ReaderOptions.records` names.

Each element is a record that inherits the fields of the objects it lies in. Its position is that of
the outermost object and its number in each array on the way, from 1: `12:3` is the third element
in line 12, `12:3:4` the fourth of an array within it. An object whose array is missing or empty
is a reject; so is an element that is not an object or has no text.

    >>> debate = {"date": "1850", "speeches": [{"text": "One."}, {"text": "Two.", "date": "1851"}]}
    >>> for entry in entries_of("7", debate, ReaderOptions(records="speeches[]")):
    ...     print(entry.position, entry.text, entry.fields["date"])
    7:1 One. 1850
    7:2 Two. 1851
"""

from collections.abc import Iterator

from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject
from lexbeam.transforms.formats.records.fields import Fields, list_fields, record_of_fields
from lexbeam.transforms.formats.records.paths import ARRAY, look_up, routes
from lexbeam.transforms.formats.records.text_cleaning import STRICT, Cleaning

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
    """Return the elements of an array.

    Raises:
        BadRecord: `missing_field`, `malformed`, `empty`.
    """
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
