"""What is published in a folder, as one object: tables, manifest, and the sections' views."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from lexbeam._shown import ArrowTable, Lines
from lexbeam._views import answer_table
from lexbeam.pipelines.frame.command import Command
from lexbeam.pipelines.frame.registry import COMMANDS, command_of, section_of
from lexbeam.pipelines.shown.rows import as_html, folded
from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.publish.history import resolve_snapshot
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_kept, open_snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.remote import file_system
from lexbeam.views import Views

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

FIRST = 5  # rows of a table that are shown


@dataclass(frozen=True, repr=False, eq=False)
class Results(Views):
    """One published state of a folder, resolved once: all tables are read from it.

    A later publication changes nothing of it as long as its snapshot is kept (`keep_snapshots`); after
    that, files are missing, never mixed. Results stand for their folder wherever a path is taken:
    `lexbeam.report(results)`.

    Attributes:
        snapshot: the published state.
        told: the lines and warnings of the command that returned it; of results that were opened there are none.
        made: the sections that this command makes; of results that were opened, or of several commands, all.
    """

    snapshot: Snapshot
    told: Lines = field(default_factory=Lines)
    made: tuple[str, ...] = ()

    def summary(self) -> Lines:
        """Return what the command line tells: warnings, the summary of each section made, and what else was said.

        Raises:
            LexbeamError: the tables have been removed, or are damaged.
        """
        return Lines(self._summary())

    def _summary(self) -> Iterator[Block]:
        from lexbeam.pipelines.frame.running import summary_of

        yield from (f"warning: {warning}" for warning in self.told.warnings)
        for section, why in self.snapshot.held.items():
            yield f"held: {section}: {why}"
        shown: list[Block] = []
        made = list(self._made())
        for section, command in made:
            shown += ["", f"{section}:"] if len(made) > 1 else []
            shown += summary_of(self.snapshot, section, command)
        yield from shown
        known = {*Lines(shown)}
        yield from (line for line in self.told if line and line not in known)

    def _made(self) -> Iterator[tuple[str, Command[Any, Any]]]:
        """Yield the sections that are shown, in the order of the commands, with the commands that make them."""
        for section in self.made or map(section_of, COMMANDS):
            if section in self.sections and (command := command_of(section)) is not None:
                yield section, command

    def _repr_html_(self) -> str:
        from lexbeam.pipelines.shown.overview import describe_table

        pieces = [f"<b>{escape(files.shown(self.folder))}</b>", as_html(self._summary())]
        named = [name for _, command in self._made() for name in command.table_names]
        for name in (name for name in named if name in self.snapshot.tables):
            title, *rows = describe_table(name, self.paths(name), FIRST, columns=False)
            pieces.append(folded(str(title), rows))
        return "\n".join(pieces)

    @property
    def folder(self) -> str:
        """The folder of published tables, absolute."""
        return self.snapshot.out

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest: sections, tables and environments; docs/reference/tables.md has its keys."""
        return self.snapshot.manifest

    @property
    def sections(self) -> dict[str, dict[str, Any]]:
        """What the manifest says of each section: options, stages, inputs, counts."""
        return self.snapshot.sections

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(self.snapshot.tables)

    def table(self, name: str, columns: Sequence[str] | None = None) -> ArrowTable:
        """Return a whole table, or some columns of it.

        Raises:
            LexbeamError: there is no such table, or it has no such column.
        """
        for column in columns or ():
            if column not in (known := self._columns(name)):
                hint = nearest(column, known)
                raise LexbeamError(f"table {name} has no column {column!r}; it has {', '.join(known)}{hint}")
        return ArrowTable(self.snapshot.read(name, columns))

    def _columns(self, name: str) -> list[str]:
        with files.open_read(self.snapshot.paths(name)[0]) as stream:
            return list(pq.read_schema(stream).names)

    def ask(self, section: str, view: str, **options: Any) -> ArrowTable:
        """Return the answer of a section's view by its name, for views that only this installation knows.

        Raises:
            LexbeamError: the section is not published, or the view finds nothing.
            UsageError: the section has no such view, or an option is wrong.
        """
        return answer_table(self.snapshot, (section,), view, options)

    def paths(self, name: str) -> list[str]:
        """Return the Parquet files of a table, in the order of its rows; raises as `table`."""
        return self.snapshot.paths(name)

    @property
    def filesystem(self) -> "AbstractFileSystem":
        """The file system that `paths` are on, as fsspec has it: pandas, DuckDB and Arrow read by it.

        It signs in as Lexbeam does.

        Raises:
            UsageError: the package fsspec is missing.
            LexbeamError: fsspec knows no such file system.
        """
        return file_system(self.folder)

    def __fspath__(self) -> str:
        return self.folder

    def __repr__(self) -> str:
        rows = (f"{name} {entry['rows']} rows" for name, entry in self.snapshot.tables.items())
        return f"<Results of {files.shown(self.folder)!r}: {', '.join(rows)}>"


def open_results(folder: str | os.PathLike[str], *, snapshot: str | None = None) -> Results:
    """Return what is published in a folder, from Python or from the command line.

    Args:
        folder: the folder, on any file system that Beam supports, or one of its snapshots.
        snapshot: a snapshot that is kept there: its name, the first six or more digits of it, or its tag; if not given,
            the current one.

    Raises:
        UsageError: there is no such snapshot.
        LexbeamError: nothing is published there, or its manifest is damaged.
    """
    out = files.absolute(os.fspath(folder))
    current = open_snapshot(out)
    return Results(current if snapshot is None else open_kept(current.out, resolve_snapshot(current.out, snapshot)))
