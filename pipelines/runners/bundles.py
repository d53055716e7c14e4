"""What Beam's direct runner tells workers of a stage is what is in the stage.

It tells them of all collections of the pipeline, with each of its stages; and each worker goes through all of them.
"""

from contextlib import AbstractContextManager
from typing import Any

from apache_beam.portability.api import beam_fn_api_pb2 as messages
from apache_beam.runners.portability.fn_api_runner.execution import BundleContextManager

from pipelines.runners.signatures import replaced

__all__ = ["small_bundles"]


def small_bundles() -> AbstractContextManager[None]:
    """Let the direct runner tell workers of the collections of their own stage while the block runs."""
    return replaced([(BundleContextManager, "_build_process_bundle_descriptor", _descriptor)])


def _descriptor(bundle: Any) -> messages.ProcessBundleDescriptor:
    parts, steps = bundle.execution_context.pipeline_components, bundle.stage.transforms
    used = {name for step in steps for names in (step.inputs, step.outputs) for name in names.values()}
    return messages.ProcessBundleDescriptor(
        id=bundle.bundle_uid,
        transforms={step.unique_name: step for step in steps},
        pcollections={name: parts.pcollections[name] for name in sorted(used)},
        coders=dict(parts.coders.items()),
        windowing_strategies=dict(parts.windowing_strategies.items()),
        environments=dict(parts.environments.items()),
        state_api_service_descriptor=bundle.state_api_service_descriptor(),
        timer_api_service_descriptor=bundle.data_api_service_descriptor(),
    )
