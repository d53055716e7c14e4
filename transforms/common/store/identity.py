"""What decides an artefact: the whole of its task and its step's options, in one form.

    canonical((1, "a"))               b'(i1;s1:a)'
    Place, Fingerprinted, ...         types of fields that never count, see below

Values of different types have different forms (1, 1.0, True, "1"); lists and tuples are alike, and
so are a record's fields in whatever order they are defined. What counts nowhere is said once, by
type: a field that is a `Place`, `Fingerprinted`, a `Size` or a `Position`, and an option that is a path, or decides
nothing that is published (`path` and `published` of `options.option`). Files count by their digests,
which stand beside their paths; a class whose paths have none gives them by `content_digests`. An
option that is `of` some entries of a registry counts where one of them is chosen.
"""

import dataclasses
import enum
import functools
import hashlib
import importlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, NamedTuple, get_origin

import numpy as np
import pyarrow as pa


class Uncounted(NamedTuple):
    """Marks a field, by its type, that decides no artefact, and says why."""

    reason: str


class InheritedRows(NamedTuple):
    """Marks a field of a task, by its type, whose rows may be inherited: `part: Annotated[Part, INHERITED]`.

    An artefact is made of its predecessor's rows, see `inheriting`. The predecessor is what was made last with all else
    that names artefacts, of the same number: that of the first such field, a part of a table.
    """


INHERITED = InheritedRows()
WHERE = Uncounted("where a file lies decides nothing: its content counts")
Place = Annotated[str, WHERE]
Fingerprinted = Annotated[str, Uncounted("the fingerprint beside it says what it names, wherever that lies")]
Size = Annotated[int, Uncounted("the size follows from the content, which counts by its digest")]
Position = Annotated[int, Uncounted("where a thing stands among others is no part of it")]


def canonical(
    value: object, name: str = "value", *, chosen: Mapping[str, Collection[str]] | None = None, inherited: bool = True
) -> bytes:
    """Return the one form of a value; two values have the same only if they are equal in all that counts.

    Args:
        value: plain values, arrays, Arrow tables, enums, sequences, sets, mappings, and records
            (named tuples, dataclasses) of such.
        name: what it is called in paths: fields follow with dots, of the items of a sequence or
            mapping as if the item stood in its place; `[]` follows for a sequence within one.
        chosen: by registry, as `module:NAME`, the entries that are chosen.
        inherited: whether fields count whose rows may be inherited.

    Raises:
        TypeError: something has no form; the message names its path.
    """
    form = _WHOLE if inherited else _WITHOUT_INHERITED
    return form.of(value, name, {registry: frozenset(entries) for registry, entries in (chosen or {}).items()})


_Chosen = Mapping[str, frozenset[str]]
_PLAIN: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"N",
    bool: lambda value: b"T" if value else b"F",
    int: lambda value: b"i%d;" % value,
    float: lambda value: b"f%s;" % repr(value).encode(),
    str: lambda value: _tagged(b"s", value.encode("utf-8", "surrogatepass")),
    bytes: lambda value: _tagged(b"b", value),
}


def _tagged(tag: bytes, content: bytes) -> bytes:
    return b"%s%d:%s" % (tag, len(content), content)


class _Field(NamedTuple):
    name: str
    form: bytes
    of: tuple[str, frozenset[str]] | None
    inherited: bool


class _Record(NamedTuple):
    """What of a class counts.

    Attributes:
        form: of its name.
        counted: fields that count, in the order of their names.
        choices: registries that options choose from, with the options' names.
        in_order: fields that count, as they are defined.
    """

    form: bytes
    counted: tuple[_Field, ...]
    choices: tuple[tuple[str, str], ...]
    in_order: tuple[_Field, ...]


@functools.cache
def _record(cls: Any) -> _Record | None:
    """Return what of a class counts; None if it is no record."""
    assert isinstance(cls, type)
    metadata: dict[str, Mapping[Any, Any]]
    if dataclasses.is_dataclass(cls):
        metadata = {field.name: field.metadata for field in dataclasses.fields(cls)}
    elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
        metadata = {name: {} for name in cls._fields}
    else:
        return None
    types: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        types.update(vars(base).get("__annotations__", {}))
    counted, choices = [], []
    for name, meta in sorted(metadata.items()):
        option = meta.get("option", {})
        hint = types.get(name)
        if option.get("path") or not option.get("published", True) or _is_marked(hint, Uncounted):
            continue
        registry, _, entries = (option.get("of") or meta.get("of") or "").partition("=")
        of = (registry, frozenset(entries.split(","))) if registry else None
        counted.append(_Field(name, _PLAIN[str](name), of, _is_marked(hint, InheritedRows)))
        if isinstance(option.get("choices"), str) and option["choices"]:
            choices.append((option["choices"], name))
    in_order = sorted(counted, key=lambda field: [*metadata].index(field.name))
    return _Record(_PLAIN[str](cls.__qualname__), tuple(counted), tuple(choices), tuple(in_order))


def _is_marked(hint: object, mark: type) -> bool:
    return get_origin(hint) is Annotated and any(isinstance(each, mark) for each in getattr(hint, "__metadata__", ()))


