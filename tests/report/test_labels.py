import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.report.labels import HEIGHT, LETTER, LINE, WIDTH, free_labels

POINTS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 12)), max_size=12)


def boxes(points, places):
    """Left, right and middle of labels, in pixels."""
    x, y = (np.array([point[axis] for point in points]) for axis in (0, 1))
    spans = [np.ptp(axis) or 1.0 for axis in (x, y)]
    left, top = (x - x.min()) / spans[0] * WIDTH, (y - y.min()) / spans[1] * HEIGHT
    return [(left[n], left[n] + LETTER * points[n][2], top[n]) for n in places]


def cover(one, other):
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LINE


@given(POINTS)
def test_labels_cover_none_and_are_left_out_only_if_they_would(points):
    x, y = (np.array([point[axis] for point in points]) for axis in (0, 1))
    labels = {place: "n" * size for place, (_, _, size) in reversed(list(enumerate(points)))}
    free = free_labels(x, y, labels)
    kept = []
    for place in labels:
        (box,) = boxes(points, [place])
        assert (place in free) == (not any(cover(box, other) for other in kept))
        if place in free:
            kept.append(box)


def test_points_in_one_place_have_one_label():
    assert free_labels(np.ones(3), np.ones(3), {2: "c", 0: "a"}) == {2: "c"}
    assert free_labels(np.array([]), np.array([]), {}) == {}
