"""Messages as JSON lines: each line one object, whatever said it."""

import io
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import made_section, put

from lexbeam.pipelines import cli
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.monitoring.events import JsonFormatter, JsonLines, json_message, without_style
from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import NothingToDoError, UsageError


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
