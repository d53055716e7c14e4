"""What is kept of files that have gone: their documents, rejects and rows of `corpus/inputs`, as they were published.

    keys = gone_keys(listing, names, inputs)        # of a run, from the listing and the published table
    gone = make(workspace, ListGone(), GoneTask(keys))  # in a file, since there may be many
    receipt = make(workspace, KeepPart(...), task)      # a part of each published table, as if it was taken in

What is kept goes on like what is taken in: duplicates are settled among all, texts are annotated by the engine of
the run, and annotation that came with the input comes from `sentences`. So what is published is decided by the
configuration, the files and the snapshot that is kept from.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.publish.forgotten import Forgotten, ForgottenMarks
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import ANNOTATION, BatchReader, BatchWriter, Sentence
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, RowsByKey, read_rows
from lexbeam.transforms.formats.ingest.ingestion import Ingested, ingesting
from lexbeam.transforms.formats.ingest.input_listing import key_of
from lexbeam.transforms.formats.ingest.intake_tables import InputCount, late_counts
from lexbeam.transforms.formats.ingest.staged_records import RecordRow
from lexbeam.transforms.formats.records.base import BLOCK, Record
from lexbeam.transforms.formats.records.layers import columns_of

HELD = 1 << 22  # files that are held at a time
GONE_KEYS = pa.schema([pa.field("key", pa.int64(), nullable=False)])  # of the names of files, ascending
_FIELDS = ("source", "position", "language", "year", "year_to", "date", "genre", "author", "title", "text")

Keys = npt.NDArray[np.int64]


class KeptPart(NamedTuple):
    """A part of each published table; documents and sentences are of the same documents."""

    documents: Part
    sentences: Part
    rejects: Part
    inputs: Part


class GoneTask(NamedTuple):
    """The keys of the names of files that have gone, int64, ascending, as bytes."""

    keys: bytes


@dataclass(frozen=True)
class Gone:
    """Receipt of the files that have gone: one batch of `GONE_KEYS`."""

    keys: File


class KeepTask(NamedTuple):
    """Parts of published tables, and the files whose rows of them are kept: a batch of `GONE_KEYS`."""

    part: KeptPart
    gone: File


def gone_keys(listed: Sequence[File], large: Iterable[str], inputs: Sequence[Part]) -> Iterator[Keys]:
    """Yield the keys of names of files that were taken in and are not listed, some million at a time, each ascending.

    Args:
        listed: listings of files.
        large: the names of further files.
        inputs: the parts of the published table of input files.
    """
    others = np.sort(np.fromiter(map(key_of, large), np.int64))
    rounds = max(-(-sum(part.rows for part in inputs) // HELD), 1)
    paths = [checked(part) for part in inputs]
    for turn in range(rounds):
        found = (_keys_of(rows["name"].to_pylist()) for rows in read_rows(paths, ["name"]))
        keys = np.unique(np.concatenate([np.empty(0, np.int64), *found]))
        keys = keys[keys % rounds == turn]
        is_there = np.isin(keys, others)
        with BatchReader() as reader:
            for file in listed:
                for ordinal in range(reader.count(file)):
                    listed_keys = reader.read(file, ordinal).column("key").to_numpy()
                    places = np.searchsorted(keys, listed_keys)
                    inside = places < len(keys)
                    places, listed_keys = places[inside], listed_keys[inside]
                    is_there[places[keys[places] == listed_keys]] = True
        yield keys[~is_there]


def _keys_of(names: Iterable[str]) -> Keys:
    return np.fromiter(map(key_of, names), np.int64)


@dataclass(frozen=True)
class ListGone(Step[GoneTask, Gone]):
    """Write down which files have gone."""

    name = "corpus/gone"
    noun = "intake"
    unit = "lists"

    def make(self, artefact: Artefact, task: GoneTask) -> Gone:
        """Write the keys of their names."""
        with artefact.writing(".arrow") as stream, BatchWriter(stream, GONE_KEYS) as writer:
            writer.write(pa.record_batch([np.frombuffer(task.keys, np.int64)], schema=GONE_KEYS))
        return Gone(artefact.file(".arrow"))


@dataclass(frozen=True, kw_only=True)
class KeepPart(Step[KeepTask, Ingested]):
    """Take in what was published of files that have gone.

    Attributes:
        annotated: whether the annotation of documents with text is kept, too, since no engine makes it.
        layers: further columns of sentences.
        forgotten: what is left out, whatever keeps it; None: nothing.
    """

    annotated: bool
    layers: tuple[str, ...] = ()
    forgotten: Forgotten | None = None

    name = "corpus/keep"
    noun = "intake"
    unit = "parts"

    def make(self, artefact: Artefact, task: KeepTask) -> Ingested:
        """Write what `Ingest` writes."""
        with BatchReader() as reader:
            gone = reader.read(task.gone, 0).column("key").to_numpy()
        marks = self.forgotten.marks() if self.forgotten is not None else ForgottenMarks()
        forgotten: list[str] = []
        with ingesting(artefact, self.layers) as stages:
            for row, record in _records(task.part, gone, self):
                if marks and marks.has_document(row["text"], row["source"], row["position"]):
                    if record.block == 0:
                        stages.rejects.add(RejectRow(row["source"], row["position"], "ingest", "forgotten", ""))
                        forgotten.append(row["source"])
                    continue
                key = row["key"] if row["text"] is not None else ""
                stages.records.add(row, record, (key, row["source"], 0, record.position))
            for rows in read_rows([checked(task.part.rejects)]):
                for reject in rows.filter(_is_of(rows["source"], gone)).to_pylist():
                    if marks.has_source(reject["source"]):
                        reject |= {"stage": "ingest", "reason": "forgotten", "detail": ""}
                    stages.rejects.add(RejectRow(**reject))
        return stages.receipt([*_inputs(task.part.inputs, gone), *late_counts(forgotten)])

    def chosen(self, _: KeepTask | None) -> dict[str, tuple[str, ...]]:
        """Return the layers."""
        return {"lexbeam.transforms.formats.records.layers:LAYERS": self.layers}


def _is_of(sources: pa.ChunkedArray, gone: Keys) -> pa.Array:
    """Return which sources are, or lie in, files that have gone."""
    coded = sources.combine_chunks().dictionary_encode()
    held = np.isin(_keys_of(map(file_of, coded.dictionary.to_pylist())), gone)
    return pa.array(held[coded.indices.to_numpy()] if len(coded) else np.zeros(0, bool))


def _inputs(part: Part, gone: Keys) -> Iterator[InputCount]:
    for rows in read_rows([checked(part)]):
        for row in rows.filter(_is_of(rows["name"], gone)).to_pylist():
            notes = {entry["note"]: entry["number"] for entry in row.pop("notes") or ()}
            yield InputCount(**row, notes=notes or None)


def _records(part: KeptPart, gone: Keys, keep: KeepPart) -> Iterator[tuple[RecordRow, Record]]:
    """Yield the documents of files that have gone as rows of a staging file with records, long ones in blocks."""
    names = [*ANNOTATION.names, *(field.name for field in columns_of(keep.layers))]
    kept = pa.chunked_array(
        [
            chunk
            for rows in read_rows([checked(part.documents)], ["document_id", "source"])
            for chunk in rows["document_id"].filter(_is_of(rows["source"], gone)).chunks
        ],
        pa.string(),
    ).combine_chunks()
    if not len(kept):
        return
    sentences = RowsByKey(
        [part.sentences],
        ["document_id", *names],
        "document_id",
        keep=lambda rows: pc.is_in(rows["document_id"], value_set=kept),
    )
    for rows in read_rows([checked(part.documents)], ["document_id", *_FIELDS]):
        for document in rows.filter(pc.is_in(rows["document_id"], value_set=kept)).to_pylist():
            name, text = document.pop("document_id"), document["text"]
            if text is not None and not keep.annotated:
                yield _record(name, document, None)
                continue
            annotation = [_sentence(row, names) for row in sentences.of(name)]
            if text is not None:
                yield _record(name, document, annotation)
                continue
            for start in range(0, max(len(annotation), 1), BLOCK):
                yield _record(name, document, annotation[start : start + BLOCK], start)


def _record(
    name: str, document: dict[str, Any], sentences: list[Sentence] | None, block: int = 0
) -> tuple[RecordRow, Record]:
    number = None if sentences is None else len(sentences)
    row = cast(RecordRow, {"key": name, "block": block, "sentences": number, **document})
    return row, Record(document["position"], {}, document["text"], sentences, block)


def _sentence(row: dict[str, Any], names: Sequence[str]) -> Sentence:
    own = len(ANNOTATION.names)
    return Sentence._make((*(row[name] for name in names[:own]), tuple(row[name] for name in names[own:])))
