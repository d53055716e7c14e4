"""The example goes from texts to a plot as it says."""

import subprocess
import sys
from pathlib import Path

import pytest

import lexbeam

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_example_plots_the_words_that_changed_most(sample, tmp_path):
    script = ROOT / "examples" / "plot_change.py"
    assert "python examples/plot_change.py out/sample/corpus --out out/plot" in script.read_text()
    command = [sys.executable, str(script), str(sample / "corpus"), "--out", str(tmp_path)]
    done = subprocess.run([*command, "--words", "5"], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == f"{tmp_path}/change.svg\n"
    assert done.stderr == ""
    plot = (tmp_path / "change.svg").read_text("utf-8")
    words = lexbeam.open(tmp_path / "results").top(6, alignment="op")["word"].to_pylist()
    assert all(f">{word}<" in plot for word in words[:5])
    assert f">{words[5]}<" not in plot
