"""What a report is made of: panels, each a title, a text that says what is shown, and data.

The data of a panel are an Arrow table whose columns are what a reader sees: a column's name is its
heading, and `lexbeam.schemas.columns.column` gives it a doc and a unit. Units that the page knows are
`year` (no thousands separator) and `%`; other numbers are shown by their type.

Texts may have code in backquotes, such as a command.

Whoever chooses a thing in one panel chooses it in all that have it under a key of the same name.

Tables of counts and figures in a manifest's section are told by a command and shown by a report:

>>> table = SectionTable("Words", "Words by length.", (
...     TableColumn("length", "letters", pa.string()), TableColumn("words", "how many", head="words found")))
>>> rows = [{"length": "short", "words": 3}, {"length": "long", "words": None}]
>>> table.grid(rows).heads, table.grid(rows).rows
(('length', 'words found'), (('short', '3'), ('long', '-')))
>>> table.panel(rows).rows["words"].to_pylist()
[3, None]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.transforms.common.shown import Grid, number


class Chart(NamedTuple):
    """A chart with its numbers.

    Attributes:
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
        text: what one row is, in which order they come, what is left out.
        rows: the data, in the order that is shown first.
    """

    title: str
    text: str
    rows: pa.Table


class Choice(NamedTuple):
    """Tables of one chosen thing, such as the neighbours of a word, side by side.

    Attributes:
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
        text: what is shown, and how to read it; empty for nothing.
        facts: names with their values, such as options; a few, shown in a block.
        notes: paragraphs that a reader should see before all others.
    """

    title: str
    text: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


Panel = Chart | Rows | Choice | UsesPanel | Note


class TableColumn(NamedTuple):
    """A column.

    Attributes:
        name: the key of its values in rows, and its heading in the report.
        doc: what it holds.
        type: of its values; numbers are aligned to the right, those with decimals have three.
        head: its heading in what is told; empty: the name.
    """

    name: str
    doc: str
    type: pa.DataType = pa.int64()
    head: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return bool(pa.types.is_integer(self.type) or pa.types.is_floating(self.type))


class SectionTable(NamedTuple):
    """A table whose rows are mappings of a section."""

    title: str
    text: str
    columns: tuple[TableColumn, ...]

    def grid(self, rows: Iterable[Mapping[str, object]], without: Sequence[str] = ()) -> Grid:
        """Return rows as a person reads them on a terminal, without some columns; `-` is nothing."""
        columns = [column for column in self.columns if column.name not in without]
        return Grid(
            tuple(column.head or column.name for column in columns),
            tuple(tuple(_cell(row[column.name]) for column in columns) for row in rows),
            frozenset(place for place, column in enumerate(columns) if column.is_number),
            2,
        )

    def panel(self, rows: Iterable[Mapping[str, object]], without: Sequence[str] = ()) -> Rows:
        """Return rows as a panel of the report, without some columns."""
        columns = [each for each in self.columns if each.name not in without]
        schema = pa.schema([column(each.name, each.type, each.doc, nullable=True) for each in columns])
        cells = [{each.name: row[each.name] for each in columns} for row in rows]
        return Rows(self.title, self.text, pa.Table.from_pylist(cells, schema))


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    return number(value) if isinstance(value, float) else str(value)


def counts_panel(
    title: str, text: str, counts: Mapping[str, int], docs: Mapping[str, str] | None = None, *, name: str, of: str
) -> Rows:
    """Return counts by name as a panel.

    Args:
        docs: what the names mean, where that is shown.
        name: heading of the names.
        of: heading of the counts: what is counted.
    """
    columns = {name: pa.array(list(counts), pa.string()), of: pa.array(list(counts.values()), pa.int64())}
    if docs is not None:
        columns["what it says"] = pa.array([docs[each] for each in counts], pa.string())
    return Rows(title, text, pa.table(columns))
