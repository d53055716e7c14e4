"""Signals to a command: its exit status, what it says, and that a second one ends it at once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lexbeam.pipelines.frame.interrupts import interrupted_text, note_ended, note_nothing_begun, note_run
from lexbeam.pipelines.monitoring.estimates import Foreseen
from lexbeam.pipelines.monitoring.progress import RunProgress

ROOT = Path(__file__).resolve().parents[3]
# The command line, with a command that works on and on; `tidy` is what it does on its way out.
BUSY = """
import sys, time
from lexbeam.pipelines import cli; from lexbeam.pipelines.frame import running
def work(*_, **__):
    try:
        print("at work", flush=True)
        time.sleep(600)
    finally:
        {tidy}
running.run_command = work
cli.entry()
"""
RESUMES = ["corpus", "x", "--out", "y"]
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
TOLD = "lexbeam: interrupted; nothing was made yet: run the same command again\n"


LOADING = """
import sys, time
class Slow:
    @staticmethod
    def find_spec(name, path, target=None):
        if name == "lexbeam.pipelines.frame.arguments":
            print("at work", flush=True)
            time.sleep(600)
sys.meta_path.insert(0, Slow)
from lexbeam.pipelines.start import entry
entry()
"""


def start(*words, tidy="pass", ignored=(), code=BUSY):
    """Start a command, with signals that it is to ignore; return it when it is at work."""

    def prepare():
        for number in STATUS:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    process = subprocess.Popen(
        [sys.executable, "-c", code.format(tidy=tidy), *words],
        preexec_fn=prepare,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "at work\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)])
def test_a_command_that_may_be_resumed_says_so(number):
    process = start(*RESUMES)
    process.send_signal(number)
    out, output = process.communicate()
    assert (out, output, process.returncode) == ("", TOLD, STATUS[number])


def test_what_is_interrupted_while_modules_are_imported_ends_without_a_traceback():
    process = start("show", "x", code=LOADING)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", "lexbeam: interrupted; nothing was begun\n")
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", "x"], "nothing was written"),
        (["clean", "x"], "nothing was written"),
        (["report", "x"], "nothing was left half written"),
    ],
)
def test_a_command_without_resume_says_what_is_written(words, told):
    process = start(*words)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", f"lexbeam: interrupted; {told}\n")
    assert process.returncode == 130


@pytest.fixture
def begin(tmp_path):
    """Returns the progress of a run that has begun to make its sections in a folder, by a command line."""

    def begin(*words, resumes=True):
        stages = [Foreseen("toy/read", "batches"), Foreseen("toy/train", "slices"), Foreseen("toy/score", "pairs")]
        progress = RunProgress(str(tmp_path), {"toy": stages})
        note_nothing_begun(words, resumes=resumes)
        note_run(str(tmp_path), progress)
        return progress

    yield begin
    note_nothing_begun()


def test_what_is_finished_is_named_with_the_command_that_goes_on(begin, tmp_path):
    run = begin("toy", "a b", "--", "--x")
    read, train, score = run.counts["toy"]
    run.counts["toy"] = [read._replace(planned=1, made=1), train._replace(planned=6, made=1, there=2), score]
    assert interrupted_text(["resume"]).splitlines() == [
        f"interrupted; nothing new is published, and what is finished is kept in {tmp_path}:",
        "  toy/read: 1 of 1 batch",
        "  toy/train: 3 of 6 slices",
        "go on by: lexbeam toy 'a b' --resume -- --x",
    ]


def test_a_run_that_has_finished_nothing_goes_on_as_well(begin):
    begin("toy", "--resume", "--out", "x")
    assert interrupted_text(["resume"]).splitlines() == [
        "interrupted; nothing new is published, and nothing is finished yet",
        "go on by: lexbeam toy --resume --out x",
    ]


def test_what_goes_on_by_itself_is_given_again_as_it_was(begin):
    begin("toy", "--stay", resumes=False)
    assert interrupted_text([]).endswith("\ngo on by: lexbeam toy --stay")
    note_ended()
    assert interrupted_text([]) == "interrupted; nothing was written"


def test_what_is_published_meanwhile_need_not_go_on(begin, tmp_path):
    begin("toy")
    (tmp_path / "current").symlink_to(f"_snapshots/{'0' * 32}")
    assert interrupted_text(["resume"]) == f"interrupted; the tables are published at {tmp_path}"


@pytest.mark.slow
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_it_at_once(second):
    process = start(*RESUMES, tidy="print('tidying', flush=True); time.sleep(600)")
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "tidying\n"
    process.send_signal(second)
    assert process.communicate() == ("", TOLD)
    assert process.returncode == 130


@pytest.mark.slow
def test_what_fails_because_of_an_interrupt_is_not_told():
    process = start(*RESUMES, tidy="raise ValueError('the channel is closed')")
    process.send_signal(signal.SIGTERM)
    assert process.communicate() == ("", TOLD)
    assert process.returncode == 143


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so():
    process = start(*RESUMES, ignored=(signal.SIGINT, signal.SIGHUP))
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.send_signal(signal.SIGTERM)
    assert process.communicate() == ("", TOLD)
    assert process.returncode == 143


@pytest.mark.slow
def test_python_calls_take_no_handler_away():
    code = """
import signal
before = [signal.getsignal(number) for number in (2, 15, 1)]
import lexbeam, lexbeam.pipelines.cli
assert lexbeam.pipelines.cli.main(["--version"]) == 0
print([signal.getsignal(number) for number in (2, 15, 1)] == before)
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    assert done.stdout.endswith(b"True\n")
