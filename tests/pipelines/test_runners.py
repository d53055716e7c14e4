import os
from pathlib import Path

import pytest

from pipelines.runners import load_runner_config
from transforms.common.errors import UsageError

CONFIGS = Path(__file__).resolve().parents[2] / "runner_configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_configuration_is_valid_by_name_and_by_path(path, monkeypatch):
    for program in ("LEXBEAM_FLINK_JAR", "LEXBEAM_PRISM"):
        monkeypatch.setenv(program, __file__)
    assert load_runner_config(path.stem) == load_runner_config(str(path))


def test_every_configuration_is_in_the_readme():
    text = (CONFIGS / "README.md").read_text("utf-8")
    assert all(f"`{path.stem}`" in text for path in CONFIGS.glob("*.yaml"))


def test_the_command_line_comes_after_the_file():
    config = load_runner_config("direct_multiprocess", ["--direct_num_workers=3"])
    assert config.beam[-1] == "--direct_num_workers=3"
    assert config.lanes == 2


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
    ],
)
def test_a_wrong_configuration_is_explained(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        load_runner_config(write(tmp_path, text))


def test_a_wrong_beam_option_is_an_error_not_a_warning():
    with pytest.raises(UsageError, match=r"did you mean '--temp_location'\?"):
        load_runner_config("direct", ["--temp_locaton=x"])


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
    [("flink_local", "LEXBEAM_FLINK_JAR", "flink-jar"), ("prism", "LEXBEAM_PRISM", "prism")],
)
def test_a_missing_program_is_named_with_its_make_target(name, variable, target, monkeypatch):
    monkeypatch.setenv(variable, "/nowhere/program")
    with pytest.raises(UsageError, match=rf"needs /nowhere/program; `make {target}` builds it"):
        load_runner_config(name)
