"""Events of runs, for programs: typed records that go through Python's own logging.

    emit(SectionStarted(section="corpus"))

Their logger is `lexbeam.events`, which no other hears: who wants them adds a handler, and finds the event as `msg` of
a record. `--log json` prints them on standard error, a line each, for whoever collects logs; `events.schema.json`
beside this module is their JSON Schema, which `python -m lexbeam.pipelines.monitoring.events` prints.

{"event": "section_started", "section": "corpus", "time": "2026-01-31T02:00:05.120Z", "level": "info", ...}
"""

import inspect
import json
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TextIO

import msgspec
from msgspec import UNSET, Meta, UnsetType

from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import HeldBackError, HeldSectionsError, NothingToDoError, UsageError, readable

_LOG = logging.getLogger("lexbeam.events")
_LOG.setLevel(logging.INFO)
_LOG.propagate = False
_LOG.addHandler(logging.NullHandler())

Section = Annotated[str, Meta(description="a section, such as `corpus`")]
Stage = Annotated[str, Meta(description="a stage, such as `corpus/annotate`")]
Snapshot = Annotated[str, Meta(description="the name of a snapshot")]
Made = Annotated[int, Meta(description="artefacts that it made")]
There = Annotated[int, Meta(description="artefacts that it took up, which were there before")]
Rows = Annotated[dict[str, int], Meta(description="rows of each table")]
Text = Annotated[str, Meta(description="what a person is told")]
Token = Annotated[str, Meta(description="what names this publication to the hook, the same at each try")]
Sections = Annotated[list[str], Meta(description="sections, in the order in which they are made")]
Outcome = Literal["published", "nothing_to_do", "held", "failed", "submitted", "interrupted", "done"]


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="event"):
    """What all events have."""

    time: Annotated[str, Meta(description="when, in UTC, to the millisecond")] = ""
    level: Annotated[Literal["info", "warning", "error"], Meta(description="how grave it is")] = "info"
    run_id: Annotated[str | UnsetType, Meta(description="the run, a UUID; missing where none is at work")] = UNSET
    folder: Annotated[str | UnsetType, Meta(description="the folder that the run publishes to")] = UNSET
    version: Annotated[str | UnsetType, Meta(description="the version of Lexbeam")] = UNSET


class RunStarted(Event, frozen=True, kw_only=True, tag="run_started"):
    """A run begins, or a refresh."""

    sections: Sections


class SectionStarted(Event, frozen=True, kw_only=True, tag="section_started"):
    """A section begins to be made."""

    section: Section


class SectionPlanned(Event, frozen=True, kw_only=True, tag="section_planned"):
    """A refresh has found what is to become of a section."""

    section: Section
    reasons: Annotated[list[str], Meta(description="why it is made anew; none: it stays as it is")]


class StageProgress(Event, frozen=True, kw_only=True, tag="stage_progress"):
    """How far a stage at work has come, every 30 seconds."""

    stage: Stage
    made: Made
    there: There
    planned: Annotated[int | None, Meta(description="artefacts that it is to make or take up; null: not known")]
    unit: Annotated[str, Meta(description="what its artefacts are")]
    seconds: Annotated[float, Meta(description="since it began")]


class StageMade(Event, frozen=True, kw_only=True, tag="stage_made"):
    """What a stage has made, told when its section is made; summed over workers."""

    section: Section
    stage: Stage
    made: Made
    there: There
    documents: Annotated[int, Meta(description="documents in what it made; 0 where that does not say")]
    tokens: Annotated[int, Meta(description="tokens in what it made; likewise")]
    bytes: Annotated[int, Meta(description="bytes of the files that it wrote for that")]
    seconds: Annotated[float, Meta(description="that making took, summed over artefacts")]


class SectionFinished(Event, frozen=True, kw_only=True, tag="section_finished"):
    """A section is made, and not published yet."""

    section: Section
    made: Made
    there: There
    seconds: Annotated[float, Meta(description="from its start to its end")]
    tables: Rows


class SnapshotPublished(Event, frozen=True, kw_only=True, tag="published"):
    """Readers see another snapshot, or the same with what was damaged mended."""

    snapshot: Snapshot
    sections: Sections
    tables: Rows


class NothingToDo(Event, frozen=True, kw_only=True, tag="nothing_to_do"):
    """What is published is what a run would publish now."""

    snapshot: Annotated[str | None, Meta(description="the snapshot that readers see")]


class SectionsHeld(Event, frozen=True, kw_only=True, tag="held"):
    """What was made, or would be, is not published: it is outside of bounds, or hangs on a section that failed."""

    sections: Sections
    reasons: Annotated[list[str], Meta(description="what is outside, or why a section is held, a line each")]
    message: Text


class RunFailed(Event, frozen=True, kw_only=True, tag="failed"):
    """An error has ended the work; what was published before stays."""

    error: Annotated[str, Meta(description="the kind of the error, such as `UsageError`")]
    message: Text
    exit_code: Annotated[int, Meta(description="with which a command that ends by it exits")]
    section: Annotated[str | UnsetType, Meta(description="the section that was being made, if one was")] = UNSET


