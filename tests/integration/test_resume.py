"""A run killed in any stage publishes nothing, and is resumed where it stopped."""

import itertools
import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from small_runs import make_out

from lexbeam.pipelines.cli import main
from lexbeam.transforms.annotation import annotate
from lexbeam.transforms.change.spaces import training

# Runs are forked from a process that has loaded what they need and does nothing else.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.integration.warm"])
QUIET = """\
import os
for stream in (1, 2):
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
"""
# However late the kill comes, the run has not published: it waits forever before it would.
NEVER = """\
import signal
from lexbeam.pipelines.frame import publishing
publishing.publish = lambda *_, **__: signal.pause()
"""
# The stages of the run of the sample, in the order in which they end, and those that no kill is timed by:
# nothing is rejected, and the rows of the slices are written last. Nulls, series and shards have runs of their own.
STAGES = (
    *("corpus/ingest", "corpus/annotate", "corpus/merge-documents", "corpus/merge-sentences", "corpus/merge-inputs"),
    *("change/view", "change/count", "change/shuffle", "change/train", "change/align", "change/score"),
    *("change/combine", "change/summarise", "change/neighbours"),
)
LEFT_OUT = ("corpus/merge-rejects", "change/slices")
OF_SHARDS = ("change/train-shard", "change/average", "change/average-last")
OF_NULLS = ("change/sizes", "change/deal", "change/dealt", "change/series-trace", "change/series")


def files_of(out: Path) -> dict[str, bytes]:
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}


def start(config: Path, out: Path, *more: str, prelude: str = "", runner: str = "direct") -> BaseProcess:
    words = ["run", str(config), "--out", str(out), "--overwrite", "--runner-config", runner, *more]
    code = f"{QUIET}{prelude}\nfrom lexbeam.pipelines.cli import main\nraise SystemExit(main({words!r}))"
    process = FORKS.Process(target=exec, args=(code, {"__name__": "__main__"}))
    process.start()
    return process


def kill_in(stage: str, process: BaseProcess, out: Path) -> None:
    """Kill the process as soon as the stage has made its first artefact."""
    folder = out / "_artefacts" / stage
    end = time.monotonic() + 600
    try:
        while not list(folder.glob("*.json")):
            assert process.is_alive(), f"the run ended before stage {stage}"
            assert time.monotonic() < end, f"stage {stage} made nothing"
            time.sleep(0.002)
    finally:
        process.kill()
        process.join()


@pytest.fixture(scope="module")
def other_run(made_once):
    """A corpus of a few texts, and change: the old tables of a folder that is made anew."""
    return made_once("small_out", make_out)


@pytest.fixture
def out(other_run, tmp_path):
    """A folder with old tables, and none of what they were made with."""
    return Path(
        shutil.copytree(
            other_run,
            tmp_path / "out",
            symlinks=True,
            copy_function=os.link,
            ignore=shutil.ignore_patterns("_artefacts"),
        )
    )


def is_finished(out: Path) -> bool:
    """Whether nothing is left of a run that was cut off."""
    return not (out / "_artefacts" / "unfinished.json").exists()


# A run is killed twice: in one of the first stages, and when it is resumed in one of the last. In
# the suite the first pair is; in a soak, all.
def twice(stages: Sequence[str]) -> list[Any]:
    half = len(stages) // 2
    pairs = itertools.zip_longest(stages[:half], stages[half:], fillvalue=stages[0])
    return [pytest.param(*pair, marks=[pytest.mark.soak] * (place > 0)) for place, pair in enumerate(pairs)]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), twice(STAGES))
def test_a_killed_run_is_taken_up(first, second, sample_config, sample_run, other_run, out):
    kill_in(first, start(sample_config, out, prelude=NEVER), out)
    assert files_of(out) == files_of(other_run)
    kill_in(second, start(sample_config, out, "--resume", prelude=NEVER), out)
    assert files_of(out) == files_of(other_run)
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert files_of(out) == files_of(sample_run)
    assert is_finished(out)


@pytest.mark.slow
def test_kills_know_the_stages_of_a_run(sample_run):
    made = {f"{room}/{path.name}" for room in ("corpus", "change") for path in sample_run.glob(f"_artefacts/{room}/*")}
    assert made - {*OF_NULLS} == {*STAGES, *LEFT_OUT}


@pytest.fixture(scope="module")
def series_config(make_sample, tmp_path_factory):
    """The configuration of three slices, with null pairs and null series."""
    return make_sample(
        tmp_path_factory.mktemp("series"),
        slices="1800-1824,1825-1849,1950-1999",
        null=3,
        dim=10,
        epochs=1,
        seeds=1,
        alignment="op",
    )


@pytest.fixture(scope="module")
def series_run(series_config, tmp_path_factory):
    out = tmp_path_factory.mktemp("series_run") / "out"
    assert main(["run", str(series_config), "--out", str(out)]) == 0
    return out


