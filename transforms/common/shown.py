"""What is printed for a person, as values: lines, grids, words in their contexts.

A view, or the summary of a command, yields blocks; their width and colours are decided where they
are printed (`pipelines/frame/blocks.py`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

LISTED = 12  # items of a list in a cell
# What begins a formula in a spreadsheet, in some locales also in full width.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
# In front of a text that a spreadsheet could take for something else: it keeps it from that, and does not show it.
GUARD = "'"


def guarded(text: str) -> str:
    """Return the text of a cell, in one line, so that a spreadsheet takes it for a text and never runs it."""
    return f"{GUARD}{text}" if text.startswith((*FORMULA, '"', GUARD)) else text


class Grid(NamedTuple):
    """A table.

    Attributes:
        heads: names of its columns.
        rows: cells, as many in each row as there are columns.
        right: places of the columns that are aligned to the right: those of numbers.
        indent: spaces before each line.
        fits: whether only its first columns are shown, as many as fit, and the others are named.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    indent: int = 0
    fits: bool = False


class Use(NamedTuple):
    """A use of a word: what stands before it, the word, what stands after it, where that is."""

    left: str
    target: str
    right: str
    where: str


class Kwic(NamedTuple):
    """Uses of a word, a line each, the word in one column."""

    uses: tuple[Use, ...]
    indent: int = 2


Block = str | Grid | Kwic


def listed(items: Iterable[object], most: int = LISTED, separator: str = ", ") -> str:
    """Return a list in one line, with the number of items that are left out.

    >>> listed("abcde", most=3)
    'a, b, c and 2 more'
    """
    texts = [str(item) for item in items]
    shown = separator.join(texts[:most])
    more = len(texts) - most
    return f"{shown} and {more} more" if more > 0 else shown


def counts_tail(counts: Mapping[str, int]) -> str:
    """Return counts that are not zero as the end of a line.

    >>> counts_tail({"empty": 3, "short": 0, "long": 1})
    ', empty 3, long 1'
    """
    return "".join(f", {name} {count}" for name, count in counts.items() if count)


def explained_counts(counts: Mapping[str, int], docs: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each count, with what its name means.

    >>> list(explained_counts({"short": 2}, {"short": "it has too few words"}))
    ['  short 2: it has too few words']
    """
    for name, count in counts.items():
        yield f"  {name} {count}: {docs[name]}"


def singular(unit: str) -> str:
    """Return what one of several things is called that a stage makes.

    >>> [singular(unit) for unit in ("batches", "pairs", "series", "lists of words")]
    ['batch', 'pair', 'series', 'list of words']
    """
    head, space, rest = unit.partition(" ")
    if head.endswith(("ches", "shes", "xes", "sses")):
        head = head[:-2]
    elif head.endswith("s") and not head.endswith(("series", "ss")):
        head = head[:-1]
    return f"{head}{space}{rest}"


def units(count: int, unit: str) -> str:
    """Return what so many things are called, their name given in the plural.

    >>> units(1, "documents"), units(0, "documents"), units(2, "lists of words")
    ('document', 'documents', 'lists of words')
    """
    return singular(unit) if count == 1 else unit


def amount(count: int, unit: str) -> str:
    """Return how many things there are, their name given in the plural.

    >>> amount(1, "documents"), amount(1234, "records")
    ('1 document', '1234 records')
    """
    return f"{count} {units(count, unit)}"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with so many decimals; empty where there is none.

    >>> number(0.12345), number(None), number(-0.0001)
    ('0.123', '', '-0.000')
    """
    return "" if value is None or value != value else f"{value:.{digits}f}"


def columns_with(
    heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], indent: int = 0, *, empty: bool = False
) -> Grid:
    """Return a grid without the columns that are empty throughout.

    Args:
        heads: of each column its name, and `<` or `>`: the side that it is aligned to.
        rows: cells.
        indent: spaces before each line.
        empty: whether such columns stay.
    """
    filled = [place for place in range(len(heads)) if empty or any(row[place] for row in rows)]
    return Grid(
        tuple(heads[place][0] for place in filled),
        tuple(tuple(row[place] for place in filled) for row in rows),
        frozenset(new for new, place in enumerate(filled) if heads[place][1] == ">"),
        indent,
    )
