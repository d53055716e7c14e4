"""Events: what they have, what is told of a run, and the schema that the docs and the package have.

Messages as JSON lines: each line one object, whatever said it.
"""

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
from hypothesis import given
from hypothesis import strategies as st
from making import made_section, put

from lexbeam.pipelines import cli
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.monitoring import events
from lexbeam.pipelines.monitoring.events import (
    EVENTS,
    ArtefactsFreed,
    JsonFormatter,
    JsonLines,
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
    json_message,
    printing,
    report,
    run_events,
    run_id,
    without_style,
)
from lexbeam.transforms.common.code.version import own_build
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


def test_the_style_is_taken_from_the_line_wherever_it_stands():
    assert without_style(["run", "c.yaml"]) == (["run", "c.yaml"], "text")
    assert without_style(["--log", "json", "run"]) == (["run"], "json")
    assert without_style(["run", "--log=json", "c", "--", "--log", "x"]) == (["run", "c", "--", "--log", "x"], "json")


def test_of_two_styles_none_is_dropped_in_silence():
    assert without_style(["run", "--log", "text", "--log=text"]) == (["run"], "text")
    with pytest.raises(UsageError, match="--log is given twice, as 'text' and as 'json', and takes one value"):
        without_style(["run", "--log", "text", "--log=json"])


@pytest.mark.parametrize("words", [["run", "--log"], ["run", "--log", "xml"], ["run", "--log="]])
def test_no_other_style_is_taken(words, capsys):
    with pytest.raises(UsageError, match="--log is one of text, json"):
        without_style(words)
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("lexbeam: --log is one of")


@given(st.text(), st.sampled_from(["info", "warning", "error"]))
def test_a_message_is_one_line_that_can_be_read(text, level):
    line = json_message(level, text, 1.5)
    assert len(line.splitlines()) == 1 or "\n" not in line
    event = {"info": "message"}.get(level, level)
    wanted = {"event": event, "time": "1970-01-01T00:00:01.500Z", "level": level, "message": text}
    assert json.loads(line) == {**wanted, "version": str(own_build())}


def test_records_of_logging_have_their_level_and_time():
    record = logging.LogRecord("lexbeam", logging.WARNING, "f", 1, "%d files", (3,), None)
    record.created = 2.0
    line = JsonFormatter(logging.Formatter("%(message)s")).format(record)
    wanted = {"event": "warning", "time": "1970-01-01T00:00:02.000Z", "level": "warning", "message": "3 files"}
    assert json.loads(line) == {**wanted, "version": str(own_build())}


def test_lines_of_a_stream_are_messages_when_they_end():
    stream = io.StringIO()
    lines = JsonLines(stream)
    for text in ("one", " line\ntwo", "\n\n", "half"):
        lines.write(text)
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == ["one line", "two"]
    assert not lines.isatty()


def test_nothing_to_do_is_no_error_for_programs(monkeypatch, capsys):
    def nothing(_):
        raise NothingToDoError("nothing to do at out")

    monkeypatch.setattr(cli, "_dispatch", nothing)
    assert main(["refresh", "c.yaml", "--log", "json"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert (json.loads(line)["level"], json.loads(line)["message"]) == ("info", "nothing to do at out")
    assert main(["refresh", "c.yaml"]) == 3
    assert capsys.readouterr().err == "lexbeam: nothing to do at out\n"


def test_a_command_says_all_in_lines_and_prints_data_as_it_is(tmp_path, capsys):
    out = tmp_path / "out"
    put(out, made_section(tmp_path / "w", "corpus", {"documents": [["a"]]}))
    assert main(["status", str(out), "--log", "json"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert json.loads(said.err.splitlines()[0])["message"].startswith("published at")
    assert main(["status", str(out), "--json", "--log=json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["published"]["sections"]
    assert said.err == ""
    assert main(["status", str(out / "none"), "--verify", "--log", "json", "--no-such"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["level"] == "error"
    assert "--no-such" in json.loads(line)["message"]
    assert main(["status", str(out)]) == 0
    assert capsys.readouterr().out.startswith("published at")
