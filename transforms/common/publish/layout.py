"""What an output folder holds, what of it Lexbeam wrote, and the lock of one run at a time.

    DIR/_snapshots/<digest>/<table>/part-*      an immutable snapshot with its manifest.json
    DIR/_snapshots/<digest>.log.json            where its inputs lay, a copy of the manifest
    DIR/_snapshots/<digest>.run.jsonl           what its stages took (`run_log`)
    DIR/_snapshots/.history                     what was published when, and tags (`history`)
    DIR/_snapshots/.forgotten                   what every later run leaves out (`forgotten`)
    DIR/_artefacts/<section>/<stage>/           artefacts, which outlive runs
    DIR/_failed/<section>-rejects.tsv           what a failed run says was wrong
    DIR/_given/<digest>/<option>.jsonl          data from Python, as the files that a run reads
    DIR/current -> _snapshots/<digest>          what readers see, swapped by one rename
    DIR/<table> -> current/<table>              for convenience; DIR/<task> of <task>/<table>
    DIR/current.json                            on object stores, names the snapshot
    DIR/.lock.json                              on object stores, who holds the folder

Only what Lexbeam wrote is overwritten or removed, and no link is followed out of DIR. A folder of
ours has a mark, `.lexbeam`, from the moment it has its name; that of `_snapshots` lists the
snapshots and links. A link is ours if it leads where ours do. A damaged mark is made anew from what
it describes.

Manifests are plain values here: is one what its snapshot's name says, and which parts does it name? A snapshot's name
is the digest of its manifest. On object stores a manifest also says, of a part that an earlier snapshot wrote, which
object that is. This is left out of the digest, so that the same sections have the same name everywhere.
"""

import contextlib
import errno
import fcntl
import json
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple, NotRequired, TypedDict

from lexbeam.transforms.common.code.fingerprints import digest, parse_json
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.leases import leased, make_output_folder, or_another
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.objects import ObjectTag
from lexbeam.transforms.common.store.receipts import read_envelope
from lexbeam.transforms.common.store.remote import remote


class PartEntry(TypedDict):
    """What a manifest says of a part.

    One without rows has no `file`, unless no part of the table has any; `bytes` and `sha256` are of the file that it
    would be. `object` names it on object stores if an earlier snapshot wrote it.
    """

    file: NotRequired[str]
    rows: int
    bytes: int
    sha256: str
    object: NotRequired[str]


class TableEntry(TypedDict):
    """What a manifest says of a table."""

    rows: int
    schema_version: str
    parts: list[PartEntry]


def files_of(table: TableEntry) -> list[PartEntry]:
    """Return what a manifest says of those parts of a table that have files."""
    return [part for part in table["parts"] if "file" in part]


# What a manifest says of a section: its inputs, options and tables, and what its command adds.
Section = Mapping[str, Any]
# Sections by name, beside `lexbeam`, `environments` and `tables`. Whatever else a version says of a whole folder stands
# in `lexbeam`: versions that do not know it would take it for a section.
Manifest = Mapping[str, Any]

_FOLDER = re.compile(r"_snapshots/[0-9a-f]{32}")


def is_idle(section: Section) -> bool:
    """Return whether nothing was done for a section, for want of data: of it is known why, and nothing else."""
    return "empty" in section and not section.get("stages")


def without_objects(manifest: Manifest) -> Manifest:
    """Return a manifest as it is everywhere: on object stores it also says where parts lie."""
    tables = {
        name: {**table, "parts": [{k: v for k, v in part.items() if k != "object"} for part in table["parts"]]}
        for name, table in manifest["tables"].items()
    }
    return {**manifest, "tables": tables}


def is_named(manifest: Any, name: str) -> bool:
    """Return whether a value is the whole manifest of the snapshot of this name."""
    try:
        # The digest does not cover objects, but their names are known but for the snapshot's.
        return digest(without_objects(manifest)) == name and all(
            _FOLDER.fullmatch(part["object"].removesuffix(f"/{place}"))
            for place, part in _parts(manifest)
            if "object" in part
        )
    except (TypeError, KeyError, AttributeError):
        return False


def parts_named(manifest: Manifest, name: str) -> set[str]:
    """Return the places in the folder of the parts that the manifest of snapshot `name` names."""
    return {part.get("object", f"_snapshots/{name}/{place}") for place, part in _parts(manifest)}


def _parts(manifest: Manifest) -> Iterator[tuple[str, PartEntry]]:
    """Yield the place in its own snapshot of each part that has a file, and what the manifest says of it."""
    for table, entry in manifest["tables"].items():
        for part in files_of(entry):
            yield f"{table}/{part['file']}", part


