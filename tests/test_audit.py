"""`make audit`: locked packages beside advisories in a folder."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = "toy-lib==1.5 \\\n    --hash=sha256:00\n    # via lexbeam\nother==2.0\n"


def audit(tmp_path, *, lock=LOCK, folder=None, **affected):
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "core.lock").write_text(lock)
    (tmp_path / "db" / "toy").mkdir(parents=True)
    package = affected.pop("package", {"ecosystem": "PyPI", "name": "Toy_Lib"})
    advisory = {"id": "X-1", "summary": "a fault", "affected": [{"package": package, **affected}]}
    if affected:
        (tmp_path / "db" / "toy" / "X-1.json").write_text(json.dumps(advisory))
    words = [str(tmp_path / "requirements"), str(folder or tmp_path / "db")]
    return subprocess.run([sys.executable, str(ROOT / ".ci" / "audit.py"), *words], capture_output=True, text=True)


def ranges(*events):
    return [{"type": "ECOSYSTEM", "events": list(events)}]


@pytest.mark.parametrize(
    ("affected", "found"),
    [
        ({"versions": ["1.5"]}, True),
        ({"versions": ["1.4"]}, False),
        ({"ranges": ranges({"introduced": "0"})}, True),
        ({"ranges": ranges({"introduced": "0"}, {"fixed": "1.5"})}, False),
        ({"ranges": ranges({"introduced": "0"}, {"fixed": "1.10"})}, True),
        ({"ranges": ranges({"introduced": "0"}, {"last_affected": "1.5"})}, True),
        ({"ranges": ranges({"introduced": "0"}, {"last_affected": "1.4"})}, False),
        ({"ranges": ranges({"introduced": "2"}, {"introduced": "0"}, {"fixed": "1"}, {"fixed": "3"})}, False),
        ({"versions": ["1.5"], "package": {"ecosystem": "npm", "name": "toy-lib"}}, False),
    ],
)
def test_a_locked_version_that_an_advisory_names_is_told(tmp_path, affected, found):
    ran = audit(tmp_path, **affected)
    assert ran.returncode == found, ran.stderr
    assert ("toy-lib 1.5: X-1 a fault" in ran.stdout) == found


def test_what_could_not_be_compared_is_no_success(tmp_path):
    for number, how in enumerate(
        [
            {"folder": tmp_path / "none", "versions": ["1.4"]},
            {},  # no advisory
            {"lock": "", "versions": ["1.4"]},
            {"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "no version"}]}]},
        ]
    ):
        (tmp_path / str(number)).mkdir()
        ran = audit(tmp_path / str(number), **how)
        assert ran.returncode == 2, how
        assert "audit: nothing" in ran.stderr
