"""Manifests as plain values: whether one is what its snapshot's name says, which parts it names.

A snapshot's name is the digest of its manifest. On object stores a manifest also says, of a part
that an earlier snapshot wrote, which object that is. This is left out of the digest, so that the
same sections have the same name everywhere.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NotRequired, TypedDict

from lexbeam.transforms.common.code.fingerprints import digest


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
