"""Published tables as they are read: a snapshot is resolved once, and all tables come from it; named questions.

    snapshot = open_snapshot("results")
    scores = snapshot.read("scores")           # a pyarrow Table
    paths = snapshot.paths("sentences")

While a run publishes anew, whoever goes on reading from the same snapshot sees one state of all
tables, as long as it is kept (`--keep-snapshots`); after that, files are missing, never mixed.

A `View` is a named question about published tables, for `lexbeam show` and for Python.
"""

import errno
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import parse_json
from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.code.version import Build, own_build
from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.publish.layout import (
    LOG,
    MANIFEST,
    SNAPSHOTS,
    DamagedFolderError,
    PartEntry,
    TableEntry,
    files_of,
    is_idle,
    is_named,
    last_published,
    snapshot_name,
)
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import is_sound
from lexbeam.transforms.common.store.remote import ROWLESS
from lexbeam.transforms.common.store.tables import Part, read_table

log = logging.getLogger("lexbeam")

MANIFEST_VERSION = 3  # of version 2, every part has a file
# Keys of a manifest that are no sections.
RESERVED = ("lexbeam", "environments", "tables", "held")
_LOOKED_INTO, _NAMED = 1000, 3  # folders, for a hint


@dataclass(frozen=True, repr=False)
class Snapshot:
    """A published state of a folder.

    Attributes:
        out: the folder.
        name: the snapshot's name, the digest of its manifest.
        folder: where its parts lie.
    """

    out: str
    name: str
    folder: str
    manifest: dict[str, Any]

    @property
    def sections(self) -> dict[str, dict[str, Any]]:
        """The manifest's sections by name."""
        return {name: value for name, value in self.manifest.items() if name not in RESERVED}

    @property
    def held(self) -> dict[str, str]:
        """Why sections were held back by the run that was to make them anew, by name; not all need be published."""
        held: dict[str, str] = self.manifest.get("held", {})
        return held

    @property
    def tables(self) -> dict[str, TableEntry]:
        """What the manifest says of each table: rows, schema version, parts."""
        tables: dict[str, TableEntry] = self.manifest["tables"]
        return tables

    def __repr__(self) -> str:
        return f"<Snapshot {self.name} of {files.shown(self.out)!r}: {', '.join(sorted(self.sections))}>"

    def section(self, name: str) -> dict[str, Any]:
        """Return a section.

        Raises:
            LexbeamError: there is none of this name.
        """
        if name not in self.sections:
            words = name.replace(".", " ")
            raise LexbeamError(f"no {name} tables are published at {self.out!r}: run `lexbeam {words}` first")
        return self.sections[name]

    def made_by(self, name: str) -> Build | None:
        """Return which Lexbeam made a section; None where that was not noted."""
        environment = self.manifest.get("environments", {}).get(self.section(name).get("environment"), {})
        if "lexbeam" in environment:
            return Build(environment["lexbeam"], environment.get("commit", ""))
        noted = (read_log(self.out, self.name).get("sections") or {}).get(name) or {}  # as 0.1.0 did
        return Build(noted["lexbeam"]) if noted.get("lexbeam") else None

    def filled(self, name: str) -> dict[str, Any]:
        """Return a section of which there is something to tell.

        Raises:
            LexbeamError: as `section`, or nothing was done for it, for want of data.
        """
        section = self.section(name)
        if is_idle(section):
            raise LexbeamError(f"section {name} at {self.out!r} is empty: {section['empty']}")
        return section

    def parts(self, table: str) -> list[Part]:
        """Return the parts of a table in their order; those without rows need have no files of their own (`written`).

        Raises:
            LexbeamError: there is no such table.
        """
        if table not in self.tables:
            known = ", ".join(sorted(self.tables))
            hint = nearest(table, self.tables)
            raise LexbeamError(f"no table {table!r} at {self.out!r}; it has {known}{hint}")
        first = self._place(table, files_of(self.tables[table])[0])
        return [
            Part(
                table,
                number,
                self._place(table, entry) if "file" in entry else ROWLESS + first,
                entry["rows"],
                entry["bytes"],
                entry["sha256"],
            )
            for number, entry in enumerate(self.tables[table]["parts"])
        ]

    def files(self, table: str) -> list[Part]:
        """Return those parts of a table that have files, in their order; raises as `parts`."""
        return [part for part in self.parts(table) if not part.path.startswith(ROWLESS)]

    def _place(self, table: str, entry: PartEntry) -> str:
        if "object" in entry:  # on object stores, a part that an earlier snapshot wrote
            return files.join(self.out, entry["object"])
        return files.join(self.folder, *table.split("/"), entry["file"])

    def paths(self, table: str) -> list[str]:
        """Return the paths of a table's files in the order of its parts; raises as `parts`."""
        return [part.path for part in self.files(table)]

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a whole table; raises as `parts`."""
        return read_table(self.paths(table), columns)

    def damaged(self) -> list[str]:
        """Return the paths of the parts that are missing or not what the manifest says."""
        return [part.path for table in sorted(self.tables) for part in self.files(table) if not is_sound(part)]


class NewerFolderError(LexbeamError):
    """A snapshot has a form that only later versions of Lexbeam know: nothing is read of it, and nothing replaced."""


def damage_of(snapshot: Snapshot, parts: Sequence[str]) -> LexbeamError:
    """Return what is said of parts of a snapshot, by their paths, that are missing or damaged."""
    listed = "".join(f"\n  {path}" for path in parts)
    remedy = "the commands that made them repair them with `overwrite`"
    if snapshot_name(snapshot.out) != snapshot.name:
        folder = files.typed(files.shown(snapshot.out))
        remedy = (
            f"`lexbeam history {folder}` lists the other snapshots; the commands that made this one repair it, given "
            "again with the inputs and options of then"
        )
    number = f"{len(parts)} part{'s' * (len(parts) > 1)} of snapshot {snapshot.name}"
    return LexbeamError(f"{number} at {snapshot.out!r} missing or damaged:{listed}\n{remedy}")


@contextmanager
def explaining_damage(*snapshots: Snapshot) -> Iterator[None]:
    """Raise what the block raises of parts that are missing or damaged as a LexbeamError that names these.

    All parts of the snapshots are read for that, but only if something was raised.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.ENOENT):  # Arrow gives none
            raise
        for snapshot in snapshots:
            if parts := snapshot.damaged():
                raise damage_of(snapshot, parts) from error
        raise


