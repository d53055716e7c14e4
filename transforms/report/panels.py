"""What a report is made of: panels, each a title, a text that says what is shown, and data.

The data of a panel are an Arrow table whose columns are what a reader sees: a column's name is its
heading, and `lexbeam.schemas.columns.column` gives it a doc and a unit. Units that the page knows are
`year` (no thousands separator) and `%`; other numbers are shown by their type.

Texts may have code in backquotes, such as a command.

Whoever chooses a thing in one panel chooses it in all that have it under a key of the same name.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa


class Chart(NamedTuple):
    """A chart with its numbers.

    Attributes:
        title: the heading.
        text: what is shown, of what, in which units; it is the caption, and what is read aloud.
        spec: Vega-Lite without data, as `lexbeam.transforms.report.charts` makes it.
        rows: the data, which the page also shows as a table on demand.
        key: the column of a thing that is chosen from a list, the first value at the start: its
            rows alone are drawn. None: all rows are.
    """

    title: str
    text: str
    spec: Mapping[str, Any]
    rows: pa.Table
    key: str | None = None


class Rows(NamedTuple):
    """A table that a reader can sort by any column, and search.

    Attributes:
        title: the heading.
        text: what one row is, in which order they come, what is left out.
        rows: the data, in the order that is shown first.
    """

    title: str
    text: str
    rows: pa.Table


class Choice(NamedTuple):
    """Tables of one chosen thing, such as the neighbours of a word, side by side.

    Attributes:
        title: the heading.
        text: what is shown of the thing chosen.
        rows: the data of all things that can be chosen.
        key: the column of the thing chosen; the first value is chosen at the start.
        across: the column whose values have a table each, in the order of the data; None for one
            table.
        listed: whether the thing is chosen from a list, as suits a few, and not typed.
    """

    title: str
    text: str
    rows: pa.Table
    key: str
    across: str | None = None
    listed: bool = False


class UsesPanel(NamedTuple):
    """Uses of one chosen word in their contexts, a line each, the word marked.

    Attributes:
        title: the heading.
        text: which uses are shown, in which order, of what.
        rows: the data: columns `before`, `use` and `after` (text), `from` (where it stands), and
            the two named here.
        key: the column of the word that is chosen from a list.
        across: the column whose values have a list each, in the order of the data.
    """

    title: str
    text: str
    rows: pa.Table
    key: str = "word"
    across: str = "slice"


class Note(NamedTuple):
    """Sentences: what a reader should know before the numbers.

    Attributes:
        title: the heading.
        text: a paragraph.
        items: further sentences, shown as a list.
        warning: whether it is about something that may mislead.
    """

    title: str
    text: str
    items: tuple[str, ...] = ()
    warning: bool = False


class Head(NamedTuple):
    """How a report, or one of its sections, begins.

    Attributes:
        title: the heading.
        text: what is shown, and how to read it; empty for nothing.
        facts: names with their values, such as options; a few, shown in a block.
        notes: paragraphs that a reader should see before all others.
    """

    title: str
    text: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


Panel = Chart | Rows | Choice | UsesPanel | Note
