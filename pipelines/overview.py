"""What is published in a folder, told section by section and table by table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow.parquet as pq

from pipelines.registry import command_of
from pipelines.rows_shown import WIDTH, cell, rows_at
from pipelines.staleness import stale_sections
from transforms.common import files
from transforms.common.shown import Block, Grid, columns_with, listed
from transforms.common.snapshots import Snapshot

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
    tables = [[name, str(snapshot.tables[name]["rows"])] for name in in_order(snapshot)]
    yield columns_with((("table", "<"), ("rows", ">")), tables, 2)
    stale = stale_sections(snapshot)
    for section, values in snapshot.sections.items():
        yield f"\n{section}:"
        for reason in stale.get(section, ()):
            yield f"  stale: {reason}"
        yield Grid(("", ""), tuple(_entries(values)), indent=2)
    yield ""


def _entries(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if name in HIDDEN:
            continue
        if name == "inputs":
            yield name, f"{len(value)} {'parts' if values.get('reads') else 'files'}"
        elif name in ("options", "view"):
            for inner, own in value.items():
                yield f"{name}: {inner}", _text(own)
        else:
            yield name, _text(value)


def _text(value: Any) -> str:
    """Return a value of a manifest in a line, without brackets."""
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return listed(f"{name}: {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return listed(_item(item) for item in value)
    return str(value)


def _item(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(str(inner) for inner in value.values() if inner is not None)
    return " ".join(map(_text, value)) if isinstance(value, list) else _text(value)


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


def describe_table(name: str, paths: Sequence[str], rows: int) -> Iterator[Block]:
    """Yield what a table is: its columns, as its schema describes them, and its first rows."""
    with files.open_read(paths[0]) as stream:
        schema = pq.read_schema(stream)
    about = (schema.metadata or {}).get(b"lexbeam.row", b"").decode()
    total = sum(_row_count(path) for path in paths)
    yield f"{name}: {total} rows in {len(paths)} parts" + (f"; a row is {about}" if about else "")
    cells = []
    for field in schema:
        meta = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        kind = str(field.type) + ("" if field.nullable else " not null")
        notes = "; ".join(meta[key] for key in ("unit", "range") if key in meta)
        cells.append([field.name, kind, meta.get("doc", ""), notes])
    heads = (("column", "<"), ("type", "<"), ("about", "<"), ("unit, range", "<"))
    yield columns_with(heads, cells, 2)
    for number, row in enumerate(rows_at(paths)):
        if number >= rows:
            break
        values = ", ".join(f"{column}={cell(value, WIDTH)}" for column, value in row.items())
        yield f"  {number + 1}: {values}"
    if total > rows:
        yield f"  and {total - rows} more rows"
    yield ""


def _row_count(path: str) -> int:
    with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
        return int(reader.metadata.num_rows)
