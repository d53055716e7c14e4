"""Values with one thing changed: every field of a task or of options, wherever it lies in them."""

import copy
import dataclasses
import enum
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_origin

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.store.identity import Place, Position, Uncounted, canonical
from lexbeam.transforms.common.store.receipts import ArtefactPath


class Change(NamedTuple):
    """A changed value.

    Attributes:
        path: what was changed.
        value: the whole, with the change.
        by_type: why it never counts; empty: it does.
        of: the entries of a registry that use it, as its option says, or that it is a position: if
            the name stays, so must the bytes; empty: neither.
    """

    path: str
    value: Any
    by_type: str = ""
    of: str = ""


def changes(value: Any, path: str, most: int | None = None, choices: Collection[str] = ()) -> Iterator[Change]:
    """Yield the value with one thing changed, for each thing in it.

    Args:
        value: a task, or options.
        path: what it is called.
        most: items of a sequence or mapping that are changed by themselves; None: all.
        choices: what a text may be; empty: anything.
    """
    if isinstance(value, bool):
        yield Change(path, not value)
    elif isinstance(value, int):
        yield Change(path, value + 1)
    elif isinstance(value, float):
        yield Change(path, value * 2 + 1 if value == value else 0.5)
    elif isinstance(value, str):
        yield Change(path, next((other for other in choices if other != value), value + "~"))
    elif isinstance(value, bytes):
        yield Change(path, value + b"~")
    elif value is None:
        yield Change(path, "~")
    elif _is_record(value):
        yield from _of_record(value, path, most)
    elif isinstance(value, list | tuple):
        yield from _of_sequence(value, path, most, choices)
    elif isinstance(value, Mapping):
        yield from _of_mapping(value, path, most)
    elif isinstance(value, np.ndarray | np.generic):
        yield Change(path, value + 1)
    elif isinstance(value, pa.Table):
        yield Change(path, value.slice(1))
    elif isinstance(value, pa.Field):
        yield Change(path, value.with_name(value.name + "~"))
    elif isinstance(value, enum.Enum):
        yield from (Change(path, other) for other in type(value) if other is not value)
    else:
        raise TypeError(f"{path} is a {type(value).__name__}: say how it is changed")


def _is_record(value: Any) -> bool:
    return dataclasses.is_dataclass(value) or (isinstance(value, tuple) and hasattr(value, "_fields"))


def _fields(value: Any) -> Iterator[tuple[str, str, str, Any]]:
    """Yield the fields of a record: name, why it never counts, what it is `of`, its type."""
    types: dict[str, Any] = {}
    for base in reversed(type(value).__mro__):
        types.update(vars(base).get("__annotations__", {}))
    if dataclasses.is_dataclass(value):
        metadata = {field.name: field.metadata for field in dataclasses.fields(value)}
    else:
        metadata = {name: {} for name in value._fields}
    for name, meta in metadata.items():
        option = meta.get("option", {})
        hint = types.get(name)
        marks = hint.__metadata__ if get_origin(hint) is Annotated else ()
        reasons = [mark.reason for mark in marks if isinstance(mark, Uncounted)]
        reasons += ["a path"] if option.get("path") else []
        reasons += ["of the run"] if not option.get("published", True) else []
        yield name, "; ".join(reasons), option.get("of") or meta.get("of") or "", hint


def _with(value: Any, name: str, own: Any) -> Any:
    if not dataclasses.is_dataclass(value):
        return value._replace(**{name: own})
    changed = copy.copy(value)  # not `replace`, for what a field may be is not asked here
    object.__setattr__(changed, name, own)
    return changed


def _of_record(value: Any, path: str, most: int | None) -> Iterator[Change]:
    known = options_of(type(value)) if dataclasses.is_dataclass(value) else {}
    allowed = {option.place[0]: option.allowed for option in known.values() if len(option.place) == 1}
    for name, by_type, of, hint in _fields(value):
        if hint == Place:  # see `moved`
            continue
        for change in changes(getattr(value, name), f"{path}.{name}", most, allowed.get(name, ())):
            whole = _with(value, name, change.value)
            if hint == Position:  # it counts nowhere, and is read nowhere
                yield change._replace(value=whole, of="a position")
            else:
                yield change._replace(value=whole, by_type=by_type or change.by_type, of=of or change.of)


def _of_sequence(value: Any, path: str, most: int | None, choices: Collection[str]) -> Iterator[Change]:
    kind = type(value)
    if not value:
        yield Change(path, kind(["~"]))
        return
    yield Change(path, kind(value[:-1]))
    yield Change(path, kind([*value, value[-1]]))
    forms = [canonical(item) for item in value]
    if forms != forms[::-1]:  # else parts without rows, say, which their positions alone tell apart
        yield Change(path, kind(value[::-1]))
    for place in range(len(value))[:most]:
        own = value[place]
        nested = isinstance(own, list | tuple) and not hasattr(own, "_fields")
        for change in changes(own, f"{path}[]" if nested else path, most, choices):
            yield change._replace(value=kind([*value[:place], change.value, *value[place + 1 :]]))


def _of_mapping(value: Mapping[Any, Any], path: str, most: int | None) -> Iterator[Change]:
    yield Change(path, {**value, "~": next(iter(value.values()), "~")})
    for key in list(value)[:1]:
        yield Change(path, {other: own for other, own in value.items() if other != key})
    for key in list(value)[:most]:
        for change in changes(value[key], path, most):
            yield change._replace(value={**value, key: change.value})


def moved(value: Any, place: Callable[[str], str | None]) -> Any:
    """Return a value in which every path of a file is another, as `place` says; None: it stays."""
    if _is_record(value):
        for name, _, _, hint in _fields(value):
            own = getattr(value, name)
            is_path = hint == Place or isinstance(own, ArtefactPath)
            now = (place(own) or own) if is_path and isinstance(own, str) else moved(own, place)
            if now is not own:
                value = _with(value, name, type(own)(now) if isinstance(own, str) else now)
        return value
    if isinstance(value, list | tuple):
        items = [moved(own, place) for own in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    if isinstance(value, Mapping):
        now = {key: moved(own, place) for key, own in value.items()}
        return value if all(now[key] is value[key] for key in value) else now
    return value


def copied(folder: Path) -> Callable[[str], str | None]:
    """Return what copies files and folders into a folder, each once, and says where they are now."""
    known: dict[str, str] = {}

    def place(path: str) -> str | None:
        source = Path(path)
        if path not in known and path and source.exists():
            target = folder / str(len(known)) / source.name
            target.parent.mkdir(parents=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
            known[path] = str(target)
        return known.get(path)

    return place
