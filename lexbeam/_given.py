"""Values of options from Python, as options are made of."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from transforms.common.options import Option, options_of

__all__ = ["given"]


def given(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a dataclass's options that are given, as `from_mapping` takes them.

    None is an option that is not given. One text is one value of an option that stands without a
    flag on the command line, whose shell has separated its values; of others it may hold commas.
    """
    known = options_of(cls)
    return {
        name: _listed(known[name], value) if name in known else value
        for name, value in values.items()
        if value is not None
    }


def _listed(entry: Option, value: Any) -> Any:
    if not entry.several:
        return value
    if isinstance(value, str | os.PathLike):
        return [value] if entry.positional else value
    return list(value) if isinstance(value, Sequence) else value
