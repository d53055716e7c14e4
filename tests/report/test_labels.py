import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.report.charts import HEIGHT, LETTER, LINE, NARROW, WIDTH, free_labels

POINTS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 12)), max_size=12)


def boxes(points, places, width):
    """Left, right and middle of labels, in pixels."""
    x, y = (np.array([point[axis] for point in points]) for axis in (0, 1))
    spans = [np.ptp(axis) or 1.0 for axis in (x, y)]
    at, top = (x - x.min()) / spans[0] * width, (y - y.min()) / spans[1] * HEIGHT
    sizes = [LETTER * points[n][2] for n in places]
    starts = [at[n] - size if at[n] + size > width else at[n] for n, size in zip(places, sizes, strict=True)]
    return [(start, start + size, top[n]) for n, start, size in zip(places, starts, sizes, strict=True)]


def cover(one, other):
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < LINE


@given(POINTS, st.sampled_from([WIDTH, NARROW]))
def test_labels_cover_none_and_are_left_out_only_if_they_would(points, width):
    x, y = (np.array([point[axis] for point in points]) for axis in (0, 1))
    labels = {place: "n" * size for place, (_, _, size) in reversed(list(enumerate(points)))}
    free = free_labels(x, y, labels, width=width)
    kept = []
    for place in labels:
        (box,) = boxes(points, [place], width)
        assert (place in free) == (not any(cover(box, other) for other in kept))
        if place in free:
            kept.append(box)


def test_points_in_one_place_have_one_label():
    assert free_labels(np.ones(3), np.ones(3), {2: "c", 0: "a"}) == {2: "c"}
    assert free_labels(np.array([]), np.array([]), {}) == {}


def test_a_label_at_the_right_edge_is_written_to_the_left():
    x, y = np.array([0.0, 0.97, 1.0]), np.array([0.0, 1.0, 1.0])
    # The last point's label reaches back over the point before it, whose own label would be there.
    assert free_labels(x, y, {2: "the", 1: "and"}) == {2: "the"}
    assert free_labels(x, y, {2: "the", 0: "and"}) == {2: "the", 0: "and"}
