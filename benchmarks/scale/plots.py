"""Plots of docs/scale.md and docs/refresh.md, as small SVG files, the same for the same rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lexbeam.transforms.report.charts import altair

WIDTH, HEIGHT = 420, 260


class Point(NamedTuple):
    """A point of a plot: the line that it belongs to, its size and its value."""

    line: str
    size: float
    value: float


def svg(points: Sequence[Point], *, x: str, y: str, logarithmic: bool = True) -> str:
    """Return lines through points; on logarithmic axes what is not above 0 is left out."""
    import vl_convert

    alt: Any = altair()
    rows = [point._asdict() for point in points if point.value > 0 or not logarithmic]
    order = list(dict.fromkeys(point.line for point in points))
    scale = alt.Scale(type="log" if logarithmic else "linear")
    axis = {"format": "~s", "tickCount": 5}
    chart = (
        alt.Chart(alt.Data(values=rows), width=WIDTH, height=HEIGHT)
        .mark_line(point=True)
        .encode(
            x=alt.X("size:Q", title=x, scale=scale, axis=alt.Axis(**axis)),
            y=alt.Y("value:Q", title=y, scale=scale, axis=alt.Axis(**axis)),
            color=alt.Color("line:N", title=None, sort=order, legend=alt.Legend(labelLimit=300)),
            strokeDash=alt.StrokeDash("line:N", sort=order, legend=None),
        )
        .configure(background="white")
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json()))
