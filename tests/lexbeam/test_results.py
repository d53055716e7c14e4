"""What is published, through `Results`."""

import copy
import os
import pickle
import shutil
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow.dataset import dataset
from python_runs import CORPUS
from release_folders import kinds_of, unpacked

import lexbeam
from lexbeam.transforms.common.shown import amount


def test_tables_are_those_of_the_folder(results, published):
    assert set(results.tables) == {
        "corpus/inputs",
        "documents",
        "sentences",
        "rejects",
        "slices",
        "vectors",
        "alignments",
        "scores",
        "change/summary",
        "change/pairs",
        "change/series",
        "change/points",
        "neighbours",
    }
    for name in results.tables:
        expected = pd.concat(map(pd.read_parquet, results.paths(name)))
        actual = results.table(name)
        assert actual.num_rows == len(expected) == results.manifest["tables"][name]["rows"]
        assert actual.column_names == list(expected.columns)
    assert results.table("scores", ["word", "score"]).column_names == ["word", "score"]
    assert set(results.sections) == {"corpus", "change"}
    assert results.folder == str(published)
    assert os.fspath(results) == str(published)


def test_other_programs_read_by_the_file_system_of_the_results(results, monkeypatch):
    paths, where = results.paths("sentences"), results.filesystem
    rows = results.table("sentences").num_rows
    assert rows == len(pd.read_parquet(paths, filesystem=where)) == dataset(paths, filesystem=where).count_rows()
    with duckdb.connect() as connection:
        connection.register_filesystem(where)
        assert len(connection.read_parquet(paths)) == rows
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(lexbeam.UsageError, match=r"file systems need the Python package fsspec: .*objects"):
        results.filesystem  # noqa: B018


def test_repr_tells_folder_and_rows(results, published):
    assert repr(results).startswith(f"<Results of {str(published)!r}: ")
    assert "documents 4 rows" in repr(results)
    assert f"scores {results.table('scores').num_rows} rows" in repr(results)


def test_repr_of_a_snapshot_tells_folder_name_and_sections(results, published):
    assert repr(results.snapshot) == f"<Snapshot {results.snapshot.name} of {str(published)!r}: change, corpus>"


def test_a_table_is_an_arrow_table_that_can_be_read(results):
    rows = results.table("slices")
    assert isinstance(rows.arrow, pa.Table)
    assert rows == rows.arrow == pa.table(rows) == pickle.loads(pickle.dumps(rows)) == copy.copy(rows)
    assert rows.equals(rows)
    assert len(rows) == rows.num_rows == len(pl.from_arrow(rows)) == len(rows.to_pandas()) == 3
    assert duckdb.sql("select slice from rows").fetchall() == [("a",), ("b",), ("c",)]
    assert {"to_pandas", "arrow"} <= set(dir(rows))
    few = rows.select(["slice", "from", "to"])
    assert str(few).splitlines() == [
        "slice  from    to",
        "a      1800  1830",
        "b      1850  1865",
        "c      1866  1900",
        "3 rows, 3 columns",
    ]
    assert few._repr_html_().count("<tr>") == 4
    assert str(few.slice(0, 0)) == "0 rows, 3 columns"
    scores = str(results.table("scores"))
    assert scores.endswith(f"the first 20 of {results.table('scores').num_rows} rows, 31 columns")


def test_the_answer_of_a_view_reads_as_the_command_line_prints_it(results):
    rows = results.top(3)
    *told, last = str(rows).splitlines()
    assert "\n".join(told) == "\n".join(results.tell_top(3)).strip()
    assert last == f"{rows.num_rows} rows; columns: {', '.join(rows.column_names)}"
    assert str(results.neighbours("sea", slice="b", n=2)).splitlines()[-1] == "2 rows, 6 columns"


def test_what_is_opened_has_a_summary(results):
    lines = results.summary()
    assert str(lines).startswith("corpus:\n4 input records: 4 documents, 0 rejects\n40 sentences, 648 tokens")
    assert "\n\nchange:\nslice a: 2 documents, 304 tokens, 24 words with 1 uses\n" in str(lines)
    shown = results._repr_html_()
    assert f"<b>{results.folder}</b>" in shown
    assert shown.count("<details>") == len(results.tables)


