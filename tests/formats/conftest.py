"""Lets the tests of readers import what they share (`reading.py`), and a store of tests/common."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]


@pytest.fixture
def store() -> dict[str, bytes]:
    """An empty object store, see `store.STORE`."""
    from object_store import OBJECTS

    OBJECTS.clear()
    return OBJECTS
