"""Fixtures that every area of the tests uses."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run: a failure is of the code, and anybody can see it.
# HYPOTHESIS_PROFILE=default looks further.
settings.register_profile("lexbeam", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lexbeam"))

ROOT = Path(__file__).resolve().parent.parent
_STATUS = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave at once, as the command does: the teardown of native threads can abort a process."""
    if (status := config.stash.get(_STATUS, None)) is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep the status for the end."""
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("LEXBEAM_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs real corpora: no folder {folder} (set LEXBEAM_DATA)")
    return folder


@pytest.fixture(scope="session")
def models(data: Path) -> Path:
    """The folder of trained spaCy pipelines that lies beside the real corpora."""
    folder = data.parent / "models"
    if not folder.is_dir():
        pytest.skip(f"needs trained spaCy pipelines: no folder {folder}")
    return folder
