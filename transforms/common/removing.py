"""Removing what Lexbeam wrote, and nothing else: snapshots, and artefacts by their receipts.

Folders go when they are empty; what somebody else has put into them stays where it is.
"""

import errno
import json
import os
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from transforms.common import files
from transforms.common.artefacts import FREED
from transforms.common.layout import LOG, MANIFEST, MARK, SNAPSHOTS
from transforms.common.receipts import ArtefactPath, File, FileName, read_envelope
from transforms.common.sound import is_sound

__all__ = [
    "RESULTS", "Freed", "discard_damaged", "discard_stages", "free", "leftovers",
    "remove_hidden", "remove_snapshot",
]  # fmt: skip

_PART = re.compile(r"part-\d{5}-of-\d{5}-[0-9a-f]{8}\.parquet")
_ARTEFACT = re.compile(r"[0-9a-f]{32}(?:[.-].*)?")
_TEMPORARY = re.compile(r"(.*)" + files.TEMPORARY, re.DOTALL)
_RUN = re.compile(r"[0-9a-f]{16}")
KEYS = "-keys.arrow"  # small files that every run reads, whatever else it takes up
RESULTS = "results"  # of pipelines, beside the sections' folders; and `plan`, for progress


def remove_snapshot(out: str, name: str, kept: Collection[str] = ()) -> None:
    """Remove a snapshot's files and its log; on object stores not those that a kept one names."""
    folder = files.join(out, SNAPSHOTS, name)
    if not files.is_local(out):
        _remove_objects(out, name, kept)
        return
    if os.path.islink(folder):
        return
    if os.path.isdir(folder):
        # Out of readers' sight in one step: whoever lists it while it goes would miss parts.
        # Where somebody else has put something into it, that stays where it is.
        hidden = folder if _holds_foreign(folder) else files.temporary(folder)
        if hidden != folder:
            os.rename(folder, hidden)
        remove_hidden(hidden)
    files.remove(folder + LOG)


def _holds_foreign(folder: str) -> bool:
    for place, folders, names in os.walk(folder):
        if any(os.path.islink(os.path.join(place, name)) for name in folders):
            return True
        own = (MANIFEST,) if place == folder else ()
        if any(name not in own and not _is_own_file(name) for name in names):
            return True
    return False


def _is_own_file(name: str) -> bool:
    return _PART.fullmatch(name) is not None


def remove_hidden(folder: str) -> None:
    """Remove a local snapshot, perhaps under a temporary name: parts, manifest, folders, marks."""
    for place, _, names in os.walk(folder, topdown=False):
        for file in names:
            if _PART.fullmatch(file) or _TEMPORARY.fullmatch(file):
                files.remove(os.path.join(place, file))
        if place != folder:
            _remove_empty(place)
    for name in (MANIFEST, MARK):
        files.remove(os.path.join(folder, name))
    _remove_empty(folder)


