"""Merging the tables of annotation, documents and sentences, by document."""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from schemas.corpus.documents import DOCUMENTS
from schemas.corpus.sentences import SENTENCES, sentences_schema
from transforms.common.errors import LexbeamError
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.merge import MergeTask, entries, merge
from transforms.common.store.staged import StagedEntry
from transforms.common.store.tables import PartFile, StagedRows

__all__ = ["MERGE_DOCUMENTS", "MERGE_SENTENCES"]

Layers = Sequence[pa.Field] | None


def _merge_documents(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    """Merge documents.

    Raises:
        LexbeamError: two documents have the same id; their sentences could not be told apart.
    """
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, DOCUMENTS, _all_different(found))


def _all_different(found: Iterable[StagedEntry]) -> Iterator[StagedRows]:
    last: tuple[str, pa.RecordBatch] | None = None
    for entry in found:
        row = entry.batch()
        if last is not None and last[0] == entry.key:
            raise LexbeamError(
                f"two documents have the id {entry.key}: {_place(last[1])} and "
                f"{_place(row)}; nothing is published. This is a fault of Lexbeam: "
                "please report it with these names, and leave one of the two out by `exclude`"
            )
        last = entry.key, row
        yield StagedRows(row, entry.bytes)


def _place(batch: pa.RecordBatch) -> str:
    row = batch.select(["source", "position"]).to_pylist()[0]
    return f"{row['source']} {row['position']}".rstrip()


def _merge_sentences(artefact: Artefact, task: MergeTask, layers: Layers) -> PartFile:
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, SENTENCES, _renumbered(found), sentences_schema(layers or ()))


def _renumbered(found: Iterable[StagedEntry]) -> Iterator[StagedRows]:
    """Number the sentences of a document consecutively, across its blocks."""
    document, number = "", 0
    for entry in found:
        batch = entry.batch()
        if entry.key != document:
            document, number = entry.key, 0
        if number:  # those of a block are numbered from 0
            place = batch.schema.get_field_index("sentence")
            numbers = pa.array(range(number, number + batch.num_rows), pa.int32())
            batch = batch.set_column(place, batch.schema.field(place), numbers)
        number += batch.num_rows
        yield StagedRows(batch, entry.bytes)


MERGE_DOCUMENTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-documents", receipt=PartFile, build=_merge_documents, unit="parts"
)
MERGE_SENTENCES: Stage[MergeTask, Layers, PartFile] = Stage(
    name="corpus/merge-sentences", receipt=PartFile, build=_merge_sentences, unit="parts"
)
