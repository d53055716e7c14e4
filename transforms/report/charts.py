"""Charts by Altair: small functions from the names of columns to Vega-Lite without data.

Colours are variables of the page's style sheet, so one chart serves light, dark and print.

Of charts of several layers (scores before what chance gives, paths, series) rows without a value that a layer needs are
left out of that layer alone. `free_labels` says which labels of points can be written without covering one another:

>>> import numpy as np
>>> free_labels(np.array([0.0, 0.1, 9.0]), np.array([0.0, 0.0, 5.0]), {1: "two", 0: "one"})
{1: 'two'}
"""

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.extras import missing_package

COLOURS = 8  # --c1 to --c8 in style.css
_HEIGHT = 260
_BAR = 22

# What Altair adds: the address of a schema, its theme, and no data, which the page puts in.
_ALTAIRS = ("$schema", "config", "data", "datasets")
_INK, _LINE = "var(--ink)", "var(--line)"
_LETTERS: dict[str, Any] = {
    "labelColor": _INK,
    "titleColor": _INK,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
}
_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domainColor": _LINE,
        "gridColor": _LINE,
        "gridOpacity": 0.6,
        "tickColor": _LINE,
        **_LETTERS,
        "labelLimit": 260,
    },
    "legend": {**_LETTERS, "orient": "top", "columns": 4, "labelLimit": 240},
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
    return _spec(alt, alt.Chart().mark_bar(), encoding, colour, _HEIGHT)


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
    return _spec(alt, alt.Chart().mark_line(strokeWidth=2), encoding, colour, _HEIGHT)


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


Floats = npt.NDArray[np.float64]

# Pixels: of a chart on a screen, and of its letters.
WIDTH, HEIGHT = 800, 380
NARROW = 330  # of a chart on a telephone
LETTER, LINE = 6.5, 13


def free_labels(x: Floats, y: Floats, labels: Mapping[int, str], *, width: int = WIDTH) -> dict[int, str]:
    """Return the labels that can be written: those that cover none that comes before.

    Args:
        x, y: where all points of a chart are, on the scales of its axes.
        labels: by place of the point, to its right, or to its left where that would leave the chart; the most
            important first.
        width: of the chart, in pixels.
    """
    across, top = _pixels(x, width), _pixels(y, HEIGHT)
    free: dict[int, str] = {}
    ends: list[tuple[float, float, float]] = []
    for place, text in labels.items():
        size = LETTER * len(text)
        left = across[place] - size * (across[place] + size > width)
        if not any(left < end and start < left + size and abs(top[place] - at) < LINE for start, end, at in ends):
            free[place] = text
            ends.append((left, left + size, top[place]))
    return free


def _pixels(values: Floats, pixels: int) -> Floats:
    if not len(values):
        return values
    low, high = values.min(), values.max()
    return (values - low) / (high - low) * pixels if high > low else np.zeros(len(values))


_ROW = 20  # height of a row, in pixels
_SQUARE = 520
_REACH = 1.15
NARROW_FROM = 500  # pixels of a chart, below which it has the labels of a narrow window
_MUTED, _BAND = "var(--muted)", "var(--line)"


def bands(
    name: str,
    score: str,
    *,
    null: tuple[str, str] | None,
    noise: tuple[str, str] | None,
    colour: str,
    values: Mapping[str, str],
    number: int,
) -> dict[str, Any]:
    """Return a row for each `name`, in the order of the rows, with its score as a point.

    Args:
        null: mean and end of the bar behind it, which begins at 0; None for no bar.
        noise: both ends of the line through it; None for no line.
        values: the order of `colour`, and the colour of each.
        number: of rows, which decides the height.

    Raises:
        LexbeamError: the extra `report` is not installed, here and below.
    """
    alt = altair()
    y = alt.Y(f"{name}:N", sort=None, title=None)
    # First a layer of all rows that draws nothing: the order of names is that of the first layer.
    layers = [alt.Chart().mark_tick(opacity=0).encode(y=y)]
    if null is not None:
        layers += _null_bars(alt, y, name, score, null)
    if noise is not None:
        line = alt.Chart().transform_filter(_has(noise[0])).mark_rule(color=_MUTED)
        layers.append(line.encode(y=y, x=alt.X(f"{noise[0]}:Q", title=score), x2=alt.X2(noise[1])))
    point = alt.Chart().mark_point(filled=True, size=70, opacity=1)
    layers.append(
        point.encode(
            y=y,
            x=alt.X(f"{score}:Q", title=score, axis=alt.Axis(tickCount=6)),
            color=_colour(alt, colour, values),
            shape=_shape(alt, colour, values),
            tooltip=tips(alt, [name, colour], [score]),
        )
    )
    return finished(alt.layer(*layers).properties(width="container", height=_ROW * max(number, 2)))


