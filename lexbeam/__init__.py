"""Lexbeam from Python: the commands as functions, and what they have published.

    import lexbeam

    lexbeam.corpus(["texts"], out="results", engine="builtin:en", dates="name:^(\\d{4})")
    results = lexbeam.change(["results"], slices="1800-1849,1850-1900", seeds=3)
    results.top(20, alignment="op").to_pandas()

docs/reference/python.md has the rest. The functions of commands are made from the registry on first use;
`make api` writes their types to `*.pyi` beside the modules. Workers import this, too: nothing is imported before it is
asked for.
"""

import importlib
from typing import Any

from lexbeam import _groups
from lexbeam.transforms.common.code.version import VERSION as __version__
from lexbeam.transforms.common.errors import LexbeamError, UsageError

__all__ = ["ArrowTable", "LexbeamError", "Lines", "Results", "UsageError", "__version__", "open", "vectors"]
__all__ += _groups.names()


def _attribute(group: str, name: str) -> Any:
    from lexbeam import _functions

    return _functions.attribute(group, name)


globals().update({group: _groups.group_module(group, _attribute) for group in _groups.groups()})

_PLACES = {
    "ArrowTable": "lexbeam._shown:ArrowTable",
    "Lines": "lexbeam._shown:Lines",
    "Results": "lexbeam.results:Results",
    "open": "lexbeam.results:open_results",
    "vectors": "lexbeam._keyed:vectors",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        module, _, attribute = _PLACES[name].partition(":")
        return globals().setdefault(name, getattr(importlib.import_module(module), attribute))
    if name.startswith("_") or name in ("pipelines", "runner_configs", "schemas", "transforms"):  # or `import` looks on
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _attribute("", name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_groups.all_names()})
