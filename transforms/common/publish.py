"""Publication: a snapshot of all tables, made visible by one small write.

A finished run is `DIR/_snapshots/<digest>/<table>/part-*` with its manifest. What readers see is
`DIR/current`, a symbolic link (a small pointer object where there are no links), and
`DIR/<table>` -> `current/<table>`. Nothing is visible before the link is swapped, all is after.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from schemas import TABLES
from schemas.columns import VERSION
from transforms.common import files
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.fingerprints import blas_kernels, code_digest, digest, environment
from transforms.common.tables import Part, part_name

__all__ = [
    "WORK",
    "locked",
    "make_manifest",
    "publish",
    "read_manifest",
    "table_paths",
]

WORK = "_work"
SNAPSHOTS = "_snapshots"
POINTER = "current"
MANIFEST = "manifest.json"
MARK = ".lexbeam"  # in a work folder that may be swept


def make_manifest(parts: Iterable[Part], **sections: Any) -> dict[str, Any]:
    """Return the manifest of a run: what it was made from and what it holds.

    No runner, worker count, time or absolute path stands in it, so it has the same bytes wherever
    the same run is made.
    """
    tables: dict[str, list[dict[str, Any]]] = {}
    ordered = sorted(parts, key=lambda part: (part.table, part.number))
    for part in ordered:
        tables.setdefault(part.table, []).append(
            {"rows": part.rows, "bytes": part.bytes, "sha256": part.sha256}
        )
    for entries in tables.values():
        for index, entry in enumerate(entries):
            entry["file"] = part_name(index, len(entries))
    return {
        "lexbeam": {"schema_version": VERSION, "code": code_digest()},
        "environment": {**environment(), "blas": blas_kernels()},
        "tables": {
            name: {"rows": sum(entry["rows"] for entry in entries), "parts": entries}
            for name, entries in tables.items()
        },
        **sections,
    }


def publish(out: str, parts: Iterable[Part], manifest: Mapping[str, Any]) -> str:
    """Publish a finished run at `out` and return the snapshot's folder.

    Snapshots are immutable and named by the manifest's digest; publishing the same run twice is
    the same as once. Older snapshots are removed after the switch.
    """
    name = digest(manifest)
    snapshot = files.join(out, SNAPSHOTS, name)
    # A local snapshot appears under its name whole; one that is there may be what readers see.
    if not (files.is_local(out) and os.path.isdir(snapshot)):
        building = f"{snapshot}.{os.getpid()}.tmp" if files.is_local(out) else snapshot
        files.remove_tree(building)
        _fill(building, parts, manifest)
        if building != snapshot:
            _sync(building)
            os.rename(building, snapshot)
    if files.is_local(out):
        _switch_link(out, name, sorted(manifest["tables"]))
    else:
        pointer = json.dumps({"snapshot": name}).encode()
        files.write_bytes(files.join(out, POINTER + ".json"), pointer)
    return snapshot


def _fill(folder: str, parts: Iterable[Part], manifest: Mapping[str, Any]) -> None:
    totals = {table: len(entry["parts"]) for table, entry in manifest["tables"].items()}
    places = dict.fromkeys(totals, 0)
    for part in sorted(parts, key=lambda part: (part.table, part.number)):
        name = part_name(places[part.table], totals[part.table])
        places[part.table] += 1
        files.make_folder(files.join(folder, part.table))
        files.link_or_copy(part.path, files.join(folder, part.table, name))
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    files.write_bytes(files.join(folder, MANIFEST), text.encode())


def _switch_link(out: str, name: str, tables: list[str]) -> None:
    """Point `current` at a snapshot by one rename; links of the tables follow it."""
    _replace_link(os.path.join(SNAPSHOTS, name), os.path.join(out, POINTER))
    for entry in [*tables, MANIFEST]:
        link = os.path.join(out, entry)
        if not os.path.islink(link):
            _replace_link(os.path.join(POINTER, entry), link)
    for entry in os.listdir(out):
        link = os.path.join(out, entry)
        if os.path.islink(link) and not os.path.exists(link):
            os.remove(link)
    for old in os.listdir(os.path.join(out, SNAPSHOTS)):
        if old != name:
            files.remove_tree(os.path.join(out, SNAPSHOTS, old))


def _sync(folder: str) -> None:
    """Bring a snapshot's files to the disk before anything points at them."""
    for place, _, names in os.walk(folder):
        for path in [place, *(os.path.join(place, name) for name in names)]:
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _replace_link(target: str, link: str) -> None:
    temporary = f"{link}.{os.getpid()}.tmp"
    with contextlib.suppress(FileNotFoundError):
        os.remove(temporary)
    os.symlink(target, temporary)
    os.replace(temporary, link)


