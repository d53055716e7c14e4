"""How two snapshots of a folder differ: rows of each table by their key, columns, and the scores that moved most.

lexbeam diff results
lexbeam diff results paper-v1 06ce316fc29b --json
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from pipelines.frame.blocks import shown_lines
from pipelines.frame.command import Action, Command, Moved
from pipelines.frame.common_options import FolderOptions
from pipelines.frame.registry import COMMANDS, load, section_of
from pipelines.shown.rows import as_json, rows_as_grid
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.publish.differences import TableDifference, differences
from transforms.common.publish.history import changes, read_history, resolve_snapshot
from transforms.common.publish.layout import read_record
from transforms.common.publish.snapshots import Snapshot, open_kept, open_snapshot
from transforms.common.shown import Block, listed
from transforms.common.store import files

__all__ = ["DIFF", "DiffOptions", "two_snapshots"]

_DIGITS = 12
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


def two_snapshots(out: str, names: tuple[str, ...]) -> tuple[Snapshot, Snapshot]:
    """Return the snapshots that names mean: none, one or two of them.

    Raises:
        UsageError: one is not kept, or there is only one.
        LexbeamError: nothing is published, or a manifest is damaged.
    """
    current = open_snapshot(out)
    if not names:
        kept = read_record(out).snapshots
        earlier = [p.snapshot for p in read_history(out).publications if p.snapshot != current.name]
        before = next((name for name in reversed(earlier) if name in kept), None)
        if before is None:
            raise UsageError(
                f"{out!r} keeps one snapshot, {current.name}: there is nothing to compare it with; `keep_snapshots` "
                "and tags keep more"
            )
        return open_kept(out, before), current
    found = [open_kept(out, resolve_snapshot(out, name)) for name in names]
    return found[0], found[1] if len(found) > 1 else current


def _diff(options: DiffOptions, action: Action) -> None:
    """Tell how two snapshots at `options.path` differ.

    Raises:
        UsageError: there are no two, or one is not kept.
        LexbeamError: nothing is published, or something is damaged.
    """
    out = files.absolute(options.path)
    before, after = two_snapshots(out, options.snapshots)
    if options.json:
        (action.data or action.tell)(as_json(_record(before, after, options.top)))
        return
    for line in shown_lines(_blocks(before, after, options.top)):
        (action.data or action.tell)(line)  # keys of rows may have words in backquotes


def _moved(before: Snapshot, after: Snapshot, top: int) -> Iterator[tuple[str, Moved]]:
    for words in COMMANDS:
        if (section := section_of(words)) in before.sections and section in after.sections:
            moved = load(words).moved(before, after, top)
            if moved is not None and len(moved.rows):
                yield section, moved


def _record(before: Snapshot, after: Snapshot, top: int) -> dict[str, Any]:
    sections, _ = changes(before.manifest, after.manifest)
    return {
        "before": before.name,
        "after": after.name,
        "sections": msgspec.to_builtins(sections),
        "tables": {
            each.name: {k: v for k, v in each._asdict().items() if k != "name"} for each in differences(before, after)
        },
        "moved": {section: moved.rows.to_pylist() for section, moved in _moved(before, after, top)},
    }


def _blocks(before: Snapshot, after: Snapshot, top: int) -> Iterator[Block]:
    """Yield what differs between two snapshots, for a person."""
    yield f"{before.name[:_DIGITS]} to {after.name[:_DIGITS]}"
    same = True
    for table in differences(before, after):
        same = False
        yield from _table_lines(table)
    if same:
        yield "no table differs"
    for section, moved in _moved(before, after, top):
        yield f"{section}: what moved most ({moved.note})"
        yield rows_as_grid(moved.rows)


def _table_lines(table: TableDifference) -> Iterator[str]:
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
        yield f"  {word}: {listed((' '.join(map(_value, key)) for key in keys), separator='; ')}"


def _value(value: object) -> str:
    return "null" if value is None else str(value)


DIFF: Command[DiffOptions, None] = Command(
    options=DiffOptions,
    examples="  lexbeam diff results\n  lexbeam diff results paper-v1 06ce316fc29b --json",
    action=_diff,
)
