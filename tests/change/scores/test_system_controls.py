"""Controls of systems, beside pandas and scipy."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from lexbeam.schemas.change.scores import SYSTEM_CONTROLS, SYSTEM_SCORES
from lexbeam.transforms.change.scores.system_ensembles import CompareSystems, SystemsTask, control_rows, ensemble_rows
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import read_table, write_part

WORDS = [f"w{place:02d}" for place in range(30)]


def system(name, seed, *, pair=("a", "b"), **changes):
    """Rows of a system of random scores, of words that are ranked, targets, both or neither; some have no score."""
    draw = np.random.default_rng(seed)
    rows = []
    for place, word in enumerate(WORDS):
        score = None if place % 7 == 3 else float(draw.integers(0, 20))
        count = int(draw.integers(1, 90)), int(draw.integers(1, 90))
        rows.append(
            dict.fromkeys(SYSTEM_SCORES.schema().names)
            | {"system": name, "word": word, "slice_from": pair[0], "slice_to": pair[1], "measure": "cosine"}
            | {"alignment": "op", "target": place % 2 == 0, "ranked": place % 3 > 0, "score": score}
            | {"threshold": "mean", "threshold_value": 9.5, "changed": None if score is None else score > 9.5}
            | {"count_from": count[0], "count_to": count[1], "reason": "absent_to" if score is None else None}
            | {"relative_from": count[0] / 500, "relative_to": count[1] / 800}
            | {key: value(place) if callable(value) else value for key, value in changes.items()}
        )
    return pa.Table.from_pylist(rows, SYSTEM_SCORES.schema())


def null(name, number):
    return system(name, 10 * number, pair=(f"a:b null {number} as a", f"a:b null {number} as b"))


def by_name(table):
    return {(row["system"], row["over"]): row for row in table.to_pylist()}


def test_counts_shares_and_correlations_are_those_of_the_words():
    rows = pa.concat_tables([system("x", 1), system("y", 2)])
    nulls = pa.concat_tables([null(name, number) for number in (1, 2, 3) for name in ("x", "y")])
    found = control_rows(rows, nulls)
    assert found.schema.equals(SYSTEM_CONTROLS.schema(), check_metadata=True)
    for over, column in (("ranked", "ranked"), ("targets", "target")):
        words = system("x", 1).to_pandas()
        words = words[words[column]]
        row, scored = by_name(found)["x", over], words[words.score.notna()]
        counts = [len(words), len(scored), words.changed.notna().sum(), words.changed.eq(True).sum()]
        assert [row[name] for name in ("words", "scored", "classed", "changed")] == counts
        assert row["share_changed"] == pytest.approx(scored.changed.astype(bool).mean())
        growth = np.log(scored.relative_to) - np.log(scored.relative_from)
        beside = {"from": scored.count_from, "to": scored.count_to, "growth": growth, "change": growth.abs()}
        for name, values in beside.items():
            assert row[f"spearman_{name}"] == pytest.approx(spearmanr(scored.score, values).statistic)
        assert row["spearman_reason"] is None
        dealt = nulls.to_pandas()
        dealt = dealt[(dealt.system == "x") & dealt[column] & dealt.changed.notna()]
        shares = dealt.groupby("slice_from").changed.agg(lambda classes: classes.astype(bool).mean())
        assert (row["null_changed"], row["null_runs"]) == (pytest.approx(shares.mean()), 3)


def test_an_ensemble_is_one_of_each_null_pair_too_whatever_the_order_of_runs(tmp_path):
    """A run has its systems, real and null, in a file each; a null pair of one is that of another by its slices."""
    runs = {name: (system(name, seed), [null(name, n) for n in (1, 2)]) for name, seed in (("x", 1), ("y", 2))}
    files = {}
    for name, (real, nulls) in runs.items():
        for kind, rows in (("real", real), ("null", pa.concat_tables(nulls[:: -1 if name == "y" else 1]))):
            artefact = Artefact(str(tmp_path / f"{name} {kind}"))
            files[name, kind] = write_part(artefact, SYSTEM_SCORES.schema(), [rows]).file
    task = SystemsTask(*(tuple(files[name, kind] for name in runs) for kind in ("real", "null")))
    made = make(Workspace(str(tmp_path / "work")), CompareSystems(("mean-rank",)), task)
    found = by_name(read_table([made.controls.file.path]))
    assert [name for name, _ in found] == ["mean-rank", "mean-rank", "x", "x", "y", "y"]
    shares = []
    for number in (1, 2):
        votes = ensemble_rows(pa.concat_tables([null("x", number), null("y", number)]), ["mean-rank"]).to_pandas()
        classed = votes[votes.ranked & votes.changed.notna()]
        shares.append(classed.changed.astype(bool).mean())
    row = found["mean-rank", "ranked"]
    assert (row["null_changed"], row["null_runs"], row["threshold"]) == (pytest.approx(np.mean(shares)), 2, None)
    real = ensemble_rows(pa.concat_tables([system("x", 1), system("y", 2)]), ["mean-rank"]).to_pandas()
    scored = real[real.target & real.score.notna()]
    expected = spearmanr(scored.score, scored.count_to).statistic
    assert found["mean-rank", "targets"]["spearman_to"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"score": None, "reason": "no_score", "measure": None, "changed": False}, "no_score"),
        ({"score": lambda place: 1.0 if place == 2 else None}, "too_few_words"),
        ({"score": 2.0}, "all_equal"),
        ({"count_from": 8}, "same_frequency"),
    ],
)
def test_no_correlation_has_a_reason(changes, reason):
    rows = system("x", 1, **changes)
    for row in control_rows(rows, rows.slice(0, 0)).to_pylist():
        assert row["spearman_reason"] == reason
        assert row["spearman_from"] is None
        assert (row["spearman_to"] is None) == (reason != "same_frequency")
        assert (row["null_changed"], row["null_runs"]) == (None, 0)


def test_without_targets_or_classes_there_are_counts_alone():
    rows = system("x", 1, target=False, changed=None)
    ranked, targets = control_rows(rows, rows.slice(0, 0)).to_pylist()
    assert (ranked["words"], ranked["classed"], ranked["changed"], ranked["share_changed"]) == (20, 0, 0, None)
    assert (targets["words"], targets["scored"], targets["spearman_reason"]) == (0, 0, "too_few_words")
    assert control_rows(rows.slice(0, 0), rows.slice(0, 0)).num_rows == 0
