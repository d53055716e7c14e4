"""Which Lexbeam this is: of a checkout, of what was built from one, and of files alone."""

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from lexbeam.transforms.common.code import version

SOURCE = Path(version.__file__)
PLACE = "lexbeam/transforms/common/code"


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A folder with this module where it lies in a checkout."""
    monkeypatch.delenv(version.VARIABLE, raising=False)
    (tmp_path / PLACE).mkdir(parents=True)
    shutil.copy(SOURCE, tmp_path / PLACE)
    return tmp_path


def commit_at(source):
    return runpy.run_path(str(source / PLACE / SOURCE.name))["commit"]()


def git(source, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    return subprocess.run(["git", *who, *words], cwd=source, check=True, capture_output=True, text=True).stdout.strip()


def test_files_alone_have_no_commit_and_built_ones_that_which_was_noted(source):
    assert commit_at(source) == ""
    (source / PLACE / version.BUILT_FROM).write_text("0123456789ab\n")
    assert commit_at(source) == "0123456789ab"


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_checkout_is_asked_and_says_whether_it_has_changed(source, tmp_path_factory, monkeypatch):
    git(source, "init", "--quiet")
    git(source, "add", ".")
    assert commit_at(source) == ""  # nothing is committed
    git(source, "commit", "--quiet", "--message", "a")
    head = git(source, "rev-parse", "HEAD")[:12]
    (source / "new").write_text("of nobody's interest")
    (source / PLACE / version.BUILT_FROM).write_text("of something that was built here\n")
    assert commit_at(source) == head
    # In a hook of another repository, and in a second working tree of this one.
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "--quiet")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert commit_at(source) == head
    monkeypatch.delenv("GIT_DIR")
    git(source, "worktree", "add", "--quiet", str(other / "tree"))
    assert commit_at(other / "tree") == head
    with open(source / PLACE / SOURCE.name, "a") as stream:
        stream.write("# more\n")
    assert commit_at(source) == f"{head}+"
    assert commit_at(other / "tree") == head
    monkeypatch.setenv("PATH", "")  # no git is there
    assert commit_at(source) == ""


def test_what_is_told_wins(source, monkeypatch):
    (source / PLACE / version.BUILT_FROM).write_text("0123456789ab\n")
    found = {"f" * 40: "f" * 12, "abc+": "abc+", f"{'e' * 40}+": f"{'e' * 12}+", "": "0123456789ab"}
    for told, wanted in found.items():
        monkeypatch.setenv(version.VARIABLE, told)
        assert commit_at(source) == wanted


def test_a_folder_within_somebody_elses_repository_has_no_commit_of_theirs(source):
    inner = source / "site-packages"
    shutil.copytree(source / "lexbeam", inner / "lexbeam")
    os.mkdir(source / ".git")
    assert commit_at(inner) == ""


def test_versions_are_compared_by_their_numbers():
    newer = [("0.10.0", "0.9.9"), ("1.0.0", "0.99.0"), ("0.2.1", "0.2.0")]
    assert all(version.Build(a).is_newer(version.Build(b)) for a, b in newer)
    assert not any(version.Build(b).is_newer(version.Build(a)) for a, b in [*newer, ("0.2.0", "0.2.0")])
    assert not version.Build("1.0.0").is_newer(version.Build("1.0.0", "b"))
