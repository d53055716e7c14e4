"""Trained models on disk: `model.json` beside weights, among artefacts or in a folder of its own.

    saved = save_model(artefact, model)                 # files of an artefact; a receipt
    keep_model("models/mine", model)                    # or a folder that a person keeps
    model = load_model("models/mine")                   # or load_model(saved)
    keep_model_file("mine.model", model)                # or one file: the line of model.json,
    model = load_model_file("mine.model")               # and the weights behind it

`model.json` is canonical JSON and names the weights with size and SHA-256; it has no time and no path, so
that the same model has the same bytes. Loading executes no code, see `formats`.
"""

import hashlib
import importlib.metadata
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import msgspec

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.errors import LexbeamError, missing_package, nearest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.learning.models.formats import FORMATS, ModelFormat
from lexbeam.transforms.learning.models.model import Model, ModelColumn, Refused, called, plain

RECORD = "model.json"
VERSION = 1
_LIMIT = 64 << 20  # bytes of `model.json`: a million features
_WEIGHTS = re.compile(r"weights-[0-9a-f]{16}\.\w+")
_TEMPORARY = re.compile(rf"(model\.json|{_WEIGHTS.pattern}){files.TEMPORARY}")


_BY_DIGEST = Uncounted("the digest identifies the model, whatever else its record says")


@dataclass(frozen=True)
class SavedModel:
    """Receipt of a model among artefacts."""

    record: Annotated[File, _BY_DIGEST]
    weights: Annotated[File, _BY_DIGEST]
    digest: str