class JobsSubmitted(Event, frozen=True, kw_only=True, tag="submitted"):
    """The work was left to a cluster, and nothing is published yet."""

    message: Text


class ArtefactsFreed(Event, frozen=True, kw_only=True, tag="freed"):
    """Artefacts were freed."""

    files: Annotated[int, Meta(description="how many files")]
    bytes: Annotated[int, Meta(description="how many bytes")]


class HookTold(Event, frozen=True, kw_only=True, tag="hook_told"):
    """The command of `on_publish` has ended well."""

    snapshot: Snapshot
    token: Token
    seconds: Annotated[float, Meta(description="that it took")]


class HookFailed(Event, frozen=True, kw_only=True, tag="hook_failed"):
    """The command of `on_publish` has failed; it is tried again by the next refresh."""

    snapshot: Snapshot
    token: Token
    message: Text


class RunFinished(Event, frozen=True, kw_only=True, tag="run_finished"):
    """A run has ended."""

    outcome: Annotated[Outcome, Meta(description="the last of these that was told of it; `done`: none was")]
    snapshot: Annotated[str | None, Meta(description="the snapshot that it published; null: none")]
    seconds: Annotated[float, Meta(description="that it took")]


class Message(Event, frozen=True, kw_only=True, tag="message"):
    """What a person reads as the work goes: a line, a summary, what a package prints."""

    message: Text


class WarningMessage(Event, frozen=True, kw_only=True, tag="warning"):
    """A warning for a person."""

    message: Text


class ErrorMessage(Event, frozen=True, kw_only=True, tag="error"):
    """What a person is told of something that failed, where the work goes on or was interrupted."""

    message: Text


EVENTS: tuple[type[Event], ...] = tuple(Event.__subclasses__())
_OUTCOMES: dict[type[Event], Outcome] = {
    SnapshotPublished: "published",
    NothingToDo: "nothing_to_do",
    SectionsHeld: "held",
    RunFailed: "failed",
    JobsSubmitted: "submitted",
}


@dataclass
class _Run:
    id: str
    folder: str
    sections: list[str]
    begun: float
    thread: int
    section: str = ""
    outcome: Outcome = "done"
    snapshot: str | None = None

    def note(self, event: Event) -> None:
        """Note what an event says of how the run goes."""
        self.outcome = _OUTCOMES.get(type(event), self.outcome)
        if isinstance(event, SectionStarted):
            self.section = event.section
        elif isinstance(event, SectionFinished):
            self.section = ""
        elif isinstance(event, SnapshotPublished):
            self.snapshot = event.snapshot


_RUNS: list[_Run] = []  # those at work: in Python several threads may run commands
_PRINTERS: list[logging.Handler] = []


def stamp(at: float | None = None) -> str:
    """Return a time in seconds since 1970 as events have it; None: now."""
    moment = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def message_event(level: str, message: str, at: float | None = None) -> Event:
    """Return a message for a person as an event.

    Args:
        level: as logging has it, in small letters.
        message: what is said.
        at: seconds since 1970; None: now.
    """
    if level in ("error", "critical"):
        return _stamped(ErrorMessage(message=message, level="error"), at)
    if level == "warning":
        return _stamped(WarningMessage(message=message, level="warning"), at)
    return _stamped(Message(message=message), at)


def _stamped(event: Event, at: float | None = None) -> Event:
    where: dict[str, Any] = {"version": str(own_build())}
    if run := _run():
        where |= {"run_id": run.id, "folder": run.folder}
    return msgspec.structs.replace(event, time=stamp(at), **where)


def as_line(event: Event) -> str:
    """Return an event as one line of JSON."""
    return json.dumps(msgspec.to_builtins(event), ensure_ascii=False)


def _run() -> _Run | None:
    """Return the run of this thread or, as of one that shows progress, the last one that has begun."""
    own = (run for run in _RUNS if run.thread == threading.get_ident())
    return next(own, _RUNS[-1] if _RUNS else None)


def emit(event: Event) -> None:
    """Hand an event to whoever listens, with its time, its run and the version."""
    if run := _run():
        run.note(event)
    _LOG.log(logging.getLevelNamesMapping()[event.level.upper()], _stamped(event))


def report(event: Event, line: str, tell: Callable[[str], object]) -> None:
    """Emit an event, and tell a person of it where events are not printed.

    Args:
        event: the event.
        line: the same for a person.
        tell: takes it.
    """
    emit(event)
    if not _PRINTERS:
        tell(line)


def emit_failure(error: BaseException) -> None:
    """Emit that an error ended the work, or held it back; once, however often the error is told of."""
    if isinstance(error, NothingToDoError) or vars(error).get("emitted"):
        return
    vars(error)["emitted"] = True
    run = _run()
    message = readable(str(error))
    if isinstance(error, HeldBackError):
        sections = list(run.sections) if run else []
        emit(SectionsHeld(sections=sections, reasons=list(error.reasons), message=message, level="error"))
        return
    if isinstance(error, HeldSectionsError):
        reasons = [f"{name}: {why}" for name, why in error.held.items()]
        emit(SectionsHeld(sections=list(error.held), reasons=reasons, message=message, level="error"))
        return
    emit(
        RunFailed(
            error=type(error).__name__,
            message=message,
            exit_code=getattr(error, "exit_code", 1),
            section=(run.section if run else "") or UNSET,
            level="error",
        )
    )


