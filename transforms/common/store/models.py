"""Models that travel: a worker that lacks one, or has another of its name, takes the driver's, once per machine.

    with models_noted() as models:             # the driver, while it plans
        describe_engine(spec)                  # notes its model
    carry(workspace, models)                   # packed once, beside the run's artefacts
    offer(workspace)                           # a worker: where packed models lie
    folder = taken(spec, fingerprint)          # a worker that lacks it: a copy on its machine; None if there is none

A model is one file, `models/carry/<digest>.tar`, named by what a run calls the model and by its fingerprint; so
nothing of it is in a graph. A copy lies in the cache of the machine, appears whole, and is checked: the pack by its
digest, and what is loaded from it by the fingerprint that the run wants.
"""

import hashlib
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import IO, NamedTuple, cast

from lexbeam.transforms.common.cache import default_cache
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.locks import locked_file
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.common.store.receipts import FREED, File, read_receipt, write_receipt
from lexbeam.transforms.common.store.sound import is_sound_size

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
