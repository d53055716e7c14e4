"""What a failed run leaves for a person to read: all rows of the tables that say what was wrong.

A command names such tables, as `rejects`, by `Command.explains`. Their parts are made and sorted before a
run is refused, so they are merged row by row, in little memory, in the same order however many parts
there are. Cells are written as they are, except that a tab or line end is `\\t` or `\\n`, and that `'`
precedes what a spreadsheet would take for a formula.
"""

import functools
import heapq
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.errors import LexbeamError, visible
from lexbeam.transforms.common.publish.failed import write_failed
from lexbeam.transforms.common.shown import guarded
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import Part

log = logging.getLogger("lexbeam")

_ROWS = 1000
_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Explained(NamedTuple):
    """A table that says what was wrong: the section that made it, the table, its parts."""

    section: str
    table: Table
    parts: tuple[Part, ...]


def explain(error: LexbeamError, out: str, made: Sequence[Explained]) -> None:
    """Write the rows of tables to files at `out`, and name these in the error's message.

    If that fails as well, the error keeps its message.
    """
    for section, table, parts in made:
        rows = sum(part.rows for part in parts)
        if not rows:
            continue
        name = f"{section}-{table.name}.tsv".replace("/", "-").replace(" ", "-")
        try:
            path = write_failed(out, name, rows_as_lines(table, [part.path for part in parts]))
        except (OSError, ValueError, pa.ArrowException, LexbeamError) as failure:
            log.warning("%s of the failed run cannot be kept: %s", table.name, failure)
            continue
        error.args = (f"{error}\nTable {table.name} is kept in {files.shown(path)} (rows: {rows})",)


def rows_as_lines(table: Table, paths: Iterable[str]) -> Iterator[str]:
    """Yield a header and the rows of a table's parts, sorted by its key, as lines of TSV."""
    names = table.schema().names
    places = [names.index(name) for name in table.key]
    yield "\t".join(names) + "\n"
    with ExitStack() as opened:
        streams = [opened.enter_context(files.open_read(path)) for path in paths]
        parts = [_rows(pq.ParquetFile(stream), names) for stream in streams]
        for row in heapq.merge(*parts, key=lambda row: [row[place] for place in places]):
            yield "\t".join(map(_cell, row)) + "\n"


def _rows(file: pq.ParquetFile, names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for batch in file.iter_batches(_ROWS, columns=names):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


@functools.lru_cache(4096)  # reasons and details repeat
def _cell(value: object) -> str:
    text = "" if value is None else visible(str(value).translate(_BREAKS))
    return guarded(text) if isinstance(value, str) else text
