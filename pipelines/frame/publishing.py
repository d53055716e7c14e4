"""One run on an output folder: what may be replaced, what is reused, publication, what is kept.

Every command that publishes goes through `publish_run`; it names what it is to publish, and makes
it when asked.
"""

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pipelines.frame.common_options import PublishOptions
from transforms.common.code.fingerprints import digest, parse_json
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.publish.failed import remove_failed
from transforms.common.publish.layout import ARTEFACTS, check_links, locked, make_marked_folder
from transforms.common.publish.publication import finish_publication, publish
from transforms.common.publish.removing import discard_damaged, discard_stages, free
from transforms.common.publish.sections import Made, Outcome, check_replacing, decide, owner_of, same_content
from transforms.common.publish.snapshots import Snapshot, find_snapshot, last_snapshot
from transforms.common.store import files
from transforms.common.store.artefacts import Workspace
from transforms.common.store.sound import Damaged

__all__ = ["UNFINISHED", "Intended", "kept_digests", "publish_run", "read_unfinished", "tables_line"]

log = logging.getLogger("lexbeam")

UNFINISHED = "unfinished.json"
ATTEMPTS = 3


class Intended(NamedTuple):
    """A section that a run is to publish.

    Attributes:
        name: its name.
        tables: its tables.
        options: its options as published.
        reads: the tables of the same folder that it is made from.
    """

    name: str
    tables: tuple[str, ...]
    options: Mapping[str, Any]
    reads: tuple[str, ...] = ()


def publish_run(
    options: PublishOptions,
    intended: Sequence[Intended],
    make: Callable[[Workspace, Snapshot | None], list[Made]],
    versions: Mapping[str, str],
    tell: Callable[[str], object],
    failed: Callable[[LexbeamError], object] = lambda error: None,
) -> bool:
    """Make sections and publish them at `options.out`; return whether anything was published.

    Args:
        options: the folder, and what may be replaced, reused and kept.
        intended: the sections.
        make: makes them, from artefacts in a workspace; is given what is published at `out`.
        versions: of the schema of every table that is known.
        tell: takes lines that a person is to read.
        failed: is told why making or publishing failed, while the folder is still held.

    Raises:
        UsageError: sections would be replaced or dropped without `overwrite`, or something foreign
            is in the way.
        LexbeamError: another run holds the folder, the work failed, or after publication other
            sections are still damaged.
    """
    out = files.absolute(options.out)
    tables = {section.name: section.tables for section in intended}
    with locked(out, [table for section in intended for table in section.tables]):
        old = _published(out, options)
        note = read_unfinished(out)
        asked = digest([[section.name, section.options] for section in intended])
        same = options.resume and note.get("asked") == asked
        consent = options.overwrite or bool(same and note.get("overwrite"))
        drop = options.drop or tuple(note.get("drop", ()) if same else ())
        _check_drop(intended, drop, old)
        # A run that is published with the same options may be asked for again with `resume`.
        again = options.resume and not consent and _is_published(old, intended)
        check_replacing(old.manifest if old else None, tables, overwrite=consent or again, drop=drop, out=options.out)
        check_links(out)
        workspace = Workspace(make_marked_folder(out, ARTEFACTS))
        # What an interrupted run with `fresh` has made anew is fresh.
        if options.fresh and not (same and note.get("fresh")):
            discard_stages(workspace.root, {name.partition(".")[0] for name in tables})
        note = {
            "sections": sorted(tables),
            "asked": asked,
            "overwrite": consent,
            "drop": list(drop),
            "fresh": options.fresh,
        }
        unfinished = files.join(workspace.root, UNFINISHED)
        before = files.read_bytes(unfinished) if files.exists(unfinished) else None
        files.write_bytes(unfinished, json.dumps(note).encode())

        def finish() -> Outcome | None:
            made = make(workspace, old)
            if again and old is not None:
                _check_same(old, made, options.out)
                finish_publication(out, old, options.keep_snapshots)
                return None
            _check_dropped(old, made, drop, consent)
            return publish(
                out, made, old=old, drop=drop, keep_snapshots=options.keep_snapshots, versions=versions, mending=consent
            )

        try:
            outcome = _attempt(finish, workspace, tables)
        except LexbeamError as error:
            if isinstance(error, UsageError):  # asked for again, it would come to nothing again
                files.remove(unfinished)
                if before is not None:
                    files.write_bytes(unfinished, before)
            failed(error)
            raise
        files.remove(unfinished)
        remove_failed(out)
        if outcome is None:
            tell(f"{files.shown(options.out)}: published already, with the same inputs and options")
            return False
        if options.keep == "published":
            found = free(workspace.root, kept_digests(out))
            tell(f"freed: {found.files} files of artefacts, {found.bytes / 1e6:.1f} MB")
    for name, reason in outcome.stale.items():
        tell(f"stale: {name}, {reason}")
    if outcome.dropped:
        tell(f"dropped: {', '.join(outcome.dropped)}")
    if outcome.damaged:
        listed = "".join(f"\n  {path}" for path in outcome.damaged)
        raise LexbeamError(
            f"{', '.join(sorted(tables))} is published; there are still damaged parts in other "
            f"sections:{listed}\nmake these anew with `overwrite`, too"
        )
    return True


