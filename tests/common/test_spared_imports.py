"""Processes of ours leave out what others import for nothing, and what needs it has it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPARED = (
    "from lexbeam.transforms.common.spared_imports import restore_torch, spare_imports\nspare_imports()\nimport sys\n"
)


def printed(code):
    done = subprocess.run([sys.executable, "-c", SPARED + code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_spacy_and_beam_do_not_import_what_they_can_do_without_and_others_do(tmp_path):
    for name in ("torch", "pandas"):  # in the place of packages that take seconds
        (tmp_path / f"{name}.py").write_text("ones = [1]\n")
    code = f"""
sys.path.insert(0, {str(tmp_path)!r})
import spacy
import apache_beam.typehints
assert not hasattr(apache_beam.typehints, "DataFrameBatchConverter")
assert [t.text for t in spacy.blank("en")("Ships sail.")] == ["Ships", "sail", "."]
print([name for name in ("torch", "pandas", "spacy.cli") if name in sys.modules])
import torch, pandas, spacy.cli
print(torch.ones, pandas.ones, spacy.cli.info.__name__)
"""
    assert printed(code) == "[]\n[1] [1] info\n"


@pytest.mark.parametrize("before", ["import thinc.api, spacy", pytest.param("", marks=pytest.mark.soak)])
def test_layers_of_torch_work_once_it_is_restored(before):
    pytest.importorskip("torch", reason="needs the extra `torch`")
    code = f"""
{before}
restore_torch()
import numpy, torch
from thinc.api import PyTorchWrapper
layer = PyTorchWrapper(torch.nn.Identity())
layer.initialize()
print(layer.predict(numpy.ones((1, 2), "f")).tolist())
"""
    assert printed(code) == "[[1.0, 1.0]]\n"


def test_beam_has_googles_clients_where_a_runner_needs_them():
    pytest.importorskip("google.cloud.storage", reason="needs the extra `gcp`")
    code = """
import apache_beam
from apache_beam.io.filesystems import FileSystems
from apache_beam.runners.dataflow import dataflow_runner
from apache_beam.utils import retry
from lexbeam.transforms.common.spared_imports import restore_google
print([name for name in ("google.cloud.dataflow", "google.auth", "pandas", "pymongo") if name in sys.modules])
print(retry.HttpError, dataflow_runner.dataflow_api)
restore_google()
print(type(FileSystems.get_filesystem("gs://bucket/file")).__name__)
print(retry.HttpError.__name__, dataflow_runner.dataflow_api.__name__)
"""
    assert printed(code) == "[]\nNone None\nGCSFileSystem\nHttpError google.cloud.dataflow\n"


def test_an_error_in_a_spared_module_shows_its_source():
    code = """
import thinc.compat, inspect
assert "import torch" in inspect.getsource(thinc.compat)
print(thinc.compat.enable_mxnet.__globals__["__builtins__"]["__import__"] is __import__)
"""
    assert printed(code) == "True\n"
