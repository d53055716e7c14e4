"""How a published table's columns are described: one `column` per column, one `Table` per table.

The description travels with the data: `Table.schema` puts each column's doc, unit and range into
the Arrow field's metadata, from where Parquet carries it to every reader.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa

# Which columns hold words of texts, in the metadata of a table's schema.
TEXTS = "lexbeam.texts"


def column(
    name: str, type: pa.DataType, doc: str, *, unit: str | None = None, range: str | None = None, nullable: bool = False
) -> pa.Field:
    """Return an Arrow field whose metadata hold `doc` and, where given, `unit` and `range`."""
    metadata = {"doc": doc}
    if unit is not None:
        metadata["unit"] = unit
    if range is not None:
        metadata["range"] = range
    return pa.field(name, type, nullable=nullable, metadata=metadata)


def language(*, nullable: bool = True) -> pa.Field:
    """Return the column of a row's language."""
    return column("language", pa.string(), "language", range="ISO 639", nullable=nullable)


def upos(name: str, doc: str, *, of_tokens: bool = False) -> pa.Field:
    """Return a column of a part of speech, or of those of tokens, null where nothing is annotated."""
    tag = pa.string()
    kind = pa.list_(tag) if of_tokens else tag
    return column(name, kind, doc, range="UPOS of Universal Dependencies 2", nullable=True)


def share(name: str, doc: str, *, nullable: bool = False) -> pa.Field:
    """Return a column of numbers from 0 to 1."""
    return column(name, pa.float64(), doc, range="0 to 1", nullable=nullable)


def reason(doc: str, reasons: Iterable[str]) -> pa.Field:
    """Return the column `reason`: one of these, or null where there is nothing to explain."""
    return column("reason", pa.string(), doc, range=", ".join(reasons), nullable=True)


def registered(registry: str) -> Mapping[str, Any]:
    """Return a registry, of whose entries a table has columns, or reasons.

    Args:
        registry: `package.module:NAME`. It is imported when a schema is asked for, since schemas stand below
            all code. A stage that writes such columns is given the names and docs, so that they count.
    """
    module, _, name = registry.partition(":")
    found: Mapping[str, Any] = getattr(importlib.import_module(module), name)
    return found


def entries_of(registry: str) -> dict[str, str]:
    """Return the doc lines of a registry's entries, for tables with columns for each of them; see `registered`."""
    return {name: entry.doc for name, entry in registered(registry).items()}


@dataclass(frozen=True, kw_only=True)
class Table:
    """A published table: its name, what one row is, its columns and the key it is ordered by.

    New tables are named `<task>/<table>`. `columns` is a list of fields, or a function of options
    that returns one. `texts` names those that hold words of texts, or what is said of one, such as its
    title: what must go with a text that is forgotten; `*` in it stands for any characters. `version`
    rises when a column is added.
    """

    name: str
    row: str
    key: tuple[str, ...]
    columns: list[pa.Field] | Callable[..., list[pa.Field]]
    texts: tuple[str, ...] = ()
    version: str = "1"

    def schema(self, **options: Any) -> pa.Schema:
        """Return the Arrow schema; `options` are those that the table's columns depend on."""
        columns = self.columns(**options) if callable(self.columns) else self.columns
        metadata: dict[Any, Any] = {
            "lexbeam.table": self.name,
            "lexbeam.row": self.row,
            "lexbeam.key": ",".join(self.key),
            TEXTS: ",".join(field.name for field in columns if any(fnmatchcase(field.name, of) for of in self.texts)),
            "lexbeam.schema_version": self.version,
        }
        return pa.schema(columns, metadata=metadata)
