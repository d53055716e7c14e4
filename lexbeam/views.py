"""The views of the published sections as methods: `make api` writes their types to `views.pyi`."""

import functools
from collections.abc import Callable
from typing import Any

from lexbeam._groups import unknown_name
from lexbeam._shown import view_methods
from lexbeam.transforms.common.publish.snapshots import Snapshot


class _ViewsOfCommands(type):
    """The type of a class whose methods are made on first use, since making them imports all commands."""

    def __getattr__(cls, name: str) -> Any:
        # `dataclass` looks for the default of the field.
        if name.startswith("_") or name == "snapshot":
            raise AttributeError(name)
        if name not in _methods():
            raise unknown_name("'Results' object", name, dir(cls))
        return vars(Views)[name]

    def __dir__(cls) -> list[str]:
        _methods()
        return list(super().__dir__())


class Views(metaclass=_ViewsOfCommands):
    """Questions to published tables."""

    snapshot: Snapshot

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name != "snapshot":
            for table in self.snapshot.tables:
                if name in (table, table.rpartition("/")[2]) and name not in _methods():
                    raise unknown_name("'Results' object", name, (), f"it is a table: `results.table({table!r})`")
        return getattr(type(self), name).__get__(self)

    def __dir__(self) -> list[str]:
        _methods()
        return list(super().__dir__())


@functools.cache
def _methods() -> dict[str, Callable[..., Any]]:
    methods = view_methods()
    for name, method in methods.items():
        setattr(Views, name, method)
    return methods
