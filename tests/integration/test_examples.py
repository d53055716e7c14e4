"""The examples run as their docstrings say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lexbeam.pipelines.frame.configuration import read_jobs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "inputs", "slices"),
    [
        ("novels.yaml", "novels", "early=1840-1859,late=1880-1920"),
        ("sotu/config.yaml", "sotu/speeches", "1800-1821,1982-2009"),
    ],
)
def test_every_example_configuration_is_valid(name, inputs, slices):
    corpus, change = (job.options for job in read_jobs(str(EXAMPLES / name), {}))
    assert corpus.inputs == (str(EXAMPLES / inputs),)
    assert change.slices == slices


def test_the_speeches_are_as_many_and_as_small_as_their_page_says():
    texts = sorted((EXAMPLES / "sotu" / "speeches").iterdir())
    assert [path.name[:4] < "1900" for path in texts] == [True] * 22 + [False] * 20
    assert sum(path.stat().st_size for path in texts) < 1_000_000
    for path in texts:
        text = path.read_bytes().decode("utf-8")
        assert "\r" not in text
        assert not text.startswith("\ufeff")


@pytest.mark.parametrize("alignment", [pytest.param("op", marks=pytest.mark.soak), "cca"])
def test_scores_can_be_checked_with_numpy_alone(sample_run, alignment):
    command = [sys.executable, str(EXAMPLES / "check_scores.py"), str(sample_run)]
    done = subprocess.run([*command, "--alignment", alignment], check=True, capture_output=True, text=True)
    compared, difference = re.match(r"(\d+) scores .* difference (\S+)", done.stdout).groups()
    assert int(compared) > 200
    assert float(difference) < 1e-6
