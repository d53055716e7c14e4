"""How long stages would work, by hand; what they would make is tested with whole runs (test_refresh.py)."""

from pipelines.frame.stage_plans import Estimate, StagePlan, estimated
from transforms.common.publish.run_log import RunLine


def line(stage, worker, seconds, elements, there=0):
    return RunLine(
        stage=stage, worker=worker, at="2020-01-01T00:00:00Z", seconds=seconds, elements=elements, there=there
    )


LOG = [
    line("c/a", "one", 6.0, 2),
    line("c/a", "two", 2.0, 2, there=4),
    line("c/b", "one", 5.0, 1),
    line("c", "driver", 9.0, 9),
]


def test_estimates_are_by_artefact():
    plans = [StagePlan("c/a", "parts", 5, 3), StagePlan("c/b", "parts", 1, 0), StagePlan("c/new", "parts", 0, 0)]
    assert estimated(plans, LOG) == Estimate(6.0, 6.0, ())  # 2 s each
    follows = [StagePlan("c/a", "parts", None, None, ("c/x",)), StagePlan("c/b", "parts", None, None)]
    assert estimated(follows, LOG) == Estimate(0.0, 16.0 + 5.0, ())  # all eight, and the one
    assert estimated([StagePlan("c/new", "parts", 0, 1)], LOG) == Estimate(0.0, 0.0, ("c/new",))
    assert estimated([StagePlan("c/a", "parts", 0, 1)], []) == Estimate(0.0, 0.0, ("c/a",))
