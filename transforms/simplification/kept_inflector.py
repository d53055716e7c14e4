"""Inflectors that a command is given: a file, or the name of one that a package brings.

Each process opens one once.
"""

import importlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transforms.common import files
from transforms.common.errors import LexbeamError
from transforms.common.options import Within
from transforms.simplification.inflection import Inflector
from transforms.simplification.inflection_training import inflector_model, inflector_of

__all__ = ["PACKAGED", "KeptInflector", "kept_inflector", "opened_inflector", "within_inflector"]

# By name, the function without arguments that returns it, and the function of its identity.
PACKAGED: dict[str, tuple[str, str]] = {}


@dataclass(frozen=True)
class KeptInflector:
    """An inflector.

    Attributes:
        path: the file, or a name in `PACKAGED`.
        language: of its forms.
        digest: of the model; of one of a package, what names its version.
    """

    path: str
    language: str
    digest: str

    def described(self) -> Mapping[str, Any]:
        """Return what a manifest says."""
        return {"kind": "inflector", "language": self.language, "digest": self.digest}


_OPENED: dict[tuple[str, str], Inflector] = {}
_OPENING = threading.Lock()


def within_inflector(text: str) -> Within | None:
    """Return where the path is; the name of a package's inflector has none."""
    return None if text in PACKAGED else Within("", text)


def kept_inflector(path: str) -> KeptInflector:
    """Return what an inflector is.

    Raises:
        LexbeamError: there is none, it is damaged, or its package is missing.
    """
    if path in PACKAGED:
        made, digest = (_called(where) for where in PACKAGED[path])
        kept = KeptInflector(path, made.language, str(digest))
    else:
        model = inflector_model(path)
        made = inflector_of(model)
        kept = KeptInflector(path, made.language, str(model.digest))
    with _OPENING:
        _OPENED[kept.path, kept.digest] = made
    return kept


def opened_inflector(kept: KeptInflector) -> Inflector:
    """Return an inflector, opened.

    Raises:
        LexbeamError: it is gone, or another one has taken its place.
    """
    key = (kept.path, kept.digest)
    with _OPENING:
        if key not in _OPENED:
            if kept.path in PACKAGED:
                _OPENED[key] = _called(PACKAGED[kept.path][0])
            else:
                model = inflector_model(kept.path)
                if model.digest != kept.digest:
                    raise LexbeamError(
                        f"the inflector {files.shown(kept.path)} changed while it was used: run "
                        "the same command again"
                    )
                _OPENED[key] = inflector_of(model)
        return _OPENED[key]


def _called(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(module), name)()
