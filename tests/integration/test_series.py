"""Series in whole runs: the same bytes anywhere, only with three slices, and shown."""

import json
import shutil

import pandas as pd
import yaml
from small_runs import SMALL, call

SLICES = ["--slices", "1800-1815,1816-1849,1850-1900"]
RANK = ["--rank-min-count", "5", "--rank-min-documents", "1", "--alignment", "op"]


def published(out):
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in sorted(top.rglob("*.parquet"))}


def test_series_are_the_same_in_another_order_of_work(out, tmp_path, capsys):
    again = shutil.copytree(out, tmp_path / "again", symlinks=True)
    words = [*SLICES, *SMALL, *RANK, "--null", "3", "--overwrite"]
    assert call("change", "--out", out, *words) == 0
    other = {"runner": "direct", "lanes": 3, "beam": {"direct_runner_bundle_repeat": 1}}
    (tmp_path / "runner.yaml").write_text(yaml.safe_dump(other), "utf-8")
    assert call("change", "--out", again, *words, "--runner-config", tmp_path / "runner.yaml") == 0
    assert published(out) == published(again)
    series = pd.read_parquet(out / "change" / "series")
    points = pd.read_parquet(out / "change" / "points")
    assert len(series) == 3 * len(points) > 30
    assert (points.finding == "too_few_clusters").all()
    assert (points.null_runs > 0).any()
    assert points.m.notna().any()
    scores = pd.read_parquet(out / "scores")
    scores = scores[scores.seed.isna() & (scores.measure == "cosine")]
    both = series[series.place == 1].merge(scores[scores.slice_from == "1800-1815"], on="word")
    assert len(both) == len(points)
    assert (both.pair_previous == both.score).all()
    before = published(out)
    assert call("clean", out) == 0
    artefacts = (out / "_artefacts" / "change").rglob("*.arrow")
    assert not list(artefacts)
    assert published(out) == before
    assert call("change", "--out", out, *words) == 0
    assert published(out) == before
    capsys.readouterr()
    assert call("show", out, "--series", "ship", "--json") == 0
    assert [row["place"] for row in json.loads(capsys.readouterr().out)] == [0, 1, 2]
    assert call("change", "--out", out, *SLICES, *SMALL, "--no-series", "--overwrite") == 0
    tables = json.loads((out / "manifest.json").read_text("utf-8"))["tables"]
    assert not {"change/series", "change/points"} & set(tables)
