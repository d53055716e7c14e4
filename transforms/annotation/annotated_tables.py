"""Annotated documents staged for merging, what is counted of them, and their merges into `documents` and `sentences`.

All documents of a staging file are one batch of each table; merges take them apart again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import DOCUMENTS, SENTENCES, sentences_schema
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.entries import Entries
from lexbeam.transforms.common.store.staged import MergeTask, StagedWriter, entries, merge, whole
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.formats.ingest.staged_records import RecordRow


class AnnotatedBlock(NamedTuple):
    """A document, or a block of a long one: its id, its record, and how many sentences it has."""

    document_id: str
    row: RecordRow
    sentences: int


@dataclass(frozen=True, kw_only=True)
class AnnotationCounts:
    """What is counted of annotated documents.

    Attributes:
        counts: documents, sentences, tokens and characters.
        languages: documents by language, without those that have none.
        columns: columns of annotation that are not null in every sentence, sorted.
    """

    counts: dict[str, int] = field(default_factory=dict)
    years: dict[int, int] = field(default_factory=dict)
    tokens_by_year: dict[int, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


def stage_documents(artefact: Artefact, blocks: Sequence[AnnotatedBlock]) -> Staged:
    """Write a row of table documents for each document."""
    schema = DOCUMENTS.schema()
    first = [block for block in blocks if block.row["block"] == 0]
    names = [block.document_id for block in first]
    rows = [{**block.row, "document_id": block.document_id} for block in first]
    with artefact.writing("-documents.arrow") as stream, StagedWriter(stream, schema) as writer:
        batch = pa.RecordBatch.from_pylist(rows, schema=schema)
        writer.add_entries(list(map(hash_of, names)), names, [0] * len(rows), [1] * len(rows), batch)
    return writer.file(artefact.file("-documents.arrow"))


def stage_sentences(
    artefact: Artefact, blocks: Sequence[AnnotatedBlock], annotation: pa.RecordBatch, schema: pa.Schema
) -> Staged:
    """Write rows of table sentences; `annotation` is that of all blocks, in their order."""
    names = [block.document_id for block in blocks]
    counts = np.array([block.sentences for block in blocks], np.int64)
    of_block = np.repeat(np.arange(len(blocks)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    constants: dict[str, list[Any]] = {"document_id": names}
    constants |= {name: [block.row[name] for block in blocks] for name in ("year", "genre", "language")}
    arrays = []
    for column in schema:
        if column.name == "sentence":
            arrays.append(pa.array((np.arange(len(first)) - first).astype(np.int32)))
        elif column.name in constants:
            arrays.append(pa.array(constants[column.name], column.type).take(pa.array(of_block)))
        else:
            arrays.append(annotation.column(column.name))
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    with artefact.writing("-sentences.arrow") as stream, StagedWriter(stream, schema) as writer:
        numbers = [block.row["block"] for block in blocks]
        writer.add_entries(list(map(hash_of, names)), names, numbers, counts.tolist(), batch)
    return writer.file(artefact.file("-sentences.arrow"))


def count_annotation(blocks: Sequence[AnnotatedBlock], annotation: pa.RecordBatch) -> AnnotationCounts:
    """Count documents, sentences, tokens and characters; `annotation` is that of all blocks, in their order."""
    ends = np.cumsum([block.sentences for block in blocks], dtype=np.int64)
    lengths = [_lengths(annotation.column(name)) for name in ("forms", "lemmas")]
    until = [np.concatenate([[0], np.cumsum(length)])[np.concatenate([[0], ends])] for length in lengths]
    tokens = np.maximum(*(np.diff(sums) for sums in until)).tolist()
    years: Counter[int] = Counter()
    tokens_by_year: Counter[int] = Counter()
    languages: Counter[str] = Counter()
    for (_, row, _), number in zip(blocks, tokens, strict=True):
        first = row["block"] == 0
        if row["year"] is not None:
            years[row["year"]] += first
            tokens_by_year[row["year"]] += number
        if row["language"] and first:
            languages[row["language"]] += 1
    counts = {
        "documents": sum(block.row["block"] == 0 for block in blocks),
        "sentences": annotation.num_rows,
        "tokens": sum(tokens),
        "characters": sum(len(block.row["text"] or "") for block in blocks),
    }
    columns = [name for name in annotation.schema.names if annotation.column(name).null_count < annotation.num_rows]
    return AnnotationCounts(
        counts=counts,
        years=dict(years),
        tokens_by_year=dict(tokens_by_year),
        languages=dict(languages),
        columns=tuple(sorted(columns)),
    )


def _lengths(lists: pa.Array) -> np.ndarray:
    lengths: np.ndarray = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return lengths


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


@dataclass(frozen=True)
class MergeDocuments(Step[MergeTask, PartFile]):
    """Merge staged documents into a part of `documents`."""

    name = "corpus/merge-documents"
    noun = "tables"
    unit = "parts"

    def make(self, artefact: Artefact, task: MergeTask) -> PartFile:
        """Write the part.

        Raises:
            LexbeamError: two documents have the same id; their sentences could not be told apart.
        """
        with entries(task.staged, task.parts, task.bucket) as found:
            return merge(artefact, DOCUMENTS, whole(_all_different(found)))


@dataclass(frozen=True)
class MergeSentences(Step[MergeTask, PartFile]):
    """Merge staged sentences into a part of `sentences`, with the columns of layers."""

    layers: tuple[pa.Field, ...] = ()

    name = "corpus/merge-sentences"
    noun = "tables"
    unit = "parts"

    def make(self, artefact: Artefact, task: MergeTask) -> PartFile:
        """Write the part, the sentences of a document numbered consecutively."""
        with entries(task.staged, task.parts, task.bucket) as found:
            return merge(artefact, SENTENCES, whole(_renumbered(found)), sentences_schema(self.layers))
