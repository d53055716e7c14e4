"""The corpora that a published section was made from, if they are still there.

Their paths are noted beside the snapshot (a manifest holds none): relative to the output folder, so
that both can be moved together, and absolute. Digests in the manifest show whether a corpus is still
the same.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, read_log
from lexbeam.transforms.common.store import files
from lexbeam.transforms.corpora.corpus import _DOCUMENTS, _SENTENCES


class Origins(NamedTuple):
    """Corpora that were found, and a line about each that was not found or has changed."""

    places: tuple[Snapshot, ...]
    notes: tuple[str, ...] = ()


class _Noted(NamedTuple):
    """A folder that a section was made from: where to look for it, and digests of its tables."""

    places: tuple[str, ...]
    tables: Mapping[str, str]


def find_corpora(snapshot: Snapshot, section: str) -> Origins:
    """Return the corpora whose `sentences` a section was made from.

    A corpus with other sentences is taken as long as its documents are the same: it was annotated
    anew.

    Raises:
        LexbeamError: the section is not published.
    """
    reads = [read for read in snapshot.section(section)["reads"] if read["table"] == _SENTENCES]
    wanted = {read["digest"] for read in reads if read["section"] is None}
    places = [snapshot] if any(read["section"] is not None for read in reads) else []
    notes: list[str] = []
    if not wanted:
        return Origins(tuple(places))
    noted = _noted(snapshot, section)
    for folder in noted:
        corpus, note = _origin(folder, wanted)
        places += [corpus] if corpus is not None else []
        notes += [note] if note else []
    if not noted:
        notes.append("where the corpus was is not noted: name its folder by `corpus`")
    return Origins(tuple(places), tuple(notes))


def _noted(snapshot: Snapshot, section: str) -> list[_Noted]:
    """Return the noted folders that held sentences."""
    log = (read_log(snapshot.out, snapshot.name).get("sections") or {}).get(section) or {}
    entries = log.get("sources")
    if entries is None:  # of an earlier version
        return [_Noted((folder,), {}) for folder in log.get("folders", ())]
    return [
        _Noted((*_relative(snapshot.out, entry), entry["folder"]), entry["tables"])
        for entry in entries
        if _SENTENCES in entry["tables"]
    ]


def _relative(out: str, entry: Mapping[str, Any]) -> tuple[str, ...]:
    path = entry.get("relative")
    return () if path is None else (files.real(files.join(files.real(out), path)),)


def _origin(noted: _Noted, wanted: set[str]) -> tuple[Snapshot | None, str]:
    """Return the corpus of a noted folder, and a note for the reader."""
    there = [snapshot for place in noted.places if (snapshot := _open(place)) is not None]
    shown = files.shown(noted.places[-1])
    for snapshot in there:
        if table_digest(snapshot.parts(_SENTENCES)) in wanted:
            return snapshot, ""
    for snapshot in there:
        documents = noted.tables.get(_DOCUMENTS)
        if _DOCUMENTS in snapshot.tables and table_digest(snapshot.parts(_DOCUMENTS)) == documents:
            return snapshot, (
                f"the corpus at {files.shown(snapshot.out)} has been annotated anew since; its documents are the same"
            )
    if there:
        return None, (
            f"the corpus at {shown} has other documents now than this was made from: name one by "
            "`corpus`, or make this anew"
        )
    return None, f"the corpus that this was made from is no longer at {shown}: name it by `corpus`"


def _open(place: str) -> Snapshot | None:
    try:
        snapshot = find_snapshot(place)
    except (LexbeamError, OSError):
        return None
    return snapshot if snapshot is not None and _SENTENCES in snapshot.tables else None
