"""Form dictionaries compiled into a model: `lexbeam simplify train-inflector`, and its loading."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from transforms.common.code.fingerprints import digest
from transforms.common.errors import LexbeamError
from transforms.common.options.fields import option
from transforms.common.store import files
from transforms.common.store.resources import content_digest
from transforms.formats.records.base import BadRecord, ReaderOptions
from transforms.formats.sources.compression import decompress
from transforms.inflection.dictionaries import FormEntry, ReadDictionary, read_forms
from transforms.inflection.inflector import Inflector, compiled
from transforms.learning.models.keeping import load_model_file
from transforms.learning.models.model import Model

__all__ = [
    "InflectorOptions",
    "TrainedInflector",
    "inflector_model",
    "inflector_of",
    "load_inflector",
    "train_inflector",
]

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
    language: str = option(help="language of the forms, as es", metavar="LANG")
    out: str = option(help="file of the model", metavar="FILE", path="place")
    format: str | None = option(
        None,
        help="format of the dictionaries; if not given, it is told from their first lines",
        choices="transforms.inflection.dictionaries:FORMATS",
    )
    overwrite: bool = option(False, help="replace another model")


class TrainedInflector(NamedTuple):
    """A model, what each file gave, by the name that messages call it, and the distinct forms."""

    model: Model
    read: dict[str, ReadDictionary]
    forms: int


def train_inflector(options: InflectorOptions) -> TrainedInflector:
    """Read the dictionaries, and learn rules from all of them.

    Raises:
        UsageError: a format cannot be told.
        LexbeamError: a file cannot be read, or holds no form.
    """
    paths = sorted({entry.path for one in options.inputs for entry in files.list_files(one)})
    digests = {path: content_digest(path) for path in paths}
    entries: Counter[FormEntry] = Counter()
    read = {}
    for content in sorted(set(digests.values())):  # one that is there twice counts once
        path = min(path for path in paths if digests[path] == content)
        found = _read(path, options.format)
        entries.update(found.entries)
        read[files.shown(path)] = found
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
    except (OSError, EOFError) as error:
        raise LexbeamError(f"{shown} cannot be read: {error}; check the file") from error


def load_inflector(path: str) -> Inflector:
    """Return the inflector of a file that `lexbeam simplify train-inflector` wrote.

    Raises:
        LexbeamError: it is none, or damaged.
    """
    return inflector_of(inflector_model(path))


def inflector_model(path: str) -> Model:
    """Return the model of such a file.

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


def inflector_of(model: Model) -> Inflector:
    """Return the inflector that a model holds.

    Raises:
        LexbeamError: its arrays are something else.
    """
    return Inflector(model.content, str(model.options["language"]))
