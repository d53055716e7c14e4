"""The examples run as their docstrings say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.frame.configuration import read_jobs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_configuration_is_valid(path):
    corpus, change = (job.options for job in read_jobs(str(path), {}))
    assert corpus.inputs == (str(EXAMPLES / "novels"),)
    assert change.slices == "early=1840-1859,late=1880-1920"


@pytest.mark.parametrize("alignment", [pytest.param("op", marks=pytest.mark.soak), "cca"])
def test_scores_can_be_checked_with_numpy_alone(sample_run, alignment):
    command = [sys.executable, str(EXAMPLES / "check_scores.py"), str(sample_run)]
    done = subprocess.run([*command, "--alignment", alignment], check=True, capture_output=True, text=True)
    compared, difference = re.match(r"(\d+) scores .* difference (\S+)", done.stdout).groups()
    assert int(compared) > 200
    assert float(difference) < 1e-6