ARTEFACTS = "_artefacts"
FAILED = "_failed"
GIVEN = "_given"
SNAPSHOTS = "_snapshots"
POINTER = "current"
MANIFEST = "manifest.json"
MARK = ".lexbeam"
HISTORY = ".history"
FORGOTTEN = ".forgotten"
LOCK = ".lock"
LOG = ".log.json"
RUN_LOG = ".run.jsonl"

_LOCK_TEXT = b"Lexbeam locks this file while a run is at work on the folder.\n"
_NAME = re.compile(r"[0-9a-f]{32}")
_TEMPORARY = re.compile(files.TEMPORARY)


class SnapshotMark(NamedTuple):
    """The mark of `_snapshots`.

    Attributes:
        snapshots: our snapshots, the newest last.
        links: our links beside `current`.
        published: the snapshot that `current` was switched to last, noted after that.
    """

    snapshots: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    published: str | None = None


class DamagedFolderError(LexbeamError):
    """What a folder says of what is published there is damaged, or of another version.

    A store that does not answer is no such thing: nobody may conclude from it that something is not there.
    """


def snapshot_name(out: str) -> str | None:
    """Return the digest that `current` names; None if nothing is published.

    Raises:
        DamagedFolderError: `current.json` is damaged.
    """
    if files.is_local(out):
        try:
            target = os.readlink(os.path.join(out, POINTER))
        except OSError:
            return None
        folder, _, name = target.partition("/")
        return name if folder == SNAPSHOTS and _NAME.fullmatch(name) else None
    pointer = files.join(out, POINTER + ".json")
    try:
        content = files.read_bytes(pointer)
    except FileNotFoundError:
        return None
    with contextlib.suppress(ValueError, TypeError, KeyError):
        name = parse_json(content)["snapshot"]
        if _NAME.fullmatch(name):
            return str(name)
    raise DamagedFolderError(
        f"{pointer} is damaged: it names no snapshot. The command that publishes there repairs it "
        "with `overwrite`; until then the snapshots can be read by their own names"
    )


def pointer_tag(out: str) -> ObjectTag | None:
    """Return which pointer an object store has now; None where there is none, or the folder is local."""
    if files.is_local(out):
        return None
    path = files.join(out, POINTER + ".json")
    found = remote(path).read_tagged(path)
    return found[1] if found else None


def switch_pointer(out: str, name: str, tag: ObjectTag | None) -> None:
    """Let readers of an object store see a snapshot, if the pointer is still the one with this tag.

    Raises:
        LexbeamError: another run has published there meanwhile.
    """
    path = files.join(out, POINTER + ".json")
    if remote(path).swap(path, json.dumps({"snapshot": name}).encode(), tag) is None:
        raise LexbeamError(
            f"another run has published at {out!r} meanwhile, and nothing of this one is visible: run the same "
            "command again, which goes on from what is published now; what this run has made is kept"
        )


def last_published(out: str) -> str | None:
    """Return the snapshot that `current` names, or named before it was damaged; None if unknown."""
    with contextlib.suppress(DamagedFolderError):
        return snapshot_name(out)
    record = read_record(out)
    # Not simply the newest: a killed run has noted what nobody has ever seen, and it may lack
    # sections that readers have. What was switched to last is noted after the switch. If a run was
    # killed between the two, this is the snapshot before it, which is whole and was published.
    if record.published in record.snapshots:
        return record.published
    return record.snapshots[0] if len(record.snapshots) == 1 else None


def links_of(tables: Collection[str]) -> list[str]:
    """Return the names of the links that lead to tables, and to the manifest."""
    return sorted({MANIFEST, *(table.partition("/")[0] for table in tables)})


def is_link_of_ours(out: str, name: str) -> bool:
    """Return whether `name` in the folder is a link as Lexbeam makes it."""
    try:
        target = os.readlink(os.path.join(out, name))
    except OSError:
        return False
    if name == POINTER:
        return target.startswith(SNAPSHOTS + "/") and bool(_NAME.fullmatch(target[11:]))
    return target == f"{POINTER}/{name}"


def read_record(out: str) -> SnapshotMark:
    """Return the record of snapshots and links, made anew from what is there if it is damaged."""
    folder = files.join(out, SNAPSHOTS)
    mark = files.join(folder, MARK)
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        value = parse_json(files.read_bytes(mark))
        names = [name for name in value["snapshots"] if _NAME.fullmatch(name)]
        links = [name for name in value["links"] if "/" not in name]
        if value["check"] == _check(value):
            return SnapshotMark(tuple(names), tuple(links), value.get("published"))
    snapshots = [name for name in files.list_folder(folder).folders if _is_snapshot(folder, name)]
    if not files.is_local(out):  # nothing tells which is the newest
        return SnapshotMark(tuple(snapshots))
    if not os.path.isdir(folder):
        return SnapshotMark()
    current = snapshot_name(out)
    snapshots.sort(key=lambda name: (name == current, os.stat(os.path.join(folder, name)).st_mtime_ns))
    links = [name for name in sorted(os.listdir(out)) if is_link_of_ours(out, name)]
    return SnapshotMark(tuple(snapshots), tuple(name for name in links if name != POINTER))


