"""However a run ends, on whatever runner: what it started ends with it, and it can be taken up.

A run is held in the midst of its work: whoever begins to write an annotation waits while a file
is there. What it has started is known by a variable of the environment (tests/marked.py).
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from marked import MARK, left_of, marked, wait_until
from mixed_runs import published, skip_without
from small_runs import call, write_texts

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
SAID = "said by a worker"
HOLDS = f"""
import os, sys, time
_hold = os.environ["HOLD"]
def _wait(event, arguments):
    if event == "open" and "/_artefacts/corpus/annotate/" in str(arguments[0]):
        if os.path.exists(_hold):
            os.makedirs(_hold + ".reached", exist_ok=True)
            while os.path.exists(_hold):
                time.sleep(0.02)
sys.addaudithook(_wait)
if "lexbeam.pipelines.runners.local_worker" in sys.orig_argv:
    print({SAID!r}, file=sys.stderr, flush=True)
    if "WORKERS_FAIL" in os.environ:
        os._exit(7)
"""


class Held(NamedTuple):
    """A run that is held, and the folder in which all of it lies."""

    process: subprocess.Popen
    folder: Path

    @property
    def mark(self):
        return str(self.folder)


def words(folder, runner, *more):
    return [
        "corpus",
        folder / "texts",
        "--out",
        folder / "out",
        "--engine",
        "builtin:en",
        "--format",
        "text",
        "--dates",
        r"name:^(\d+)",
        "--parts",
        "2",
        "--runner-config",
        runner,
        *more,
    ]


def told_of(folder, runner, *more):
    """Return what an interrupted run says that is held in its first annotations."""
    line = list(map(str, words(folder, runner, *more)))
    place = line.index("--") if "--" in line else len(line)
    line.insert(place, "--resume")
    return (
        f"lexbeam: interrupted; nothing new is published, and what is finished is kept in {folder / 'out'}:\n"
        "  corpus/ingest: 1 of 1 batch\n"
        f"go on by: {shlex.join(['lexbeam', *line])}\n"
    )


def start(folder, runner, *more, **environment):
    """Start a run in a folder, in a group of processes as a shell would put it in."""
    skip_without(runner)
    for name in ("hooks", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "hooks" / "sitecustomize.py").write_text(HOLDS, "utf-8")
    path = os.pathsep.join([str(folder / "hooks"), str(ROOT)])
    signals = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    process = subprocess.Popen(
        [sys.executable, "-m", "lexbeam.pipelines.cli", *map(str, words(folder, runner, *more))],
        env={
            **os.environ,
            "PYTHONPATH": path,
            "HOLD": str(folder / "hold"),
            MARK: str(folder),
            "TMPDIR": str(folder / "tmp"),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        preexec_fn=lambda: [signal.signal(*one) for one in signals.items()],
    )
    return Held(process, folder)


def hold(folder, runner, *more):
    """Start a run, and return it when it is at work and waits."""
    (folder / "hold").touch()
    held = start(folder, runner, *more)
    wait_until(lambda: (folder / "hold.reached").exists() or held.process.poll() is not None, "it works")
    assert held.process.poll() is None, held.process.communicate()
    return held


@pytest.fixture
def folder(tmp_path):
    """A folder with texts; what is left of a run there is killed."""
    write_texts(tmp_path / "texts")
    yield tmp_path
    for pid in marked(str(tmp_path)):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def expected(made_once):
    """The bytes that a run publishes which is left alone."""

    def make(place):
        write_texts(place / "texts")
        assert call(*words(place, "direct")) == 0
        return published(place / "out")

    return made_once("left_alone", make)


def assert_nothing_is_left(held):
    """Check that the run is over, with what it started and what that wrote; return its messages."""
    # Read to the end: a process that lives on would hold the driver's output.
    out, told = held.process.communicate(timeout=600)
    assert left_of(held.mark) == {}
    wait_until(lambda: not os.listdir(held.folder / "tmp"), "temporary files go")
    assert out == ""
    assert not (held.folder / "out" / "current").exists()
    return told


def assert_taken_up(held, expected, runner="direct"):
    """Check that the run goes on where it is called again."""
    (held.folder / "hold").unlink()
    assert call(*words(held.folder, runner, "--resume")) == 0
    assert published(held.folder / "out") == expected


WAYS = {
    "Ctrl-C": (lambda run: os.killpg(run.pid, signal.SIGINT), 130),
    "SIGINT": (lambda run: run.send_signal(signal.SIGINT), 130),
    "SIGTERM": (lambda run: run.send_signal(signal.SIGTERM), 143),
    "SIGKILL": (lambda run: run.kill(), -signal.SIGKILL),
}
ENDINGS = [
    ("direct_multiprocess", "SIGKILL"),
    ("prism", "SIGINT"),
    # A signal ends a command: tests/pipelines/frame/test_interrupts.py; a run in one process is taken up: test_resume
    pytest.param("direct", "SIGTERM", marks=pytest.mark.soak),
    pytest.param("direct", "SIGKILL", marks=pytest.mark.soak),
    pytest.param("direct_multiprocess", "Ctrl-C", marks=pytest.mark.soak),  # see what workers print
    pytest.param("direct_multiprocess", "SIGTERM", marks=pytest.mark.soak),
    pytest.param("prism", "SIGKILL", marks=pytest.mark.soak),
    pytest.param("flink_local", "SIGKILL", marks=pytest.mark.soak),
]


@pytest.mark.parametrize(("runner", "way"), ENDINGS)
def test_nothing_outlives_a_run_and_it_is_taken_up(runner, way, folder, expected):
    end, status = WAYS[way]
    more = ["--", "--direct_num_workers=2"] if runner == "direct_multiprocess" else []
    held = hold(folder, runner, *more)
    assert (len(marked(held.mark)) > 1) == (runner != "direct")
    end(held.process)
    told = assert_nothing_is_left(held)
    assert held.process.returncode == status
    assert told == ("" if way == "SIGKILL" else told_of(folder, runner, *more))
    assert_taken_up(held, expected)


@pytest.mark.soak  # that it ends at once is in tests/pipelines/frame/test_interrupts.py
def test_a_second_interrupt_leaves_nothing_either(folder):
    held = hold(folder, "prism")
    held.process.send_signal(signal.SIGINT)
    held.process.send_signal(signal.SIGTERM)
    told = assert_nothing_is_left(held)
    assert held.process.returncode in (130, 143)
    assert told in (told_of(folder, "prism"), told_of(folder, "prism") * 2)


def test_what_workers_print_is_seen_by_those_who_ask(folder, expected):
    more = ["--verbose", "--", "--direct_num_workers=1"]
    held = hold(folder, "direct_multiprocess", *more)
    end, status = WAYS["Ctrl-C"]
    end(held.process)
    told = assert_nothing_is_left(held)
    assert held.process.returncode == status
    assert SAID in told
    assert told.endswith(told_of(folder, "direct_multiprocess", *more))


def test_a_worker_that_cannot_start_is_told_once(folder):
    failed = start(folder, "direct_multiprocess", "--", "--direct_num_workers=1", WORKERS_FAIL="1")
    told = assert_nothing_is_left(failed)
    assert failed.process.returncode == 1
    assert told == (f"lexbeam: a worker process ended before its time: exit status 7\n  {SAID}\n")


def test_a_worker_that_is_killed_ends_the_run(folder, expected):
    held = hold(folder, "direct_multiprocess", "--", "--direct_num_workers=1")
    own = " -m lexbeam.pipelines.runners.local_worker"
    workers = [pid for pid, line in marked(held.mark).items() if own in line]
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    told = assert_nothing_is_left(held)
    assert held.process.returncode == 1
    # Before it may stand what Beam's thread says that has lost its worker.
    assert "a worker process ended before its time: killed by signal 9\n" in told
    assert told.count("lexbeam: ") == 1
    assert_taken_up(held, expected)


CALLS = """
import os, signal, sys, threading
from marked import MARK, left_of, marked, wait_until
from lexbeam.transforms.common.spared_imports import spare_imports
spare_imports()
import lexbeam
before = signal.getsignal(signal.SIGINT)
def run():
    lexbeam.corpus({texts!r}, out={out!r}, engine="builtin:en", format="text",
                   dates=r"name:^(\\d+)", parts=2, runner_config={runner!r})
