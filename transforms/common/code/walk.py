"""The walk over code: references of our definitions, followed through all our modules.

Where source cannot tell whether something is used, it counts. A data file counts by its content
where `packaged_text` reads it.
"""

import csv
import functools
import importlib.metadata
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence

from lexbeam.transforms.common.code.fingerprints import digest, stream_digest
from lexbeam.transforms.common.code.source_index import (
    Chain,
    Import,
    ModuleSource,
    References,
    Statement,
    find,
    read_source,
)
from lexbeam.transforms.common.errors import LexbeamError

# Ours. What else is in `lexbeam` serves who calls Lexbeam: it counts by its version, for code that uses it, and not as
# the package that all others are in.
PACKAGES = ("lexbeam.pipelines", "lexbeam.schemas", "lexbeam.transforms")
_INTERFACE = "lexbeam"
# They carry an artefact's bytes as they are, check them, state options, and say what is wrong:
# nothing in them decides what an artefact holds, and better words must retrain nothing.
PLUMBING = frozenset(
    f"lexbeam.transforms.common.{name}"
    for name in (
        "code.registry",
        "code.version",
        "errors",
        "machine",
        "options.fields",
        "options.option",
        "store.artefacts",
        "store.files",
        "store.identity",
        "store.models",
        "store.receipts",
    )
)

_NAME = re.compile(r"^Name: *(.*?) *$", re.MULTILINE)
_PACKAGED_TEXT = "lexbeam.transforms.common.store.models.packaged_text"
_ALL_NAMES = frozenset({"eval", "exec", "globals"})  # builtins that may use any name of a module


class Walk:
    """What has been reached, and the statements whose references are still to be followed.

    Attributes:
        own_packages: other top-level packages that count by their source, installed or not.
        names: what was reached, as `module:definition`.
        packages: top-level packages of others that reached code imports.
    """

    def __init__(self, apart: Collection[str]) -> None:
        """Begin; `apart` are definitions, as `module:name`, that are counted by other means."""
        self.own_packages = {name.partition(".")[0] for name in apart}
        self.names: set[str] = set()
        self.packages: set[str] = set()
        self._apart = apart
        self._counted: dict[str, set[Statement]] = {}  # by module
        self._values: set[tuple[str, str, str]] = set()
        self._done: set[tuple[object, ...]] = set()
        self._left: list[tuple[ModuleSource, Statement]] = []

    def finish(self) -> str:
        """Follow all that is left; return the digest of what was reached."""
        while self._left:
            source, statement = self._left.pop()
            self.follow(source, statement.references)
        counted = set(self._values)
        for module, statements in self._counted.items():
            groups: dict[str, list[str]] = {}
            # Of what binds the same names the order counts, of other definitions it does not.
            for statement in source_of(module).statements:
                if statement in statements:
                    groups.setdefault(",".join(statement.names), []).append(statement.digest)
                    self.names.update(f"{module}:{name}" for name in statement.names)
            counted.update((module, names, digest(digests)) for names, digests in groups.items())
        return digest(sorted(counted))

    def count(self, module: str, name: str, value: object) -> None:
        """Count a plain value."""
        self._values.add((module, name, digest(value)))

    def is_first(self, *key: object) -> bool:
        """Return whether a key is met for the first time."""
        size = len(self._done)
        self._done.add(key)
        return len(self._done) > size

    def is_ours(self, module: str) -> bool:
        """Return whether a module counts by its source, not by its package's version."""
        if module in PLUMBING:
            return False
        top, _, inner = module.partition(".")
        if top == _INTERFACE:
            return f"{top}.{inner.partition('.')[0]}" in PACKAGES
        if top in self.own_packages:
            return True
        standard = top in sys.stdlib_module_names
        return not standard and top not in distributions() and find(top) is not None

    def definition(self, module: str, name: str) -> None:
        """Count a definition at the top of a module; the whole module if it has none so called."""
        if not self.is_ours(module):
            self.touch(module)
        elif name in source_of(module).bindings:
            self._name(module, name, ())
        else:  # a lambda, or made under a name that is computed
            self._whole(module)

    def module(self, module: str, rest: Chain) -> None:
        """Count what the attributes `rest` of a module lead to, or all of it without any."""
        if module == _INTERFACE:
            if rest and f"{module}.{rest[0]}" in PACKAGES:
                self.module(f"{module}.{rest[0]}", rest[1:])
            else:
                self.packages.add(module)
            return
        self.touch(module)
        if not self.is_ours(module) or read_source(module) is None:
            return
        if not rest:
            self._whole(module)
            return
        inner = f"{module}.{rest[0]}"
        bindings = source_of(module).bindings.get(rest[0], [])
        if bindings:
            self._name(module, rest[0], rest[1:])
        # If a package has a definition and a module of one name, the one set last is meant: the
        # definition if it is taken from that module, else nobody knows.
        if any(entry.loads == inner for statement in bindings for entry in statement.imports):
            return
        if find(inner) is not None:
            self.module(inner, rest[1:])
        elif not bindings:  # set at run time, or taken by `__getattr__`
            self._whole(module)

    def follow(self, source: ModuleSource, references: References) -> None:
        """Count what is referred to in a module."""
        nested: dict[str, list[Import]] = {}
        for entry in references.imports:
            self._load(entry)
            nested.setdefault(entry.local, []).append(entry)
        for name, *rest in references.chains:
            bound = [entry for s in source.bindings.get(name, ()) for entry in s.imports]
            if any(_full_name(e, rest) == _PACKAGED_TEXT for e in (*nested.get(name, ()), *bound)):
                self._data_files(source, (name, *rest), references)
            for entry in nested.get(name, ()):
                self._import(entry, tuple(rest))
            if name in source.bindings:
                self._name(source.name, name, tuple(rest))
            elif name in _ALL_NAMES:
                self._whole(source.name)

    def touch(self, module: str) -> None:
        """Count what is done when a module is imported."""
        if module in PLUMBING or module == _INTERFACE:
            return
        if not self.is_ours(module):
            self.packages.add(module.partition(".")[0])
        elif self.is_first("touch", module):
            parent = module.rpartition(".")[0]
            place = find(parent) if parent else None
            if place is not None and place.folders is not None:
                self.touch(parent)
            source = read_source(module)
            if source is None:
                self.count(module, "", "missing")
                return
            for statement in source.always:
                self._count(source, statement)
            for entry in source.effects:
                if entry.member == "*":
                    self._import(entry, ())
                else:
                    self._load(entry)

    def _name(self, module: str, name: str, rest: Chain) -> None:
        """Count what binds a name of a module; `rest` are the attributes read off it."""
        if f"{module}:{name}" not in self._apart and self.is_first("name", module, name, rest):
            source = source_of(module)
            for statement in source.bindings[name]:
                if not statement.imports:
                    self._count(source, statement)
                for entry in statement.imports or statement.references.imports:
                    if entry.local == name:
                        self.count(module, name, [entry.loads, entry.member])
                        self._import(entry, rest)

    def _import(self, entry: Import, rest: Chain) -> None:
        self._load(entry)
        if entry.member is None:
            self.module(entry.module, rest)
        elif entry.member == "*":
            self.module(entry.module, ())
        else:
            self.module(entry.module, (entry.member, *rest))

    def _load(self, entry: Import) -> None:
        self.touch(entry.loads)
        if self.is_ours(entry.module) and _is_submodule(entry):
            self.touch(f"{entry.module}.{entry.member}")

    def _data_files(self, source: ModuleSource, reader: Chain, references: References) -> None:
        """Count the data files that calls of `packaged_text`, here called `reader`, read."""
        read = [texts for called, texts in references.calls if called == reader]
        if not read or any(len(texts) != 2 for texts in read):
            raise LexbeamError(
                f"module {source.name!r} uses packaged_text other than in a call with two string "
                "literals: write package and file as literals, so that the file counts"
            )
        for package, name in read:
            self.names.add(f"{package}:{name}")
            self.count(package, name, _data_digest(package, name))

    def _whole(self, module: str) -> None:
        if not self.is_first("whole", module):
            return
        self.touch(module)
        source = source_of(module)
        for statement in source.statements:
            if not statement.names:
                self._count(source, statement)
            for name in statement.names:
                # A module that this one reads attributes of is followed where it does so.
                if not any(
                    entry.local == name and name in source.used and _is_submodule(entry) for entry in statement.imports
                ):
                    self._name(module, name, ())

    def _count(self, source: ModuleSource, statement: Statement) -> None:
        self.touch(source.name)
        counted = self._counted.setdefault(source.name, set())
        if statement not in counted:
            counted.add(statement)
            self._left.append((source, statement))