class _Weights(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    bytes: int
    sha256: str


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    lexbeam_model: int
    kind: str
    task: str
    format: str
    format_version: int
    packages: dict[str, str]
    features: tuple[ModelColumn, ...]
    resources: dict[str, str]
    options: dict[str, Any]
    seed: int
    data: str
    metrics: dict[str, float | None]
    made_with: tuple[str, ...]
    weights: _Weights


class _Written(NamedTuple):
    """A model as bytes: its record, and its weights with their file name in a folder."""

    record: bytes
    digest: str
    name: str
    weights: bytes


def save_model(artefact: Artefact, model: Model, name: str = "model") -> SavedModel:
    """Write a model as files of an artefact; return its receipt, which may be part of another.

    Each of several models of an artefact has its own name, which begins the suffixes of its files.

    Raises:
        LexbeamError: its content does not fit its format.
    """
    written = _written(model)
    record, weights = f".{name}.about", f".{name}{FORMATS[model.format].suffix}"
    for suffix, content in ((weights, written.weights), (record, written.record)):
        with artefact.writing(suffix) as stream:
            stream.write(content)
    return SavedModel(artefact.file(record), artefact.file(weights), written.digest)


def keep_model(folder: str, model: Model, *, overwrite: bool = False) -> str:
    """Write a model to a folder of its own, which may be remote; return its digest.

    `model.json` is written last and atomically: before that the folder holds no model or the old one, then
    the new one. Saving the same model again changes nothing.

    Raises:
        LexbeamError: its content does not fit its format; or the folder holds another model and `overwrite`
            is off, or holds something else.
    """
    written = _written(model)
    record = files.join(folder, RECORD)
    present = _model_files(folder)
    if RECORD in present and not overwrite:
        if files.read_bytes(record) == written.record and _is_whole(folder, written):
            return written.digest
        raise LexbeamError(
            f"{folder} holds another model, or a damaged copy of this one: name another folder, or let it be "
            "replaced (`overwrite`)"
        )
    files.make_folder(folder)
    files.write_bytes(files.join(folder, written.name), written.weights, durable=True)
    files.sync_folder(folder)
    files.write_bytes(record, written.record, durable=True)
    files.sync_folder(folder)
    for name in present:
        if name not in (RECORD, written.name):
            files.remove(files.join(folder, name))
    return written.digest


def _model_files(folder: str) -> tuple[str, ...]:
    """Return the files of a model's folder, complete or left by a run that died."""
    if files.is_local(folder) and files.size(folder) is not None:
        raise LexbeamError(f"{folder} is a file: name a folder for the model")
    listed = files.list_folder(folder)
    names = set(listed.files)
    if files.is_local(folder) and files.exists(folder):
        names.update(os.listdir(folder))  # links too
    for name in sorted({*names, *listed.folders}):
        ours = name == RECORD or _WEIGHTS.fullmatch(name) or _TEMPORARY.fullmatch(name)
        if name not in listed.files or not ours:
            raise LexbeamError(f"{folder} holds {name!r}, which is not part of a model: name an empty or a new folder")
    if RECORD in listed.files:
        try:
            _read_record(files.join(folder, RECORD))
        except LexbeamError as error:  # perhaps another program's
            raise LexbeamError(
                f"{folder} holds a {RECORD} that is not of a sound model: remove it, or name another folder"
            ) from error
    return listed.files


def _is_whole(folder: str, written: _Written) -> bool:
    try:
        return files.read_bytes(files.join(folder, written.name)) == written.weights
    except OSError:
        return False


def _written(model: Model) -> _Written:
    how = _format(model.format, "the model")
    try:
        weights = how.write(model.content)
    except Refused as error:
        raise LexbeamError(f"{called(model)} cannot be kept as {model.format}: {error}") from error
    sha256 = hashlib.sha256(weights).hexdigest()
    name = f"weights-{sha256[:16]}{how.suffix}"
    record = {
        "lexbeam_model": VERSION,
        "kind": model.kind,
        "task": model.task,
        "format": model.format,
        "format_version": how.version,
        "packages": _versions((*how.packages, *model.made_with)),
        "features": [list(feature) for feature in model.features],
        "resources": dict(model.resources),
        "options": plain(model.options, "options"),
        "seed": model.seed,
        "data": model.data,
        "metrics": plain(model.metrics, "metrics"),
        "made_with": sorted(set(model.made_with)),
        "weights": {"name": name, "bytes": len(weights), "sha256": sha256},
    }
    digest = hashlib.sha256(canonical_json(record)).hexdigest()
    return _Written(canonical_json({**record, "digest": digest}), digest, name, weights)


def _versions(names: Iterable[str]) -> dict[str, str]:
    try:
        return {name: importlib.metadata.version(name) for name in sorted(set(names))}
    except importlib.metadata.PackageNotFoundError as error:
        raise missing_package("this model needs", error.name, "models") from error


def load_model(place: str | SavedModel) -> Model:
    """Return a model, from its folder or its receipt, checked to the last byte.

    Raises:
        LexbeamError: there is no model; it is damaged, changed, made by a later Lexbeam, or does not fit
            its format; or its packages are not installed in a suitable version.
    """
    path = files.join(place, RECORD) if isinstance(place, str) else checked(place.record)
    record, digest = _read_record(path)
    _format_of(record, path)
    if not isinstance(place, str):
        weights = checked(place.weights)
    elif _WEIGHTS.fullmatch(record.weights.name):
        weights = files.join(place, record.weights.name)
    else:
        raise _damaged(path, f"names the weights {record.weights.name!r}")
    content = _read_weights(weights, record.weights)
    return _loaded(record, digest, content, weights, files.shown(path).removesuffix(f"/{RECORD}"))


def keep_model_file(path: str, model: Model, *, overwrite: bool = False) -> str:
    """Write a model to one file: `model.json` as a line, then the weights; return its digest.

    The file is written whole or not at all. Saving the same model again changes nothing.

    Raises:
        LexbeamError: its content does not fit its format; or there is a folder of this name, another model and
            `overwrite` is off, or something else.
    """
    written = _written(model)
    whole = written.record + b"\n" + written.weights
    if files.is_local(path) and os.path.isdir(path):
        raise LexbeamError(f"{files.shown(path)} is a folder: name a file for the model")
    if files.size(path) is not None:
        if files.read_bytes(path) == whole:
            return written.digest
        _split_file(path)
        if not overwrite:
            raise LexbeamError(
                f"{files.shown(path)} holds another model: name another file, or let it be replaced (`overwrite`)"
            )
    if files.is_local(path):
        files.make_folder(os.path.dirname(files.absolute(path)))
    files.write_bytes(path, whole, durable=True)
    return written.digest


def load_model_file(path: str) -> Model:
    """Return the model of a file of `keep_model_file`, checked to the last byte.

    Raises:
        LexbeamError: as `load_model`.
    """
    line, content = _split_file(path)
    record, digest = _record_of(line, files.shown(path))
    _format_of(record, files.shown(path))
    _check_weights(content, record.weights, files.shown(path))
    return _loaded(record, digest, content, files.shown(path), files.shown(path))


def _split_file(path: str) -> tuple[bytes, bytes]:
    if files.is_local(path) and os.path.isdir(path):
        raise LexbeamError(f"{files.shown(path)} is a folder: name the file of a model")
    if files.size(path) is None:
        raise LexbeamError(f"there is no model {files.shown(path)}: check the path")
    line, newline, content = files.read_bytes(path).partition(b"\n")
    if not newline or len(line) > _LIMIT or b'"lexbeam_model"' not in line:
        raise LexbeamError(f"{files.shown(path)} is not a model of Lexbeam's: name another file")
    return line, content


def _format_of(record: _Record, path: str) -> ModelFormat:
    how = _format(record.format, path)
    if record.format_version > how.version:
        raise LexbeamError(f"{path} was made by a later Lexbeam: install that version")
    _check_packages(path, record, how)
    return how


def _loaded(record: _Record, digest: str, content: bytes, weights: str, place: str) -> Model:
    try:
        loaded = FORMATS[record.format].read(content)
    except Refused as error:
        raise LexbeamError(
            f"{weights} is not loaded: {error}; copy the model again from where it was made, or train it anew"
        ) from error
    fields = msgspec.structs.asdict(record)
    for name in ("lexbeam_model", "format_version", "weights"):
        del fields[name]
    return Model(**fields, content=loaded, place=place, digest=digest)


def _read_record(path: str) -> tuple[_Record, str]:
    """Return a sound `model.json`, and the digest that it states of itself."""
    size = files.size(path)
    if size is None:
        folder = path.removesuffix(f"/{RECORD}")
        raise LexbeamError(f"there is no model in {folder}: it has no {RECORD}; check the path")
    if size > _LIMIT:
        raise _damaged(path, f"has {size:,} bytes")
    return _record_of(files.read_bytes(path), path)


def _record_of(content: bytes, path: str) -> tuple[_Record, str]:
    try:
        parsed = json.loads(content)
        if not isinstance(parsed, dict) or "lexbeam_model" not in parsed:
            raise LexbeamError(f"{path} is not a model of Lexbeam's: name another folder")
        if isinstance(version := parsed["lexbeam_model"], int) and version > VERSION:
            raise LexbeamError(f"{path} was made by a later Lexbeam: install that version")
        digest = parsed.pop("digest", None)
        if hashlib.sha256(canonical_json(parsed)).hexdigest() != digest:
            raise _damaged(path, "does not have the digest that it states")
        return msgspec.convert(parsed, _Record), str(digest)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"cannot be read ({error})") from error


