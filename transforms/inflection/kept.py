"""Inflectors that a command is given: a file, or the name of one that a package brings.

Each process opens one once.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from transforms.common.errors import LexbeamError
from transforms.common.options.option import Within
from transforms.common.store import files
from transforms.common.store.identity import Place
from transforms.inflection.english import english_inflector, english_version
from transforms.inflection.inflector import Inflecting
from transforms.inflection.training import inflector_model, inflector_of

__all__ = ["PACKAGED", "KeptInflector", "kept_inflector", "opened_inflector", "warn_of_languages", "within_inflector"]

log = logging.getLogger("lexbeam")


class Packaged(NamedTuple):
    """An inflector that a package brings: the function that returns it, and that of its version."""

    inflector: Callable[[], Inflecting]
    version: Callable[[], str]


PACKAGED = {"lemminflect": Packaged(english_inflector, english_version)}


@dataclass(frozen=True)
class KeptInflector:
    """An inflector.

    Attributes:
        path: the file, or a name in `PACKAGED`.
        language: of its forms.
        digest: of the model; of one of a package, what names its version.
    """

    path: Place
    language: str
    digest: str

    def described(self) -> Mapping[str, Any]:
        """Return what a manifest says."""
        return {"kind": "inflector", "language": self.language, "digest": self.digest}


_OPENED: dict[tuple[str, str], Inflecting] = {}
_OPENING = threading.Lock()


def within_inflector(text: str) -> Within | None:
    """Return where the path is; the name of a package's inflector has none."""
    return None if text in PACKAGED else Within("", text)


def kept_inflector(path: str) -> KeptInflector:
    """Return what an inflector is.

    Raises:
        LexbeamError: there is none, it is damaged, or its package is missing.
    """
    made: Inflecting
    if path in PACKAGED:
        made = PACKAGED[path].inflector()
        kept = KeptInflector(path, made.language, PACKAGED[path].version())
    else:
        model = inflector_model(path)
        made = inflector_of(model)
        kept = KeptInflector(path, made.language, str(model.digest))
    with _OPENING:
        _OPENED[kept.path, kept.digest] = made
    return kept


def opened_inflector(kept: KeptInflector) -> Inflecting:
    """Return an inflector, opened.

    Raises:
        LexbeamError: it is gone, or another one has taken its place.
    """
    key = (kept.path, kept.digest)
    with _OPENING:
        if key not in _OPENED:
            if kept.path in PACKAGED:
                _OPENED[key] = PACKAGED[kept.path].inflector()
            else:
                model = inflector_model(kept.path)
                if model.digest != kept.digest:
                    raise LexbeamError(
                        f"the inflector {files.shown(kept.path)} changed while it was used: run the same command again"
                    )
                _OPENED[key] = inflector_of(model)
        return _OPENED[key]


def warn_of_languages(kept: KeptInflector | None, languages: Iterable[str]) -> None:
    """Warn where an inflector is of none of the languages of instances, and so does nothing."""
    known = sorted(set(languages))
    if kept is not None and known and kept.language not in {x.partition("-")[0] for x in known}:
        log.warning(
            "the `inflector` is of language %s, but the instances are of %s: nothing is inflected; "
            "name one of their language",
            kept.language,
            ", ".join(known),
        )
