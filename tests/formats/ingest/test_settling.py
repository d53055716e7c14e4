"""A file counts when two looks some time apart agree: once in each form that it has, whatever comes twice or late."""

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.ingest.file_changes import FileLook, look_at

APART = 10


def told(looks):
    """Return the looks by which the file has settled."""
    state, found = None, []
    for look in looks:
        state, settled = look_at(state, FileLook(*look), APART)
        found += [look] * settled
    return found


def test_one_look_is_not_enough():
    assert told([(0, 5, 1)]) == []


def test_two_looks_that_agree_are_and_later_ones_say_nothing_more():
    assert told([(0, 5, 1), (10, 5, 1), (20, 5, 1)]) == [(10, 5, 1)]


def test_looks_too_close_to_each_other_count_as_one():
    assert told([(0, 5, 1), (9, 5, 1)]) == []
    assert told([(0, 5, 1), (9, 5, 1), (11, 5, 1)]) == [(11, 5, 1)]


def test_a_file_that_grows_or_is_touched_waits():
    assert told([(0, 5, 1), (10, 6, 1), (20, 6, 2), (30, 6, 2)]) == [(30, 6, 2)]


def test_a_file_that_is_changed_settles_anew():
    assert told([(0, 5, 1), (10, 5, 1), (20, 7, 2), (30, 7, 2)]) == [(10, 5, 1), (30, 7, 2)]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2), st.integers(0, 2)), max_size=30),
    st.randoms(use_true_random=False),
)
def test_what_is_told_was_so_for_the_time(steps, random):
    """Against the definition: in all looks from `APART` before it on, in one unbroken row, the file was the same."""
    at, looks = 0, []
    for step, size, changed in steps:
        at += step
        looks.append((at, size, changed))
    expected, start, is_told = [], 0, False
    for number, look in enumerate(looks):
        if look[1:] != looks[start][1:]:
            start, is_told = number, False
        if not is_told and look[0] - looks[start][0] >= APART:
            expected.append(look)
            is_told = True
    assert told(looks) == expected
    # Looks that come twice change nothing.
    assert told([look for look in looks for _ in range(random.randint(1, 3))]) == expected
