import os
import random
import re
import subprocess
import sys

import lightgbm
import numpy as np
import pytest
from model_making import booster, columns

from benchmarks.damaged_models import damaged
from lexbeam.transforms.learning.models.lightgbm_text import (
    check_lightgbm,
    lightgbm_settings,
    predict_lightgbm,
    read_lightgbm,
    write_lightgbm,
)
from lexbeam.transforms.learning.models.model import Refused

POSITIVE = np.abs
CASES = {
    "regression": {},
    "a random forest": {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1},
    "extremely randomised": {"extra_trees": True},
    "dart": {"boosting": "dart"},
    "goss": {"data_sample_strategy": "goss"},
    "of the square root": {"reg_sqrt": True},
    "constraints": {"monotone_constraints": [1, 0, 0]},
    "zero is missing": {"zero_as_missing": True},
    "no split": {"min_data_in_leaf": 299},
    "without categories": {"max_cat_to_onehot": 1, "ignore_column": "2"},
    "l1": {"objective": "regression_l1"},
    "huber": {"objective": "huber"},
    "fair": {"objective": "fair"},
    "mape": {"objective": "mape"},
    "quantile": {"objective": "quantile", "alpha": 0.3},
    "poisson": {"objective": "poisson", "target": POSITIVE},
    "gamma": {"objective": "gamma", "target": lambda y: POSITIVE(y) + 1},
    "tweedie": {"objective": "tweedie", "target": POSITIVE},
    "binary": {"objective": "binary", "target": lambda y: y > 0},
    "cross entropy": {"objective": "cross_entropy", "target": lambda y: (y > 0) * 0.5},
    "cross entropy, weighted": {"objective": "cross_entropy_lambda", "target": lambda y: y > 0},
    "classes": {"objective": "multiclass", "num_class": 3, "target": lambda y: np.arange(300) % 3},
    "one against all": {"objective": "multiclassova", "num_class": 3, "target": lambda y: np.arange(300) % 3},
}


@pytest.fixture(scope="module")
def text():
    return write_lightgbm(booster())


@pytest.mark.parametrize("case", CASES)
def test_a_booster_comes_back_and_predicts_the_same(case):
    x, _ = columns()
    trained = booster(**CASES[case])
    kept = write_lightgbm(trained)
    loaded = read_lightgbm(kept)
    assert np.array_equal(predict_lightgbm(loaded, x), trained.predict(x, num_threads=1))
    assert write_lightgbm(loaded) == kept
    assert loaded.feature_name() == ["zipf", "length", "genre"]
    assert b"parameters" not in kept


def test_a_split_of_missing_values_from_others_comes_back():
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 2))
    rows[random.random(200) < 0.4, 0] = np.nan
    labels = np.isnan(rows[:, 0]) + 0.0
    made = lightgbm.train(
        lightgbm_settings(1, objective="regression", min_data_in_leaf=5), lightgbm.Dataset(rows, labels), 3
    )
    text = write_lightgbm(made)
    assert re.search(rb"threshold=(\S+ )*inf", text)
    found = predict_lightgbm(read_lightgbm(text), rows)
    np.testing.assert_array_equal(found, predict_lightgbm(made, rows))
    assert found[labels == 1].min() > found[labels == 0].max()


def test_settings_cannot_be_undone():
    assert lightgbm_settings(5, num_leaves=7) == {
        "verbosity": -1,
        "num_leaves": 7,
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "seed": 5,
    }
    with pytest.raises(ValueError, match="num_threads"):
        lightgbm_settings(5, num_threads=2)


def test_another_seed_is_another_booster():
    drawn = {"bagging_fraction": 0.5, "bagging_freq": 1}
    texts = [write_lightgbm(booster(**drawn)) for _ in range(2)]
    assert texts[0] == texts[1]
    assert texts[0] != write_lightgbm(booster(**drawn, bagging_seed=5))


def of(line, new):
    """Return a damage of a line of the first tree that has it; the sizes of trees are mended."""

    def damage(text):
        changed = re.sub(rb"(?m)^%b=.*$" % line, b"%b=%b" % (line, new), text, count=1)
        assert changed != text
        sizes = [int(size) for size in re.search(rb"tree_sizes=(.*)", text)[1].split()]
        if b"Tree=" in text.partition(line + b"=")[0]:
            sizes[0] += len(changed) - len(text)
        told = b" ".join(b"%d" % size for size in sizes)
        return re.sub(rb"tree_sizes=.*", b"tree_sizes=" + told, changed)

    return damage


