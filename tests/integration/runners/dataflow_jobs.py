"""The jobs that Dataflow would be sent: every section of a configuration, built without credentials and not sent."""

import base64
import bz2
import pickletools
import tarfile
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions, PortableOptions
from apache_beam.portability import python_urns
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.portability.common_urns import primitives
from apache_beam.runners.portability.stager import WORKFLOW_TARBALL_FILE as WORKFLOW
from apache_beam.transforms.environments import DockerEnvironment

from lexbeam.pipelines.frame.command import Graph
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.pipelines.frame.inputs import find_inputs
from lexbeam.pipelines.runners.configs import load_runner_config
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.spared_imports import restore_google
from lexbeam.transforms.common.store.artefacts import Workspace

IMAGE = "europe-docker.pkg.dev/project/lexbeam/worker:1"
ENVIRONMENT = {
    "GOOGLE_CLOUD_PROJECT": "project",
    "LEXBEAM_TEMP": "gs://bucket/temp",
    "LEXBEAM_IMAGE": IMAGE,
    "LEXBEAM_MACHINE": "n2-highmem-8",
    "LEXBEAM_WORKERS": "7",
    "NO_GCE_CHECK": "true",
}
# Dataflow takes jobs of 10 MB; a graph says nothing of files or documents.
LARGEST_GRAPH = 1 << 20


def check_jobs(config: Path, out: Path, work: Path) -> set[str]:
    """Check what Dataflow would be sent for a configuration whose sections are published; return their names."""
    pytest.importorskip("google.cloud.dataflow")
    restore_google()
    from apache_beam.runners.dataflow.dataflow_runner import DataflowRunner
    from apache_beam.runners.dataflow.internal import apiclient

    checked = set()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        runner_config = load_runner_config("dataflow")
        for job in read_jobs(str(config), {"out": str(out)}):
            if not job.command.has("build"):
                continue
            plan = job.command.plan(job.options, find_inputs(job, (), find_snapshot(str(out))))
            options = PipelineOptions([*runner_config.beam, "--dry_run=True", "--no_auth", "--job_name=lexbeam"])
            pipeline = beam.Pipeline(runner=DataflowRunner(), options=options)
            job.command.build(pipeline, plan, Graph(Workspace(str(work)), lanes=0))
            sent = pipeline.run().job
            _check_graph(sent.proto_pipeline)
            proto = apiclient.Environment([], sent.options, "1", "gs://bucket/graph", sent.proto_pipeline).proto
            _check_environment(proto)
            checked.add(job.section)
    return checked


def check_staged(setup: Path) -> None:
    """Check that a package which is given by `setup_file`, in place of an image that has it, is staged for workers."""
    pytest.importorskip("google.cloud.dataflow")
    restore_google()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        flags = load_runner_config("dataflow", [f"--setup_file={setup}"]).beam
        options = PipelineOptions([*flags, "--dry_run=True", "--no_auth", "--job_name=lexbeam"])
        environment = DockerEnvironment.from_options(options.view_as(PortableOptions))
        staged = environment.to_runner_api(None).dependencies
    (package,) = [
        beam_runner_api_pb2.ArtifactFilePayload.FromString(each.type_payload).path
        for each in staged
        if beam_runner_api_pb2.ArtifactStagingToRolePayload.FromString(each.role_payload).staged_name == WORKFLOW
    ]
    with tarfile.open(package) as pack:
        names = {name.partition("/")[2] for name in pack.getnames()}
    for needed in (
        "setup.py",
        "lexbeam/__init__.py",
        "lexbeam/pipelines/cli.py",
        "lexbeam/runner_configs/dataflow.yaml",
    ):
        assert needed in names, needed


def _check_graph(proto: Any) -> None:
    assert len(proto.SerializeToString()) < LARGEST_GRAPH
    for environment in proto.components.environments.values():
        assert beam_runner_api_pb2.DockerPayload.FromString(environment.payload).container_image == IMAGE
        assert not environment.dependencies  # the image has all: nothing is installed when workers start
    functions = 0
    for transform in proto.components.transforms.values():
        if transform.spec.urn == primitives.PAR_DO.urn:
            function = beam_runner_api_pb2.ParDoPayload.FromString(transform.spec.payload).do_fn
            if function.urn != python_urns.PICKLED_DOFN_INFO:
                continue  # one of Beam's own, known by name
            pickled = bz2.decompress(base64.b64decode(function.payload))
            named = {argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)}
            assert "__main__" not in named, transform.unique_name
            functions += 1
    assert functions


def _check_environment(proto: Any) -> None:
    assert proto.temp_storage_prefix.startswith("storage.googleapis.com/bucket/temp/")
    (pool,) = proto.worker_pools
    assert pool.machine_type == ENVIRONMENT["LEXBEAM_MACHINE"]
    assert pool.num_workers <= pool.autoscaling_settings.max_num_workers == int(ENVIRONMENT["LEXBEAM_WORKERS"])
    assert [image.container_image for image in pool.sdk_harness_container_images] == [IMAGE]
    assert any("min_cpu_platform" in experiment for experiment in proto.experiments)
