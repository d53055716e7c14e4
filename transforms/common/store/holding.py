"""What plans, tasks and options hold at whatever depth: resources, encoders, models."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

__all__ = ["holding"]

_PLAIN = (str, bytes, int, float, type(None), type)


def holding(value: Any, *methods: str, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what has one of the methods, in records, sequences and mappings, with the name of its field.

    In a sequence the field's name is in the singular, with a number from 1: `encoder_1` of `encoders`.
    """
    if isinstance(value, _PLAIN):
        return
    if any(callable(getattr(value, method, None)) for method in methods):
        yield name, value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from holding(item, *methods, name=name)
    elif hasattr(value, "_fields"):
        for own in value._fields:
            yield from holding(getattr(value, own), *methods, name=own)
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value, start=1):
            yield from holding(item, *methods, name=f"{name.removesuffix('s')}_{number}")
    elif is_dataclass(value):
        for field in fields(value):
            yield from holding(getattr(value, field.name), *methods, name=field.name)
