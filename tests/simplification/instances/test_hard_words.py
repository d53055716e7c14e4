"""The hardest words of each document, against a loop."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.simplification.instances.hard_words import hardest


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=40), st.integers(0, 20).map(lambda n: n / 20))
def test_the_hardest_of_each_document(rows, share):
    documents = np.array([document for document, _ in rows], np.int64)
    values = np.array([value / 5 for _, value in rows], np.float64)
    expected = []
    for document, value in zip(documents.tolist(), values.tolist(), strict=True):
        members = sorted(values[documents == document].tolist(), reverse=True)
        number = math.ceil(Fraction(share).limit_denominator(20) * len(members))
        expected.append(number > 0 and value >= members[number - 1])
    assert hardest(values, documents, share).tolist() == expected
