"""Between Python and the command line: values of options, and what messages call them."""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pipelines.registry import option_names
from transforms.common.errors import LexbeamError
from transforms.common.options import Option, options_of

__all__ = ["as_fields", "given", "in_python_terms"]


def given(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a dataclass's options that are given, as `from_mapping` takes them.

    None is an option that is not given. One text is one value of an option that stands without a
    flag on the command line, whose shell has separated its values; of others it may hold commas.
    """
    known = options_of(cls)
    return {
        name: _listed(known[name], value) for name, value in values.items() if value is not None
    }


def _listed(entry: Option, value: Any) -> Any:
    if not entry.several:
        return value
    if isinstance(value, str | os.PathLike):
        return [value] if entry.positional else value
    return list(value) if isinstance(value, Sequence) else value


_FLAG = re.compile(r"`--([a-z][a-z0-9-]*)`|(?<![\w-])--([a-z][a-z0-9-]*)(?!\w)")


def as_fields(text: str, names: Collection[str]) -> str:
    """Return a text in which flags of options of these names are fields in backquotes.

    >>> as_fields("none: that of --out; see `--min-count`, --verbose", {"out", "min_count"})
    'none: that of `out`; see `min_count`, --verbose'
    """

    def field(match: re.Match[str]) -> str:
        name = (match[1] or match[2]).replace("-", "_")
        return f"`{name}`" if name in names else match[0]

    return _FLAG.sub(field, text)


@contextmanager
def in_python_terms() -> Iterator[None]:
    """Let the messages of errors raised in the block name options as Python has them."""
    try:
        yield
    except LexbeamError as error:
        error.args = (as_fields(str(error), option_names()), *error.args[1:])
        raise
