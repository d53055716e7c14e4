"""A layer is added from outside, as CONTRIBUTING.md says, word for word."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from outsiders import blocks_of, entry_of, install

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder as an installed package leaves it: the module, and what says its entry point."""
    folder = tmp_path_factory.mktemp("site")
    (module,) = blocks_of("Add a layer")
    assert len(module.splitlines()) <= 16
    install(folder, *entry_of("Add a layer"), toy_layers=module)
    return folder


def lexbeam(package, *words):
    path = os.pathsep.join([str(package), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "lexbeam.pipelines.cli", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )


def sentences(out):
    return pq.read_table(out / "current" / "sentences")


def test_a_new_layer_goes_all_the_way(package, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n1\tÜber\tüber\tADP\t_\t_\t0\troot\t_\t_\n", "utf-8")
    words = ["corpus", path, "--out", tmp_path / "out", "--layers", "lengths,xpos", "--parts", "2"]
    done = lexbeam(package, *words)  # that workers know a package, too: test_adding_a_command.py
    assert done.returncode == 0, done.stderr
    table = sentences(tmp_path / "out")
    assert table.schema.names[-2:] == ["xpos", "lengths"]  # ours first
    assert table["lengths"].to_pylist() == [[4], [4]]
    assert table.schema.field("lengths").metadata == {b"doc": b"length", b"unit": b"code points"}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["corpus"]["options"]["layers"] == ["xpos", "lengths"]
    assert "lengths" in manifest["corpus"]["columns"]

    # Another function under the same name is other annotation.
    module = package / "toy_layers.py"
    before = module.read_text("utf-8")
    module.write_text(before.replace("len(word.cells[1])", "-len(word.cells[1])"), "utf-8")
    done = lexbeam(package, *words, "--overwrite")
    module.write_text(before, "utf-8")
    assert done.returncode == 0, done.stderr
    assert sentences(tmp_path / "out")["lengths"].to_pylist() == [[-4], [-4]]


def test_without_the_package_there_is_no_such_layer(tmp_path):
    done = lexbeam(tmp_path, "corpus", ROOT / "README.md", "--out", "x", "--layers", "lengths")
    assert done.returncode == 2
    assert "--layers cannot be 'lengths'" in done.stderr
