"""Dockerfiles and manifests, by the linter and the schemas of those who take them; what they say of Lexbeam."""

import copy
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import jsonschema
import kubernetes_validate
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from s3_server import PROGRAM, free_port

from lexbeam.pipelines.cli import parser_of_all
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.pipelines.runners.configs import load_runner_config
from lexbeam.pipelines.runners.flink_cluster import Cluster, job_manager, task_manager

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = ("1.31", "1.34")
OPERATOR = ROOT / "build" / "flink" / "operator-api.jar"
JAR = ROOT / "build" / "flink" / "job-server.jar"
DOCKERFILES = sorted(DEPLOY.glob("*.Dockerfile"))
OF_LEXBEAM = [path for path in DOCKERFILES if path.stem != "flink"]
OVERLAYS = ("flink", "pod")
NIGHTLY, FLINK = (
    yaml.safe_load((DEPLOY / "kubernetes" / path).read_text())
    for path in ("base/nightly.yaml", "overlays/flink/flink.yaml")
)


def pod_of(manifest):
    return manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]


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
        [
            sys.executable,
            "-c",
            "from lexbeam.transforms.common.code.fingerprints import blas_kernels as b; print(*b())",
        ],
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
        assert re.match(r'LEXBEAM_COMMIT="\$\{COMMIT\}" (uv )?pip ', command)
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
def test_the_nightly_job_is_what_kubernetes_takes(version):
    kubernetes_validate.validate(NIGHTLY, version, strict=True)
    wrong = copy.deepcopy(NIGHTLY)
    wrong["spec"]["jobTemplate"]["spec"]["activeDeadlineSecond"] = 3
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_a_night_that_hangs_ends_before_the_next_and_what_is_wrong_is_not_tried_again():
    job = NIGHTLY["spec"]["jobTemplate"]["spec"]
    hour, every = NIGHTLY["spec"]["schedule"].split(maxsplit=2)[1:]
    assert (hour, every) == ("2", "* * *")
    assert job["activeDeadlineSeconds"] + NIGHTLY["spec"]["startingDeadlineSeconds"] < 24 * 3600
    pod = pod_of(NIGHTLY)
    (container,) = pod["containers"]
    (of_exit,) = (rule["onExitCodes"] for rule in job["podFailurePolicy"]["rules"] if "onExitCodes" in rule)
    assert of_exit == {"containerName": container["name"], "operator": "In", "values": [2]}
    # Kubernetes takes a policy of failures with this alone.
    assert pod["restartPolicy"] == "Never"
    # 3, that nothing had changed, would count as a failure.
    assert "--exit-code" not in container["args"]


def test_pods_are_restricted_and_write_into_volumes_alone():
    """What Kubernetes calls the restricted standard of pod security."""
    pod = pod_of(NIGHTLY)
    (container,) = pod["containers"]
    (worker,) = FLINK["spec"]["taskManager"]["podTemplate"]["spec"]["containers"]
    for stated in (pod["securityContext"] | container["securityContext"], worker["securityContext"]):
        assert stated["runAsNonRoot"]
        assert stated["allowPrivilegeEscalation"] is False
        assert stated["capabilities"] == {"drop": ["ALL"]}
        assert stated["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"]["readOnlyRootFilesystem"]
    home = re.search(r"^WORKDIR (/home/\S+)$", (DEPLOY / "driver.Dockerfile").read_text(), re.MULTILINE)[1]
    written = {
        mount["mountPath"]
        for mount in container["volumeMounts"]
        if {"name": mount["name"], "emptyDir": {}} in pod["volumes"]
    }
    assert written == {"/tmp", home}


