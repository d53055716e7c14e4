"""Examples of schedules: their commands are ones that Lexbeam takes, and those who read them find nothing wrong."""

import configparser
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from pipelines.cli import parser_of_all

SCHEDULES = Path(__file__).resolve().parents[2] / "deploy" / "schedules"
UNITS = sorted([*SCHEDULES.glob("*.service"), *SCHEDULES.glob("*.timer")])


def options_of(line):
    """Return what Lexbeam understands of a command line in which its program is named."""
    words = shlex.split(line)
    place = next(number for number, word in enumerate(words) if word.rpartition("/")[2] == "lexbeam")
    return vars(parser_of_all().parse_args(words[place + 1 :]))


def unit(path):
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string(path.read_text())
    return parser


def test_units_of_systemd_refresh_and_watch():
    once, stays = (unit(SCHEDULES / f"lexbeam-{name}.service")["Service"] for name in ("refresh", "watch"))
    assert options_of(once["ExecStart"])["exit_code"]
    assert once["SuccessExitStatus"] == "3"
    assert options_of(stays["ExecStart"])["watch"]
    assert stays["SuccessExitStatus"] == "143"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
def test_systemd_takes_the_units(tmp_path):
    for path in UNITS:
        # It looks for the program and the user, which are not here.
        text = re.sub(r"^User=.*\n", "", path.read_text(), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text.replace("/opt/lexbeam/.venv/bin/lexbeam", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / path.name) for path in UNITS)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_line_of_cron_takes_3_for_success_and_prints_what_is_mailed_of_a_failure(tmp_path):
    (line,) = (line for line in (SCHEDULES / "lexbeam.crontab").read_text().splitlines() if line.startswith("0 2"))
    command = line.split(maxsplit=5)[5]
    assert "%" not in command  # which cron takes for the end of a line
    inner = shlex.split(command)[-1]
    assert options_of(inner.partition(" 2>>")[0])["exit_code"]
    for code, wanted in ((0, 0), (3, 0), (1, 1), (2, 2), (143, 143)):
        (tmp_path / "lexbeam").write_text(f"#!/bin/sh\necho why >&2\nexit {code}\n")
        (tmp_path / "lexbeam").chmod(0o755)
        run = inner.replace("/var/log/lexbeam.jsonl", str(tmp_path / "log"))
        done = subprocess.run(
            ["sh", "-c", run], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True
        )
        mailed = f"lexbeam refresh ended with {code}: see {tmp_path / 'log'}\n" if wanted else ""
        assert (done.returncode, done.stdout, done.stderr) == (wanted, mailed, "")
    assert (tmp_path / "log").read_text() == "why\n" * 5


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
        "airflow.decorators": {"dag": dag},
        "airflow.providers": {},
        "airflow.providers.standard": {},
        "airflow.providers.standard.operators": {},
        "airflow.providers.standard.operators.bash": {"BashOperator": Operator},
    }.items():
        module = types.ModuleType(name)
        module.__dict__.update(held)
        monkeypatch.setitem(sys.modules, name, module)
    runpy.run_path(str(SCHEDULES / "airflow_dag.py"))
    assert options_of(tasks["refresh"]["bash_command"])["exit_code"]
    assert tasks["refresh"]["skip_on_exit_code"] == 3
    assert options_of(tasks["check"]["bash_command"])["json"]
