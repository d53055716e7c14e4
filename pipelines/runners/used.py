"""What the stages of a pipeline took, from the counters that a runner has summed."""

import logging
from typing import Any

import grpc  # type: ignore[import-untyped]
from apache_beam.runners.runner import PipelineResult

from lexbeam.transforms.common.code.usage import MEMORY, counted
from lexbeam.transforms.common.publish.run_log import RunLine, now_in_utc

log = logging.getLogger("lexbeam")


def run_lines(result: PipelineResult) -> list[RunLine]:
    """Return a line for each stage and worker of a pipeline that has ended.

    Returns:
        Lines; none where the runner has no counters or cannot be asked: nobody's tables depend on them.
    """
    try:
        found = result.metrics().query()
    except (grpc.RpcError, NotImplementedError, AttributeError) as error:
        log.debug("the runner says nothing of what stages took", exc_info=error)
        return []
    at = now_in_utc()
    used: dict[tuple[str, str], dict[str, Any]] = {}
    for each in (*found["counters"], *found["distributions"]):
        key = counted(each.key.metric.namespace, each.key.metric.name)
        value = each.committed if each.committed is not None else each.attempted
        if key is None or value is None:
            continue
        stage, what, worker = key
        sums = used.setdefault((stage, worker), {})
        if what == MEMORY:
            sums[what] = max(sums.get(what, 0), value.max or 0)
        else:
            sums[what] = sums.get(what, 0) + value
    return [
        RunLine(stage=stage, worker=worker, at=at, seconds=sums.pop("microseconds", 0) / 1e6, **sums)
        for (stage, worker), sums in used.items()
    ]
