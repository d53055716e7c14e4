"""Whole runs on a real server of S3: the bytes of a local folder, two runs at once, a server that fails and goes."""

import json
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from mixed_runs import S3_RUNNERS
from s3_server import KEY, SECRET, led_to, published_bytes

import lexbeam as lexbeam_package
from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.publish.leases import LEASE
from lexbeam.transforms.common.publish.snapshots import find_snapshot, open_snapshot
from lexbeam.transforms.common.store import files, objects
from lexbeam.transforms.common.store.remote import remote

WORDS = "the ship sails over the sea and the sailor sings of the land"
LEXBEAM = [sys.executable, "-m", "lexbeam.pipelines.cli"]


@pytest.fixture(scope="module")
def server(store):
    with led_to(store):
        yield store


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """A configuration of corpus and change, its texts beside it."""
    folder = tmp_path_factory.mktemp("store")
    (folder / "texts").mkdir()
    for year in (1810, 1820, 1860, 1870):
        body = ". ".join(f"{WORDS} number {n}" for n in range(10)) + "."
        (folder / "texts" / f"{year}.txt").write_text(f"In {year} {body}")
    corpus = {"inputs": [str(folder / "texts")], "engine": "builtin:en", "format": "text", "dates": r"name:^(\d+)"}
    change = {"slices": "1800-1849,1850-1900", "dim": 5, "epochs": 1, "min_count": 1, "min_sentence": 1}
    path = folder / "config.yaml"
    path.write_text(json.dumps({"corpus": corpus, "parts": 2, "change": change}))
    return path


@pytest.fixture(scope="module")
def local(config):
    """The tables of the configuration in a local folder, and the name of the snapshot."""
    out = config.parent / "local"
    assert main(["run", str(config), "--out", str(out)]) == 0
    return published_bytes(out), open_snapshot(str(out)).name


def lexbeam(*words):
    return subprocess.run([*LEXBEAM, *map(str, words)], capture_output=True, text=True)


@pytest.mark.parametrize("runner", ["direct", pytest.param("direct_multiprocess", marks=pytest.mark.soak)])
def test_a_run_on_s3_has_the_bytes_of_a_local_one_and_tells_no_secret(runner, server, config, local, capfd):
    out = "s3://bucket/first" if runner == "direct" else f"s3://bucket/{runner}"
    texts = "s3://bucket/texts"
    for path in sorted((config.parent / "texts").iterdir()):
        files.write_bytes(f"{texts}/{path.name}", path.read_bytes())
    there = config.parent / "there.yaml"
    there.write_text(config.read_text().replace(str(config.parent / "texts"), texts))
    server.counts.clear()
    server.failing = 20  # a twentieth of all requests is refused, and sent again
    code = main(["run", str(there), "--out", out, "--runner-config", runner])
    server.failing = 0
    ran = capfd.readouterr()
    assert code == 0, ran.err
    assert server.refused > 10
    assert published_bytes(out) == local[0]
    assert not files.exists(f"{out}/{LEASE}")
    # No artefact costs a listing, and none more than a few requests.
    receipts = server.counts["PUT", "receipt"]
    assert receipts > 10
    assert server.counts["GET", "receipt"] <= 1.2 * receipts
    assert server.counts["GET", "listing"] < 20
    assert sum(server.counts.values()) < 20 * receipts
    told = ran.out + ran.err
    for entry in files.find_files(out):
        told += files.read_bytes(entry.path).decode("latin-1")
    assert SECRET not in told
    assert KEY not in told
    assert main(["status", out, "--verify"]) == 0
    status = capfd.readouterr().out
    assert "verified: " in status
    assert "at work: nobody" in status


def test_data_of_python_lies_on_the_store(server, tmp_path):
    rows = [{"text": f"In {year} {WORDS}.", "date": str(year)} for year in (1810, 1860)]
    places = ["s3://bucket/given", str(tmp_path / "given")]
    for out in places:
        made = lexbeam_package.corpus(rows, out=out, engine="builtin:en", dates="field:date", parts=2)
        assert made.table("documents").num_rows == 2
        assert not any("stale" in line for line in lexbeam_package.status(out))
    assert published_bytes(places[0]) == published_bytes(places[1])
    names = [[entry.name for entry in files.find_files(f"{out}/_given")] for out in places]
    assert names[0] == names[1]
    assert len(names[0]) == 1
    lexbeam_package.corpus(
        rows[:1], out=places[0], engine="builtin:en", dates="field:date", overwrite=True, keep_snapshots=1
    )
    told = lexbeam_package.clean(places[0])
    assert any(line.startswith("removed: data from Python that nothing published is made from (1,") for line in told)
    left = [entry.name for entry in files.find_files(f"{places[0]}/_given")]
    assert len(left) == 1
    assert left != names[0]


