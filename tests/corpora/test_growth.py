import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.corpora.growth import Distinct, Growth, Point

LISTS = st.one_of(st.none(), st.lists(st.sampled_from(["Sea", "sea", "ship", ".", "7", "é"])))


@given(st.lists(st.lists(st.text(max_size=2))))
def test_few_words_are_counted_exactly(batches):
    distinct = Distinct(smallest=10_000)
    for batch in batches:
        distinct.add(batch)
    assert distinct.number() == len({word for batch in batches for word in batch})


@pytest.mark.parametrize("number", [1_000, 20_000, 100_000])
def test_many_words_are_estimated_within_four_standard_errors(number):
    distinct = Distinct(smallest=1_000)
    words = [f"word {n}" for n in range(number)]
    distinct.add(words)
    once = distinct.number()
    assert abs(once / number - 1) < 4 / 1_000**0.5
    distinct.add(words[::-1])
    assert distinct.number() == once


@given(st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=30), st.integers(1, 7), st.integers(1, 9))
def test_points_agree_with_brute_force_however_the_rows_come(rows, step, size):
    growth = Growth(step)
    for start in range(0, len(rows), size):
        growth.add(table_of(rows[start : start + size]))
    growth.end()
    expected = []
    for end in [*range(step, len(rows), step), len(rows)]:
        head = rows[:end]
        tokens = sum(len(forms if forms is not None else lemmas or []) for forms, lemmas in head)
        for unit, place in (("forms", 0), ("lemmas", 1)):
            words = {word for row in head for word in row[place] or [] if word.isalpha()}
            expected += [Point(tokens, unit, len(words))] if words else []
    assert growth.points == expected


def table_of(rows):
    lists = pa.list_(pa.string())
    forms, lemmas = zip(*rows, strict=True)
    return pa.table({"forms": pa.array(forms, lists), "lemmas": pa.array(lemmas, lists)})
