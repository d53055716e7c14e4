import numpy as np
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.evaluation.outcomes import average_ranks


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_ranks_are_those_of_scipy(values):
    assert average_ranks(np.array(values)).tolist() == scipy.stats.rankdata(values).tolist()
