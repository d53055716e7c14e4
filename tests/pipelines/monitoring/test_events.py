"""Events: what they have, what is told of a run, and the schema that the docs and the package have."""

import io
import json
import logging
import re
import uuid
from pathlib import Path
from threading import Thread

import jsonschema
import msgspec
import pytest

from lexbeam.pipelines.monitoring import events
from lexbeam.pipelines.monitoring.events import (
    EVENTS,
    ArtefactsFreed,
    JsonFormatter,
    NothingToDo,
    RunFailed,
    SectionFinished,
    SectionStarted,
    SnapshotPublished,
    emit,
    emit_failure,
    event_schema,
    hearing,
    in_run,
    printing,
    report,
    run_events,
    run_id,
)
from lexbeam.transforms.common.errors import HeldBackError, LexbeamError, NothingToDoError, UsageError

ROOT = Path(__file__).resolve().parents[3]
STORED = Path(events.__file__).with_name("events.schema.json")


class Heard(logging.Handler):
    """What is emitted, in its order."""

    def __init__(self):
        super().__init__()
        self.events = []

    def emit(self, record):
        self.events.append(record.msg)

    @property
    def names(self):
        return [type(event).__struct_config__.tag for event in self.events]


@pytest.fixture
def heard():
    handler = Heard()
    with hearing(handler):
        yield handler