def kustomized(folder):
    """Return what Kustomize makes of a folder."""
    for words in (["kustomize", "build"], ["kubectl", "kustomize"]):
        if shutil.which(words[0]):
            done = subprocess.run([*words, str(folder)], capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")
            return list(yaml.safe_load_all(done.stdout))
    return pytest.skip("needs kustomize, or kubectl, which has it")


def images_in(value):
    if isinstance(value, dict):
        for name, part in value.items():
            yield from [part] if name == "image" else images_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from images_in(part)


@pytest.fixture(scope="module")
def filled_in(tmp_path_factory):
    """A copy of deploy/ after the command of the docs that writes names into it."""
    folder = tmp_path_factory.mktemp("filled")
    text = (ROOT / "docs" / "deploy.md").read_text()
    shutil.copytree(DEPLOY, folder / "deploy")
    command = re.search(r"^ +(sed -i (?:.*\\\n)*.*)$", text, re.MULTILINE)[1]
    names = {"REGISTRY": "ghcr.io/me", "TAG": "1.2", "BUCKET": "mine"}
    subprocess.run(command, shell=True, cwd=folder, env={**os.environ, **names}, check=True)
    return folder / "deploy" / "kubernetes"


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_builds_what_kubernetes_takes_with_the_names_of_its_user(overlay, filled_in):
    made = kustomized(filled_in / "overlays" / overlay)
    for manifest in made:
        if manifest["kind"] != "FlinkDeployment":  # which the operator's schema checks
            for version in KUBERNETES:
                kubernetes_validate.validate(manifest, version, strict=True)
    wanted = {"ConfigMap", "CronJob"} | ({"FlinkDeployment"} if overlay == "flink" else set())
    kinds = {manifest["kind"]: manifest for manifest in made}
    assert kinds.keys() == wanted
    images = {"driver", "worker", "flink"} if overlay == "flink" else {"driver"}
    assert set(images_in(made)) == {f"ghcr.io/me/lexbeam-{image}:1.2" for image in images}
    assert not re.search(r"BUCKET|example\.org", yaml.safe_dump(made))
    volumes = {volume["name"]: volume for volume in pod_of(kinds["CronJob"])["volumes"]}
    assert volumes["config"]["configMap"]["name"] == kinds["ConfigMap"]["metadata"]["name"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_command_of_a_night_is_one_that_lexbeam_takes(overlay, filled_in, tmp_path):
    kinds = {manifest["kind"]: manifest for manifest in kustomized(filled_in / "overlays" / overlay)}
    (container,) = pod_of(kinds["CronJob"])["containers"]
    values = vars(parser_of_all().parse_args(container["args"]))
    assert values["runner_config"] == {"flink": "flink_kubernetes", "pod": "direct_multiprocess"}[overlay]
    folder, file = os.path.split(container["args"][1])
    assert folder in {mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == "config"}
    (tmp_path / file).write_text(kinds["ConfigMap"]["data"][file])
    jobs = read_jobs(str(tmp_path / file), {})
    assert {job.section: job.options.out for job in jobs} == dict.fromkeys(["corpus", "change"], "s3://mine/results")


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
    deployment_schema.validate(FLINK)
    wrong = copy.deepcopy(FLINK)
    wrong["spec"]["taskManager"]["podTemplates"] = {}
    with pytest.raises(jsonschema.ValidationError, match="podTemplates"):
        deployment_schema.validate(wrong)


def test_the_cluster_of_the_overlay_is_what_the_operator_takes(deployment_schema, filled_in):
    (cluster,) = (each for each in kustomized(filled_in / "overlays" / "flink") if each["kind"] == "FlinkDeployment")
    deployment_schema.validate(cluster)


def test_the_runner_configuration_fits_the_cluster(monkeypatch, tmp_path):
    jar = tmp_path / "jar"
    jar.touch()
    monkeypatch.setenv("LEXBEAM_FLINK_JAR", str(jar))
    flags = load_runner_config("flink_kubernetes").beam
    beam = dict(flag.removeprefix("--").partition("=")[::2] for flag in flags)
    spec = FLINK["spec"]
    slots = int(spec["flinkConfiguration"]["taskmanager.numberOfTaskSlots"])
    assert int(beam["sdk_worker_parallelism"]) == slots
    assert int(beam["parallelism"]) == slots * spec["taskManager"]["replicas"]
    assert beam["flink_master"].partition(":")[0] == FLINK["metadata"]["name"] + "-rest"
    assert spec["flinkVersion"] == "v" + beam["flink_version"].replace(".", "_")
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
    assert version.startswith(FLINK["spec"]["flinkVersion"].removeprefix("v").replace("_", ".") + ".")
    copied, place = re.search(r"^COPY (\S+) (\S+)$", text, re.MULTILINE).groups()
    assert (copied, Path(place).parent) == ("build/flink/job-server.jar", Path("/opt/flink/lib"))
    assert f"!{copied}" in (ROOT / ".dockerignore").read_text().splitlines()
    there = FLINK["spec"]["flinkConfiguration"]
    for make, name in ((job_manager, "jobmanager"), (task_manager, "taskmanager")):
        words = make(Cluster("jar", 1, 2, 1, 2), tmp_path / name)
        here = yaml.safe_load((tmp_path / name / "config.yaml").read_text())
        assert there["classloader.resolve-order"] == here["classloader.resolve-order"] == "parent-first"
        opened = there[f"env.java.opts.{name}"].split()
        assert {word for word in words if word.startswith("--add-opens")} == set(opened)
    if JAR.exists():  # its classes come first
        with zipfile.ZipFile(JAR) as jar:
            assert f"project.version={version}" in jar.read(".flink-runtime.version.properties").decode().splitlines()


BUILD = (
    "import runpy, sys; sys.modules.update(dict.fromkeys(sys.argv.pop().split())); runpy.run_module({!r}, None, {!r})"
)


def test_lexbeam_builds_with_the_packages_that_its_build_names_alone(tmp_path):
    """Images install Lexbeam from its source, in an environment that has what `build-system` names and nothing else."""
    left = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    there = {"lexbeam"}
    while left:
        requirement = Requirement(left.pop())
        name = canonicalize_name(requirement.name)
        if name not in there and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            there.add(name)
            left += metadata.requires(name) or []
    modules = metadata.packages_distributions()
    lacking = [name for name, of in modules.items() if there.isdisjoint(map(canonicalize_name, of))]
    assert "apache_beam" in lacking
    words = [sys.executable, "-c", BUILD.format("lexbeam._stubs", "__main__"), str(tmp_path), " ".join(lacking)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir())


PUT_AND_GOT = """
from lexbeam.transforms.common.store import files
files.write_bytes("s3://bucket/a/b.txt", b"an object")
print(files.read_bytes("s3://bucket/a/b.txt"), end="")
"""


@pytest.mark.skipif(not PROGRAM.exists(), reason="no server of S3; `make runners` builds it")
def test_the_server_of_s3_starts_says_how_it_is_used_and_ends(tmp_path):
    port = free_port()
    words = ["make", "--old-file", "build/s3/versitygw", "s3-server", f"S3_PORT={port}", f"S3_FOLDER={tmp_path}"]
    # Under `make test`, make would be one of several, and say first which folder it enters.
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    with subprocess.Popen(
        words, cwd=ROOT, env=alone, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        try:
            told = "".join(server.stdout.readline() for _ in range(3))
            for _ in range(200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            variables = dict(word.split("=", 1) for word in re.findall(r"AWS_\w+=\S+", told))
            assert len(variables) == 4
            assert variables["AWS_ENDPOINT_URL"] == f"http://127.0.0.1:{port}"
            done = subprocess.run(
                [sys.executable, "-c", PUT_AND_GOT],
                cwd=ROOT,
                env={**os.environ, **variables},
                capture_output=True,
                text=True,
            )
            assert (done.stdout, done.stderr) == ("b'an object'", "")
            assert (tmp_path / "bucket" / "a" / "b.txt").read_bytes() == b"an object"
            assert "Ctrl-C ends it" in told
        finally:
            os.killpg(server.pid, signal.SIGINT)  # as a terminal does
        server.wait(timeout=60)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_what_is_test_equipment_says_so():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    lines = dict(re.findall(r"^  make (\S+) +(.*)$", listed, re.MULTILINE))
    said = {name for name, line in lines.items() if line.startswith("test equipment: ")}
    assert said == {"flink-up", "flink-down", "prism", "s3-server"}
    first_screen = (ROOT / "docs" / "deploy.md").read_text().partition("\n## ")[0]
    assert all(f"`{name}`" in first_screen or f"`make {name}`" in first_screen for name in said)


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