@pytest.mark.parametrize("kind", kinds_of("0.1.0"))
def test_folders_of_every_task_show_themselves(kind, tmp_path):
    results = lexbeam.open(unpacked("0.1.0", kind, tmp_path) / "out")
    told = "\n" + str(results.summary())
    sections = [section for section in results.sections if len(results.sections) == 1 or f"\n{section}:\n" in told]
    assert sections == list(results.sections)
    shown = results._repr_html_()
    for name in results.tables:
        rows = results.table(name)
        assert f"<summary>{name}: {amount(rows.num_rows, 'rows')}" in shown
        assert str(rows).splitlines()[-1].endswith(f" {amount(rows.num_columns, 'columns')}")


def test_a_wrong_table_is_named(results):
    with pytest.raises(lexbeam.LexbeamError, match="did you mean 'scores'"):
        results.table("score")
    with pytest.raises(AttributeError, match=r"no attribute 'scores'; it is a table: `results.table\('scores'\)`"):
        results.scores  # noqa: B018
    with pytest.raises(AttributeError, match=r"it is a table: `results.table\('change/points'\)`"):
        results.points  # noqa: B018


def test_a_wrong_column_is_named(results):
    with pytest.raises(lexbeam.LexbeamError, match=r"table scores has no column 'wrod'; .*did you mean 'word'"):
        results.table("scores", ["score", "wrod"])
    with pytest.raises(lexbeam.LexbeamError, match="did you mean 'scores'"):
        results.table("score", ["word"])


def test_nothing_published_is_an_error(tmp_path):
    with pytest.raises(lexbeam.LexbeamError, match="nothing is published"):
        lexbeam.open(tmp_path)


def test_top_is_the_best_scores_of_each_pair(results):
    scores = results.table("scores").to_pandas()
    actual = results.top(3, alignment="cca", measure="cosine", pos="all").to_pandas()
    means = scores[scores.seed.isna() & (scores.alignment == "cca") & scores.ranked]
    assert len(actual) == 6
    for pair, rows in actual.groupby(["slice_from", "slice_to"]):
        own = means[(means.slice_from == pair[0]) & (means.slice_to == pair[1])]
        assert list(rows.score) == sorted(own.score, reverse=True)[:3]
    assert results.top(top="1").num_rows <= results.top().num_rows
    assert set(results.top(pair="a:b")["slice_to"].to_pylist()) == {"b"}
    assert any("a to b" in line for line in results.tell_top(3, pair="a:b"))


def test_the_first_option_of_a_view_needs_no_name(results):
    actual = results.neighbours("sea", slice="b", n=2)
    assert actual["slice"].to_pylist() == ["b", "b"]
    assert set(actual["word"].to_pylist()) == {"sea"}
    assert results.neighbours(neighbours="sea", slice="b", n="2") == actual
    assert set(results.word("sea")["word"].to_pylist()) == {"sea"}
    assert results.tell_word("sea", slice="a")[0].startswith("sea")
    assert set(results.word(["sea", "land"])["word"].to_pylist()) == {"sea", "land"}


def test_a_wrong_option_of_a_view_is_an_error(results):
    with pytest.raises(lexbeam.UsageError, match="no 'opp'; did you mean 'op'"):
        results.top(alignment="opp")
    with pytest.raises(lexbeam.UsageError, match="top must be at least 1"):
        results.top(0)
    with pytest.raises(lexbeam.LexbeamError, match="did you mean sea"):
        results.neighbours("seaa")


def test_a_view_without_its_section_names_it(texts, tmp_path):
    results = lexbeam.corpus(texts, out=tmp_path / "out", **CORPUS)
    with pytest.raises(lexbeam.LexbeamError, match="no change tables are published"):
        results.top()


@pytest.mark.slow
def test_one_state_is_read_whoever_publishes_meanwhile(published, tmp_path, texts, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(published, out, symlinks=True)
    monkeypatch.chdir(tmp_path)
    old = lexbeam.open("out")
    monkeypatch.chdir("/")  # the folder was resolved when it was opened
    (texts / "1810.txt").unlink()
    new = lexbeam.corpus(texts, out=out, **CORPUS, overwrite=True)
    assert old.table("documents").num_rows == 4
    assert new.table("documents").num_rows == lexbeam.open(out).table("documents").num_rows == 3
    assert set(old.tables) > set(new.tables) == {"documents", "sentences", "rejects", "corpus/inputs"}