def find_snapshot(out: str) -> Snapshot | None:
    """Return the current snapshot of a folder, or the snapshot that a folder is, or None.

    Raises:
        DamagedFolderError: its manifest is damaged, or what names the current one is.
    """
    while (name := snapshot_name(out)) is not None:
        try:
            return open_kept(out, name)
        except DamagedFolderError:
            if snapshot_name(out) == name:
                raise  # else it went while it was opened, and there is a newer one
    top = output_folder(out)
    return None if top == out else open_kept(top, files.real(out).rpartition("/")[2])


def output_folder(path: str) -> str:
    """Return the folder that a path is; of a folder's `current`, or another of its snapshots, that folder."""
    folder = files.real(path)
    parent = folder.rpartition("/")[0]
    if parent.endswith("/" + SNAPSHOTS) and files.exists(files.join(folder, MANIFEST)):
        return parent.removesuffix("/" + SNAPSHOTS)
    return path


def last_snapshot(out: str) -> Snapshot | None:
    """Return the snapshot that readers had before `current` was damaged; None if it is not known.

    Raises:
        DamagedFolderError: its manifest is damaged.
    """
    name = last_published(out)
    return None if name is None else open_kept(out, name)


def open_snapshot(out: str) -> Snapshot:
    """Return the current snapshot of a folder.

    Raises:
        LexbeamError: nothing is published there, or its manifest is damaged.
    """
    snapshot = find_snapshot(out)
    if snapshot is None:
        raise LexbeamError(
            f"nothing is published at {out!r}"
            + (
                published_below(out)
                or ": check the path, or first run a command that publishes there, such as `lexbeam corpus`"
            )
        )
    return snapshot


