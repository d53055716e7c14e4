"""How two snapshots differ: rows by their key, columns, schema versions, and why sections and tables are others.

    for table in differences(before, after):
        print(table.name, table.added, table.removed, table.changed)

Parts with the same content are not read. Of a table of as many parts in both, a part is compared at a time, since a
key falls into the same part of as many; of one with more parts than before, the whole.

What became of sections and tables, and why, `changes` says as far as manifests do.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.common.code.fingerprints import readable_json
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.layout import Section, TableEntry
from lexbeam.transforms.common.publish.sections import input_columns
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import Part, read_rows

EXAMPLES = 5
_KEY = b"lexbeam.key"


class TableDifference(NamedTuple):
    """How a table differs.

    Attributes:
        name: the table.
        key: names of the columns that tell rows apart.
        versions: of its schema, before and after; None where there is no such table.
        columns_added: names of columns that only the later one has.
        columns_removed: and only the earlier one; a column of another type is among both.
        rows: before and after.
        added: rows whose key only the later one has. Where a column of the key is only in one, or of another type,
            no row of one is that of the other.
        removed: rows whose key only the earlier one has.
        changed: rows of the same key that differ in a column that both have.
        columns: of these, how many differ in which column.
        examples: keys of the first rows added, removed and changed, by those words.
    """

    name: str
    key: tuple[str, ...]
    versions: tuple[str | None, str | None]
    columns_added: tuple[str, ...]
    columns_removed: tuple[str, ...]
    rows: tuple[int, int]
    added: int
    removed: int
    changed: int
    columns: Mapping[str, int]
    examples: Mapping[str, tuple[tuple[Any, ...], ...]]


class _Rows(NamedTuple):
    """How rows differ: places of those added (in the later table), removed (in the earlier), changed (in both)."""

    added: np.ndarray
    removed: np.ndarray
    changed: np.ndarray
    columns: dict[str, int]


def differences(before: Snapshot, after: Snapshot) -> Iterator[TableDifference]:
    """Yield the tables that differ between two snapshots, in order of their names."""
    return (difference(name, before, after) for name in differing(before, after))


def differing(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield the names of the tables that differ between two snapshots, in order."""
    for name in sorted({*before.tables, *after.tables}):
        if _digests(before.tables.get(name)) != _digests(after.tables.get(name)):
            yield name


def pairs_up(name: str, before: Snapshot, after: Snapshot) -> bool:
    """Return whether a table of two snapshots is compared part by part."""
    return len(before.tables[name]["parts"]) == len(after.tables[name]["parts"])


def _digests(entry: TableEntry | None) -> list[str] | None:
    return None if entry is None else [entry["schema_version"], *(part["sha256"] for part in entry["parts"])]


def difference(name: str, before: Snapshot, after: Snapshot) -> TableDifference:
    """Return how a table of two snapshots differs."""
    sides = [snapshot.parts(name) if name in snapshot.tables else [] for snapshot in (before, after)]
    schemas = [pq.read_schema(_stream(parts[0])) if parts else None for parts in sides]
    versions = tuple(s.tables[name]["schema_version"] if name in s.tables else None for s in (before, after))
    added, removed = _columns(*schemas)
    rows = (sum(part.rows for part in sides[0]), sum(part.rows for part in sides[1]))
    key = _key_of(next(schema for schema in reversed(schemas) if schema is not None))
    if schemas[0] is None or schemas[1] is None or {*added, *removed} & {*key}:
        counts = {"added": rows[1], "removed": rows[0], "changed": 0}
        return TableDifference(name, tuple(key), versions, added, removed, rows, **counts, columns={}, examples={})  # type: ignore[arg-type]
    counts = dict.fromkeys(("added", "removed", "changed"), 0)
    columns: dict[str, int] = {}
    examples: dict[str, list[tuple[Any, ...]]] = {word: [] for word in counts}
    for old, new in groups(*sides):
        earlier, later = (pa.concat_tables(pq.read_table(_stream(part)) for part in parts) for parts in (old, new))
        found = compare_rows(earlier, later, key)
        for word, places, table in zip(counts, found[:3], (later, earlier, later), strict=True):
            counts[word] += len(places)
            if len(examples[word]) < EXAMPLES:
                picked = table.select(key).take(places[:EXAMPLES])
                examples[word] += zip(*(column.to_pylist() for column in picked.columns), strict=True)
        for column, number in found.columns.items():
            columns[column] = columns.get(column, 0) + number
    shown = {word: tuple(sorted(keys, key=repr)[:EXAMPLES]) for word, keys in examples.items() if keys}
    return TableDifference(name, tuple(key), versions, added, removed, rows, **counts, columns=columns, examples=shown)  # type: ignore[arg-type]


