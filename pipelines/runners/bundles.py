"""What Beam's direct runner does for each bundle of a stage is what the stage needs.

It tells workers of all collections of the pipeline, with each of its stages; and each worker goes through all of
them. A worker makes the functions of a stage in a thread of its own, so as to give up after an hour, and has
another one note, a few times a second, which of them is at work, for metrics that nobody reads here: two threads for
each bundle, most of which take less time than these. In the process that runs the pipeline there are none.
"""

import concurrent.futures
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

from apache_beam.portability.api import beam_fn_api_pb2 as messages
from apache_beam.runners.portability.fn_api_runner.execution import BundleContextManager
from apache_beam.runners.worker import bundle_processor, statesampler

from pipelines.runners.signatures import replaced

__all__ = ["small_bundles"]


def small_bundles() -> AbstractContextManager[None]:
    """Let the direct runner do for a bundle what its stage needs, in this process without threads."""
    futures = SimpleNamespace(ThreadPoolExecutor=_AtOnce, TimeoutError=concurrent.futures.TimeoutError)
    return replaced(
        [
            (BundleContextManager, "_build_process_bundle_descriptor", _descriptor),
            (bundle_processor, "concurrent", SimpleNamespace(futures=futures)),
            (statesampler.StateSampler, "start", _start),
            (statesampler.StateSampler, "stop", _stop),
        ]
    )


class _AtOnce:
    """Stands for a pool of threads, and calls what is submitted at once."""

    def __init__(self, **_: Any) -> None:
        pass

    def __enter__(self) -> "_AtOnce":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        made = function(*arguments)
        return SimpleNamespace(result=lambda timeout: made)


def _start(sampler: Any) -> None:
    """Let counters of this thread be those of a bundle, whose time nobody notes."""
    statesampler.set_current_tracker(sampler)
    sampler.started = True


def _stop(sampler: Any) -> None:
    statesampler.set_current_tracker(None)
    sampler.finished = True


def _descriptor(bundle: Any) -> messages.ProcessBundleDescriptor:
    parts, steps = bundle.execution_context.pipeline_components, bundle.stage.transforms
    used = {name for step in steps for names in (step.inputs, step.outputs) for name in names.values()}
    descriptor = messages.ProcessBundleDescriptor(
        id=bundle.bundle_uid,
        transforms={step.unique_name: step for step in steps},
        pcollections={name: parts.pcollections[name] for name in sorted(used)},
        state_api_service_descriptor=bundle.state_api_service_descriptor(),
        timer_api_service_descriptor=bundle.data_api_service_descriptor(),
    )
    for name in ("coders", "windowing_strategies", "environments"):
        getattr(descriptor, name).MergeFrom(getattr(parts, name))
    return descriptor
