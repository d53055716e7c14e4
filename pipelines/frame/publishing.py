"""One run on an output folder: what may be replaced, what is reused, publication, what is kept.

Every command that publishes goes through `publish_run`, which calls back to make the sections.
"""

import json
import logging
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from lexbeam.pipelines.frame.command import PublishOptions
from lexbeam.pipelines.frame.handed_back import Leaving, check_at_work, left_run, look_at
from lexbeam.pipelines.frame.interrupts import resuming_line, was_interrupted
from lexbeam.pipelines.frame.stage_plans import used_artefacts
from lexbeam.pipelines.monitoring.events import ArtefactsFreed, SnapshotPublished, emit, report
from lexbeam.transforms.common.code.fingerprints import digest, parse_json
from lexbeam.transforms.common.errors import HeldBackError, HeldSectionsError, LexbeamError, UsageError
from lexbeam.transforms.common.publish.holding import Unmade, held_sections, made_contents, published_contents
from lexbeam.transforms.common.publish.layout import (
    ARTEFACTS,
    DamagedFolderError,
    check_links,
    locked,
    make_marked_folder,
    pointer_tag,
    read_record,
    snapshot_name,
)
from lexbeam.transforms.common.publish.publication import Keep, finish_publication, publish
from lexbeam.transforms.common.publish.removing import (
    Freed,
    check_not_streaming,
    discard_damaged,
    discard_stages,
    discard_unused,
    free,
    is_streaming,
    receipts_of,
    remove_failed,
)
from lexbeam.transforms.common.publish.sections import Made, Outcome, check_replacing, decide, owner_of, same_content
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, last_snapshot, open_kept, open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace, give_up
from lexbeam.transforms.common.store.objects import ObjectTag
from lexbeam.transforms.common.store.receipts import FREED, REMEDY, Damaged, Needed
from lexbeam.transforms.common.store.remote import remote

log = logging.getLogger("lexbeam")

UNFINISHED = "unfinished.json"
ATTEMPTS = 3  # with damaged artefacts
LONGEST = 100  # attempts with freed ones: no chain of artefacts, each made of the one before, is as long


class StillDamagedError(LexbeamError):
    """All is published, and parts of other sections are still damaged."""


class Intended(NamedTuple):
    """A section that a run is to publish.

    Attributes:
        name: its name.
        tables: its tables.
        options: its options as published.
        reads: the tables of the same folder that it is made from.
        stages: the stages whose artefacts it is made of.
    """

    name: str
    tables: tuple[str, ...]
    options: Mapping[str, Any]
    reads: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()


class Sections(NamedTuple):
    """What a run has made of its sections.

    Attributes:
        made: those that it has made, in their order.
        unmade: those that it has not, by name, since they or others failed, and sections fail apart.
        errors: of those that failed, in their order.
    """

    made: list[Made]
    unmade: Mapping[str, Unmade] = MappingProxyType({})
    errors: Mapping[str, LexbeamError] = MappingProxyType({})


class _Terms(NamedTuple):
    """On which terms a run may go at its folder.

    Attributes:
        overwrite: whether published sections may be replaced.
        drop: published sections to remove.
        again: whether the sections are published with these options, and `resume` asks for them again.
        renew: whether what `fresh` makes anew is still to be discarded.
        note: what `unfinished.json` says of the run.
    """

    overwrite: bool
    drop: tuple[str, ...]
    again: bool
    renew: bool
    note: Mapping[str, Any]


