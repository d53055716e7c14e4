"""Rows of a second table that wait on disk until the first one is written.

    with SideRows(SCHEMA) as side:
        ...write the first table, side.add(rows) on the way
        write_rows(stream, SCHEMA, side.batches())

An artefact writes one file at a time; what belongs to the other is not kept in memory.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

__all__ = ["SideRows"]


class SideRows:
    """Takes rows, in order, and gives them back as batches once."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._held = tempfile.TemporaryFile()  # noqa: SIM115 - `__exit__` closes it
        self._writer = pa.ipc.new_stream(self._held, schema)

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows."""
        self._writer.write_table(pa.Table.from_pylist(list(rows), schema=self._schema))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows; none can be added any more."""
        self._writer.close()
        self._held.seek(0)
        yield from pa.ipc.open_stream(self._held)

    def __enter__(self) -> "SideRows":
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()
