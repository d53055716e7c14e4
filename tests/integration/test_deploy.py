"""Dockerfiles and manifests, by the linter and the schemas of those who take them; what they say of Lexbeam."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import kubernetes_validate
import pytest
import yaml

from pipelines.cli import parser_of_all
from pipelines.frame.configuration import read_jobs
from pipelines.runners.configs import load_runner_config
from pipelines.runners.flink.programs import Cluster, job_manager, task_manager

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = ("1.31", "1.34")
OPERATOR = ROOT / "build" / "flink" / "operator-api.jar"
JAR = ROOT / "build" / "flink" / "job-server.jar"
DOCKERFILES = sorted(DEPLOY.glob("*.Dockerfile"))
OF_LEXBEAM = [path for path in DOCKERFILES if path.stem != "flink"]
MANIFESTS = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(DEPLOY.glob("kubernetes/*.yaml"))}


def container_of(manifest):
    template = manifest["spec"].get("jobTemplate", manifest)["spec"]["template"]
    (container,) = template["spec"]["containers"]
    return container


def command_of(path):
    """Return the words that an image runs."""
    text = path.read_text()
    return [word for name in ("ENTRYPOINT", "CMD") for word in json.loads(re.findall(rf"^{name} (.*)", text, re.M)[-1])]


def test_workers_start_what_is_in_their_image_and_need_no_root():
    text = (DEPLOY / "worker.Dockerfile").read_text()
    (program,) = [w.partition("=")[2] for w in command_of(DEPLOY / "worker.Dockerfile") if "executable" in w]
    assert os.access(ROOT / Path(program).relative_to("/opt/lexbeam"), os.X_OK)
    # Otherwise Beam's boot program makes an environment below /opt, which only root may.
    assert "RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1" in text.partition(" AS dataflow")[0]


def test_driver_and_workers_multiply_by_one_kind_of_kernel():
    kernels = {re.search(r"OPENBLAS_CORETYPE=(\w+)", path.read_text())[1] for path in OF_LEXBEAM}
    assert len(kernels) == 1
    told = subprocess.run(
        [sys.executable, "-c", "from transforms.common.code.fingerprints import blas_kernels as b; print(*b())"],
        env={**os.environ, "OPENBLAS_CORETYPE": kernels.pop()},
        capture_output=True,
        text=True,
        cwd=ROOT,
    ).stdout
    if platform.machine() == "x86_64":
        assert told.count(" Haswell") >= 1


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_dockerfiles_have_no_fault_that_the_linter_knows(path):
    hadolint = Path(sys.executable).with_name("hadolint")
    found = subprocess.run([hadolint, path], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "")


def test_the_linter_finds_faults(tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN pip install numpy\n")
    hadolint = Path(sys.executable).with_name("hadolint")
    assert subprocess.run([hadolint, tmp_path / "Dockerfile"], capture_output=True).returncode == 1


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_images_say_of_which_version_and_commit_they_are(path):
    last = path.read_text().rpartition("\nFROM ")[2] if path.stem != "worker" else path.read_text()
    for name, argument in (("version", "VERSION"), ("revision", "COMMIT")):
        assert f'org.opencontainers.image.{name}="${{{argument}}}"' in last
        assert re.search(rf"(?s)\nARG {argument}\n(.*\n)?LABEL ", last)  # an argument holds in its own stage
    if path in OF_LEXBEAM:
        (command,) = re.findall(r"^(?:ARG COMMIT\n)?(?:.*\n)??RUN (LEXBEAM_COMMIT.*)", path.read_text(), re.M)
        assert command.startswith('LEXBEAM_COMMIT="${COMMIT}" pip ')
    commands = re.findall(r"docker build ((?:.*\\\n)*.*)", (ROOT / "docs" / "deploy.md").read_text())
    built = [words for words in commands if path.name in words]
    assert built
    for words in built:
        assert "$of" in words or "--build-arg VERSION --build-arg COMMIT" in words


@pytest.mark.parametrize("path", OF_LEXBEAM, ids=lambda path: path.stem)
def test_images_have_the_locked_python_and_beam_and_all_of_lexbeam(path):
    text = path.read_text()
    beam = re.search(r"^apache-beam==(\S+)", (ROOT / "requirements/core.lock").read_text(), re.MULTILINE)[1]
    assert re.search(rf"^FROM (apache/beam_python3\.11_sdk:{beam}|python:3\.11\.\d+-slim)", text, re.MULTILINE)
    copied = set(re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE))
    names = {name for line in copied for name in line.split()}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert packages | {"requirements", "setup.py", "pyproject.toml"} <= names
    # What is not let through is not there to be copied.
    let = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert names <= let
    last_user = re.findall(r"^USER (\S+)", text, re.MULTILINE)[-1]
    assert last_user == "10001"


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("name", [name for name in MANIFESTS if name != "flink"])
def test_manifests_are_what_kubernetes_takes(name, version):
    kubernetes_validate.validate(MANIFESTS[name], version, strict=True)


def test_wrong_manifests_are_found():
    wrong = yaml.safe_load((DEPLOY / "kubernetes/run.yaml").read_text())
    wrong["spec"]["backoffLimits"] = 3
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES[0], strict=True)


@pytest.fixture(scope="module")
def deployment_schema():
    """What checks a FlinkDeployment by the schema that the operator has, with unknown fields refused."""
    if not OPERATOR.exists():
        pytest.skip("no schema of FlinkDeployment; `make runners` fetches it")
    with zipfile.ZipFile(OPERATOR) as jar:
        text = jar.read("META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml")
    (version,) = yaml.load(text, yaml.CSafeLoader)["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    for part in schema["properties"].values():
        refuse_unknown(part)
    return jsonschema.Draft202012Validator(schema)


def refuse_unknown(schema):
    """Kubernetes drops fields that a schema does not have; here they are an error."""
    if isinstance(schema, dict):
        if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            refuse_unknown(part)


def test_the_cluster_is_what_the_operator_takes(deployment_schema):
    deployment_schema.validate(MANIFESTS["flink"])
    MANIFESTS["flink"]["spec"]["taskManager"]["podTemplates"] = {}
    with pytest.raises(jsonschema.ValidationError, match="podTemplates"):
        deployment_schema.validate(MANIFESTS["flink"])
    del MANIFESTS["flink"]["spec"]["taskManager"]["podTemplates"]


def test_the_runner_configuration_fits_the_cluster(monkeypatch, tmp_path):
    jar = tmp_path / "jar"
    jar.touch()
    monkeypatch.setenv("LEXBEAM_FLINK_JAR", str(jar))
    flags = load_runner_config("flink_kubernetes").beam
    beam = dict(flag.removeprefix("--").partition("=")[::2] for flag in flags)
    spec = MANIFESTS["flink"]["spec"]
    slots = int(spec["flinkConfiguration"]["taskmanager.numberOfTaskSlots"])
    assert int(beam["sdk_worker_parallelism"]) == slots
    assert int(beam["parallelism"]) == slots * spec["taskManager"]["replicas"]
    assert beam["flink_master"].partition(":")[0] == MANIFESTS["flink"]["metadata"]["name"] + "-rest"
    assert spec["flinkVersion"] == "v" + beam["flink_version"].replace(".", "_")
    assert spec["image"] == "REGISTRY/lexbeam-flink:TAG"
    (worker,) = spec["taskManager"]["podTemplate"]["spec"]["containers"]
    # A worker that has died must have gone before its work begins anew.
    delay = spec["flinkConfiguration"]["restart-strategy.fixed-delay.delay"]
    assert int(beam["environment_cache_millis"]) < 1000 * int(delay.removesuffix("s"))
    port = int(beam["environment_config"].partition(":")[2])
    assert f"--service_port={port}" in command_of(DEPLOY / "worker.Dockerfile")
    assert [each["containerPort"] for each in worker["ports"]] == [port]


def test_the_cluster_runs_flink_as_one_of_this_machine_does(tmp_path):
    """What `make flink-up` was seen to need: Beam's classes beside Flink's, of one version, and Java's own opened."""
    text = (DEPLOY / "flink.Dockerfile").read_text()
    version = re.search(r"^FROM flink:([\d.]+)-java17$", text, re.MULTILINE)[1]
    assert version.startswith(MANIFESTS["flink"]["spec"]["flinkVersion"].removeprefix("v").replace("_", ".") + ".")
    copied, place = re.search(r"^COPY (\S+) (\S+)$", text, re.MULTILINE).groups()
    assert (copied, Path(place).parent) == ("build/flink/job-server.jar", Path("/opt/flink/lib"))
    assert f"!{copied}" in (ROOT / ".dockerignore").read_text().splitlines()
    there = MANIFESTS["flink"]["spec"]["flinkConfiguration"]
    for make, name in ((job_manager, "jobmanager"), (task_manager, "taskmanager")):
        words = make(Cluster("jar", 1, 2, 1, 2), tmp_path / name)
        here = yaml.safe_load((tmp_path / name / "config.yaml").read_text())
        assert there["classloader.resolve-order"] == here["classloader.resolve-order"] == "parent-first"
        opened = there[f"env.java.opts.{name}"].split()
        assert {word for word in words if word.startswith("--add-opens")} == set(opened)
    if JAR.exists():  # its classes come first
        with zipfile.ZipFile(JAR) as jar:
            assert f"project.version={version}" in jar.read(".flink-runtime.version.properties").decode().splitlines()


