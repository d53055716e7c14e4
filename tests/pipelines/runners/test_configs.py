"""Runner configurations, and how many cores a process may use, as a made-up system says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_job_api_pb2 as messages
from apache_beam.runners.portability.portable_runner import JobServiceHandle

from lexbeam.pipelines.runners import configs
from lexbeam.pipelines.runners.configs import cores, load_runner_config, load_stream_config
from lexbeam.transforms.common.errors import UsageError

CONFIGS = Path(__file__).resolve().parents[3] / "lexbeam" / "runner_configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_configuration_is_valid_by_name_and_by_path(path, monkeypatch):
    for variable in re.findall(r"\$\{(\w+)", path.read_text("utf-8")):
        if variable != "HERE" and variable != "CORES":
            # Programs must be there; a number is what some others must be.
            value = "1" if variable in ("LEXBEAM_WORKERS", "LEXBEAM_PARALLELISM") else __file__
            monkeypatch.setenv(variable, value)
    assert load_runner_config(path.stem) == load_runner_config(str(path))


def test_every_configuration_is_in_the_readme():
    text = (CONFIGS / "README.md").read_text("utf-8")
    assert all(f"`{path.stem}`" in text for path in CONFIGS.glob("*.yaml"))


def test_the_command_line_comes_after_the_file():
    config = load_runner_config("direct_multiprocess", ["--direct_num_workers=3"])
    assert config.beam[-1] == "--direct_num_workers=3"
    assert config.lanes == 3


@pytest.mark.parametrize("number", [1, 5])
def test_workers_and_lanes_are_as_many_as_cores(number, monkeypatch, tmp_path):
    monkeypatch.setattr(configs, "cores", lambda: number)
    for extra in ([], ["--direct_num_workers=0"]):
        config = load_runner_config("direct_multiprocess", extra)
        assert (config.beam[-1], config.lanes) == (f"--direct_num_workers={number}", number)
    path = write(tmp_path, "lanes: 7\nbeam: {direct_num_workers: '${CORES}'}")
    assert load_runner_config(path).lanes == 7
    assert load_runner_config(path).beam == (f"--direct_num_workers={number}",)


def test_a_file_without_lanes_leaves_them_to_other_runners(tmp_path):
    assert load_runner_config(write(tmp_path, "runner: PrismRunner")).lanes == 0
    assert load_runner_config(write(tmp_path, "runner: direct")).lanes == 1


def write(folder, text):
    path = folder / "x.yaml"
    path.write_text(text, "utf-8")
    return os.fspath(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runer: direct", r"did you mean 'runner'\?"),
        ("beam: {direct_num_worker: 2}", r"did you mean '--direct_num_workers'\?"),
        ("beam: [1]", "must be a mapping"),
        ("just text", "is a mapping"),
        ("lanes: many", "lanes must be a whole number"),
        ("lanes: -1", "lanes must be at least 0"),
    ],
)
def test_a_wrong_configuration_is_explained(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        load_runner_config(write(tmp_path, text))


def test_a_wrong_beam_option_is_an_error_not_a_warning():
    with pytest.raises(UsageError, match=r"did you mean '--temp_location'\?"):
        load_runner_config("direct", ["--temp_locaton=x"])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--load_balance_bundle", r"did you mean '--load_balance_bundles'\?"),
        ("--load_balance_bundles=yes", "argument --load_balance_bundles"),
        ("--execution_mode_for_batch=FORCED", "choose from .*BATCH_FORCED"),
        ("--direct_running_mode=multi_threading", "other users .* reach: give multi_processing or in_memory"),
    ],
)
def test_options_of_the_job_server_are_checked_too(option, message):
    with pytest.raises(UsageError, match=message):
        load_runner_config("direct", [option])


def test_workers_are_not_dealt_out_to_stages_that_wait_for_each_other(tmp_path):
    forced = "--execution_mode_for_batch=BATCH_FORCED"
    path = write(tmp_path, "beam: {load_balance_bundles: true}")
    assert load_runner_config(path, [forced]).beam == ("--load_balance_bundles", forced)
    with pytest.raises(UsageError, match="needs --execution_mode_for_batch=BATCH_FORCED"):
        load_runner_config(path)


class JobServer:
    """Tells the options that it knows, as Beam's job server does."""

    def DescribePipelineOptions(self, *_, **__):
        kinds = messages.PipelineOptionType
        known = {"load_balance_bundles": kinds.BOOLEAN, "execution_mode_for_batch": kinds.STRING}
        options = [messages.PipelineOptionDescriptor(name=name, type=type) for name, type in known.items()]
        return messages.DescribePipelineOptionsResponse(options=options)


def test_options_reach_the_job_server(monkeypatch):
    monkeypatch.setenv("LEXBEAM_FLINK_JAR", __file__)
    options = PipelineOptions(list(load_runner_config("flink_local").beam))
    sent = JobServiceHandle(JobServer(), options).get_pipeline_options()
    assert sent["beam:option:load_balance_bundles:v1"] is True
    assert sent["beam:option:execution_mode_for_batch:v1"] == "BATCH_FORCED"
    assert "beam:option:flink_conf_dir:v1" not in sent


def test_flink_has_a_worker_for_each_slot(monkeypatch):
    monkeypatch.setenv("LEXBEAM_FLINK_JAR", __file__)
    options = PipelineOptions(list(load_runner_config("flink_local").beam)).get_all_options()
    assert options["parallelism"] == int(options["sdk_worker_parallelism"])


