"""The scores of a sample's run against its truth, beside scipy and scikit-learn."""

import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, f1_score

from lexbeam.pipelines.cli import main

pytestmark = pytest.mark.slow


def test_the_run_of_a_sample_is_evaluated_against_its_truth(sample_run, sample_config, tmp_path):
    truth = sample_config.parent / "truth.tsv"
    out = tmp_path / "metrics"
    # Without targets a run publishes no classes.
    words = [
        "evaluate",
        "change",
        str(sample_run),
        "--out",
        str(out),
        "--gold",
        str(truth),
        "--class-threshold",
        "mean",
    ]
    assert main([*words, "--changed-above", "0", "--missing", "least", "--resamples", "200"]) == 0
    found = pd.read_parquet(out / "change" / "metrics").set_index(["system", "metric"])
    gold = pd.read_csv(truth, sep="\t").set_index("word").changed
    scores = pd.read_parquet(sample_run / "scores")
    ways = 0
    for (first, last, alignment, measure), rows in scores[scores.seed.isna()].groupby(
        ["slice_from", "slice_to", "alignment", "measure"]
    ):
        own = rows.set_index("word").reindex(gold.index)
        score = own.score.fillna(own.score.min() - 1)
        system = found.loc[f"{first}:{last}/{alignment}/{measure}/mean"]
        assert system.value["spearman"] == pytest.approx(spearmanr(gold, score).statistic)
        assert own.changed.isna().all()
        changed = own.score > own.score.mean()
        assert system.value["accuracy"] == pytest.approx(accuracy_score(gold > 0, changed))
        assert system.value["f1"] == pytest.approx(f1_score(gold > 0, changed))
        assert (system.n == 60).all()
        told = system[system.reason.isna()]  # of the others too many resamples are undefined
        assert {"spearman", "accuracy", "f1"} <= set(told.index)
        assert ((told.low <= told.value) & (told.value <= told.high)).all()
        ways += 1
    assert ways >= 5
    assert found.loc[found.index.get_level_values(0).str.endswith("seed 2")].shape[0] == 7 * ways
