"""The identity of code: the definitions that a function reaches, and nothing else; whether workers have the same.

Every name that a reached definition refers to is followed, through all modules of ours. What is
reached counts by its syntax tree: a comment, a docstring, a neighbour or another task's module
changes nothing, a constant deep below changes it. Packages of others that reached code imports
count by version, with what they require; data files that it reads by `packaged_text` by their
content. Where source cannot tell whether something is used, it counts.

What source does not show is not seen: modules imported by a computed name, attributes that other
modules set, entries added at run time to a registry that is not among the `chosen` ones.

>>> code_identity(code_identity).names[0]
'lexbeam.transforms.common.code.code_identity:CodeIdentity'

`Makings` are what workers must share with the driver for their results to be the same; `differences` says where they
do not.
"""

import ast
import dataclasses
import functools
import importlib
import operator
import platform
import re
import sys
import types
import unicodedata
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import _closure, _distribution, blas_kernels, digest, version_of
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.code.source_index import dump, find, literal_of, members_of, read_source, references_of
from lexbeam.transforms.common.code.walk import Walk, distributions, source_of
from lexbeam.transforms.common.errors import LexbeamError, nearest

Plain = str | list[Any]  # plain values, as `digest` takes them

# They carry bytes and show progress: no version of theirs changes what an artefact holds.
NEUTRAL = frozenset({"apache-beam", "tqdm"})


class CodeIdentity(NamedTuple):
    """What code is, as far as results depend on it.

    Attributes:
        code: digest of the definitions reached, 32 hexadecimal digits.
        packages: the packages that they import, and what those require, with versions.
        names: the definitions reached, as `module:definition`.
    """

    code: str
    packages: tuple[tuple[str, str], ...]
    names: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The digest of code, packages, and what Python itself brings: syntax, Unicode's tables."""
        python = list(sys.version_info[:2])
        return digest([self.code, self.packages, python, unicodedata.unidata_version])


def code_identity(
    *roots: Callable[..., object] | type, chosen: Mapping[str, Collection[str]] | None = None
) -> CodeIdentity:
    """Return the identity of the code that functions or classes stand on.

    Args:
        roots: they are found by module and name; what a `partial` or closure holds counts too.
        chosen: registries that count in part: `module:NAME` of a dictionary, or a `Registry` of one,
            at the top of a module, and the entries that count. They count even if nothing reaches the registry.

    Raises:
        LexbeamError: a module's source cannot be read, or a registry has no such entry.
    """
    chosen = chosen or {}
    walk = Walk(frozenset(chosen))
    for root in roots:
        described = _live(walk, root)
        if not isinstance(described, str):  # it is more than its name, which its source covers
            walk.count("", "root", described)
    for registry, entries in sorted(chosen.items()):
        module, _, name = registry.partition(":")
        _registry(walk, module, name, frozenset(entries))
    code = walk.finish()
    while _others(walk):
        code = walk.finish()
    packages = {pair for top in walk.packages for pair in _required(top)}
    return CodeIdentity(code, tuple(sorted(packages)), tuple(sorted(walk.names)))


def _others(walk: Walk) -> bool:
    """Count entries of other packages in registries that are reached whole; return whether any are new."""
    new = False
    for reached in sorted(walk.names):
        module, _, name = reached.partition(":")
        if not name.isidentifier() or not name.isupper() or not walk.is_first("others", reached):
            continue
        if any(literal_of(getattr(s.node, "value", None)) for s in source_of(module).bindings.get(name, ())):
            registry = getattr(importlib.import_module(module), name)
            for entry, value in registry.others().items() if isinstance(registry, Registry) else ():
                walk.count(module, f"{name}[{entry!r}] of another package", _live(walk, value))
                new = True
    return new


def forget_sources() -> None:
    """Forget what was read of modules, and versions of packages, for when they have changed."""
    importlib.invalidate_caches()
    for cached in (find, members_of, read_source, _distribution, _required):
        cached.cache_clear()


