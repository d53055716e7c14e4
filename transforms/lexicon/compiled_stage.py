"""Compiled resources on disk: each table one Arrow batch, each matrix an `.npy`; both are mapped.

    make(workspace, COMPILE, Source(kind, files, options), None)      # the artefact of a resource
    opened(compiled)                                                  # its tables and matrices

It is decided by the content of the source, the options, and the code of its kind. `CARRY` copies a
resource that exists already, from or to a run's artefacts or another machine's cache.
"""

import logging
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.common.store.receipts import File, HashedStream, checked
from lexbeam.transforms.lexicon.compiled.kind import BlockMatrix, Opened
from lexbeam.transforms.lexicon.kinds import kind_of

log = logging.getLogger("lexbeam")

ARROW, NPY = ".arrow", ".npy"


class SourceFile(NamedTuple):
    """A file or folder that a resource is compiled from, with the SHA-256 of its content."""

    path: Place
    sha256: str


class ResourceSource(NamedTuple):
    """The source of a resource: its kind, its files, and the options of that kind."""

    kind: str
    files: tuple[SourceFile, ...]
    options: Any


@dataclass(frozen=True)
class Compiled:
    """A compiled resource: its files, by the names of its tables and matrices."""

    files: dict[str, File]

    @property
    def digest(self) -> str:
        """The digest of the compiled files, 32 hexadecimal digits."""
        return digest(sorted([name, file.sha256] for name, file in self.files.items()))


def _chosen(source: ResourceSource, _: None) -> Mapping[str, Collection[str]]:
    return {"lexbeam.transforms.lexicon.kinds:KINDS": (source.kind,)}


def _build(artefact: Artefact, source: ResourceSource, _: None) -> Compiled:
    paths = [files.shown(file.path) for file in source.files]
    log.info("compiling %s", " ".join([source.kind, *paths]))
    made: dict[str, File] = {}
    try:
        _compile(artefact, source, made)
    except BaseException:
        for file in made.values():  # without a receipt nobody would use them
            files.remove(file.path)
        raise
    return Compiled(made)


def _compile(artefact: Artefact, source: ResourceSource, made: dict[str, File]) -> None:
    """Write the tables and matrices of a source, and enter the files in `made`."""
    kind = kind_of(source.kind)
    for name, content in kind.compile([file.path for file in source.files], source.options):
        suffix = f"-{name}{NPY if isinstance(content, BlockMatrix) else ARROW}"
        with artefact.writing(suffix) as stream:
            if isinstance(content, BlockMatrix):
                _write_matrix(stream, name, content)
            else:
                _write_table(stream, name, content)
        made[name] = artefact.file(suffix)
    for file in source.files:
        # Kinds read their files several times: the result may be of neither content.
        if kind.digest(file.path) != file.sha256:
            raise LexbeamError(f"{file.path} has changed while it was compiled: run the same command again")


def _write_table(stream: HashedStream, name: str, table: pa.Table) -> None:
    batches = table.combine_chunks().to_batches()
    if len(batches) > 1:
        raise LexbeamError(f"table {name}: a column of text is over 2 GB: make it a large string")
    with pa.ipc.new_file(stream, table.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _write_matrix(stream: HashedStream, name: str, matrix: BlockMatrix) -> None:
    shape = (matrix.rows, matrix.columns)
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    rows = 0
    for block in matrix.blocks:
        stream.write(np.ascontiguousarray(block, "<f4").data)
        rows += len(block)
    if rows != matrix.rows:
        raise LexbeamError(f"matrix {name} has {rows} rows where {matrix.rows} were announced")


def opened(compiled: Compiled) -> Opened:
    """Return the tables and matrices of a compiled resource, mapped into memory.

    Raises:
        Damaged: a file is not what was written; it has been discarded.
    """
    return {name: _mapped(checked(file)) for name, file in compiled.files.items()}


def _mapped(path: str) -> pa.Table | np.ndarray:
    if path.endswith(NPY):
        return np.load(path, mmap_mode="r")
    return pa.ipc.open_file(pa.memory_map(path)).read_all()


def _carry(artefact: Artefact, compiled: Compiled, _: None) -> Compiled:
    made: dict[str, File] = {}
    for name, file in compiled.files.items():
        suffix = f"-{name}{NPY if file.path.endswith(NPY) else ARROW}"
        if files.is_local(file.path) and files.is_local(artefact.stem):
            made[name] = artefact.placing(suffix, file)
            continue
        with files.open_read(file.path) as source, artefact.writing(suffix) as stream:
            shutil.copyfileobj(source, stream, 1 << 20)
        made[name] = artefact.file(suffix)
        if made[name].sha256 != file.sha256:
            raise LexbeamError(f"{file.path} was damaged on the way: run the same command again")
    return Compiled(made)


COMPILE: Stage[ResourceSource, None, Compiled] = Stage(
    name="lexicon/compile", receipt=Compiled, build=_build, chosen=_chosen
)
CARRY: Stage[Compiled, None, Compiled] = Stage(name="lexicon/carry", receipt=Compiled, build=_carry)
