"""Which layout a file has, told from its first rows.

>>> layout_of("a.tsv", [["A cat sat.", "cat", "animal"]])
'tsar'
"""

import re
from collections.abc import Callable, Sequence

from transforms.common.errors import LexbeamError
from transforms.intake.header import header_name
from transforms.simplification.instances.layouts import places_of

__all__ = ["HEAD", "layout_of"]

HEAD = 50  # rows that are looked at
_SHARE = 0.5  # of them, and more, that must be of a layout: broken rows may be among them
_ALEXSIS = 27  # cells: sentence, target, the substitutes of 25 annotators
_RANKED = re.compile(r"\s*[0-9]+:.*\S", re.DOTALL)


def layout_of(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the layout of a file: a key of `READERS`.

    ALEXSIS and TSAR-2022 are read alike: what has 27 cells in every row is called the former,
    unless the file's name says `tsar`.

    Args:
        name: of the file.
        rows: cells of its first rows, at least one.

    Raises:
        LexbeamError: its layout cannot be told.
    """
    header = [header_name(cell) for cell in rows[0]]
    if "sentence" in header and len(header) == len(set(header)):
        return "text"
    for layout, fits in _FITS.items():
        if sum(map(fits, rows)) > _SHARE * len(rows):
            if layout == "tsar" and all(len(row) == _ALEXSIS for row in rows):
                return "tsar" if "tsar" in name.rpartition("/")[2].lower() else "alexsis"
            return layout
    shown = ", ".join(repr(cell[:30]) for cell in rows[0][:6])
    raise LexbeamError(
        f"{name}: its layout cannot be told; its first row has {len(rows[0])} cells, {shown}: name "
        "the `layout`. Sentences of your own have marks, [[target]], or a header: sentence, start, "
        "end"
    )


def _is_cwi2018(cells: Sequence[str]) -> bool:
    numbers = (2, 3, 5, 6, 7, 8)
    return len(cells) == 11 and all(cells[at].strip().isdecimal() for at in numbers)


def _is_benchls(cells: Sequence[str]) -> bool:
    return (
        len(cells) > 3
        and cells[2].strip().isdecimal()
        and all(_RANKED.fullmatch(cell) for cell in cells[3:] if cell.strip())
    )


def _is_annotated(cells: Sequence[str]) -> bool:
    if len(cells) < 2 or not cells[1].strip() or "[[" in cells[0]:
        return False
    return bool(places_of(cells[0], cells[1].strip())[0])


def _is_marked(cells: Sequence[str]) -> bool:
    return "[[" in "\t".join(cells)


_FITS: dict[str, Callable[[Sequence[str]], bool]] = {
    "cwi2018": _is_cwi2018,
    "benchls": _is_benchls,
    "tsar": _is_annotated,
    "text": _is_marked,
}
