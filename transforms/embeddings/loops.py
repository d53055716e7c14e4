"""What is compiled from C, and whether it is of the source that is installed."""

import hashlib
import importlib
from types import ModuleType

from transforms.common.errors import UsageError

__all__ = ["load_loops"]


def load_loops(name: str, source: str, what: str, instead: str) -> ModuleType:
    """Return a compiled module of `transforms.embeddings`.

    Args:
        name: of the module.
        source: that it has to be compiled from.
        what: the option that needs it.
        instead: the option that does not.

    Raises:
        UsageError: it has not been compiled, or from another source than is installed.
    """
    try:
        # By a name that the walk over code does not follow: the source says what it is.
        loops = importlib.import_module(f"transforms.embeddings.{name}")
    except ImportError as error:
        raise UsageError(
            f"{what} is not compiled here ({error}): install a C compiler and Python's headers "
            f"(gcc, python3-dev), and Lexbeam once more, or take {instead}"
        ) from error
    if hashlib.sha256(source.encode()).hexdigest() != loops.SOURCE:
        raise UsageError(
            f"{what} was compiled from another version of its source: install Lexbeam once more "
            "(`make install` in a checkout)"
        )
    return loops
