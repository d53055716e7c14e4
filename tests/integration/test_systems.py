"""Measures, alignments, thresholds and systems by name, side by side in one run, and what is made of it."""

import json

import numpy as np
import pandas as pd
import pytest
from small_runs import SMALL, call, change

from lexbeam.transforms.change.scores.measures import suffix_of


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("ship\nsea\nland\nabsent\n")
    return path


def test_all_that_scores_stands_side_by_side(out, words, tmp_path, capsys):
    asked = {
        "targets": words,
        "alignment": "op,op+",
        "measure": "cosine,euclidean,gaussian,lnd,neighbour-overlap,mapped-neighbours,pivots,frequency-log2,"
        "ecdf-ranked",
        "neighbourhood": 6,
        "pivots": 3,
        "pivot-draws": 2,
        "threshold": "mean-ranked,gamma",
        "threshold-quantile": 0.5,
        "system": "uwb,freq,majority",
        "ensemble": "mean-rank",
        "rank-min-count": 1,
        "rank-min-documents": 1,
    }
    assert change(out, *(f"--{name}={value}" for name, value in asked.items()), "--overwrite") == 0
    told = capsys.readouterr().out
    scores = pd.read_parquet(out / "scores")
    of_vectors = ("cosine", "euclidean", "gaussian", "mapped-neighbours", "ecdf-ranked")
    aligned = {(name, measure) for name in ("op", "op+", "cca") for measure in of_vectors}
    others = {("none", name) for name in ("lnd", "neighbour-overlap", "pivots", "frequency", "frequency-log2")}
    assert set(zip(scores.alignment, scores.measure, strict=True)) == aligned | others
    means = scores[scores.seed.isna()].set_index(["alignment", "measure", "word"])
    summary = pd.read_parquet(out / "change/summary").set_index("word")
    pairs = pd.read_parquet(out / "change/pairs").set_index(["alignment", "measure"])
    for kind in (*aligned, *(("none", name) for name in ("lnd", "neighbour-overlap", "pivots"))):
        suffix = suffix_of(*kind)
        pd.testing.assert_series_equal(summary[f"score_{suffix}"], means.loc[kind].score, check_names=False)
        ranked = means.loc[kind][means.loc[kind].ranked].score
        assert pairs.threshold[kind] == pytest.approx(ranked.mean())
        above = summary[f"score_{suffix}"] > pairs.threshold_mean[kind]
        assert (summary[f"changed_mean_{suffix}"].dropna() == above[summary[f"score_{suffix}"].notna()]).all()
    assert summary.loc["absent", "reason_op_plus"] == "absent_from"
    systems = pd.read_parquet(out / "change/systems").set_index(["system", "word"])
    for name, kind in (("uwb", ("cca", "cosine")), ("freq", ("none", "frequency"))):
        assert systems.loc[name].score.equals(means.loc[kind].score)
        assert systems.loc[name].changed.equals(means.loc[kind].changed_mean)
    assert not systems.loc["majority"].changed.any()
    both = systems.loc["uwb"].changed.eq(True) & systems.loc["freq"].changed.eq(True)
    assert (systems.loc["mean-rank"].changed[both.index][both]).all()
    places = [systems.loc[name].score[systems.loc[name].target].dropna().rank(pct=True) for name in ("uwb", "freq")]
    own = systems.loc["mean-rank"].score[places[0].index]
    assert (own + 0.5 / len(own)).to_dict() == pytest.approx(((places[0] + places[1]) / 2).to_dict())
    assert "system majority: 0 of 4 targets changed\n" in told
    assert "of 3 targets changed; no class: the word does not occur in the earlier slice (1)\n" in told
    assert f"threshold gamma: {pairs.threshold_gamma['op', 'cosine']:.3f}" in told

    assert call("show", out, "--top", 3, "--measure", "lnd") == 0
    assert "(lnd, one seed)" in capsys.readouterr().out
    assert call("report", out) == 0
    page = (out / "report.html").read_text("utf-8")
    assert "neighbour-overlap" in page
    assert "Thresholds" in page
    assert "Agreement of systems" in page
    gold = tmp_path / "gold.tsv"
    gold.write_text("word\tbinary\nship\t0\nsea\t1\nland\t0\n")
    capsys.readouterr()
    assert (
        call(
            "evaluate",
            "change",
            out,
            "--gold",
            gold,
            "--metric",
            "accuracy",
            "--resamples",
            10,
            "--out",
            out,
            "--baseline",
            "freq",
        )
        == 0
    )
    metrics = pd.read_parquet(out / "change/metrics").set_index("system")
    assert 0 < metrics.p_value["1800-1849:1850-1900/uwb/mean minus freq"] <= 1
    found = metrics.value
    assert found["1800-1849:1850-1900/majority/mean"] == pytest.approx(2 / 3)
    changed = systems.loc["uwb"].changed[["ship", "sea", "land"]]
    assert found["1800-1849:1850-1900/uwb/mean"] == pytest.approx((changed == [False, True, False]).mean())


