"""Runs publications in processes that die, or whose calls fail, at a call that changes files.

    with Injector(compiled(folder)) as injector:
        whole = injector.run(publish_made, out, made)          # counts the calls, and names them
        injector.run(publish_made, out, made, at=7)            # is killed before the 7th

The calls are counted by `faults.c`, which the one process of an injector is started with; every
run is a fork of it, so that modules are imported once.
"""

import ctypes
import io
import logging
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import pyarrow as pa
import pytest

from lexbeam.transforms.common.code.fingerprints import digest, environment
from lexbeam.transforms.common.publish import publication
from lexbeam.transforms.common.publish.layout import locked
from lexbeam.transforms.common.publish.sections import Made, ReadTable, table_digest
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.common.store.receipts import write_receipt
from lexbeam.transforms.common.store.tables import Part, write_part

SCHEMA = pa.schema([("text", pa.string())])

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

# How a run ends at its call, as faults.c has it: the mode, and the error of those that fail.
MODES = {"killed before": (0, 0), "killed after": (1, 0), "ENOSPC": (2, 28), "EIO": (2, 5), "disk full": (3, 28)}


class Ran(NamedTuple):
    """How a run ended.

    Attributes:
        killed: whether it was killed.
        error: what it raised, as text; empty if it ended well.
        calls: the calls that change files, in their order, each with the path that it made.
    """

    killed: bool
    error: str
    calls: tuple[str, ...]


def compiled(folder: Path) -> Path:
    """Compile the library into a folder and return its path; skip the test without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler: no `cc` on the path")
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux: libraries are put before others by LD_PRELOAD")
    library = folder / "faults.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(HERE / "faults.c")]
    subprocess.run([*command, "-ldl"], check=True)
    return library


def environment_with(library: Path) -> dict[str, str]:
    """Return the environment of a process that the library is put before others in."""
    paths = os.pathsep.join((str(HERE), str(ROOT)))
    return {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": paths}


class Injector:
    """A process that publications are forked from."""

    def __init__(self, library: Path) -> None:
        self._log = library.with_suffix(".log")
        self._process = subprocess.Popen(
            [sys.executable, "-c", "import injector; injector.serve()", str(self._log)],
            env=environment_with(library),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def run(self, action: Callable[..., None], *arguments: Any, at: int = 0, mode: str = "killed before") -> Ran:
        """Run a function of this module in a process of its own, which meets its end at a call."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump((action.__name__, arguments, at, *MODES[mode]), self._process.stdin)
        self._process.stdin.flush()
        killed, error = pickle.load(self._process.stdout)
        return Ran(killed, error, tuple(self._log.read_text().splitlines()))


def remember_kernels() -> None:
    """Ask once for the CPU's kernels: it takes longer than all the rest of a small publication."""
    kernels = publication.blas_kernels()
    publication.blas_kernels = lambda: kernels
    environment()


def publish_made(out: str, made: Sequence[Made], keep_snapshots: int = 2) -> None:
    """Publish sections as every command does: lock, look at what is there, publish."""
    with locked(out, [table for section in made for table in section.tables]):
        publication.publish(out, made, old=find_snapshot(out), keep=publication.Keep(keep_snapshots))


def run_whole(out: str, label: str, keep_snapshots: int = 2) -> None:
    """Run what a command is: make the sections of a label as artefacts, publish, free the rest."""
    from lexbeam.pipelines.frame.command import PublishOptions
    from lexbeam.pipelines.frame.publishing import Intended, Sections, publish_run

    def make(workspace: Workspace, _: Snapshot | None) -> Sections:
        folder = Path(workspace.stage("corpus/merge"))
        folder.mkdir(parents=True, exist_ok=True)
        return Sections(Shelf(folder, workspace.root).made(label))

    tables = {"1": ("corpus", ("documents", "sentences")), "2": ("change", ("neighbours", "scores"))}
    intended = [Intended(*tables[digit], {}) for digit in label[1:]]
    options = PublishOptions(out=out, overwrite=True, keep="published", keep_snapshots=keep_snapshots)
    with redirect_stdout(io.StringIO()):
        publish_run(options, intended, make, {}, print)


def forget_source(out: str, name: str) -> None:
    """Let a folder forget a source."""
    from lexbeam.pipelines.commands.folder.forget import ForgetOptions
    from lexbeam.pipelines.frame.running import run_command

    run_command("forget", ForgetOptions(path=out, names=(name,)), tell=lambda line: None)


class Shelf:
    """Sections by label: a letter for the content, 1 for the corpus, 2 for change made from it."""

    def __init__(self, folder: Path, root: str | None = None) -> None:
        self.folder, self.root = folder, root

    def _parts(self, table: str, texts: Sequence[str]) -> Iterator[Part]:
        for number, text in enumerate(texts):
            artefact = Artefact(str(self.folder / digest([table, text])))
            made = write_part(artefact, SCHEMA, [pa.table({"text": [text]})])
            if self.root is not None:
                write_receipt(artefact.path(".json"), self.root, made, [made.file])
            yield Part.of(table, number, made)

    def made(self, label: str) -> list[Made]:
        """Return the sections of a label, their parts written."""
        letter, digits = label[0], label[1:]
        # The tables have another number of parts in every corpus, and one part in common.
        more = [f"{letter}{number}" for number in range("abcdz".index(letter) % 3 + 1)]
        documents = list(self._parts("documents", ["of all", *more]))
        sentences = list(self._parts("sentences", [*more, "of all"]))
        entry = {"inputs": letter, "options": {}}
        corpus = Made(name="corpus", parts=(*documents, *sentences), entry=entry)
        if "2" not in digits:
            return [corpus]
        scores = [*self._parts("scores", [letter]), *self._parts("neighbours", [letter, "of all"])]
        read = ReadTable("sentences", table_digest(sentences), "corpus")
        change = Made(name="change", parts=tuple(scores), entry={"inputs": "", "options": {}}, reads=(read,))
        return [corpus, change] if "1" in digits else [change]


def watched(out: str, shelf: str, log: str) -> None:
    """Publish once, with calls counted, between two calls that a tracer of this process sees."""
    made = Shelf(Path(shelf)).made("a12")
    remember_kernels()
    handle = os.open(log, os.O_CREAT | os.O_WRONLY)
    _arm(0, 0, 0, handle)
    os.path.exists(f"/from here, noted in {handle}")
    publish_made(out, made)
    os.path.exists("/to here")


def _arm(at: int, mode: int, error: int, log: int) -> None:
    ctypes.CDLL(None).fault_arm(ctypes.c_long(at), mode, error, log)


def serve() -> None:
    """Run what is asked for on standard input until it ends, each run in a fork."""
    import lexbeam.pipelines.frame.publishing  # noqa: F401  before the forks

    remember_kernels()
    logging.disable()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(_forked(*request), replies)
        replies.flush()


def _forked(name: str, arguments: tuple[Any, ...], at: int, mode: int, error: int) -> tuple:
    receiving, sending = os.pipe()
    log = os.open(sys.argv[1], os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    child = os.fork()
    if child == 0:
        said = ""
        try:
            _arm(at, mode, error, log)
            globals()[name](*arguments)
        except Exception as caught:
            said = f"{type(caught).__name__}: {caught}"
        finally:
            os.write(sending, said.encode() or b" ")
            os._exit(0)
    os.close(sending)
    os.close(log)
    with os.fdopen(receiving, "rb") as stream:
        said = stream.read().decode()
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and not said:
        raise RuntimeError(f"a run ended with status {status} and said nothing")
    return killed, said.strip()