def publish_run(
    options: PublishOptions,
    intended: Sequence[Intended],
    make: Callable[[Workspace, Snapshot | None], Sections],
    versions: Mapping[str, str],
    tell: Callable[[str], object],
    failed: Callable[[LexbeamError, str | None], object] = lambda error, section: None,
    leaving: Leaving | None = None,
    gate: Callable[[Sequence[Made]], object] = lambda made: None,
) -> bool:
    """Make sections and publish them at `options.out`; return whether anything was published.

    Args:
        options: the folder, and what may be replaced, reused and kept.
        intended: the sections.
        make: makes them from artefacts in a workspace and from what is published at `out`.
        versions: the schema versions of the tables.
        tell: takes the lines for a person to read.
        failed: takes the error if making or publishing failed, while the folder is still locked; and the name of the
            section if that alone failed, and others are published.
        leaving: what is left to a cluster, or was; None: nothing.
        gate: takes the sections that are about to be published, and raises `HeldBackError` if they are not to be.

    Raises:
        Submitted: a job has been left to a cluster; nothing is published yet.
        HeldBackError: the gate holds the sections back.
        UsageError: sections would be replaced or dropped without `overwrite`, or something that is not
            ours is in the way.
        HeldSectionsError: sections have failed and are held with what hangs on them; the others are published.
        StillDamagedError: the sections are published; others are still damaged.
        LexbeamError: another run holds the folder, or the work failed.
    """
    out = files.absolute(options.out)
    tables = {section.name: section.tables for section in intended}
    leaving = leaving or Leaving()
    with locked(out, [table for section in intended for table in section.tables]):
        note = read_unfinished(out)
        same = note.get("request") == _request(intended)
        root = files.join(out, ARTEFACTS)
        left = leaving.take_over(options.out, root, note, same=same, gone=options.resume, tell=tell)
        pointer = pointer_tag(out)  # before what it names is read, so that no change of it is missed
        old = _published(out, options)
        terms = _terms(options, intended, old, note if same and (options.resume or left) else {})
        _check_drop(intended, terms.drop, old)
        consent = terms.overwrite or terms.again
        check_replacing(old.manifest if old else None, tables, overwrite=consent, drop=terms.drop, out=options.out)
        check_links(out)
        workspace = Workspace(make_marked_folder(out, ARTEFACTS))
        if terms.renew:
            check_not_streaming(out)
            leaving.forget()
            discard_stages(
                workspace.root, {stage.partition("/")[0] for section in intended for stage in section.stages}
            )
        sections, held = Sections([]), dict[str, str]()

        def finish() -> Outcome | None:
            nonlocal sections, held
            sections = make(workspace, old)
            held = _held(old, sections)
            return _finished(options, terms, sections, held, old, pointer, versions, gate)

        with _noted_as_unfinished(workspace, terms.note, failed, leaving):
            since = begun_at(workspace.root)
            outcome = _attempt(finish, workspace, leaving, tell)
        leaving.remove()
        remove_failed(out)
        if held:
            _note_held(workspace, terms.note, sections.errors, held)
            for name, error in sections.errors.items():
                failed(error, name)
        if outcome is None:
            tell(f"{files.shown(options.out)}: published already, with the same inputs and options")
            return False
        if not held or old is None or snapshot_name(out) != old.name:
            _emit_published(out, {name: of for name, of in tables.items() if name not in held})
        if options.keep != "all" and is_streaming(out):
            log.warning("`keep` %s: a stream lands in %r, so that no artefact is freed", options.keep, out)
        elif freed := _freed(out, workspace, options.keep, intended, held, 0 if left else since or 0):
            event = ArtefactsFreed(files=freed.files, bytes=freed.bytes)
            report(event, f"freed: {freed.files} files of artefacts, {freed.bytes / 1e6:.1f} MB", tell)
    if held:
        is_new = old is None or snapshot_name(out) != old.name
        others = tables.keys() - held.keys()
        raise _held_error(options.out, held, sections.errors, outcome, others, published=is_new, tell=tell)
    _tell_outcome(outcome, tables, tell)
    return True


def _emit_published(out: str, tables: Mapping[str, Sequence[str]]) -> None:
    """Emit that sections, each with its tables, are published at a folder that the caller has locked."""
    snapshot = open_snapshot(out)
    names = {table for of_section in tables.values() for table in of_section}
    rows = {name: entry["rows"] for name, entry in snapshot.tables.items() if name in names}
    emit(SnapshotPublished(snapshot=snapshot.name, sections=list(tables), tables=rows))


def _freed(
    out: str, workspace: Workspace, keep: str, intended: Sequence[Intended], held: Collection[str], since: int
) -> Freed | None:
    """Free the artefacts that are not to be kept; those that a cluster took up have no time at which it did.

    Those of sections that are held are kept: what they have made so far, and what they were published from.
    """
    needed = {stage for section in intended if section.name in held for stage in section.stages}
    stages = {stage for section in intended for stage in section.stages} - needed
    if keep == "published":
        published = kept_digests(out)
        freed = free(workspace.root, published, needed)
        # Receipts of earlier nights would add up. A rollback goes on with those of the snapshots that are kept.
        used = used_artefacts(receipts_of(workspace.root, stages), published)
        discard_unused(workspace.root, stages, since, {each.name for some in used.values() for each in some})
        return freed
    if keep == "used":
        return discard_unused(workspace.root, stages, since)
    return None


