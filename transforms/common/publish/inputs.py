"""Input files as a section has them: a list in the manifest, or a table of which the manifest has counts and digest.

"inputs": [{"name": ..., "bytes": ..., "sha256": ...}, ...]
"inputs": {"table": ..., "files": ..., "bytes": ..., "digest": ...}
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transforms.common.publish.manifests import Section
from transforms.common.publish.sections import table_digest
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store.tables import Part, read_rows

__all__ = ["input_columns", "inputs_entry"]

_COLUMNS = ("name", "bytes", "sha256")


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
        for rows in read_rows(snapshot.paths(inputs["table"]), _COLUMNS):
            names, sizes, digests = (rows.column(name).to_pylist() for name in _COLUMNS)
            yield names, sizes, digests
    else:
        listed = [row for row in inputs if isinstance(row, Mapping)]
        names, sizes, digests = ([row[name] for row in listed] for name in _COLUMNS)
        yield names, sizes, digests
