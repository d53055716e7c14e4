"""The tests here share small models, which lie beside them, and a store of tests/common."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "common")]


@pytest.fixture
def store() -> dict[str, bytes]:
    """An empty object store, see `store.STORE`."""
    from object_store import OBJECTS

    OBJECTS.clear()
    return OBJECTS