def in_run() -> bool:
    """Return whether a run of this thread is at work."""
    return any(run.thread == threading.get_ident() for run in _RUNS)


def run_id() -> str:
    """Return the id of the run that is at work; empty: none is."""
    run = _run()
    return run.id if run else ""


@contextmanager
def run_events(folder: str, sections: Sequence[str], interrupted: Callable[[], bool] = bool) -> Iterator[None]:
    """Emit that a run begins, and how it ends; its id is another each time, and stands in nothing that is published.

    Args:
        folder: to which it publishes.
        sections: those that it is to make.
        interrupted: says whether what it fails of is that somebody ends it.
    """
    run = _Run(str(uuid.uuid4()), folder, list(sections), time.monotonic(), threading.get_ident())
    _RUNS.append(run)
    emit(RunStarted(sections=list(sections)))
    try:
        yield
    except BaseException as error:
        if interrupted() or not isinstance(error, Exception):
            run.outcome = "interrupted"
        else:
            emit_failure(error)
        raise
    finally:
        seconds = round(time.monotonic() - run.begun, 3)
        emit(RunFinished(outcome=run.outcome, snapshot=run.snapshot, seconds=seconds))
        _RUNS.remove(run)


@contextmanager
def hearing(handler: logging.Handler) -> Iterator[None]:
    """Let a handler hear the events of the block."""
    _LOG.addHandler(handler)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)


@contextmanager
def printing(handler: logging.Handler) -> Iterator[None]:
    """Let a handler print the events of the block, in place of what they say to a person."""
    _PRINTERS.append(handler)
    try:
        with hearing(handler):
            yield
    finally:
        _PRINTERS.remove(handler)


def are_printed() -> bool:
    """Return whether events are printed, so that nothing needs to be said twice."""
    return bool(_PRINTERS)


def event_schema() -> dict[str, Any]:
    """Return the JSON Schema of the lines that `--log json` prints."""
    _, found = msgspec.json.schema_components(EVENTS, ref_template="#/$defs/{name}")
    for kind in EVENTS:
        entry = found[kind.__name__]
        entry["description"] = inspect.getdoc(kind)
        missing = {field.name for field in msgspec.structs.fields(kind) if field.default is UNSET}
        entry["required"] = [name for name in entry["properties"] if name not in missing]
        for field in entry["properties"].values():
            field.pop("default", None)
    union = [{"$ref": f"#/$defs/{name}"} for name in found]
    title = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Lines of `lexbeam --log json`"}
    return {**title, "oneOf": union, "$defs": found}


if __name__ == "__main__":
    print(json.dumps(event_schema(), indent=1))


STYLES = ("text", "json")


def without_style(words: Sequence[str]) -> tuple[list[str], str]:
    """Return a command line without `--log`, and the style that this asks for; what is for Beam stays as it is.

    Raises:
        UsageError: it asks for no style, for one that there is not, or for two.
    """
    end = list(words).index("--") if "--" in words else len(words)
    kept: list[str] = []
    style = ""
    ours = iter(words[:end])
    for word in ours:
        name, given, value = word.partition("=")
        if name != "--log":
            kept.append(word)
            continue
        before, style = style, value if given else next(ours, "")
        if style not in STYLES:
            raise UsageError(f"--log is one of {', '.join(STYLES)}, not {style!r}")
        if before not in ("", style):
            raise UsageError(f"--log is given twice, as {before!r} and as {style!r}, and takes one value")
    return [*kept, *words[end:]], style or STYLES[0]


def json_message(level: str, message: str, at: float | None = None) -> str:
    """Return a message as one line.

    Args:
        level: `info`, `warning` or `error`, as logging has them, in small letters.
        message: what is said; its lines stay within the line.
        at: seconds since 1970; None: now.
    """
    return as_line(message_event(level, message, at))


class JsonFormatter(logging.Formatter):
    """A record as a JSON line: an event as it is, anything else as what a formatter makes of it."""

    def __init__(self, words: logging.Formatter) -> None:
        super().__init__()
        self._words = words

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        event: object = record.msg
        if not isinstance(event, Event):
            return json_message(record.levelname.lower(), self._words.format(record), record.created)
        if hasattr(event, "message"):
            said = self._words.format(logging.makeLogRecord({"msg": event.message}))
            event = msgspec.structs.replace(event, message=said)
        return as_line(event)


class JsonLines:
    """A text stream whose lines become messages: those of progress, and what packages print."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._begun = ""

    def write(self, text: str) -> int:
        """Write text; a line is passed on when it ends."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(str.strip, lines):
            self.stream.write(json_message("info", line) + "\n")
        return len(text)

    def isatty(self) -> bool:
        """Return that nothing is drawn."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
