"""Examples of schedules: their commands are ones that Lexbeam takes, and those who read them find nothing wrong."""

import configparser
import fcntl
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from lexbeam.pipelines.cli import parser_of_all
from lexbeam.transforms.common.machine import VARIABLE

SCHEDULES = Path(__file__).resolve().parents[2] / "deploy" / "schedules"
ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(not ANALYZE, reason="needs systemd-analyze, of Debian's package systemd")
OFFLINE = ANALYZE and "--offline" in subprocess.run([ANALYZE, "--help"], capture_output=True, text=True).stdout
UNITS = sorted([*SCHEDULES.glob("*.service"), *SCHEDULES.glob("*.timer")])


def options_of(line):
    """Return what Lexbeam understands of a command line in which its program is named."""
    words = shlex.split(line.replace("\\\n", " "))
    place = next(number for number, word in enumerate(words) if word.rpartition("/")[2] == "lexbeam")
    return vars(parser_of_all().parse_args(words[place + 1 :]))


def unit(path):
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string(path.read_text())
    return parser


def assigned(path):
    """Return the lines of a unit that set something, in their order."""
    return [line for line in path.read_text().splitlines() if re.match(r"\w+=", line)]


def test_units_of_systemd_refresh_and_watch():
    once, stays = (unit(SCHEDULES / f"lexbeam-{name}.service")["Service"] for name in ("refresh", "watch"))
    assert options_of(once["ExecStart"])["exit_code"]
    assert once["SuccessExitStatus"] == "3"
    assert options_of(stays["ExecStart"])["watch"]
    assert stays["SuccessExitStatus"] == "143"
    # What a unit may do is the same for both, and is the end of each.
    refresh, watch = (assigned(SCHEDULES / f"lexbeam-{name}.service") for name in ("refresh", "watch"))
    start = refresh.index("EnvironmentFile=-/etc/lexbeam/environment")
    assert refresh[start:] == watch[watch.index(refresh[start]) : -1]
    # What they write lies where they may.
    out = options_of(once["ExecStart"])["out"]
    assert Path(out).is_relative_to(once["ReadWritePaths"].removeprefix("-"))
    name, _, cache = once["Environment"].partition("=")
    assert (name, cache) == (VARIABLE, f"/var/cache/{once['CacheDirectory']}")


@pytest.mark.skipif(not OFFLINE, reason="needs systemd-analyze of systemd 250 or later")
@pytest.mark.parametrize("name", ["refresh", "watch"])
def test_units_may_do_little_by_the_score_of_systemd(name, tmp_path):
    path = SCHEDULES / f"lexbeam-{name}.service"
    bare = tmp_path / path.name
    bare.write_text(
        "\n".join(line for line in path.read_text().splitlines() if not re.match("Protect|Syst|Cap|Priv", line))
    )
    scores = {}
    for each in (path, bare):
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=40", "--no-pager", str(each)],
            capture_output=True,
            text=True,
        )
        scores[each] = float(re.search(r"Overall exposure level for \S+ (\d+\.\d+)", done.stdout)[1])
        assert done.returncode == (scores[each] >= 4)
    assert scores[path] < 4 < scores[bare]


@needs_systemd
def test_systemd_takes_the_units(tmp_path):
    for path in UNITS:
        # It looks for the program and the user, which are not here.
        text = re.sub(r"^User=.*\n", "", path.read_text(), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text.replace("/opt/lexbeam/.venv/bin/lexbeam", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / path.name) for path in UNITS)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def night(tmp_path):
    """Runs the script of cron with a program in place of Lexbeam; returns what it ended with, and what is mailed."""
    text = (SCHEDULES / "nightly.sh").read_text()
    for name, place in {"log": "/var/log/lexbeam.jsonl", "lock": "/run/lock/lexbeam.lock"}.items():
        assert place in text
        text = text.replace(place, str(tmp_path / name))
    (tmp_path / "nightly.sh").write_text(text)

    def run(program):
        (tmp_path / "lexbeam").write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / "lexbeam").chmod(0o755)
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        done = subprocess.run(["sh", str(tmp_path / "nightly.sh")], env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return run


def test_cron_mails_why_a_night_failed_and_nothing_of_a_good_one(night, tmp_path):
    (line,) = (line for line in (SCHEDULES / "lexbeam.crontab").read_text().splitlines() if line.startswith("0 2"))
    assert line.split(maxsplit=5)[5].rpartition("/")[2] == "nightly.sh"
    assert os.access(SCHEDULES / "nightly.sh", os.X_OK)
    (command,) = re.findall(r"^lexbeam .*(?= 2>>)", (SCHEDULES / "nightly.sh").read_text(), re.MULTILINE)
    assert options_of(command)["exit_code"]
    for code in (0, 3, 1, 2, 143):
        ended = night(f"echo before >&2; echo why {code} >&2; exit {code}")
        mailed = f"lexbeam refresh ended with {code}; the last line of {tmp_path / 'log'}:\nwhy {code}\n"
        assert ended == ((0, "") if code in (0, 3) else (code, mailed))
    assert (tmp_path / "log").read_text() == "".join(f"before\nwhy {code}\n" for code in (0, 3, 1, 2, 143))


def test_cron_mails_that_a_night_was_skipped(night, tmp_path):
    skipped = "lexbeam: this night was skipped, for the refresh of a night before it is still at work\n"
    with open(tmp_path / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert night("exit 0") == (1, skipped)
    assert night("exit 0") == (0, "")
    # A night that is at work holds the lock itself; what outlives it does not.
    assert night(f"flock --nonblock {tmp_path / 'lock'} true || echo held >&2; sleep 5 >&- 2>&- & exit 1")[1].endswith(
        "held\n"
    )
    assert night("exit 0") == (0, "")


def test_the_dag_of_airflow_runs_what_lexbeam_takes(monkeypatch):
    tasks = {}

    class Operator:
        def __init__(self, task_id, **settings):
            tasks[task_id] = settings
            self.after = None

        def __rshift__(self, other):
            other.after = self

    def dag(**settings):
        assert settings["max_active_runs"] == 1
        return lambda function: function

    for name, held in {
        "pendulum": {"datetime": lambda *_, **__: None, "duration": lambda **_: None},
        "airflow": {},
        "airflow.sdk": {"dag": dag},
        "airflow.providers": {},
        "airflow.providers.standard": {},
        "airflow.providers.standard.operators": {},
        "airflow.providers.standard.operators.bash": {"BashOperator": Operator},
    }.items():
        module = types.ModuleType(name)
        module.__dict__.update(held)
        monkeypatch.setitem(sys.modules, name, module)
    runpy.run_path(str(SCHEDULES / "airflow_dag.py"))
    given = options_of(tasks["refresh"]["bash_command"])
    assert given["exit_code"]
    assert given["on_publish"].startswith("timeout ")
    assert tasks["refresh"]["skip_on_exit_code"] == 3
    assert options_of(tasks["check"]["bash_command"])["json"]
