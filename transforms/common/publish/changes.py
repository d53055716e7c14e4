"""What became of sections and tables between two snapshots, and why, as far as their manifests say."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import readable_json
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.manifests import Section, TableEntry
from lexbeam.transforms.common.publish.sections import input_columns
from lexbeam.transforms.common.publish.snapshots import Snapshot

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