def _is_snapshot(folder: str, name: str) -> bool:
    """Return whether a folder is one of ours: its manifest's digest is its name."""
    path = files.join(folder, name)
    if not _NAME.fullmatch(name) or os.path.islink(path):
        return False
    if files.is_local(path) and not os.path.isdir(path):
        return False
    return _is_manifest(files.join(path, MANIFEST), name) or _is_manifest(path + LOG, name)


def _is_manifest(path: str, name: str) -> bool:
    """Return whether a file is the manifest of this name, or a log with a copy of it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        value = parse_json(files.read_bytes(path))
        return is_named(value.get("manifest", value), name)
    return False


def is_unfinished_snapshot(path: str) -> bool:
    """Return whether a local folder is a snapshot that a killed run was making, or removing.

    It has a temporary name of ours, and no manifest but that of the snapshot.
    """
    name, _, temporary = os.path.basename(path).partition(".")
    if not _NAME.fullmatch(name) or not _TEMPORARY.fullmatch(f".{temporary}"):
        return False
    if os.path.islink(path) or not os.path.isdir(path):
        return False
    manifest = os.path.join(path, MANIFEST)
    return not os.path.lexists(manifest) or _is_manifest(manifest, name)


def write_record(out: str, record: SnapshotMark) -> None:
    """Write the record, whatever it is now."""
    path = files.join(out, SNAPSHOTS, MARK)
    files.write_bytes(path, _record_text(record), durable=True)


def _record_text(record: SnapshotMark) -> bytes:
    value: dict[str, object] = {"snapshots": list(record.snapshots), "links": list(record.links)}
    if record.published is not None:
        value["published"] = record.published
    value["check"] = _check(value)
    return json.dumps(value, indent=1).encode()


def update_record(out: str, change: Callable[[SnapshotMark], SnapshotMark]) -> SnapshotMark:
    """Change the record and return it; on object stores another run's change is never lost."""
    changed = SnapshotMark()

    def content(_: bytes | None) -> bytes:
        nonlocal changed
        changed = change(read_record(out))
        return _record_text(changed)

    files.update_bytes(files.join(out, SNAPSHOTS, MARK), content)
    return changed


def _check(value: Mapping[str, object]) -> str:
    published = [value["published"]] if "published" in value else []
    return digest([value["snapshots"], value["links"], *published])


def make_marked_folder(out: str, name: str) -> str:
    """Make a folder of ours, such as `_snapshots`, with its mark from the start; return its path."""
    folder = files.join(out, name)
    if not files.is_local(out):
        if name != SNAPSHOTS and not files.exists(files.join(folder, MARK)):
            files.write_bytes(files.join(folder, MARK), b"")
        return folder
    if not os.path.isdir(folder):
        hidden = files.temporary(folder)
        os.mkdir(hidden)
        with open(os.path.join(hidden, MARK), "xb") as stream:
            os.fsync(stream.fileno())
        try:
            os.rename(hidden, folder)
        except OSError:  # somebody else was faster
            os.remove(os.path.join(hidden, MARK))
            os.rmdir(hidden)
    if not os.path.exists(os.path.join(folder, MARK)):
        if name == SNAPSHOTS:
            write_record(out, read_record(out))
        else:
            files.write_bytes(os.path.join(folder, MARK), b"", durable=True)
    return folder


def check_foreign(out: str, tables: Collection[str], name: str = "out") -> None:
    """Check that a run that makes `tables` would write and remove nothing of somebody else's.

    Messages name the folder by the option `name`.

    Raises:
        UsageError: something that Lexbeam did not write is in the way; the message names it.
    """
    if not files.is_local(out):
        return
    foreign = next(_foreign(out, tables), None)
    if foreign is not None:
        raise UsageError(f"{foreign!r} was not made by Lexbeam and is in the way: move it{or_another(name)}")


