"""Stages `fetch` and `merge`: chosen targets in their sentences, as `complexity/instances`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.complexity.instances import INSTANCES, instances_schema
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.staged import MergeTask, StagedWriter, entries, gather_stage, merge, whole
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.instances.instance import instance_id
from lexbeam.transforms.complexity.select.picking import TargetOccurrence
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.corpora.document_reading import (
    FetchedSentence,
    SentenceKey,
    fetch,
    read_documents,
    sentence_text,
)
from lexbeam.transforms.formats.records.layers import columns_of

_BATCH = 256  # instances
COLUMNS = ("forms", "lemmas", "upos", "genre", "language")


class FetchTask(NamedTuple):
    """What is fetched from a part of a corpus: targets, whose sentences it must all hold."""

    pair: PartPair
    chosen: tuple[TargetOccurrence, ...]


class FetchSpec(NamedTuple):
    """What is carried over: layers, and the language of sentences that name none."""

    layers: tuple[str, ...]
    language: str | None


@dataclass(frozen=True)
class FetchedInstances:
    """Receipt: the staged instances."""

    file: Staged


def _fetch(artefact: Artefact, task: FetchTask, spec: FetchSpec) -> FetchedInstances:
    by_sentence: dict[SentenceKey, list[TargetOccurrence]] = {}
    for occurrence in sorted(task.chosen, key=_place):
        by_sentence.setdefault(SentenceKey(occurrence.document_id, occurrence.sentence), []).append(occurrence)
    schema = instances_schema(columns_of(spec.layers))
    names = dict.fromkeys(key.document_id for key in by_sentence)
    sources = {row.document_id: row.source for row in read_documents(task.pair.documents, ["source"], names)}
    with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
        # What is done with a batch takes about as long for one row.
        for rows in batched(_rows(task, by_sentence, sources, spec), _BATCH):
            ids = [row["instance_id"] for row in rows]
            ones = [1] * len(rows)
            batch = pa.RecordBatch.from_pylist(rows, schema=schema)
            writer.add_entries(list(map(hash_of, ids)), ids, [0] * len(rows), ones, batch)
    return FetchedInstances(writer.file(artefact.file(".arrow")))


def _rows(
    task: FetchTask,
    by_sentence: Mapping[SentenceKey, Sequence[TargetOccurrence]],
    sources: Mapping[str, str],
    spec: FetchSpec,
) -> Iterator[dict[str, Any]]:
    columns = (*COLUMNS, "starts", "ends", *spec.layers)
    for key, passage in fetch(task.pair, by_sentence, columns=columns, text=True):
        if passage is None:
            raise LexbeamError(
                f"{task.pair.sentences.path}: sentence {key.sentence} of document "
                f"{key.document_id} is gone: make the corpus again with `overwrite`"
            )
        for occurrence in by_sentence[key]:
            yield instance_of(occurrence, passage, sources[key.document_id], spec.language)


def _place(occurrence: TargetOccurrence) -> tuple[str, int, int, str]:
    return occurrence.document_id, occurrence.sentence, occurrence.position, occurrence.kind


def instance_of(
    occurrence: TargetOccurrence, passage: FetchedSentence, source: str, unknown: str | None
) -> dict[str, Any]:
    """Return the row of `complexity/instances` that a target is.

    The sentence is the document's text from its first form to its last, with every white space made a
    space; without text, its forms joined by spaces. The source's id, which enters the instance's, is
    `document_id:sentence`. `unknown` is the language of a sentence that names none.
    """
    row = passage.sentence
    sentence, start, end = _in_text(occurrence, passage)
    token = sentence[start:end]
    language = row.language or unknown
    source_id = f"{occurrence.document_id}:{occurrence.sentence}"
    return {
        "instance_id": instance_id(
            kind=occurrence.kind,
            genre=occurrence.genre,
            sentence=sentence,
            token=token,
            start=start,
            source_id=source_id,
        ),
        "kind": occurrence.kind,
        "token": token,
        "genre": occurrence.genre,
        "language": language and short_tag(language),
        "sentence": sentence,
        "start": start,
        "end": end,
        "forms": row.forms,
        "lemmas": row.lemmas,
        "upos": row.upos,
        "position": occurrence.position,
        "tokens": occurrence.tokens,
        "source": source,
        "source_id": source_id,
        "document_id": occurrence.document_id,
        "sentence_number": occurrence.sentence,
        "flags": [],
        "duplicate_of": None,
        "published_split": None,
        **(passage.layers or {}),
    }


def _in_text(occurrence: TargetOccurrence, passage: FetchedSentence) -> tuple[str, int, int]:
    """Return a sentence, and where the target begins and ends in it."""
    row = passage.sentence
    assert row.forms is not None
    line = sentence_text(row.forms, row.starts, row.ends, passage.text, passage.start or 0)
    first, last = occurrence.position, occurrence.position + occurrence.tokens - 1
    return line.text, line.starts[first], line.ends[last]


def _merge(artefact: Artefact, task: MergeTask, layers: tuple[str, ...]) -> PartFile:
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, INSTANCES, whole(found), instances_schema(columns_of(layers)))


FETCH: Stage[FetchTask, FetchSpec, FetchedInstances] = Stage(
    name="complexity.select/fetch", noun="targets", receipt=FetchedInstances, build=_fetch, unit="parts"
)
MERGE: Stage[MergeTask, tuple[str, ...], PartFile] = Stage(
    name="complexity.select/merge", noun="tables", receipt=PartFile, build=_merge, unit="parts"
)
GATHER = gather_stage("complexity.select")
