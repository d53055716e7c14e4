"""The tests here share small makers, which lie beside them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from code_making import toy_package
from object_store import OBJECTS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """A function that writes modules of a package, imports it anew, and identifies `stage.run`."""
    with toy_package(tmp_path, monkeypatch) as identify:
        yield identify


@pytest.fixture
def store() -> dict[str, bytes]:
    """An empty object store, see `store.STORE`."""
    OBJECTS.clear()
    return OBJECTS
