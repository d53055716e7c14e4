"""Programs on a leash end with the process that started them, and nothing else does."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from marked import MARK, left_of, marked, wait_until

from lexbeam.pipelines.runners.leash import leashed

ROOT = Path(__file__).resolve().parents[3]
SLEEPS = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
# A program that starts another and does not care what becomes of it.
STARTS = [
    sys.executable,
    "-S",
    "-c",
    "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(600)",
    *SLEEPS,
]
# A driver: it starts two programs on the leash and one that is not, and says where the leash lies.
DRIVER = """
import os, subprocess, sys, time
from lexbeam.pipelines.runners.leash import leashed
program = {program!r}
with leashed() as leash:
    for _ in range(2):
        subprocess.Popen(leash.command(program), stdin=subprocess.DEVNULL)
    other = subprocess.Popen({sleeps!r}, env={{}}, stdout=2)
    {more}
    print(leash.folder, other.pid, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def mark(tmp_path):
    """A mark; what has it and lives in the end is killed."""
    yield (mark := str(tmp_path))
    for pid in marked(mark):
        os.kill(pid, signal.SIGKILL)


def environment(mark):
    return {**os.environ, "PYTHONPATH": str(ROOT), MARK: mark}


def driver(mark, more=""):
    """Start a driver; return it, the leash's folder, and the process that is not on the leash."""
    code = DRIVER.format(program=STARTS, sleeps=SLEEPS, more=more)
    process = subprocess.Popen([sys.executable, "-c", code], env=environment(mark), stdout=subprocess.PIPE, text=True)
    folder, other = process.stdout.readline().split()
    # The driver, and twice a guard, a program, and the program that it has started.
    wait_until(lambda: sum("600" in line for line in marked(mark).values()) >= 7, "programs start")
    return process, Path(folder), int(other)


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_all_that_a_killed_driver_has_started_ends_with_it(number, mark):
    process, folder, other = driver(mark)
    try:
        process.send_signal(number)
        # The end of its output: nobody else holds it.
        assert process.stdout.read() == ""
        process.wait()
        assert left_of(mark) == {}
        wait_until(lambda: not folder.exists(), "the folder goes")
        assert is_there(other), "what is not on the leash was killed"
    finally:
        os.kill(other, signal.SIGKILL)


def test_a_forked_child_of_the_driver_does_not_keep_programs_alive(mark):
    more = "pid = os.fork()\n    if not pid: os.closerange(0, 3); time.sleep(600)"
    process, folder, other = driver(mark, more)
    os.kill(other, signal.SIGKILL)
    process.kill()
    process.wait()
    wait_until(lambda: not folder.exists(), "the folder goes")
    wait_until(lambda: len(marked(mark)) <= 1, "only the forked child is left")


def test_the_end_of_the_block_ends_the_programs(mark, monkeypatch):
    monkeypatch.setenv(MARK, mark)
    with leashed() as leash:
        process = subprocess.Popen(leash.command(STARTS), stdin=subprocess.DEVNULL)
        wait_until(lambda: sum("600" in line for line in marked(mark).values()) == 3, "all start")
    assert process.wait() == -signal.SIGKILL
    assert left_of(mark) == {}
    assert not os.path.exists(leash.folder)


def test_the_folder_goes_with_a_driver_that_is_killed_before_its_first_program(mark):
    """Once it stayed: nobody was there to remove it."""
    code = "import time; from lexbeam.pipelines.runners.leash import leashed\nwith leashed() as leash:\n"
    code += "    print(leash.folder, flush=True)\n    time.sleep(600)"
    words = [sys.executable, "-c", code]
    process = subprocess.Popen(words, env=environment(mark), stdout=subprocess.PIPE, text=True)
    folder = Path(process.stdout.readline().strip())
    wait_until(lambda: any("cat" in line for line in marked(mark).values()), "the keeper starts")
    process.kill()
    assert process.stdout.read() == ""
    process.wait()
    wait_until(lambda: not folder.exists(), "the folder goes")
    wait_until(lambda: left_of(mark) == {}, "the keeper goes")


def test_what_a_program_leaves_behind_ends_with_it(mark):
    with leashed() as leash:
        code = "import subprocess, sys; subprocess.Popen(sys.argv[1:]); sys.exit(7)"
        program = [sys.executable, "-S", "-c", code, *SLEEPS]
        done = subprocess.run(leash.command(program), env=environment(mark))
        assert done.returncode == 7
        assert left_of(mark) == {}
        assert os.path.exists(leash.folder), "others may still work there"


def test_output_goes_to_a_file_or_to_the_standard_error(tmp_path):
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr); input()"
    program = [sys.executable, "-S", "-c", code]
    with leashed() as leash:
        said = subprocess.run(leash.command(program), input="text\n", capture_output=True, text=True)
        assert said.stdout == ""
        assert said.stderr.startswith("out\nerr\n")
        assert "EOFError" in said.stderr, "a program reads what is typed for others"
        log = tmp_path / "log"
        quiet = subprocess.run(leash.command(program, str(log)), capture_output=True, text=True)
        assert (quiet.stdout, quiet.stderr) == ("", "")
        assert log.read_text("utf-8").startswith("out\nerr\n")


def test_a_program_that_is_not_there_is_named():
    with leashed() as leash:
        done = subprocess.run(leash.command(["nosuch"]), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "cannot start nosuch: No such file or directory\n"


def test_no_program_starts_after_the_end():
    with leashed() as leash:
        words = leash.command(["echo", "started"])
        leash.cut()
        assert leash.is_cut
        assert os.path.exists(leash.folder)
        done = subprocess.run(words, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert subprocess.run(words, capture_output=True).returncode == 3


def test_programs_write_their_temporary_files_where_they_go_with_the_run(mark):
    with leashed() as leash:
        code = "import tempfile; print(tempfile.mkdtemp())"
        done = subprocess.run(leash.command([sys.executable, "-c", code]), capture_output=True, text=True)
        assert Path(done.stderr.strip()).parent == Path(leash.folder)
    assert not os.path.exists(leash.folder)


@pytest.mark.parametrize("thread", [False, True])
def test_handlers_of_signals_are_left_as_they_were(thread):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    inside = []

    def block():
        with leashed():
            inside.append(signal.getsignal(signal.SIGINT))

    if thread:
        worker = threading.Thread(target=block)
        worker.start()
        worker.join()
    else:
        block()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert (inside == before[:1]) == thread


def test_an_interrupt_cuts_before_its_exception_is_raised():
    seen = []

    def handler(number, frame):
        seen.append(leash.is_cut)
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(KeyboardInterrupt), leashed() as leash:
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert seen == [True]
