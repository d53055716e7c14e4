"""How two snapshots of a folder differ: rows of each table by their key, columns, and the scores that moved most.

lexbeam diff results
lexbeam diff results paper-v1 06ce316fc29b --json
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pyarrow as pa

from lexbeam.pipelines.commands.folder.history import section_line
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import Action, Command, Moved
from lexbeam.pipelines.frame.common_options import FolderOptions
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.shown.rows import as_json, rows_as_grid
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.changes import changes
from lexbeam.transforms.common.publish.differences import TableDifference, differences
from lexbeam.transforms.common.publish.history import read_history, resolve_snapshot
from lexbeam.transforms.common.publish.layout import read_record
from lexbeam.transforms.common.publish.manifests import is_idle
from lexbeam.transforms.common.publish.snapshots import (
    Snapshot,
    explaining_damage,
    open_kept,
    open_snapshot,
    output_folder,
)
from lexbeam.transforms.common.shown import Block, listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.corpora.annotated_corpora import sources_of

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
    """Yield what differs between two snapshots, for a person."""
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
