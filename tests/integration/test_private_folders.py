"""Who may read what Lexbeam makes: its user alone, unless the folder was there and lets others in."""

import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from small_runs import call, write_texts

from lexbeam.transforms.stream.lines import land_lines

NOBODY = 65534


@pytest.fixture
def place():
    """A folder that everybody may enter, unlike pytest's, and a umask that lets everybody read what is made there."""
    before = os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def found_by_another(path):
    """The files that another user finds in a folder, and what hinders him."""
    found = subprocess.run(["find", path, "-type", "f"], capture_output=True, text=True, user=NOBODY, group=NOBODY)
    return found.stdout.splitlines(), found.stderr


def test_new_folders_are_their_users_alone_and_others_stay_as_they_are(place):
    new, shared, landed = place / "above" / "out", place / "shared", place / "above" / "landed"
    shared.mkdir(0o755)
    write_texts(place / "texts")
    for out in (new, shared):
        assert call("corpus", place / "texts", "--out", out, "--engine", "builtin:en", "--format", "text") == 0
    land_lines(str(landed), [b"{}"])
    modes = {path.name: mode(path) for path in (new, landed, shared, place / "above")}
    assert modes == {"out": 0o700, "landed": 0o700, "shared": 0o755, "above": 0o755}
    if os.geteuid() != 0:
        pytest.skip("what another user finds: only root becomes one")
    for closed in (new, landed):
        found, why = found_by_another(closed)
        assert found == []
        assert "Permission denied" in why
    new.chmod(0o755)
    for opened in (new, shared):
        assert any(name.endswith(".parquet") for name in found_by_another(opened)[0]), "it decides for all in it"
