"""Nulls: the documents of some slices dealt out anew, as if their dates meant nothing, and how these slices compare.

A null pair, or null series, is trained, aligned and scored like the real one; what it lacks is a
difference in time. What is dealt are clusters: all documents of an author together if all authors
are known, none wrote in two slices, and each slice has enough of them; else single documents.
Sentences can be dealt, too, as Dubossarsky et al. (2017) shuffle them: but topics cluster by document, and as much
again by author, so nulls of sentences find change where dates are random (docs/tasks/change/evidence.md has the
figures).

A difference in usage may also be owed to genre, source, authors or length of the documents, and nulls do not take these
away: what they deal out is a mixture of both slices. So a deal says how far the slices differ in each.

The artefacts:

    SizeDocuments   a part's view of a slice      -> its documents: author, genre, source, tokens; perhaps its sentences
    DealDocuments   the documents of some slices  -> for each null which of them are in each slice; how these compare
    CountDealt      a part's view, a deal         -> the counts of a slice as dealt

The slices are the two of a pair, or all slices of a series. Without nulls a deal compares the documents of a pair,
and deals none. A null slice has no files of sentences: its training reads those of the real slices, and leaves out what
was dealt elsewhere, documents or sentences. From there on a null pair is aligned and scored like a real one.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.view.counts import PartCounts, count_view, write_counts
from lexbeam.transforms.change.view.feeds import Held, batches_of, read_held
from lexbeam.transforms.change.view.view_stage import for_counting
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, read_rows

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

LEAST_CLUSTERS = 10  # in a slice, to deal authors, and for any finding
TOLERANCE = 0.03  # of all tokens
ATTEMPTS = 100


class DealtUnit(NamedTuple):
    """What is dealt, for people: what several are called, and what a null pair deals out."""

    plural: str
    dealt: str


SENTENCE = "sentence"
UNITS = {
    "document": DealtUnit("documents", "documents"),
    "author": DealtUnit("authors", "blocks of an author's documents"),
    SENTENCE: DealtUnit("sentences", "single sentences"),
}
BY = ("document", SENTENCE)  # what can be asked for: authors are dealt for documents where that is possible


class Clusters(NamedTuple):
    """What is dealt.

    Attributes:
        unit: a key of `UNITS`.
        keys: of each document the key of its cluster, uint64.
        sizes: clusters in each slice.
    """

    unit: str
    keys: Hashes
    sizes: tuple[int, ...]


def clusters_of(documents: Hashes, authors: Hashes, known: Flags, places: Ints, slices: int) -> Clusters:
    """Return the clusters of the documents of some slices.

    They are authors if all are known, none is in two slices, and each slice has enough of them; else
    single documents.

    Args:
        documents: a key for each document.
        authors: a key for each document's author.
        known: whether its author is known.
        places: the place of its slice, from 0.
        slices: number of slices.
    """
    if len(documents) and known.all():
        slice_authors = [np.unique(authors[places == place]) for place in range(slices)]
        apart = len(np.unique(np.concatenate(slice_authors))) == sum(len(writers) for writers in slice_authors)
        if apart and min(len(writers) for writers in slice_authors) >= LEAST_CLUSTERS:
            return Clusters("author", authors, tuple(len(writers) for writers in slice_authors))
    sizes = np.bincount(places, minlength=slices)
    return Clusters("document", documents, tuple(sizes.tolist()))


def deal(clusters: Hashes, tokens: Ints, shares: Sequence[float], *, seed: int, number: int) -> Ints:
    """Return the slice that a deal puts each document into, by its place.

    Clusters are sorted by a hash of seed and number, and cut where the share of tokens before a cut
    comes nearest to that of the real slices before it. If a cut misses this by more than 3 % of all
    tokens for two slices, 2 % for three, 1.5 % for four, and so on, as happens with large clusters,
    other orders are tried, and the best one is taken.

    Args:
        clusters: of each document the key of its cluster.
        tokens: of each document.
        shares: of all tokens, which the real slices have, in their order.
        seed: any whole number.
        number: of the deal.

    Returns:
        int64 of shape (documents,); each slice gets at least one cluster if there are as many
        clusters as slices, else the last slices get none.
    """
    keys, place = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(place, tokens, minlength=len(keys))
    total = sizes.sum()
    slices = len(shares)
    if not total:
        return np.zeros(len(clusters), np.int64)
    if len(keys) < slices:
        return place.astype(np.int64)
    wanted = np.cumsum(shares)[:-1]
    best, least = np.zeros(len(keys), np.int64), np.inf
    for attempt in range(ATTEMPTS):
        drawn = numbers(keys, seed=seed, label=f"deal {number} {attempt}")
        order = np.argsort(drawn, kind="stable")
        before = np.cumsum(sizes[order])[:-1] / total
        cuts, missed = _cuts(before, wanted)
        if missed < least:
            least = missed
            best = np.zeros(len(keys), np.int64)
            best[order] = np.searchsorted(cuts, np.arange(len(keys)))
        if least <= 2 * TOLERANCE / slices:
            break
    return best[place]


def _cuts(before: Floats, wanted: Floats) -> tuple[Ints, float]:
    """Return the last cluster of each slice but the last, and the most that a cut misses.

    Args:
        before: share of all tokens up to each cluster but the last.
        wanted: share of all tokens up to each cut.
    """
    cuts: list[int] = []
    missed = 0.0
    for number, share in enumerate(wanted):
        first = cuts[-1] + 1 if cuts else 0
        behind = len(before) - (len(wanted) - number - 1)  # each slice that follows gets one
        apart = np.abs(before[first:behind] - share)
        cuts.append(first + int(np.argmin(apart)))
        missed = max(missed, float(apart.min()))
    return np.array(cuts, np.int64), missed


_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """How far two slices differ in a field.

    Attributes:
        distance: half the sum of the differences of all shares: 0 for the same mixture, 1 for nothing in common.
        value: whose shares differ most; empty for documents without one.
        shares: of it among the tokens of either slice.
    """

    distance: float
    value: str
    shares: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Comparability:
    """What is known of the documents of two slices.

    Attributes:
        genre, source: None if no document has one.
        authors: of either slice.
        authors_both: who wrote in both.
        shares_both: of the tokens of either slice that have an author, the share by those; None if none has.
        unsigned: documents without an author.
        author_shares: the share of tokens that the author with most has, of either slice.
        lengths: median tokens of a document, of either slice.
    """

    genre: Mixture | None
    source: Mixture | None
    authors: tuple[int, int]
    authors_both: int
    shares_both: tuple[float | None, float | None]
    unsigned: int
    author_shares: tuple[float, float]
    lengths: tuple[float, float]


def source_group(source: str, position: str) -> str:
    """Return where a document comes from: its folder, or its file if that has many documents.

    Digits do not count, for they are often years.

    >>> source_group("news/1990/a.txt", ""), source_group("all.zip!sport/b12.csv", "3"), source_group("a.txt", "")
    ('news/#', 'all.zip!sport/b#.csv', '')
    """
    archive, mark, member = source.rpartition("!")
    place = member if position else posixpath.dirname(member)
    return _DIGITS.sub("#", f"{archive}{mark}{place}")


def mixture(values: Sequence[str], places: Ints, tokens: Ints) -> Mixture | None:
    """Return how far two slices differ in a field.

    Args:
        values: of each document; empty for none.
        places: its slice, 0 or 1.
        tokens: its size.
    """
    if not any(values):
        return None
    names = sorted(set(values))
    code = {name: number for number, name in enumerate(names)}
    codes = np.array([code[value] for value in values], np.intp)
    shares = [_shares(codes[places == side], tokens[places == side], len(names)) for side in (0, 1)]
    apart = np.abs(shares[0] - shares[1])
    most = int(np.argmax(apart))
    return Mixture(
        distance=float(apart.sum() / 2), value=names[most], shares=(float(shares[0][most]), float(shares[1][most]))
    )


def _shares(codes: npt.NDArray[np.intp], tokens: Ints, size: int) -> npt.NDArray[np.float64]:
    return np.bincount(codes, tokens, minlength=size) / max(int(tokens.sum()), 1)


def comparability(
    *, genres: Sequence[str], sources: Sequence[str], authors: Hashes, known: Flags, places: Ints, tokens: Ints
) -> Comparability:
    """Return what is known of the documents of two slices.

    Args:
        genres, sources: of each document, empty where not known; sources as `source_group` has them.
        authors: a key for its author.
        known: whether that is known.
        places: its slice, 0 or 1.
        tokens: its size.
    """
    written = [np.unique(authors[known & (places == side)]) for side in (0, 1)]
    both = np.intersect1d(written[0], written[1])
    by_both = known & np.isin(authors, both)
    largest, lengths, shares_both = [], [], []
    for side in (0, 1):
        own = places == side
        names, codes = np.unique(authors[own & known], return_inverse=True)
        share = _shares(codes, tokens[own & known], len(names)).max(initial=0.0) if len(names) else 0.0
        signed = int(tokens[own & known].sum())
        largest.append(float(share * (signed / max(int(tokens[own].sum()), 1))))
        shares_both.append(int(tokens[own & by_both].sum()) / signed if signed else None)
        lengths.append(float(np.median(tokens[own])) if own.any() else 0.0)
    return Comparability(
        genre=mixture(genres, places, tokens),
        source=mixture(sources, places, tokens),
        authors=(len(written[0]), len(written[1])),
        authors_both=len(both),
        shares_both=(shares_both[0], shares_both[1]),
        unsigned=int((~known).sum()),
        author_shares=(largest[0], largest[1]),
        lengths=(lengths[0], lengths[1]),
    )


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
    """How many nulls each pair and the series get, the seed of the deals, and what they deal: one of `BY`."""

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
        unit: what was dealt, a key of `UNITS`.
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
class SizeDocuments(Step[SizesTask, Sized]):
    """Say who wrote the documents of a slice in a part, of which genre and source, and how long they are."""

    name = "change/sizes"
    noun = "slices"
    unit = "parts of slices"

    def make(self, artefact: Artefact, task: SizesTask) -> Sized:
        """Write the documents, and, where these are dealt, the sentences."""
        tokens: dict[str, int] = {}
        for batch in batches_of([task.view]):
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
                pa.array(
                    [source_group(about[n]["source"] or "", about[n]["position"] or "") for n in names], pa.string()
                ),
                pa.array([tokens[name] for name in names], pa.int64()),
            ],
            schema=SIZES_SCHEMA,
        )
        with artefact.writing(".arrow") as stream, BatchWriter(stream, SIZES_SCHEMA) as writer:
            writer.write(batch)
        if not task.sentences:
            return Sized(artefact.file(".arrow"))
        with artefact.writing("-sentences.arrow") as stream, BatchWriter(stream, SENTENCES_SCHEMA) as writer:
            for batch in batches_of([task.view]):
                lengths = batch["words"].value_lengths().cast(pa.int64())
                writer.write(pa.record_batch([batch["key"], lengths], schema=SENTENCES_SCHEMA))
        return Sized(artefact.file(".arrow"), artefact.file("-sentences.arrow"))


@dataclass(frozen=True)
class DealDocuments(Step[DealTask, Deal]):
    """Deal documents, or sentences, out to slices anew, as often as there are nulls; compare those of a pair."""

    options: DealOptions

    name = "change/deal"
    noun = "null slices"
    unit = "deals"

    def make(self, artefact: Artefact, task: DealTask) -> Deal:
        """Write what each slice of each null has."""
        documents = _documents_of(task.slices)
        slices = len(task.slices)
        if self.options.sentences:
            clusters, held, sizes, places = _sentences_of(task.sentences)
        else:
            clusters = clusters_of(documents.keys, documents.authors, documents.known, documents.places, slices)
            held, sizes, places = Held("document", documents.keys), documents.tokens, documents.places
        tokens = np.bincount(places, sizes, minlength=slices)
        shares = tokens / max(tokens.sum(), 1)
        nulls = []
        for number in range(self.options.nulls):
            dealt = deal(clusters.keys, sizes, shares.tolist(), seed=self.options.seed, number=number)
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
    return list(batches_of(sorted(files, key=attrgetter("sha256"))))


@dataclass(frozen=True)
class CountDealt(Step[DealtTask, PartCounts]):
    """Count what of a part is in a null slice."""

    name = "change/dealt"
    noun = "null slices"
    unit = "parts of null slices"

    def make(self, artefact: Artefact, task: DealtTask) -> PartCounts:
        """Write the counts."""
        held = read_held(task.documents)
        return write_counts(artefact, "-counts.arrow", count_view(for_counting(_inside(task.views, held))))


def _inside(views: Sequence[File], held: Held) -> Iterator[pa.RecordBatch]:
    """Yield the sentences that a null slice has."""
    for batch in batches_of(views):
        yield batch.take(pa.array(held.rows(batch)))
