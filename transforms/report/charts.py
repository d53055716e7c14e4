"""Charts by Altair: small functions from the names of columns to Vega-Lite without data.

Colours are variables of the page's style sheet, so one chart serves light, dark and print.
"""

import functools
import importlib
from collections.abc import Sequence
from typing import Any

from lexbeam.transforms.common.errors import missing_package

COLOURS = 8  # --c1 to --c8 in style.css
HEIGHT = 260
_BAR = 22

# What Altair adds: the address of a schema, its theme, and no data, which the page puts in.
_ALTAIRS = ("$schema", "config", "data", "datasets")
_INK, _LINE = "var(--ink)", "var(--line)"
_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domainColor": _LINE,
        "gridColor": _LINE,
        "gridOpacity": 0.6,
        "tickColor": _LINE,
        "labelColor": _INK,
        "titleColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 260,
    },
    "legend": {
        "labelColor": _INK,
        "titleColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
        "columns": 4,
        "labelLimit": 240,
    },
}


def _load(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise missing_package("a report needs", error.name or module, "report") from error


def altair() -> Any:
    """Return the package of charts.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    return _load("altair")


@functools.cache
def bundle() -> str:
    """Return the JavaScript of Vega, Vega-Lite and Vega-Embed, about 0.9 MB.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    return str(_load("vl_convert").javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def bars_over_time(start: str, end: str, value: str, *, colour: str | None = None) -> dict[str, Any]:
    """Return bars from `start` to `end` (years) of height `value`, stacked by `colour`.

    The arguments are names of columns.

    Raises:
        LexbeamError: the extra `report` is not installed, here and below.
    """
    alt = altair()
    # Without flush, the outermost labels would move inwards, onto their neighbours.
    axis = alt.Axis(format="d", grid=False, labelFlush=False, labelSeparation=8)
    encoding = {
        "x": alt.X(f"{start}:Q", bin="binned", title="year", axis=axis),
        "x2": alt.X2(end),
        "y": alt.Y(f"{value}:Q", stack="zero", axis=alt.Axis(tickCount=5, tickMinStep=1)),
        "tooltip": tips(alt, [colour, start, end], [value]),
    }
    return _spec(alt, alt.Chart().mark_bar(), encoding, colour, HEIGHT)


def bars_across(name: str, value: str, *, number: int) -> dict[str, Any]:
    """Return `number` horizontal bars of length `value`, one a `name`, in the order of the rows."""
    alt = altair()
    encoding = {
        "y": alt.Y(f"{name}:N", sort=None, title=None),
        "x": alt.X(f"{value}:Q", axis=alt.Axis(tickCount=5, tickMinStep=1)),
        "tooltip": tips(alt, [name], [value]),
    }
    return _spec(alt, alt.Chart().mark_bar(), encoding, None, _BAR * max(number, 2))


def lines(x: str, y: str, *, colour: str | None = None) -> dict[str, Any]:
    """Return a line of `y` over `x`, or one for each value of `colour`."""
    alt = altair()
    encoding = {
        "x": alt.X(f"{x}:Q", axis=alt.Axis(tickCount=6)),
        "y": alt.Y(f"{y}:Q", axis=alt.Axis(tickCount=5)),
        "tooltip": tips(alt, [colour], [x, y]),
    }
    return _spec(alt, alt.Chart().mark_line(strokeWidth=2), encoding, colour, HEIGHT)


def tips(alt: Any, plain: Sequence[str | None], numbers: Sequence[str]) -> list[Any]:
    """Return what is told of a mark: columns as they are, and numbers."""
    shown = [alt.Tooltip(f"{name}:N") for name in plain if name]
    return shown + [alt.Tooltip(f"{name}:Q", format=",.4~f") for name in numbers]


def palette(number: int) -> list[str]:
    """Return so many colours; they repeat after `COLOURS`."""
    return [f"var(--c{place % COLOURS + 1})" for place in range(number)]


def finished(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite without data, checked against its schema, in the page's theme."""
    spec = _bare(chart.to_dict())
    if "layer" in spec:
        spec["layer"] = [_bare(layer) for layer in spec["layer"]]
    fits = "fit-x" if spec["width"] == "container" else "pad"
    return {**spec, "autosize": {"type": fits, "contains": "padding"}, "config": _CONFIG}


def _bare(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in _ALTAIRS}


def _spec(alt: Any, chart: Any, encoding: dict[str, Any], colour: str | None, height: int) -> dict[str, Any]:
    shade = alt.value(palette(1)[0])
    if colour:
        scale = alt.Scale(range=palette(COLOURS))
        shade = alt.Color(f"{colour}:N", sort=None, scale=scale)
    encoding["color"] = shade
    return finished(chart.encode(**encoding).properties(width="container", height=height))
