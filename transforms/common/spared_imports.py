"""Packages that others import wherever they are installed, and that a process of ours does not need.

spaCy's library of layers, thinc, imports torch, which takes longer than all other imports together; Beam
imports pandas and Google's clients, half of its time; spaCy its own commands, a quarter. In processes of Lexbeam's
own, the command and its workers, they are left out: to thinc and Beam they look as if they were not installed, and
`spacy.info` is None. Others import them as ever, and so does what needs them: a pipeline of spaCy by
`restore_torch`, other runners by `restore_google`.

What packages make while they are imported stays. By its default Python looks through it for cycles of
unused objects whenever 700 more objects are in use: a tenth of the time of imports and of a small run.
"""

import builtins
import gc
import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from types import ModuleType
from typing import Any

_COMPAT = "thinc.compat"
# The objects more at which Python looks for cycles. Time stops falling here: twenty thousand, and never, are as fast.
_COLLECT_AT = 10_000
# Modules, and the packages that each imports if they are there.
_SPARED = {
    _COMPAT: ("torch",),
    "apache_beam.io": ("apache_beam.io.gcp", "apache_beam.io.mongodbio"),
    "apache_beam.io.filesystems": ("apache_beam.io.gcp",),
    "apache_beam.io.gcp.pubsub": ("google.cloud",),
    "apache_beam.io.textio": ("pandas",),
    "apache_beam.runners.dataflow.dataflow_runner": ("google.cloud",),
    "apache_beam.typehints": ("pandas",),
    "apache_beam.utils.retry": ("apitools", "google.api_core"),
    "spacy": ("spacy.cli",),
}


def spare_imports() -> None:
    """Leave these packages out in this process from now on, unless they are imported already.

    Cycles of unused objects are looked for less often from then on.
    """
    gc.set_threshold(_COLLECT_AT)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def restore_torch() -> None:
    """Give thinc torch, where it was left out and is installed."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    if (compat := sys.modules.get(_COMPAT)) is None or compat.has_torch:
        return
    importlib.reload(compat)
    for name, module in list(sys.modules.items()):
        if name.startswith("thinc."):
            names = [name for name in vars(module) if name in vars(compat) and "torch" in name]
            vars(module).update({name: vars(compat)[name] for name in names})


def restore_google() -> None:
    """Give Beam Google's clients, where they were left out and are installed."""
    with suppress(ImportError):
        from apache_beam.io.gcp import gcsfilesystem  # noqa: F401  Beam asks all file systems that are imported
        from apache_beam.runners.dataflow import dataflow_runner
        from apache_beam.utils import retry
        from apitools.base.py.exceptions import HttpError
        from google.api_core.exceptions import GoogleAPICallError
        from google.cloud import dataflow

        retry.HttpError, retry.GoogleAPICallError = HttpError, GoogleAPICallError
        dataflow_runner.dataflow_api = dataflow


def _is_imported(package: str) -> bool:
    module = sys.modules.get(package)
    # What is installed beside may make a namespace such as google.cloud, of which nothing is imported yet.
    is_namespace = module is not None and getattr(module, "__file__", None) is None
    return any(name.startswith(f"{package}.") for name in list(sys.modules)) if is_namespace else module is not None


class _Finder(MetaPathFinder):
    """Finds the modules that import too much, and has them executed without it."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        packages = tuple(package for package in _SPARED.get(name, ()) if not _is_imported(package))
        if not packages:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Without(spec.loader, packages)
        return spec


class _Without(Loader):
    """Executes a module whose own imports do not find some packages; those of others, in any thread, do."""

    def __init__(self, loader: Loader, packages: Sequence[str]) -> None:
        self._loader = loader
        self._packages = packages

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        def find(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            whole = resolve_name("." * level + name, globals["__package__"]) if level else name
            if not any(f"{whole}.".startswith(f"{package}.") for package in self._packages):
                return builtins.__import__(name, globals, locals, fromlist, level)
            stand_in = ModuleType(whole)
            if level:  # a part of the package itself, which takes it to be there
                vars(stand_in).update(dict.fromkeys(fromlist))
            elif fromlist != ("*",):  # all names of a module, of which there are none
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return stand_in

        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": find}
        try:
            self._loader.exec_module(module)
        finally:
            module.__dict__["__builtins__"] = vars(builtins)

    def __getattr__(self, name: str) -> Any:  # such as `get_source`, for tracebacks
        return getattr(self._loader, name)
