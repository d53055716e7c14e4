"""Merging the tables of annotation, documents and sentences, by document."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus.documents import DOCUMENTS
from lexbeam.schemas.corpus.sentences import SENTENCES, sentences_schema
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.entries import Entries
from lexbeam.transforms.common.store.merge import MergeTask, entries, merge, whole
from lexbeam.transforms.common.store.tables import PartFile

Layers = Sequence[pa.Field] | None


def _merge_documents(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    """Merge documents.

    Raises:
        LexbeamError: two documents have the same id; their sentences could not be told apart.
    """
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, DOCUMENTS, whole(_all_different(found)))


def _all_different(found: Iterable[Entries]) -> Iterator[Entries]:
    last: Entries | None = None
    for some in found:
        beside = some if last is None else Entries.joined([last, some])
        same = pc.equal(beside.keys[1:], beside.keys[:-1]).to_numpy(zero_copy_only=False)
        if same.any():
            place = int(same.argmax())
            raise LexbeamError(
                f"two documents have the id {beside.keys[place]}: {_place(beside.rows, place)} and "
                f"{_place(beside.rows, place + 1)}; nothing is published. This is a fault of Lexbeam: "
                "please report it with these names, and leave one of the two out by `exclude`"
            )
        last = some.slice(len(some) - 1, len(some))
        yield some


def _place(batch: pa.RecordBatch, number: int) -> str:
    source, position = (batch.column(name)[number].as_py() for name in ("source", "position"))
    return f"{source} {position}".rstrip()


def _merge_sentences(artefact: Artefact, task: MergeTask, layers: Layers) -> PartFile:
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, SENTENCES, whole(_renumbered(found)), sentences_schema(layers or ()))


def _renumbered(found: Iterable[Entries]) -> Iterator[Entries]:
    """Number the sentences of a document consecutively, across its blocks."""
    document, number = "", 0  # the last one, and how many sentences it has so far
    for some in found:
        keys, counts = some.keys, some.counts.astype(np.int64)
        same = pc.equal(keys[1:], keys[:-1]).to_numpy(zero_copy_only=False)
        begins = np.concatenate([[keys[0].as_py() != document], ~same])
        if begins.all():
            document, number = keys[-1].as_py(), int(counts[-1])
            yield some
            continue
        before = np.cumsum(counts) - counts + (0 if begins[0] else number)  # rows, were all of one document
        first = np.maximum.accumulate(np.where(begins, before, 0))
        place = some.rows.schema.get_field_index("sentence")
        numbers = some.rows.column(place).to_numpy() + np.repeat(before - first, counts)  # of a block they are from 0
        rows = some.rows.set_column(place, some.rows.schema.field(place), pa.array(numbers.astype(np.int32)))
        document, number = keys[-1].as_py(), int(before[-1] - first[-1] + counts[-1])
        yield replace(some, rows=rows)


MERGE_DOCUMENTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-documents", noun="tables", receipt=PartFile, build=_merge_documents, unit="parts"
)
MERGE_SENTENCES: Stage[MergeTask, Layers, PartFile] = Stage(
    name="corpus/merge-sentences", noun="tables", receipt=PartFile, build=_merge_sentences, unit="parts"
)
