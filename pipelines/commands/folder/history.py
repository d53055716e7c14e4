"""What was published in a folder, when, and what changed by it; tags of snapshots, and the way back to one.

A tag is a name under which a snapshot is found and kept whatever is published later. A rollback lets readers see an
earlier snapshot again, by one small write; nothing is removed.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from lexbeam.pipelines.frame.command import Action, Command, FolderOptions, HookOptions
from lexbeam.pipelines.frame.publishing import check_nobody_detached
from lexbeam.pipelines.frame.registry import command_of
from lexbeam.pipelines.runners.hooks import tell_readers
from lexbeam.pipelines.shown.rows import as_json
from lexbeam.transforms.common.options.fields import option, options_of, plain_defaults
from lexbeam.transforms.common.publish.differences import SectionChange, TableChange
from lexbeam.transforms.common.publish.history import (
    History,
    Publication,
    check_tag,
    read_history,
    resolve_snapshot,
    tag_snapshot,
    untag,
)
from lexbeam.transforms.common.publish.layout import locked, read_record, snapshot_name
from lexbeam.transforms.common.publish.publication import rollback
from lexbeam.transforms.common.publish.snapshots import open_snapshot, output_folder
from lexbeam.transforms.common.shown import listed
from lexbeam.transforms.common.store import files

_DIGITS = 12  # of a snapshot's name, as it is shown


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(FolderOptions):
    """Options of `lexbeam history`."""

    last: int = option(20, help="publications shown, the newest first", least=1)
    json: bool = option(False, help="print all publications as a JSON list, the oldest first, with times in UTC")


def _record(
    history: History, kept: Collection[str], current: Publication | None, publication: Publication
) -> dict[str, Any]:
    return {
        "snapshot": publication.snapshot,
        "time": publication.time,
        "how": publication.how,
        "code": publication.code or None,
        "configuration": publication.configuration or None,
        "current": publication is current,
        "kept": publication.snapshot in kept,
        "tags": _tags(history, publication),
        "token": publication.token or None,
        "untold": publication.untold,
        "sections": msgspec.to_builtins(publication.sections),
        "tables": {
            name: {"rows": table.rows, "rows_before": table.before, "new_parts": table.parts}
            for name, table in publication.tables.items()
        },
    }


def _tags(history: History, publication: Publication) -> list[str]:
    return [tag for tag, snapshot in history.tags.items() if snapshot == publication.snapshot]


def _lines(
    history: History, kept: Collection[str], current: Publication | None, publication: Publication
) -> Iterator[str]:
    name = publication.snapshot
    marks = [f"tag {tag}" for tag in _tags(history, publication)]
    if publication is current:
        marks.append("current")
    elif name not in kept:
        marks.append("no longer kept")
    if publication.untold:
        marks.append("untold")
    told = f" ({', '.join(marks)})" if marks else ""
    yield f"{publication.time}  {name[:_DIGITS]}  {publication.how}{told}"
    if publication.code:
        yield f"  code {publication.code}, configuration {publication.configuration}"
    yield from (f"  {section_line(*each)}" for each in publication.sections.items())
    if publication.tables:
        yield f"  {listed(_table(*each) for each in publication.tables.items())}"


def section_line(section: str, change: SectionChange) -> str:
    """Return what became of a section, and why, for a person."""
    why = reasons(section, change)
    return f"{section} {change.how}{': ' if why else ''}{'; '.join(why)}"


def reasons(section: str, change: SectionChange) -> list[str]:
    """Return why a section is another, for a person."""
    options = _chosen_otherwise(section, change).items()
    reasons = [f"option {name} {_value(old)} to {_value(new)}" for name, (old, new) in options]
    reasons += [
        f"{what} kept of {name[:_DIGITS]}" if name else f"{what} no longer kept" for what, name in change.kept.items()
    ]
    reasons += ["other inputs"] * change.inputs
    reasons += ["other resources"] * change.resources + ["documents forgotten"] * change.forgotten
    reasons += [f"other {listed(change.reads)}"] * bool(change.reads)
    reasons += [f"other code of {listed(change.code)}"] * bool(change.code)
    versions = [f"{name} {old or 'none'} to {new or 'none'}" for name, (old, new) in change.versions.items()]
    reasons += [f"versions: {listed(versions, most=4)}"] * bool(versions)
    return reasons


def _chosen_otherwise(section: str, change: SectionChange) -> dict[str, tuple[Any, Any]]:
    """Return the options that have other values by somebody's choice, not since another Lexbeam has others."""
    command = command_of(section)
    if command is None or "lexbeam" not in change.versions:
        return change.options
    defaults = plain_defaults(command.options)
    known = {entry.shown for entry in options_of(command.options).values()}
    return {
        name: (old, new)
        for name, (old, new) in change.options.items()
        if name in known and not (old is None and name in defaults and new == defaults[name])
    }


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table(name: str, change: TableChange) -> str:
    if change.rows is None:
        return f"{name} gone"
    if change.before is None:
        return f"{name} {change.rows:,} rows"
    return f"{name} {change.rows:,} rows ({change.rows - change.before:+,})"