def test_the_schema_of_the_package_is_that_of_the_code_and_is_one():
    stored = json.loads(STORED.read_text("utf-8"))
    assert stored == event_schema(), (
        "python -m lexbeam.pipelines.monitoring.events > pipelines/monitoring/events.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(stored)


def test_the_schema_refuses_what_is_missing_what_is_more_and_what_is_of_another_type():
    validator = jsonschema.Draft202012Validator(event_schema())
    base = {"event": "section_started", "time": "2026-01-31T02:00:05.120Z", "level": "info"}
    assert validator.is_valid({**base, "section": "corpus"})
    assert validator.is_valid({**base, "section": "corpus", "run_id": "a", "folder": "b", "version": "0.1.0"})
    for wrong in (base, {**base, "section": 1}, {**base, "section": "a", "x": 1}, {**base, "event": "no_such"}):
        assert not validator.is_valid(wrong), wrong
    assert not validator.is_valid({name: value for name, value in base.items() if name != "level"} | {"section": "a"})


def test_the_page_lists_every_event_with_its_fields():
    page = (ROOT / "docs/running/monitoring.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    common = {field.name for field in msgspec.structs.fields(events.Event)}
    own = {
        kind.__struct_config__.tag: {field.name for field in msgspec.structs.fields(kind)} - common for kind in EVENTS
    }
    assert {name: set(re.findall(r"`(\w+)`", rows.get(name, ""))) for name in own} == own


def test_an_event_has_its_run_and_outside_of_runs_none(heard):
    emit(ArtefactsFreed(files=1, bytes=2))
    assert not in_run()
    with run_events("/data/out", ["corpus"]):
        assert in_run()
        emit(SectionStarted(section="corpus"))
        run = run_id()
    emit(ArtefactsFreed(files=1, bytes=2))
    assert heard.names == ["freed", "run_started", "section_started", "run_finished", "freed"]
    assert [getattr(event, "run_id", None) for event in heard.events[1:4]] == [run] * 3
    assert uuid.UUID(run)
    assert {event.folder for event in heard.events[1:4]} == {"/data/out"}
    assert heard.events[0].run_id is heard.events[-1].run_id is msgspec.UNSET
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", heard.events[0].time)
    with run_events("/data/out", ["corpus"]):
        assert run_id() != run


def test_runs_of_several_threads_are_told_apart(heard):
    def other():
        with run_events("/other", ["change"]):
            emit(SectionStarted(section="change"))

    with run_events("/data/out", ["corpus"]):
        thread = Thread(target=other)
        thread.start()
        thread.join()
        thread = Thread(target=lambda: emit(ArtefactsFreed(files=1, bytes=2)))  # as progress emits
        thread.start()
        thread.join()
        emit(SectionStarted(section="corpus"))
    places = [(name, event.folder) for name, event in zip(heard.names, heard.events, strict=True)]
    assert places == [
        ("run_started", "/data/out"),
        ("run_started", "/other"),
        ("section_started", "/other"),
        ("run_finished", "/other"),
        ("freed", "/data/out"),
        ("section_started", "/data/out"),
        ("run_finished", "/data/out"),
    ]


def published(name="ab"):
    return SnapshotPublished(snapshot=name, sections=["corpus"], tables={"t": 1})


@pytest.mark.parametrize(
    ("told", "outcome", "snapshot"),
    [([], "done", None), ([published()], "published", "ab"), ([NothingToDo(snapshot="ab")], "nothing_to_do", None)],
)
def test_a_run_ends_as_the_last_word_on_it_says(heard, told, outcome, snapshot):
    with run_events("o", ["corpus"]):
        for event in told:
            emit(event)
    assert (heard.events[-1].outcome, heard.events[-1].snapshot) == (outcome, snapshot)


def failing(error, *told, interrupted=bool):
    with pytest.raises(type(error)), run_events("o", ["corpus", "change"], interrupted):
        for event in told:
            emit(event)
        raise error


def test_an_error_is_told_once_with_its_kind_and_its_section(heard):
    error = UsageError("no such \x1b file")
    failing(error, SectionStarted(section="corpus"))
    emit_failure(error)  # as the command line does
    assert heard.names == ["run_started", "section_started", "failed", "run_finished"]
    failed = heard.events[2]
    assert (failed.error, failed.message, failed.exit_code) == ("UsageError", "no such \\x1b file", 2)
    assert (failed.section, failed.level) == ("corpus", "error")
    made = SectionFinished(section="corpus", made=1, there=0, seconds=0.1, tables={})
    failing(ZeroDivisionError("x"), SectionStarted(section="corpus"), made, published())
    assert heard.names[-2:] == ["failed", "run_finished"]
    assert (heard.events[-2].error, heard.events[-2].exit_code) == ("ZeroDivisionError", 1)
    assert heard.events[-2].section is msgspec.UNSET
    assert (heard.events[-1].outcome, heard.events[-1].snapshot) == ("failed", "ab")


def test_what_is_held_back_is_told_with_the_reasons(heard):
    failing(HeldBackError("too many", ["corpus: 3 of 4"]))
    held, finished = heard.events[1:]
    assert (held.sections, held.reasons, held.message) == (["corpus", "change"], ["corpus: 3 of 4"], "too many")
    assert (type(held).__struct_config__.tag, finished.outcome) == ("held", "held")


def test_nothing_to_do_is_no_failure_and_neither_is_an_interrupt(heard):
    failing(NothingToDoError("nothing"), NothingToDo(snapshot=None))
    assert heard.names == ["run_started", "nothing_to_do", "run_finished"]
    assert heard.events[-1].outcome == "nothing_to_do"
    failing(KeyboardInterrupt())
    failing(LexbeamError("a worker has ended"), interrupted=lambda: True)
    assert heard.names[3:] == ["run_started", "run_finished"] * 2
    assert {event.outcome for event in heard.events[3:] if hasattr(event, "outcome")} == {"interrupted"}


def test_where_events_are_printed_a_person_is_told_of_them_no_more(capsys):
    lines, stream = [], io.StringIO()
    report(ArtefactsFreed(files=1, bytes=2), "freed: one", lines.append)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter(logging.Formatter("<%(message)s>")))
    with printing(handler):
        report(ArtefactsFreed(files=1, bytes=2), "freed: two", lines.append)
        emit(RunFailed(error="E", message="m", exit_code=1, level="error"))
    assert lines == ["freed: one"]
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["event"], first["files"], first["bytes"], first["level"]) == ("freed", 1, 2, "info")
    # Names of options in messages become flags, as in all that a person is told.
    assert (second["event"], second["message"], second["level"]) == ("failed", "<m>", "error")
    assert capsys.readouterr() == ("", "")
