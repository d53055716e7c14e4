"""Plots of docs/scale.md: CPU by size, both axes logarithmic, as small SVG files, the same for the same rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from transforms.report.charts import altair

__all__ = ["Point", "svg"]

WIDTH, HEIGHT = 420, 260


class Point(NamedTuple):
    """A point of a plot: the line that it belongs to, its size and its value."""

    line: str
    size: float
    value: float


def svg(points: Sequence[Point], *, x: str, y: str) -> str:
    """Return lines through points; what is not above 0 has no logarithm and is left out."""
    import vl_convert

    alt: Any = altair()
    rows = [point._asdict() for point in points if point.value > 0]
    order = list(dict.fromkeys(point.line for point in points))
    logarithmic = alt.Scale(type="log")
    axis = {"format": "~s", "tickCount": 5}
    chart = (
        alt.Chart(alt.Data(values=rows), width=WIDTH, height=HEIGHT)
        .mark_line(point=True)
        .encode(
            x=alt.X("size:Q", title=x, scale=logarithmic, axis=alt.Axis(**axis)),
            y=alt.Y("value:Q", title=y, scale=logarithmic, axis=alt.Axis(**axis)),
            color=alt.Color("line:N", title=None, sort=order),
            strokeDash=alt.StrokeDash("line:N", title=None, sort=order),
        )
        .configure(background="white")
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json()))
