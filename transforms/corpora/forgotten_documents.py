"""What people name to be forgotten: its marks in snapshots and artefacts, and a published corpus without it.

    marks, originals = marks_of_names(snapshots, ["letters/0417.txt"])
    named = marks_in_artefacts("results/_artefacts", ["letters/0417.txt"])

    found = forgotten_documents(snapshot, marks)
    made = without_documents(snapshot, marks, found, workspace)

Who names a source means its texts: where one of them is a copy, and has no row of its own, the document that it is a
copy of is marked, too. A text may stand in artefacts and in no snapshot: of a file that has gone, of a run that was
held back, of a stream. Rows tell by their columns what they are, whatever stage has made them: with `source` and the
place in it, or the text, records, rejects and rows that tasks read; with `name` and `sha256`, input files. Of the
stages of `corpus` rows with `text` are records and documents. Receipts quote the first rejects.

Tables are written anew where they had any of these documents. The documents become rejects, as in a run that leaves
them out from the start: rows and counts are the same. Of each table whose schema names columns of texts (`texts`) the
rows of these documents go. Table `rejects` has none.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.columns import TEXTS, Table
from lexbeam.schemas.common_tables import REJECTS, RejectRow
from lexbeam.schemas.corpus_tables import DOCUMENTS, INPUTS, SENTENCES
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.publish.forgotten import ForgottenMarks, document_mark, id_mark, source_mark
from lexbeam.transforms.common.publish.removing import each_artefact, leftovers
from lexbeam.transforms.common.publish.sections import Made, inputs_entry
from lexbeam.transforms.common.publish.snapshots import Snapshot, read_log
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.common.store.receipts import Damaged, File, checked, state_of
from lexbeam.transforms.common.store.remote import as_written
from lexbeam.transforms.common.store.staged import footer_of
from lexbeam.transforms.common.store.tables import Part, StagedRows, read_rows, write_part
from lexbeam.transforms.corpora.corpus_panels import tokens_by_document

_RECORD = ("document_id", "key", "source", "position", "text")  # `key` is the id of the first document that has it
_PLACES = frozenset({"position", "line", "text"})  # a `source` without them is the folder that a null deals by
_INPUT = ("name", "sha256")
_ID = re.compile("[0-9a-f]{32}")
_IDS = frozenset({"document_id", "document", "source_id", "key"})

_Read = Callable[[Sequence[str]], Iterator[pa.Table]]


class NamedArtefacts(NamedTuple):
    """What artefacts say of names.

    Attributes:
        marks: of the texts and sources that are called so.
        unread: files that say nothing of what they hold: damaged ones, and those of a run that was cut off.
    """

    marks: set[str]
    unread: list[str]


def marks_in_artefacts(root: str, names: Collection[str]) -> NamedArtefacts:
    """Return the marks of documents and sources that are called so, one file being held at a time.

    Args:
        root: of the artefacts; a file that was freed says nothing.
        names: ids of documents, names of sources, or of the files that these are members of.
    """
    if not names:
        return NamedArtefacts(set(), [])
    names = frozenset(names)
    marks: set[str] = set()
    unread = list(leftovers(root))
    for stage, path, receipt, held in each_artefact(root):
        if receipt is None:
            unread.append(path)
            continue
        for source in _quoted(receipt):
            marks.update(map(source_mark, names.intersection((source, file_of(source)))))
        for file in held:
            if state_of(file.path) is not None:
                try:
                    for rows in _tables(file, _named_columns):
                        marks |= _marks(rows, names, stage.startswith("corpus/"))
                except Damaged:
                    unread.append(file.path)
    return NamedArtefacts(marks, unread)


class _Quoting(msgspec.Struct):
    examples: tuple[RejectRow, ...] = ()


def _quoted(receipt: bytes) -> list[str]:
    """Return the sources of the rejects that a receipt quotes, which stays when files are freed."""
    try:
        return [reject.source for reject in msgspec.json.decode(receipt, type=_Quoting).examples]
    except msgspec.ValidationError:  # it has examples of something else
        return []


def ids_in_artefacts(root: str, names: Collection[str]) -> set[str]:
    """Return those of some names that are ids of documents, and stand in any artefact, with the text or without."""
    asked = [name for name in names if _ID.fullmatch(name)]
    found: set[str] = set()
    for stage, _, _, held in each_artefact(root) if asked else ():
        wanted = _IDS if stage.startswith("corpus/") else _IDS - {"key"}
        for file in held:
            if state_of(file.path) is not None:
                with suppress(Damaged):
                    for rows in _tables(file, wanted.intersection):
                        for column in rows.columns:
                            if pa.types.is_string(column.type):
                                found.update(column.filter(pc.is_in(column, pa.array(asked))).to_pylist())
    return found


def _tables(file: File, wanted_of: Callable[[Sequence[str]], Collection[str]]) -> Iterator[pa.Table]:
    """Yield the rows of a file, of those of its columns that are wanted, if any are.

    Raises:
        Damaged: it is not sound.
    """
    if not file.path.endswith((".arrow", ".parquet")):
        return
    with closing(files.open_read(file.path)) as stream:
        try:
            columns, read = (_parquet if file.path.endswith(".parquet") else _arrow)(stream, file.bytes)
        except (pa.ArrowInvalid, OSError):
            checked(file)
            raise
        if wanted := wanted_of(columns):
            checked(file)  # not before: most files, and the largest, have no such columns
            yield from read(sorted(wanted))


def _parquet(stream: BinaryIO, _: int) -> tuple[list[str], _Read]:
    parquet = pq.ParquetFile(stream)

    def read(wanted: Sequence[str]) -> Iterator[pa.Table]:
        for number in range(parquet.num_row_groups):
            yield parquet.read_row_group(number, columns=wanted, use_threads=False)

    return parquet.schema_arrow.names, read


def _arrow(stream: BinaryIO, size: int) -> tuple[list[str], _Read]:
    end = footer_of(stream, size)
    columns = pa.ipc.open_file(stream, footer_offset=end).schema.names

    def read(wanted: Sequence[str]) -> Iterator[pa.Table]:
        options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=[columns.index(name) for name in wanted])
        reader = pa.ipc.open_file(stream, footer_offset=end, options=options)
        for number in range(reader.num_record_batches):
            yield pa.Table.from_batches([reader.get_batch(number)])

    return columns, read


def _named_columns(columns: Sequence[str]) -> list[str]:
    if "source" in columns and not _PLACES.isdisjoint(columns):
        return [name for name in _RECORD if name in columns]
    return [_INPUT[0]] if {*_INPUT} <= {*columns} else []


def _marks(rows: pa.Table, names: frozenset[str], is_corpus: bool) -> set[str]:
    columns = rows.schema.names
    sources = rows["source" if "source" in columns else "name"]
    called = {
        source: some
        for source in sources.unique().to_pylist()
        if source is not None and (some := names.intersection((source, file_of(source))))
    }
    marks = {source_mark(name) for some in called.values() for name in some}
    if is_corpus and {"text", "position"} <= {*columns}:
        name = "document_id" if "document_id" in columns else "key"
        called_so = [
            pc.is_in(rows[of], pa.array(some, pa.string())) for of, some in ((name, names), ("source", called))
        ]
        found = rows.filter(pc.or_(*called_so))
        marks.update(map(id_mark, found[name].to_pylist()))
        marks.update(map(document_mark, *(found[of].to_pylist() for of in ("text", "source", "position"))))
    return marks


_COLUMNS = ("document_id", "source", "position", "language", "year", "text")
_SAME = "same as "
# Of a corpus: rows of those with columns of texts belong to a document. What was made from them is dropped.
_SWEPT = tuple(table for table in (DOCUMENTS, SENTENCES) if table.texts)


class CorpusDocument(NamedTuple):
    """A document of a published corpus; of its text no more than the number of characters."""

    document_id: str
    source: str
    position: str
    language: str | None
    year: int | None
    characters: int

    @property
    def place(self) -> str:
        """Source and position, as rejects that are copies of the document name it."""
        return f"{self.source} {self.position}".rstrip()


def _left_out(source: str, position: str) -> RejectRow:
    return RejectRow(source, position, "ingest", "forgotten", "")


def documents_of(part: Part) -> Iterator[tuple[CorpusDocument, str | None]]:
    """Yield the documents of a part of `documents`, with their texts."""
    for rows in read_rows([part.path], _COLUMNS):
        for *row, text in zip(*(rows.column(name).to_pylist() for name in _COLUMNS), strict=True):
            yield CorpusDocument._make([*row, len(text or "")]), text


def original_of(reason: str, detail: str) -> str | None:
    """Return the `place` of the document that a reject is a copy of; None if it was rejected for another reason."""
    return detail.removeprefix(_SAME) if reason == "duplicate" else None


def forgotten_documents(snapshot: Snapshot, marks: ForgottenMarks) -> list[CorpusDocument]:
    """Return the documents of a snapshot that are forgotten."""
    if DOCUMENTS.name not in snapshot.tables:
        return []
    return [
        document
        for part in snapshot.parts(DOCUMENTS.name)
        for document, text in documents_of(part)
        if marks.has_document(text, document.source, document.position)
    ]


def _quotes_sources(snapshot: Snapshot, marks: ForgottenMarks) -> bool:
    return REJECTS.name in snapshot.tables and any(
        reason != "forgotten" and marks.has_source(source)
        for part in snapshot.parts(REJECTS.name)
        for rows in read_rows([part.path], ("source", "reason"))
        for source, reason in zip(*(column.to_pylist() for column in rows.columns), strict=True)
    )


def holds(snapshot: Snapshot, marks: ForgottenMarks) -> bool:
    """Return whether a snapshot holds anything that is forgotten."""
    return bool(forgotten_documents(snapshot, marks)) or _quotes_sources(snapshot, marks)


class _Writer(NamedTuple):
    """Writes parts that take the place of those of a snapshot."""

    snapshot: Snapshot
    folder: str

    def parts(self, table: Table, changed: Mapping[int, Iterable[pa.Table | StagedRows]]) -> list[Part]:
        """Return the parts of a table; of those that change, by their numbers, the new rows are given."""
        parts = self.snapshot.parts(table.name)
        for number, rows in changed.items():
            old = parts[number]
            with files.open_read(old.path) as stream:
                schema = as_written(pq.read_schema(stream))
            artefact = Artefact(files.join(self.folder, digest([table.name, number, old.sha256])))
            parts[number] = Part.of(table.name, number, write_part(artefact, schema, rows, sort_keys=table.key))
        return parts


def without_documents(
    snapshot: Snapshot, marks: ForgottenMarks, found: Sequence[CorpusDocument], workspace: Workspace, forgotten: str
) -> Made:
    """Return the section `corpus` of a snapshot without what is forgotten.

    Args:
        snapshot: what is published.
        marks: of what is forgotten.
        found: its documents that are.
        workspace: takes the parts that are written anew, which no receipt keeps.
        forgotten: the digest of the marks, which decides the section.
    """
    folder = workspace.stage("corpus/forget")
    files.make_folder(folder)
    writer = _Writer(snapshot, folder)
    section = {k: v for k, v in snapshot.section("corpus").items() if k not in ("reads", "parts", "environment")}
    ids = pa.array([document.document_id for document in found], pa.string())
    sentences, tokens = _sizes(snapshot, ids)
    rejects, turned = _rejects(snapshot, marks, found)
    inputs = writer.parts(INPUTS, _inputs(snapshot, Counter(file_of(document.source) for document in found)))
    parts = [
        *(part for table in _SWEPT for part in writer.parts(table, _filtered(snapshot, table, ids))),
        *writer.parts(REJECTS, rejects),
        *inputs,
    ]
    by_year = Counter(str(document.year) for document in found if document.year is not None)
    tokens_by_year: Counter[str] = Counter()
    for document in found:
        if document.year is not None:
            tokens_by_year[str(document.year)] += tokens[document.document_id]
    reasons = Counter(section["rejects"])
    reasons.subtract(turned)
    reasons["forgotten"] += turned.total() + len(found)
    years = _less(section["documents_by_year"], by_year)
    section |= {
        "inputs": inputs_entry(INPUTS.name, inputs, section["inputs"]["bytes"]),
        "resources": {**section["resources"], "forgotten": forgotten},
        "rejected": section["rejected"] + len(found),
        "rejects": dict(sorted((+reasons).items())),
        "documents_by_year": years,
        "tokens_by_year": {
            year: number - tokens_by_year[year] for year, number in section["tokens_by_year"].items() if year in years
        },
        "languages": _less(section["languages"], Counter(d.language for d in found if d.language)),
        "documents": section["documents"] - len(found),
        "sentences": section["sentences"] - sentences,
        "tokens": section["tokens"] - tokens.total(),
        "characters": section["characters"] - sum(document.characters for document in found),
    }
    log = (read_log(snapshot.out, snapshot.name).get("sections") or {}).get("corpus")
    return Made(name="corpus", parts=tuple(parts), entry=section, log=log)


def _less(numbers: Mapping[str, int], less: Counter[str]) -> dict[str, int]:
    return {name: left for name, number in numbers.items() if (left := number - less[name])}


def _filtered(snapshot: Snapshot, table: Table, ids: pa.Array) -> dict[int, Iterator[StagedRows]]:
    """Return the rows of other documents, of each part that has some of these."""
    return {part.number: _other_rows(part, ids) for part in snapshot.parts(table.name) if _has(part, ids)}


def _has(part: Part, ids: pa.Array) -> bool:
    return any(pc.any(pc.is_in(rows["document_id"], ids)).as_py() for rows in read_rows([part.path], ["document_id"]))


def _other_rows(part: Part, ids: pa.Array) -> Iterator[StagedRows]:
    """Yield the rows of other documents, those of a document together, as merges do: so row groups end as theirs."""
    for rows in read_rows([part.path]):
        for batch in rows.filter(pc.invert(pc.is_in(rows["document_id"], ids))).combine_chunks().to_batches():
            yield StagedRows.together(batch, "document_id")


def _sizes(snapshot: Snapshot, ids: pa.Array) -> tuple[int, Counter[str]]:
    """Return how many sentences documents have, and how many tokens each."""
    number = 0
    tokens: Counter[str] = Counter()
    for part in snapshot.parts(SENTENCES.name):
        for rows in read_rows([part.path], ["document_id", "forms", "lemmas"]):
            of = rows.filter(pc.is_in(rows["document_id"], ids))
            number += len(of)
            tokens_by_document(of, tokens)
    return number, tokens


def _rejects(
    snapshot: Snapshot, marks: ForgottenMarks, found: Sequence[CorpusDocument]
) -> tuple[dict[int, list[StagedRows]], Counter[str]]:
    """Return the parts of `rejects` that change, and by reason how many rows were rejects for another one before.

    Records of a source that is forgotten, and copies of a document that is, are left out as it is. Details of a table
    whose schema does not say which columns hold texts may quote them, as earlier versions did: they go.
    """
    parts = snapshot.parts(REJECTS.name)
    originals = {document.place for document in found}
    added: dict[int, list[RejectRow]] = {}
    for document in found:
        number = hash_of(digest([document.source, document.position])) % len(parts)
        added.setdefault(number, []).append(_left_out(document.source, document.position))
    changed = {}
    turned: Counter[str] = Counter()
    for part in parts:
        groups = list(read_rows([part.path]))
        may_quote = any(TEXTS.encode() not in (rows.schema.metadata or {}) for rows in groups)
        rows = [RejectRow(**row) for table in groups for row in table.to_pylist()]
        kept = []
        for row in rows:
            is_copy = original_of(row.reason, row.detail) in originals
            if row.reason != "forgotten" and (is_copy or marks.has_source(row.source)):
                turned[row.reason] += 1
                kept.append(_left_out(row.source, row.position))
            elif may_quote and row.reason != "duplicate":  # whose detail is a place
                kept.append(row._replace(detail=""))
            else:
                kept.append(row)
        if kept != rows or part.number in added:
            whole = sorted([*kept, *added.get(part.number, ())])
            batch = pa.RecordBatch.from_pylist([row._asdict() for row in whole], schema=REJECTS.schema())
            changed[part.number] = [StagedRows(batch, np.ones(len(whole), np.int64), np.zeros(len(whole), np.int64))]
    return changed, turned


def _inputs(snapshot: Snapshot, gone: Counter[str]) -> dict[int, list[pa.Table]]:
    """Return the parts of `corpus/inputs` that change: of each file so many documents are rejects now."""
    changed = {}
    for part in snapshot.parts(INPUTS.name):
        groups = list(read_rows([part.path]))
        names = [rows["name"].to_pylist() for rows in groups]
        if any(name in gone for some in names for name in some):
            changed[part.number] = [_fewer(rows, some, gone) for rows, some in zip(groups, names, strict=True)]
    return changed


def _fewer(rows: pa.Table, names: Sequence[str], gone: Counter[str]) -> pa.Table:
    less: Any = pa.array([gone[name] for name in names], pa.int64())
    for column, change in (("documents", pc.subtract), ("rejects", pc.add)):
        place = rows.schema.get_field_index(column)
        rows = rows.set_column(place, rows.schema.field(place), change(rows[column], less))
    return rows


def marks_of_names(snapshots: Sequence[Snapshot], names: Collection[str]) -> tuple[set[str], list[str]]:
    """Return the marks of documents and sources that are called so, and which documents are marked for a copy of them.

    Args:
        snapshots: where they are looked for; some may have no corpus.
        names: ids of documents, names of sources, or of the files that these are members of.
    """
    names = frozenset(names)
    marks: set[str] = set()
    copied: set[str] = set()
    seen: set[str] = set()
    for snapshot in snapshots:
        originals: set[str] = set()
        for source, original in _sources_of_rejects(snapshot):
            if called := names.intersection((source, file_of(source))):
                marks.update(map(source_mark, called))
                originals.update([] if original is None else [original])
        for part in _parts(snapshot, DOCUMENTS.name):
            if part.sha256 in seen and not originals:  # these are the snapshot's own
                continue
            seen.add(part.sha256)
            for document, text in documents_of(part):
                called = names.intersection((document.document_id, document.source, file_of(document.source)))
                if called or document.place in originals:
                    marks |= {document_mark(text, document.source, document.position), id_mark(document.document_id)}
                    marks.update(source_mark(name) for name in called if name != document.document_id)
                    copied |= set() if called else {document.place}
        for part in _parts(snapshot, INPUTS.name):  # a file may have no record
            for rows in read_rows([part.path], ["name"]):
                marks.update(source_mark(name) for name in rows["name"].to_pylist() if name in names)
    return marks, sorted(copied)


def names_there(snapshots: Sequence[Snapshot]) -> Iterator[str]:
    """Yield the names of sources and input files that the corpora of snapshots have, some of them again and again."""
    for snapshot in snapshots:
        for table, column in ((DOCUMENTS, "source"), (REJECTS, "source"), (INPUTS, "name")):
            for rows in read_rows([part.path for part in _parts(snapshot, table.name)], [column]):
                yield from rows[column].to_pylist()


def _parts(snapshot: Snapshot, table: str) -> list[Part]:
    return snapshot.parts(table) if table in snapshot.tables else []


def _sources_of_rejects(snapshot: Snapshot) -> Iterator[tuple[str, str | None]]:
    """Yield the source of every reject, and of one that is a copy the document's `place`."""
    columns = ["source", "reason", "detail"]
    for rows in read_rows([part.path for part in _parts(snapshot, REJECTS.name)], columns):
        for source, *why in zip(*(rows[name].to_pylist() for name in columns), strict=True):
            yield source, original_of(*why)
