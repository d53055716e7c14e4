"""Runs that are left to a cluster: what the folder says of them, and what the next command does.

The cluster is a server that answers as Flink does, and the job runs in this process before its driver ends. The
real one is in `test_flink_cluster.py`.
"""

import json
import shutil

import apache_beam as beam
import pytest
from fake_flink import JOB, FakeFlink, fake_flink, noted_jobs
from making import files_below
from object_store import OBJECTS, STORE
from small_runs import SLICES, SMALL, call, corpus, write_texts

from lexbeam.pipelines.runners import configs
from lexbeam.transforms.common.publish.layout import locked


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "texts")


@pytest.fixture(scope="module")
def undisturbed(texts, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert corpus(texts, out) == 0
    return seen(out)


@pytest.fixture(scope="module")
def server():
    with fake_flink("") as flink:
        yield flink


@pytest.fixture
def flink(server, tmp_path, monkeypatch):
    """The server as it is to begin with, which knows no job yet."""
    vars(server).update(vars(FakeFlink(server.address, tmp_path / "out")))
    # Not for the whole module: a run that should be refused would ask for a job server beyond this machine.
    monkeypatch.setattr(configs, "cluster_of", lambda config: server.address)
    return server


@pytest.fixture(scope="module")
def once(texts, server, tmp_path_factory):
    """A folder with a job that is left to a cluster, and a copy to begin with anew."""
    out = server.out = tmp_path_factory.mktemp("left") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(configs, "cluster_of", lambda config: server.address)
        assert corpus(texts, out, "--detach") == 0
    return out, shutil.copytree(out, out.parent / "kept", symlinks=True)


@pytest.fixture
def left(once, flink):
    """The folder with a job that is left to a cluster and, as that says, runs."""
    flink.out, kept = once
    shutil.rmtree(flink.out)
    shutil.copytree(kept, flink.out, symlinks=True)
    assert not (flink.out / "current").exists()
    return flink.out


@pytest.fixture
def no_runs(monkeypatch):
    """From now on, graphs are built and none is run."""
    monkeypatch.setattr(beam.Pipeline, "run", lambda *_: pytest.fail("a graph was run"))


def seen(out):
    return files_below((out / "current").resolve())


def results_of(out):
    return out / "_artefacts" / "results" / noted_jobs(out)[0]["results"]


def test_while_the_job_runs_nobody_else_is_at_work(left, texts, flink, capsys):
    before = files_below(left)
    other = corpus, (texts, left, "--max-reject-share", "0.5")
    for command, words in [(corpus, (texts, left, "--detach")), (corpus, (texts, left, "--resume")), other]:
        assert command(*words) == 1
        assert f"a detached run is at work on '{left}' (making corpus; job {JOB} at {flink.address})" in said(capsys)
    assert call("change", "--out", left, *SLICES, *SMALL) == 2  # there is nothing yet that it could read
    assert call("clean", left) == 1
    assert "a detached run is at work" in said(capsys)
    assert call("status", left) == 0
    assert f"at work: a detached run, corpus: job {JOB} at {flink.address}: running\n" in capsys.readouterr().out
    assert call("status", left, "--json") == 0
    status = json.loads(capsys.readouterr().out)
    assert status["at_work"]
    assert status["detached"]["state"] == "running"
    assert status["left_behind"] == []
    assert files_below(left) == before


@pytest.mark.parametrize("state", ["FINISHED", pytest.param("", marks=pytest.mark.soak), "unreachable"])
def test_when_it_is_done_the_same_command_publishes_what_it_made(
    state, left, texts, flink, undisturbed, no_runs, capsys
):
    flink.state = state
    if state == "unreachable":
        flink.raw = b""
    assert call("status", left) == 0
    told = capsys.readouterr().out
    assert "at work: nobody\ndetached: corpus: job " in told
    assert "has finished what it left to the cluster\ngo on, and publish, by lexbeam corpus" in told
    with locked(str(left)):
        assert corpus(texts, left, "--detach") == 1
        assert "another run is at work" in said(capsys)
    assert corpus(texts, left, "--detach") == 0
    assert seen(left) == undisturbed
    assert noted_jobs(left) == []
    assert list((left / "_artefacts" / "results").iterdir()) == []
    assert corpus(texts, left, "--detach") == 2  # it is published, once
    assert "published" in said(capsys)


def test_without_detach_it_is_taken_over_too(left, texts, flink, undisturbed, no_runs):
    flink.state = "FINISHED"
    assert corpus(texts, left) == 0
    assert seen(left) == undisturbed


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("FAILED", f"job {JOB} failed: java.io.IOException: disk full"),
        ("FINISHED", "does not know job lexbeam-"),  # it says so, and nothing was handed back
    ],
)
def test_of_a_job_that_has_not_finished_the_cause_is_told_and_a_new_run_goes_on(
    state, told, left, texts, flink, undisturbed, capsys
):
    flink.state, flink.trace = state, "x.Y: z\nCaused by: java.io.IOException: disk full\n"
    (results_of(left) / "done.json").unlink()
    assert call("status", left) == 0
    assert f"detached: corpus: {told}" in "".join(capsys.readouterr().out.split(f"the cluster at {flink.address} "))
    made = files_below(left / "_artefacts" / "corpus")
    assert corpus(texts, left, "--detach", "--fresh") == 0 if state == "FAILED" else corpus(texts, left) == 0
    assert "going on from its artefacts" in capsys.readouterr().out
    if state != "FAILED":
        assert seen(left) == undisturbed
        assert files_below(left / "_artefacts" / "corpus") == made


