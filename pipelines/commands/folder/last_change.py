"""What a report shows of the last publication: what became of sections and tables, documents, the scores that moved."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from lexbeam.pipelines.commands.folder.diff import moved_values
from lexbeam.pipelines.commands.folder.history import reasons
from lexbeam.schemas.columns import column
from lexbeam.schemas.corpus_tables import DOCUMENTS
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.changes import changes
from lexbeam.transforms.common.publish.differences import TableDifference, difference, differing, pairs_up
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import listed
from lexbeam.transforms.corpora.annotated_corpora import changed_documents
from lexbeam.transforms.report.panels import Head, Note, Panel, Rows

NAME = "last publication"
MOST = 200  # documents
TOP = 20  # rows whose values moved most, of a section
COMPARED = 1 << 20  # rows of a table with another number of parts, which is compared as a whole, in memory


def last_change_head(before: Snapshot, after: Snapshot) -> Head:
    """Return the head of the section."""
    return Head(
        "What the last publication changed",
        f"The snapshot {after.name[:12]} against {before.name[:12]}, which readers saw before it. `lexbeam diff` "
        "compares any two that are kept.",
    )


def last_change_panels(before: Snapshot, after: Snapshot) -> Iterator[Panel]:
    """Yield panels of how a snapshot differs from the one before it."""
    sections, _ = changes(before, after)
    yield Rows(
        "Sections",
        "One row is a section that is new, was made anew or dropped, and why, as far as its manifests say.",
        pa.table(
            {
                "section": pa.array(list(sections), pa.string()),
                "what became of it": pa.array([each.how for each in sections.values()], pa.string()),
                "why": pa.array(["; ".join(reasons(*each)) for each in sections.items()], pa.string()),
            }
        ),
    )
    yield _tables(before, after)
    if DOCUMENTS.name in before.tables and DOCUMENTS.name in after.tables:
        yield from _documents(before, after)
    for section, moved in moved_values(before, after, TOP):
        title = f"What moved most in {section}"
        if not len(moved.rows):
            yield Note(title, f"{moved.note[0].upper()}{moved.note[1:]}.")
            continue
        shown = moved.rows.rename_columns([name.replace("_", " ") for name in moved.rows.column_names])
        note = f"{moved.note[0].upper()}{moved.note[1:]}"
        text = f"The {len(shown)} rows whose values moved most, the largest move first. {note}."
        yield Rows(title, text, shown)


def _tables(before: Snapshot, after: Snapshot) -> Rows:
    rows = [_row(name, before, after) for name in differing(before, after)]
    integer = pa.int64()
    fields = [
        column("table", pa.string(), "the table"),
        column("rows before", integer, "its rows in the earlier snapshot", nullable=True),
        column("rows now", integer, "its rows in this one", nullable=True),
        column("added", integer, "rows whose key only this one has", nullable=True),
        column("removed", integer, "rows whose key only the earlier one has", nullable=True),
        column("changed", integer, "rows of the same key that differ", nullable=True),
        column("changed in", pa.string(), "the columns in which they differ, with how many do"),
    ]
    text = (
        "One row is a table with other content; rows are told apart by their key. Of a large table whose number of "
        "files changed, rows are not compared."
    )
    return Rows("Tables", text, pa.Table.from_pylist(rows, pa.schema(fields)))


def _row(name: str, before: Snapshot, after: Snapshot) -> dict[str, Any]:
    rows = [snapshot.tables[name]["rows"] if name in snapshot.tables else None for snapshot in (before, after)]
    known: Mapping[str, Any] = {"table": name, "rows before": rows[0], "rows now": rows[1], "changed in": ""}
    if None in rows or not (pairs_up(name, before, after) or sum(map(int, filter(None, rows))) <= COMPARED):
        return {**known, "added": None, "removed": None, "changed": None}
    found: TableDifference = difference(name, before, after)
    columns = listed(f"{column} ({number:,})" for column, number in sorted(found.columns.items()))
    return {**known, "added": found.added, "removed": found.removed, "changed": found.changed, "changed in": columns}


def _documents(before: Snapshot, after: Snapshot) -> Iterator[Panel]:
    try:
        found = changed_documents(before, after, MOST)
    except LexbeamError as error:
        yield Note("Documents", f"Not compared: {error}.")
        return
    if not len(found.rows):
        return
    fields = [
        column("what", pa.string(), "added or removed"),
        column("source", pa.string(), "the file it comes from"),
        column("position", pa.string(), "its place there, empty where the file is one document"),
        column("year", pa.int32(), "first year of its date", unit="year", nullable=True),
        column("author", pa.string(), "its author", nullable=True),
        column("title", pa.string(), "its title", nullable=True),
        column("document", pa.string(), "its id"),
    ]
    more = "" if found.added + found.removed <= MOST else f"; the first {MOST} are shown"
    text = (
        f"{found.added:,} documents were added and {found.removed:,} removed, by source{more}. One whose text or date "
        "was changed is both."
    )
    yield Rows("Documents", text, found.rows.rename_columns([f.name for f in fields]).cast(pa.schema(fields)))