REFUSED = {
    "nothing": (lambda text: b"", "does not begin"),
    "a pickle": (lambda text: b"\x80\x05cos\nsystem\n.", "is not text"),
    "cut in a tree": (lambda text: text[: len(text) // 2], "cut short"),
    "cut at the end": (lambda text: text[:-1], "cut short"),
    "more behind": (lambda text: text + b"parameters:\n", "cut short"),
    "another version": (lambda text: text.replace(b"=v4", b"=v3"), "version 'v3'"),
    "an unknown line": (lambda text: text.replace(b"tree_sizes", b"linear=1\ntree_sizes", 1), "unknown here"),
    "wrong sizes": (of(b"label_index", b"0\ntree_sizes=1 2 3"), "twice"),
    "a line twice": (lambda text: text.replace(b"label_index=0", b"label_index=0\nlabel_index=0"), "twice"),
    "more features": (of(b"max_feature_idx", b"9"), "it does not have 10 feature_names"),
    "fewer features": (of(b"max_feature_idx", b"1"), "it does not have 2 feature_names"),
    "no number": (of(b"max_feature_idx", b"1e9"), "no number"),
    "more classes": (of(b"num_class", b"9"), "do not agree"),
    "more trees a round": (of(b"num_tree_per_iteration", b"3"), "do not agree"),
    "an unknown objective": (of(b"objective", b"mine"), "objective 'mine' is unknown"),
    "an objective of classes": (of(b"objective", b"multiclass num_class:9"), "not of 1 classes"),
    "fewer leaves": (of(b"num_leaves", b"4"), "tree 0"),
    "more leaves": (of(b"num_leaves", b"999999"), "no list of"),
    "no leaves": (of(b"num_leaves", b"0"), "no leaves"),
    "a feature that is not there": (of(b"split_feature", b"0 0 0 3"), "feature that is not"),
    "a feature below none": (of(b"split_feature", b"0 0 0 -1"), "feature that is not"),
    "a circle": (of(b"left_child", b"0 -1 -2 -3"), "do not make a tree"),
    "a child twice": (of(b"left_child", b"1 1 -2 -3"), "do not make a tree"),
    "a child that is not there": (of(b"right_child", b"2 3 -4 77"), "do not make a tree"),
    "children as words": (of(b"right_child", b"a b c d"), "tree 0"),
    "an unknown way to split": (of(b"decision_type", b"2 2 2 13"), "splits in a way"),
    "a category for a number": (of(b"decision_type", b"1 2 2 2"), "tree 0"),
    "a set that is not there": (of(b"cat_boundaries", b"0 5"), "sets of categories"),
    "sets that run back": (of(b"cat_boundaries", b"0 -1"), "sets of categories"),
    "a set too large": (of(b"cat_threshold", b"4294967296"), "sets of categories"),
    "linear leaves": (of(b"is_linear", b"1"), "linear ones"),
    "a threshold that is no number": (of(b"threshold", b"nan nan nan 0"), "no list of 4 numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_lightgbm_would_trip_over_is_refused(case, text):
    damage, message = REFUSED[case]
    with pytest.raises(Refused) as error:
        read_lightgbm(damage(text))
    assert message in str(error.value)


def test_every_beginning_is_refused(text):
    for size in range(0, len(text), 7):
        with pytest.raises(Refused):
            check_lightgbm(text[:size])


def test_categories_of_pandas_are_not_kept():
    import lightgbm
    import pandas as pd

    x, y = columns()
    frame = pd.DataFrame({"a": x[:, 0], "b": pd.Categorical(x[:, 2].astype(int).astype(str))})
    trained = lightgbm.train(lightgbm_settings(1), lightgbm.Dataset(frame, y), 2)
    with pytest.raises(Refused, match="of pandas"):
        write_lightgbm(trained)


# A process of its own: after threads of OpenMP a forked one would wait for them forever.
SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from lexbeam.transforms.learning.models.lightgbm_text import predict_lightgbm, read_lightgbm
x = np.random.default_rng(1).normal(size=(50, 3)) * 3
for path in sorted(Path(sys.argv[1]).iterdir()):
    print(path.name, flush=True)
    predict_lightgbm(read_lightgbm(path.read_bytes()), x)
"""


@pytest.mark.slow
def test_no_text_that_passes_kills_the_process(text, tmp_path):
    chance = random.Random(5)
    passed = 0
    for number in range(1000):
        content = damaged(text, chance)
        try:
            check_lightgbm(content)
        except Refused:
            continue
        if content != text:
            (tmp_path / f"{number:04d}").write_bytes(content)
            passed += 1
    assert passed > 50
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, [*done.stdout.splitlines()[-1:], done.stderr[-500:]]
