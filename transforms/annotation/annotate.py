"""Annotation of a staging file: its records become staged documents and sentences.

    receipt = make(workspace, ANNOTATE, task, options)

Ids are assigned here, once duplicates are known. A record on which the engine fails is a reject.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from schemas.corpus.documents import DOCUMENTS
from schemas.corpus.sentences import sentences_schema
from schemas.rejects import RejectRow
from transforms.annotation.engines.normalise import NormalisationRules
from transforms.annotation.engines.paragraphs import annotate_text
from transforms.annotation.engines.registry import Engine, load_engine
from transforms.common.blas import one_thread
from transforms.common.code.fingerprints import hash_of
from transforms.common.errors import LexbeamError
from transforms.common.records import annotation_batch
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader
from transforms.common.store.classes import Staged
from transforms.common.store.identity import Fingerprinted
from transforms.common.store.receipts import File
from transforms.common.store.staged import StagedWriter
from transforms.formats.ingest.counts import late_counts, stage_inputs
from transforms.formats.ingest.duplicates import AnnotateTask, Decision, document_id
from transforms.formats.ingest.staging import EXAMPLES, RecordRow, stage_rejects
from transforms.layers.registry import columns_of

__all__ = ["ANNOTATE", "AnnotateOptions", "Annotated"]


@dataclass(frozen=True, kw_only=True)
class AnnotateOptions:
    """What decides how records are annotated.

    Attributes:
        engine: specification of the engine; `none` for input that comes annotated.
        name: name of the engine, without any path.
        fingerprint: identifies engine and model.
        normalise: rules for forms and lemmas, or None.
        max_characters: longer documents are rejects.
        layers: further columns of sentences.
    """

    engine: Fingerprinted
    name: str
    fingerprint: str
    normalise: NormalisationRules | None = None
    max_characters: int = 20_000_000
    layers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Annotated:
    """Receipt of an annotated staging file.

    Attributes:
        documents: staging file of table documents.
        sentences: staging file of table sentences.
        rejects: the staged rejects; None without any.
        inputs: where what the rejects change in rows of `corpus/inputs` is staged; None: nothing.
        reasons: rejects by reason.
        examples: the first rejects.
        counts: documents, sentences, tokens and characters.
        years: documents by year.
        tokens_by_year: tokens by year.
        languages: documents by language, without those that have none.
        columns: columns of annotation that are not null in every sentence.
    """

    documents: Staged
    sentences: Staged
    rejects: Staged | None
    inputs: Staged | None
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]
    counts: dict[str, int]
    years: dict[int, int]
    tokens_by_year: dict[int, int]
    languages: dict[str, int]
    columns: tuple[str, ...]


class _Tally:
    """Counts and rejects of a file so far."""

    def __init__(self) -> None:
        self.rejects: list[RejectRow] = []
        self.counts = {"documents": 0, "sentences": 0, "tokens": 0, "characters": 0}
        self.years: Counter[int] = Counter()
        self.tokens_by_year: Counter[int] = Counter()
        self.languages: Counter[str] = Counter()
        self.columns: set[str] = set()


def _annotate_file(artefact: Artefact, task: AnnotateTask, options: AnnotateOptions) -> Annotated:
    """Annotate the records of a staging file: stage documents, sentences and late rejects."""
    engine = None if options.engine == "none" else load_engine(options.engine, layers=options.layers)
    schema = sentences_schema(columns_of(options.layers))
    decided = {decision.place: decision for decision in task.decisions}
    tally = _Tally()
    with (
        BatchReader() as reader,
        artefact.writing("-documents.arrow") as first,
        StagedWriter(first, DOCUMENTS.schema()) as documents_writer,
        artefact.writing("-sentences.arrow") as second,
        StagedWriter(second, schema) as sentences_writer,
        one_thread(),
    ):
        for index, row in _records(reader, task.stage.records):
            decision = decided.get(index)
            reject = _left_out(row, decision, options)
            annotation = None
            if reject is None and row["annotated"] and (engine is None or row["text"] is None):
                assert task.stage.ready is not None
                annotation = _normalised(reader.read(task.stage.ready, index), options.normalise)
            elif reject is None:
                annotation, reject = _annotate(row, engine, options)
            if annotation is None:
                assert reject is not None
                tally.rejects.append(reject)
                continue
            name = document_id(row["key"], decision.number if decision else 0)
            if row["block"] == 0:
                documents_writer.add(hash_of(name), name, 0, _document_batch(name, row))
                tally.counts["documents"] += 1
            sentences_writer.add(hash_of(name), name, row["block"], _sentence_batch(name, row, annotation, schema))
            _count(tally, row, annotation)
    return Annotated(
        documents=documents_writer.file(artefact.file("-documents.arrow")),
        sentences=sentences_writer.file(artefact.file("-sentences.arrow")),
        rejects=stage_rejects(artefact, tally.rejects),
        inputs=stage_inputs(artefact, late_counts(row.source for row in tally.rejects)),
        reasons=dict(Counter(row.reason for row in tally.rejects)),
        examples=tuple(tally.rejects[:EXAMPLES]),
        counts=tally.counts,
        years=dict(tally.years),
        tokens_by_year=dict(tally.tokens_by_year),
        languages=dict(tally.languages),
        columns=tuple(sorted(tally.columns)),
    )


def _records(reader: BatchReader, file: File) -> Iterator[tuple[int, RecordRow]]:
    for index in range(reader.count(file)):
        yield index, reader.read(file, index).to_pylist()[0]


def _left_out(row: RecordRow, decision: Decision | None, options: AnnotateOptions) -> RejectRow | None:
    place = (row["source"], row["position"])
    if decision is not None and decision.same_as:
        return RejectRow(*place, "ingest", "duplicate", f"same as {decision.same_as}")
    size = len(row["text"] or "")
    if size > options.max_characters:
        limit = options.max_characters
        return RejectRow(*place, "annotate", "too_large", f"{size} characters, over {limit}")
    return None


def _normalised(batch: pa.RecordBatch, rules: NormalisationRules | None) -> pa.RecordBatch:
    """Return annotation that came with the input, its forms and lemmas mapped by the rules."""
    if rules is None:
        return batch
    for name, maps, mapped in (("forms", rules.maps_forms, rules.form), ("lemmas", rules.maps_lemmas, rules.lemma)):
        column = batch.column(name)
        if maps and column.null_count < len(column):
            tokens = column.flatten().dictionary_encode()
            words = pa.array([mapped(word) for word in tokens.dictionary.to_pylist()], pa.string())
            lists = pa.ListArray.from_arrays(column.offsets, words.take(tokens.indices), mask=column.is_null())
            batch = batch.set_column(batch.schema.get_field_index(name), name, lists)
    return batch


def _annotate(
    row: RecordRow, engine: Engine | None, options: AnnotateOptions
) -> tuple[pa.RecordBatch | None, RejectRow | None]:
    if engine is None:
        raise LexbeamError(
            f"{row['source']} came without annotation: give `engine` an engine "
            "(for example spacy:NAME or builtin:en) instead of none"
        )
    assert row["text"] is not None
    try:
        sentences = annotate_text(row["text"], engine, normalise=options.normalise)
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception as error:  # whatever an engine raises is about this document
        detail = f"{type(error).__name__}: {error}"
        place = (row["source"], row["position"])
        return None, RejectRow(*place, "annotate", "engine_error", detail)
    return annotation_batch(sentences, columns_of(options.layers)), None


def _document_batch(name: str, row: RecordRow) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{**row, "document_id": name}], schema=DOCUMENTS.schema())


def _sentence_batch(name: str, row: RecordRow, annotation: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    rows = annotation.num_rows
    constants = {"document_id": name, "year": row["year"], "genre": row["genre"], "language": row["language"]}
    arrays = []
    for field in schema:
        if field.name == "sentence":
            arrays.append(pa.array(np.arange(rows, dtype=np.int32)))
        elif field.name in constants:
            arrays.append(pa.repeat(pa.scalar(constants[field.name], field.type), rows))
        else:
            arrays.append(annotation.column(field.name))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _count(tally: _Tally, row: RecordRow, annotation: pa.RecordBatch) -> None:
    tokens = max(len(annotation.column(name).flatten()) for name in ("forms", "lemmas"))
    tally.counts["sentences"] += annotation.num_rows
    tally.counts["tokens"] += tokens
    tally.counts["characters"] += len(row["text"] or "")
    if row["year"] is not None:
        tally.years[row["year"]] += row["block"] == 0
        tally.tokens_by_year[row["year"]] += tokens
    if row["language"] and row["block"] == 0:
        tally.languages[row["language"]] += 1
    for name in annotation.schema.names:
        if annotation.num_rows and annotation.column(name).null_count < annotation.num_rows:
            tally.columns.add(name)


def _chosen(_: AnnotateTask, options: AnnotateOptions) -> dict[str, tuple[str, ...]]:
    kind = options.engine.partition(":")[0]
    return {
        "transforms.annotation.engines.registry:ENGINES": () if kind == "none" else (kind,),
        "transforms.layers.registry:LAYERS": options.layers,
    }


ANNOTATE: Stage[AnnotateTask, AnnotateOptions, Annotated] = Stage(
    name="corpus/annotate",
    receipt=Annotated,
    build=_annotate_file,
    unordered=("task.decisions",),
    chosen=_chosen,
    unit="batches",
)
