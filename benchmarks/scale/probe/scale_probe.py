"""A command of any checkout, measured from inside: CPU by step, bytes of graph and of what is shuffled.

    python -m scale_probe corpus texts --out out        with a checkout and this folder on PYTHONPATH

Every process adds JSON lines to the file that SCALE_LOG names: the driver one for each of its steps and one for the
graph, a process that makes artefacts one for each call, and one for whatever it sends into a shuffle. CPU is that of
the process. This module imports nothing of the benchmarks, which another checkout lacks.
"""

import functools
import importlib
import json
import os
import time
from collections import Counter
from typing import Any

LOG = "SCALE_LOG"
_WITHIN: dict[str, float] = {}  # CPU by step within the stage at work


def log(kind: str, **values: object) -> None:
    """Add a line to the log; a short one is written whole, whoever else writes."""
    line = json.dumps({"kind": kind, "pid": os.getpid(), **values}) + "\n"
    place = os.open(os.environ[LOG], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(place, line.encode())
    os.close(place)


def _time_within(module: str, name: str, step: str) -> None:
    """Count the CPU of a function as a step within the stage that calls it; where there is none, do nothing.

    A step within a step counts as that one alone.
    """
    place = importlib.import_module(module)
    function = getattr(place, name, None)
    if function is None:
        return

    @functools.wraps(function)
    def timed(*arguments: Any, **options: Any) -> Any:
        inner = sum(_WITHIN.values())
        start = time.thread_time()
        try:
            return function(*arguments, **options)
        finally:
            own = time.thread_time() - start - (sum(_WITHIN.values()) - inner)
            _WITHIN[step] = _WITHIN.get(step, 0.0) + own

    setattr(place, name, timed)


def measure_worker() -> None:
    """Let this process tell what it makes and what it sends."""
    from apache_beam.runners.worker import data_plane

    from lexbeam.transforms.common.store import ptransforms

    _time_within("lexbeam.transforms.common.store.files", "open_read", "open")
    _time_within("lexbeam.transforms.formats.sources.readings", "first_reading", "digest")
    _time_within("lexbeam.transforms.formats.ingest.ingestion", "first_reading", "digest")
    make_all = ptransforms.make_all

    @functools.wraps(make_all)
    def made(workspace: Any, stage: Any, tasks: Any, *more: Any) -> Any:
        start, before = time.time(), time.process_time()
        receipts = make_all(workspace, stage, tasks, *more)
        log("make", stage=stage.name, cpu=time.process_time() - before, start=start, end=time.time(), within=_WITHIN)
        _WITHIN.clear()
        return receipts

    ptransforms.make_all = made
    write = data_plane._GrpcDataChannel._write_outputs

    @functools.wraps(write)
    def written(self: Any) -> Any:
        for elements in write(self):
            sizes: Counter[str] = Counter()
            for piece in elements.data:
                sizes[piece.transform_id] += len(piece.data)
            if sizes:
                log("send", bytes=sum(sizes.values()))
            yield elements

    data_plane._GrpcDataChannel._write_outputs = written


def _marking(step: str, function: Any) -> Any:
    """Return the function, which ends the step before it, and then is the step."""

    @functools.wraps(function)
    def marked(*arguments: Any, **options: Any) -> Any:
        log("step", ends="before " + step, cpu=time.process_time(), at=time.time())
        try:
            return function(*arguments, **options)
        finally:
            log("step", ends=step, cpu=time.process_time(), at=time.time())

    return marked


def _measure_driver() -> None:
    from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

    from lexbeam.pipelines.frame import sections
    from lexbeam.pipelines.runners import runners, workers

    workers.MODULE = "scale_worker"
    run = FnApiRunner.run_via_runner_api

    def sized(self: Any, pipeline_proto: Any, options: Any) -> Any:
        log("graph", bytes=pipeline_proto.ByteSize(), transforms=len(pipeline_proto.components.transforms))
        return run(self, pipeline_proto, options)

    FnApiRunner.run_via_runner_api = _marking("run", sized)
    sections.plan_of = _marking("plan", sections.plan_of)
    runners.run_pipeline = _marking("pipeline", runners.run_pipeline)
    measure_worker()


def _main() -> None:
    from lexbeam.pipelines import cli
    from lexbeam.transforms.common.spared_imports import spare_imports

    spare_imports()
    _measure_driver()
    run = cli.main

    def measured() -> int:
        log("step", ends="start", cpu=time.process_time(), at=time.time())
        code = run()
        log("step", ends="publish", cpu=time.process_time(), at=time.time())
        return code

    cli.main = measured
    cli.entry()


if __name__ == "__main__":
    _main()
