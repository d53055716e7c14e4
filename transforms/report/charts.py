"""Charts by Altair: small functions from the names of columns to Vega-Lite without data.

Colours are variables of the page's style sheet, so one chart serves light, dark and print.
"""

import functools
import importlib
from collections.abc import Sequence
from typing import Any

from transforms.common.errors import LexbeamError

__all__ = ["COLOURS", "bars_across", "bars_over_time", "bundle", "lines", "points"]

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
        "domainColor": _LINE, "gridColor": _LINE, "gridOpacity": 0.6, "tickColor": _LINE,
        "labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal", "labelLimit": 260,
    },
    "legend": {
        "labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal", "orient": "top", "columns": 4, "labelLimit": 180,
    },
}  # fmt: skip


def _load(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise LexbeamError(
            f"a report needs the Python package {error.name or module!r}: install the extra "
            "`report`, pip install 'lexbeam[report]'"
        ) from error


@functools.cache
def bundle() -> str:
    """Return the JavaScript of Vega, Vega-Lite and Vega-Embed, about 0.9 MB.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    return str(_load("vl_convert").javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def bars_over_time(
    start: str, end: str, value: str, *, colour: str | None = None
) -> dict[str, Any]:
    """Return bars from `start` to `end` (years) of height `value`, stacked by `colour`.

    The arguments are names of columns.

    Raises:
        LexbeamError: the extra `report` is not installed, here and below.
    """
    alt = _load("altair")
    # Without flush, the outermost labels would move inwards, onto their neighbours.
    axis = alt.Axis(format="d", grid=False, labelFlush=False, labelSeparation=8)
    encoding = {
        "x": alt.X(f"{start}:Q", bin="binned", title="year", axis=axis),
        "x2": alt.X2(end),
        "y": alt.Y(f"{value}:Q", stack="zero", axis=alt.Axis(tickCount=5, tickMinStep=1)),
        "tooltip": _tips(alt, [colour, start, end], [value]),
    }
    return _spec(alt, alt.Chart().mark_bar(), encoding, colour, HEIGHT)


def bars_across(name: str, value: str, *, number: int) -> dict[str, Any]:
    """Return `number` horizontal bars of length `value`, one a `name`, in the order of the rows."""
    alt = _load("altair")
    encoding = {
        "y": alt.Y(f"{name}:N", sort=None, title=None),
        "x": alt.X(f"{value}:Q", axis=alt.Axis(tickCount=5, tickMinStep=1)),
        "tooltip": _tips(alt, [name], [value]),
    }
    return _spec(alt, alt.Chart().mark_bar(), encoding, None, _BAR * max(number, 2))


def lines(x: str, y: str, *, colour: str | None = None) -> dict[str, Any]:
    """Return a line of `y` over `x`, or one for each value of `colour`."""
    alt = _load("altair")
    encoding = {
        "x": alt.X(f"{x}:Q", axis=alt.Axis(tickCount=6)),
        "y": alt.Y(f"{y}:Q", axis=alt.Axis(tickCount=5)),
        "tooltip": _tips(alt, [colour], [x, y]),
    }
    return _spec(alt, alt.Chart().mark_line(strokeWidth=2), encoding, colour, HEIGHT)


def points(
    x: str, y: str, *, name: str, colour: str | None = None, values: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a point for each row, `x` on a log scale; `values` is the order of `colour`.

    A colour's values also have shapes, for readers who do not tell colours.
    """
    alt = _load("altair")
    encoding = {
        "x": alt.X(f"{x}:Q", scale=alt.Scale(type="log", nice=True), axis=alt.Axis(tickCount=6)),
        "y": alt.Y(f"{y}:Q", axis=alt.Axis(tickCount=5)),
        "tooltip": _tips(alt, [name, colour], [x, y]),
    }
    if colour:
        encoding["shape"] = alt.Shape(f"{colour}:N", scale=alt.Scale(domain=list(values)))
    chart = alt.Chart().mark_point(size=28, opacity=0.75)
    return _spec(alt, chart, encoding, colour, 380, values)


def _tips(alt: Any, plain: Sequence[str | None], numbers: Sequence[str]) -> list[Any]:
    shown = [alt.Tooltip(f"{name}:N") for name in plain if name]
    return shown + [alt.Tooltip(f"{name}:Q", format=",.4~f") for name in numbers]


def _spec(
    alt: Any,
    chart: Any,
    encoding: dict[str, Any],
    colour: str | None,
    height: int,
    values: Sequence[str] = (),
) -> dict[str, Any]:
    palette = [f"var(--c{number + 1})" for number in range(COLOURS)]
    if colour:
        scale: dict[str, Any] = {"range": palette[: len(values)] if values else palette}
        if values:
            scale["domain"] = list(values)
        encoding["color"] = alt.Color(f"{colour}:N", sort=None, scale=alt.Scale(**scale))
    else:
        encoding["color"] = alt.value(palette[0])
    spec = chart.encode(**encoding).properties(width="container", height=height).to_dict()
    return {
        **{key: value for key, value in spec.items() if key not in _ALTAIRS},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": _CONFIG,
    }
