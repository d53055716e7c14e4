"""The recipes of docs/running/readers.md, word for word: one snapshot in other programs, while another is published."""

import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "running" / "readers.md"
sys.path.insert(0, str(Path(__file__).parent / "integration"))

from small_runs import call, make_out  # noqa: E402


def block(heading):
    """Return the first Python block below a heading, or of the beginning."""
    text = PAGE.read_text("utf-8")
    text = text.split(f"\n## {heading}\n")[1] if heading else text
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


@pytest.fixture(scope="module")
def opened(made_once, tmp_path_factory):
    """The names of the recipe's beginning, of a tagged snapshot that is no longer current, and the right counts."""
    folder = tmp_path_factory.mktemp("readers")
    shutil.copytree(made_once("small_out", make_out), folder / "results", symlinks=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        name = Path("results/current").resolve().name
        assert call("tag", "results", name[:12], "paper-v1") == 0
        names = {}
        exec(block(""), names)
        (folder / "texts").mkdir()
        (folder / "texts" / "1900.txt").write_text("A sea. A ship.")
        options = ["--engine", "builtin:en", "--dates", "name:^(\\d+)", "--keep-snapshots", "1", "--overwrite"]
        assert call("corpus", "texts", "--out", "results", *options) == 0
    sources = dict(
        zip(*(names["results"].table("documents")[c].to_pylist() for c in ("document_id", "source")), strict=True)
    )
    counts = Counter(sources[row] for row in names["results"].table("sentences")["document_id"].to_pylist())
    assert Path(folder / "results/current").resolve().name != name
    assert len(counts) == 4
    return names, sorted(counts.items())


def counted(opened, heading):
    names, right = opened
    found = dict(names)
    exec(block(heading), found)
    assert found["counts"] == right
    return found


def test_duckdb(opened):
    db = counted(opened, "DuckDB")["db"]
    assert db.sql('select count(*) from "change/summary"').fetchall()[0][0] > 0


@pytest.mark.parametrize("heading", ["Polars", "pandas"])
def test_frames(opened, heading):
    counted(opened, heading)


@pytest.mark.soak
def test_spark(opened):
    pytest.importorskip("pyspark", reason="pip install pyspark, and Java 17")
    counted(opened, "Spark")["spark"].stop()


def test_the_name_that_a_copy_has_is_that_of_the_snapshot(opened):
    found = dict(opened[0])
    exec(block("Delta Lake and Iceberg"), found)
    assert found["name"] == Path(found["paths"]["sentences"][0]).parents[1].name
