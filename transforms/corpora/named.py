"""What people name to be forgotten, in the corpora of a folder's snapshots: marks of documents and of sources.

    marks, originals = marks_of_names(snapshots, ["letters/0417.txt"])

Who names a source means its texts: where one of them is a copy, and has no row of its own, the document that it is a
copy of is marked, too.
"""

from collections.abc import Collection, Iterator, Sequence

from lexbeam.schemas.common_tables import REJECTS
from lexbeam.schemas.corpus.documents import DOCUMENTS
from lexbeam.schemas.corpus.inputs import INPUTS
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.publish.forgotten import document_mark, id_mark, source_mark
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.corpora.forgetting import documents_of, original_of


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
        for source, original in _rejects(snapshot):
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


def _rejects(snapshot: Snapshot) -> Iterator[tuple[str, str | None]]:
    """Yield the source of every reject, and of one that is a copy the document's `place`."""
    columns = ["source", "reason", "detail"]
    for rows in read_rows([part.path for part in _parts(snapshot, REJECTS.name)], columns):
        for source, *why in zip(*(rows[name].to_pylist() for name in columns), strict=True):
            yield source, original_of(*why)
