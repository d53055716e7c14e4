"""Which files are taken in: those that inputs name, each once, under its published name.

Files are found one by one, in no order that counts. Nothing is kept of them but, where several inputs or a glob may
reach a file twice, a digest of its place.
"""

import fnmatch
import functools
import hashlib
import os
import posixpath
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.names import Names, escape
from lexbeam.transforms.common.publish.layout import ARTEFACTS, FAILED, SNAPSHOTS, is_marked_folder
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.stage import InputFile

# Of the time of a change, as file systems note it: what changed later than this before it was listed may change
# again without another time.
GRANULARITY = 2_000_000_000
SHARES = 16  # each is read for every unit


class InputPatterns(NamedTuple):
    """What names input files.

    Attributes:
        inputs: files, folders, globs.
        exclude: patterns of the name below the input, or of its last parts, as it is or as it is published; they
            leave out files, never members of archives.
        out: the folder to publish to; what lies in it is no input.
        tables_by: by what the command reads tables instead of files, if it does.
        share: which of the inputs are meant: from a number on, those that are so many apart.
        drained: whether there may be no file in a folder that is there, since what was made of those that have gone is
            kept.
    """

    inputs: tuple[str, ...]
    exclude: tuple[str, ...]
    out: str
    tables_by: str | None = None
    share: tuple[int, int] = (0, 1)
    drained: bool = False


def shares_of(patterns: InputPatterns) -> list[InputPatterns]:
    """Return patterns that name the same files together, to be listed side by side.

    There are several for several inputs on object stores, which have no links, if none lies in another.
    """
    if any(map(files.is_local, patterns.inputs)):
        return [patterns]
    roots = sorted(files.root_of(path).rstrip("/") + "/" for path in patterns.inputs)
    if any(after.startswith(before) for before, after in pairwise(roots)):
        return [patterns]
    number = min(len(roots), SHARES)
    return [patterns._replace(share=(place, number)) for place in range(number)]


def find_files(patterns: InputPatterns, *, perhaps: bool = False) -> Iterator[InputFile]:
    """Yield the input files once each.

    Names are relative to the input folder (for a file: the folder it is in); with several folders the folder's
    own name comes first. They are published names, no two alike. A file that several inputs hold, or that links
    to folders reach twice, has the name under which it is found first.

    Args:
        patterns: what names the files.
        perhaps: whether there need not be any yet.

    Raises:
        UsageError: `out` is an input, or an input is or holds a folder that Lexbeam published to.
        LexbeamError: there are no files, or none are left of all inputs, and there must be.
    """
    refuse_output_as_input(patterns.inputs, patterns.out)
    roots = sorted({files.root_of(path) for path in patterns.inputs})
    label = Names()
    labels = {root: label(escape(os.path.basename(root.rstrip("/")) or "input")) for root in roots}
    place, apart = patterns.share
    inputs = patterns.inputs[place::apart]
    is_first = _Places() if apart == 1 and (len(inputs) > 1 or files.may_repeat(inputs[0])) else None
    is_ours = functools.cache(is_marked_folder)
    number = 0
    for path in inputs:
        root = files.root_of(path)
        holds_out = _lies_in(patterns.out, root)
        inside = files.real(patterns.out).rstrip("/") + "/"
        named, own = Names(), None if files.is_local(path) else posixpath.basename(path)
        may_be_none = perhaps or (patterns.drained and (not files.is_local(root) or os.path.isdir(root)))
        for entry in _perhaps(files.find_files(path)) if may_be_none else files.find_files(path):
            if any(matches(entry.name, pattern) for pattern in patterns.exclude):
                continue
            if holds_out and files.real(entry.path).startswith(inside):
                continue  # what an earlier run published below the input
            holder, inner = _inner_folder(entry)
            if inner and is_ours(holder, inner):
                raise _tables_as_input(path, root, holder, patterns.tables_by)
            if is_first is not None and not is_first(entry.path):
                continue
            name = escape(entry.name)
            name = f"{labels[root]}/{name}" if len(roots) > 1 else name
            if entry.name == own:  # a store may have an object `a`, and one `a/a`
                name = named(name)
            changed = entry.changed if entry.changed <= time.time_ns() - GRANULARITY else 0
            number += 1
            yield InputFile(name, entry.path, entry.size, labels[root], changed)
    if not (number or perhaps or patterns.drained) and apart == 1:
        raise LexbeamError("no input files are left after `exclude`: give narrower patterns")


def _perhaps(found: Iterator[files.ListedFile]) -> Iterator[files.ListedFile]:
    with suppress(files.NoFilesError):
        yield from found


class _Places:
    """Says of each file whether it is met for the first time, whatever path leads there."""

    def __init__(self) -> None:
        self._real = functools.lru_cache(1 << 16)(files.real)
        self._seen: set[bytes] = set()

    def __call__(self, path: str) -> bool:
        place = hashlib.sha256(_place(path, self._real).encode("utf-8", "surrogateescape")).digest()[:16]
        known = len(self._seen)
        self._seen.add(place)
        return len(self._seen) > known


def _inner_folder(entry: files.ListedFile) -> tuple[str, str]:
    """Return the folder that would be Lexbeam's, and which of its inner folders a file lies in; empty: in none."""
    folders = entry.name.split("/")[:-1]
    place = next((i for i, name in enumerate(folders) if name in (ARTEFACTS, SNAPSHOTS, FAILED)), None)
    if place is None:
        return "", ""
    holder = entry.path.removesuffix("/".join(["", *entry.name.split("/")[place:]]))
    return holder, folders[place]


def _tables_as_input(path: str, root: str, holder: str, tables_by: str | None) -> UsageError:
    if holder.rstrip("/") != root.rstrip("/"):
        return UsageError(
            f"`inputs` {files.shown(path)!r} holds {files.shown(holder)!r}, a folder of Lexbeam's tables: "
            "name what lies beside it, or move it"
        )
    otherwise = f", or give {tables_by} to read its tables" if tables_by else ""
    return UsageError(
        f"`inputs` {files.shown(path)!r} is a folder of Lexbeam's tables, not of files to read: "
        f"name the files that they were made from{otherwise}"
    )


def refuse_output_as_input(inputs: Iterable[str], out: str) -> None:
    """Check that the folder to publish to is not an input folder, before anything is written there.

    Raises:
        UsageError: it is an input folder.
    """
    for path in inputs:
        if files.real(files.root_of(path)) == files.real(out):
            raise UsageError(f"`out` is the input folder {path!r}: give another `out`")


def _lies_in(path: str, folder: str) -> bool:
    return files.real(path).startswith(files.real(folder).rstrip("/") + "/")


def _place(path: str, real: Callable[[str], str]) -> str:
    """Return what two paths have in common if they are the same entry of the same folder, whatever leads there."""
    if not files.is_local(path):
        return path
    folder, name = os.path.split(path)
    return files.join(real(folder), name)


def matches(name: str, pattern: str) -> bool:
    """Return whether a pattern of `exclude` matches a name below the input, or its last parts."""
    return any(
        fnmatch.fnmatch(way, pattern) or PurePosixPath(way).match(pattern)
        for way in dict.fromkeys((name, escape(name)))
    )