def test_published_tables_are_read_as_the_page_says(server, config, local, capfd):
    page = (Path(__file__).parents[3] / "docs" / "running" / "object-stores.md").read_text("utf-8")
    (recipe,) = re.findall(r"^    import duckdb.*?(?=^\S)", page, re.DOTALL | re.MULTILINE)
    names = {}
    try:
        exec(textwrap.dedent(recipe).replace("s3://bucket/results", "s3://bucket/first"), names)
    finally:
        duckdb.unregister_filesystem("s3")
    expected = open_snapshot("s3://bucket/first").read("sentences")
    assert names["frame"].equals(expected.to_pandas())
    assert list(names["ids"]["document_id"]) == expected["document_id"].to_pylist()
    assert names["lazy"].collect().height == expected.num_rows
    printed = capfd.readouterr().out
    for year, number in Counter(expected["year"].to_pylist()).items():
        assert re.search(rf"{year} +│ +{number} ", printed), printed


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("AWS_ACCESS_KEY_ID", "another-key", r"refuses \(XAdminUserNotFound\): check the keys"),
        ("AWS_SECRET_ACCESS_KEY", "another-secret", r"refuses \(SignatureDoesNotMatch\): check the keys"),
        ("AWS_ENDPOINT_URL", "/elsewhere", r"NoSuchBucket|there is no such bucket|check the address of the store"),
        ("bucket", "nosuch", "there is no such bucket: check its name, or make it first"),
    ],
)
def test_what_is_published_is_never_called_new_for_a_wrong_key_bucket_or_address(
    name, value, told, server, config, local, monkeypatch, capfd
):
    """A server answers 404 to all of these, as it does where there is no object."""
    bucket = value if name == "bucket" else "bucket"
    if name != "bucket":
        monkeypatch.setenv(name, server.environment[name] + value if value.startswith("/") else value)
    objects._opened.cache_clear()
    out = f"s3://{bucket}/first"
    server.counts.clear()
    for words in (
        ["refresh", config, "--out", out],
        ["refresh", config, "--out", out, "--dry-run"],
        ["run", config, "--out", out, "--overwrite"],
        ["status", out],
        ["show", out],
        ["clean", out],
    ):
        assert main([str(word) for word in words]) == 1, words
        printed = capfd.readouterr()
        assert re.search(told, printed.err), (words, printed.err)
        assert "new" not in printed.out, words
        assert not re.search(rf"{KEY}|{SECRET}|another-|StringToSign", printed.out + printed.err)
    assert not [method for method, _ in server.counts if method not in ("GET", "HEAD")]
    monkeypatch.undo()
    objects._opened.cache_clear()
    assert published_bytes("s3://bucket/first") == local[0]


@pytest.mark.soak
def test_of_two_runs_at_once_one_is_refused(server, config, local):
    out = "s3://bucket/two"
    first = subprocess.Popen([*LEXBEAM, "run", str(config), "--out", out], stdout=subprocess.DEVNULL)
    wait_for(lambda: files.exists(f"{out}/{LEASE}"), first)
    second = lexbeam("run", config, "--out", out)
    assert second.returncode == 1
    assert f"another run is at work on '{out}' (process {first.pid} on" in second.stderr
    assert "at work: process" in lexbeam("status", out).stdout
    assert first.wait() == 0
    assert published_bytes(out) == local[0]


KILLS = 20


@pytest.fixture(scope="module")
def requests(server, config):
    """How many requests an undisturbed run sends."""
    before = sum(server.counts.values())
    assert lexbeam("run", config, "--out", "s3://bucket/counted").returncode == 0
    return sum(server.counts.values()) - before


@pytest.mark.soak
@pytest.mark.parametrize("number", range(KILLS))
def test_a_run_killed_at_any_request_is_taken_up_at_once(number, server, config, local, requests):
    out = f"s3://bucket/killed-{number}"
    run = subprocess.Popen([*LEXBEAM, "run", str(config), "--out", out], stdout=subprocess.DEVNULL)
    server.at = (requests * (2 * number + 1) // (2 * KILLS), run.kill)
    assert run.wait() == -signal.SIGKILL
    if find_snapshot(out) is not None:  # after the switch all is there
        assert published_bytes(out) == local[0]
    again = lexbeam("run", config, "--out", out, "--resume")
    assert again.returncode == 0, again.stderr
    assert published_bytes(out) == local[0]
    assert open_snapshot(out).damaged() == []
    assert not files.exists(f"{out}/{LEASE}")


@pytest.mark.soak
def test_status_tells_how_far_a_run_is_by_few_requests(server, config, local, requests):
    out = "s3://bucket/halfway"
    run = subprocess.Popen([*LEXBEAM, "run", str(config), "--out", out], stdout=subprocess.DEVNULL)
    server.at = (requests // 2, run.kill)
    assert run.wait() == -signal.SIGKILL
    server.counts.clear()
    told = lexbeam("status", out).stdout
    assert re.search(r"corpus/annotate +[1-9]\d* +0\b", told), told
    assert "continue it by " in told
    # Some a stage, none an artefact.
    assert server.counts["GET", "receipt"] == server.counts["HEAD", "receipt"] == 0
    assert sum(server.counts.values()) < 90


@pytest.mark.soak
@pytest.mark.parametrize("runner", S3_RUNNERS)
def test_a_server_that_refuses_and_goes_in_between_costs_time_alone(runner, ready, server, config, local):
    ready(runner)
    out = f"s3://bucket/disturbed-{runner}"
    server.failing, before = 20, server.refused
    try:
        words = ["run", str(config), "--out", out, "--runner-config", runner]
        run = subprocess.Popen([*LEXBEAM, *words], stdout=subprocess.DEVNULL)
        wait_for(lambda: remote(out).folder(f"{out}/_artefacts/corpus/annotate")[0], run)
        server.stop()
        time.sleep(1)
        server.start()
        assert run.wait() == 0
    finally:
        server.failing = 0
    assert server.refused - before > 10
    assert published_bytes(out) == local[0]
    assert open_snapshot(out).damaged() == []


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None, "the run has ended before"
        time.sleep(0.05)
