"""Paths into nested values: `meta.date`, `parts.0.text`, and `speeches[].text` through an array.

>>> debate = {"date": "1850", "speeches": [{"text": "One."}, {"by": "A"}, {"text": "Two."}]}
>>> look_up(debate, "speeches.0.text"), look_up(debate, "speeches[].text")
('One.', ['One.', 'Two.'])
>>> list(paths_of(debate))
['date', 'speeches[].text']
"""

import functools
import itertools
import re
from collections.abc import Iterator, Mapping

from lexbeam.transforms.common.errors import UsageError

ARRAY = "[]"
_DEEPEST = 16  # arrays within each other that `records` may name
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_MISPLACED = re.compile(r"(?:^|[.\]])\[\]|\[\](?!\.|$)")


def check_path(path: str, option: str) -> None:
    """Check that the brackets of a path are those of arrays, or pairs within names.

    Raises:
        UsageError: they are not; the message names `option`.
    """
    if re.search(r"[\[\]]", _IN_BRACKETS.sub("", path)) or _MISPLACED.search(path):
        raise UsageError(f"`{option}`: {path!r} is not a path: an array is NAME[], as in speeches[].text")


def check_records(records: str, text_field: str, paths: list[str]) -> None:
    """Check a path of `records`, and that the paths of fields leave no more than it enters.

    Raises:
        UsageError: the path does not end in an array, or others do not fit it.
    """
    check_path(records, "records")
    if records.startswith("."):
        raise UsageError(f"`records`: {records!r} begins with a dot: it starts at the object")
    if not records.endswith(ARRAY):
        raise UsageError(f"`records`: {records!r} is not an array: write {records + ARRAY!r}")
    if len(routes(records)) > _DEEPEST:
        raise UsageError(f"`records`: more than {_DEEPEST} arrays within each other")
    if text_field.startswith("."):
        raise UsageError(f"`text_field`: {text_field!r} leaves the record that holds the text")
    for path in paths:
        if len(path) - len(path.lstrip(".")) > len(routes(records)):
            raise UsageError(f"`fields`: {path!r} has more dots than {records!r} has arrays")


def routes(records: str) -> list[str]:
    """Return the way to each array of `records`, from the object that the one before holds.

    >>> routes("data.debates[].speeches[]")
    ['data.debates', 'speeches']
    """
    return records.removesuffix(ARRAY).split(ARRAY + ".")


def look_up(values: object, path: str) -> object:
    """Return the value at a path, or None; with `[]` in it, a list of all values there but None.

    The list is empty if the arrays are. A key equal to the whole path takes precedence.
    """
    if isinstance(values, Mapping) and path in values:
        return values[path]
    if ARRAY in path:
        return _all_at(values, path)
    for name in path.split("."):
        values = _child(values, name)
    return values


def _child(values: object, name: str) -> object:
    if isinstance(values, Mapping):
        return values.get(name)
    if isinstance(values, list) and name.isdecimal() and len(name) < 10 and int(name) < len(values):
        return values[int(name)]
    return None


def _all_at(values: object, path: str) -> list[object] | None:
    reached = [values]
    for name, array in _steps(path):
        reached = [child for value in reached if (child := _child(value, name)) is not None]
        if array:
            lists = [value for value in reached if isinstance(value, list)]
            reached = [element for value in lists for element in value]
            if lists and not reached:
                return []
    return [value for value in reached if value is not None] or None


@functools.lru_cache(256)
def _steps(path: str) -> list[tuple[str, bool]]:
    names = path.split(".")
    return [(name.removesuffix(ARRAY), name.endswith(ARRAY)) for name in names]


def paths_of(values: Mapping[str, object], limit: int = 12) -> Iterator[str]:
    """Yield the first paths to values that are neither objects nor arrays, by the first element of arrays.

    Values over three levels deep are represented by what holds them.
    """
    return itertools.islice(_paths_of(values, "", 3), limit)


def _paths_of(values: Mapping[str, object], before: str, deep: int) -> Iterator[str]:
    for name, value in values.items():
        path = f"{before}{name}"
        if isinstance(value, list) and value:
            path, value = path + ARRAY, value[0]
        if isinstance(value, Mapping) and value and deep:
            yield from _paths_of(value, path + ".", deep - 1)
        else:
            yield path
