"""What is compiled from C, whether it is of the source that is installed, and matrices as it takes them."""

import hashlib
import importlib
from types import ModuleType

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import UsageError

LANES = 16  # of a sum


def load_loops(name: str, source: str, what: str, instead: str) -> ModuleType:
    """Return a compiled module.

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
        loops = importlib.import_module(name)
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


def padded(rows: int, dim: int) -> npt.NDArray[np.float32]:
    """Return zeros of shape (rows, `dim` rounded up to 16), each row at the start of a line of the cache."""
    width = -(-dim // LANES) * LANES
    memory = np.zeros(rows * width + LANES, np.float32)
    start = -memory.ctypes.data // 4 % LANES
    return memory[start : start + rows * width].reshape(rows, width)
