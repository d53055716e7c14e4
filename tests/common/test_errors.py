"""Errors as IPython shows them.

Errors of the operating system, as a person reads them.

Errors for missing packages name the extra that has them, and a command that works here.
"""

import errno
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from apache_beam.io.filesystem import BeamIOError
from IPython.core.interactiveshell import InteractiveShell

import lexbeam
from lexbeam.transforms.common import errors
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import (
    LexbeamError,
    UsageError,
    check_packages,
    explained_text,
    explaining,
    install_command,
    quoted,
    readable,
)


@pytest.fixture
def shell():
    """IPython without a terminal; it is one for the whole process, and leaves nothing behind."""
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def shown(shell, code, capsys):
    """Return what is printed when a cell of code fails."""
    assert not shell.run_cell(code).success
    return capsys.readouterr().out.splitlines()


def test_an_error_is_shown_by_the_line_that_led_to_it_and_its_message(shell, tmp_path, capsys, monkeypatch):
    told = shown(shell, "import lexbeam\nlexbeam.open(\n    'nothing-here')", capsys)
    assert told[0] == "line 2: lexbeam.open("
    assert told[1].startswith("LexbeamError: nothing is published at ")
    assert len(told) == 2

    (tmp_path / "mine.py").write_text("import lexbeam\ndef look():\n    return lexbeam.open('nothing-here')\n")
    monkeypatch.syspath_prepend(tmp_path)
    told = shown(shell, "import mine\nmine.look()", capsys)
    assert told[0] == "mine.py, line 3: return lexbeam.open('nothing-here')"

    told = shown(shell, "raise lexbeam.UsageError('of a person')", capsys)
    assert told == ["line 1: raise lexbeam.UsageError('of a person')", "UsageError: of a person"]


def test_an_error_without_a_traceback_is_its_message():
    assert lexbeam.UsageError("wrong")._render_traceback_() == ["UsageError: wrong"]


CODES = (
    "EACCES",
    "EROFS",
    "ENOSPC",
    "ENAMETOOLONG",
    "ELOOP",
    "ENOTDIR",
    "EISDIR",
    "EMFILE",
    "EDQUOT",
    "ENOENT",
    "EIO",
    "EFBIG",
    "EPERM",
)


@pytest.mark.parametrize("name", CODES)
def test_each_names_path_cause_and_remedy(name):
    code = getattr(errno, name)
    with pytest.raises(LexbeamError) as caught, explaining():
        raise OSError(code, os.strerror(code), "/a/b")
    assert re.fullmatch(r"'/a/b': [a-z][^;]+; [a-z].*", str(caught.value))
    again = explained_text(f"Traceback\n  x\n{caught.value.__cause__!r}\n")
    text = f"Traceback:\n  File x\nOSError: [Errno {code}] {os.strerror(code)}: '/a/b'\n"
    assert again is None
    assert str(explained_text(text)) == str(caught.value)


def test_others_pass_or_say_what_they_say():
    for error in (BrokenPipeError(), LexbeamError("x"), KeyError("x")):
        with pytest.raises(type(error)), explaining():
            raise error
    with pytest.raises(LexbeamError, match="damaged thrift"), explaining():
        raise OSError("damaged thrift")
    with pytest.raises(LexbeamError, match="there is not enough memory"), explaining():
        raise MemoryError


def test_an_error_of_a_store_names_its_path_and_what_its_library_says():
    denied = PermissionError("Unable to locate credentials")
    inner = BeamIOError("exists() operation failed", {"s3://b/x": denied})
    error = BeamIOError("Match operation failed", {"s3://b/x/**": inner})
    with pytest.raises(LexbeamError) as caught, explaining("/a/out"):
        raise error
    assert re.fullmatch(
        r"'s3://b/x': .*: Unable to locate credentials; check the path, .*credentials.*", str(caught.value)
    )


def test_a_traceback_counts_by_its_last_line():
    text = "FileNotFoundError: [Errno 2] No such file: 'x'\n\nValueError: other\n"
    assert explained_text(text) is None
    assert explained_text("") is None


def test_a_message_can_be_printed_and_read():
    message = readable("a\x1b[2J\x00\udc80\u202e " + "x" * 10_000 + "\nsecond\tline")
    first, second = message.split("\n")
    assert first.startswith("a\\x1b[2J\\x00\\udc80\\u202e x")
    assert re.search(r"x \.\.\. \d+ characters more \.\.\. x", first)
    assert len(first) < 2100
    assert second == "second\tline"
    assert str(LexbeamError("\x07")) == "\\x07"


def test_any_value_can_be_quoted():
    class Bad:
        def __repr__(self):
            raise RuntimeError

    assert quoted(Bad()) == "a value of type Bad"
    assert quoted(10**5000) == "a value of type int"
    assert len(quoted("x" * 10**6)) < 300