def _held(old: Snapshot | None, sections: Sections) -> dict[str, str]:
    """Return which sections are held, and why."""
    if not sections.unmade:
        return {}
    published = published_contents(old.manifest, old.sections) if old else {}
    held = held_sections(published, made_contents(sections.made), sections.unmade)
    if held.keys() >= {section.name for section in sections.made}:
        raise next(iter(sections.errors.values()))
    return held


def _note_held(
    workspace: Workspace, note: Mapping[str, Any], errors: Mapping[str, LexbeamError], held: Mapping[str, str]
) -> None:
    """Note that the sections that are held are still to be made; what the run has published, it may replace."""
    reasons = [f"{name}: {line.removeprefix(f'{name}: ')}" for name, error in errors.items() for line in _said(error)]
    unfinished = {**note, "sections": [*held], "failed": True, "held_back": reasons, "overwrite": True}
    files.write_bytes(files.join(workspace.root, UNFINISHED), json.dumps(unfinished).encode())


def _said(error: LexbeamError) -> list[str]:
    """Return what an error says, for whoever looks at the folder later."""
    return [*error.reasons] if isinstance(error, HeldBackError) else [str(error)]


def _held_error(
    out: str,
    held: Mapping[str, str],
    errors: Mapping[str, LexbeamError],
    outcome: Outcome | None,
    others: Collection[str],
    *,
    published: bool,
    tell: Callable[[str], object],
) -> HeldSectionsError:
    """Return the error that tells which sections are held, and why; what errors say has been told in full."""
    named = ", ".join(f"{name} ({why})" for name, why in held.items())
    what = f"{', '.join(sorted(others))} {'is' if len(others) == 1 else 'are'} published"
    lines = [f"held as published before, or left out: {named}; {what}"]
    lines += [f"  {name}: {_said(error)[0].splitlines()[0]}" for name, error in errors.items()]
    lines.append(
        "Correct that, and refresh, or run the same again with `overwrite`: what has been made is kept, and `lexbeam "
        f"status {files.typed(out)}` says more"
    )
    try:
        if outcome is not None:
            _tell_outcome(outcome, others, tell)
    except StillDamagedError as error:
        lines.append(str(error))
    return HeldSectionsError("\n".join(lines), held, published=published)


def _request(intended: Sequence[Intended]) -> str:
    return digest([[section.name, section.options] for section in intended])


def _terms(
    options: PublishOptions, intended: Sequence[Intended], old: Snapshot | None, before: Mapping[str, Any]
) -> _Terms:
    """Return the terms of a run: its options, and those that were noted of the same run before, if it goes on."""
    overwrite = options.overwrite or bool(before.get("overwrite"))
    drop = options.drop or tuple(before.get("drop", ()))
    return _Terms(
        overwrite,
        drop,
        again=options.resume and not overwrite and _is_published(old, intended),
        # What an interrupted run with `fresh` has made anew is fresh.
        renew=options.fresh and not before.get("fresh"),
        note={
            "sections": [section.name for section in intended],  # in the order in which they are made
            "request": _request(intended),
            "overwrite": overwrite,
            "drop": list(drop),
            "fresh": options.fresh,
            # For people: how to go on, and from which folder, since paths may be relative to it.
            "command": resuming_line(),
            "directory": os.getcwd(),
        },
    )


@contextmanager
def _noted_as_unfinished(
    workspace: Workspace,
    note: Mapping[str, Any],
    failed: Callable[[LexbeamError, str | None], object],
    leaving: Leaving,
) -> Iterator[None]:
    """Note a run as unfinished until the block has ended well; hand its error over, but not that of an interrupt."""
    path = files.join(workspace.root, UNFINISHED)
    before = files.read_bytes(path) if files.exists(path) else None
    leaving.noted_by(lambda: files.write_bytes(path, json.dumps({**note, **leaving.record}).encode()))
    try:
        yield
    except LexbeamError as error:
        if was_interrupted():  # which the work failed of
            raise
        if isinstance(error, UsageError):  # repeated, it would fail again
            files.remove(path)
            if before is not None:
                files.write_bytes(path, before)
        else:
            held_back = {"held_back": error.reasons} if isinstance(error, HeldBackError) else {}
            files.write_bytes(path, json.dumps({**note, "failed": True, **held_back}).encode())
        failed(error, None)
        raise
    files.remove(path)