def _stream(part: Part) -> Any:
    return files.open_read(part.path)


def _key_of(schema: pa.Schema) -> list[str]:
    """Return the columns that tell rows apart: of a table that names none, all."""
    key = (schema.metadata or {}).get(_KEY)
    return key.decode().split(",") if key else list(schema.names)


def _columns(before: pa.Schema | None, after: pa.Schema | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the columns added and removed; one of another type is both."""
    if before is None or after is None:
        return (), ()
    old, new = dict(zip(before.names, before.types, strict=True)), dict(zip(after.names, after.types, strict=True))
    added = tuple(name for name, kind in new.items() if old.get(name) != kind)
    return added, tuple(name for name, kind in old.items() if new.get(name) != kind)


def groups(before: Sequence[Part], after: Sequence[Part]) -> Iterator[tuple[list[Part], list[Part]]]:
    """Yield parts to compare with each other, but those with the same content."""
    if len(before) != len(after):
        yield list(before), list(after)
        return
    for old, new in zip(before, after, strict=True):
        if old.sha256 != new.sha256:
            yield [old], [new]


def rows_as_now(parts: Sequence[Part], schema: pa.Schema, needed: Collection[str]) -> Iterator[pa.Table]:
    """Yield rows that an earlier or a later version may have written, in columns of this one; lastly a table of none.

    Args:
        parts: of one table.
        schema: the columns that are wanted. One that is not there, or is of another type, is null.
        needed: names of columns without which the rows say nothing.

    Raises:
        LexbeamError: one of these is not there, or is of another type.
    """
    for part in parts:
        known = pq.read_schema(_stream(part))
        there = [each.name for each in schema if each.name in known.names and known.field(each.name).type == each.type]
        for name in needed:
            if name not in there:
                raise LexbeamError(
                    f"table {part.table} was written by another version of Lexbeam, without column {name} of type "
                    f"{schema.field(name).type}: {part.path}"
                )
        for rows in read_rows([part.path], there):
            columns = [rows[each.name] if each.name in there else pa.nulls(len(rows), each.type) for each in schema]
            yield pa.table(columns, names=schema.names)
    yield pa.schema([pa.field(each.name, each.type) for each in schema]).empty_table()


def compare_rows(before: pa.Table, after: pa.Table, key: Sequence[str]) -> _Rows:
    """Return how the rows of two tables differ that are told apart by their key.

    Nulls are equal to each other, and so are two NaN. Of rows with the same key within a table, which no table of ours
    has, the first counts.
    """
    in_old, in_new = matched_rows(before, after, key)
    differs = np.zeros(len(in_old), dtype=bool)
    columns: dict[str, int] = {}
    for name in before.schema.names:
        kind = before.schema.field(name).type
        if name in after.schema.names and after.schema.field(name).type == kind:
            unequal = ~equal_rows(before.column(name).take(in_old), after.column(name).take(in_new))
            if number := int(unequal.sum()):
                columns[name] = number
                differs |= unequal
    added, removed = np.delete(np.arange(len(after)), in_new), np.delete(np.arange(len(before)), in_old)
    return _Rows(added, removed, np.sort(in_new[differs]), columns)


def matched_rows(before: pa.Table, after: pa.Table, key: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the places, in each of two tables, of the rows that have the same key in both; nulls are equal."""
    codes = _codes(before.select(key), after.select(key))
    _, old, new = np.intersect1d(codes[: len(before)], codes[len(before) :], return_indices=True)
    return old, new


def _codes(before: pa.Table, after: pa.Table) -> np.ndarray:
    """Return numbers of the rows of two tables, one after the other: the same number for equal rows."""
    codes = np.zeros(len(before) + len(after), dtype=np.int64)
    for name in before.schema.names:
        column = pa.chunked_array(
            [*before.column(name).chunks, *after.column(name).chunks], before.schema.field(name).type
        )
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        values = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        _, codes = np.unique(codes * max(len(encoded.dictionary), 1) + values, return_inverse=True)
    return codes


def equal_rows(before: pa.ChunkedArray | pa.Array, after: pa.ChunkedArray | pa.Array) -> np.ndarray:
    """Return which values of two columns of one type and length are equal, bools; nulls and NaN are to themselves."""
    one, other = _whole(before), _whole(after)
    nulls = one.is_null().to_numpy(zero_copy_only=False), other.is_null().to_numpy(zero_copy_only=False)
    kind = one.type
    if pa.types.is_null(kind):
        return np.ones(len(one), dtype=bool)
    if pa.types.is_struct(kind):
        equal = np.ones(len(one), dtype=bool)
        for number in range(kind.num_fields):
            equal &= equal_rows(pc.struct_field(one, number), pc.struct_field(other, number))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        equal = _equal_lists(one, other)
    elif pa.types.is_floating(kind):
        left, right = (each.to_numpy(zero_copy_only=False) for each in (one, other))
        equal = (left == right) | (np.isnan(left) & np.isnan(right))
    else:
        equal = pc.equal(one, other).fill_null(False).to_numpy(zero_copy_only=False)
    return np.asarray(np.where(nulls[0] | nulls[1], nulls[0] & nulls[1], equal))


def _whole(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _equal_lists(one: pa.Array, other: pa.Array) -> np.ndarray:
    lengths = [pc.list_value_length(each).fill_null(0).to_numpy(zero_copy_only=False) for each in (one, other)]
    equal = np.asarray(lengths[0] == lengths[1])
    places = np.flatnonzero(equal)
    inside = equal_rows(*(pc.list_flatten(each.take(pa.array(places))) for each in (one, other)))
    starts = np.repeat(places, lengths[0][places])
    equal[starts[~inside]] = False
    return equal


_SHOWN = 200  # characters of an option's value; of a longer one its digest is noted


class TableChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a table.

    Attributes:
        rows: its rows; None: it is gone.
        before: its rows before; None: there was none.
        parts: parts of it that were not there before.
    """

    rows: int | None = None
    before: int | None = None
    parts: int = 0


class SectionChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a section, and why, as far as its two entries in the manifests say.

    Attributes:
        how: new, remade or dropped.
        options: options that have another value: the one before and the one after.
        inputs: whether the files that it took in are others, or have other content.
        resources: whether the word lists, models and other files that it was given are others.
        reads: tables that it was made from, of other content.
        code: stages whose code is another.
        versions: Lexbeam, Python and packages of other versions: before and after.
        forgotten: whether it leaves out more, or less, as forgotten.
        kept: what it keeps of another snapshot than before, such as splits, and of which; None: of none any more.
    """

    how: str
    options: dict[str, tuple[Any, Any]] = {}
    inputs: bool = False
    resources: bool = False
    reads: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    versions: dict[str, tuple[str | None, str | None]] = {}
    forgotten: bool = False
    kept: dict[str, str | None] = {}


def changes(before: Snapshot | None, after: Snapshot) -> tuple[dict[str, SectionChange], dict[str, TableChange]]:
    """Return the sections and the tables that differ between two snapshots."""
    earlier, later = before.sections if before else {}, after.sections
    sections = {}
    for name in sorted({*earlier, *later}):
        if name not in later:
            sections[name] = SectionChange("dropped")
        elif before is None or name not in earlier:
            sections[name] = SectionChange("new")
        elif earlier[name] != later[name]:
            change = _section_change(before, after, name)
            if change != SectionChange("remade") or earlier[name].get("parts") != later[name].get("parts"):
                sections[name] = change
    tables = {}
    there: Mapping[str, TableEntry] = before.tables if before else {}
    for name in sorted({*there, *after.tables}):
        old, new = there.get(name), after.tables.get(name)
        known = {part["sha256"] for part in old["parts"]} if old else set()
        parts = sum(part["sha256"] not in known for part in new["parts"]) if new else 0
        gone = old is not None and new is not None and len(old["parts"]) != len(new["parts"])
        if old is None or new is None or parts or gone:
            tables[name] = TableChange(new and new["rows"], old and old["rows"], parts)
    return sections, tables


def _section_change(before: Snapshot, after: Snapshot, name: str) -> SectionChange:
    old, new = before.sections[name], after.sections[name]
    kept_before, kept = _kept(old), _kept(new)
    digests = {read["table"]: read["digest"] for read in old.get("reads", ())}
    stages = old.get("stages", {})
    return SectionChange(
        "remade",
        options=_differing(old.get("options", {}), new.get("options", {})),
        inputs=_takes_in_others(before, after, name),
        resources=_resources(old) != _resources(new),
        reads=tuple(sorted(r["table"] for r in new.get("reads", ()) if digests.get(r["table"]) != r["digest"])),
        code=tuple(
            sorted(stage for stage, entry in new.get("stages", {}).items() if entry != stages.get(stage, entry))
        ),
        versions=_differing(_versions(before, name), _versions(after, name)),
        forgotten=_forgotten(old) != _forgotten(new),
        kept={
            what: kept.get(what) for what in sorted({*kept_before, *kept}) if kept_before.get(what) != kept.get(what)
        },
    )


def _kept(section: Section) -> dict[str, str]:
    """Return the snapshots of which a section keeps something, as `keep_missing` and `freeze_splits` have it."""
    found = {"documents": section.get("resources", {}).get("kept"), "splits": section.get("kept")}
    return {what: snapshot for what, snapshot in found.items() if isinstance(snapshot, str)}


def _forgotten(section: Section) -> Any:
    return section.get("resources", {}).get("forgotten")


def _resources(section: Section) -> dict[str, Any]:
    told = ("kept", "forgotten")  # by themselves
    return {name: value for name, value in section.get("resources", {}).items() if name not in told}


def _takes_in_others(before: Snapshot, after: Snapshot, name: str) -> bool:
    """Return whether the files that a section took in are others.

    The digest of a table of them hangs on its parts, and on what became of the files, as well.
    """
    old, new = (snapshot.sections[name].get("inputs") for snapshot in (before, after))
    if old == new:
        return False
    sizes = {(inputs["files"], inputs["bytes"]) for inputs in (old, new) if isinstance(inputs, Mapping)}
    if len(sizes) > 1:
        return True
    with suppress(OSError, pa.ArrowException, LexbeamError):
        return _files_digest(before, name) != _files_digest(after, name)
    return True  # a part is damaged


def _files_digest(snapshot: Snapshot, name: str) -> int:
    """Return a digest of the names and contents of the files that a section took in, in whatever order."""
    found = 0
    for names, _, digests in input_columns(snapshot, snapshot.sections[name]):
        for file, digest in zip(names, digests, strict=True):  # the same file stands in a table once
            found ^= int.from_bytes(hashlib.sha256(f"{file} {digest}".encode()).digest())
    return found


def _versions(snapshot: Snapshot, name: str) -> dict[str, str]:
    environment = snapshot.manifest.get("environments", {}).get(snapshot.sections[name].get("environment"), {})
    build = {} if (by := snapshot.made_by(name)) is None else {"lexbeam": str(by)}
    return {**build, "python": environment.get("python", ""), **environment.get("packages", {})}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {
        name: (_shown(before.get(name)), _shown(after.get(name)))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    }


def _shown(value: Any) -> Any:
    """Return a value as history has it: a long one, such as a list of a thousand words, by its digest."""
    text = readable_json(value)
    return value if len(text) <= _SHOWN else f"sha256:{hashlib.sha256(text).hexdigest()}"
