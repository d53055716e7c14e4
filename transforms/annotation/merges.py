"""Merging the tables of annotation, documents and sentences, by document."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa

from schemas.corpus.documents import DOCUMENTS
from schemas.corpus.sentences import SENTENCES, sentences_schema
from transforms.common.errors import LexbeamError
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader
from transforms.common.store.merge import WHOLE_BATCHES, MergeTask, Staged, batches, in_order, merge
from transforms.common.store.tables import PartFile

__all__ = ["MERGE_DOCUMENTS", "MERGE_SENTENCES"]

Layers = Sequence[pa.Field] | None


def _merge_documents(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    """Merge documents.

    Raises:
        LexbeamError: two documents have the same id; their sentences could not be told apart.
    """
    staged = in_order(task.staged)
    with BatchReader() as reader:
        for first, second in pairwise(staged):
            if first.order == second.order:
                raise LexbeamError(
                    f"two documents have the id {first.order[0]}: {_place(reader, first)} and "
                    f"{_place(reader, second)}; nothing is published. This is a fault of Lexbeam: "
                    "please report it with these names, and leave one of the two out by `exclude`"
                )
        return merge(artefact, DOCUMENTS, batches(reader, staged))


def _place(reader: BatchReader, entry: Staged) -> str:
    row = reader.read(entry.file, entry.ordinal).select(["source", "position"]).to_pylist()[0]
    return f"{row['source']} {row['position']}".rstrip()


def _merge_sentences(artefact: Artefact, task: MergeTask, layers: Layers) -> PartFile:
    with BatchReader() as reader:
        rows = _renumbered(reader, in_order(task.staged))
        return merge(artefact, SENTENCES, rows, sentences_schema(layers or ()))


def _renumbered(reader: BatchReader, staged: Sequence[Staged]) -> Iterator[pa.RecordBatch]:
    """Number the sentences of a document consecutively, across its blocks."""
    document, number = "", 0
    for entry in staged:
        batch = reader.read(entry.file, entry.ordinal)
        if entry.order[0] != document:
            document, number = entry.order[0], 0
        place = batch.schema.get_field_index("sentence")
        numbers = pa.array(range(number, number + batch.num_rows), pa.int32())
        number += batch.num_rows
        yield batch.set_column(place, batch.schema.field(place), numbers)


MERGE_DOCUMENTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-documents",
    receipt=PartFile,
    build=_merge_documents,
    unused={**WHOLE_BATCHES},
    unordered=("task.staged",),
    unit="parts",
)
MERGE_SENTENCES: Stage[MergeTask, Layers, PartFile] = Stage(
    name="corpus/merge-sentences",
    receipt=PartFile,
    build=_merge_sentences,
    unused={**WHOLE_BATCHES},
    unordered=("task.staged",),
    unit="parts",
)
