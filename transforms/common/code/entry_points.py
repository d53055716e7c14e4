"""What packages of others add to our registries: entry points, a group for each registry.

    LAYERS: dict[str, Layer] = {...}                                # ours: a dictionary literal
    with_outside(LAYERS, "lexbeam.layers")                          # and those of other packages

A package adds an entry in its `setup.py`:

    entry_points={"lexbeam.layers": ["lengths = toy_layers:LENGTHS"]}

Every process takes them in by itself, so that workers know them too.
"""

import importlib.metadata
import logging
import threading
from typing import TypeVar

__all__ = ["with_outside"]

log = logging.getLogger("lexbeam")

T = TypeVar("T")

_TAKEN: set[str] = set()
_TAKING = threading.RLock()  # what is loaded may itself ask for the registry


def with_outside(registry: dict[str, T], group: str) -> dict[str, T]:
    """Return a registry with what other packages add to it, which is loaded once per process.

    One that has a name of ours, or cannot be loaded, is left out with a warning.

    Args:
        registry: the dictionary; it is added to.
        group: the group of entry points.
    """
    with _TAKING:
        if group in _TAKEN:
            return registry
        _TAKEN.add(group)
        points = importlib.metadata.entry_points(group=group)
        for point in sorted(points, key=lambda point: (point.name, point.value)):
            if point.name in registry:
                log.warning("%s: %r of %s is left out: there is one of this name", group, point.name, point.value)
                continue
            try:
                registry[point.name] = point.load()
            except Exception as error:  # whatever it is that a module of others does
                log.warning("%s: %r cannot be loaded from %s: %s", group, point.name, point.value, error)
    return registry
