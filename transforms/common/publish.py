"""Publication: a snapshot of all tables, made visible by one small write.

A finished run is `DIR/_snapshots/<digest>/<table>/part-*` with its manifest. What readers see is
`DIR/current`, a symbolic link (a small pointer object where there are no links), and
`DIR/<table>` -> `current/<table>`. Nothing is visible before the link is swapped, all is after.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
    counts: dict[str, int] = {}
    ordered = sorted(parts, key=lambda part: (part.table, part.number))
    totals = {table: len(entry["parts"]) for table, entry in manifest["tables"].items()}
    for part in ordered:
        index = counts.get(part.table, 0)
        counts[part.table] = index + 1
        folder = files.join(snapshot, part.table)
        files.make_folder(folder)
        files.link_or_copy(part.path, files.join(folder, part_name(index, totals[part.table])))
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    files.write_bytes(files.join(snapshot, MANIFEST), text.encode())
    if files.is_local(out):
        _switch_link(out, name, sorted(totals))
    else:
        pointer = json.dumps({"snapshot": name}).encode()
        files.write_bytes(files.join(out, POINTER + ".json"), pointer)
    return snapshot


def _switch_link(out: str, name: str, tables: list[str]) -> None:
    """Point `current` at a snapshot by one rename; links of the tables follow it."""
    _sync(os.path.join(out, SNAPSHOTS, name))
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
def locked(out: str, *, resume: bool, overwrite: bool) -> Iterator[str]:
    """Hold `out` for one run and yield its work folder.

    The folder is swept at the end of a run that succeeded, and at the start of one that does not
    resume. On file systems without locks (object stores) two runs at once are not refused.

    Raises:
        UsageError: something is published there and neither `resume` nor `overwrite` was asked
            for, or another run holds the folder, or it holds files of somebody else.
    """
    files.make_folder(out)
    work = files.join(out, WORK)
    with _lock(out):
        if read_manifest(out) is not None and not (overwrite or resume):
            raise UsageError(
                f"{out!r} holds published tables: give --overwrite to replace them, "
                "or another --out"
            )
        if not resume:
            files.remove_tree(work)
        files.make_folder(work)
        yield work
        files.remove_tree(work)


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
