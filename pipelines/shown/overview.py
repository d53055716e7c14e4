"""What is published in a folder, told section by section and table by table."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.frame.registry import command_of
from pipelines.frame.staleness import stale_sections
from pipelines.shown.rows import first_rows, rows_at
from pipelines.shown.sections import section_lines
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, columns_with
from transforms.common.store import files

__all__ = ["describe_table", "in_order", "overview", "overview_facts"]

# What a manifest says of a section for other programs.
HIDDEN = ("parts", "stages")


def in_order(snapshot: Snapshot) -> list[str]:
    """Return the published tables, of each section in the order in which its command names them."""
    found: list[str] = []
    for section in snapshot.sections:
        command = command_of(section)
        own = command.table_names if command is not None else ()
        found += [name for name in own if name in snapshot.tables]
    return [*found, *(name for name in snapshot.tables if name not in found)]


def overview(path: str, snapshot: Snapshot) -> Iterator[Block]:
    """Yield the tables of a snapshot, and what its manifest says of each section."""
    yield f"{path}:"
    tables = [[name, str(snapshot.tables[name]["rows"]), _row_of(snapshot.paths(name))] for name in in_order(snapshot)]
    yield columns_with((("table", "<"), ("rows", ">"), ("a row is", "<")), tables, 2)
    stale = stale_sections(snapshot)
    for section, values in snapshot.sections.items():
        yield f"\n{section}:"
        for reason in stale.get(section, ()):
            yield f"  stale: {reason}"
        yield from section_lines(section, values)
    yield ""


def overview_facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return what `overview` tells, as plain values."""
    stale = stale_sections(snapshot)
    return {
        "tables": {name: snapshot.tables[name]["rows"] for name in in_order(snapshot)},
        "sections": {
            section: {
                **{name: value for name, value in values.items() if name not in HIDDEN},
                "stale": stale.get(section, []),
            }
            for section, values in snapshot.sections.items()
        },
    }


def describe_table(name: str, paths: Sequence[str], rows: int, *, columns: bool = True) -> Iterator[Block]:
    """Yield what a table is, and its first rows.

    Args:
        name: its name.
        paths: of its parts.
        rows: how many rows.
        columns: whether its columns are told, too, as its schema describes them.
    """
    about = _row_of(paths)
    total = sum(_row_count(path) for path in paths)
    counted = f"{total} row{'' if total == 1 else 's'}"
    shown = list(islice(rows_at(paths), rows))
    first = f"; the first {len(shown)}:" if len(shown) < total and shown else ":" if shown else ""
    yield f"{name}: {counted}" + (f"; a row is {about}" if about else "") + first
    if shown:
        yield first_rows(shown, 2)
    if columns:
        yield "\ncolumns:"
        yield _columns(paths)
    yield ""


def _columns(paths: Sequence[str]) -> Block:
    cells = []
    for field in _schema(paths):
        meta = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        kind = str(field.type) + ("" if field.nullable else " not null")
        notes = "; ".join(meta[key] for key in ("unit", "range") if key in meta)
        cells.append([field.name, kind, meta.get("doc", ""), notes])
    heads = (("column", "<"), ("type", "<"), ("about", "<"), ("unit, range", "<"))
    return columns_with(heads, cells, 2)


def _schema(paths: Sequence[str]) -> pa.Schema:
    with files.open_read(paths[0]) as stream:
        return pq.read_schema(stream)


def _row_of(paths: Sequence[str]) -> str:
    found: bytes = (_schema(paths).metadata or {}).get(b"lexbeam.row", b"")
    return found.decode()


def _row_count(path: str) -> int:
    with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
        return int(reader.metadata.num_rows)