def _check_drop(intended: Sequence[Intended], drop: Collection[str], old: Snapshot | None) -> None:
    names = {section.name for section in intended}
    for section in intended:
        read = {owner_of(old.manifest, table) for table in section.reads} if old else set()
        for name in drop:
            if name in names:
                raise UsageError(f"`drop` {name}: this command makes it")
            if name in read:
                raise UsageError(f"`drop` {name}: {section.name} is made from it; name another folder to read")


def _published(out: str, options: PublishOptions) -> Snapshot | None:
    try:
        return find_snapshot(out)
    except LexbeamError as error:
        if not options.overwrite:
            raise
        found = _last(out)
        if found is None:
            log.warning("%s: what else was published there is lost", error)
        else:
            log.warning("%s: continuing from %s, which was published last", error, found.folder)
        return found


def _last(out: str) -> Snapshot | None:
    with suppress(LexbeamError):
        return last_snapshot(out)
    return None


def tables_line(out: str, tables: Collection[str]) -> str:
    """Return what a person reads in the end: where the tables are that a run has published."""
    # Object stores have no links: what was published just now lies in its snapshot alone.
    snapshot = None if files.is_local(out) else find_snapshot(out)
    folder = snapshot.folder if snapshot else files.shown(out)
    return f"tables: {folder}/{{{','.join(sorted(tables))}}}"


def _is_published(old: Snapshot | None, intended: Sequence[Intended]) -> bool:
    """Return whether sections are published with these options."""
    return old is not None and all(
        section.name in old.sections
        and old.sections[section.name]["options"] == json.loads(json.dumps(section.options))
        for section in intended
    )


def _check_same(old: Snapshot, made: Sequence[Made], out: str) -> None:
    changed = [section.name for section in made if not same_content(old.manifest, section)]
    if changed:
        raise UsageError(
            f"what {', '.join(changed)} is made from has changed since it was published at {out!r}:"
            " give `overwrite` to replace it; what this run has made is kept"
        )


def _check_dropped(old: Snapshot | None, made: Sequence[Made], drop: Collection[str], consent: bool) -> None:
    dropped = set(decide(old.manifest if old else None, made, drop).dropped) - set(drop)
    if dropped and not consent:
        raise UsageError(
            f"{', '.join(sorted(dropped))} would be dropped, since what it was made from is replaced: give `overwrite`"
        )


def _attempt(finish: Callable[[], Outcome | None], workspace: Workspace, sections: Collection[str]) -> Outcome | None:
    """Finish a run; if it meets a damaged artefact, discard all such, and go through it again."""
    for left in reversed(range(ATTEMPTS)):
        try:
            return finish()
        except Damaged as error:
            names = {name.partition(".")[0] for name in sections}
            found = discard_damaged(workspace.root, names)
            if not left:
                raise
            log.warning("%s (%d artefacts discarded; making them anew)", error, len(found))
    raise AssertionError("unreachable")


def read_unfinished(out: str) -> dict[str, Any]:
    """Return what a run that has not finished was to do; empty where there is none."""
    try:
        value = parse_json(files.read_bytes(files.join(out, ARTEFACTS, UNFINISHED)))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def kept_digests(out: str) -> set[str]:
    """Return the SHA-256 of every part that is published."""
    snapshot = find_snapshot(out)
    return {
        part.sha256
        for table in (snapshot.tables if snapshot else ())
        for part in (snapshot.parts(table) if snapshot else ())
    }