def _foreign(out: str, tables: Collection[str]) -> Iterator[str]:
    lock = os.path.join(out, LOCK)
    if os.path.lexists(lock) and not _is_our_lock(out, lock):
        yield lock
    for name in (ARTEFACTS, SNAPSHOTS, FAILED):
        folder = os.path.join(out, name)
        if os.path.lexists(folder) and not _may_be_ours(folder):
            yield folder
    for name in [POINTER, *links_of(tables)]:
        if os.path.lexists(os.path.join(out, name)) and not is_link_of_ours(out, name):
            yield os.path.join(out, name)
    for name in read_record(out).snapshots:
        yield from _links(os.path.join(out, SNAPSHOTS, name))
    yield from _in_the_way(os.path.join(out, ARTEFACTS))


def _links(folder: str) -> Iterator[str]:
    """Yield the links to folders in a snapshot, or that it is."""
    if os.path.islink(folder):
        yield folder
        return
    for place, folders, _ in os.walk(folder):
        yield from (p for name in folders if os.path.islink(p := os.path.join(place, name)))


def _in_the_way(root: str) -> Iterator[str]:
    """Yield what is not of the kind that a run needs: artefacts lie two folders deep."""
    for section in _entries(root):
        if _is_misplaced(section):
            yield section.path
        elif section.is_dir():
            yield from (entry.path for entry in _entries(section.path) if _is_misplaced(entry))


def _is_misplaced(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a link, or a folder by the name of a file, or the reverse."""
    if entry.is_symlink():
        return True  # it would lead the run elsewhere
    is_file = entry.name.endswith(".json")
    return ("." not in entry.name or is_file) and entry.is_dir() == is_file


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_our_lock(out: str, path: str) -> bool:
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return False
    with open(path, "rb") as stream:
        text = stream.read(len(_LOCK_TEXT))
    # It is only ever locked, never written: an empty one has nothing to lose.
    return text in (b"", _LOCK_TEXT) or any(
        os.path.isfile(os.path.join(out, name, MARK)) for name in (ARTEFACTS, SNAPSHOTS)
    )


def is_marked_folder(out: str, name: str) -> bool:
    """Return whether `_snapshots`, `_artefacts` or `_failed` exists and is ours."""
    folder = files.join(out, name)
    if not files.is_local(out):
        return files.exists(files.join(folder, MARK))
    return os.path.lexists(folder) and _may_be_ours(folder) and bool(os.listdir(folder))


def _may_be_ours(folder: str) -> bool:
    """Return whether a folder is ours, or empty and so free to take."""
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        return False
    names = os.listdir(folder)
    if not names or MARK in names:
        return not os.path.islink(os.path.join(folder, MARK))
    if os.path.basename(folder) == SNAPSHOTS:
        return any(_is_snapshot(folder, name) for name in names)
    return _has_receipt(folder)


def _has_receipt(folder: str) -> bool:
    for section in _entries(folder):
        for stage in _entries(section.path) if section.is_dir() else []:
            for entry in _entries(stage.path) if stage.is_dir() else []:
                if entry.name.endswith(".json") and read_envelope(entry.path) is not None:
                    return True
    return False


@contextlib.contextmanager
def locked(out: str, tables: Collection[str] = (), *, name: str = "out") -> Iterator[None]:
    """Hold an output folder for one run that makes `tables`; the folder is made if necessary.

    Messages name it by the option `name`.

    On object stores, which have no locks, it is leased (`leases`).

    Raises:
        UsageError: something foreign is in the way.
        LexbeamError: another run holds the folder.
    """
    make_output_folder(out, name)
    check_foreign(out, tables, name)
    if not files.is_local(out):
        with leased(out, name):
            yield
        return
    path = os.path.join(out, LOCK)
    if not os.path.lexists(path):
        _make_lock(path)
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LexbeamError(f"another run is at work on {out!r}: wait for it{or_another(name)}") from None
        yield


def _make_lock(path: str) -> None:
    """Make the lock whole; of two runs that make it at once, one does."""
    hidden = files.temporary(path)
    with open(hidden, "xb") as stream:
        stream.write(_LOCK_TEXT)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(hidden, path)
    except OSError:  # a file system without hard links; an empty lock is as good
        with contextlib.suppress(FileExistsError), open(path, "xb") as stream:
            stream.write(_LOCK_TEXT)
    finally:
        os.remove(hidden)


def check_links(out: str) -> None:
    """Check that a link can be made in a folder where nothing is published yet.

    Raises:
        UsageError: its file system has no links.
    """
    if not files.is_local(out) or os.path.lexists(os.path.join(out, POINTER)):
        return
    hidden = files.temporary(os.path.join(out, POINTER))
    try:
        os.symlink(SNAPSHOTS, hidden)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        raise UsageError(
            f"the file system of `out` {out!r} has no symbolic links, by which tables are "
            "published (FAT and exFAT have none): give a folder on another"
        ) from None
    os.remove(hidden)
