from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.portions import pack

WEIGHTS = st.lists(st.integers(0, 1000), max_size=40)


@given(WEIGHTS, st.integers(1, 6))
def test_every_piece_is_in_one_lane(weights, lanes):
    packed = pack(weights, lanes)
    assert sorted(index for lane in packed for index in lane) == list(range(len(weights)))
    assert len(packed) <= lanes
    assert all(packed)


@given(WEIGHTS.filter(any), st.integers(1, 6))
def test_lanes_are_within_a_third_of_the_best(weights, lanes):
    # Graham (1969): longest processing time first is at most 4/3 - 1/(3m) times the optimum.
    longest = max(sum(weights[index] for index in lane) for lane in pack(weights, lanes))
    least = max(sum(weights) / lanes, max(weights))
    pairs = sorted(weights, reverse=True)
    if len(pairs) > lanes:
        least = max(least, pairs[lanes - 1] + pairs[lanes])
    assert longest <= (4 / 3) * least + 1e-9
