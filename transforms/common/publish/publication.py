"""Publication: sections go into a new snapshot, made visible by one small write.

Nothing is visible before `current` is switched, all is after (a small object where there are no
links). What is published is checked: new parts by their digests, carried ones by their sizes, and
by their digests where they have been touched since they were checked last.
"""

import logging
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from lexbeam.transforms.common.code.fingerprints import blas_kernels, digest, environment, readable_json
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.history import (
    Publication,
    note_publication,
    now,
    publication_of,
    resolve_snapshot,
)
from lexbeam.transforms.common.publish.layout import (
    LOG,
    MANIFEST,
    POINTER,
    SNAPSHOTS,
    Manifest,
    SnapshotMark,
    TableEntry,
    files_of,
    is_link_of_ours,
    last_published,
    links_of,
    make_marked_folder,
    pointer_tag,
    read_record,
    snapshot_name,
    switch_pointer,
    update_record,
    without_objects,
)
from lexbeam.transforms.common.publish.removing import remove_snapshot
from lexbeam.transforms.common.publish.run_log import read_run_log, write_run_log
from lexbeam.transforms.common.publish.sections import Made, Outcome, decide, table_entry
from lexbeam.transforms.common.publish.snapshots import (
    MANIFEST_VERSION,
    Snapshot,
    damage_of,
    find_snapshot,
    open_kept,
    read_log,
)
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import give_up
from lexbeam.transforms.common.store.objects import ObjectTag
from lexbeam.transforms.common.store.receipts import Needed, checked, is_freed, is_sound, is_sound_size, state_of
from lexbeam.transforms.common.store.tables import Part, written

log = logging.getLogger("lexbeam")

_DAY = 86_400


class Keep(NamedTuple):
    """Which snapshots a publication keeps besides those with tags.

    Attributes:
        newest: how many, the current one among them.
        days: and all that were published in so many days; 0: none for that.
    """

    newest: int = 2
    days: float = 0


KEEP = Keep()


