"""What Beam's direct runner does for each bundle of a stage is what the stage needs.

It tells workers of all collections and coders of the pipeline, with each of its stages; and each worker goes through
all of them. A worker makes the functions of a stage in a thread of its own, so as to give up after an hour, and has
another one note, a few times a second, which of them is at work, for metrics that nobody reads here: two threads for
each bundle, most of which take less time than these. In the process that runs the pipeline there are none.
"""

import concurrent.futures
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

from apache_beam.portability import common_urns
from apache_beam.portability.api import beam_fn_api_pb2 as messages
from apache_beam.portability.api import beam_runner_api_pb2 as portable
from apache_beam.runners.portability.fn_api_runner.execution import BundleContextManager
from apache_beam.runners.worker import bundle_processor, statesampler

from lexbeam.pipelines.runners.signatures import replaced


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
    collections = {name: parts.pcollections[name] for name in sorted(used)}
    descriptor = messages.ProcessBundleDescriptor(
        id=bundle.bundle_uid,
        transforms={step.unique_name: step for step in steps},
        pcollections=collections,
        coders={name: parts.coders[name] for name in sorted(_coders(parts, steps, collections))},
        state_api_service_descriptor=bundle.state_api_service_descriptor(),
        timer_api_service_descriptor=bundle.data_api_service_descriptor(),
    )
    for name in ("windowing_strategies", "environments"):
        getattr(descriptor, name).MergeFrom(getattr(parts, name))
    return descriptor


def _coders(parts: Any, steps: Any, collections: dict[str, Any]) -> set[str]:
    """Return the coders of collections and of windows, those that steps name, and what all these are made of."""
    named = [collection.coder_id for collection in collections.values()]
    named += [strategy.window_coder_id for strategy in parts.windowing_strategies.values()]
    named += [name for step in steps for name in _named(step.spec, parts.coders)]
    used: set[str] = set()
    while named:
        if (name := named.pop()) not in used:
            used.add(name)
            named += parts.coders[name].component_coder_ids
    return used


def _named(spec: Any, coders: Any) -> Iterator[str]:
    """Yield the coders that stand in what a step is told, and perhaps others of which the name stands in another's."""
    if spec.urn == common_urns.primitives.PAR_DO.urn:
        told = portable.ParDoPayload.FromString(spec.payload)
        if not (told.state_specs or told.timer_family_specs or told.restriction_coder_id):
            return  # most steps, and what they are told is long
    yield from (name for name in coders if name.encode() in spec.payload)