@dataclass(frozen=True)
class _Form:
    """Forms of values, with or without what may be inherited."""

    inherited: bool

    def of(self, value: object, path: str, chosen: _Chosen) -> bytes:
        cls: type = type(value)
        plain = _PLAIN.get(cls)
        if plain is not None:
            return plain(value)
        record = _record(cls)
        if record is not None:
            return self._of_record(value, record, path, chosen)
        if isinstance(value, list | tuple):
            return b"(" + b"".join(self.of(item, _inner(item, path), chosen) for item in value) + b")"
        if isinstance(value, Mapping):
            items = ((self.of(key, f"{path}: a key", {}), self.of(item, path, chosen)) for key, item in value.items())
            return b"{" + b"".join(key + item for key, item in sorted(items)) + b"}"
        if isinstance(value, set | frozenset):
            return b"<" + b"".join(sorted(self.of(item, path, chosen) for item in value)) + b">"
        return _other(value, path)

    def _of_record(self, value: object, record: _Record, path: str, chosen: _Chosen) -> bytes:
        if record.choices:
            chosen = _narrowed(chosen, record, value)
        pieces = [b"[", record.form]
        for field in record.counted:
            if (self.inherited or not field.inherited) and (field.of is None or _is_chosen(*field.of, chosen)):
                pieces += field.form, self.of(getattr(value, field.name), f"{path}.{field.name}", chosen)
        if hasattr(value, "content_digests"):
            pieces.append(self.of(value.content_digests(), f"{path}()", {}))
        return b"".join((*pieces, b"]"))


def _inner(item: object, path: str) -> str:
    return f"{path}[]" if isinstance(item, list | tuple) and not hasattr(item, "_fields") else path


_WHOLE, _WITHOUT_INHERITED = _Form(inherited=True), _Form(inherited=False)


def _is_chosen(registry: str, entries: frozenset[str], chosen: _Chosen) -> bool:
    """Return whether one of the entries is chosen, or one of another package, which may use what they use."""
    picked = chosen.get(registry, entries)
    if picked & entries:
        return True
    module, _, name = registry.partition(":")
    others: Mapping[str, Any] = getattr(getattr(importlib.import_module(module), name, None), "others", dict)()
    return not picked.isdisjoint(others)


def _narrowed(chosen: _Chosen, record: _Record, value: object) -> _Chosen:
    """Return what is chosen below options that choose: of what was chosen, what they name."""
    picked_by: dict[str, set[str]] = {}
    for registry, name in record.choices:
        picked = getattr(value, name)
        picked_by.setdefault(registry, set()).update(picked if isinstance(picked, list | tuple) else (picked,))
    narrowed = dict(chosen)
    for registry, entries in picked_by.items():
        known = chosen.get(registry)
        narrowed[registry] = frozenset(entries) if known is None else known & entries
    return narrowed


def _other(value: object, path: str) -> bytes:
    """Return the form of an enum, an array, or what Arrow has."""
    if isinstance(value, enum.Enum):
        return b"e" + _PLAIN[str](f"{type(value).__qualname__}.{value.name}")
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        whole = hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()
        return _tagged(b"a", f"{value.dtype.descr} {value.shape} {whole}".encode())
    if isinstance(value, pa.Table):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, value.schema) as stream:
            stream.write_table(value.combine_chunks())
        return _tagged(b"t", hashlib.sha256(sink.getvalue()).digest())
    if isinstance(value, pa.Schema):
        return _tagged(b"S", value.serialize().to_pybytes())
    if isinstance(value, pa.Field):
        return _tagged(b"C", pa.schema([value]).serialize().to_pybytes())
    kind = type(value).__name__
    raise TypeError(
        f"{path} is a {kind}, which has no form that an artefact could be named by: make it plain values or a "
        "record of them; or, if nothing reads it, leave it out"
    )


def inherited_part(task: object) -> Any:
    """Return the first part of a task whose rows may be inherited, at any depth; None if there is none."""
    cls: Any = type(task)
    record = _record(cls)
    for field in () if record is None else record.in_order:
        value = getattr(task, field.name)
        part = value if field.inherited else inherited_part(value)
        if part is not None:
            return part
    return None


_LEAVES = (str, bytes, int, float, type(None), type)


def holding(value: object, *methods: str, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the resources, encoders or models that plans, tasks and options hold at any depth.

    These are the objects that have one of the methods, each with the name of its field. In a sequence
    the field's name is in the singular, with a number from 1: `encoder_1` of `encoders`.
    """
    if isinstance(value, _LEAVES):
        return
    if any(callable(getattr(value, method, None)) for method in methods):
        yield name, value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from holding(item, *methods, name=name)
    elif hasattr(value, "_fields"):
        for field_name in value._fields:
            yield from holding(getattr(value, field_name), *methods, name=field_name)
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value, start=1):
            yield from holding(item, *methods, name=f"{name.removesuffix('s')}_{number}")
    elif is_dataclass(value):
        for field in fields(value):
            yield from holding(getattr(value, field.name), *methods, name=field.name)
