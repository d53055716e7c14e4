"""Sections of a folder: what a command made, and what becomes of the others when one is remade.

A section owns tables. If it is remade with other content, the sections made from it are dropped:
their record says which tables they read, with digests. Remade with equal content it drops nothing.

Input files stand in a section as a list, or as a table of which it has counts and digest:

    "inputs": [{"name": ..., "bytes": ..., "sha256": ...}, ...]
    "inputs": {"table": ..., "files": ..., "bytes": ..., "digest": ...}
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import ReplacedSectionsError, UsageError, nearest
from lexbeam.transforms.common.publish.layout import Manifest, PartEntry, Section, TableEntry
from lexbeam.transforms.common.publish.run_log import RunLine
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import Part, part_name, read_rows, written

_INPUT = ("name", "bytes", "sha256")


class ReadTable(NamedTuple):
    """A table that a section was made from.

    Attributes:
        table: its name.
        digest: of its content, see `table_digest`.
        section: the section of the same folder that it belongs to; None if it was read elsewhere.
    """

    table: str
    digest: str
    section: str | None


@dataclass(frozen=True, kw_only=True)
class Made:
    """A section as a run has made it, unpublished.

    Attributes:
        name: the command that makes it, `change` or `complexity.split`.
        parts: its tables' parts.
        entry: what the manifest says of it.
        reads: the tables it was made from.
        log: what is noted beside the snapshot: where its inputs lie, when they were listed.
        took: what its stages took.
    """

    name: str
    parts: tuple[Part, ...]
    entry: Section
    reads: tuple[ReadTable, ...] = ()
    log: Mapping[str, Any] | None = None
    took: tuple[RunLine, ...] = ()

    def of_table(self, table: str) -> list[Part]:
        """Return the parts of one of its tables, in order."""
        return sorted((part for part in self.parts if part.table == table), key=attrgetter("number"))

    @property
    def tables(self) -> list[str]:
        """The names of its tables, sorted."""
        return sorted({part.table for part in self.parts})


class Outcome(NamedTuple):
    """What a publication does to the sections of a folder.

    Attributes:
        kept: names of the sections that are carried over.
        replaced: names of those that are replaced.
        dropped: names of those that go, for what they were made from is another now.
        damaged: parts of sections that are carried over which were damaged before.
    """

    kept: tuple[str, ...]
    replaced: tuple[str, ...]
    dropped: tuple[str, ...]
    damaged: tuple[str, ...] = ()


def table_entry(parts: Sequence[Part], version: str) -> TableEntry:
    """Return what a manifest says of a table with these parts."""
    numbers = {part.number for part in written(parts)}
    entries: list[PartEntry] = []
    for index, part in enumerate(parts):
        entry: PartEntry = {"rows": part.rows, "bytes": part.bytes, "sha256": part.sha256}
        entries.append(
            {"file": part_name(index, len(parts), part.sha256), **entry} if part.number in numbers else entry
        )
    return {"rows": sum(part.rows for part in parts), "schema_version": version, "parts": entries}


def table_digest(parts: Iterable[Part | PartEntry]) -> str:
    """Return the digest of a table's content: of rows and SHA-256 of its parts in their order.

    `parts` are parts, or their entries in a manifest.
    """
    rows = [[part.rows, part.sha256] if isinstance(part, Part) else [part["rows"], part["sha256"]] for part in parts]
    return digest(rows)


def inputs_entry(table: str, parts: Sequence[Part], size: int) -> dict[str, Any]:
    """Return what a manifest says of input files of `size` bytes in all, whose rows are a table."""
    return {"table": table, "files": sum(part.rows for part in parts), "bytes": size, "digest": table_digest(parts)}


def input_columns(snapshot: Snapshot, section: Section) -> Iterator[tuple[list[str], list[int], list[str]]]:
    """Yield names, bytes and SHA-256 of a section's input files, some thousands at a time.

    Raises:
        LexbeamError: the table is not there.
    """
    inputs = section.get("inputs", ())
    if isinstance(inputs, Mapping):
        for rows in read_rows(snapshot.paths(inputs["table"]), _INPUT):
            names, sizes, digests = (rows.column(name).to_pylist() for name in _INPUT)
            yield names, sizes, digests
    else:
        listed = [row for row in inputs if isinstance(row, Mapping)]
        names, sizes, digests = ([row[name] for row in listed] for name in _INPUT)
        yield names, sizes, digests


def owner_of(manifest: Manifest, table: str) -> str | None:
    """Return the section that a table belongs to."""
    for name, section in manifest.items():
        if isinstance(section, dict) and table in section.get("parts", {}):
            return name
    return None


def replaced(manifest: Manifest, made: Mapping[str, Collection[str]]) -> list[str]:
    """Return the sections that go when these are made: those of the same name or with a table."""
    names = {name for name in made if name in manifest}
    for tables in made.values():
        names.update(owner for table in tables if (owner := owner_of(manifest, table)))
    return sorted(names)


def dependants(manifest: Manifest, names: Collection[str]) -> list[str]:
    """Return the sections made from one of `names`, or from a section that was."""
    dependent: set[str] = set()
    while True:
        more = {
            name
            for name, section in manifest.items()
            if isinstance(section, dict) and name not in names and name not in dependent
            for read in section.get("reads", ())
            if read["section"] in names or read["section"] in dependent
        }
        if not more:
            return sorted(dependent)
        dependent |= more


def check_replacing(
    manifest: Manifest | None,
    made: Mapping[str, Collection[str]],
    *,
    overwrite: bool,
    drop: Collection[str] = (),
    out: str = "",
) -> None:
    """Check before a run that it may publish sections with these tables.

    Raises:
        ReplacedSectionsError: published sections would be replaced or dropped, and `overwrite` was not asked for.
        UsageError: there is no section of a name to be dropped.
    """
    known = [name for name, value in (manifest or {}).items() if _is_section(value)]
    for name in drop:
        if name not in known:
            hint = nearest(name, known) or f"; there are {', '.join(known) or 'none'}"
            raise UsageError(f"`drop` {name}: no such section at {out!r}{hint}")
    if manifest is None or overwrite:
        return
    gone = replaced(manifest, made)
    along = [name for name in dependants(manifest, [*gone, *drop]) if name not in made and name not in drop]
    if gone or (drop and along):
        consequence = f"; other content would also drop {', '.join(along)}, made from it"
        held = gone or sorted(drop)
        raise ReplacedSectionsError(
            f"{out!r} holds the published section{'s' * (len(held) > 1)} {', '.join(held)}: give "
            f"`overwrite` to replace it{consequence if along else ''}, or another `out`"
        )


def _is_section(value: object) -> bool:
    return isinstance(value, dict) and "parts" in value


def decide(manifest: Manifest | None, made: Sequence[Made], drop: Collection[str] = ()) -> Outcome:
    """Return what becomes of the published sections when `made` are published."""
    sections = {name: value for name, value in (manifest or {}).items() if _is_section(value)}
    gone = replaced(sections, {section.name: section.tables for section in made})
    left = {name: value for name, value in sections.items() if name not in gone}
    dropped = [name for name in left if name in drop]
    for name in dropped:
        del left[name]
    # A section that goes takes its tables along, which may be what others were made from.
    while True:
        there = {
            table: table_digest((manifest or {})["tables"][table]["parts"])
            for value in left.values()
            for table in value["parts"]
        }
        for section in made:
            there |= {table: table_digest(section.of_table(table)) for table in section.tables}
        lost = [name for name, value in left.items() if not _still_fits(value, there)]
        if not lost:
            break
        for name in lost:
            dropped.append(name)
            del left[name]
    return Outcome(tuple(sorted(left)), tuple(gone), tuple(sorted(dropped)))


def _still_fits(section: Section, there: Mapping[str, str]) -> bool:
    """Return whether the tables of the folder that a section was made from have the content that they had."""
    reads = [read for read in section.get("reads", ()) if read["section"] is not None]
    return all(there.get(read["table"]) == read["digest"] for read in reads)


def same_content(manifest: Manifest, made: Made) -> bool:
    """Return whether a section is published with the same tables, inputs and options."""
    section: Section = manifest.get(made.name, {})
    if not _is_section(section) or sorted(section["parts"]) != made.tables:
        return False
    names = ("inputs", "options", "resources")
    return all(section.get(name) == made.entry.get(name) for name in names) and all(
        table_digest(manifest["tables"][table]["parts"]) == table_digest(made.of_table(table)) for table in made.tables
    )