def test_output_that_cannot_be_written():
    command = [sys.executable, "-m", "lexbeam.pipelines.cli", "--version"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no space" in done.stderr
    assert "Error" not in done.stderr


ROOT = Path(__file__).resolve().parents[2]
MODULES = {"sklearn": "scikit-learn"}


class Distribution:
    """An installed Lexbeam that notes where it came from."""

    def __init__(self, url):
        self.url = url

    def read_text(self, name):
        assert name == "direct_url.json"
        return None if self.url is None else json.dumps(self.url)


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """A function that installs Lexbeam: from what, and into which environment."""

    def install(url, prefix=tmp_path):
        monkeypatch.setattr(importlib.metadata, "distributions", lambda name: [Distribution(None), Distribution(url)])
        monkeypatch.setattr(errors, "_HOME", tmp_path / "packages")
        monkeypatch.setattr(sys, "prefix", str(prefix))
        return prefix

    return install


def test_in_the_environment_of_a_checkout_it_is_make(installed, tmp_path):
    (tmp_path / "Makefile").touch()
    installed({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}, tmp_path / ".venv")
    assert install_command("complexity") == f"make -C {tmp_path} install EXTRAS=complexity"


def test_of_a_checkout_installed_elsewhere_it_is_the_installer_of_the_environment(installed, tmp_path):
    (tmp_path / "my checkout").mkdir()
    url = (tmp_path / "my checkout").as_uri()
    pip = f"{sys.executable} -m pip install"
    installed({"url": url, "dir_info": {"editable": True}})
    assert install_command("html", "report") == f"{pip} --editable '{tmp_path}/my checkout[html,report]'"
    installed({"url": url, "dir_info": {}})
    assert install_command("html") == f"{pip} '{tmp_path}/my checkout[html]'"


def test_of_a_wheel_it_names_the_wheel(installed, tmp_path, monkeypatch):
    wheel = tmp_path / "lexbeam-0.1.0-py3-none-any.whl"
    installed({"url": wheel.as_uri(), "archive_info": {}})
    assert install_command("html") == f"{sys.executable} -m pip install 'lexbeam[html] @ {wheel.as_uri()}'"
    monkeypatch.setattr(errors.importlib.util, "find_spec", lambda name: None)
    assert install_command("html").startswith(f"uv pip install --python {sys.executable} ")


def test_of_an_index_it_names_the_index_alone(installed):
    installed(None)
    assert install_command("html") == f"{sys.executable} -m pip install 'lexbeam[html]'"


def test_a_tool_of_uv_keeps_the_extras_that_it_has(installed, tmp_path):
    receipt = '[tool]\nrequirements = [{ name = "lexbeam", extras = ["report"], directory = "x" }]\n'
    (tmp_path / "uv-receipt.toml").write_text(receipt)
    (tmp_path / "checkout").mkdir()
    installed({"url": (tmp_path / "checkout").as_uri(), "dir_info": {}})
    assert install_command("html") == f"uv tool install --force '{tmp_path}/checkout[html,report]'"


def test_a_missing_package_is_named_with_what_does_without_it():
    check_packages("this needs", ("json", "re"), "html")
    with pytest.raises(UsageError, match=r"^this needs the Python package no_such, nor_this: .*html.*, or leave it$"):
        check_packages("this needs", ("no_such", "json", "nor_this"), "html", otherwise="leave it")


def test_every_extra_that_an_error_names_has_the_package():
    known = requirements_by_extra()
    entries = [entry for registry in registries() for entry in registry.values() if getattr(entry, "modules", ())]
    assert len(entries) > 5
    for entry in entries:
        for package in entry.modules:
            assert MODULES.get(package, package) in known[entry.extra], (entry.doc, package)


def requirements_by_extra():
    """Return the names of the packages of each extra, with those of the core."""
    extras_of = {}
    for line in importlib.metadata.requires("lexbeam"):
        name = re.match(r"[\w.-]+", line)[0]
        for extra in re.findall(r"extra == ['\"]([\w-]+)", line):
            extras_of.setdefault(extra, set()).add(name)
    extras_of["transformers"].add("tokenizers")  # of transformers
    return extras_of


def registries():
    """Return the registries whose entries name modules."""
    from lexbeam.transforms.cloze.abstractness.concreteness_estimators import ESTIMATORS
    from lexbeam.transforms.complexity.features.groups import GROUPS
    from lexbeam.transforms.learning.scorers import SCORERS
    from lexbeam.transforms.lexicon.encoders.loading_encoders import ENCODERS

    found = [ESTIMATORS, GROUPS, SCORERS, ENCODERS]
    assert all(isinstance(registry, Registry) for registry in found)
    return found
