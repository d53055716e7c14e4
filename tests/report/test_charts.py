import json

import pytest

from transforms.common.errors import LexbeamError
from transforms.report import charts

SPECS = {
    "over time": lambda: charts.bars_over_time("from", "before", "tokens", colour="genre"),
    "across": lambda: charts.bars_across("source", "tokens", number=3),
    "lines": lambda: charts.lines("tokens", "words", colour="unit"),
    "points": lambda: charts.points("uses", "score", name="word", colour="kind", values=["a", "b"]),
}


def fields(spec):
    found = set()
    for channel in spec["encoding"].values():
        for part in channel if isinstance(channel, list) else [channel]:
            found |= {part["field"]} if "field" in part else set()
    return found


@pytest.mark.parametrize("name", SPECS)
def test_a_chart_holds_no_data_and_no_address(name):
    spec = SPECS[name]()
    assert "data" not in spec
    assert "datasets" not in spec
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
    assert fields(SPECS["points"]()) == {"uses", "score", "word", "kind"}


def test_colours_are_those_of_the_page():
    scale = SPECS["points"]()["encoding"]["color"]["scale"]
    assert scale == {"domain": ["a", "b"], "range": ["var(--c1)", "var(--c2)"]}


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(charts.importlib, "import_module", missing)
    with pytest.raises(LexbeamError, match=r"'altair'.*extra `report`"):
        charts.lines("a", "b")
    with pytest.raises(LexbeamError, match=r"'vl_convert'.*extra `report`"):
        charts.bundle.__wrapped__()
