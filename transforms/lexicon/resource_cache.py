"""The kinds of resources by name, how a person specifies one, and the cache of what is compiled of them.

A specification begins with the word of its kind: `wordnet:DIR`, `vectors:FILE`. Without such a word it is a word list:
`FILE:word=COLUMN,value=COLUMN`. Packages of others add kinds as entry points of the group `lexbeam.resources`.

Of a compiled resource each table is one Arrow batch, each matrix an `.npy`; both are mapped. It is decided by the
content of the source, the options, and the code of its kind.

    make(workspace, CompileResource(), ResourceSource(kind, files, options))      # its artefact
    opened(compiled)                                                              # its tables and matrices

The cache outlives runs, and processes share it. A resource is compiled under a lock of its own: of two processes that
want it at once, one waits for the other; if that one is killed, its lock goes with it. What is in the cache is checked
like an artefact. A file's digest is taken once per machine: a note beside the file records the size, times and inode
for which it matched.
"""

import json
import logging
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import digest, parse_json
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.machine import VARIABLE, locked_file
from lexbeam.transforms.common.publish.layout import ARTEFACTS, is_marked_folder, make_marked_folder
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Step, Workspace, make, name_of
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.common.store.models import COPIES as MODELS
from lexbeam.transforms.common.store.receipts import Damaged, File, HashedStream, checked, note_sound, read_receipt
from lexbeam.transforms.lexicon.compiled.frequencies import TRIGRAMS, WORDFREQ
from lexbeam.transforms.lexicon.compiled.resource_kind import BlockMatrix, Opened, Parsed, ResourceKind
from lexbeam.transforms.lexicon.compiled.static_vectors import VECTORS
from lexbeam.transforms.lexicon.compiled.thesaurus_kind import THESAURUS
from lexbeam.transforms.lexicon.compiled.word_list import WORDS
from lexbeam.transforms.lexicon.encoders.loading_encoders import COPIES, clean_copies
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import WORDNET

DEFAULT = "words"

KINDS: Registry[ResourceKind] = Registry(
    {
        "words": WORDS,
        "wordfreq": WORDFREQ,
        "vectors": VECTORS,
        "wordnet": WORDNET,
        "trigrams": TRIGRAMS,
        "thesaurus": THESAURUS,
    },
    what="kind of resource",
    group="lexbeam.resources",
)


def kind_of(name: str) -> ResourceKind:
    """Return a kind by its name, ours or of another package.

    Raises:
        UsageError: there is no such kind.
    """
    KINDS.check([name])
    return KINDS[name]


class Spec(NamedTuple):
    """A resource as a person specified it: `NAME=FILE:word=...` or `NAME=KIND:ARGUMENT`."""

    name: str
    kind: str
    parsed: Parsed


def parse_spec(text: str) -> Spec:
    """Return the resource that a person specified; nothing is read.

    Raises:
        UsageError: the specification is wrong.
    """
    name, equals, rest = text.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(
            f"resource {text!r}: it is NAME=FILE:word=COLUMN,value=COLUMN or NAME=KIND:ARGUMENT, "
            "with a name of letters, digits and underscores"
        )
    word, _, argument = rest.partition(":")
    kind = word if word in KINDS and word != DEFAULT else DEFAULT
    try:
        parsed = KINDS[kind].parse(argument if kind == word else rest)
        return Spec(name, kind, KINDS[kind].named(name, parsed))
    except UsageError as error:
        # A word with a full stop or a slash is a file.
        hint = nearest(word, KINDS) if word not in KINDS and word.isidentifier() else ""
        raise UsageError(f"resource {name!r}: {error}{hint}") from None


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


@dataclass(frozen=True)
class CompileResource(Step[ResourceSource, Compiled]):
    """Compile a source by its kind."""

    name = "lexicon/compile"

    def chosen(self, task: ResourceSource) -> Mapping[str, Collection[str]]:
        """Return its kind."""
        return {"lexbeam.transforms.lexicon.resource_cache:KINDS": (task.kind,)}

    def make(self, artefact: Artefact, task: ResourceSource) -> Compiled:
        """Write the tables and matrices of a source."""
        paths = [files.shown(file.path) for file in task.files]
        log.info("compiling %s", " ".join([task.kind, *paths]))
        made: dict[str, File] = {}
        try:
            _compile(artefact, task, made)
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


@dataclass(frozen=True)
class CarryResource(Step[Compiled, Compiled]):
    """Copy a compiled resource: from or to a run's artefacts, or another machine's cache."""

    name = "lexicon/carry"

    def make(self, artefact: Artefact, task: Compiled) -> Compiled:
        """Write the files once more: links where both lie on this machine."""
        made: dict[str, File] = {}
        for name, file in task.files.items():
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