@pytest.mark.soak
@pytest.mark.parametrize(("first", "second"), twice(OF_NULLS))
def test_a_run_with_nulls_that_is_killed_is_taken_up(first, second, series_config, series_run, tmp_path):
    out = tmp_path / "out"
    kill_in(first, start(series_config, out, prelude=NEVER), out)
    kill_in(second, start(series_config, out, "--resume", prelude=NEVER), out)
    assert not (out / "current").exists()
    assert main(["run", str(series_config), "--out", str(out), "--resume"]) == 0
    assert files_of(out) == files_of(series_run)
    assert is_finished(out)


@pytest.mark.soak
@pytest.mark.parametrize("stage", OF_SHARDS)
def test_a_run_with_shards_that_is_killed_is_taken_up(stage, make_sample, tmp_path):
    cut = {"shards": 2, "rounds": 2, "dim": 10, "epochs": 2, "seeds": 1, "alignment": "op"}
    config, out = make_sample(tmp_path, **cut), tmp_path / "out"
    kill_in(stage, start(config, out, prelude=NEVER, runner="direct_multiprocess"), out)
    assert main(["run", str(config), "--out", str(out), "--resume"]) == 0
    assert main(["run", str(config), "--out", str(tmp_path / "whole")]) == 0
    assert files_of(out) == files_of(tmp_path / "whole")
    assert is_finished(out)


@pytest.mark.soak
@pytest.mark.parametrize("stage", ["corpus/annotate", "change/train"])
def test_a_run_in_two_processes_whose_driver_is_killed_is_taken_up(stage, sample_config, sample_run, tmp_path):
    out = tmp_path / "out"
    run = start(sample_config, out, prelude=NEVER, runner="direct_multiprocess")
    kill_in(stage, run, out)
    assert not (out / "current").exists()
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert files_of(out) == files_of(sample_run)
    assert is_finished(out)


@pytest.mark.slow
def test_after_a_kill_in_training_nothing_is_annotated_again(sample_config, sample_run, tmp_path, monkeypatch):
    out = tmp_path / "out"
    kill_in("change/train", start(sample_config, out, prelude=NEVER), out)
    done = len(list((out / "_artefacts" / "change" / "train").glob("*.json")))
    trained = []
    train = training.train_space

    def fail(*_, **__):
        raise AssertionError("annotated again")

    def count(*arguments, **options):
        trained.append(options["slice_name"])
        return train(*arguments, **options)

    monkeypatch.setattr(annotate, "annotate_text", fail)
    monkeypatch.setattr(training, "train_space", count)
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert len(trained) == 4 - done
    assert files_of(out) == files_of(sample_run)


# Where the whole command is killed as it publishes: before the link is switched, and as the old
# snapshot is removed. Publication alone is killed at every call in test_publication_kills.
PLACES = {"switching": ("publish._replace_link", "old"), "removing": ("publish.remove_snapshot", "new")}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["switching", pytest.param("removing", marks=pytest.mark.soak)])
def test_a_kill_within_publication_leaves_old_tables_or_new_ones(place, sample_config, sample_run, other_run, out):
    name, left = PLACES[place]
    prelude = (
        "import os\n"
        "from lexbeam.transforms.common.publish import publication as publish\n"
        "def publish_and_die(*arguments, true=publish.publish, **more):\n"
        f"    {name} = lambda *_: os.kill(os.getpid(), 9)\n"
        "    return true(*arguments, **more)\n"
        "from lexbeam.pipelines.frame import publishing\n"
        "publishing.publish = publish_and_die"
    )
    killed = start(sample_config, out, "--keep-snapshots", "1", prelude=prelude)
    killed.join(600)
    assert killed.exitcode == -signal.SIGKILL
    assert files_of(out) == files_of({"old": other_run, "new": sample_run}[left])
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert files_of(out) == files_of(sample_run)


@pytest.mark.slow
def test_a_second_run_on_the_same_folder_is_refused(sample_config, sample_run, tmp_path, capsys):
    out, seen = tmp_path / "out", tmp_path / "seen"
    prelude = (
        "import os, time\n"
        "from lexbeam.pipelines.frame import publishing\n"
        "def publish_later(*arguments, true=publishing.publish, **more):\n"
        f"    while not os.path.exists({str(seen)!r}):\n"
        "        time.sleep(0.01)\n"
        "    return true(*arguments, **more)\n"
        "publishing.publish = publish_later"
    )
    first = start(sample_config, out, prelude=prelude)
    while not list((out / "_artefacts").glob("corpus/ingest/*.json")):
        assert first.is_alive()
        time.sleep(0.01)
    for words in (["--overwrite"], ["--resume"]):
        assert main(["run", str(sample_config), "--out", str(out), *words]) == 1
        assert "another run is at work" in capsys.readouterr().err
    assert main(["clean", str(out)]) == 1
    assert main(["status", str(out)]) == 0
    assert f"at work: process {first.pid}" in capsys.readouterr().out
    seen.touch()
    first.join(600)
    assert first.exitcode == 0
    assert files_of(out) == files_of(sample_run)
