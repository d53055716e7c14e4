"""A small sample corpus and its run, made once for all tests that look at published tables."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from marked import MARK, left_of
from mixed_runs import skip_without
from s3_server import PROGRAM, S3Server, led_to, s3_server
from small_runs import copy_of_out, write_texts

from benchmarks.flink_kills import JAR, Running, running_cluster
from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.options.yaml_files import read_yaml

HERE = Path(__file__).parent
TOKENS = 30_000
SMALL = {"seeds": 2, "dim": 20, "epochs": 2, "alignment": ["op", "op-", "cca", "none"]}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all that lies here as slow: most run whole commands."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)


def write_sample_config(folder: Path, tokens: int = TOKENS, seed: int = 7, **change: object) -> Path:
    """Write a sample; return its configuration, with other options of `change`, no nulls."""
    out = folder / "sample"
    assert main(["sample", "--out", str(out), "--tokens", str(tokens), "--seed", str(seed)]) == 0
    config = read_yaml(str(out / "config.yaml"))
    config["change"] |= {"null": 0} | change
    (out / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return out / "config.yaml"


@pytest.fixture(scope="session")
def make_sample() -> Callable[..., Path]:
    """A function that writes a sample and returns its configuration."""
    return write_sample_config


@pytest.fixture(scope="session")
def sample_config(made_once: Callable[..., Any]) -> Path:
    """The configuration of a small sample corpus."""
    return made_once("sample", lambda folder: write_sample_config(folder, **SMALL))


@pytest.fixture(scope="session")
def sample_run(sample_config: Path, made_once: Callable[..., Any]) -> Path:
    """The folder where the small sample's tables are published."""

    def run(folder: Path) -> Path:
        out = folder / "results"
        assert main(["run", str(sample_config), "--out", str(out)]) == 0
        return out

    return made_once("sample_run", run)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder of four dated texts."""
    return write_texts(tmp_path / "texts")


@pytest.fixture
def out(made_once: Callable[..., Any], tmp_path: Path) -> Path:
    """A folder with a corpus of such texts, and change made from it."""
    return copy_of_out(made_once, tmp_path)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server | None]:
    """A server of S3 with a bucket, if its program is there."""
    if not PROGRAM.exists():
        yield None
        return
    with s3_server(tmp_path_factory.mktemp("s3"), ["bucket"]) as server:
        yield server


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, store: S3Server | None) -> Iterator[Running]:
    """A Flink cluster that is up, whose workers reach the server of S3; nothing of it is left afterwards."""
    skip_without("flink_cluster")
    folder = tmp_path_factory.mktemp("cluster")
    environment = {MARK: str(folder), **(store.environment if store else {})}
    with running_cluster(folder, JAR, environment, restart=3) as running:
        yield running
    assert left_of(str(folder)) == {}
    assert not running.state.exists()


@pytest.fixture
def ready(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that skips the test unless a runner's programs are there, and starts what has to be up for it."""

    def see_to(runner: str) -> None:
        skip_without(runner)
        if runner == "flink_cluster":
            for name, value in request.getfixturevalue("cluster").environment.items():
                monkeypatch.setenv(name, value)

    return see_to


@pytest.fixture
def bucket(store: S3Server | None, tmp_path: Path) -> Iterator[str]:
    """The address of an empty folder on the server of S3, to which the environment leads."""
    with led_to(store):
        yield f"s3://bucket/{tmp_path.name}"
