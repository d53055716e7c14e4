"""What the fixtures of all tests ask of a system."""

import os
from pathlib import Path

import pytest


def test_workers_are_one_more_than_cores_where_a_process_is_kept_to_none(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)  # as on macOS
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    hooks = pytestconfig.pluginmanager.get_plugin(str(Path(__file__).with_name("conftest.py")))
    assert hooks is not None
    assert hooks.pytest_xdist_auto_num_workers() == 7
