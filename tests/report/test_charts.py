""" """

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.report import charts
from lexbeam.transforms.report.charts import HEIGHT, LETTER, LINE, NARROW, WIDTH, free_labels

SPECS = {
    "over time": lambda: charts.bars_over_time("from", "before", "tokens", colour="genre"),
    "across": lambda: charts.bars_across("source", "tokens", number=3),
    "lines": lambda: charts.lines("tokens", "words", colour="unit"),
    "bands": lambda: bands(),
    "bare bands": lambda: bands(null=None, noise=None),
    "cloud": lambda: cloud("null mean"),
    "bare cloud": lambda: cloud(None),
    "histogram": lambda: charts.histogram(
        "from", "to", "words", at="threshold", colour="verdict", values={"a": "var(--c2)"}
    ),
    "paths": lambda: charts.paths("x", "y", name="name", stage="slice", order="order", values=["old", "new"]),
    "series": lambda: charts.series(
        "slice", "distance", null="high", colour="measured", values=["one"], names=["a", "b"]
    ),
    "bare series": lambda: charts.series(
        "slice", "distance", null=None, colour="measured", values=["one"], names=["a", "b"]
    ),
}


def bands(null=("mean", "high"), noise=("less", "more")):
    values = {"a": "var(--c2)", "b": "var(--c8)"}
    return charts.bands("word", "score", null=null, noise=noise, colour="finding", values=values, number=30)


def cloud(behind):
    values = {"a": "var(--c2)", "b": "var(--c8)"}
    return charts.cloud(
        "uses", "score", behind=behind, name="word", label=("label", "narrow"), colour="finding", values=values
    )


def layers(spec):
    return spec.get("layer", [spec])


def fields(spec):
    found = set()
    for layer in layers(spec):
        for channel in layer["encoding"].values():
            for part in channel if isinstance(channel, list) else [channel]:
                found |= {part["field"]} if "field" in part else set()
    return found


@pytest.mark.parametrize("name", SPECS)
def test_a_chart_holds_no_data_and_no_address(name):
    spec = SPECS[name]()
    for part in [spec, *layers(spec)]:
        assert not {"data", "datasets"} & set(part)
    assert "http" not in json.dumps(spec)


@pytest.mark.parametrize("name", SPECS)
def test_a_chart_is_vega_lite_that_compiles(name):
    vl_convert = pytest.importorskip("vl_convert")
    spec = SPECS[name]() | {"data": {"values": []}, "width": 300}
    assert vl_convert.vegalite_to_vega(spec)["marks"]


def test_a_chart_shows_the_columns_it_is_given():
    assert fields(SPECS["over time"]()) == {"from", "before", "tokens", "genre"}
    assert fields(SPECS["across"]()) == {"source", "tokens"}
    assert fields(SPECS["lines"]()) == {"tokens", "words", "unit"}
    drawn = {"word", "score", "finding"}
    assert fields(SPECS["bands"]()) == drawn | {"mean", "high", "less", "more"}
    assert fields(SPECS["bare bands"]()) == drawn
    assert fields(SPECS["cloud"]()) == drawn | {"uses", "label", "narrow", "null mean"}
    assert fields(SPECS["bare cloud"]()) == drawn | {"uses", "label", "narrow"}
    drawn = {"from", "to", "words", "threshold", "verdict"}
    assert fields(SPECS["histogram"]()) == drawn
    assert fields(SPECS["paths"]()) == {"x", "y", "name", "slice", "order"}
    series = {"slice", "distance", "measured"}
    assert fields(SPECS["series"]()) == series | {"high"}
    assert fields(SPECS["bare series"]()) == series


def test_colours_are_those_of_the_page():
    for name in ("cloud", "bands"):
        scales = [
            layer["encoding"]["color"]["scale"] for layer in layers(SPECS[name]()) if "color" in layer["encoding"]
        ]
        assert scales == [{"domain": ["a", "b"], "range": ["var(--c2)", "var(--c8)"]}]
    (scale,) = {
        str(layer["encoding"]["color"]["scale"]) for layer in layers(SPECS["paths"]()) if "color" in layer["encoding"]
    }
    assert scale == str({"domain": ["old", "new"], "range": ["var(--c1)", "var(--c2)"]})


def test_the_plane_of_paths_is_square():
    spec = SPECS["paths"]()
    assert spec["width"] == spec["height"]
    assert spec["autosize"]["type"] == "pad"  # a width that fits would be of another size
    domains = [layer["encoding"][axis]["scale"]["domain"] for layer in layers(spec) for axis in "xy"]
    assert all(domain == domains[0] and domain[0] == -domain[1] for domain in domains)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(charts.importlib, "import_module", missing)
    with pytest.raises(LexbeamError, match=r"package altair: .*report"):
        charts.lines("a", "b")
    with pytest.raises(LexbeamError, match=r"package vl_convert: .*report"):
        charts.bundle.__wrapped__()


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
