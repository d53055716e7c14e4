"""The command that follows a publication: split without a shell, told what was published, its failure told."""

import io
import os
import shlex
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from making import made_section, put

from lexbeam.pipelines.runners import hooks
from lexbeam.pipelines.runners.hooks import PublishHookError, hook_words, run_hook, tell_readers
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.history import read_history, untold_publications


def python(code):
    return shlex.join([sys.executable, "-c", code])


@pytest.mark.parametrize("plain", [True, False])
def test_it_is_told_what_is_published_and_gets_no_input(plain, capfd, monkeypatch):
    if plain:  # else something else stands for standard error, here what captures it
        monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    code = "import os, sys; e = os.environ.get; print(*map(e, %r), repr(sys.stdin.read()))"
    run_hook(python(code % (["LEXBEAM_OUT", "LEXBEAM_SNAPSHOT", "LEXBEAM_TOKEN"],)), "/data/out", "ab12", "cd34")
    out, err = capfd.readouterr()
    assert (out, err) == ("", "/data/out ab12 cd34 ''\n")


def test_no_shell_runs_it(tmp_path):
    made = tmp_path / "made"
    with pytest.raises(PublishHookError, match=r"cannot be run: .*: No such file"):
        run_hook(f"/no/such/program ; touch {made}", "o", "s", "t")
    run_hook(f"{sys.executable} -c pass ; touch {made} > $HOME", "o", "s", "t")
    assert not made.exists()


@pytest.mark.parametrize(
    ("code", "how"),
    [("raise SystemExit(3)", "ended with 3"), ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9")],
)
def test_its_failure_says_that_what_is_published_stays(code, how):
    with pytest.raises(PublishHookError, match=f"snapshot ab12 is published, but `on_publish` {how}"):
        run_hook(python(code), "o", "ab12", "t")


def test_its_failure_says_nothing_of_its_words_which_may_be_keys():
    with pytest.raises(PublishHookError, match=r"ended with 1: 'false'; the next refresh") as error:
        run_hook("false --key secret", "o", "ab12", "t")
    assert "secret" not in str(error.value)


def test_what_it_prints_goes_where_messages_go(monkeypatch):
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    run_hook(python("import sys; print('one'); sys.stdout.flush(); sys.stderr.buffer.write(b'tw\\xff')"), "o", "s", "t")
    assert heard.getvalue() == "one\ntw\\xff"
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "__stderr__", None)
    run_hook(python("print('nobody hears')"), "o", "s", "t")


@pytest.mark.parametrize("command", ["", "  ", "sh -c 'x", "a\0b"])
def test_what_is_no_command_is_refused(command):
    with pytest.raises(UsageError, match="must be a command"):
        hook_words(command)


# It leaves a child, says so, and heeds no SIGTERM where it is told not to.
STAYS = """
import os, signal, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
if {deaf}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open({path!r}, "w") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}\\n")
time.sleep(600)
"""


@pytest.mark.parametrize("deaf", [False, True])
def test_an_interrupt_ends_it_with_all_that_it_started_and_says_so(deaf, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(hooks, "_GRACE", 60.0 if not deaf else 0.1)
    pids = tmp_path / "pids"

    def interrupt():
        until(lambda: pids.exists() and pids.read_text().endswith("\n"))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_hook(python(STAYS.format(deaf=deaf, path=str(pids))), "o", "ab12", "t")
    thread.join()
    (record,) = caplog.records
    assert record.getMessage() == (
        "snapshot ab12 is published, but `on_publish` was cut off: the next refresh with `on_publish` runs it again"
    )
    for pid in map(int, pids.read_text().split()):
        until(lambda pid=pid: not alive(pid))


def until(condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("in vain")


def alive(pid):
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# It notes what it is told of, and fails as long as a file is there.
TELLS = """
import os
with open({told!r}, "a") as file:
    print(os.environ["LEXBEAM_SNAPSHOT"], os.environ["LEXBEAM_TOKEN"], file=file)
raise SystemExit(os.path.exists({fails!r}))
"""


@pytest.fixture
def night(tmp_path):
    """A folder, a function that publishes another word there, a hook, what it has heard, a file that makes it fail."""

    def publish(word, **more):
        put(tmp_path / "out", made_section(tmp_path / "w", "corpus", {"documents": [[word]]}), tells=True, **more)

    told, fails = tmp_path / "told", tmp_path / "fails"
    hook = python(TELLS.format(told=str(told), fails=str(fails)))
    return str(tmp_path / "out"), publish, hook, lambda: told.read_text().splitlines() if told.exists() else [], fails


def test_each_publication_is_told_until_the_hook_ends_well_the_oldest_first(night):
    out, publish, hook, heard, fails = night
    publish("a")
    assert tell_readers(None, out) == 0
    fails.touch()
    for word in "bc":
        with pytest.raises(PublishHookError, match="the next refresh with `on_publish` runs it again"):
            tell_readers(hook, out)
        publish(word)
    wanted = [f"{each.snapshot} {each.token}" for each in read_history(out).publications]
    assert heard() == [wanted[0]] * 2, "the others wait for it, and its token stays"
    fails.unlink()
    assert tell_readers(hook, out) == 3
    assert heard()[2:] == wanted
    assert tell_readers(hook, out) == 0
    assert untold_publications(out) == []
    assert len(set(wanted)) == 3


def test_a_hook_that_was_run_and_not_noted_is_run_again_with_the_same_token(night, monkeypatch):
    out, publish, hook, heard, _ = night
    publish("a")

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(hooks, "note_told", die)
        tell_readers(hook, out)
    assert tell_readers(hook, out) == 1
    assert heard()[0] == heard()[1]


def test_with_a_damaged_history_it_is_run_and_a_warning_says_that_it_will_be_again(night, caplog):
    out, publish, hook, heard, _ = night
    publish("a")
    Path(out, "_snapshots", ".history").write_bytes(b"x")
    assert tell_readers(hook, out) == tell_readers(hook, out) == 1
    assert heard()[0] == heard()[1]
    assert caplog.text.count("cannot be noted, and it is run again") == 2
