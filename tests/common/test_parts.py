"""The corpus alone decides the number of parts, in steps of two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.portions import CHARACTERS, LEAST_PARTS, ROWS, TOKENS, parts_for, stated_parts

SIZES = st.integers(0, 10**9)


@given(SIZES, SIZES, SIZES)
def test_parts_are_the_least_power_of_two_by_which_none_is_too_large(rows, tokens, characters):
    def suits(parts):
        return rows <= parts * ROWS and tokens <= parts * TOKENS and characters <= parts * CHARACTERS

    assert parts_for(rows, tokens, characters) == next(2**n for n in range(3, 40) if suits(2**n))


def test_a_small_corpus_has_eight_and_the_largest_a_bounded_number():
    assert parts_for() == parts_for(rows=8 * ROWS) == LEAST_PARTS
    assert parts_for(rows=8 * ROWS + 1) == 2 * LEAST_PARTS
    assert parts_for(10**9, 10**11, 10**12) == parts_for(10**12) == 8192


def test_a_number_is_taken_as_it_is_and_other_texts_are_refused():
    assert [stated_parts(value) for value in ("auto", "1", "12", "10000")] == [0, 1, 12, 10_000]
    for value in ("0", "10001", "-1", "1.5", "many", "Auto", "9" * 5000, "\u0665"):
        with pytest.raises(UsageError, match="must be auto, or a number from 1 to 10000"):
            stated_parts(value)
