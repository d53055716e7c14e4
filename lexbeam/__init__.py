"""Lexbeam from Python: the commands as functions, and what they have published.

    import lexbeam

    lexbeam.corpus(["texts"], out="results", engine="builtin:en", dates="name:^(\\d{4})")
    results = lexbeam.change(["results"], slices="1800-1849,1850-1900", seeds=3)
    results.top(20, alignment="op").to_pandas()

docs/reference/python.md tells the rest. The modules `commands` and `views` are written by `make api`.
"""

import logging
from typing import TYPE_CHECKING, Any

from lexbeam._siblings import check_siblings

check_siblings()

# Imported only now: from here on, all depends on the packages that have just been checked.
from lexbeam import commands
from lexbeam._keyed import vectors
from lexbeam.commands import *
from lexbeam.results import Results
from lexbeam.results import open_results as open
from transforms.common.errors import LexbeamError, UsageError

__all__ = ["LexbeamError", "Results", "UsageError", "open", "vectors"]
__all__ += commands.__all__

if not TYPE_CHECKING:  # else no misspelt name would be found

    def __getattr__(name: str) -> Any:
        from lexbeam._outside import outside_command

        return outside_command(name)


# Who has set up no logging is told nothing on stderr.
logging.getLogger("lexbeam").addHandler(logging.NullHandler())
