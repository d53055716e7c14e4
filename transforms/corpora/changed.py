"""Which documents two snapshots of a corpus do not share, and the files that documents come from."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus.documents import DOCUMENTS
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.differences import groups, rows_as_now
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import Part

_PLACE = ("source", "position")
_ID = "document_id"
_COLUMNS = (*_PLACE, "year", "author", "title", _ID)


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
        LexbeamError: one of them has no table `documents`, or one of a version that told documents otherwise.
    """
    added = removed = 0
    first: pa.Table | None = None
    for old, new in groups(before.parts(DOCUMENTS.name), after.parts(DOCUMENTS.name)):
        earlier, later = (_read(parts, _COLUMNS, (*_PLACE, _ID)) for parts in (old, new))
        came = later.filter(pc.invert(pc.is_in(later[_ID], earlier[_ID])))
        went = earlier.filter(pc.invert(pc.is_in(earlier[_ID], later[_ID])))
        added, removed = added + len(came), removed + len(went)
        found = [
            rows.add_column(0, "what", pa.array([what] * len(rows), pa.string()))
            for what, rows in (("added", came), ("removed", went))
        ]
        keys = [(name, "ascending") for name in (*_PLACE, "what", _ID)]
        first = pa.concat_tables([*found, *([first] if first is not None else [])]).sort_by(keys).slice(0, most)
    if first is None:
        first = pa.table({name: pa.array([], pa.string()) for name in ("what", *_COLUMNS)})
    return DocumentChanges(added, removed, first)


def sources_of(snapshot: Snapshot, ids: Collection[str]) -> dict[str, str]:
    """Return the sources of those documents that a snapshot has and tells of, by their ids."""
    if DOCUMENTS.name not in snapshot.tables:
        return {}
    parts = snapshot.parts(DOCUMENTS.name)
    wanted = pa.array(sorted(ids), pa.string())
    found: dict[str, str] = {}
    with suppress(LexbeamError):  # of another version, which told documents otherwise
        for number in sorted({hash_of(name) % len(parts) for name in ids}):
            rows = _read([parts[number]], (_ID, "source"), (_ID, "source"))
            rows = rows.filter(pc.is_in(rows[_ID], wanted))
            found |= zip(rows[_ID].to_pylist(), rows["source"].to_pylist(), strict=True)
    return found


def _read(parts: Sequence[Part], columns: Sequence[str], needed: Sequence[str]) -> pa.Table:
    known = DOCUMENTS.schema()
    return pa.concat_tables(rows_as_now(parts, pa.schema([known.field(name) for name in columns]), needed))