def _remove_empty(folder: str) -> None:
    """Remove a folder, unless somebody else's files are in it."""
    try:
        os.rmdir(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise


def _remove_objects(out: str, name: str, kept: Collection[str]) -> None:
    named = {place for other in kept for place in _objects(out, other)}
    for place in _objects(out, name):
        if place not in named:
            files.remove(files.join(out, place))
    files.remove(files.join(out, SNAPSHOTS, name, MANIFEST))
    files.remove(files.join(out, SNAPSHOTS, name + LOG))


def _objects(out: str, name: str) -> Iterator[str]:
    """Yield the parts that a snapshot's manifest names, by their places in the folder."""
    try:
        manifest = json.loads(files.read_bytes(files.join(out, SNAPSHOTS, name, MANIFEST)))
    except (OSError, ValueError):
        return
    for table, entry in manifest["tables"].items():
        for part in entry["parts"]:
            yield part.get("object", "/".join((SNAPSHOTS, name, table, part["file"])))


class _Held(NamedTuple):
    """An artefact: the path of its receipt, its files, None where the receipt is damaged."""

    receipt: str
    files: tuple[FileName, ...] | None

    @property
    def stem(self) -> str:
        return self.receipt.removesuffix(".json")


def _stages(root: str) -> Iterator[str]:
    """Yield the folders of stages, by name: `change/train`."""
    for section in _folders(root):
        for stage in _folders(os.path.join(root, section)):
            if section not in ("plan", RESULTS):
                yield f"{section}/{stage}"


def _folders(path: str) -> list[str]:
    try:
        found = [e.name for e in os.scandir(path) if e.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found)


def _held(root: str, stages: Collection[str] | None = None) -> Iterator[_Held]:
    for stage in _stages(root):
        if stages is None or stage in stages:
            folder = os.path.join(root, stage)
            for name in sorted(os.listdir(folder)):
                if name.endswith(".json") and _ARTEFACT.fullmatch(name):
                    path = os.path.join(folder, name)
                    found = read_envelope(path)
                    yield _Held(path, found.files if found else None)


def _file(root: str, name: FileName) -> File:
    return File(ArtefactPath(os.path.join(root, name.name)), name.bytes, name.sha256)


def discard_damaged(root: str, sections: Collection[str]) -> list[str]:
    """Discard every artefact that is not sound, so that it is made anew; return their receipts.

    Of `sections`, artefacts whose files were freed go too, since one of them was asked for. Every
    file is read.
    """
    gone = []
    for held in _held(root) if files.is_local(root) else ():
        section = os.path.relpath(held.receipt, root).partition(os.sep)[0]
        if held.files is not None:
            found = [is_sound(_file(root, name)) for name in held.files]
            freed = os.path.exists(held.stem + FREED) and section not in sections
            if all(state or (state is None and freed) for state in found):
                continue
        gone.append(held.receipt)
        files.remove(held.receipt)
        files.remove(held.stem + FREED)
        for name in held.files or ():
            files.remove(os.path.join(root, name.name))
    return gone


def discard_stages(root: str, sections: Collection[str]) -> None:
    """Discard all artefacts of sections: what a run with --fresh is not to take up."""
    for stage in list(_stages(root)) if files.is_local(root) else ():
        if stage.partition("/")[0] in sections:
            folder = os.path.join(root, stage)
            for name in os.listdir(folder):
                if _ARTEFACT.fullmatch(name):
                    files.remove(os.path.join(folder, name))


class Freed(NamedTuple):
    """What was freed: files, and bytes of those that nothing else holds."""

    files: int
    bytes: int


def free(root: str, kept: Collection[str]) -> Freed:
    """Remove the artefacts' files but those whose SHA-256 is in `kept`; receipts stay.

    A later run with the same options finds all it needs in receipts, in the keys of records, which
    stay like them, and in published parts; one that needs a file that was freed makes it anew.
    """
    number = size = 0
    for held in _held(root) if files.is_local(root) else ():
        gone = [
            name
            for name in held.files or ()
            if name.sha256 not in kept and not name.name.endswith(KEYS)
        ]
        found = [os.path.join(root, name.name) for name in gone]
        found = [path for path in found if os.path.isfile(path) and not os.path.islink(path)]
        if found:
            files.write_bytes(held.stem + FREED, b"")
        for path in found:
            number += 1
            size += _bytes(path)
            files.remove(path)
    return Freed(number, size)


def _bytes(path: str) -> int:
    found = os.lstat(path)
    return found.st_size if found.st_nlink == 1 else 0


def leftovers(root: str) -> Iterator[str]:
    """Yield the artefacts' files that killed runs have left: temporary ones, or without receipt.

    And the results that a pipeline wrote for a driver that was killed.
    """
    for place in [root, *(os.path.join(root, "plan", name) for name in _folders(root + "/plan"))]:
        for name in sorted(os.listdir(place)):
            if _TEMPORARY.fullmatch(name):
                yield os.path.join(place, name)
    results = os.path.join(root, RESULTS)
    for run in _folders(results) if not os.path.islink(results) else ():
        if _RUN.fullmatch(run):
            for name in sorted(os.listdir(os.path.join(results, run))):
                if name.rpartition(".")[2] in ("json", "tmp"):
                    yield os.path.join(results, run, name)
    for stage in _stages(root):
        folder = os.path.join(root, stage)
        names = set(os.listdir(folder))
        named = {
            os.path.basename(name.name)
            for held in _held(root, [stage])
            for name in held.files or ()
        }
        for name in sorted(names - named):
            if not _ARTEFACT.fullmatch(name) or name.endswith(".json"):
                continue
            if name.endswith(FREED) and name.removesuffix(FREED) + ".json" in names:
                continue
            yield os.path.join(folder, name)