def _finished(
    options: PublishOptions,
    terms: _Terms,
    sections: Sections,
    held: Mapping[str, str],
    old: Snapshot | None,
    pointer: ObjectTag | None,
    versions: Mapping[str, str],
    gate: Callable[[Sequence[Made]], object],
) -> Outcome | None:
    """Publish sections that have been made; None: the same sections are published already."""
    out = files.absolute(options.out)
    made = [section for section in sections.made if section.name not in held]
    if terms.again and old is not None and not held:
        _check_same(old, made, options.out)
        finish_publication(out, old, _keep(options), pointer)
        return None
    _check_dropped(old, made, terms)
    gate(made)
    return publish(
        out,
        made,
        old=old,
        pointer=pointer,
        drop=terms.drop,
        keep=_keep(options),
        versions=versions,
        mending=terms.overwrite,
        tells=options.on_publish is not None,
        held=held,
        reasons={name: _said(error) for name, error in sections.errors.items()},
    )


def _keep(options: PublishOptions) -> Keep:
    return Keep(options.keep_snapshots, options.keep_days)


def _tell_outcome(outcome: Outcome, sections: Collection[str], tell: Callable[[str], object]) -> None:
    """Tell what a publication did to other sections."""
    if outcome.dropped:
        tell(f"dropped: {', '.join(outcome.dropped)}")
    if outcome.damaged:
        listed = "".join(f"\n  {path}" for path in outcome.damaged)
        raise StillDamagedError(
            f"{', '.join(sorted(sections))} is published; there are still damaged parts in other "
            f"sections:{listed}\nmake these anew with `overwrite`, too"
        )


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
    except DamagedFolderError as error:
        if not options.overwrite:
            raise
        last = _last(out)
        if last is None:
            log.warning("%s: what else was published there is lost", error)
        else:
            log.warning("%s: continuing from %s, which was published last", error, last.folder)
        return last


def _last(out: str) -> Snapshot | None:
    with suppress(DamagedFolderError):
        return last_snapshot(out)
    return None


def tables_line(out: str, tables: Collection[str]) -> str:
    """Return the line that says where the tables of a run are published."""
    # Object stores have no links, so tables lie in their snapshot alone.
    snapshot = None if files.is_local(out) else find_snapshot(out)
    folder = snapshot.folder if snapshot else files.shown(out)
    return f"tables: {folder}/{{{','.join(sorted(tables))}}}"


