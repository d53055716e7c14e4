"""What Python says where pandas is not installed, which `.to_pandas()` of Arrow's tables imports."""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

from lexbeam.transforms.common.errors import LexbeamError, install_command


class MissingPandasError(LexbeamError, ModuleNotFoundError):
    """pandas is not installed."""


class _Missing(MetaPathFinder):
    """Asked last, when no other finder has pandas; who only asks whether it is there is told that it is not."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == "pandas" and sys._getframe(2).f_globals.get("__name__") != importlib.util.__name__:
            text = f"No module named 'pandas', which `.to_pandas()` needs: {install_command('report')}"
            error = MissingPandasError(text)
            error.name = name
            raise error


def explain_missing_pandas() -> None:
    """Let the import of pandas fail with the command that installs it."""
    if not any(isinstance(finder, _Missing) for finder in sys.meta_path):
        sys.meta_path.append(_Missing())
