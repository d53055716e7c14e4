"""What a pipeline hands back to the driver, and the record of jobs that a driver leaves to a Flink cluster.

What is handed back are small files in a folder of one run. Each section is a job. What a job hands back lies in a
folder of its own, with a mark that it writes last.

Of jobs that a driver leaves to a cluster, it leaves a record, by which a later command finds them:

    _artefacts/unfinished.json      its key `detached`: the cluster, and the jobs of the run as far as it has come

The record stands in place of the lock, which ends with the driver. It is written before a job is submitted, under
a name that no other job has: so a driver that is killed at any moment leaves a record by which the job is found.
"""

import logging
import os
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from lexbeam.pipelines.runners.flink_jobs import JobKind, JobState, state_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.removing import RESULTS
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import ArtefactPath, decode
from lexbeam.transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam


T = TypeVar("T")
DONE = "done"


class ResultFiles:
    """What a pipeline hands back to the driver: small JSON files in a folder of this run alone.

    The folder's name is random, so that neither an earlier run nor a job that outlives its driver can
    be taken for this one; the name is not published.

    Attributes:
        name: the folder's name, 16 hexadecimal digits.
        folder: its path.
    """

    def __init__(self, work: str, name: str = "") -> None:
        """Make a new folder, or name one that an earlier call has made."""
        self.name = name or secrets.token_hex(8)
        self.folder = files.join(work, RESULTS, self.name)
        if not name:
            files.make_folder(self.folder)

    def path(self, name: str) -> str:
        """Return the file that the pipeline writes the result of this name to."""
        return files.join(self.folder, f"{name}.json")

    def write(self, collections: Mapping[str, "beam.PCollection"]) -> "dict[str, beam.PCollection]":
        """Let a pipeline write collections of small rows, by name; return collections that end with the writing."""
        from lexbeam.transforms.common.store.ptransforms import WriteResult  # with Beam, which takes seconds

        return {
            name: rows | f"HandBack{name.title()}" >> WriteResult(self.path(name)) for name, rows in collections.items()
        }

    def write_marked(self, pipeline: "beam.Pipeline", collections: Mapping[str, "beam.PCollection"], mark: str) -> None:
        """Do as `write`, and let the pipeline write a mark when all of them are written."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import WriteResult

        # Nothing follows from them: the mark is written when they have ended.
        ends = self.write(collections).items()
        written = [ended | f"Follow{name.title()}" >> beam.Filter(bool) for name, ended in ends]
        marks = (pipeline | "Mark" >> beam.Create([mark]), *written)
        marks | "FollowAll" >> beam.Flatten() | "HandBackMark" >> WriteResult(self.path(DONE))

    def mark(self) -> str:
        """Return the mark of a pipeline that has written all of its results; empty until then."""
        return "".join(self.read(DONE, str))

    @property
    def wanted(self) -> str:
        """The file by which the pipeline says that it could not make all, since something was freed that it needs."""
        return self.path("wanted")

    def parts(self) -> tuple[Part, ...]:
        """Return the result `parts`: the parts of tables, as artefacts."""
        return tuple(part._replace(path=ArtefactPath(part.path)) for part in self.read("parts", Part))

    def read(self, name: str, row: type[T]) -> list[T]:
        """Return the rows of a result, each of type `row`; a pipeline with no row writes none."""
        path = self.path(name)
        return decode(files.read_bytes(path), list[row]) if files.exists(path) else []  # type: ignore[valid-type]

    def remove(self) -> None:
        """Remove the files, which are of no use after the run."""
        for name in files.list_folder(self.folder).files:
            files.remove(files.join(self.folder, name))
        if files.is_local(self.folder):
            os.rmdir(self.folder)


log = logging.getLogger("lexbeam")

KEY = "detached"
NAME = "lexbeam-"  # of jobs, before the name of the folder of what they hand back


class Submitted(Exception):
    """A job has been left to a cluster; the message says how to go on."""


class LeftJob(msgspec.Struct, frozen=True):
    """A job of a run: its section, the folder of what it hands back, when its inputs were listed, in nanoseconds."""

    section: str
    results: str
    listed: int

    @property
    def name(self) -> str:
        """What the cluster calls it."""
        return NAME + self.results


class LeftRun(msgspec.Struct, frozen=True):
    """The record: the address of the cluster, and the jobs, all of which have finished but perhaps the last."""

    flink: str
    jobs: list[LeftJob]


def left_run(note: Mapping[str, Any]) -> LeftRun | None:
    """Return the record of what an unfinished run has left to a cluster; None if it has left nothing."""
    try:
        run = msgspec.convert(note.get(KEY), LeftRun)
    except msgspec.ValidationError:
        return None
    return run if run.jobs else None


def look_at(root: str, run: LeftRun) -> JobState:
    """Return the state of the last job of a run: what the cluster says, and what lies in the folder of artefacts."""
    last = run.jobs[-1]
    state = state_of(run.flink, last.name)
    if state.kind is JobKind.RUNNING:
        return state
    # A cluster forgets a job that has ended: the mark stays.
    if ResultFiles(root, last.results).mark():
        return JobState(JobKind.FINISHED, state.job)
    return state._replace(kind=JobKind.UNKNOWN) if state.kind is JobKind.FINISHED else state


def check_at_work(out: str, run: LeftRun, state: JobState, *, gone: bool = False) -> None:
    """Refuse a folder on which a job is at work, or may be.

    Args:
        out: the folder, as it was named.
        run: what was left.
        state: the state of its last job.
        gone: whether the cluster is said to be gone where it does not answer.

    Raises:
        LexbeamError: the job runs, or its cluster does not answer.
    """
    if state.kind is JobKind.RUNNING:
        raise LexbeamError(
            f"a detached run is at work on {out!r} (making {run.jobs[-1].section}; job {state.job} at {run.flink}): "
            f"wait for it, `lexbeam status {files.typed(out)}` says how far it is; or cancel it there, or give "
            "another `out`"
        )
    if state.kind is JobKind.UNREACHABLE and not gone:
        raise LexbeamError(
            f"a detached run may be at work on {out!r} (making {run.jobs[-1].section}), and the cluster at {run.flink} "
            f"does not answer ({state.reason}): try again when it does; if it is gone for good, the command that was "
            "given there goes on without it with `resume`"
        )


class Leaving:
    """What a run does about jobs that were left to a cluster, by earlier commands or by this one."""

    def __init__(self, address: str | None = None) -> None:
        """Begin.

        Args:
            address: of the cluster to which jobs are left; None: the run waits for its jobs.
        """
        self.address = address
        self._root = ""
        self._run: LeftRun | None = None
        self._write: Callable[[], object] = lambda: None

    def take_over(
        self, out: str, root: str, note: Mapping[str, Any], *, same: bool, gone: bool, tell: Callable[[str], object]
    ) -> bool:
        """Take over what an unfinished run has left, and tell what has become of it; return whether it left anything.

        Args:
            out: the folder, as it was named.
            root: where artefacts lie.
            note: what is noted of the unfinished run.
            same: whether it was to make the same.
            gone: whether its cluster is said to be gone where it does not answer.
            tell: takes the lines for a person to read.

        Raises:
            LexbeamError: it is at work, or may be.
        """
        self._root = root
        run = left_run(note)
        if run is None:
            return False
        state, last = look_at(root, run), run.jobs[-1]
        check_at_work(out, run, state, gone=gone)
        if state.kind is not JobKind.FINISHED:
            run = LeftRun(run.flink, run.jobs[:-1])
            tell(f"detached: {last.section}: {ended(state, last, run.flink)}; going on from its artefacts")
        elif not same:
            tell(f"detached: {last.section}: finished, and not published; what it has made is kept as artefacts")
        self._run = run if same else None
        return True

    def noted_by(self, write: Callable[[], object]) -> None:
        """Say what writes the note, in which `record` stands."""
        self._write = write
        write()

    @property
    def record(self) -> dict[str, Any]:
        """What the note says of the jobs that were left."""
        return {KEY: msgspec.to_builtins(self._run)} if self._run and self._run.jobs else {}

    def forget(self) -> None:
        """Forget what was handed back: something of it is damaged."""
        self._run = None
        self._write()

    def handed_back(self, section: str, mark: str) -> tuple[ResultFiles, int] | None:
        """Return what the job of a section has handed back if it was given the same, and when inputs were listed."""
        for job in self._run.jobs if self._run else ():
            if job.section == section:
                results = ResultFiles(self._root, job.results)
                if results.mark() == mark:
                    return results, job.listed
                log.warning("detached: %s: inputs, files of options or code are others now: it is made anew", section)
        return None

    def leave(self, section: str, results: ResultFiles, listed: int) -> None:
        """Note a job that is to be submitted."""
        assert self.address is not None
        earlier = [job for job in (self._run.jobs if self._run else ()) if job.section != section]
        self._run = LeftRun(self.address, [*earlier, LeftJob(section, results.name, listed)])
        self._write()

    def remove(self) -> None:
        """Remove what was handed back, which is of no use after publication."""
        for job in self._run.jobs if self._run else ():
            ResultFiles(self._root, job.results).remove()


def ended(state: JobState, job: LeftJob, address: str) -> str:
    """Return what has become of a job that has not finished."""
    if state.kind is JobKind.FAILED:
        return f"job {state.job} failed" + (f": {state.reason}" if state.reason else "")
    if state.kind is JobKind.UNREACHABLE:
        return f"the cluster at {address} does not answer ({state.reason})"
    return f"the cluster at {address} does not know job {job.name} any more"