def published_below(folder: str) -> str:
    """Return, for a message, at which folders directly below a local one something is published; else empty."""
    if not files.is_local(folder):
        return ""  # a look below would list all its objects
    below = [files.join(folder, name) for name in files.list_folder(folder).folders[:_LOOKED_INTO]]
    found = [files.shown(each) for each in below if snapshot_name(each) is not None]
    return f"; something is published at {', '.join(found[:_NAMED])}: name that" if found else ""


def open_kept(out: str, name: str) -> Snapshot:
    """Return a snapshot of a folder by its whole name, whether it is the current one or not.

    Raises:
        NewerFolderError: its manifest is of a later form.
        DamagedFolderError: it is of an earlier one, or damaged.
    """
    manifest = read_manifest(out, name)
    folder = files.join(out, SNAPSHOTS, name)
    form = manifest.get("lexbeam", {}).get("manifest_version", 0)
    if form > MANIFEST_VERSION:
        raise NewerFolderError(
            f"{files.join(folder, MANIFEST)} is of form {form}, and Lexbeam {own_build()} reads {MANIFEST_VERSION}: "
            "install the version that made it, or a later one; or name another folder"
        )
    if form not in (2, MANIFEST_VERSION):
        raise DamagedFolderError(
            f"{files.join(folder, MANIFEST)} is of an earlier version of Lexbeam: make the tables "
            "anew with `overwrite`, or in another folder"
        )
    return Snapshot(out, name, folder, manifest)


def read_manifest(out: str, name: str) -> dict[str, Any]:
    """Return the manifest of a snapshot, of whatever version, or its copy if it is damaged.

    Raises:
        DamagedFolderError: both are damaged.
    """
    path = files.join(out, SNAPSHOTS, name, MANIFEST)
    value = _plain(path)
    if value is not None and is_named(value, name):
        return value
    spare = read_log(out, name).get("manifest")
    if spare is not None and is_named(spare, name):
        log.warning("%s is damaged: its copy is read, and the next publication repairs it", path)
        return dict(spare)
    raise DamagedFolderError(f"{path} is damaged, and so is its copy: make the tables anew with `overwrite`")


def read_log(out: str, name: str) -> dict[str, Any]:
    """Return what is noted beside a snapshot: of each section, where it was made from."""
    return _plain(files.join(out, SNAPSHOTS, name + LOG)) or {}


def _plain(path: str) -> dict[str, Any] | None:
    try:
        value = parse_json(files.read_bytes(path))
    except ValueError:
        return None
    except OSError:
        # A disk that cannot be read is damaged; a store that does not answer may do so later.
        if not files.is_local(path) and files.exists(path):
            raise
        return None
    return value if isinstance(value, dict) and isinstance(value.get("tables", {}), dict) else None


O = TypeVar("O")  # noqa: E741


@dataclass(frozen=True)
class View(Entry, Generic[O]):
    """A named question about published tables; its doc line says what it answers.

    Attributes:
        options: dataclass of its options. The first one is the value of `--NAME` in `show`, and
            may be given without its name in Python.
        table: answers it as an Arrow table.
        blocks: answers it for a person, as lines and grids; None: the table's rows.
        plain: answers it as values that JSON can write, a mapping if it has several results; None:
            the table's rows.
    """

    options: type[O]
    table: Callable[[Snapshot, O], pa.Table]
    blocks: Callable[[Snapshot, O], Iterable[Block]] | None = None
    plain: Callable[[Snapshot, O], object] | None = None
