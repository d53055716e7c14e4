"""Tables that a command computes without a graph, as artefacts: a part each."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.columns import Table
from transforms.common.artefacts import Artefact, Stage
from transforms.common.fingerprints import stream_digest
from transforms.common.tables import PartFile, sort_rows, table_of, write_part

__all__ = ["WrittenTable", "action_stage", "written"]


class WrittenTable(NamedTuple):
    """A table and all its rows, in whatever order."""

    table: Table
    rows: pa.Table


def _in_order(task: WrittenTable) -> pa.Table:
    return sort_rows(table_of(task.rows, task.table.schema()), task.table.key)


def _identity(task: WrittenTable, _: Any) -> Any:
    sink = pa.BufferOutputStream()
    rows = _in_order(task).combine_chunks()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return [task.table.name, stream_digest(pa.BufferReader(sink.getvalue()))]


def _write(artefact: Artefact, task: WrittenTable, _: Any) -> PartFile:
    rows = _in_order(task)
    return write_part(artefact, rows.schema, [rows], sort_keys=task.table.key)


def action_stage(section: str, action: Callable[..., Any]) -> Stage[Any, Any, PartFile]:
    """Return a stage by which the code of an action is known; nothing is made by it."""
    domain = section.partition(".")[0]
    return Stage(name=f"{domain}/action", receipt=PartFile, identity=_identity, build=action)


def written(section: str) -> Stage[WrittenTable, None, PartFile]:
    """Return the stage that writes the tables of a section."""
    domain = section.partition(".")[0]
    return Stage(name=f"{domain}/tables", receipt=PartFile, identity=_identity, build=_write)
