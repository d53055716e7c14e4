"""How two snapshots of a folder differ: rows of each table by their key, columns, and the scores that moved most.

Also what a report shows of the last publication: what became of sections and tables, documents, the scores that moved.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pyarrow as pa

from lexbeam.pipelines.commands.folder.history import reasons, section_line
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import Action, Command, FolderOptions, Moved
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.shown.rows import as_json, rows_as_grid
from lexbeam.schemas.columns import column
from lexbeam.schemas.corpus_tables import DOCUMENTS
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.differences import (
    TableDifference,
    changes,
    difference,
    differences,
    differing,
    pairs_up,
)
from lexbeam.transforms.common.publish.history import read_history, resolve_snapshot
from lexbeam.transforms.common.publish.layout import is_idle, read_record
from lexbeam.transforms.common.publish.snapshots import (
    Snapshot,
    explaining_damage,
    open_kept,
    open_snapshot,
    output_folder,
)
from lexbeam.transforms.common.shown import Block, listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.corpora.annotated_corpora import changed_documents, sources_of
from lexbeam.transforms.report.panels import Head, Note, Panel, Rows

_DIGITS = 12
_DOCUMENT = "document_id"
_WORDS = ("added", "removed", "changed")


@dataclass(frozen=True, kw_only=True)
class DiffOptions(FolderOptions):
    """Options of `lexbeam diff`."""

    snapshots: tuple[str, ...] = option(
        (),
        help="the earlier and the later snapshot: names, first digits of them, or tags; if none is given, what is "
        "published now and what was before it; if one, that and what is published now",
        metavar="SNAPSHOT",
        positional=True,
    )
    top: int = option(
        10, help="rows whose values moved most, of each section that has such: of change, words by score", least=0
    )
    json: bool = option(False, help="print it as one JSON object")

    def __post_init__(self) -> None:
        if len(self.snapshots) > 2:
            raise UsageError("`snapshots` are two at most")


def snapshot_before(current: Snapshot) -> Snapshot | None:
    """Return what readers saw before the current snapshot of a folder, of what is kept; None if nothing is.

    Raises:
        LexbeamError: its manifest is damaged, or the history is.
    """
    kept = read_record(current.out).snapshots
    names = [publication.snapshot for publication in read_history(current.out).publications]
    while current.name in names and names[-1] != current.name:  # it is not what was published last
        names.pop()
    earlier = [name for name in names if name != current.name]
    before = next((name for name in reversed(earlier) if name in kept), None)
    return None if before is None else open_kept(current.out, before)


def two_snapshots(out: str, names: tuple[str, ...]) -> tuple[Snapshot, Snapshot]:
    """Return the snapshots that names mean: none, one or two of them.

    Raises:
        UsageError: one is not kept, or there is only one.
        LexbeamError: nothing is published, or a manifest is damaged.
    """
    current = open_snapshot(out)
    if not names:
        before = snapshot_before(current)
        if before is None:
            raise UsageError(
                f"{out!r} keeps one snapshot, {current.name}: there is nothing to compare it with; `keep_snapshots` "
                "and tags keep more"
            )
        return before, current
    found = [open_kept(out, resolve_snapshot(out, name)) for name in names]
    return found[0], found[1] if len(found) > 1 else current


def moved_values(before: Snapshot, after: Snapshot, top: int) -> Iterator[tuple[str, Moved]]:
    """Yield the sections whose values moved, with the rows that moved most; none where the note says why not."""
    for words in COMMANDS:
        if (section := section_of(words)) in before.sections and section in after.sections:
            if any(is_idle(snapshot.section(section)) for snapshot in (before, after)):
                continue
            try:
                moved = load(words).moved(before, after, top)
            except LexbeamError as error:
                yield section, Moved(pa.table({}), f"not compared: {error}")
            else:
                if moved is not None and len(moved.rows):
                    yield section, moved


def _record(before: Snapshot, after: Snapshot, top: int) -> dict[str, Any]:
    sections, _ = changes(before, after)
    tables = list(differences(before, after))
    moved = dict(moved_values(before, after, top))
    return {
        "before": before.name,
        "after": after.name,
        "sections": msgspec.to_builtins(sections),
        "tables": {each.name: {k: v for k, v in each._asdict().items() if k != "name"} for each in tables},
        "sources": _sources(before, after, tables),
        "moved": {section: each.rows.to_pylist() for section, each in moved.items()},
        "notes": {section: each.note for section, each in moved.items()},
    }


def _blocks(before: Snapshot, after: Snapshot, top: int) -> Iterator[Block]:
    yield f"{before.name[:_DIGITS]} to {after.name[:_DIGITS]}"
    sections, _ = changes(before, after)
    yield from (section_line(*each) for each in sections.items())
    tables = list(differences(before, after))
    sources = _sources(before, after, tables)
    for table in tables:
        yield from _table_lines(table, sources)
    if not tables:
        yield "no table differs"
    for section, moved in moved_values(before, after, top):
        yield f"{section}: what moved most ({moved.note})"
        if len(moved.rows):
            yield rows_as_grid(moved.rows)


def _sources(before: Snapshot, after: Snapshot, tables: Sequence[TableDifference]) -> dict[str, str]:
    """Return the sources of the documents that examples name, by their ids."""
    ids = {
        str(key[table.key.index(_DOCUMENT)])
        for table in tables
        if _DOCUMENT in table.key
        for keys in table.examples.values()
        for key in keys
    }
    return dict(sorted((sources_of(before, ids) | sources_of(after, ids)).items()))


def _table_lines(table: TableDifference, sources: Mapping[str, str]) -> Iterator[str]:
    old, new = table.versions
    if old is None or new is None:
        yield f"{table.name}: {'new' if old is None else 'gone'}, {max(table.rows):,} rows"
        return
    counts = ", ".join(f"{getattr(table, word):,} {word}" for word in _WORDS if getattr(table, word))
    yield f"{table.name}: {table.rows[0]:,} to {table.rows[1]:,} rows; {counts or 'no row differs'}"
    if old != new:
        yield f"  schema version {old} to {new}"
    for word, columns in (("added", table.columns_added), ("removed", table.columns_removed)):
        if columns:
            yield f"  columns {word}: {listed(columns)}"
    if table.columns:
        yield f"  changed in {listed(f'{name} ({number:,})' for name, number in sorted(table.columns.items()))}"
    for word, keys in table.examples.items():
        named = (" ".join(_value(*each, sources) for each in zip(table.key, key, strict=True)) for key in keys)
        yield f"  {word}: {listed(named, separator='; ')}"


def _value(column: str, value: object, sources: Mapping[str, str]) -> str:
    if column == _DOCUMENT and value in sources:
        return f"{value} ({sources[str(value)]})"
    return "null" if value is None else str(value)


class Diff(Command[DiffOptions, None]):
    """`lexbeam diff`."""

    options = DiffOptions
    examples = "  lexbeam diff results\n  lexbeam diff results paper-v1 06ce316fc29b --json"

    def action(self, options: DiffOptions, action: Action) -> None:
        """Tell how two snapshots at `options.path` differ.

        Raises:
            UsageError: there are no two, or one is not kept.
            LexbeamError: nothing is published, or something is damaged.
        """
        out = files.absolute(output_folder(options.path))
        before, after = two_snapshots(out, options.snapshots)
        with explaining_damage(before, after):
            if options.json:
                (action.data or action.tell)(as_json(_record(before, after, options.top)))
                return
            for line in shown_lines(_blocks(before, after, options.top)):
                (action.data or action.tell)(line)  # keys of rows may have words in backquotes


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