def _registry(walk: Walk, module: str, name: str, wanted: frozenset[str]) -> None:
    """Count the wanted entries of a registry, and follow them."""
    walk.touch(module)
    source = source_of(module)
    literals = [literal_of(getattr(s.node, "value", None)) for s in source.bindings.get(name, ())]
    if not literals or literals[-1] is None:
        raise LexbeamError(f"{module}:{name} is not a registry: make it a dictionary literal, or Registry of one")
    left = set(wanted)
    for key, value in zip(literals[-1].keys, literals[-1].values, strict=True):
        label = name
        if isinstance(key, ast.Constant):
            if key.value not in wanted:
                continue
            label = f"{name}[{key.value!r}]"
            if not _is_replaced(module, name, key.value, value):
                left.discard(key.value)
        # Else a computed key, or the entries of another dictionary: any may be a wanted one.
        parts = [part for part in (key, value) if part is not None]
        walk.count(module, label, [dump(part) for part in parts])
        walk.names.add(f"{module}:{label}")
        walk.follow(source, references_of(parts, source.package))
    for entry in sorted(left):
        entries = getattr(importlib.import_module(module), name)
        if entry not in entries:
            raise LexbeamError(f"{module}:{name} has no {entry!r}{nearest(entry, entries)}")
        walk.names.add(f"{module}:{name}[{entry!r}]")
        walk.count(module, f"{name}[{entry!r}] at run time", _live(walk, entries[entry]))


def _live(walk: Walk, value: object) -> Plain:
    """Follow what an object is made from; return what identifies it, as plain values."""
    if value is None or isinstance(value, str | int | float | bytes):
        return [repr(value)]
    if isinstance(value, functools.partial):
        return [_live(walk, part) for part in (value.func, value.args, value.keywords)]
    if isinstance(value, Mapping):
        return sorted(([repr(key), _live(walk, value[key])] for key in value), key=digest)
    if isinstance(value, tuple | list | set | frozenset):
        items = [_live(walk, item) for item in value]
        ordered = isinstance(value, tuple | list)
        return [_live(walk, type(value)), items if ordered else sorted(items, key=digest)]
    if isinstance(value, types.ModuleType):
        walk.module(value.__name__, ())
        return value.__name__
    if isinstance(value, types.MethodType):
        if _has_no_state(value.__self__):
            return _method(walk, type(value.__self__), value.__name__)
        return [_live(walk, value.__self__), _live(walk, value.__func__)]
    if hasattr(value, "__qualname__"):  # functions and classes, also in C or cached
        return _function(walk, value)
    if isinstance(value, pa.Field | pa.DataType):
        return [str(value), str(getattr(value, "metadata", None))]
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    if isinstance(value, Entry):
        fields = tuple(f for f in fields if f.name != "doc")
    return [_live(walk, type(value)), *(_live(walk, getattr(value, f.name)) for f in fields)]


def _has_no_state(value: object) -> bool:
    """Return whether an object holds nothing, so that what its class is decides all that it does."""
    kind = type(value)
    return (
        kind.__init__ is object.__init__ and kind.__new__ is object.__new__ and getattr(value, "__dict__", None) == {}
    )


def _method(walk: Walk, kind: type, name: str) -> Plain:
    """Follow a method, and what it uses of `self`; the rest of its class does not count."""
    left = [name]
    while left:
        member = left.pop()
        owner = next((base for base in kind.__mro__ if member in vars(base)), kind)
        if not walk.is_first("member", kind, member):
            continue
        value = vars(owner).get(member)
        function = getattr(value, "__func__", value)  # of a static method
        at_top = owner.__qualname__.isidentifier() and not _is_installed(owner.__module__)
        statements = members_of(owner.__module__, owner.__qualname__).get(member, []) if at_top else []
        if isinstance(function, types.FunctionType) and function.__qualname__ != f"{owner.__qualname__}.{member}":
            walk.count(owner.__module__, f"{owner.__qualname__}.{member}", _live(walk, function))
        elif not statements:  # nobody knows where it is from
            _live(walk, kind)
        else:
            walk.own_packages.add(owner.__module__.partition(".")[0])
            walk.touch(owner.__module__)
            walk.names.add(f"{owner.__module__}:{owner.__qualname__}.{member}")
        for statement in statements:
            walk.count(owner.__module__, f"{owner.__qualname__}.{member}", statement.digest)
            walk.follow(source_of(owner.__module__), statement.references)
            for first, *rest in statement.references.chains:
                if first in ("self", "cls") and rest:
                    left.append(rest[0])
                elif first in ("self", "cls", "super"):
                    _live(walk, kind)
    return f"{kind.__module__}:{kind.__qualname__}.{name}"