def test_a_cluster_that_does_not_answer_may_be_at_work_until_a_person_says_that_it_is_gone(
    left, texts, flink, undisturbed, capsys
):
    (results_of(left) / "done.json").unlink()
    flink.raw = b""
    for command, words in [(corpus, (texts, left, "--detach")), (call, ("clean", left))]:
        assert command(*words) == 1
        assert f"the cluster at {flink.address} does not answer" in said(capsys)
    assert corpus(texts, left, "--resume") == 0
    assert seen(left) == undisturbed


def test_another_command_goes_on_when_the_job_is_done(left, texts, flink, capsys):
    flink.state = ""
    assert corpus(texts, left, "--max-reject-share", "0.5") == 0
    assert "corpus: finished, and not published; what it has made is kept as artefacts" in capsys.readouterr().out
    assert noted_jobs(left) == []


def test_what_was_handed_back_and_is_damaged_is_made_anew(left, texts, flink, undisturbed):
    flink.state = ""
    next((left / "_artefacts" / "corpus").rglob("*.parquet")).write_bytes(b"")
    assert corpus(texts, left) == 0
    assert seen(left) == undisturbed


def test_what_was_asked_of_other_inputs_is_not_taken_for_this(left, tmp_path, texts, flink, caplog):
    flink.state = ""
    other = shutil.copytree(texts, tmp_path / "texts")
    (other / "1810.txt").write_text("Another text stands here now.")
    assert corpus(other, left) == 0
    assert "detached: corpus: inputs, files of options or code are others now: it is made anew" in caplog.text
    assert corpus(other, tmp_path / "direct") == 0
    assert seen(left) == seen(tmp_path / "direct")


def test_sections_are_left_one_after_the_other_and_published_together(texts, flink, tmp_path, capsys):
    config = tmp_path / "config.yaml"
    own = {"slices": SLICES[1], "dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1}
    values = {"corpus": {"inputs": [str(texts)], "engine": "builtin:en", "dates": "name:^(\\d+)"}, "change": own}
    config.write_text(json.dumps(values))
    assert call("run", config, "--out", tmp_path / "direct") == 0
    flink.state = "FINISHED"
    for section in ("corpus", "change"):
        capsys.readouterr()
        assert call("run", config, "--out", flink.out, "--detach") == 0
        job = noted_jobs(flink.out)[-1]
        assert job["section"] == section
        told = capsys.readouterr().out
        assert f"{section}: {flink.address} has it as job lexbeam-{job['results']}" in told
        assert not (flink.out / "current").exists()
    capsys.readouterr()
    assert call("run", config, "--out", flink.out, "--detach") == 0
    assert "tables: " in capsys.readouterr().out
    assert seen(flink.out) == seen(tmp_path / "direct")


def test_the_record_lies_on_an_object_store_too(texts, flink, undisturbed, capsys):
    OBJECTS.clear()
    flink.out = STORE
    assert corpus(texts, STORE, "--detach") == 0
    assert corpus(texts, STORE, "--detach") == 1
    assert f"a detached run is at work on '{STORE}'" in said(capsys)
    flink.state = ""
    assert call("status", STORE) == 0
    assert "has finished what it left to the cluster" in capsys.readouterr().out
    assert corpus(texts, STORE, "--detach") == 0
    assert [content for path, content in sorted(OBJECTS.items()) if "/part-" in path] == [
        content for path, content in sorted(undisturbed.items()) if "/part-" in path
    ]
    assert noted_jobs(STORE) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--detach leaves the work to a Flink cluster, and direct is none"),
        (["--runner-config", "direct_multiprocess"], "and direct is none"),
        (["--", "--runner=FlinkRunner", "--flink_master=[local]"], "and FlinkRunner is none"),
        (["--", "--runner=FlinkRunner", "--flink_master=x:1", "--environment_type=LOOPBACK"], "give PROCESS"),
        (["--", "--runner=FlinkRunner", "--flink_master=x:1", "--setup_file=./setup.py"], "by --artifacts_dir"),
    ],
)
def test_where_nothing_outlives_the_driver_detaching_is_wrong(words, told, texts, tmp_path, capsys):
    assert corpus(texts, tmp_path / "out", "--detach", *words) == 2
    assert told in said(capsys)
    assert not (tmp_path / "out").exists()


def said(capsys):
    return capsys.readouterr().err
