"""A run killed in any stage publishes nothing, and is taken up where it stopped."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipelines.cli import main
from transforms.annotation import annotate
from transforms.change import training

ROOT = Path(__file__).resolve().parents[2]
STAGES = (
    "corpus/ingest", "corpus/annotate", "corpus/merge-sentences", "change/view", "change/train",
    "change/align", "change/score", "change/combine",
)  # fmt: skip


def files_of(out: Path) -> dict[str, bytes]:
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}


def start(config: Path, out: Path, prelude: str = "") -> subprocess.Popen:
    words = ["run", str(config), "--out", str(out), "--overwrite"]
    code = f"{prelude}\nfrom pipelines.cli import main\nmain({words!r})"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill_in(stage: str, process: subprocess.Popen, out: Path) -> None:
    """Kill the process as soon as the stage has made its first artefact."""
    folder = out / "_work" / stage
    end = time.monotonic() + 120
    while not list(folder.glob("*.json")):
        assert process.poll() is None, f"the run ended before stage {stage}"
        assert time.monotonic() < end
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait(30)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_run_is_taken_up(stage, sample_config, sample_run, tmp_path):
    out = tmp_path / "out"
    kill_in(stage, start(sample_config, out), out)
    assert not (out / "current").exists()
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert files_of(out) == files_of(sample_run)
    assert not (out / "_work").exists()


@pytest.mark.slow
def test_after_a_kill_in_training_nothing_is_annotated_again(
    sample_config, sample_run, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    kill_in("change/train", start(sample_config, out), out)
    done = len(list((out / "_work" / "change" / "train").glob("*.json")))
    trained = []
    train = training.train

    def fail(*_, **__):
        raise AssertionError("annotated again")

    def count(*arguments, **options):
        trained.append(options["slice_name"])
        return train(*arguments, **options)

    monkeypatch.setattr(annotate, "annotate_text", fail)
    monkeypatch.setattr(training, "train", count)
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert len(trained) == 4 - done
    assert files_of(out) == files_of(sample_run)


@pytest.mark.slow
def test_a_kill_within_publication_leaves_the_old_tables(sample_config, sample_run, tmp_path):
    out = tmp_path / "out"
    assert main(["run", str(sample_config), "--out", str(out), "--parts", "2"]) == 0
    old = files_of(out)
    prelude = (
        "import os\n"
        "from transforms.common import publish\n"
        "publish._switch_link = lambda *_: os.kill(os.getpid(), 9)"
    )
    killed = start(sample_config, out, prelude)
    assert killed.wait(120) == -signal.SIGKILL
    assert files_of(out) == old
    assert main(["run", str(sample_config), "--out", str(out), "--resume"]) == 0
    assert files_of(out) == files_of(sample_run)


@pytest.mark.slow
def test_a_second_run_on_the_same_folder_is_refused(sample_config, sample_run, tmp_path, capsys):
    out = tmp_path / "out"
    first = start(sample_config, out)
    while not list((out / "_work").glob("corpus/ingest/*.json")):
        assert first.poll() is None
        time.sleep(0.01)
    for words in (["--overwrite"], ["--resume"]):
        assert main(["run", str(sample_config), "--out", str(out), *words]) == 1
        assert "another run is at work" in capsys.readouterr().err
    assert main(["clean", str(out)]) == 1
    assert main(["status", str(out)]) == 0
    assert f"at work: process {first.pid}" in capsys.readouterr().out
    assert first.wait(300) == 0
    assert files_of(out) == files_of(sample_run)
