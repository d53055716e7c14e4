"""Annotation of a staging file: its records become documents and sentences, staged by bucket.

Ids are settled here, after duplicates are known. A record that the engine fails on is a reject.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from schemas import TABLES
from schemas.rejects import RejectRow
from transforms.annotation.base import Engine, annotate_text
from transforms.annotation.normalise import Rules
from transforms.common.artefacts import Artefact, Workspace, produce
from transforms.common.batches import BatchReader, BatchWriter
from transforms.common.blas import one_thread
from transforms.common.errors import LexbeamError
from transforms.common.fingerprints import bucket_of
from transforms.common.records import annotation_batch
from transforms.formats.duplicates import Decision, document_id
from transforms.formats.staging import EXAMPLES, RECORD, stage_rejects

__all__ = ["AnnotateOptions", "annotate_file"]


@dataclass(frozen=True, kw_only=True)
class AnnotateOptions:
    """What decides how records are annotated.

    Attributes:
        engine: engine spec, `none` for input that comes annotated.
        fingerprint: what identifies engine and model, for artefact names.
        normalise: rules for forms and lemmas, or None.
        max_characters: longer documents are rejects.
        parts: parts of the tables.
    """

    engine: str
    fingerprint: str
    normalise: Rules | None = None
    max_characters: int = 20_000_000
    parts: int = 8


class _Staging:
    """The three staging files of one annotated file, and where each batch lies."""

    def __init__(self, artefact: Artefact, options: AnnotateOptions) -> None:
        self.artefact = artefact
        self.options = options
        self.staged: list[tuple[str, int, str, int, int]] = []
        self.rejects: list[RejectRow] = []
        self.counts = {"documents": 0, "sentences": 0, "tokens": 0, "characters": 0}
        self.years: Counter[int] = Counter()
        self.columns: set[str] = set()

    def note(self, table: str, name: str, block: int, ordinal: int) -> None:
        bucket = bucket_of(name, self.options.parts)
        self.staged.append((table, bucket, name, block, ordinal))

    def receipt(self) -> dict[str, Any]:
        return {
            "documents": self.artefact.path("-documents.arrow"),
            "sentences": self.artefact.path("-sentences.arrow"),
            "staged": self.staged,
            "rejects": stage_rejects(self.artefact, self.rejects, self.options.parts),
            "reasons": [[row.source, row.reason] for row in self.rejects],
            "examples": self.rejects[:EXAMPLES],
            "counts": self.counts,
            "years": {str(year): number for year, number in self.years.items()},
            "columns": sorted(self.columns),
        }


def annotate_file(
    workspace: Workspace,
    path: str,
    ready: str,
    decisions: tuple[Decision, ...],
    engine: Engine | None,
    options: AnnotateOptions,
) -> dict[str, Any]:
    """Annotate the records of a staging file and return the receipt.

    Args:
        workspace: where artefacts lie.
        path: staging file of schema `RECORD`.
        ready: staging file with annotation that came with the records, or an empty string.
        decisions: what becomes of records that are not the first with their key.
        engine: the loaded engine; None for input that comes annotated.
        options: see `AnnotateOptions`.
    """
    decided = {decision.place: decision for decision in decisions}
    identity = [
        path.rpartition("/")[2],
        [[d.place, d.number, d.same_as] for d in sorted(decisions)],
        [options.engine, options.fingerprint, options.max_characters, options.parts],
        asdict(options.normalise) if options.normalise else None,
    ]

    def build(artefact: Artefact) -> dict[str, Any]:
        staging = _Staging(artefact, options)
        documents, sentences = TABLES["documents"].schema(), TABLES["sentences"].schema()
        with (
            BatchReader() as reader,
            artefact.writing("-documents.arrow") as first,
            BatchWriter(first, documents) as documents_writer,
            artefact.writing("-sentences.arrow") as second,
            BatchWriter(second, sentences) as sentences_writer,
            one_thread(),
        ):
            for index, row in _records(reader, path):
                decision = decided.get(index)
                reject = _left_out(row, decision, options)
                annotation = None
                if reject is None and row["annotated"] and (engine is None or row["text"] is None):
                    annotation = _normalised(reader.read(ready, index), options.normalise)
                elif reject is None:
                    annotation, reject = _annotate(row, engine, options)
                if annotation is None:
                    assert reject is not None
                    staging.rejects.append(reject)
                    continue
                name = document_id(row["key"], decision.number if decision else 0)
                if row["block"] == 0:
                    ordinal = documents_writer.write(_document_batch(name, row))
                    staging.note("documents", name, 0, ordinal)
                    staging.counts["documents"] += 1
                ordinal = sentences_writer.write(_sentence_batch(name, row, annotation))
                staging.note("sentences", name, row["block"], ordinal)
                _count(staging, row, annotation)
        return staging.receipt()

    return produce(workspace, "annotate", identity, build)


def _records(reader: BatchReader, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for index in range(reader.count(path)):
        yield index, reader.read(path, index).to_pylist()[0]


def _left_out(
    row: dict[str, Any], decision: Decision | None, options: AnnotateOptions
) -> RejectRow | None:
    place = (row["source"], row["position"])
    if decision is not None and decision.same_as:
        return RejectRow(*place, "ingest", "duplicate", f"same as {decision.same_as}")
    size = len(row["text"] or "")
    if size > options.max_characters:
        limit = options.max_characters
        return RejectRow(*place, "annotate", "too_large", f"{size} characters, over {limit}")
    return None


def _normalised(batch: pa.RecordBatch, rules: Rules | None) -> pa.RecordBatch:
    """Return annotation that came with the input, its forms and lemmas mapped by the rules."""
    if rules is None:
        return batch
    for name, maps, mapped in (
        ("forms", rules.maps_forms, rules.form),
        ("lemmas", rules.maps_lemmas, rules.lemma),
    ):
        column = batch.column(name)
        if maps and column.null_count < len(column):
            tokens = column.flatten().dictionary_encode()
            words = pa.array([mapped(word) for word in tokens.dictionary.to_pylist()], pa.string())
            lists = pa.ListArray.from_arrays(
                column.offsets, words.take(tokens.indices), mask=column.is_null()
            )
            batch = batch.set_column(batch.schema.get_field_index(name), name, lists)
    return batch


def _annotate(
    row: dict[str, Any], engine: Engine | None, options: AnnotateOptions
) -> tuple[pa.RecordBatch | None, RejectRow | None]:
    if engine is None:
        raise LexbeamError(
            f"{row['source']} came without annotation: give --engine an engine "
            "(for example spacy:NAME or builtin:en) instead of none"
        )
    try:
        sentences = annotate_text(row["text"], engine, normalise=options.normalise)
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception as error:  # whatever an engine raises is about this document
        detail = f"{type(error).__name__}: {error}"
        place = (row["source"], row["position"])
        return None, RejectRow(*place, "annotate", "engine_error", detail)
    return annotation_batch(sentences), None


def _document_batch(name: str, row: dict[str, Any]) -> pa.RecordBatch:
    schema = TABLES["documents"].schema()
    values = {**{key: row[key] for key in schema.names if key in RECORD.names}}
    return pa.RecordBatch.from_pylist([{**values, "document_id": name}], schema=schema)


def _sentence_batch(name: str, row: dict[str, Any], annotation: pa.RecordBatch) -> pa.RecordBatch:
    rows = annotation.num_rows
    constants = {
        "document_id": name, "year": row["year"], "genre": row["genre"],
        "language": row["language"],
    }  # fmt: skip
    arrays = []
    schema = TABLES["sentences"].schema()
    for field in schema:
        if field.name == "sentence":
            arrays.append(pa.array(np.arange(rows, dtype=np.int32)))
        elif field.name in constants:
            arrays.append(pa.repeat(pa.scalar(constants[field.name], field.type), rows))
        else:
            arrays.append(annotation.column(field.name))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _count(staging: _Staging, row: dict[str, Any], annotation: pa.RecordBatch) -> None:
    tokens = max(len(annotation.column(name).flatten()) for name in ("forms", "lemmas"))
    staging.counts["sentences"] += annotation.num_rows
    staging.counts["tokens"] += tokens
    staging.counts["characters"] += len(row["text"] or "")
    if row["year"] is not None and row["block"] == 0:
        staging.years[row["year"]] += 1
    for name in annotation.schema.names:
        if annotation.num_rows and annotation.column(name).null_count < annotation.num_rows:
            staging.columns.add(name)
