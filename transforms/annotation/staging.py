"""Annotated documents staged for merging: rows of tables documents and sentences, and what is counted of them.

All documents of a staging file are one batch of each table; merges take them apart again.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus.documents import DOCUMENTS
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.staged import StagedWriter
from lexbeam.transforms.formats.ingest.staging import RecordRow


class AnnotatedBlock(NamedTuple):
    """A document, or a block of a long one: its id, its record, and how many sentences it has."""

    document_id: str
    row: RecordRow
    sentences: int


class AnnotationCounts(NamedTuple):
    """What is counted of annotated documents; see `Annotated`."""

    counts: dict[str, int]
    years: dict[int, int]
    tokens_by_year: dict[int, int]
    languages: dict[str, int]
    columns: tuple[str, ...]


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
    constants = {
        "document_id": names,
        "year": [block.row["year"] for block in blocks],
        "genre": [block.row["genre"] for block in blocks],
        "language": [block.row["language"] for block in blocks],
    }
    arrays = []
    for field in schema:
        if field.name == "sentence":
            arrays.append(pa.array((np.arange(len(first)) - first).astype(np.int32)))
        elif field.name in constants:
            arrays.append(pa.array(constants[field.name], field.type).take(pa.array(of_block)))
        else:
            arrays.append(annotation.column(field.name))
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
    return AnnotationCounts(counts, dict(years), dict(tokens_by_year), dict(languages), tuple(sorted(columns)))


def _lengths(lists: pa.Array) -> np.ndarray:
    lengths: np.ndarray = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return lengths
