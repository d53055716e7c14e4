"""Tables that a command computes without a graph, as artefacts: a part each."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.code.code_identity import CodeIdentity
from lexbeam.transforms.common.store.artefacts import Artefact, Step, code_of
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


@dataclass(frozen=True)
class WriteTables(Step[WrittenTable, PartFile]):
    """Write a table of a command without a graph.

    Attributes:
        section: of the command.
    """

    section: str

    @property
    def name(self) -> str:  # type: ignore[override]
        """The step's name: of the first word of the section."""
        return self.section.partition(".")[0] + "/tables"

    def make(self, artefact: Artefact, task: WrittenTable) -> PartFile:
        """Write a part."""
        return write_part(artefact, task.rows.schema, [task.rows], sort_keys=task.key)


@dataclass(frozen=True)
class ActionCode(Step[Any, PartFile]):
    """What stands for the code of an action; it makes nothing.

    Attributes:
        section: of the command.
        action: what the command does.
        plan: what it does it by; of the kinds of resources those count that this holds.
    """

    section: str
    action: Callable[..., object]
    plan: Any = None

    noun = "tables"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The step's name: of the first word of the section."""
        return self.section.partition(".")[0] + "/action"

    def chosen(self, task: object) -> Mapping[str, Collection[str]]:
        """Return none of the kinds."""
        return {"lexbeam.transforms.lexicon.resource_cache:KINDS": ()}

    def code(self, chosen: Mapping[str, Collection[str]] | None = None) -> CodeIdentity:  # type: ignore[override]
        """Return the identity of the action's code."""
        return code_of(self.action, self.receipt, chosen=chosen)
