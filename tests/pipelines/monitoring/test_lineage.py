"""Events of OpenLineage: by the standard's own classes, to files and servers, and never failing a run."""

import json
import logging
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import jsonschema
import pytest
from lineage_schema import check_lineage
from making import made_section, put

from lexbeam.pipelines.monitoring import lineage
from lexbeam.pipelines.monitoring.events import (
    RunFailed,
    SectionsHeld,
    SectionStarted,
    SnapshotPublished,
    emit,
    run_events,
    run_id,
)
from lexbeam.pipelines.monitoring.lineage import LineageSection, ReadFolder, check_lineage_place, told_lineage
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.layout import snapshot_name

CORPUS = LineageSection("corpus", "raw text to sentences", ("/data/texts", "s3://bucket/more/*.txt"), ())
CHANGE = LineageSection("change", "scores", (), (ReadFolder("/data/out", "sentences"),))


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in ("URL", "CONFIG", "API_KEY", "NAMESPACE", "ENDPOINT", "DISABLED"):
        monkeypatch.delenv(f"OPENLINEAGE_{name}", raising=False)


def events_of(path):
    return [check_lineage(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def names(events):
    return [(event["eventType"], event["job"]["name"].partition(":")[2]) for event in events]


@pytest.fixture
def out(tmp_path):
    put(tmp_path / "out", made_section(tmp_path / "w", "corpus", {"documents": [["a", "b"], ["c"]]}))
    return str(tmp_path / "out")


def run(place, out, error=None, publishes=True, sections=(CORPUS,)):
    """A run in which sections begin, perhaps are published, and perhaps an error ends it; its id."""
    with (
        told_lineage(None if place is None else str(place), sections),
        run_events(out, [each.name for each in sections]),
    ):
        for section in sections:
            emit(SectionStarted(section=section.name))
        if publishes:
            emit(SnapshotPublished(snapshot=snapshot_name(out), sections=["corpus"], tables={"documents": 3}))
        if error is not None:
            raise error
        return run_id()


def test_the_check_refuses_what_is_wrong(out, tmp_path):
    run(tmp_path / "events", out)
    good = json.loads((tmp_path / "events").read_text().splitlines()[0])
    for wrong in (
        {**good, "eventType": "ENDED"},
        {**good, "more": 1},
        {**good, "eventTime": 3},
        {**good, "run": {"facets": {}}},
        {**good, "run": {"runId": "x"}},
        {**good, "job": {**good["job"], "facets": {"jobType": {**good["job"]["facets"]["jobType"], "more": 1}}}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            check_lineage(wrong)


def test_a_run_is_a_job_and_each_section_one_below_it(out, tmp_path):
    path = tmp_path / "events.jsonl"
    run_ = run(path, out)
    started, section, complete, finished = events_of(path)
    assert names([started, section, complete, finished]) == [
        ("START", ""),
        ("START", "corpus"),
        ("COMPLETE", "corpus"),
        ("COMPLETE", ""),
    ]
    assert started["run"]["runId"] == finished["run"]["runId"] == run_
    assert section["run"]["runId"] == complete["run"]["runId"] != run_
    assert complete["run"]["facets"]["parent"]["run"]["runId"] == run_
    assert complete["run"]["facets"]["parent"]["job"] == {"facets": {}, "name": out, "namespace": "lexbeam"}
    assert complete["run"]["facets"]["processing_engine"]["name"] == "lexbeam"
    assert complete["job"]["name"] == f"{out}:corpus"
    assert complete["job"]["facets"]["documentation"]["description"] == CORPUS.doc
    inputs = [("file", "/data/texts"), ("s3://bucket", "more/*.txt")]
    assert [(each["namespace"], each["name"]) for each in section["inputs"]] == inputs
    assert section["outputs"] == []
    (output,) = complete["outputs"]
    assert (output["namespace"], output["name"]) == ("file", f"{out}/documents")
    assert output["facets"]["schema"]["fields"] == [{"fields": [], "name": "word", "type": "string"}]
    assert output["facets"]["version"]["datasetVersion"] == snapshot_name(out)
    statistics = output["outputFacets"]["outputStatistics"]
    assert (statistics["rowCount"], statistics["fileCount"]) == (3, 2)


def test_another_run_adds_to_the_file_under_other_ids(out, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "nights")
    path = tmp_path / "events.jsonl"
    ids = {run(path, out), run(path, out)}
    events = events_of(path)
    assert len(ids) == 2
    assert len(events) == 8
    assert len({event["run"]["runId"] for event in events}) == 4
    assert {event["job"]["namespace"] for event in events} == {"nights"}


def test_tables_that_are_read_are_inputs(out, tmp_path):
    path = tmp_path / "events.jsonl"
    run(path, out, sections=(CHANGE,), publishes=False)
    assert [each["name"] for each in events_of(path)[1]["inputs"]] == ["/data/out/sentences"]


def test_a_run_that_fails_says_why_and_what_it_had_made_is_aborted(out, tmp_path):
    path = tmp_path / "events.jsonl"
    with pytest.raises(LexbeamError):
        run(path, out, LexbeamError("a full disk"), publishes=False, sections=(CORPUS, CHANGE))
    events = events_of(path)
    ended = [("ABORT", "corpus"), ("FAIL", "change"), ("FAIL", "")]
    assert names(events) == [("START", ""), ("START", "corpus"), ("START", "change"), *ended]
    for event in events[4:]:
        assert event["run"]["facets"]["errorMessage"]["message"] == "a full disk"
    with pytest.raises(KeyboardInterrupt):
        run(path, out, KeyboardInterrupt(), publishes=False)
    assert names(events_of(path))[6:] == [("START", ""), ("START", "corpus"), ("ABORT", "corpus"), ("ABORT", "")]


def test_sections_that_are_held_beside_what_is_published_have_failed(out, tmp_path):
    path = tmp_path / "events.jsonl"
    other = CHANGE._replace(name="other")
    with told_lineage(str(path), [CORPUS, CHANGE, other]), run_events(out, ["corpus", "change", "other"]):
        for section in ("corpus", "change", "other"):
            emit(SectionStarted(section=section))
        emit(RunFailed(error="LexbeamError", message="no word", exit_code=1, section="other", level="error"))
        emit(SectionsHeld(sections=["change"], reasons=["no data"], message="no data", level="error"))
        emit(SnapshotPublished(snapshot=snapshot_name(out), sections=["corpus"], tables={}))
    ended = events_of(path)[4:]
    assert names(ended) == [("COMPLETE", "corpus"), ("FAIL", "change"), ("FAIL", "other"), ("COMPLETE", "")]
    assert [event["run"]["facets"]["errorMessage"]["message"] for event in ended[1:3]] == ["no data", "no word"]


class _Server(BaseHTTPRequestHandler):
    status, got = 200, []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _Server.got.append((self.path, self.headers.get("Authorization"), json.loads(body)))
        self.send_response(_Server.status)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    _Server.status, _Server.got = 200, []
    with HTTPServer(("127.0.0.1", 0), _Server) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_server_gets_them_where_it_takes_them(server, out, monkeypatch):
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "secret-key")
    run(server, out)
    assert [place for place, _, _ in _Server.got] == ["/api/v1/lineage"] * 4
    assert {key for _, key, _ in _Server.got} == {"Bearer secret-key"}
    assert names([check_lineage(event) for _, _, event in _Server.got])[-1] == ("COMPLETE", "")
    run(f"{server}/lineage/of/others", out)
    assert {place for place, _, _ in _Server.got[4:]} == {"/lineage/of/others"}


def test_the_variables_of_the_standard_count_too(server, out, monkeypatch):
    run(None, out)
    assert _Server.got == []
    monkeypatch.setenv("OPENLINEAGE_URL", server)
    run(None, out)
    assert len(_Server.got) == 4
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    run(None, out)
    assert len(_Server.got) == 4


def warned(caplog):
    (record,) = [each for each in caplog.records if each.name == "lexbeam"]
    assert record.levelname == "WARNING"
    return record.getMessage()


@pytest.mark.parametrize("status", [401, 500, None])
def test_a_server_that_is_away_or_refuses_is_warned_of_once_without_keys(status, server, out, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "secret-key")
    if status is None:
        monkeypatch.setenv("OPENLINEAGE_URL", "http://user:secret-word@127.0.0.1:9/?key=secret-key")
        monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "http")
        monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", "http://user:secret-word@127.0.0.1:9/?key=secret-key")
        monkeypatch.setenv("OPENLINEAGE__TRANSPORT__RETRY", '{"total": 0, "connect": 0, "read": 0}')
    else:
        _Server.status = status
    run(server if status else None, out)
    assert "secret" not in caplog.text
    message = warned(caplog)
    assert message.endswith("; the run goes on without")
    assert (f"status {status}" if status == 401 else "Error") in message
    assert len(_Server.got) == (4 if status else 0), "each is tried"


def test_a_file_that_cannot_be_written_is_warned_of_once(out, tmp_path, caplog):
    (tmp_path / "folder").mkdir()
    run(tmp_path / "folder", out)
    assert "Is a directory" in warned(caplog)


def test_without_the_extra_a_warning_names_it(out, tmp_path, caplog, monkeypatch):
    def missing(_):
        raise ImportError("no module")

    monkeypatch.setattr(lineage, "_client", missing)
    run(tmp_path / "events", out)
    assert "the extra openlineage is not installed" in warned(caplog)


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("ftp://host/x", "begins with http"),
        ("s3://bucket/x", "begins with http"),
        ("http:///x", "begins with http"),
        ("https://me:secret@host", "OPENLINEAGE_API_KEY"),
        ("https://host/?key=secret", "OPENLINEAGE_API_KEY"),
    ],
)
def test_places_that_are_none_or_hold_a_secret_are_refused(place, what):
    with pytest.raises(UsageError, match=what) as error:
        check_lineage_place(place)
    assert "secret" not in str(error.value)
    check_lineage_place("/var/log/lineage.jsonl")
    check_lineage_place("https://marquez.example:5000/api/v1/lineage")