class FolderHistory(Command[HistoryOptions, None]):
    """`lexbeam history`."""

    options = HistoryOptions
    examples = "  lexbeam history results\n  lexbeam history results --json"

    def action(self, options: HistoryOptions, action: Action) -> None:
        """Tell what was published at `options.path`.

        Raises:
            LexbeamError: nothing was, or the history is damaged.
        """
        out = files.absolute(output_folder(options.path))
        name = open_snapshot(out).name
        history, kept = read_history(out), read_record(out).snapshots
        last = history.publications[-1] if history.publications else None
        current = last if last and last.snapshot == name else None  # of a log that is damaged nothing is noted
        if options.json:
            records = [_record(history, kept, current, each) for each in history.publications]
            (action.data or action.tell)(as_json(records, indent=2))
            return
        for each in reversed(history.publications[-options.last :]):
            for line in _lines(history, kept, current, each):
                action.tell(line)
        if (more := len(history.publications) - options.last) > 0:
            action.tell(f"and {more} before: `last` shows more")


@dataclass(frozen=True, kw_only=True)
class TagOptions(FolderOptions):
    """Options of `lexbeam tag`."""

    snapshot: str = option(
        help="snapshot: its name, the first six or more digits of it, or a tag", metavar="SNAPSHOT", positional=True
    )
    name: str = option(help="the tag", metavar="NAME", positional=True, check=check_tag)


@dataclass(frozen=True, kw_only=True)
class UntagOptions(FolderOptions):
    """Options of `lexbeam untag`."""

    name: str = option(help="the tag to take away", metavar="NAME", positional=True)


class Tag(Command[TagOptions, None]):
    """`lexbeam tag`."""

    options = TagOptions
    examples = "  lexbeam tag results 06ce316fc29b paper-v1"

    def action(self, options: TagOptions, action: Action) -> None:
        """Give a snapshot at `options.path` a tag.

        Raises:
            UsageError: there is no such snapshot, or the tag is of another.
            LexbeamError: nothing is published there, or a run is at work.
        """
        out = files.absolute(output_folder(options.path))
        open_snapshot(out)
        with locked(out, name="path"):  # or a publication might remove the snapshot meanwhile
            added = tag_snapshot(out, options.snapshot, options.name)
            name = resolve_snapshot(out, options.name)
        action.tell(f"{'tag' if added else 'tag stands already'}: {options.name} is {name}")


class Untag(Command[UntagOptions, None]):
    """`lexbeam untag`."""

    options = UntagOptions
    examples = "  lexbeam untag results paper-v1"

    def action(self, options: UntagOptions, action: Action) -> None:
        """Take a tag away at `options.path`.

        Raises:
            UsageError: there is no such tag.
            LexbeamError: nothing is published there, or a run is at work.
        """
        out = files.absolute(output_folder(options.path))
        open_snapshot(out)
        with locked(out, name="path"):
            snapshot = untag(out, options.name)
        action.tell(f"no tag any more: {options.name} of {snapshot}, which is kept as others are now")


@dataclass(frozen=True, kw_only=True)
class RollbackOptions(FolderOptions, HookOptions):
    """Options of `lexbeam rollback`."""

    snapshot: str = option(
        help="snapshot: its name, the first six or more digits of it, or a tag", metavar="SNAPSHOT", positional=True
    )


class Rollback(Command[RollbackOptions, None]):
    """`lexbeam rollback`."""

    options = RollbackOptions
    examples = "  lexbeam rollback results paper-v1"

    def action(self, options: RollbackOptions, action: Action) -> None:
        """Switch `options.path` to an earlier snapshot.

        Raises:
            UsageError: no such snapshot is kept.
            PublishHookError: readers see it, and the command that was to follow has failed.
            LexbeamError: it is damaged, nothing is published, or a run is at work.
        """
        out = files.absolute(output_folder(options.path))
        open_snapshot(out)
        with locked(out, name="path"):
            check_nobody_detached(out)
            before = snapshot_name(out)
            earlier = rollback(out, options.snapshot, tells=options.on_publish is not None)
        if earlier.name == before:
            action.tell(f"{earlier.name} is what readers see already")
        else:
            action.tell(
                f"rolled back: readers see {earlier.name}; {before} is kept until later publications keep fewer"
            )
        tell_readers(options.on_publish, out)
