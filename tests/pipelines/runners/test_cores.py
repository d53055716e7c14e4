"""How many cores a process may use, told by a system that is made up."""

import os

import pytest

from pipelines.runners.cores import cores


@pytest.fixture
def eight(monkeypatch):
    """A machine of eight cores."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def system(root, groups, **limits):
    """Write the files by which a system tells its control groups and their limits."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for path, text in limits.items():
        place = root / "sys/fs/cgroup" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/\n", {}, 8),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "300000 100000\n"}, 3),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "10000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "9900000 100000\n"}, 8),
        ("0::/a/b\n", {"a/cpu.max": "200000 100000\n", "a/b/cpu.max": "max 100000\n"}, 2),
        ("0::/a/b\n", {"a/cpu.max": "500000 100000\n", "a/b/cpu.max": "400000 100000\n"}, 4),
        ("0::/a\n", {"b/cpu.max": "200000 100000\n"}, 8),  # another's
        ("0::/not/seen/here\n", {"cpu.max": "200000 100000\n"}, 2),  # of a container
        ("3:cpu:/a\n1:cpuset:/\n", {"cpu/a/cpu.cfs_quota_us": "250000\n", "cpu/a/cpu.cfs_period_us": "50000\n"}, 5),
        ("3:cpu,cpuacct:/\n", {"cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, 8),
        ("0::/\n", {"cpu.max": "0 0\n"}, 8),
        ("0::/\n", {"cpu.max": "much\n"}, 8),
    ],
)
def test_no_more_than_the_control_groups_allow(groups, limits, expected, eight, tmp_path):
    assert cores(system(tmp_path, groups, **limits)) == expected


def test_no_more_than_the_process_is_kept_to(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5}, raising=False)
    limits = {"cpu.max": "300000 100000\n"}
    assert cores(system(tmp_path, "0::/\n", **limits)) == 1


def test_where_the_system_does_not_tell(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores(str(tmp_path)) == 1
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert cores(str(tmp_path)) == 6