def source_of(module: str) -> ModuleSource:
    """Return a module by its source.

    Raises:
        LexbeamError: there is no such module, or no source of it.
    """
    source = read_source(module)
    if source is None:
        raise LexbeamError(f"there is no module {module!r}: install it, or correct its name")
    return source


def _full_name(entry: Import, rest: Sequence[str]) -> str:
    """Return the full name of what an import binds, with attributes read off it."""
    return ".".join((entry.module, *filter(None, (entry.member,)), *rest))


def _data_digest(package: str, name: str) -> str:
    place = find(package)
    for folder in (place.folders if place else None) or ():
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as stream:
                return stream_digest(stream)
    raise LexbeamError(f"package {package!r} has no data file {name!r}: reinstall it")


def _is_submodule(entry: Import) -> bool:
    return entry.member is not None and find(f"{entry.module}.{entry.member}") is not None


@functools.cache
def distributions() -> Mapping[str, list[str]]:
    """Return the installed distributions of each top-level package, as `importlib.metadata.packages_distributions`.

    That one parses the whole metadata of each as an e-mail, in ten times the time.
    """
    found: dict[str, list[str]] = {}
    for distribution in importlib.metadata.distributions():
        metadata = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
        if named := _NAME.search(metadata):
            declared = (distribution.read_text("top_level.txt") or "").split()
            for top in declared or _tops_of_files(distribution):
                found.setdefault(top, []).append(named[1])
    return found


def _tops_of_files(distribution: importlib.metadata.Distribution) -> set[str]:
    record = distribution.read_text("RECORD")
    if record is None:
        paths = [str(path) for path in distribution.files or ()]
    else:
        paths = [row[0] for row in csv.reader(record.splitlines()) if row]
    return {path.partition("/")[0].removesuffix(".py") for path in paths if path.endswith(".py")}