@pytest.mark.parametrize("name", ["flink_stream", "flink_cluster", "flink_kubernetes", "prism"])
def test_runners_of_streams(name, monkeypatch, caplog):
    for variable in ("LEXBEAM_FLINK_JAR", "LEXBEAM_BOOT", "LEXBEAM_PRISM"):
        monkeypatch.setenv(variable, __file__)
    options = load_stream_config(name).beam
    assert "--streaming" in options
    assert ("--finish_bundle_before_checkpointing" in options) == ("flink" in name)
    assert ("no checkpoints" in caplog.text) == (name == "prism")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("direct", "direct works stage after stage, .* nothing would land: give flink_stream"),
        ("direct_multiprocess", "nothing would land"),
        ("flink_local", "--load_balance_bundles: a stage of a stream keeps its worker for ever"),
        ("{runner: SparkRunner}", "SparkRunner is not known to run streams"),
    ],
)
def test_other_runners_refuse_a_stream_before_it_starts(name, message, tmp_path, monkeypatch):
    monkeypatch.setenv("LEXBEAM_FLINK_JAR", __file__)
    with pytest.raises(UsageError, match=message):
        load_stream_config(write(tmp_path, name) if name.startswith("{") else name)


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(UsageError, match=r"did you mean 'direct'\?"):
        load_runner_config("dirct")


def test_true_false_and_lists_become_flags(tmp_path):
    text = "beam: {save_main_session: true, streaming: false, experiments: [a, b]}"
    config = load_runner_config(write(tmp_path, text))
    assert config.beam == ("--save_main_session", "--experiments=a", "--experiments=b")


def test_variables_are_filled_in_with_defaults(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACE", "there")
    monkeypatch.setenv("UNUSED", "${PLACE}")
    monkeypatch.delenv("NOWHERE", raising=False)
    text = """
        beam:
          temp_location: ${PLACE}/x
          flink_job_server_jar: ${NOWHERE:-${HERE}/../job.jar}
          experiments: ["${NOWHERE:-}a", "${UNUSED}"]
          environment_config: '{"command": "${HERE}/worker"}'
    """
    config = load_runner_config(write(tmp_path, text))
    assert config.beam == (
        "--temp_location=there/x",
        f"--flink_job_server_jar={tmp_path}/../job.jar",
        "--experiments=a",
        "--experiments=${PLACE}",
        f'--environment_config={{"command": "{tmp_path}/worker"}}',
    )


def test_a_variable_without_default_must_be_set(tmp_path, monkeypatch):
    monkeypatch.delenv("NOWHERE", raising=False)
    with pytest.raises(UsageError, match="set the environment variable NOWHERE"):
        load_runner_config(write(tmp_path, "beam: {temp_location: '${NOWHERE}'}"))


@pytest.mark.parametrize(
    ("name", "variable", "target"),
    [
        ("flink_local", "LEXBEAM_FLINK_JAR", "flink-jar"),
        ("flink_stream", "LEXBEAM_FLINK_JAR", "flink-jar"),
        ("prism", "LEXBEAM_PRISM", "prism"),
    ],
)
def test_a_missing_program_is_named_with_its_make_target(name, variable, target, monkeypatch):
    monkeypatch.setenv(variable, "/nowhere/program")
    with pytest.raises(UsageError, match=rf"needs /nowhere/program; `make {target}` builds it"):
        load_runner_config(name)


@pytest.fixture
def eight(monkeypatch):
    """A machine of eight cores."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def system(root, groups, **limits):
    """Write the files by which a system tells its control groups and their limits."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for path, text in limits.items():
        place = root / "sys/fs/cgroup" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/\n", {}, 8),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "300000 100000\n"}, 3),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "10000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "9900000 100000\n"}, 8),
        ("0::/a/b\n", {"a/cpu.max": "200000 100000\n", "a/b/cpu.max": "max 100000\n"}, 2),
        ("0::/a/b\n", {"a/cpu.max": "500000 100000\n", "a/b/cpu.max": "400000 100000\n"}, 4),
        ("0::/a\n", {"b/cpu.max": "200000 100000\n"}, 8),  # another's
        ("0::/not/seen/here\n", {"cpu.max": "200000 100000\n"}, 2),  # of a container
        ("3:cpu:/a\n1:cpuset:/\n", {"cpu/a/cpu.cfs_quota_us": "250000\n", "cpu/a/cpu.cfs_period_us": "50000\n"}, 5),
        ("3:cpu,cpuacct:/\n", {"cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, 8),
        ("0::/\n", {"cpu.max": "0 0\n"}, 8),
        ("0::/\n", {"cpu.max": "much\n"}, 8),
    ],
)
def test_no_more_than_the_control_groups_allow(groups, limits, expected, eight, tmp_path):
    assert cores(system(tmp_path, groups, **limits)) == expected


def test_no_more_than_the_process_is_kept_to(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5}, raising=False)
    limits = {"cpu.max": "300000 100000\n"}
    assert cores(system(tmp_path, "0::/\n", **limits)) == 1


def test_where_the_system_does_not_tell(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores(str(tmp_path)) == 1
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert cores(str(tmp_path)) == 6


def test_the_worker_that_flink_starts_is_there():
    """It is started by the name of its module, which nothing but a run on Flink would look for."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    started = subprocess.run(
        ["sh", CONFIGS / "flink" / "worker"], env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert "the following arguments are required: --id, --provision_endpoint" in started.stderr
