"""How long a run would take, by hand; what it would make is tested with whole runs (test_refresh.py)."""

import pytest

from lexbeam.pipelines.frame.stage_plans import StagePlan, estimated
from lexbeam.transforms.common.publish.run_log import RunLine


def line(stage, worker, seconds, elements, there=0, size=0, at="2020-01-01T00:00:09Z"):
    return RunLine(stage=stage, worker=worker, at=at, seconds=seconds, elements=elements, there=there, bytes=size)


LOG = [
    line("c/a", "one", 6.0, 2),
    line("c/a", "two", 2.0, 2, there=4),
    line("c/b", "one", 5.0, 1, size=1000),
    line("c/old", "one", 100.0, 10, at="2019-12-31T00:00:00Z"),
    line("c", "driver", 9.0, 9),
]


def plan(stage, kept, made, **more):
    return StagePlan("c", stage, "parts", kept, made, **more)


def test_work_is_by_artefact_and_by_bytes_where_these_are_known():
    work = estimated([plan("c/a", 5, 3), plan("c/b", 1, 0), plan("c/new", 0, 0)], LOG).work
    assert work == 6.0  # 2 s each
    follows = [plan("c/a", None, None, after=("c/x",)), plan("c/b", None, None, likely=7, bytes=2000)]
    assert estimated(follows, LOG).work == 16.0 + 10.0  # all eight; twice the bytes, whatever their number
    assert estimated([plan("c/a", 7, None, likely=0)], LOG).work == 0


def test_what_never_took_any_time_is_named():
    assert estimated([plan("c/new", 0, 1)], LOG).unknown == ("c/new",)
    assert estimated([plan("c/a", 0, 1)], []) == (0.0, 0.0, ("c/a",))


def test_the_clock_runs_for_what_no_stage_does_too():
    """Nine seconds for thirteen of work by two workers: two and a half for what is no work of theirs."""
    found = estimated([plan("c/a", 8, 0), plan("c/b", 1, 0), plan("c/old", 10, 0)], LOG)
    assert found == (0.0, 2.5, ())
    assert estimated([plan("c/a", 4, 4)], LOG[:2] + LOG[-1:]).clock == pytest.approx(8 / 2 + (9 - 8 / 2))
