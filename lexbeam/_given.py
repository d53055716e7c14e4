"""Values of options from Python, as options are made of."""

import os
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from transforms.common.options.fields import options_of
from transforms.common.options.option import Option

__all__ = ["given"]


def given(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a dataclass's options that are given, as `from_mapping` takes them.

    None is an option that is not given. One text is one value of an option that stands without a
    flag on the command line, whose shell has separated its values; of others it may hold commas.
    A list of texts for an option of one text is joined by commas, unless the text is a path.
    """
    known = options_of(cls)
    return {
        name: _listed(known[name], value) if name in known else value
        for name, value in values.items()
        if value is not None
    }


def _listed(entry: Option, value: Any) -> Any:
    if not entry.several:
        return _joined(entry, value)
    if isinstance(value, str | os.PathLike):
        return [value] if entry.positional else value
    return list(value) if isinstance(value, Sequence) else value


def _joined(entry: Option, value: Any) -> Any:
    is_text = str in (entry.type, *typing.get_args(entry.type))
    is_path = entry.path and entry.within is None
    if not is_text or is_path or not isinstance(value, list | tuple) or not value:
        return value
    return ",".join(value) if all(isinstance(item, str) for item in value) else value
