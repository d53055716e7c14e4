"""Matrices that scorers learn from, and folds."""

import numpy as np
import pyarrow as pa
import pytest
from scored import DIM, splits_of, tables

from lexbeam.schemas.complexity import features_schema
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.complexity.scorers.design import (
    columns_of,
    folds_of,
    joined_rows,
    layout_names,
    matrix_of,
    rows_of,
)


def rows(**how):
    made = tables(**how)
    return rows_of(joined_rows(made["features"], made["instances"], made["labels"]))


def test_rows_are_those_of_the_tables_whatever_their_order():
    first, second = rows(unlabelled=(3, 8)), rows(unlabelled=(3, 8), shuffle=4)
    assert first.ids.tolist() == sorted(first.ids.tolist()) == second.ids.tolist()
    assert np.isnan(first.labels).sum() == 2
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.labels, second.labels)
    made = tables(unlabelled=(3, 8))
    said = {row["instance_id"]: row["complexity"] for row in made["labels"].to_pylist() if row["group"] == ""}
    for name, label in zip(first.ids.tolist(), first.labels.tolist(), strict=True):
        assert said.get(name) == (None if np.isnan(label) else label)
    zipf = [column.name for column in first.columns].index("zipf")
    for row, value in zip(made["features"].to_pylist(), first.values[:, zipf], strict=True):
        assert row["zipf"] == value


def test_splits_of_the_table_count_before_those_of_the_files():
    made = tables()
    published = rows_of(joined_rows(made["features"], made["instances"]))
    assert set(published.splits.tolist()) == {"train", "trial"}
    assert np.isnan(published.labels).all()
    splits = splits_of(made["instances"])
    own = rows_of(joined_rows(made["features"], made["instances"], None, splits))
    assert own.splits.tolist() == splits["split"].to_pylist()


def test_layouts_name_the_columns_of_parts_as_those_of_the_whole():
    names = ["zipf", "zipf_first", "zipf_last", "length", "phrase_first"]
    assert layout_names(names, "whole") == [("zipf", 0), ("length", 3), ("phrase_first", 4)]
    assert layout_names(names, "first") == [("zipf", 1), ("length", 3), ("phrase_first", 4)]
    assert layout_names(names, "last") == [("zipf", 2), ("length", 3), ("phrase_first", 4)]
    assert [place for _, place in layout_names(names, "all")] == [0, 1, 2, 3, 4]


def test_a_single_word_is_its_own_parts_among_expressions():
    found = rows()
    matrix = matrix_of(found, "all", ["bible"])
    at = {name: matrix.values[:, place] for place, name in enumerate(matrix.names)}
    single = found.kinds == "single"
    np.testing.assert_array_equal(at["is_single"], single)
    np.testing.assert_array_equal(at["genre:bible"], found.genres == "bible")
    np.testing.assert_array_equal(at["zipf_last"][single], at["zipf"][single])
    own = ~single
    np.testing.assert_allclose((at["zipf_first"][own] + at["zipf_last"][own]) / 2, at["zipf"][own])
    assert "is_single" not in matrix_of(found, "first", []).names
    told = matrix_of(found, "first", ["bible"], kinds=True)
    assert told.names[-2:] == ["is_single", "genre:bible"]
    np.testing.assert_array_equal(told.values[:, -2], single)
    # The rows themselves are not changed.
    place = [column.name for column in found.columns].index("zipf_first")
    assert np.isnan(found.values[single, place]).all()


def test_a_group_can_be_left_out():
    found = rows()
    whole = matrix_of(found, "all", ["bible"])
    for group, begin in (("frequency", "zipf"), ("genre", "genre:")):
        less = matrix_of(found, "all", ["bible"], group)
        own = np.array([name.startswith(begin) for name in less.names])
        assert less.names == whole.names
        assert np.isnan(less.values[:, own]).all()
        np.testing.assert_array_equal(less.values[:, ~own], whole.values[:, ~own])


def test_folds_by_part_keep_together_what_shares_a_word():
    found = rows(singles=0, expressions=40)
    fold = folds_of(found, 3, seed=1, by="part")
    by_word: dict[str, set[int]] = {}
    for parts, number in zip(found.parts, fold.tolist(), strict=True):
        for word in parts:
            by_word.setdefault(word, set()).add(number)
    assert all(len(numbers) == 1 for numbers in by_word.values())
    assert by_word.keys() <= {word for parts in found.parts for word in parts}
    # Rows that are added move no others, if they share no word.
    less = found.at(fold != fold[0])
    np.testing.assert_array_equal(folds_of(less, 3, seed=1, by="part"), fold[fold != fold[0]])


def test_folds_by_part_are_not_by_token():
    found = rows(singles=0, expressions=12)
    assert set(folds_of(found, 4, seed=3, by="token").tolist()) > {0}


@pytest.mark.parametrize("type", [pa.string(), pa.list_(pa.float64())])
def test_a_column_that_is_no_number_is_an_error_that_names_it(type):
    with pytest.raises(UsageError, match="'odd' is of type"):
        columns_of(features_schema([pa.field("odd", type)]))


def test_vectors_are_columns_of_components():
    found = rows()
    made = {row["instance_id"]: row for row in tables()["features"].to_pylist()}
    for vector in ("vector", "vector_first", "vector_last"):
        places = [at for at, column in enumerate(found.columns) if column.vector == vector]
        assert len(places) == DIM
        for name, values in zip(found.ids, found.values[:, places], strict=True):
            wanted = made[name][vector]
            np.testing.assert_array_equal(values, [np.nan] * DIM if wanted is None else np.float32(wanted))
    # In a layout of parts they have the names of the whole, as numbers have.
    matrix = matrix_of(found, "first", ())
    at = [place for place, vector in enumerate(matrix.vectors) if vector == "vector"]
    assert [matrix.names[place] for place in at] == [f"vector.{number}" for number in range(DIM)]
    single = found.kinds == "single"
    firsts = [at for at, column in enumerate(found.columns) if column.vector == "vector_first"]
    np.testing.assert_array_equal(matrix.values[~single][:, at], found.values[~single][:, firsts])


def test_a_vector_of_another_size_is_an_error():
    made = tables()
    place = made["features"].schema.get_field_index("vector")
    field, short = made["features"].schema.field("vector"), [[1.0]] * made["features"].num_rows
    changed = made["features"].set_column(place, field, pa.array(short, field.type))
    with pytest.raises(LexbeamError, match="'vector' have not 3 components"):
        rows_of(joined_rows(changed, made["instances"]))


def test_features_without_columns_are_an_error():
    with pytest.raises(UsageError, match="no features"):
        columns_of(features_schema())


def test_features_of_other_instances_are_an_error():
    made = tables()
    with pytest.raises(LexbeamError, match="is not in complexity/instances"):
        joined_rows(made["features"], made["instances"].slice(1))
    twice = pa.concat_tables([made["features"], made["features"].slice(0, 1)])
    with pytest.raises(LexbeamError, match="an instance twice"):
        joined_rows(twice, made["instances"])