@pytest.mark.parametrize(
    "compared",
    [("cs2020",), *(pytest.param((name,), marks=pytest.mark.soak) for name in ("count-ci-cd", "mine", "random"))],
)
def test_systems_that_want_other_spaces_stand_beside_as_if_run_by_themselves(compared, out, words, tmp_path, capsys):
    """One training each, nulls included; a system of one's own, whose options a file has; the same run again."""
    shared = {
        "corpora": [str(out)],
        "slices": "1800-1849,1850-1900",
        "targets": str(words),
        "rank-min-count": 1,
        "rank-min-documents": 1,
        "min-sentence": 1,
        "min-count": 1,
        "null": 3,
    }
    trained = {"epochs": 1}
    own = {"mine": {"measure": "euclidean", "alignment": "op", "threshold": "mean", "dim": 7}}

    def made(name, systems, **more):
        config = tmp_path / f"{name}.json"
        asked = {**shared, "system": systems, "systems": own if "mine" in systems else {}, **more}
        config.write_text(json.dumps({"out": str(tmp_path / name), "change": asked}))
        assert call("run", config) == 0
        return pd.read_parquet(tmp_path / name / "change/systems").set_index(["system", "word"])

    beside = ("cs2020", "mine", "count-ci-cd", "random")  # the last two are of the same counts
    found = made("all", f"uwb,freq,{','.join(beside)}", ensemble="mean-rank", **trained)
    assert "system count-ci-cd: " in capsys.readouterr().out
    assert set(found.index.get_level_values(0)) == {"uwb", "freq", "mean-rank", *beside}
    for name in compared:
        alone = made(name, name, **(trained if name in ("cs2020", "mine") else {}))
        pd.testing.assert_frame_equal(found.loc[[name]], alone.loc[[name]])
    assert set(pd.read_parquet(tmp_path / "all/scores").alignment) == {"cca", "none"}
    check_controls(tmp_path / "all", "freq", ("none", "frequency"))
    # What the run has noted of its options makes the same systems again.
    capsys.readouterr()
    assert call("refresh", tmp_path / "all.json") == 0
    pd.testing.assert_frame_equal(found, pd.read_parquet(tmp_path / "all/change/systems").set_index(["system", "word"]))


def check_controls(folder, name, kind):
    """Compare the controls of systems with their rows, and of one, classed by the mean of targets, with null scores."""
    controls = pd.read_parquet(folder / "change/controls").set_index(["system", "over"])
    systems = pd.read_parquet(folder / "change/systems").set_index("system")
    nulls = pd.read_parquet(folder / "change/nulls").set_index(["alignment", "measure"]).loc[kind]
    assert set(controls.index) == {(system, over) for system in systems.index for over in ("ranked", "targets")}
    assert (controls.loc[[name, "mean-rank"]].null_runs == 3).all()
    for (system, over), row in controls.iterrows():
        words = systems.loc[system]
        words = words[words.ranked if over == "ranked" else words.target]
        counts = [len(words), words.score.count(), words.changed.count(), words.changed.eq(True).sum()]
        assert row[["words", "scored", "classed", "changed"]].tolist() == counts
    targets = systems.word[systems.target & (systems.index == name)]
    for over in ("ranked", "targets"):
        by_chance = []
        for _, null in nulls.groupby("null"):
            own = null.ranked if over == "ranked" else null.word.isin(targets)
            by_chance.append((null.score[own] > null.score[null.word.isin(targets)].mean()).mean())
        assert controls.null_changed[name, over] == pytest.approx(np.mean(by_chance))


def test_systems_of_joint_training_stand_beside_others_of_three_slices_with_nulls(out, words, capsys):
    """Null slices are trained together with real ones. A system without a threshold has no classes."""
    asked = {
        "slices": "1800-1815,1816-1849,1850-1900",
        "targets": words,
        "system": "cs2020,dcc,mine",
        "systems": "mine:measure=euclidean,mine:dim=4",
        "null": 3,
        "null-by": "sentence",
        "rank-min-count": 1,
        "rank-min-documents": 1,
    }
    given = (f"--{name}={text}" for name, text in asked.items())
    assert call("change", "--out", out, "--overwrite", "--no-series", *SMALL, *given) == 0
    told = capsys.readouterr().out
    systems = pd.read_parquet(out / "change/systems").set_index(["system", "word"])
    assert systems.loc["dcc"].score.notna().any()
    assert systems.loc["mine"].score.notna().any()
    assert systems.loc["mine"].changed.isna().all()
    assert "1816-1849 to 1850-1900, system mine: no class: the system has no threshold (3)" in told
