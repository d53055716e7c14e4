"""Annotation of a staging file: its records become staged documents and sentences; and the counts of a corpus.

    receipt = make(workspace, AnnotateRecords(options), task)

Ids are assigned here, once duplicates are known. A record on which the engine fails is a reject. The counts of a corpus
are sums of what receipts of ingestion and annotation say, whose size follows reasons and years.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated as Typed

import numpy as np
import pyarrow as pa

from lexbeam.schemas.common_tables import NOT_COUNTED, RejectRow
from lexbeam.schemas.corpus_tables import DOCUMENTS, SENTENCES, sentences_schema
from lexbeam.transforms.annotation.annotated_tables import (
    AnnotatedBlock,
    AnnotationCounts,
    count_annotation,
    stage_documents,
    stage_sentences,
)
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import chosen_entries, load_engine
from lexbeam.transforms.annotation.engines.normalise import NormalisationRules
from lexbeam.transforms.annotation.landed_texts import LandedPlace, landed_texts
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.errors import LexbeamError, failure_of
from lexbeam.transforms.common.machine import LANDED, tell_amount
from lexbeam.transforms.common.store.artefacts import Artefact, Step, Workspace, name_of
from lexbeam.transforms.common.store.batches import BatchReader, annotation_batch, annotation_schema
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.identity import Fingerprinted, Uncounted
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask, Decision, document_id
from lexbeam.transforms.formats.ingest.ingestion import Ingested
from lexbeam.transforms.formats.ingest.intake_tables import late_counts, stage_inputs
from lexbeam.transforms.formats.ingest.staged_records import EXAMPLES, RecordRow, stage_rejects
from lexbeam.transforms.formats.records.layers import columns_of


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
class Annotated(AnnotationCounts):
    """Receipt of an annotated staging file.

    Attributes:
        rejects: the staged rejects; None without any.
        inputs: where what the rejects change in rows of `corpus/inputs` is staged; None: nothing.
        examples: the first rejects.
    """

    documents: Staged
    sentences: Staged
    rejects: Staged | None
    inputs: Staged | None
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]


@dataclass(frozen=True)
class AnnotateRecords(Step[AnnotateTask, Annotated]):
    """Annotate the records of a staging file.

    Attributes:
        landed: where texts lie that a stream has annotated; None: it is not asked.
    """

    options: AnnotateOptions
    landed: Typed[LandedPlace | None, Uncounted("an annotation is the same wherever it is found")] = None

    name = "corpus/annotate"
    noun = "annotation"
    unit = "batches"
    splits = True

    def make(self, artefact: Artefact, task: AnnotateTask) -> Annotated:
        """Stage documents, sentences and late rejects."""
        given = self.options.engine == "none"
        decided = {decision.place: decision for decision in task.decisions}
        rejects: list[RejectRow] = []
        came: list[AnnotatedBlock] = []  # with their annotation
        made: list[AnnotatedBlock] = []
        annotations: list[pa.RecordBatch] = []
        landed = 0
        with BatchReader() as reader, one_thread():
            rows = reader.read(task.stage.records, 0).to_pylist()
            kept = np.zeros(len(rows), bool)
            known = {} if given else self._known(rows)
            for place, row in enumerate(rows):
                decision = decided.get(place)
                name = document_id(row["key"], decision.number if decision else 0)
                reject = _left_out(row, decision, self.options)
                if reject is None and row["sentences"] is not None and (given or row["text"] is None):
                    came.append(AnnotatedBlock(name, row, row["sentences"]))
                    kept[place] = True
                    continue
                annotation = None
                if reject is None:
                    annotation, reject = _annotate(row, self.options, known.get(place))
                    landed += place in known and annotation is not None
                if annotation is None:
                    assert reject is not None
                    rejects.append(reject)
                    continue
                made.append(AnnotatedBlock(name, row, annotation.num_rows))
                annotations.append(annotation)
            if came:
                assert task.stage.ready is not None
                ready = reader.read(task.stage.ready, 0)
                if not kept.all():
                    ready = ready.filter(pa.array(np.repeat(kept, [row["sentences"] or 0 for row in rows])))
                annotations.insert(0, _normalised(ready, self.options.normalise))
        tell_amount(LANDED, landed)
        blocks = came + made
        columns = columns_of(self.options.layers)
        annotation = pa.concat_batches([*annotations, annotation_batch([], columns)])
        return Annotated(
            documents=stage_documents(artefact, blocks),
            sentences=stage_sentences(artefact, blocks, annotation, sentences_schema(columns)),
            rejects=stage_rejects(artefact, rejects),
            inputs=stage_inputs(artefact, late_counts(row.source for row in rejects)),
            reasons=dict(Counter(row.reason for row in rejects)),
            examples=tuple(rejects[:EXAMPLES]),
            **vars(count_annotation(blocks, annotation)),
        )

    def chosen(self, _: AnnotateTask | None) -> dict[str, tuple[str, ...]]:
        """Return the engine and the layers."""
        layers = self.options.layers
        return {**chosen_entries(self.options.engine), "lexbeam.transforms.formats.records.layers:LAYERS": layers}

    def _known(self, rows: Sequence[RecordRow]) -> dict[int, pa.RecordBatch | str]:
        """Return by place the annotation of texts that have landed, or why the engine failed on them."""
        if self.landed is None:
            return {}
        texts = {place: row["text"] for place, row in enumerate(rows) if row["text"] is not None}
        schema = annotation_schema(columns_of(self.options.layers))
        found = landed_texts(self.landed).find(list(texts.values()), schema)
        return {place: value for place, value in zip(texts, found, strict=True) if value is not None}

    def place(self, workspace: Workspace) -> LandedPlace:
        """Return where texts land that are annotated so by the code of now."""
        return LandedPlace(workspace.root, name_of(self, None))

    def asking(self, workspace: Workspace) -> "AnnotateRecords":
        """Return the step, which asks what has landed before it works."""
        return replace(self, landed=self.place(workspace))


def annotate_tasks(task: AnnotateTask) -> Iterator[tuple[str, AnnotateTask]]:
    """Yield a task by the content of its records."""
    yield task.stage.records.sha256, task


def staged_tables(receipt: Annotated) -> Iterator[tuple[str, Staged]]:
    """Yield the staged documents and sentences of a receipt, with the names of their tables."""
    yield DOCUMENTS.name, receipt.documents
    yield SENTENCES.name, receipt.sentences


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
    row: RecordRow, options: AnnotateOptions, known: pa.RecordBatch | str | None
) -> tuple[pa.RecordBatch | None, RejectRow | None]:
    if isinstance(known, pa.RecordBatch):
        return known, None
    place = (row["source"], row["position"])
    if known is not None:
        return None, RejectRow(*place, "annotate", "engine_error", known)
    if options.engine == "none":
        raise LexbeamError(
            f"{row['source']} came without annotation: give `engine` an engine "
            "(for example spacy:NAME or builtin:en) instead of none"
        )
    assert row["text"] is not None
    # Not before: it takes seconds, and perhaps all texts have landed.
    engine = load_engine(options.engine, layers=options.layers, fingerprint=options.fingerprint)
    try:
        sentences = annotate_text(row["text"], engine, normalise=options.normalise)
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception as error:  # whatever an engine raises is about this document
        return None, RejectRow(*place, "annotate", "engine_error", failure_of(error))
    return annotation_batch(sentences, columns_of(options.layers)), None


EXAMPLES_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class IntakeCounts(AnnotationCounts):
    """Sums over units and staging files.

    Attributes:
        inputs: bytes that were read, and records.
        notes: what readers changed or guessed, and how often.
        reasons: rejects by reason.
        examples: of rejects that count as faults the least, at most `EXAMPLES_SHOWN`.
        years_taken_in: years of documents, before duplicates are known.
    """

    inputs: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    examples: tuple[RejectRow, ...] = ()
    years_taken_in: frozenset[int] = frozenset()


def counts_of(receipt: Ingested | Annotated) -> IntakeCounts:
    """Return what a unit counts, or an annotated staging file."""
    if isinstance(receipt, Ingested):
        return IntakeCounts(
            inputs={name: receipt.counts[name] for name in ("bytes", "records")},
            notes=receipt.notes,
            reasons=receipt.reasons,
            examples=receipt.examples,
            years_taken_in=frozenset(receipt.years),
        )
    names = ("reasons", "examples", *(of.name for of in fields(AnnotationCounts)))
    return IntakeCounts(**{name: getattr(receipt, name) for name in names})


def sum_counts(counts: Iterable[IntakeCounts]) -> IntakeCounts:
    """Return the sum of counts, in whatever order."""
    held = list(counts)
    faults = (row for each in held for row in each.examples if row.reason not in NOT_COUNTED)
    summed = ("inputs", "notes", "reasons", "counts", "years", "tokens_by_year", "languages")
    return IntakeCounts(
        examples=tuple(heapq.nsmallest(EXAMPLES_SHOWN, faults)),
        years_taken_in=frozenset().union(*(each.years_taken_in for each in held)),
        columns=tuple(sorted(set().union(*(each.columns for each in held)))),
        **{name: dict(totals(getattr(each, name) for each in held)) for name in summed},
    )