def _null_bars(alt: Any, y: Any, name: str, title: str, null: tuple[str, str]) -> list[Any]:
    """Return the layers of what chance gives: a bar to its end, with a tick at the mean."""
    mean, end = null
    behind = alt.Chart().transform_filter(_has(end))
    tooltip = tips(alt, [name], [mean, end])
    bar = behind.mark_bar(color=_BAND, stroke=_MUTED, strokeWidth=0.7, height=11)
    tick = behind.mark_tick(color=_MUTED, thickness=2, size=11)
    return [
        bar.encode(y=y, x=alt.X(f"{end}:Q", title=title, stack=None), tooltip=tooltip),
        tick.encode(y=y, x=alt.X(f"{mean}:Q", title=title), tooltip=tooltip),
    ]


def cloud(
    x: str,
    y: str,
    *,
    behind: str | None,
    name: str,
    label: tuple[str, str] | None,
    colour: str,
    values: Mapping[str, str],
    log: bool = True,
) -> dict[str, Any]:
    """Return a point for each row, with a grey point `behind` it.

    Args:
        x, y: where a row's point is.
        behind: how high its grey point is; None for no such points.
        label: what is written beside a point, and what in a narrow window; None for nothing.
        values: the order of `colour`, and the colour of each.
        log: whether `x` is on a log scale.
    """
    alt = altair()
    scale = alt.Scale(type="log" if log else "linear", nice=False, padding=12)
    at = alt.X(f"{x}:Q", scale=scale, axis=alt.Axis(tickCount=6))
    layers = []
    if behind is not None:
        grey = alt.Chart().transform_filter(_has(behind))
        layers.append(
            grey.mark_circle(color=_MUTED, size=16, opacity=0.3).encode(
                x=at, y=alt.Y(f"{behind}:Q", title=y), tooltip=tips(alt, [name], [x, behind])
            )
        )
    height = alt.Y(f"{y}:Q", title=y, axis=alt.Axis(tickCount=5))
    layers.append(
        alt.Chart()
        .mark_point(size=22, opacity=0.7)
        .encode(
            x=at,
            y=height,
            color=_colour(alt, colour, values),
            shape=_shape(alt, colour, values),
            tooltip=tips(alt, [name, colour], [x, y]),
        )
    )
    if label:
        wide, narrow = label
        shown = f"(width < {NARROW_FROM} ? datum['{narrow}'] : datum['{wide}'])"
        beyond = f"scale('x', datum['{x}']) + {LETTER} * length({shown}) > width"
        texts = alt.Chart().transform_filter(_has(wide))
        labels = texts.mark_text(
            align=alt.expr(f"{beyond} ? 'right' : 'left'"),
            dx=alt.expr(f"{beyond} ? -6 : 6"),
            dy=-5,
            color="var(--ink)",
            fontSize=11,
            text=alt.expr(shown),
        )
        layers.append(labels.encode(x=at, y=height, detail=[f"{wide}:N", f"{narrow}:N"]))
    return finished(alt.layer(*layers).properties(width="container", height=380))


def histogram(start: str, end: str, value: str, *, at: str, colour: str, values: Mapping[str, str]) -> dict[str, Any]:
    """Return bars from `start` to `end` of height `value`, stacked by `colour`, and a line.

    Args:
        at: where the line is.
        values: the order of `colour`, and the colour of each.
    """
    alt = altair()
    x = alt.X(f"{start}:Q", bin="binned", title=None, axis=alt.Axis(tickCount=8, grid=False))
    bars = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=x,
            x2=alt.X2(end),
            y=alt.Y(f"{value}:Q", stack="zero", axis=alt.Axis(tickCount=5)),
            color=_colour(alt, colour, values),
            tooltip=tips(alt, [colour], [start, end, value]),
        )
    )
    line = (
        alt.Chart()
        .mark_rule(color="var(--ink)", strokeDash=[4, 3])
        .encode(x=alt.X(f"{at}:Q", title=None), tooltip=tips(alt, [], [at]))
    )
    return finished(alt.layer(bars, line).properties(width="container", height=220))