def _snapshot(out: str) -> str | None:
    if files.is_local(out):
        link = os.path.join(out, POINTER)
        return os.path.realpath(link) if os.path.exists(link) else None
    pointer = files.join(out, POINTER + ".json")
    if not files.exists(pointer):
        return None
    return files.join(out, SNAPSHOTS, json.loads(files.read_bytes(pointer))["snapshot"])


def read_manifest(out: str) -> dict[str, Any] | None:
    """Return the manifest of what is published at `out`, or None where nothing is."""
    snapshot = _snapshot(out)
    if snapshot is None:
        return None
    return json.loads(files.read_bytes(files.join(snapshot, MANIFEST)))


def table_paths(out: str, table: str) -> list[str]:
    """Return the paths of a published table's parts, in order.

    Raises:
        LexbeamError: nothing, or not this table, is published there.
    """
    snapshot = _snapshot(out)
    manifest = read_manifest(out)
    if snapshot is None or manifest is None:
        raise LexbeamError(f"nothing is published at {out!r}: run `lexbeam corpus` first")
    if table not in manifest["tables"]:
        known = ", ".join(sorted(manifest["tables"]))
        raise LexbeamError(f"no table {table!r} at {out!r}; it has {known}")
    return [
        files.join(snapshot, table, entry["file"]) for entry in manifest["tables"][table]["parts"]
    ]


@contextlib.contextmanager
def locked(
    out: str, *, resume: bool, overwrite: bool, tables: Collection[str] = tuple(TABLES)
) -> Iterator[str]:
    """Hold `out` for one run that makes `tables`, and yield its work folder.

    The folder is swept at the end of a run that succeeded, and at the start of one that does not
    resume. On file systems without locks (object stores) two runs at once are not refused.

    Raises:
        UsageError: something is published there and neither `overwrite` was asked for nor is there
            an unfinished run to resume; or tables of another kind are; or files of somebody else
            stand where the run would write.
        LexbeamError: another run holds the folder.
    """
    try:
        files.make_folder(out)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"--out {out!r} is a file: give a folder") from None
    work = files.join(out, WORK)
    with _lock(out):
        _check_foreign(out, tables)
        _check_published(out, tables, overwrite or (resume and files.exists(work)))
        if not resume:
            files.remove_tree(work)
        files.make_folder(work)
        files.write_bytes(files.join(work, MARK), b"")
        yield work
        files.remove_tree(work)


def _check_published(out: str, tables: Collection[str], replace: bool) -> None:
    manifest = read_manifest(out)
    if manifest is None:
        return
    others = sorted(set(manifest["tables"]) - set(tables))
    if others:
        raise UsageError(
            f"{out!r} holds the tables {', '.join(others)}, which this run does not make and would "
            "remove: give another --out"
        )
    if not replace:
        raise UsageError(
            f"{out!r} holds published tables: give --overwrite to replace them, or another --out"
        )


def _check_foreign(out: str, tables: Collection[str]) -> None:
    if not files.is_local(out):
        return
    links = [os.path.join(out, name) for name in (*tables, POINTER, MANIFEST)]
    foreign = [path for path in links if os.path.lexists(path) and not os.path.islink(path)]
    work = os.path.join(out, WORK)
    if os.path.exists(work) and not os.path.exists(os.path.join(work, MARK)):
        foreign.append(work)
    if foreign:
        raise UsageError(f"{foreign[0]!r} was not made by lexbeam: give another --out")


@contextlib.contextmanager
def _lock(out: str) -> Iterator[None]:
    if not files.is_local(out):
        yield
        return
    with open(os.path.join(out, ".lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LexbeamError(
                f"another run is at work on {out!r}: wait for it, or give another --out"
            ) from None
        yield
