"""Runs of one corpus of many formats, each made once, on every runner that is there.

A run but that in memory is a process of its own, in another working directory, that notes which process opens which
file: the driver, the workers, and what workers inherit from the driver all load `sitecustomize`.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from threadpoolctl import threadpool_limits

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.runners.configs import load_runner_config
from lexbeam.transforms.common.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]

# Notes every file that Python opens below the folder of the run; `pa.OSFile` opens files without
# telling Python, so it is told of for the driver. In the stages of MEET a process that has made an
# artefact waits until another one has too, or five minutes: however fast the work and however slow
# the machine, what is worked on by two processes at a time is seen to be.
_NOTES = """
import os, sys, time
_log = os.open(os.environ["OPENED_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_below = os.environ["OPENED_BELOW"]
_meet = os.environ["MEET"].split()
def _wait(stage):
    place = os.environ["OPENED_LOG"] + "." + stage.replace("/", "-")
    os.makedirs(os.path.join(place, str(os.getpid())), exist_ok=True)
    end = time.monotonic() + 300
    while len(os.listdir(place)) < 2 and time.monotonic() < end:
        time.sleep(0.05)
def _note(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(_below):
        path, mode = arguments[0], arguments[1] or "os.open"
        os.write(_log, f"{os.getpid()}\\t{mode}\\t{path}\\n".encode())
        for stage in _meet:
            if f"/_artefacts/{stage}/" in path and ".json." in path and "x" in mode:
                _wait(stage)
sys.addaudithook(_note)
"""
_DRIVER = """
import sys
import pyarrow
_open = pyarrow.OSFile
def _told(path, *mode):
    sys.audit("open", path, "native", 0)
    return _open(path, *mode)
pyarrow.OSFile = _told
from lexbeam.pipelines.cli import entry
entry()
"""


class Opened(NamedTuple):
    """A file that a process opened: `mode` is that of `open`, `os.open`, or `native`."""

    pid: int
    mode: str
    path: str


class Run(NamedTuple):
    """What a run published, by name, and which files its processes opened, in order."""

    out: Path
    driver: int
    files: dict[str, bytes]
    opened: list[Opened]

    def made(self, stage: str) -> dict[str, int]:
        """Receipts of a stage, `corpus/annotate`, each with the process that wrote it."""
        folder = f"/_artefacts/{stage}/"
        receipts = {}
        for pid, mode, path in self.opened:
            if folder in path and ".json." in path and "x" in mode:
                receipts[path.rpartition("/")[2].partition(".")[0]] = pid
        return receipts


def published(out: Path) -> dict[str, bytes]:
    """Every published file by its name, the manifest included."""
    top = (out / "current").resolve()
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


class Variant(NamedTuple):
    """How to run: a runner configuration, changes to it, Beam options, environment variables.

    In the stages of `meet` a process waits until a second one has made something too.
    """

    config: str
    lanes: int | None = None
    beam: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    meet: tuple[str, ...] = ()


REFERENCE = "in memory"
VARIANTS = {
    REFERENCE: Variant("direct"),
    "repeated bundles, another hash seed, two BLAS threads": Variant(
        "direct",
        3,
        ("--direct_runner_bundle_repeat=2",),
        environment=(("PYTHONHASHSEED", "4711"), ("OPENBLAS_NUM_THREADS", "2")),
    ),
    "two processes": Variant("direct_multiprocess", beam=("--direct_num_workers=2",)),
    "flink": Variant("flink_local", meet=("corpus/ingest", "corpus/annotate", "change/train")),
    "cluster": Variant("flink_cluster"),
    "prism": Variant("prism"),
}
SOAKED = ("repeated bundles, another hash seed, two BLAS threads", "flink", "cluster", "prism")
S3_RUNNERS = ("direct", "flink_cluster")  # whose bytes on a server of S3 are compared


def compared_runners(suite: str = "") -> list[Any]:
    """Return the runners whose bytes are compared with one process: `suite`, if any, always, the others in a soak."""
    names = ("direct_multiprocess", "prism", "flink_local", "flink_cluster")
    return [name if name == suite else pytest.param(name, marks=pytest.mark.soak) for name in names]


def skip_without(config: str) -> None:
    """Skip the test where the runner's program is not there, and say what is missing."""
    if config.startswith("flink") and shutil.which("java") is None:
        pytest.skip("needs Java for Flink")
    try:
        load_runner_config(config)
    except UsageError as error:
        pytest.skip(str(error))


def _outlived(log: str) -> list[str]:
    """Return the command lines of processes that a run left behind, known by their environment."""
    end = time.monotonic() + 60
    while True:
        left = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"OPENED_LOG={log}".encode() in (process / "environ").read_bytes().split(b"\0"):
                    left.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.5)


def make_reference(config: Path, folder: Path) -> Run:
    """Run in this process, with one thread of BLAS, and note no files."""
    with threadpool_limits(1):
        assert main(["run", str(config), "--out", str(folder / "out")]) == 0
    return Run(folder / "out", os.getpid(), published(folder / "out"), [])


def make_run(config: Path, folder: Path, variant: Variant) -> Run:
    """Run a variant in `folder`; its output is told if it fails."""
    out, log = folder / "out", folder / "opened.log"
    (folder / "hooks").mkdir()
    (folder / "hooks" / "sitecustomize.py").write_text(_NOTES, "utf-8")
    runner = variant.config
    if variant.lanes is not None:
        values = yaml.safe_load((ROOT / "runner_configs" / f"{runner}.yaml").read_text("utf-8"))
        runner = str(folder / "runner.yaml")
        Path(runner).write_text(yaml.safe_dump({**values, "lanes": variant.lanes}), "utf-8")
    words = ["run", str(config), "--out", str(out), "--runner-config", runner]
    process = subprocess.Popen(
        [sys.executable, "-c", _DRIVER, *words, "--", *variant.beam],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder / "hooks"), str(ROOT)]),
            "OPENED_LOG": str(log),
            "OPENED_BELOW": str(folder.parent),
            "MEET": " ".join(variant.meet),
            **dict(variant.environment),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    told, _ = process.communicate(timeout=1800)
    assert process.returncode == 0, told
    assert _outlived(str(log)) == []
    lines = [line.split("\t") for line in log.read_text("utf-8").splitlines()]
    opened = [Opened(int(pid), mode, path) for pid, mode, path in lines]
    return Run(out, process.pid, published(out), opened)
