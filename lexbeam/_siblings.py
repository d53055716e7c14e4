"""The packages beside `lexbeam`: their names are generic, so a user's module may shadow one."""

import importlib.util
import os
import sys
from collections.abc import Iterable

__all__ = ["SIBLINGS", "check_siblings"]

SIBLINGS = ("pipelines", "runner_configs", "schemas", "transforms")
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def check_siblings(names: Iterable[str] = SIBLINGS) -> None:
    """Check that packages lie beside this one, or would be imported from there; import none.

    Raises:
        ImportError: a package does not; the message names what shadows it.
    """
    for name in names:
        place = _place(name)
        if place is None:
            raise ImportError(f"the package {name!r} of Lexbeam is not at {_HOME!r}: install Lexbeam anew", name=name)
        # The folder alone is resolved: a package itself may be a link into another folder.
        folder = os.path.realpath(os.path.dirname(place))
        if folder != os.path.realpath(_HOME):
            state = "has been" if name in sys.modules else "would be"
            raise ImportError(
                f"Lexbeam needs its own package {name!r}, beside {_HOME}/lexbeam, but {name!r} "
                f"{state} imported from {place}, which shadows it: rename that, or take its folder "
                "off Python's path (a script's own folder and the working directory are on it)",
                name=name,
                path=place,
            )


def _place(name: str) -> str | None:
    """Return the file or the folder that a top-level module would be imported from."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # imported already, in a way that left no specification
        return str(getattr(sys.modules[name], "__file__", None) or f"<{name}>")
    if spec is None:
        return None
    if spec.submodule_search_locations is not None:
        return next(iter(spec.submodule_search_locations), None)
    return spec.origin or f"<{name}>"
