"""Models that travel to workers, and digests of models and of data files that are packaged with our code.

    with models_noted() as models:             # the driver, while it plans
        describe_engine(spec)                  # notes its model
    carry(workspace, models)                   # packed once, beside the run's artefacts
    offer(workspace)                           # a worker: where packed models lie
    folder = taken(spec, fingerprint)          # a worker that lacks it: a copy on its machine; None if there is none

A worker that lacks a model, or has another of its name, takes the driver's, once per machine.
A model is one file, `models/carry/<digest>.tar`, named by what a run calls the model and by its fingerprint; so
nothing of it is in a graph. A copy lies in the cache of the machine, appears whole, and is checked: the pack by its
digest, and what is loaded from it by the fingerprint that the run wants.

A digest is a name for content, wherever it lies. A folder's covers the names of its files, relative
to it, and their bytes, in the order of the names; modification times and the place of the folder do
not count.
"""

import hashlib
import importlib.resources
import os
import shutil
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import IO, NamedTuple, cast

from lexbeam.transforms.common.code.fingerprints import digest, stream_digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import default_cache, locked_file
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.common.store.receipts import FREED, File, is_sound_size, read_receipt, write_receipt

STAGE = "models/carry"
COPIES, LOCK = "models", ".lock"  # in the cache

ModelFiles = tuple[tuple[str, str], ...]  # names within the model's folder, and paths


class _Model(NamedTuple):
    name: str
    files: ModelFiles


@dataclass(frozen=True)
class _Packed:
    """Receipt of a packed model."""

    pack: File


_NOTED: ContextVar[dict[str, _Model] | None] = ContextVar("models", default=None)
_OFFERED: list[Workspace] = []


@contextmanager
def models_noted() -> "Iterator[dict[str, _Model]]":
    """Note the models that are described while the block runs."""
    models: dict[str, _Model] = {}
    token = _NOTED.set(models)
    try:
        yield models
    finally:
        _NOTED.reset(token)


def note_model(spec: str, fingerprint: str, model: ModelFiles) -> None:
    """Note a model that the plan of a run uses; without files, or outside `models_noted`, nothing is noted.

    Args:
        spec: as the run names it.
        fingerprint: its own; whoever looks for the model wants the same.
        model: the files of its folder, on this machine.
    """
    models = _NOTED.get()
    if models is not None and model:
        models[_key(spec, fingerprint)] = _Model(spec, model)


def _key(spec: str, fingerprint: str) -> str:
    return digest([spec, fingerprint])


def carry(workspace: Workspace, models: dict[str, _Model]) -> None:
    """Pack models beside a run's artefacts, those that are not there yet."""
    for key, model in models.items():
        artefact = Artefact(files.join(workspace.stage(STAGE), key))
        packed = read_receipt(artefact.path(".json"), workspace.root, _Packed)
        if packed is not None and is_sound_size(packed.pack):
            continue
        files.make_folder(workspace.stage(STAGE))
        files.remove(artefact.path(FREED))
        with artefact.writing(".tar") as stream, tarfile.open(fileobj=cast("IO[bytes]", stream), mode="w|") as pack:
            for name, path in sorted(model.files):
                with files.open_read(path) as content:
                    entry = tarfile.TarInfo(name)
                    entry.size = os.fstat(content.fileno()).st_size
                    pack.addfile(entry, content)
        file = artefact.file(".tar")
        write_receipt(artefact.path(".json"), workspace.root, _Packed(file), [file])


def offer(workspace: Workspace) -> None:
    """Say where the packed models of a run lie, to this process."""
    _OFFERED[:] = [workspace]


def taken(spec: str, fingerprint: str) -> str | None:
    """Return a folder of this machine that holds a model of the run; None if none has been packed.

    Raises:
        LexbeamError: the pack is damaged, or the cache cannot be written to.
    """
    for workspace in _OFFERED:
        path = files.join(workspace.stage(STAGE), _key(spec, fingerprint) + ".json")
        packed = read_receipt(path, workspace.root, _Packed) if files.exists(path) else None
        if packed is not None:
            target = os.path.join(default_cache(), COPIES, packed.pack.sha256)
            files.make_folder(default_cache(), private=True)
            with locked_file(target + LOCK):
                if not os.path.isdir(target):
                    _unpack(packed.pack, target, spec)
            return target
    return None


def _unpack(pack: File, target: str, spec: str) -> None:
    making = files.temporary(target)
    try:
        with files.open_read(pack.path) as stream:
            source = _Hashing(stream)
            with tarfile.open(fileobj=cast("IO[bytes]", source), mode="r|") as content:
                content.extractall(making, filter="data")
            source.read(-1)
        if source.sha256.hexdigest() != pack.sha256:
            raise LexbeamError(
                f"the model {spec!r} was damaged on the way ({pack.path}): remove that file, and run the same command "
                "again"
            )
        os.rename(making, target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


class _Hashing:
    """A stream whose bytes are hashed as they are read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.sha256 = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Read bytes, all that are left if `size` is negative."""
        content = self._stream.read(size)
        self.sha256.update(content)
        return content


_CHUNK = 1 << 20
_AT_REST = 2_000_000_000  # nanoseconds: no file system's clock ticks more slowly


def model_digest(path: str) -> str:
    """Return the SHA-256 of a file's bytes, or of a folder's file names and bytes.

    Hidden files (a name that begins with a dot) do not count. `path` may be remote.

    Returns 64 hexadecimal digits.

    Raises:
        LexbeamError: nothing exists at the path.
    """
    if not files.exists(path) and not any(files.list_folder(path)):
        raise LexbeamError(f"no model at {path!r}: check the path")
    whole = hashlib.sha256()
    for entry in files.list_files(path):
        # The length before each part keeps a name from running into the bytes after it.
        name = entry.name.encode("utf-8", "surrogateescape")  # bytes, whatever they are
        whole.update(b"%d:%b%d:" % (len(name), name, entry.size))
        with files.open_read(entry.path) as stream:
            while chunk := stream.read(_CHUNK):
                whole.update(chunk)
    return whole.hexdigest()


def content_digest(path: str) -> str:
    """Return the SHA-256 of a file's bytes, or a folder's `model_digest`.

    A file of this machine that this process has read already is not read again as long as its size,
    its times and its inode stay as they are, if it was at rest for two seconds when it was read.

    Raises:
        LexbeamError: nothing exists at the path.
    """
    if files.is_local(path) and os.path.isfile(path):
        status = os.stat(path)
        state = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if path in _READ and _READ[path][0] == state:
            return _READ[path][1]
        digest = _sha256(path)
        # Within one tick of the file system's clock a file may change and keep its times.
        if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _AT_REST:
            _READ[path] = state, digest
        return digest
    if not files.exists(path) and not any(files.list_folder(path)):
        raise LexbeamError(f"no file or folder is at {path!r}: check the path")
    if files.is_local(path) or not files.exists(path):
        return model_digest(path)
    return _sha256(path)


_READ: dict[str, tuple[tuple[int, ...], str]] = {}


def _sha256(path: str) -> str:
    with files.open_read(path) as stream:
        return stream_digest(stream)


def packaged_text(package: str, name: str) -> str:
    """Return the text of a data file of one of our packages, as it is installed.

    Both arguments are string literals at the call, so that the file counts for the identity of the
    code that reads it (`code/walk.py`).

    Raises:
        LexbeamError: the file is missing.
    """
    try:
        return importlib.resources.files(package).joinpath(name).read_text("utf-8")
    except OSError as error:
        raise LexbeamError(f"{name} of package {package} cannot be read ({error}): reinstall Lexbeam") from error
