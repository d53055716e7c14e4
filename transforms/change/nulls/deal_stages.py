"""Null pairs and series as artefacts: whose documents they are, how they are dealt, what is counted in them.

    SIZES   a part's view of a slice      -> its documents: author, genre, source, tokens; perhaps its sentences
    DEAL    the documents of some slices  -> for each null which of them are in each slice; how these compare
    DEALT   a part's view, a deal         -> the counts of a slice as dealt

The slices are the two of a pair, or all slices of a series. Without nulls a deal compares the documents of a pair,
and deals none. A null slice has no files of sentences: its training reads those of the real slices, and leaves out what
was dealt elsewhere, documents or sentences. From there on a null pair is aligned and scored like a real one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.nulls.comparability import Comparability, comparability, source_group
from lexbeam.transforms.change.nulls.deals import SENTENCE, Clusters, Flags, Hashes, Ints, clusters_of, deal
from lexbeam.transforms.change.view.counts import COUNTS, count_view
from lexbeam.transforms.change.view.feeds import Held, as_batch, read_held
from lexbeam.transforms.change.view.view_stage import for_counting
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, read_rows

# A document of a slice: keys are content hashes; the author's is null if the author is not known, other texts empty.
SIZES_SCHEMA = pa.schema(
    [
        pa.field("document", pa.uint64(), nullable=False),
        pa.field("author", pa.uint64()),
        pa.field("genre", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("tokens", pa.int64(), nullable=False),
    ]
)
# A sentence of a slice by its key, that of `feeds.STAGED`; the pieces of a split one share it.
SENTENCES_SCHEMA = pa.schema([("key", pa.uint64()), ("tokens", pa.int64())])


@dataclass(frozen=True, kw_only=True)
class DealOptions:
    """How many nulls each pair and the series get, the seed of the deals, and what they deal: one of `deals.BY`."""

    nulls: int
    seed: int
    by: str = "document"

    @property
    def sentences(self) -> bool:
        """Whether sentences are dealt."""
        return self.nulls > 0 and self.by == SENTENCE


class SizesTask(NamedTuple):
    """A part's view of a slice, the part of `documents` that says who wrote its documents, and what is dealt.

    Attributes:
        view: of the slice.
        documents: the part.
        sentences: whether single sentences are dealt.
    """

    view: File
    documents: Part
    sentences: bool = False


@dataclass(frozen=True)
class Sized:
    """The documents of a slice in a part, of `SIZES_SCHEMA`; of sentences that are dealt, `SENTENCES_SCHEMA`."""

    documents: File
    sentences: File | None = None


class DealTask(NamedTuple):
    """The documents of some slices, of each a file for each part that has any; so the sentences, if these are dealt."""

    slices: tuple[tuple[File, ...], ...]
    sentences: tuple[tuple[File, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Deal:
    """The nulls of some slices.

    Attributes:
        unit: what was dealt, a key of `deals.UNITS`.
        sizes: clusters of each real slice.
        nulls: by null and slice, the documents or sentences that it has, see `feeds.Held`.
        slices: how the documents of two slices compare; None for others.
    """

    unit: str
    sizes: tuple[int, ...]
    nulls: tuple[tuple[File, ...], ...]
    slices: Comparability | None = None


class DealtTask(NamedTuple):
    """A part's views of some slices, and a null slice that a deal makes from their documents.

    Attributes:
        views: of the slices whose documents were dealt.
        documents: those that the slice has, or its sentences.
    """

    views: tuple[File, ...]
    documents: File


@dataclass(frozen=True)
class Dealt:
    """What of a part is in a null slice: counts, of words in `counts` (schema `counts.COUNTS`)."""

    counts: File
    documents: int
    sentence_count: int
    tokens: int
    largest_document: int


def _sizes(artefact: Artefact, task: SizesTask, _: None) -> Sized:
    tokens: dict[str, int] = {}
    for batch in _staged(task.view):
        sizes = pa.table([batch["document_id"], pc.list_value_length(batch["words"])], ["id", "n"])
        sums = sizes.group_by("id", use_threads=False).aggregate([("n", "sum")])
        for name, number in zip(*(column.to_pylist() for column in sums.columns), strict=True):
            tokens[name] = tokens.get(name, 0) + number
    names = sorted(tokens)
    about: dict[str, dict[str, str | None]] = {}
    for rows in read_rows([checked(task.documents)], ["document_id", "author", "genre", "source", "position"]):
        held = rows.filter(pc.is_in(rows["document_id"], value_set=pa.array(names, pa.string())))
        about |= {row["document_id"]: row for row in held.to_pylist()}
    written, genres = (
        [" ".join((about[name][field] or "").split()) for name in names] for field in ("author", "genre")
    )
    batch = pa.record_batch(
        [
            pa.array(content_hashes(names), pa.uint64()),
            pa.array(content_hashes(written), mask=np.array([not name for name in written], bool)),
            pa.array(genres, pa.string()),
            pa.array([source_group(about[n]["source"] or "", about[n]["position"] or "") for n in names], pa.string()),
            pa.array([tokens[name] for name in names], pa.int64()),
        ],
        schema=SIZES_SCHEMA,
    )
    with artefact.writing(".arrow") as stream, BatchWriter(stream, SIZES_SCHEMA) as writer:
        writer.write(batch)
    if not task.sentences:
        return Sized(artefact.file(".arrow"))
    with artefact.writing("-sentences.arrow") as stream, BatchWriter(stream, SENTENCES_SCHEMA) as writer:
        for batch in _staged(task.view):
            lengths = batch["words"].value_lengths().cast(pa.int64())
            writer.write(pa.record_batch([batch["key"], lengths], schema=SENTENCES_SCHEMA))
    return Sized(artefact.file(".arrow"), artefact.file("-sentences.arrow"))


def _staged(file: File) -> Iterator[pa.RecordBatch]:
    with BatchReader() as reader:
        for ordinal in range(reader.count(file)):
            yield reader.read(file, ordinal)


def _deal(artefact: Artefact, task: DealTask, options: DealOptions) -> Deal:
    documents = _documents_of(task.slices)
    slices = len(task.slices)
    if options.sentences:
        clusters, held, sizes, places = _sentences_of(task.sentences)
    else:
        clusters = clusters_of(documents.keys, documents.authors, documents.known, documents.places, slices)
        held, sizes, places = Held("document", documents.keys), documents.tokens, documents.places
    tokens = np.bincount(places, sizes, minlength=slices)
    shares = tokens / max(tokens.sum(), 1)
    nulls = []
    for number in range(options.nulls):
        dealt = deal(clusters.keys, sizes, shares.tolist(), seed=options.seed, number=number)
        slice_files = []
        for place in range(slices):
            suffix = f"-{number * slices + place:04d}.arrow"
            slice_files.append(_write_held(artefact, suffix, held, dealt == place))
        nulls.append(tuple(slice_files))
    compared = None
    if slices == 2:
        compared = comparability(
            genres=documents.genres,
            sources=documents.sources,
            authors=documents.authors,
            known=documents.known,
            places=documents.places,
            tokens=documents.tokens,
        )
    return Deal(unit=clusters.unit, sizes=clusters.sizes, nulls=tuple(nulls), slices=compared)


class _Documents(NamedTuple):
    """Documents: keys, authors (where known), genres and sources, the place of the slice, tokens."""

    keys: Hashes
    authors: Hashes
    known: Flags
    genres: list[str]
    sources: list[str]
    places: Ints
    tokens: Ints


def _documents_of(slices: Sequence[Sequence[File]]) -> _Documents:
    sides = [pa.Table.from_batches(_all(files), SIZES_SCHEMA) for files in slices]
    table = pa.concat_tables(sides)
    return _Documents(
        table["document"].to_numpy(),
        table["author"].fill_null(0).to_numpy(),
        table["author"].is_valid().to_numpy(zero_copy_only=False),
        table["genre"].to_pylist(),
        table["source"].to_pylist(),
        np.repeat(np.arange(len(sides)), [side.num_rows for side in sides]),
        table["tokens"].to_numpy(),
    )


class _Sentences(NamedTuple):
    """What is dealt, where that is sentences: clusters and what slices hold of them, tokens, the place of the slice."""

    clusters: Clusters
    held: Held
    tokens: Ints
    places: Ints


def _sentences_of(slices: Sequence[Sequence[File]]) -> _Sentences:
    sides = [pa.Table.from_batches(_all(files), SENTENCES_SCHEMA) for files in slices]
    table = pa.concat_tables(sides)
    keys = table["key"].to_numpy()
    places = np.repeat(np.arange(len(sides)), [side.num_rows for side in sides])
    sizes = tuple(len(np.unique(side["key"].to_numpy())) for side in sides)
    return _Sentences(Clusters(SENTENCE, keys, sizes), Held("key", keys), table["tokens"].to_numpy(), places)


def _write_held(artefact: Artefact, suffix: str, held: Held, inside: Flags) -> File:
    batch = held._replace(hashes=np.unique(held.hashes[inside])).batch
    with artefact.writing(suffix) as stream, BatchWriter(stream, batch.schema) as writer:
        writer.write(batch)
    return artefact.file(suffix)


def _all(files: Sequence[File]) -> list[pa.RecordBatch]:
    return [batch for file in sorted(files, key=_sha256) for batch in _staged(file)]


def _sha256(file: File) -> str:
    return file.sha256


def _dealt(artefact: Artefact, task: DealtTask, _: None) -> Dealt:
    held = read_held(task.documents)
    counted = count_view(for_counting(_inside(task.views, held)))
    with artefact.writing("-counts.arrow") as stream, BatchWriter(stream, COUNTS) as writer:
        writer.write(as_batch(counted.words))
    return Dealt(
        counts=artefact.file("-counts.arrow"),
        documents=counted.documents,
        sentence_count=counted.sentences,
        tokens=counted.tokens,
        largest_document=counted.largest_document,
    )


def _inside(views: Sequence[File], held: Held) -> Iterator[pa.RecordBatch]:
    """Yield the sentences that a null slice has."""
    for view in views:
        for batch in _staged(view):
            yield batch.take(pa.array(held.rows(batch)))


SIZES: Stage[SizesTask, None, Sized] = Stage(
    name="change/sizes", noun="slices", unit="parts of slices", receipt=Sized, build=_sizes
)
DEAL: Stage[DealTask, DealOptions, Deal] = Stage(
    name="change/deal",
    noun="null slices",
    unit="deals",
    receipt=Deal,
    build=_deal,
    unordered=("task.slices[]", "task.sentences[]"),
)
DEALT: Stage[DealtTask, None, Dealt] = Stage(
    name="change/dealt", noun="null slices", receipt=Dealt, build=_dealt, unit="parts of null slices"
)
