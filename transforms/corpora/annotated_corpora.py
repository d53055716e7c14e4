"""Annotated corpora: their parts, what manifests say of them, which of them a section was made from, what changed.

The paths of the corpora that a section was made from are noted beside the snapshot (a manifest holds none): relative to
the output folder, so that both can be moved together, and absolute. Digests in the manifest show whether a corpus is
still the same.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import DOCUMENTS
from lexbeam.transforms.common.code.fingerprints import bucket_of, hash_of
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.differences import groups, rows_as_now
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, read_log
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import Place, Size
from lexbeam.transforms.common.store.tables import Part

SECTION = "corpus"
# All may have been left out, or forgotten.
UNDATED = "no document has a year: make the corpus anew with `dates` or, if it has no document at all, with others"
_DOCUMENTS = "documents"
_SENTENCES = "sentences"


class SentencePart(NamedTuple):
    """A part of table `sentences` of one of the corpora; `rows` is its size."""

    rows: Size
    path: Place
    bytes: Size
    sha256: str


class PartPair(NamedTuple):
    """The parts of `documents` and of `sentences` that hold the same documents."""

    documents: Part
    sentences: Part

    @property
    def size(self) -> int:
        """Bytes of the sentences, for dealing out."""
        return self.sentences.bytes


@dataclass(frozen=True)
class Corpus:
    """An annotated corpus: its parts, and what its manifest says of it.

    Attributes:
        parts: the parts of tables `documents` and `sentences`, in their order.
        section: the section `corpus` of its manifest.
    """

    parts: Mapping[str, tuple[Part, ...]]
    section: Mapping[str, Any]

    @classmethod
    def published(cls, snapshot: Snapshot) -> "Corpus":
        """Return the corpus of a snapshot.

        Raises:
            LexbeamError: it has none.
        """
        section = snapshot.section(SECTION)
        parts = {table: tuple(snapshot.parts(table)) for table in (_DOCUMENTS, _SENTENCES)}
        return cls(parts, section)

    @property
    def pairs(self) -> tuple[PartPair, ...]:
        """The parts of both tables, by bucket: `place_of` tells which holds a document."""
        both = zip(self.parts[_DOCUMENTS], self.parts[_SENTENCES], strict=True)
        return tuple(PartPair(*parts) for parts in both)


def place_of(document_id: str, parts: int) -> int:
    """Return which of a corpus's parts holds a document, if the corpus has it.

    An id that is not hexadecimal belongs to no document: any part, such as the first, will say so.
    """
    try:
        return bucket_of(document_id, parts)
    except ValueError:
        return 0


def sentence_parts(corpora: Sequence[Corpus]) -> list[SentencePart]:
    """Return the parts of `sentences` of all corpora, sorted; each content once."""
    parts = {
        part.sha256: SentencePart(part.rows, part.path, part.bytes, part.sha256)
        for corpus in corpora
        for part in corpus.parts[_SENTENCES]
    }
    return sorted(parts.values())


def years(corpora: Sequence[Corpus]) -> dict[int, int]:
    """Return the documents of each year; a document that several corpora hold counts in each.

    Raises:
        LexbeamError: no document has a year.
    """
    documents = _by_year(corpora, "documents_by_year")
    if not documents:
        raise LexbeamError(UNDATED)
    return documents


def tokens_by_year(corpora: Sequence[Corpus]) -> dict[int, int]:
    """Return the tokens of each year; those of a document in several corpora count in each."""
    return _by_year(corpora, "tokens_by_year")


def _by_year(corpora: Sequence[Corpus], name: str) -> dict[int, int]:
    totals: dict[int, int] = {}
    for corpus in corpora:
        for year, number in corpus.section[name].items():
            totals[int(year)] = totals.get(int(year), 0) + number
    return totals


def languages(corpora: Sequence[Corpus]) -> set[str]:
    """Return the languages of the documents; empty if none is known."""
    return {name for corpus in corpora for name in corpus.section.get("languages", ())}


def check_columns(corpora: Sequence[Corpus], wanted: Collection[str], *, remedy: str) -> None:
    """Check that these columns of `sentences` are filled in every corpus.

    Raises:
        UsageError: a corpus lacks some; the message names them and ends with `remedy`.
    """
    for corpus in corpora:
        lacking = sorted(set(wanted) - set(corpus.section["columns"]))
        if lacking:
            name = corpus.section["engine"]["name"]
            raise UsageError(f"the corpus annotated by {name!r} has no {' and no '.join(lacking)}: {remedy}")


def common_layers(corpora: Sequence[Corpus]) -> list[str]:
    """Return the layers that all corpora were made with, in order; they may be null throughout."""
    made = [corpus.section.get("options", {}).get("layers", ()) for corpus in corpora]
    return [name for name in (made[0] if made else ()) if all(name in names for names in made)]


def check_layers(corpora: Sequence[Corpus], layers: Collection[str]) -> None:
    """Check that every corpus has these layers, and values in them.

    Raises:
        UsageError: a corpus lacks a layer, or has no value in it.
    """
    check_columns(
        corpora,
        layers,
        remedy=f"make it anew with `layers` {','.join(sorted(layers))}, from an engine or an input "
        "that has them (docs/reference/annotation.md)",
    )


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
