"""Blocks as HTML, for a notebook: what `pipelines/frame/blocks.py` makes lines of."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from lexbeam.transforms.common.errors import visible
from lexbeam.transforms.common.shown import Block, Grid, Kwic

_SIDES = {True: ' style="text-align: right"', False: ' style="text-align: left"'}


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML: lines that follow one another as a text, grids and uses as tables."""
    return "\n".join(filter(None, _pieces(blocks)))


def folded(title: str, blocks: Iterable[Block]) -> str:
    """Return blocks as HTML that is shown when its title is clicked on."""
    return f"<details><summary>{_text(title)}</summary>\n{as_html(blocks)}\n</details>"


def _pieces(blocks: Iterable[Block]) -> Iterator[str]:
    for kind, same in groupby(blocks, type):
        if kind is Grid:
            yield from (_grid(grid) for grid in same if isinstance(grid, Grid))
        elif kind is Kwic:
            yield from (_uses(kwic) for kwic in same if isinstance(kwic, Kwic))
        else:
            text = "\n".join(map(str, same)).strip("\n")
            yield f'<pre style="white-space: pre-wrap">{_text(text)}</pre>' if text else ""


def _grid(grid: Grid) -> str:
    sides = [_SIDES[place in grid.right] for place in range(len(grid.heads))]
    head = _row("th", grid.heads, sides) if any(grid.heads) else ""
    rows = "".join(_row("td", row, sides) for row in grid.rows)
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _row(tag: str, cells: Iterable[str], sides: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}{side}>{_text(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True))}</tr>"


def _uses(kwic: Kwic) -> str:
    rows = (
        f"<tr><td{_SIDES[True]}>{_text(use.left)}</td><td><b>{_text(use.target)}</b></td>"
        f"<td{_SIDES[False]}>{_text(use.right)}</td><td>{_text(use.where)}</td></tr>"
        for use in kwic.uses
    )
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _text(text: str) -> str:
    return escape(visible(text))
