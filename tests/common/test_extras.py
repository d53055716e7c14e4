"""Errors for missing packages name the extra that has them, and a command that works here."""

import importlib.metadata
import json
import re
import sys
from pathlib import Path

import pytest

from lexbeam.transforms.common import extras
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.extras import check_packages, install_command

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
        monkeypatch.setattr(extras, "_HOME", tmp_path / "packages")
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
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None)
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
