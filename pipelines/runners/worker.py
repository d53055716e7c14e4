"""A Python worker for runners that start workers as processes: Flink, on one machine or many.

    environment_type: PROCESS
    environment_config: '{"command": "runner_configs/flink/worker"}'

The runner passes the command a name and the address of a service that knows the rest. Beam's own boot
program does the same after it has installed packages; here the existing environment is used.
"""

import argparse
import os
from collections.abc import Sequence

import grpc  # type: ignore[import-untyped]
from apache_beam.portability.api import beam_provision_api_pb2 as messages
from apache_beam.portability.api import beam_provision_api_pb2_grpc as services
from apache_beam.runners.worker import sdk_worker_main
from google.protobuf import json_format, text_format  # type: ignore[import-untyped]

from lexbeam.pipelines.runners.signatures import signatures_kept
from lexbeam.transforms.common.machine import share_heap
from lexbeam.transforms.common.spared_imports import spare_imports

SECONDS = 60


def run(arguments: Sequence[str] | None = None) -> None:
    """Serve the runner until it ends the worker."""
    parser = argparse.ArgumentParser(prog="worker")
    parser.add_argument("--id", required=True)
    parser.add_argument("--provision_endpoint", required=True)
    values, _ = parser.parse_known_args(arguments)
    spare_imports()
    share_heap()
    with grpc.insecure_channel(values.provision_endpoint) as channel:
        info = (
            services.ProvisionServiceStub(channel)
            .GetProvisionInfo(messages.GetProvisionInfoRequest(), metadata=[("worker_id", values.id)], timeout=SECONDS)
            .info
        )
    os.environ["WORKER_ID"] = values.id
    os.environ["PIPELINE_OPTIONS"] = json_format.MessageToJson(info.pipeline_options)
    os.environ["RUNNER_CAPABILITIES"] = " ".join(info.runner_capabilities)
    for name, endpoint in (("CONTROL", info.control_endpoint), ("LOGGING", info.logging_endpoint)):
        os.environ[f"{name}_API_SERVICE_DESCRIPTOR"] = text_format.MessageToString(endpoint)
    with signatures_kept():
        sdk_worker_main.main([])


if __name__ == "__main__":
    run()