@pytest.mark.parametrize("name", ["run", "nightly"])
def test_the_command_of_a_job_is_one_that_lexbeam_takes(name, tmp_path):
    container = container_of(MANIFESTS[name])
    values = vars(parser_of_all().parse_args(container["args"]))
    assert values["runner_config"] == "flink_kubernetes"
    (mount,) = container["volumeMounts"]
    folder, file = os.path.split(container["args"][1])
    assert mount["mountPath"] == folder
    (tmp_path / file).write_text(MANIFESTS["configuration"]["data"][file])
    jobs = read_jobs(str(tmp_path / file), {"out": "s3://BUCKET/results"})
    assert [job.section for job in jobs] == ["corpus", "change"]


def test_the_command_that_fills_in_names_leaves_no_placeholder(tmp_path):
    command = re.search(r"`(sed -i .*?)`", (ROOT / "docs" / "deploy.md").read_text())[1]
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    for path in sorted((tmp_path / "deploy" / "kubernetes").iterdir()):
        text = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))
        assert not re.search(r"REGISTRY|:TAG|BUCKET", text), path
        if path.stem != "flink":
            kubernetes_validate.validate(yaml.safe_load(text), KUBERNETES[0], strict=True)


def test_costs_follow_from_their_arithmetic():
    text = (ROOT / "docs" / "deploy.md").read_text()
    table = text.partition("### What it costs")[2].partition("A default")[0]
    expression = r"`([\d.+*/() -]+)`"
    line = rf"^\| .* \| {expression} \| (\d+\.?\d*) \| {expression} = (\.\d+) \|$"
    rows = re.findall(line, table, re.MULTILINE)
    assert len(rows) == 3
    for seconds, told, dollars, told_dollars in rows:
        assert float(f"{eval(seconds):.2g}") == float(told)
        assert float(f"{eval(dollars):.1g}") == float(told_dollars)
    # What is subtracted and divided stands in docs/scale.md.
    scale = (ROOT / "docs" / "scale.md").read_text()
    for seconds, *_ in rows[:2]:
        most, least = re.findall(r"[\d.]+", seconds)[:2]
        assert f"| {most} |" in scale
        assert f"| {least} |" in scale
