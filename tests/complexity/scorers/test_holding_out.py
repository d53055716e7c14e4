"""What is trained on and what is predicted, checked row by row."""

from dataclasses import replace

import numpy as np
import pytest
from scored import tables

from lexbeam.transforms.complexity.scorers.design import MODES, joined_rows, matrices_of, rows_of, training_of
from lexbeam.transforms.complexity.scorers.holding_out import (
    ALL,
    Case,
    HoldOptions,
    cases_of,
    facts_of,
    sides_of,
    system_of,
    systems_of,
)

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
        assert bool(other.any()) == (mode in ("average", "pooled", "words"))
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


@pytest.mark.parametrize("mode", MODES)
def test_words_of_the_expressions_of_another_folder_are_not_trained_on(rows, mode):
    made = tables(singles=10, expressions=4, seed=5)
    other = rows_of(joined_rows(made["features"], made["instances"], made["labels"]))
    words = {word for parts in other.parts[other.kinds == "mwe"] for word in parts}
    case = Case("ridge", "mwe", mode, ALL, "")
    before, _ = sides_of(rows, case, HOLD, 1)
    train, held = sides_of(rows, case, HOLD, 1, other)
    assert not held.any()
    single = rows.kinds == "single"
    of_words = single & np.array([parts[0] in words for parts in rows.parts])
    np.testing.assert_array_equal(train, before & ~of_words)
    assert (before & of_words).any() == bool(MODES[mode].singles)
    # Single words of another folder say nothing of which are trained on.
    alone, _ = sides_of(rows, case._replace(kind="single", mode=""), HOLD, 1, other)
    np.testing.assert_array_equal(alone, single & ~np.isnan(rows.labels))


@pytest.mark.parametrize("mode", ["average", "pooled", "words"])
def test_words_of_the_expressions_of_a_split_are_not_trained_on(rows, mode):
    train, held = sides_of(rows, Case("ridge", "mwe", mode, "split", "trial"), HOLD, 1)
    words = {word for parts in rows.parts[held] for word in parts}
    singles = train & (rows.kinds == "single")
    assert singles.any()
    assert not words & {word for parts in rows.parts[singles] for word in parts}


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


def test_of_what_is_not_there_nothing_is_predicted_or_trained_on(rows):
    assert not sides_of(rows, Case("ridge", "single", "", "split", "tset"), HOLD, 1)[1].any()
    assert not sides_of(rows, Case("ridge", "mwe", "own", "token", "0"), replace(HOLD, train_on=("x",)), 1)[0].any()
    expressions = rows.at(rows.kinds == "mwe")
    assert not sides_of(expressions, Case("ridge", "mwe", "average", "token", "0"), HoldOptions(), 1)[0].any()


def test_expressions_as_their_parts(rows):
    train = rows.at(~np.isnan(rows.labels))
    mwe = train.at(train.kinds == "mwe")
    at = [column.name for column in rows.columns]
    doubled = training_of(train, MODES["double"], ["bible", "biomed"])
    assert len(doubled.values) == 2 * len(mwe.ids)
    zipf = list(doubled.names).index("zipf")
    both = [mwe.values[:, at.index(f"zipf_{end}")] for end in ("first", "last")]
    np.testing.assert_array_equal(doubled.values[:, zipf], np.concatenate(both))
    np.testing.assert_array_equal(doubled.labels, np.tile(mwe.labels, 2))
    first, last = matrices_of(mwe, MODES["average"], ["bible", "biomed"])
    singles = training_of(train, MODES["average"], ["bible", "biomed"])
    assert list(singles.names) == first.names == last.names
    assert len(singles.values) == (train.kinds == "single").sum()
    pooled = training_of(train, MODES["pooled"], ["bible", "biomed"])
    assert len(pooled.values) == len(train.ids)


def test_expressions_as_words_among_single_words(rows):
    train = rows.at(~np.isnan(rows.labels))
    mwe, single = train.at(train.kinds == "mwe"), train.at(train.kinds == "single")
    words = training_of(train, MODES["words"], ["bible", "biomed"])
    assert len(words.values) == len(single.ids) + 2 * len(mwe.ids)
    assert not any(name.endswith(("_first", "_last")) for name in words.names)
    at = {name: words.values[:, place] for place, name in enumerate(words.names)}
    of = {column.name: place for place, column in enumerate(rows.columns)}
    zipf = [single.values[:, of["zipf"]], *(mwe.values[:, of[f"zipf_{e}"]] for e in ("first", "last"))]
    np.testing.assert_array_equal(at["zipf"], np.concatenate(zipf))
    np.testing.assert_array_equal(at["is_single"], np.arange(len(at["zipf"])) < len(single.ids))
    np.testing.assert_array_equal(words.labels, [*single.labels, *mwe.labels, *mwe.labels])
    # An expression is one group: both of its rows stand on one side of an inner split.
    assert words.groups == [*single.groups, *mwe.groups, *mwe.groups]
    for matrix, end in zip(matrices_of(mwe, MODES["words"], ["bible", "biomed"]), ("first", "last"), strict=True):
        assert matrix.names == list(words.names)
        own = dict(zip(matrix.names, matrix.values.T, strict=True))
        assert not own["is_single"].any()
        np.testing.assert_array_equal(own["zipf"], mwe.values[:, of[f"zipf_{end}"]])


def test_cases_are_those_that_are_asked_for(rows):
    facts = facts_of(rows)
    assert facts.kinds == ("mwe", "single")
    assert facts.groups == ("context", "form", "frequency", "norms", "vectors", "genre")
    plain = list(cases_of(facts, ["ridge", "svr"], HOLD, other=False, keep=False))
    assert len(plain) == len(set(plain)) == 2 * 2 * 4
    hold = replace(
        HOLD, mwe=("own", "average"), mwe_folds=("token", "part"), leave_genre_out=True, ablation=True, curve=True
    )
    many = list(cases_of(facts, ["ridge"], hold, other=False, keep=True))
    # A model of all, folds, six groups and five shares of each fold, and two genres.
    assert len(set(many)) == len(many) == (1 + 4 + 44 + 2) + 2 * (1 + 8 + 44 + 2)
    other = list(cases_of(facts, ["ridge"], hold, other=True, keep=True))
    assert {case.way for case in other} == {ALL}
    assert len(other) == 3
    assert systems_of(["svr", "ridge"], hold) == ["ridge", "ridge/average", "svr", "svr/average"]
    assert systems_of(["svr"], HoldOptions()) == ["svr"]
    # The first way has the scorer's name, whichever it is.
    assert system_of("svr", "", "average") == system_of("svr", "average", "average") == "svr"
    assert system_of("svr", "own", "average") == "svr/own"
