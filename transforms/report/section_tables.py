"""Tables of counts and figures in a manifest's section, as a command tells them and as a report shows them.

>>> table = SectionTable("Words", "Words by length.", (
...     TableColumn("length", "letters", pa.string()), TableColumn("words", "how many", head="words found")))
>>> rows = [{"length": "short", "words": 3}, {"length": "long", "words": None}]
>>> table.grid(rows).heads, table.grid(rows).rows
(('length', 'words found'), (('short', '3'), ('long', '-')))
>>> table.panel(rows).rows["words"].to_pylist()
[3, None]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.transforms.common.shown import Grid, number
from lexbeam.transforms.report.panels import Rows


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
    """A table whose rows are mappings of a section.

    Attributes:
        title: its heading in the report.
        text: what is shown there.
        columns: its columns, in their order.
    """

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
        title: its heading.
        text: what is shown.
        counts: the counts.
        docs: what the names mean, where that is shown.
        name: heading of the names.
        of: heading of the counts: what is counted.
    """
    columns = {name: pa.array(list(counts), pa.string()), of: pa.array(list(counts.values()), pa.int64())}
    if docs is not None:
        columns["what it says"] = pa.array([docs[each] for each in counts], pa.string())
    return Rows(title, text, pa.table(columns))
