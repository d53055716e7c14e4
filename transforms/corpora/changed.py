"""Which documents two snapshots of a corpus do not share, and the files that documents come from."""

from collections.abc import Collection
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.corpus.documents import DOCUMENTS
from transforms.common.code.fingerprints import hash_of
from transforms.common.publish.differences import groups
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store.tables import read_table

__all__ = ["DocumentChanges", "changed_documents", "sources_of"]

_COLUMNS = ("source", "position", "year", "author", "title", "document_id")


class DocumentChanges(NamedTuple):
    """How many documents only one of two snapshots has, and the first of them.

    Attributes:
        added: how many only the later one has.
        removed: how many only the earlier one has.
        rows: columns `what` (added or removed), `source`, `position`, `year`, `author`, `title`, `document_id`; by
            source and position, so that a text that was changed has its two documents beside each other.
    """

    added: int
    removed: int
    rows: pa.Table


def changed_documents(before: Snapshot, after: Snapshot, most: int) -> DocumentChanges:
    """Return the documents that only one of two snapshots has, at most so many of them.

    Raises:
        LexbeamError: one of them has no table `documents`.
    """
    added = removed = 0
    first: pa.Table | None = None
    for old, new in groups(before.parts(DOCUMENTS.name), after.parts(DOCUMENTS.name)):
        earlier, later = (read_table([part.path for part in parts], _COLUMNS) for parts in (old, new))
        came = later.filter(pc.invert(pc.is_in(later["document_id"], earlier["document_id"])))
        went = earlier.filter(pc.invert(pc.is_in(earlier["document_id"], later["document_id"])))
        added, removed = added + len(came), removed + len(went)
        found = [
            rows.add_column(0, "what", pa.array([what] * len(rows), pa.string()))
            for what, rows in (("added", came), ("removed", went))
        ]
        keys = [(name, "ascending") for name in ("source", "position", "what", "document_id")]
        first = pa.concat_tables([*found, *([first] if first is not None else [])]).sort_by(keys).slice(0, most)
    if first is None:
        first = pa.table({name: pa.array([], pa.string()) for name in ("what", *_COLUMNS)})
    return DocumentChanges(added, removed, first)


def sources_of(snapshot: Snapshot, ids: Collection[str]) -> dict[str, str]:
    """Return the sources of those documents that a snapshot has, by their ids."""
    if DOCUMENTS.name not in snapshot.tables:
        return {}
    parts = snapshot.parts(DOCUMENTS.name)
    wanted = pa.array(sorted(ids), pa.string())
    found: dict[str, str] = {}
    for number in sorted({hash_of(name) % len(parts) for name in ids}):
        rows = read_table([parts[number].path], ["document_id", "source"])
        rows = rows.filter(pc.is_in(rows["document_id"], wanted))
        found |= zip(rows["document_id"].to_pylist(), rows["source"].to_pylist(), strict=True)
    return found
