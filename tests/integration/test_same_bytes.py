"""In memory and with two processes, the published files are the same, byte for byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def published(out: Path) -> dict[str, bytes]:
    """Every published file by its name, the manifest included."""
    top = out / "current"
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.resolve().rglob("*"))
        for path in [top / path.relative_to(top.resolve())]
        if path.is_file()
    }


def run_elsewhere(config: Path, out: Path, *options: str, **environment: str) -> dict[str, bytes]:
    """Run in another process and working directory; return what it published."""
    out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pipelines.cli", "run", str(config), "--out", str(out), *options],
        check=True,
        cwd=out.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
    )
    return published(out)


@pytest.mark.slow
def test_two_processes_and_another_hash_seed_publish_the_same_bytes(
    sample_run, sample_config, tmp_path
):
    expected = published(sample_run)
    assert {name.partition("/")[0] for name in expected} == {
        "alignments", "documents", "manifest.json", "neighbours", "rejects", "scores", "sentences",
        "slices", "vectors",
    }  # fmt: skip
    found = run_elsewhere(
        sample_config,
        tmp_path / "elsewhere" / "out",
        "--runner-config",
        "direct_multiprocess",
        PYTHONHASHSEED="123",
        OPENBLAS_NUM_THREADS="2",
    )
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


def test_a_second_run_publishes_the_same_bytes(sample_run, sample_config, tmp_path):
    expected = published(sample_run)
    found = run_elsewhere(sample_config, tmp_path / "out", PYTHONHASHSEED="7")
    assert found == expected
