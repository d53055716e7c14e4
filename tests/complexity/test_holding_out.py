"""What is trained on and what is predicted, checked row by row."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scored import tables

from transforms.common.errors import UsageError
from transforms.complexity.design import joined_rows, rows_of
from transforms.complexity.holding_out import (
    ALL,
    Case,
    HoldOptions,
    cases_of,
    facts_of,
    sides_of,
    systems_of,
)
from transforms.complexity.multiword import MODES, matrices_of, training_of

HOLD = HoldOptions(folds=4)


@pytest.fixture(scope="module")
def rows():
    made = tables(unlabelled=(2, 130))
    return rows_of(joined_rows(made["features"], made["instances"], made["labels"]))


@pytest.mark.parametrize("mode", ["", *MODES])
@pytest.mark.parametrize("way", ["token", "part"])
def test_every_row_is_held_out_once_and_never_with_what_it_shares(rows, mode, way):
    kind = "mwe" if mode else "single"
    times = np.zeros(len(rows.ids), int)
    for fold in range(4):
        train, held = sides_of(rows, Case("ridge", kind, mode, way, str(fold)), HOLD, 1)
        times += held
        assert not (train & held).any()
        assert not np.isnan(rows.labels[train]).any()
        assert not set(rows.groups[train]) & set(rows.groups[held])
        words = {word for parts in rows.parts[held] for word in parts}
        other = train & (rows.kinds != kind)
        assert not words & {word for parts in rows.parts[other] for word in parts}
        if way == "part":
            assert not words & {word for parts in rows.parts[train] for word in parts}
        assert bool(other.any()) == (mode in ("average", "pooled"))
    np.testing.assert_array_equal(times, rows.kinds == kind)


def test_a_split_a_genre_and_nothing_held_out(rows):
    train, held = sides_of(rows, Case("ridge", "single", "", "split", "trial"), HOLD, 1)
    assert set(rows.splits[held]) == {"trial"}
    assert set(rows.splits[train]) == {"train"}
    train, held = sides_of(rows, Case("ridge", "mwe", "pooled", "genre", "bible"), HOLD, 1)
    assert set(rows.genres[held]) == {"bible"}
    assert set(rows.genres[train]) == {"biomed"}
    train, held = sides_of(rows, Case("ridge", "mwe", "own", ALL, ""), HOLD, 1)
    assert not held.any()
    assert train.sum() == ((rows.kinds == "mwe") & ~np.isnan(rows.labels)).sum()


def test_instances_of_no_split_are_on_neither_side(rows):
    splits = rows.splits.copy()
    splits[:50] = ""
    some = rows._replace(splits=splits)
    train, held = sides_of(some, Case("ridge", "single", "", "split", "trial"), HOLD, 1)
    assert not train[:50].any()
    assert not held[:50].any()


def test_training_on_some_splits_and_on_a_share(rows):
    case = Case("ridge", "single", "", "token", "0")
    whole, _ = sides_of(rows, case, HOLD, 1)
    some, _ = sides_of(rows, case, replace(HOLD, train_on=("train",)), 1)
    np.testing.assert_array_equal(some, whole & (rows.splits == "train"))
    share, _ = sides_of(rows, case._replace(share=0.5), HOLD, 1)
    more, _ = sides_of(rows, case._replace(share=0.8), HOLD, 1)
    assert share.sum() < more.sum() < whole.sum()
    assert not (share & ~more).any()  # shares grow
    left = set(rows.groups[whole & ~share])
    assert not left & set(rows.groups[share])  # whole groups


def test_what_is_not_there_is_told(rows):
    with pytest.raises(UsageError, match="no single instance is of split 'tset'; there are train"):
        sides_of(rows, Case("ridge", "single", "", "split", "tset"), HOLD, 1)
    with pytest.raises(UsageError, match="no labelled instances of split x"):
        sides_of(rows, Case("ridge", "mwe", "own", "token", "0"), replace(HOLD, train_on=("x",)), 1)
    expressions = rows.at(rows.kinds == "mwe")
    with pytest.raises(UsageError, match="instances of kind single to train on, for mwe, token 0"):
        sides_of(expressions, Case("ridge", "mwe", "average", "token", "0"), HoldOptions(), 1)


def test_expressions_as_their_parts(rows):
    train = rows.at(~np.isnan(rows.labels))
    mwe = train.at(train.kinds == "mwe")
    at = [column.name for column in rows.columns]
    doubled, used = training_of(train, MODES["double"], ["bible", "biomed"])
    assert (len(doubled.values), used) == (2 * len(mwe.ids), len(mwe.ids))
    zipf = list(doubled.names).index("zipf")
    both = [mwe.values[:, at.index(f"zipf_{end}")] for end in ("first", "last")]
    np.testing.assert_array_equal(doubled.values[:, zipf], np.concatenate(both))
    np.testing.assert_array_equal(doubled.labels, np.tile(mwe.labels, 2))
    first, last = matrices_of(mwe, MODES["average"], ["bible", "biomed"])
    singles, used = training_of(train, MODES["average"], ["bible", "biomed"])
    assert list(singles.names) == first.names == last.names
    assert used == len(singles.values) == (train.kinds == "single").sum()
    pooled, used = training_of(train, MODES["pooled"], ["bible", "biomed"])
    assert used == len(pooled.values) == len(train.ids)


def test_cases_are_those_that_are_asked_for(rows):
    facts = facts_of(rows)
    assert facts.kinds == ("mwe", "single")
    assert facts.groups == ("context", "form", "frequency", "norms", "genre")
    plain = list(cases_of(facts, ["ridge", "svr"], HOLD, other=False, keep=False))
    assert len(plain) == len(set(plain)) == 2 * 2 * 4
    hold = replace(
        HOLD, mwe=("own", "average"), mwe_folds=("token", "part"), leave_genre_out=True,
        ablation=True, curve=True,
    )  # fmt: skip
    many = list(cases_of(facts, ["ridge"], hold, other=False, keep=True))
    # A model of all, folds, five groups and five shares of each fold, and two genres.
    assert len(set(many)) == len(many) == (1 + 4 + 40 + 2) + 2 * (1 + 8 + 40 + 2)
    other = list(cases_of(facts, ["ridge"], hold, other=True, keep=True))
    assert {case.way for case in other} == {ALL}
    assert len(other) == 3
    assert systems_of(["svr", "ridge"], hold) == ["ridge", "ridge/average", "svr", "svr/average"]