def paths(x: str, y: str, *, name: str, stage: str, order: str, values: Sequence[str]) -> dict[str, Any]:
    """Return a path through its stages in a square plane, with landmarks around it.

    Args:
        x, y: where a row is, -1 to 1; neither axis has numbers.
        name: what is written there.
        stage: of a row, its colour.
        order: place of the path's rows from 1, and 0 for landmarks.
        values: the order of `stage`.
    """
    alt = altair()
    scale = alt.Scale(domain=[-_REACH, _REACH], nice=False, zero=False)
    axis = alt.Axis(labels=False, ticks=False, grid=False, domain=True)
    at = {
        "x": alt.X(f"{x}:Q", scale=scale, axis=axis, title="first principal component"),
        "y": alt.Y(f"{y}:Q", scale=scale, axis=axis, title="second principal component"),
    }
    path = alt.Chart().transform_filter(alt.datum[order] > 0)
    colour = _colour(alt, stage, values)
    tooltip = tips(alt, [name, stage], [])
    landmarks = alt.Chart().transform_filter(alt.datum[order] == 0).mark_text(fontSize=12)
    text = alt.Text(f"{name}:N")
    layers = [
        landmarks.encode(**at, text=text, color=colour, tooltip=tooltip),
        path.mark_line(color=_MUTED, strokeWidth=1.5).encode(**at, order=alt.Order(f"{order}:Q")),
        path.mark_point(filled=True, size=90, opacity=1).encode(**at, color=colour, tooltip=tooltip),
        path.mark_text(dy=-13, fontSize=12, fontWeight="bold", color="var(--ink)").encode(**at, text=text),
    ]
    return finished(alt.layer(*layers).properties(width=_SQUARE, height=_SQUARE))


def series(
    x: str, y: str, *, null: str | None, colour: str, values: Sequence[str], names: Sequence[str]
) -> dict[str, Any]:
    """Return a line of `y` over the names `x`, in the order of the rows, for each `colour`.

    Args:
        x: names, such as slices.
        null: height of a dashed line in the colour of the line; None for none.
        values: the order of `colour`.
        names: the values of `x`, which are written aslant where they have no room beside one another.
    """
    alt = altair()
    needed = len(names) * (LETTER * max(map(len, names), default=0) + 12)
    axis = alt.Axis(
        labelAngle=alt.expr(f"width < {needed:.0f} ? -40 : 0"),
        labelAlign=alt.expr(f"width < {needed:.0f} ? 'right' : 'center'"),
    )
    across = alt.X(f"{x}:N", sort=None, title=x, axis=axis)
    height = alt.Y(f"{y}:Q", title=y, axis=alt.Axis(tickCount=5))
    shade = _colour(alt, colour, values)
    line = alt.Chart().transform_filter(_has(y)).mark_line(strokeWidth=2, point=True)
    # The first layer draws nothing, see `bands`; the legend looks like the second one.
    layers = [
        alt.Chart().mark_tick(opacity=0).encode(x=across),
        line.encode(x=across, y=height, color=shade, tooltip=tips(alt, [x, colour], [y])),
    ]
    if null is not None:
        behind = alt.Chart().transform_filter(_has(null)).mark_line(strokeWidth=1.5, strokeDash=[4, 4])
        layers.append(
            behind.encode(x=across, y=alt.Y(f"{null}:Q", title=y), color=shade, tooltip=tips(alt, [x, colour], [null]))
        )
    return finished(alt.layer(*layers).properties(width="container", height=260))


def _has(name: str) -> str:
    """Return the expression that a row has a value, or a text that is not empty, in a column."""
    return f"isValid(datum['{name}']) && datum['{name}'] !== ''"


def _colour(alt: Any, name: str, values: Sequence[str] | Mapping[str, str]) -> Any:
    colours = list(values.values()) if isinstance(values, Mapping) else palette(len(values))
    scale = alt.Scale(domain=list(values), range=colours)
    return alt.Color(f"{name}:N", sort=None, scale=scale)


def _shape(alt: Any, name: str, values: Mapping[str, str]) -> Any:
    """Return shapes beside colours, for readers who do not tell colours."""
    return alt.Shape(f"{name}:N", scale=alt.Scale(domain=list(values)))
