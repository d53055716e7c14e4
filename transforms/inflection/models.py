"""Inflectors as models: trained from form dictionaries, referred to by what decides them, opened once per process.

A command names an inflector by the file that `lexbeam simplify train-inflector` wrote, or by the name of one that a
package brings (`LIBRARIES`).
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.common.store.resources import content_digest
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.formats.sources.streams import BROKEN, decompress
from lexbeam.transforms.inflection.dictionaries import FormEntry, ReadDictionary, read_forms
from lexbeam.transforms.inflection.english import PACKAGE, english_inflector, english_version
from lexbeam.transforms.inflection.inflector import Inflecting, Inflector, compiled
from lexbeam.transforms.learning.models.formats import REGISTRY
from lexbeam.transforms.learning.models.keeping import load_model_file
from lexbeam.transforms.learning.models.model import Model

log = logging.getLogger("lexbeam")

KIND, TASK, FORMAT = "inflector", "simplification", "safetensors"


@dataclass(frozen=True, kw_only=True)
class InflectorOptions:
    """Options of `lexbeam simplify train-inflector`."""

    inputs: tuple[str, ...] = option(
        help="form dictionaries: files, folders or globs, compressed or not",
        metavar="FILE",
        positional=True,
        path="input",
    )
    language: str = option(help="language of the forms, such as es", metavar="LANG", stands_for=stated_language)
    out: str = option(help="file of the model", metavar="FILE", path="place")
    format: str | None = option(
        None,
        help="format of the dictionaries; if not given, it is recognised by their first lines",
        choices="lexbeam.transforms.inflection.dictionaries:FORMATS",
    )
    overwrite: bool = option(False, help="replace another model")


class TrainedInflector(NamedTuple):
    """A model, what each file gave (by its name in messages), and the number of distinct forms."""

    model: Model
    read: dict[str, ReadDictionary]
    forms: int


def train_inflector(options: InflectorOptions) -> TrainedInflector:
    """Read the dictionaries, and learn rules from all of them.

    Raises:
        UsageError: the format of a file is not recognised.
        LexbeamError: a file cannot be read, or holds no form.
    """
    paths = sorted({entry.path for name in options.inputs for entry in files.list_files(name)})
    digests = {path: content_digest(path) for path in paths}
    entries: Counter[FormEntry] = Counter()
    read = {}
    for content in sorted(set(digests.values())):  # a dictionary that is given twice counts once
        path = min(path for path in paths if digests[path] == content)
        dictionary = _read(path, options.format)
        entries.update(dictionary.entries)
        read[files.shown(path)] = dictionary
    model = Model(
        kind=KIND,
        task=TASK,
        format=FORMAT,
        content=compiled(entries, options.language),
        seed=0,
        data=digest(sorted(set(digests.values()))),
        options={"language": options.language},
    )
    return TrainedInflector(model, read, len(entries))


def _read(path: str, format: str | None) -> ReadDictionary:
    shown = files.shown(path)
    try:
        with files.open_read(path) as stream:
            return read_forms(decompress(stream, path, ReaderOptions())[0], shown, format)
    except BadRecord as error:
        raise LexbeamError(f"{shown} cannot be read: {error}") from error
    except (OSError, *BROKEN) as error:
        raise LexbeamError(f"{shown} cannot be read: {error}; check the file") from error


def load_inflector(path: str) -> Inflector:
    """Return the inflector in a file that `lexbeam simplify train-inflector` wrote.

    Raises:
        LexbeamError: the file holds no inflector, or is damaged.
    """
    return _inflector_of(inflector_model(path))


def inflector_model(path: str) -> Model:
    """Return the model in such a file.

    Raises:
        LexbeamError: as `load_inflector`.
    """
    model = load_model_file(path)
    if (model.kind, model.task) != (KIND, TASK) or "language" not in model.options:
        raise LexbeamError(
            f"{files.shown(path)} is a {model.kind} of {model.task}, not an inflector: make one by "
            "`lexbeam simplify train-inflector`"
        )
    return model


def _inflector_of(model: Model) -> Inflector:
    return Inflector(model.content, str(model.options["language"]))


@dataclass(frozen=True)
class Library(Entry):
    """An inflector that a package brings: the function that returns it, and the one that returns its version."""

    inflector: Callable[[], Inflecting]
    version: Callable[[], str]


LIBRARIES: Registry[Library] = Registry(
    {PACKAGE: Library(english_inflector, english_version, doc="English, by the forms of NIH's SPECIALIST Lexicon")},
    what="inflector of a package",
)


@dataclass(frozen=True)
class InflectorReference:
    """What decides an inflector, for workers that open it.

    Attributes:
        path: the file, or an entry of `LIBRARIES`.
        language: of its forms.
        digest: of the model; of a package's inflector its version.
    """

    path: Place
    language: str
    digest: str

    def described(self) -> Mapping[str, str]:
        """Return what a manifest says."""
        return {"kind": "inflector", "language": self.language, "digest": self.digest}


def chosen_formats(*references: InflectorReference | None) -> dict[str, Sequence[str]]:
    """Return the formats of models that count, for the `chosen` of a stage that loads no models but inflectors."""
    loads = any(reference is not None and reference.path not in LIBRARIES for reference in references)
    return {REGISTRY: (FORMAT,) if loads else ()}


_OPENED: dict[tuple[str, str], Inflecting] = {}
_OPENING = threading.Lock()


def within_inflector(text: str) -> Within | None:
    """Return where the path is; the name of a package's inflector has none."""
    return None if text in LIBRARIES else Within("", text)


