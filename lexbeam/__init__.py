"""Lexbeam from Python: the commands as functions, and what they have published.

    import lexbeam

    lexbeam.corpus(["texts"], out="results", engine="builtin:en", dates="name:^(\\d{4})")
    results = lexbeam.change(["results"], slices="1800-1849,1850-1900", seeds=3)
    results.top(20, alignment="op").to_pandas()

docs/reference/python.md has the rest. The functions of commands are made from the registry on first use;
`make api` writes their types to `*.pyi` beside the modules.
"""

import logging
from typing import Any

from lexbeam._siblings import check_siblings

check_siblings()

# Imported only now, since all of this depends on the packages that have just been checked.
from lexbeam import _functions
from lexbeam._keyed import vectors
from lexbeam._pandas import explain_missing_pandas
from lexbeam._shown import ArrowTable, Lines
from lexbeam.results import Results
from lexbeam.results import open_results as open
from pipelines.frame.registry import COMMANDS
from transforms.common.code.version import VERSION as __version__
from transforms.common.errors import LexbeamError, UsageError

__all__ = ["ArrowTable", "LexbeamError", "Lines", "Results", "UsageError", "__version__", "open", "vectors"]
__all__ += _functions.names()
globals().update({group: _functions.group_module(group) for group in _functions.groups()})


def __getattr__(name: str) -> Any:
    return globals().setdefault(name, _functions.attribute("", name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_functions.names("", COMMANDS)})


explain_missing_pandas()
# Without it, Python would print warnings on stderr where no logging is set up.
logging.getLogger("lexbeam").addHandler(logging.NullHandler())