def _function(walk: Walk, value: Any) -> Plain:
    module = getattr(value, "__module__", None) or "builtins"
    name = f"{module}:{value.__qualname__}"
    _definition(walk, module, value.__qualname__)
    if not walk.is_first("live", id(value)):
        return name
    held = {}
    if hasattr(value, "__wrapped__"):
        held["__wrapped__"] = _live(walk, value.__wrapped__)
    if isinstance(value, types.FunctionType):
        # What a decorator makes has the name of what it was made from, but its own code.
        module = value.__globals__.get("__name__", module)
        _definition(walk, module, value.__code__.co_qualname)
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        for variable, cell in cells if walk.is_ours(module) else ():
            with suppress(ValueError):  # nothing has been assigned yet
                # Containers are a closure's state; the rest its maker was given.
                if not isinstance(cell.cell_contents, list | dict | set):
                    held[variable] = _live(walk, cell.cell_contents)
    return [name, held] if held else name


def _definition(walk: Walk, module: str, qualname: str) -> None:
    if not _is_installed(module):
        walk.own_packages.add(module.partition(".")[0])
    walk.definition(module, qualname.partition(".")[0])


def _is_replaced(module: str, name: str, key: object, value: ast.expr) -> bool:
    """Return whether a loaded registry holds something other than its source says."""
    loaded = sys.modules.get(module)
    if loaded is None or not re.fullmatch(r"[^\W\d][\w.]*", path := ast.unparse(value)):
        return False
    with suppress(AttributeError, KeyError):
        return bool(getattr(loaded, name)[key] is not operator.attrgetter(path)(loaded))
    return False


def _is_installed(module: str) -> bool:
    """Return whether a module is Python's or of an installed package, and not there for editing.

    Then its version says what it is, even for a function of it that somebody has registered.
    """
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    # The module's own place: packages have been published that install a folder called `tests`.
    place = find(module) if top in distributions() else None
    where = PurePath(place.path or "").parts if place else ()
    return "site-packages" in where or "dist-packages" in where


@functools.cache
def _required(top: str) -> tuple[tuple[str, str], ...]:
    """Return the distributions of a top-level package and what they require, with versions."""
    if top in sys.stdlib_module_names:
        return ()
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in distributions().get(top, ())}
    if not names:
        return ((top, "missing"),)
    required = names - NEUTRAL
    required = required.union(*map(_closure, sorted(required))) - NEUTRAL
    return tuple((name, version_of(name)) for name in sorted(required))


class Makings(NamedTuple):
    """What the artefacts of a stage depend on besides tasks and options.

    Attributes:
        code: digest of the definitions that the stage reaches.
        packages: those that they import, with versions.
        python: version of Python, to the second number.
        unicode: version of Unicode's tables.
        blas: kernels of BLAS; empty for a stage that multiplies no matrices.
    """

    code: str
    packages: tuple[tuple[str, str], ...]
    python: str
    unicode: str
    blas: tuple[str, ...]


def makings_of(code: CodeIdentity, *, blas: bool) -> Makings:
    """Return what this process has, for a stage of this code that multiplies matrices or does not."""
    python = ".".join(platform.python_version_tuple()[:2])
    kernels = blas_kernels() if blas else ()
    return Makings(code.code, code.packages, python, unicodedata.unidata_version, kernels)


def differences(driver: Makings, worker: Makings) -> list[str]:
    """Return what a worker has otherwise than the driver, each difference with its remedy; none if they agree."""
    found = []
    if driver.python != worker.python or driver.unicode != worker.unicode:
        found.append(
            f"Python is {worker.python} with Unicode {worker.unicode} here, and {driver.python} with Unicode "
            f"{driver.unicode} in the driver: install the same Python on both"
        )
    if driver.packages != worker.packages:
        here, there = dict(worker.packages), dict(driver.packages)
        others = [
            f"{name} is {here.get(name, 'missing')} here and {there.get(name, 'missing')} in the driver"
            for name in sorted(here.keys() | there.keys())
            if here.get(name) != there.get(name)
        ]
        found.append(f"{', '.join(others)}: install the same lock file on both")
    if driver.code != worker.code:
        found.append("its code is other than the driver's: install the same Lexbeam on both")
    if driver.blas != worker.blas:
        found.append(
            f"BLAS computes by {_listed(worker.blas)} here and by {_listed(driver.blas)} in the driver, and products "
            "have other last bits: run both on one kind of CPU, or set OPENBLAS_CORETYPE to one value for both"
        )
    return found


def _listed(kernels: tuple[str, ...]) -> str:
    return " and ".join(kernels) or "no kernel that is known"