def make_manifest(
    made: Sequence[Made],
    old: Snapshot | None = None,
    outcome: Outcome | None = None,
    versions: Mapping[str, str] | None = None,
    held: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the manifest of a folder: what each section was made from, and what tables hold.

    No runner, worker count, time or absolute path stands in it, so it has the same bytes wherever
    the same sections are made by the same Lexbeam, at once or one after another. A section that is as it was
    published, but for what made it, stays as it was published: a new version publishes nothing anew by itself.

    Args:
        made: the new sections.
        old: what was published before.
        outcome: what becomes of its sections; None where there were none.
        versions: versions of the tables' schemas, `1` where not given.
        held: why sections that the run was to make are held; of sections of no part in it stands what stood.
    """
    here = {**environment(), "blas": list(blas_kernels())}
    name = digest(here)[:8]
    tables: dict[str, TableEntry] = {}
    sections: dict[str, Any] = {}
    environments: dict[str, Any] = {}
    published = without_objects(old.manifest) if old is not None else {}
    for section in made:
        parts = {}
        for table in section.tables:
            version = (versions or {}).get(table, "1")
            tables[table] = table_entry(section.of_table(table), version)
            parts[table] = [part["file"] for part in files_of(tables[table])]
        entry = {**section.entry, "reads": [read._asdict() for read in section.reads], "parts": parts}
        before = published.get(section.name, {})
        is_same = all(published.get("tables", {}).get(table) == tables[table] for table in parts)
        if old is not None and is_same and before == {**entry, "environment": before.get("environment")}:
            sections[section.name] = before
            environments[before["environment"]] = published["environments"][before["environment"]]
        else:
            sections[section.name] = {**entry, "environment": name}
            environments[name] = here
    for carried in outcome.kept if old is not None and outcome is not None else ():
        assert old is not None
        assert outcome is not None
        entry = sections[carried] = old.sections[carried]
        environments[entry["environment"]] = old.manifest["environments"][entry["environment"]]
        tables |= {table: old.tables[table] for table in entry["parts"]}
    earlier = {name: why for name, why in old.held.items() if name in outcome.kept} if old and outcome else {}
    still = dict(sorted({**earlier, **(held or {})}.items()))
    return {
        "lexbeam": {"manifest_version": MANIFEST_VERSION},
        "environments": environments,
        "tables": tables,
        **({"held": still} if still else {}),
        **sections,
    }


def publish(
    out: str,
    made: Sequence[Made],
    *,
    old: Snapshot | None = None,
    pointer: ObjectTag | None = None,
    drop: Collection[str] = (),
    keep: Keep = KEEP,
    versions: Mapping[str, str] | None = None,
    mending: bool = False,
    tells: bool = False,
    held: Mapping[str, str] | None = None,
    reasons: Mapping[str, Sequence[str]] | None = None,
) -> Outcome:
    """Publish sections at `out`, which the caller has locked, beside those that stay.

    Snapshots are immutable and named by the manifest's digest; publishing the same again is the
    same as once, and repairs what was damaged. Of earlier ones stays what `keep` says. If `mending`,
    damaged parts of other sections are carried over as they are, and named in the outcome: sections
    are repaired one after another. On an object store `pointer` is what named the current snapshot
    before `old` was read. If it `tells`, the publication is noted as one that readers are to be told of. The manifest
    names the sections that are `held`, the log what their errors say, `reasons`.

    Raises:
        Needed: files of artefacts that were to be published were freed.
        Damaged: an artefact that was to be published is not sound; it has been discarded.
        LexbeamError: a part that was to be carried over is damaged, and not `mending`; or another run
            has published at an object store meanwhile.
    """
    outcome = decide(old.manifest if old else None, made, drop)
    manifest: Manifest = make_manifest(made, old, outcome, versions, held)
    name = digest(without_objects(manifest))
    notes = read_log(out, old.name) if old else {}
    carried, damaged = _carried(old, outcome, notes.get("checked", {}), mending)
    outcome = outcome._replace(damaged=tuple(part.path for part in damaged))
    new = {table: written(section.of_table(table)) for section in made for table in section.tables}
    if freed := [part.path for part in chain.from_iterable(new.values()) if is_freed(part.path)]:
        give_up(freed)
        raise Needed.of(freed[0])
    for part in chain.from_iterable(new.values()):
        _check_new(part)
    make_marked_folder(out, SNAPSHOTS)
    note_publication(out)  # that of a run that was killed before it did
    # Noted before it is made, so that what a killed run leaves is known as ours.
    links = links_of(manifest["tables"])
    update_record(
        out,
        lambda record: record._replace(
            snapshots=_history(out, record, name), links=tuple(sorted({*record.links, *links}))
        ),
    )
    if files.is_local(out):
        _build(out, name, manifest, _placed(manifest, {**new, **carried}, _missing(damaged)))
    else:
        manifest = _store(out, name, manifest, _placed(manifest, new), old)
    sections = {carried: notes.get("sections", {}).get(carried) for carried in outcome.kept}
    sections |= {section.name: {**_build_noted(manifest, section, notes), **(section.log or {})} for section in made}
    after = Snapshot(out, name, files.join(out, SNAPSHOTS, name), dict(manifest))
    publication = publication_of(old, after, tells=tells)
    took = [line for section in made for line in section.took]
    if not held or old is None or name != old.name:  # else nothing has ended well that had not before
        write_run_log(out, name, took, read_run_log(out, old.name) if old else ())
    said = {**notes.get("held", {}), **(reasons or {})}
    said = {held: said[held] for held in manifest.get("held", {}) if held in said}
    _write_log(out, name, manifest, sections, publication, {part.sha256 for part in damaged}, said)
    _switch(out, name, manifest, pointer)
    _remove_old(out, keep)
    return outcome


def _build_noted(manifest: Manifest, section: Made, notes: Mapping[str, Any]) -> dict[str, str]:
    """Return which Lexbeam made a section that stays, where its log alone says so, as 0.1.0 noted it."""
    noted = notes.get("sections", {}).get(section.name) or {}
    known = "lexbeam" in manifest["environments"][manifest[section.name]["environment"]]
    return {"lexbeam": noted["lexbeam"]} if noted.get("lexbeam") and not known else {}


def rollback(out: str, snapshot: str, *, tells: bool = False) -> Snapshot:
    """Let readers of `out`, which the caller has locked, see an earlier snapshot again, and return it.

    Nothing is removed: what was published after it stays until a publication keeps fewer.

    Args:
        out: the folder.
        snapshot: its name, the first digits of it, or its tag.
        tells: whether readers are to be told.

    Raises:
        UsageError: no such snapshot is kept.
        LexbeamError: it is damaged, or another run has published at an object store meanwhile.
    """
    pointer = pointer_tag(out)
    current = find_snapshot(out)
    earlier = open_kept(out, resolve_snapshot(out, snapshot))
    notes = read_log(out, earlier.name)
    states = notes.get("checked", {})
    for part in (part for table in sorted(earlier.tables) for part in earlier.files(table)):
        if not _is_as_checked(part, states):
            raise LexbeamError(f"not rolled back: {damage_of(earlier, [part.path])}")
    note_publication(out)
    publication = publication_of(current, earlier, "rolled back", tells=tells)
    sections, said = (notes.get(name, {}) for name in ("sections", "held"))
    _write_log(out, earlier.name, earlier.manifest, sections, publication, (), said)
    _switch(out, earlier.name, earlier.manifest, pointer)
    note_publication(out)
    return earlier


def _carried(
    old: Snapshot | None, outcome: Outcome, checked_states: Mapping[str, object], mending: bool
) -> tuple[dict[str, list[Part]], list[Part]]:
    """Return the parts with files that are carried over, by table, and which of them are damaged.

    Raises:
        LexbeamError: a part is damaged, and not `mending`.
    """
    carried: dict[str, list[Part]] = {}
    damaged: list[Part] = []
    for section in outcome.kept if old is not None else ():
        assert old is not None
        tables = {table: old.files(table) for table in sorted(old.sections[section]["parts"])}
        unsound = [part for part in chain.from_iterable(tables.values()) if not _is_as_checked(part, checked_states)]
        if unsound and not mending:
            raise LexbeamError(
                f"the published part {unsound[0].path} is damaged: make {section} anew with "
                f"`overwrite`, or leave it out with `drop` {section}; what this run has made is kept, "
                "the same command again publishes it"
            )
        carried |= tables
        damaged += unsound
    return carried, damaged


def finish_publication(out: str, snapshot: Snapshot, keep: Keep = KEEP, pointer: ObjectTag | None = None) -> None:
    """Finish a publication that was killed after its switch: links, old snapshots.

    `out` is locked by the caller; `snapshot` is what is published there; `pointer` as for `publish`.
    """
    _switch(out, snapshot.name, snapshot.manifest, pointer)
    _remove_old(out, keep)


def _check_new(part: Part) -> None:
    """Check a part by its digest; one on an object store, which has checksums, by its size."""
    if files.is_local(part.path) or not is_sound_size(part):
        checked(part)


def _is_as_checked(part: Part, states: Mapping[str, object]) -> bool:
    """Return whether a published part is sound; it is read if touched since it was checked."""
    state = state_of(part.path)
    if state is None or state.bytes != part.bytes:
        return False
    return states.get(part.sha256) == list(state) or bool(is_sound(part))


def _missing(parts: Sequence[Part]) -> set[str]:
    return {part.path for part in parts if state_of(part.path) is None}


def _placed(manifest: Manifest, tables: Mapping[str, Sequence[Part]], missing: Collection[str] = ()) -> dict[str, Part]:
    """Return parts with files by their place in the snapshot of a manifest, but those that are missing."""
    return {
        f"{table}/{entry['file']}": part
        for table, parts in tables.items()
        for entry, part in zip(files_of(manifest["tables"][table]), parts, strict=True)
        if part.path not in missing
    }


def _text(manifest: Manifest) -> bytes:
    return readable_json(manifest, indent=1) + b"\n"


def _build(out: str, name: str, manifest: Manifest, placed: Mapping[str, Part]) -> None:
    """Make a local snapshot; one that is there may be what readers see, and is only repaired."""
    snapshot = os.path.join(out, SNAPSHOTS, name)
    there = os.path.isdir(snapshot)
    building = snapshot if there else files.temporary(snapshot)
    inside = {place.rpartition("/")[0] for place in placed}
    inside |= {table.partition("/")[0] for table in inside}  # a folder of a task, beside its tables
    folders = {building, *(os.path.join(building, *table.split("/")) for table in inside)}
    for folder in sorted(folders):
        os.makedirs(folder, exist_ok=True)
    for place, part in placed.items():
        target = os.path.join(building, *place.split("/"))
        if not (there and is_sound(part._replace(path=target))):
            # Beside the snapshot first: readers take every file in a table's folder for a part.
            hidden = files.temporary(snapshot)
            files.link_or_copy(part.path, hidden)
            _sync(hidden)
            _put(hidden, target)
    path = os.path.join(building, MANIFEST)
    if not (there and _has(path, _text(manifest))):
        hidden = files.temporary(snapshot)
        with open(hidden, "xb") as stream:
            stream.write(_text(manifest))
        _sync(hidden)
        _put(hidden, path)
    for folder in sorted(folders):
        files.sync_folder(folder)
    if not there:
        os.rename(building, snapshot)
        files.sync_folder(os.path.dirname(snapshot))


def _put(hidden: str, target: str) -> None:
    os.replace(hidden, target)
    # Where both names were of one file already, replacing leaves the first.
    with suppress(FileNotFoundError):
        os.remove(hidden)


def _has(path: str, content: bytes) -> bool:
    try:
        return files.read_bytes(path) == content
    except OSError:
        return False


def _sync(path: str) -> None:
    """Bring a file to the disk: one that was copied is not there yet."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _store(out: str, name: str, manifest: Manifest, placed: Mapping[str, Part], old: Snapshot | None) -> Manifest:
    """Put a snapshot on an object store; the manifest names the objects of what is carried over."""
    for place, part in placed.items():
        files.link_or_copy(part.path, files.join(out, SNAPSHOTS, name, place))
    made = {place.rpartition("/")[0] for place in placed}
    tables = dict(manifest["tables"])
    for table in set(tables) - made:
        assert old is not None
        tables[table] = {
            **tables[table],
            "parts": [
                {**entry, "object": part.path.removeprefix(out.rstrip("/") + "/")} if "file" in entry else entry
                for entry, part in zip(tables[table]["parts"], old.parts(table), strict=True)
            ],
        }
    manifest = {**manifest, "tables": tables}
    files.write_bytes(files.join(out, SNAPSHOTS, name, MANIFEST), _text(manifest))
    return manifest


def _write_log(
    out: str,
    name: str,
    manifest: Manifest,
    sections: Mapping[str, Any],
    publication: Publication,
    damaged: Collection[str],
    held: Mapping[str, Sequence[str]],
) -> None:
    """Note beside the snapshot what depends on this machine, that it is published, and a copy of the manifest.

    And what the errors of sections that are `held` say.
    """
    folder = files.join(out, SNAPSHOTS, name)
    snapshot = Snapshot(out, name, folder, dict(manifest))
    states = {
        part.sha256: state
        for table in manifest["tables"]
        for part in snapshot.files(table)
        if part.sha256 not in damaged and (state := state_of(part.path)) is not None
    }
    noted = msgspec.to_builtins(publication)
    content = readable_json(
        {
            "sections": sections,
            "checked": states,
            "publication": noted,
            "manifest": manifest,
            **({"held": held} if held else {}),
        }
    )
    files.write_bytes(folder + LOG, content, durable=True)


def _switch(out: str, name: str, manifest: Manifest, pointer: ObjectTag | None) -> None:
    """Let readers see a snapshot: one rename locally, one small object elsewhere."""
    if not files.is_local(out):
        switch_pointer(out, name, pointer)
        update_record(out, lambda record: record._replace(published=name))
        return
    if snapshot_name(out) != name:
        _replace_link(f"{SNAPSHOTS}/{name}", os.path.join(out, POINTER))
        files.sync_folder(out)
    wanted = links_of(manifest["tables"])
    for link in wanted:
        if not os.path.lexists(os.path.join(out, link)):
            _replace_link(f"{POINTER}/{link}", os.path.join(out, link))
    for link in read_record(out).links:
        if link not in wanted and is_link_of_ours(out, link):
            with suppress(FileNotFoundError):
                os.remove(os.path.join(out, link))
    update_record(out, lambda record: record._replace(links=tuple(wanted)))


def _history(out: str, record: SnapshotMark, name: str) -> tuple[str, ...]:
    """Return our snapshots with `name` as the newest.

    Those that a killed run made and never switched to come first: they are the first to go.
    """
    known, current = record.snapshots, last_published(out)
    place = known.index(current) + 1 if current in known else 0
    return (*(other for other in (*known[place:], *known[:place]) if other != name), name)


def _replace_link(target: str, link: str) -> None:
    hidden = files.temporary(link)
    os.symlink(target, hidden)
    os.replace(hidden, link)


def _remove_old(out: str, keep: Keep) -> None:
    """Note the publication, and remove what is not to be kept; what cannot be removed yet stays noted."""
    history = note_publication(out)
    if history is None:
        log.warning("the history of %s is damaged, so that no snapshot is removed: `lexbeam history` says more", out)
        return
    record = read_record(out)
    since = now() - keep.days * _DAY
    young = {each.snapshot for each in history.publications if keep.days and each.at >= since}
    kept = {*record.snapshots[-keep.newest :], *history.tags.values(), *young} - {snapshot_name(out)}
    newest = [*(name for name in record.snapshots if name in kept), str(snapshot_name(out))]
    gone = {name for name in record.snapshots if name not in newest and remove_snapshot(out, name, newest)}
    if gone:
        update_record(
            out, lambda record: record._replace(snapshots=tuple(name for name in record.snapshots if name not in gone))
        )