worker = threading.Thread(target=run)
worker.start()
worker.join()
others = lambda: set(marked(os.environ[MARK])) - {{os.getpid()}}
wait_until(lambda: not others(), "servers end with the call")
assert signal.getsignal(signal.SIGINT) is before
print("ended")
"""


@pytest.mark.parametrize("runner", ["prism"])
def test_a_call_from_python_leaves_nothing_in_any_thread(runner, folder, expected):
    skip_without(runner)
    (folder / "tmp").mkdir()
    code = CALLS.format(texts=str(folder / "texts"), out=str(folder / "out"), runner=runner)
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": path, MARK: str(folder)}
    environment["TMPDIR"] = str(folder / "tmp")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("ended\n", "")
    assert published(folder / "out") == expected
    assert os.listdir(folder / "tmp") == []


@pytest.mark.soak
def test_one_core_is_enough(folder, expected):
    if shutil.which("taskset") is None or not hasattr(os, "sched_getaffinity"):
        pytest.skip("needs Linux")
    one = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(one), sys.executable, "-m", "lexbeam.pipelines.cli"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), MARK: str(folder)}
    done = subprocess.run(
        [*command, *map(str, words(folder, "direct_multiprocess"))], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert published(folder / "out") == expected
    assert left_of(str(folder)) == {}
