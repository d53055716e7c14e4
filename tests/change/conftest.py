"""The tests of artefacts share small makers, which lie beside them, and trained spaces."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "report")]  # panels share snapshots with the report


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A pair of slices with two seeds each, see `space_making.Made`."""
    from space_making import train_all

    return train_all(tmp_path_factory.mktemp("trained"))


@pytest.fixture(scope="session")
def series(tmp_path_factory):
    """A series of three slices with two seeds each, see `series_making.Series`."""
    from series_making import series_of

    return series_of(tmp_path_factory.mktemp("series"))
