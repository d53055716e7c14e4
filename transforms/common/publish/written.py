"""Tables that a command computes without a graph, as artefacts: a part each."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.tables import PartFile, sort_rows, table_of, write_part


class WrittenTable(NamedTuple):
    """A table by its name and key, and all its rows, in their order, with its schema."""

    name: str
    key: tuple[str, ...]
    rows: pa.Table

    @classmethod
    def of(cls, table: Table, rows: pa.Table, **options: Any) -> "WrittenTable":
        """Return a table of rows in any order; `options` are those that its columns depend on."""
        return cls(table.name, table.key, sort_rows(table_of(rows, table.schema(**options)), table.key))


def _write(artefact: Artefact, task: WrittenTable, _: None) -> PartFile:
    return write_part(artefact, task.rows.schema, [task.rows], sort_keys=task.key)


def _no_kinds(_: object, __: object) -> Mapping[str, Collection[str]]:
    return {"lexbeam.transforms.lexicon.resource_cache:KINDS": ()}


def action_stage(section: str, action: Callable[..., object]) -> Stage[Any, Any, PartFile]:
    """Return a stage that identifies the code of an action; it makes nothing.

    Of the kinds of resources those count that its plan holds, as options of the stage.
    """
    domain = section.partition(".")[0]
    return Stage(name=f"{domain}/action", noun="tables", receipt=PartFile, build=action, chosen=_no_kinds)


def written(section: str) -> Stage[WrittenTable, None, PartFile]:
    """Return the stage that writes the tables of a section."""
    domain = section.partition(".")[0]
    return Stage(name=f"{domain}/tables", receipt=PartFile, build=_write)