def _read_weights(path: str, said: _Weights) -> bytes:
    """Return the bytes of a file of weights, checked against `model.json`."""
    size = files.size(path)
    if size is None:
        raise _damaged(path, "is not there")
    if size != said.bytes:
        raise _damaged(path, f"has {size:,} bytes instead of {said.bytes:,}")
    content = files.read_bytes(path)
    _check_weights(content, said, path)
    return content


def _check_weights(content: bytes, said: _Weights, path: str) -> None:
    if hashlib.sha256(content).hexdigest() != said.sha256:
        raise _damaged(path, "does not have the SHA-256 stated in model.json")


def _check_packages(path: str, record: _Record, how: ModelFormat) -> None:
    here = _versions(how.exact)
    for name in how.exact:
        made = record.packages.get(name, "none")
        if made.split(".")[:2] != here[name].split(".")[:2]:
            raise LexbeamError(
                f"{path} was made with {name} {made}, and {here[name]} is installed, which may read it "
                "wrongly: install that version, or train the model anew"
            )


def _format(name: str, what: str) -> ModelFormat:
    if name not in FORMATS:
        raise LexbeamError(f"{what} is of format {name!r}, which is unknown{nearest(name, FORMATS)}")
    return FORMATS[name]


def _damaged(path: str, what: str) -> LexbeamError:
    return LexbeamError(f"{path} {what}: it was damaged or changed; copy the model anew, or train it again")