T = TypeVar("T")

LOCK, NOTE = ".lock", ".checked"
_OURS = re.compile(r"([0-9a-f]{32})(?:\.json|\.lock|-\w+\.(?:arrow|npy)(?:\.checked)?)(?:" + files.TEMPORARY + ")?")


def cached(cache: str, step: Step[T, Compiled], task: T) -> Compiled:
    """Return a compiled resource of a cache, checked; it is made if necessary.

    Raises:
        UsageError: the cache is not a folder on this machine, or something must be made and the
            cache cannot be written to.
        LexbeamError: the source cannot be compiled.
    """
    workspace = Workspace(_root(cache))
    stem = os.path.join(workspace.stage(step.name), name_of(step, task))
    # What is whole needs no lock, so that a read-only cache can serve several users.
    receipt = read_receipt(stem + ".json", workspace.root, step.receipt)
    if receipt is not None and is_whole(receipt):
        return receipt
    with _permitted(cache), locked_file(stem + LOCK):
        compiled: Compiled = make(workspace, step, task)
        try:
            _check(compiled)
        except Damaged:  # it has been discarded
            compiled = make(workspace, step, task)
            _check(compiled)
    return compiled


def _root(cache: str) -> str:
    _check_local(cache)
    try:
        files.make_folder(cache, private=True)
        return make_marked_folder(cache, ARTEFACTS)
    except OSError as error:
        raise _refused(cache, error) from None


def _check_local(cache: str) -> None:
    if not files.is_local(cache):
        raise UsageError(f"`cache` {cache!r} must be a folder of this machine: it is mapped")


def _refused(cache: str, error: OSError) -> UsageError:
    return UsageError(
        f"the cache {cache!r} cannot be written to ({error.strerror}): give another `cache`, or set {VARIABLE}"
    )


@contextmanager
def _permitted(cache: str) -> Iterator[None]:
    """Name the cache if it, or something in it, may not be written to."""
    try:
        yield
    except PermissionError as error:
        if str(error.filename).startswith(cache):
            raise _refused(cache, error) from None
        raise


def _check(compiled: Compiled) -> None:
    for file in compiled.files.values():
        _check_once(file)


def _check_once(file: File) -> None:
    """Check a file by its digest, unless a note says that this was done for its current state.

    Raises:
        Damaged: the file is not what was written; it has been discarded.
    """
    note = file.path + NOTE
    with suppress(OSError, ValueError), open(note, "rb") as stream:
        if parse_json(stream.read()) == _state(file):
            note_sound(file)
            return
    checked(file)
    with suppress(OSError):  # with a read-only cache, each process takes the digests
        files.write_bytes(note, json.dumps(_state(file)).encode())


def _state(file: File) -> list[int | str]:
    status = os.lstat(file.path)
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, file.sha256]


def is_whole(compiled: Compiled) -> bool:
    """Return whether all files are on this machine and sound."""
    try:
        _check(compiled)
    except (Damaged, OSError):
        return False
    return True


def clean_cache(cache: str) -> int:
    """Remove compiled resources, copies of models, and what killed processes have left.

    Files of others stay, and so does what is being made.

    Returns the number of bytes removed.

    Raises:
        UsageError: the folder is not on this machine, or cannot be written to.
    """
    _check_local(cache)
    before = _size(cache)
    with _permitted(cache):
        if is_marked_folder(cache, ARTEFACTS):
            _clean_compiled(os.path.join(cache, ARTEFACTS))
        for copies in (COPIES, MODELS):
            clean_copies(os.path.join(cache, copies))
    return before - _size(cache)


def _clean_compiled(root: str) -> None:
    for folder, _, names in os.walk(os.path.join(root, "lexicon")):
        made: dict[str, list[str]] = {}
        for name in sorted(names):
            if match := _OURS.fullmatch(name):
                made.setdefault(match[1], []).append(name)
        for stem, files_of_stem in made.items():
            lock = os.path.join(folder, stem + LOCK)
            with locked_file(lock, wait=False) as held:
                if held:  # else it is being made; receipts go first: none stands for missing files
                    for name in sorted(files_of_stem, key=lambda name: not name.endswith(".json")):
                        files.remove(os.path.join(folder, name))
                    files.remove(lock)


def _size(cache: str) -> int:
    size = 0
    for root in (ARTEFACTS, COPIES, MODELS):
        for folder, _, names in os.walk(os.path.join(cache, root)):
            for name in names:
                with suppress(FileNotFoundError):  # another process has just renamed it
                    size += os.lstat(os.path.join(folder, name)).st_size
    return size
