"""A toy package, written, imported and identified anew for each test of the identity of code."""

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lexbeam.transforms.common.code.code_identity import CodeIdentity, code_identity, forget_sources


@contextlib.contextmanager
def toy_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., CodeIdentity]]:
    """Give a function that writes modules of a package, imports it anew, and identifies a root.

    The texts call the package PKG, and so do the names of what is reached. A name with a dot is
    that of a data file.
    """
    package = "toy_" + "".join(filter(str.isalnum, folder.name)).lower()
    monkeypatch.syspath_prepend(str(folder))
    # A module that is written twice in a second would be taken from its old bytecode.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
        forget_sources()

    def identify(
        modules: dict[str, str],
        root: str = "stage:run",
        *,
        chosen: dict[str, list[str]] | None = None,
        then: Callable[[Any], Any] = lambda found: found,
    ) -> CodeIdentity:
        forget()
        for name, text in {"__init__": "", **modules}.items():
            path = folder / package / (name if "." in name else f"{name}.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("PKG", package), "utf-8")
        module, _, name = root.partition(":")
        found = then(getattr(importlib.import_module(f"{package}.{module}"), name))
        roots = found if isinstance(found, list) else [found]
        chosen = {f"{package}.{key}": entries for key, entries in (chosen or {}).items()}
        identity = code_identity(*roots, chosen=chosen)
        names = tuple(name.replace(package, "PKG") for name in identity.names)
        return identity._replace(names=names)

    yield identify
    forget()