def inflector_reference(path: str) -> InflectorReference:
    """Open an inflector, and return what refers to it.

    Raises:
        LexbeamError: there is none, it is damaged, or its package is missing.
    """
    inflector: Inflecting
    if path in LIBRARIES:
        inflector = LIBRARIES[path].inflector()
        reference = InflectorReference(path, inflector.language, LIBRARIES[path].version())
    else:
        model = inflector_model(path)
        inflector = _inflector_of(model)
        reference = InflectorReference(path, inflector.language, str(model.digest))
    with _OPENING:
        _OPENED[reference.path, reference.digest] = inflector
    return reference


def open_inflector(reference: InflectorReference) -> Inflecting:
    """Return the inflector that a reference stands for; each process opens it once.

    Raises:
        LexbeamError: the file is gone, or holds another inflector by now.
    """
    key = (reference.path, reference.digest)
    with _OPENING:
        if key not in _OPENED:
            if reference.path in LIBRARIES:
                _OPENED[key] = LIBRARIES[reference.path].inflector()
            else:
                model = inflector_model(reference.path)
                if model.digest != reference.digest:
                    raise LexbeamError(
                        f"the inflector {files.shown(reference.path)} changed while it was used: "
                        "run the same command again"
                    )
                _OPENED[key] = _inflector_of(model)
        return _OPENED[key]


def inflector_for(reference: InflectorReference | None, language: str) -> Inflecting | None:
    """Return the inflector for a language such as `es-MX`; None if the reference is of another one."""
    if reference is None or reference.language != language.partition("-")[0]:
        return None
    return open_inflector(reference)


def warn_of_languages(reference: InflectorReference | None, languages: Iterable[str]) -> None:
    """Warn where no instance is of the inflector's language, so that nothing is inflected."""
    known = sorted(set(languages))
    if reference is not None and known and reference.language not in {x.partition("-")[0] for x in known}:
        log.warning(
            "the `inflector` is of language %s, but the instances are of %s: nothing is inflected; "
            "name one of their language, or make one with `language` %s by `lexbeam simplify train-inflector`",
            reference.language,
            ", ".join(known),
            known[0].partition("-")[0],
        )