def _is_published(old: Snapshot | None, intended: Sequence[Intended]) -> bool:
    return old is not None and all(
        section.name in old.sections
        and section.name not in old.held
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


def _check_dropped(old: Snapshot | None, made: Sequence[Made], terms: _Terms) -> None:
    dropped = set(decide(old.manifest if old else None, made, terms.drop).dropped) - set(terms.drop)
    if dropped and not terms.overwrite:
        raise UsageError(
            f"{', '.join(sorted(dropped))} would be dropped, since what it was made from is replaced: give `overwrite`"
        )


def _attempt(
    finish: Callable[[], Outcome | None], workspace: Workspace, leaving: Leaving, tell: Callable[[str], object]
) -> Outcome | None:
    """Finish a run; start again if something was freed that it needs, or if an artefact is damaged, without it."""
    needed = damaged = 0
    while True:
        try:
            return finish()
        except Needed as error:
            needed += 1
            give_up(_freed_beside(error.path))
            if needed == LONGEST:
                raise
            if needed == 1:
                tell("files that were freed are needed: they are made again, and so is what they come from")
        except Damaged as error:
            damaged += 1
            discarded = discard_damaged(workspace.root)
            if damaged == ATTEMPTS:
                raise
            what = str(error).removesuffix(REMEDY)  # which is done here
            log.warning("%s (%d artefacts discarded; making them anew)", what, len(discarded))
        leaving.forget()


def _freed_beside(path: str) -> Iterator[str]:
    """Yield a freed file that a step needs which makes no artefact, and those of the same stage: it reads them all."""
    folder = path.rpartition("/")[0]
    if path:
        yield from (files.join(folder, name) for name in files.list_folder(folder).files if name.endswith(FREED))


def read_unfinished(out: str) -> dict[str, Any]:
    """Return what an unfinished run was to do; empty if there is none."""
    try:
        value = parse_json(files.read_bytes(files.join(out, ARTEFACTS, UNFINISHED)))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def settle_unfinished(options: PublishOptions, snapshot: Snapshot, sections: Collection[str]) -> None:
    """Forget that a run of some sections is unfinished, since what is published is what it would make now.

    One that was refused before it began is forgotten, whatever its sections, and so is one of theirs that failed. One
    that was cut off is if it was to make what is published: its publication is finished, of which it may have been
    killed in the middle. Others stay noted, and so does one that is at work.

    Args:
        options: of the run that finds so: the folder, and what is kept.
        snapshot: what is published there.
        sections: the sections that are as a run would make them.
    """
    out = files.absolute(options.out)
    note = read_unfinished(out)
    unfinished = note.get("sections", ())
    if not (_refused(note) or {*unfinished} <= {*sections}) or left_run(note) is not None:
        return
    made = (snapshot.sections.get(name, {}).get("options") for name in unfinished)
    published = digest([[name, options] for name, options in zip(unfinished, made, strict=True)])
    if note.get("failed") or note.get("request") == published:
        with suppress(LexbeamError), locked(out):
            if read_unfinished(out) == note and snapshot_name(out) == snapshot.name:
                if not note.get("failed"):
                    finish_publication(out, snapshot, _keep(options), pointer_tag(out))
                files.remove(files.join(out, ARTEFACTS, UNFINISHED))
                remove_failed(out)


def note_refused(out: str, sections: Collection[str], error: LexbeamError, before: Mapping[str, Any]) -> None:
    """Note that sections were not even begun to be made, and why, for whoever looks at the folder later.

    That another run is at work, or was cut off, stays; of one that failed all stays but the reason.

    Args:
        out: the folder.
        sections: the sections.
        error: says why.
        before: what `read_unfinished` said before.
    """
    with suppress(LexbeamError), locked(out):
        if read_unfinished(out) == before and (not before or before.get("failed")):
            note: dict[str, Any] = {"sections": [*sections], "command": resuming_line(), "directory": os.getcwd()}
            if before and not _refused(before):  # a run has begun, which may be resumed
                note = {**before}
            note |= {"failed": True, "held_back": _said(error)}
            files.write_bytes(files.join(make_marked_folder(out, ARTEFACTS), UNFINISHED), json.dumps(note).encode())


def _refused(note: Mapping[str, Any]) -> bool:
    """Whether a note says that nothing was begun."""
    return bool(note.get("failed")) and "request" not in note


def begun_at(root: str) -> int | None:
    """Return when the unfinished run began, by the clock of what holds its artefacts, in nanoseconds since 1970.

    None if there is none.
    """
    path = files.join(root, UNFINISHED)
    if files.is_local(root):
        with suppress(FileNotFoundError):
            return os.stat(path).st_mtime_ns
        return None
    state = remote(path).state(path)
    return state.changed if state else None


def check_nobody_detached(out: str) -> None:
    """Check that no job that was left to a cluster is at work for a folder, which the caller has locked.

    Raises:
        LexbeamError: one is, or may be.
    """
    left = left_run(read_unfinished(out))
    if left is not None:
        check_at_work(out, left, look_at(files.join(out, ARTEFACTS), left))


def kept_digests(out: str) -> set[str]:
    """Return the SHA-256 of every part of the snapshots that are kept, with which a rollback goes on."""
    kept = [] if (current := find_snapshot(out)) is None else [current]
    for name in read_record(out).snapshots:
        with suppress(DamagedFolderError):  # one that a killed run did not finish
            kept.append(open_kept(out, name))
    return {part.sha256 for snapshot in kept for table in snapshot.tables for part in snapshot.parts(table)}
