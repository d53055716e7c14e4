from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexicon.encoders.pooling import POOLINGS

REFERENCES = {
    "mean": lambda rows: np.array(rows, float).sum(axis=0) / len(rows),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
    "max": lambda rows: [max(column) for column in zip(*rows, strict=True)],
}


@pytest.mark.parametrize("name", POOLINGS)
@given(lengths=st.lists(st.integers(1, 4), min_size=1, max_size=6), seed=st.integers(0, 2**32 - 1))
def test_each_span_is_pooled_by_itself(name, lengths, seed):
    vectors = np.random.default_rng(seed).normal(size=(sum(lengths), 3)).astype(np.float32)
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    found = POOLINGS[name](vectors, bounds)
    assert found.dtype == np.float32
    expected = [REFERENCES[name](vectors[start:end].tolist()) for start, end in pairwise(bounds)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
