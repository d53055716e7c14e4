"""Registries: what may be chosen by a name, each entry with all that describes it.

    MEASURES: Registry[Measure] = Registry(
        {"cosine": Measure(cosine_distance, doc="1 - cos of a word's aligned vectors")},
        what="measure",
        group="lexbeam.measures",
    )

An entry is an `Entry`: a doc line, what it needs, and the fields of its kind. The choices of an
option and its help, messages about unknown names, columns of tables and tables in docs follow from
it. Its order in the literal is that of the registry. The identity of code counts a chosen entry,
not its neighbours, and no doc line.

With a `group`, packages of others add entries, in their `setup.py`:

    entry_points={"lexbeam.measures": ["manhattan = toy_measures:MANHATTAN"]}

Every process loads them by itself, so that workers know them too. They come after ours. An entry point is
imported when the registry is first looked through; a registry with `lazy` makes an entry that imports it later.
"""

import functools
import importlib.metadata
import importlib.util
import logging
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from lexbeam.transforms.common.errors import UsageError, check_packages, nearest

log = logging.getLogger("lexbeam")

T = TypeVar("T")

_OUTSIDE: dict[str, dict[str, Any]] = {}  # by group
_LOADING = threading.RLock()  # what is loaded may itself use the registry


@dataclass(frozen=True)
class Entry:
    """An entry of a registry; kinds of entries add fields, which may be given by place.

    Attributes:
        doc: what it is, in a line, for help, docs and columns.
        needs: the option without which it has nothing to work with; empty for none.
        modules: names of modules of other packages, without which it cannot work.
        extra: installs them.
    """

    doc: str = field(kw_only=True)
    needs: str = field(default="", kw_only=True)
    modules: tuple[str, ...] = field(default=(), kw_only=True)
    extra: str = field(default="", kw_only=True)

    @property
    def explained(self) -> str:
        """What help says of it: the doc line, to which kinds of entries may add."""
        return self.doc

    @property
    def is_installed(self) -> bool:
        """Whether its packages are installed."""
        return all(importlib.util.find_spec(name) is not None for name in self.modules)

    def check_installed(self, what: str) -> None:
        """Check that its packages are installed; `what` names it.

        Raises:
            UsageError: one is not; the message has the command that installs it.
        """
        check_packages(f"{what} needs", self.modules, self.extra)


class Registry(MutableMapping[str, T]):
    """Entries by name: ours in the order of the literal, then those of other packages by name.

    Attributes:
        what: what an entry is called in messages.
        group: the group of entry points; empty: other packages add none.
    """

    def __init__(
        self,
        entries: Mapping[str, T],
        *,
        what: str,
        group: str = "",
        lazy: Callable[[importlib.metadata.EntryPoint], T] | None = None,
    ) -> None:
        """Make a registry.

        Args:
            entries: Lexbeam's own, by name.
            what: what an entry is called in messages.
            group: the group of entry points; empty: other packages add none.
            lazy: makes the entry of an entry point without importing it; None: it is imported.
        """
        self.what = what
        self.group = group
        self._lazy = lazy
        self._ours = dict(entries)

    def __getitem__(self, name: str) -> T:
        return self._ours[name] if name in self._ours else self._outside()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._outside()

    def __iter__(self) -> Iterator[str]:
        yield from list(self._ours)
        yield from [name for name in self._outside() if name not in self._ours]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, entry: T) -> None:
        self._ours[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._ours[name]

    def check(self, names: Iterable[str], where: str = "") -> None:
        """Check that there are entries of these names.

        Args:
            names: to be checked.
            where: what names them, such as an option in backquotes; it begins the message.

        Raises:
            UsageError: there is no such entry; the message has the nearest name, and all names.
        """
        for name in names:
            if name not in self:
                raise UsageError(
                    f"{where}{': ' if where else ''}no {self.what} is called {name!r}{nearest(name, self)} "
                    f"(there are: {', '.join(self)})"
                )

    def ours(self) -> Mapping[str, T]:
        """Return Lexbeam's own entries, by name; installed packages are not looked at."""
        return MappingProxyType(self._ours)

    def others(self) -> Mapping[str, T]:
        """Return the entries of other packages, by name."""
        return {name: entry for name, entry in self._outside().items() if name not in self._ours}

    def _outside(self) -> dict[str, T]:
        if not self.group:
            return {}
        with _LOADING:
            if self.group not in _OUTSIDE:
                _OUTSIDE[self.group] = {}
                _OUTSIDE[self.group].update(self._load())
            return _OUTSIDE[self.group]

    def _load(self) -> Iterator[tuple[str, T]]:
        """Yield the entries of other packages; one that clashes or fails is logged and left out."""
        points = _entry_points(tuple(sys.path)).select(group=self.group)
        for point in sorted(points, key=lambda point: (point.name, point.value)):
            if point.name in self._ours or point.name in _OUTSIDE[self.group]:
                log.warning("%s: %r of %s is left out: there is one of this name", self.group, point.name, point.value)
                continue
            try:
                entry = point.load() if self._lazy is None else self._lazy(point)
                if not (hasattr(entry, "doc") or hasattr(entry, "help")):
                    raise TypeError(f"it is a {type(entry).__name__} that says nothing of itself, and no {self.what}")
                yield point.name, entry
            except Exception as error:  # whatever a module of others does
                log.warning("%s: %r cannot be loaded from %s: %s", self.group, point.name, point.value, error)


@functools.lru_cache(maxsize=1)
def _entry_points(path: tuple[str, ...]) -> Any:
    """Return all entry points of what is installed on a path: to find those of one group, all are read."""
    return importlib.metadata.entry_points()


def docs_of(registry: Mapping[str, Any]) -> dict[str, str]:
    """Return the doc line of every entry, by name."""
    return {name: entry.doc for name, entry in registry.items()}
