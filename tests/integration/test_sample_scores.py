"""The planted changes of the sample corpus are found, the controls are not, the baselines fail.

A corpus, two training seeds, through the whole pipeline, by the faster trainer where it is compiled. The table that
the test prints of five with three by gensim (`pytest -m soak -n 0 -s`) stands in docs/tasks/change/evidence.md. The
suite has planted words with their q in a walk (test_first_steps), and tells them from controls in test_shards.
"""

import pandas as pd
import pytest
from changed_runs import can_train

from lexbeam.pipelines.cli import main
from lexbeam.transforms.sample.language import FUNCTION_WORDS, NAMES

# Seeds of corpora, how many seeds of training each has, and the trainer.
FAST = "fast" if can_train("fast") else "gensim"
CASES = [(1, 2, FAST), *((seed, 3, "gensim") for seed in (1, 2, 3, 4, 5))]
NOT_CONTENT = {*FUNCTION_WORDS, *(name.lower() for name in NAMES)}


def average_precision(scores: pd.Series, positive: set[str]) -> float:
    """Mean of the precision at the rank of each positive word."""
    ranked = scores.sort_values(ascending=False, kind="stable").index
    hits, precisions = 0, []
    for rank, word in enumerate(ranked, 1):
        if word in positive:
            hits += 1
            precisions.append(hits / rank)
    return sum(precisions) / len(positive)


def test_average_precision_by_hand():
    scores = pd.Series({"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0})
    assert average_precision(scores, {"a", "c"}) == pytest.approx((1 + 2 / 3) / 2)


def run_sample(folder, seed, seeds, trainer, make_sample):
    how = {"seeds": seeds, "trainer": trainer, "alignment": ["op", "cca", "none"], "null": 3}
    config = make_sample(folder, tokens=200_000, seed=seed, **how)
    out = folder / "out"
    assert main(["run", str(config), "--out", str(out)]) == 0
    truth = pd.read_csv(config.parent / "truth.tsv", sep="\t").set_index("word")
    scores = pd.read_parquet(out / "scores")
    return truth, scores[scores.seed.isna()]


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize(("seed", "seeds", "trainer"), CASES)
def test_planted_changes_are_told_from_controls(seed, seeds, trainer, tmp_path, capsys, make_sample):
    truth, scores = run_sample(tmp_path, seed, seeds, trainer, make_sample)
    control = truth.kind.str.startswith("control")
    planted = set(truth.index[~control])
    fuller = truth[["count_early", "count_late"]].max(axis=1)
    fewer = truth[["count_early", "count_late"]].min(axis=1)
    frequency = truth.kind == "control_frequency"
    assert fuller[frequency].min() >= 80
    assert fewer[~frequency].min() >= 80
    found = {}
    for alignment, measure in (("op", "cosine"), ("cca", "cosine"), ("none", "cosine"), ("none", "frequency")):
        rows = scores[(scores.alignment == alignment) & (scores.measure == measure)]
        rows = rows.set_index("word")
        frequent = rows[(rows.count_from >= 50) & (rows.count_to >= 50)]
        content = frequent[~frequent.index.isin(NOT_CONTENT)]
        assert rows.loc[truth.index, "score"].notna().all()
        found[alignment, measure] = (
            average_precision(rows.score[truth.index], planted),
            average_precision(content.score, planted & set(content.index)),
            rows.score[truth.index[~control]].min(),
            rows.score[truth.index[control]].max(),
        )
        if (alignment, measure) == ("op", "cosine"):
            said = rows.significant[truth.index]
            assert said[~control].all(), "a planted change is not found"
            assert said[control].sum() <= 1
            assert rows.significant[~rows.index.isin(truth.index) & rows.ranked].mean() <= 0.02
    with capsys.disabled():
        for (alignment, measure), values in found.items():
            print(f"\n{seed} {alignment} {measure}: " + " ".join(f"{v:.3f}" for v in values), end="")
    for alignment in ("op", "cca"):
        precision, content_precision, lowest_planted, highest_control = found[alignment, "cosine"]
        assert precision >= 0.95
        assert highest_control < lowest_planted
        assert content_precision >= 0.95
    assert found["none", "cosine"][0] < 0.6
    assert found["none", "frequency"][0] < 0.6
