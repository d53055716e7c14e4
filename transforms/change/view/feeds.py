"""Files of the training view: staged batches, counts of a slice, sentences to train on, also as text.

What a null slice is trained on lies in the files of the real slices: `read_dealt` reads their sentences in the order of
training, those of the documents, or those sentences, that were dealt to it.

Text files have the form of the corpora of SemEval-2020 Task 1: one file per slice, `NAME.txt.gz`, with a sentence a
line and words separated by spaces, in the order of training.
"""

import gzip
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.embeddings.sgns import sentences_of

# A sentence of the view, staged by slice and range of keys; tags are numbers (see `tags`), null for an
# untagged sentence.
STAGED = pa.schema(
    [
        ("key", pa.uint64()),
        ("document_id", pa.string()),
        ("sentence", pa.int32()),
        ("words", pa.list_(pa.string())),
        ("tags", pa.list_(pa.uint8())),
    ]
)
# A sentence in the order of training, which is that of `key`; `document` is the content hash of its document's id.
FEED = pa.schema(
    [("words", pa.list_(pa.dictionary(pa.int32(), pa.string()))), ("key", pa.uint64()), ("document", pa.uint64())]
)

Hashes = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int32]


class Held(NamedTuple):
    """What a deal puts into a null slice.

    Attributes:
        column: of `FEED`: `document` where documents are dealt, `key` where sentences are.
        hashes: the values that it has there, sorted.
    """

    column: str
    hashes: Hashes

    @property
    def batch(self) -> pa.RecordBatch:
        """As it is written: its one column."""
        schema = pa.schema([pa.field(self.column, pa.uint64(), nullable=False)])
        return pa.record_batch([self.hashes], schema=schema)

    def rows(self, batch: pa.RecordBatch) -> npt.NDArray[np.intp]:
        """Return the rows of a batch, of `FEED` or `STAGED`, that it has."""
        if self.column in batch.schema.names:
            values = batch[self.column].to_numpy()
        else:
            values = content_hashes(batch["document_id"].dictionary_encode())
        if not len(self.hashes):
            return np.zeros(0, np.intp)
        places = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        return np.flatnonzero(self.hashes[places] == values)


class StagedView(NamedTuple):
    """A staged batch of the view: the file and the batch's ordinal in it."""

    file: File
    ordinal: int


class KeySpan(NamedTuple):
    """Sentences of a slice that follow one another in the order of training: keys, both ends included."""

    first: int
    last: int


WHOLE = KeySpan(0, 2**64 - 1)


def as_batch(table: pa.Table) -> pa.RecordBatch:
    """Return the rows of a table as one batch."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def read_counts(file: File) -> pa.Table:
    """Return a slice's counts, of schema `counts.COUNTS`, sorted by word."""
    with BatchReader() as reader:
        return pa.Table.from_batches([reader.read(file, 0)])


def read_held(file: File) -> Held:
    """Return what a null slice has, from a file of one `Held.batch`."""
    (batch,) = batches_of([file])
    return Held(batch.schema.names[0], batch.column(0).to_numpy())


def read_feed(feed: Sequence[File], span: KeySpan = WHOLE) -> Iterator[pa.ListArray]:
    """Yield the sentences of a slice, or of a span of it, arrays of lists, in the order of training."""
    for batch in _inside(feed, span):
        yield batch.column("words")


def _inside(feed: Sequence[File], span: KeySpan) -> Iterator[pa.RecordBatch]:
    """Yield the sentences of a span; batches before and behind it are not read, but for a few that it is sought in."""
    if span == WHOLE:
        yield from batches_of(feed)
        return
    with BatchReader(limit=1) as reader:

        def last_key(file: File, ordinal: int) -> int:
            return int(reader.read(file, ordinal)["key"][-1].as_py())

        begin = bisect_left(feed, span.first, key=lambda file: last_key(file, reader.count(file) - 1))
        inside = feed[begin:]
        first = 0
        if inside:
            ordinals = range(reader.count(inside[0]))
            first = bisect_left(ordinals, span.first, key=lambda ordinal: last_key(inside[0], ordinal))
    for batch in batches_of(inside, first):
        keys = batch["key"].to_numpy()
        start = int(np.searchsorted(keys, np.uint64(span.first)))
        end = int(np.searchsorted(keys, np.uint64(span.last), side="right"))
        if start < end:
            yield batch.slice(start, end - start)
        if end < len(keys):
            return


def batches_of(staged: Sequence[File], first: int = 0) -> Iterator[pa.RecordBatch]:
    """Yield the batches of files, of the first file from this one on."""
    with BatchReader(limit=1) as reader:
        for file in staged:
            for ordinal in range(first, reader.count(file)):
                yield reader.read(file, ordinal)
            first = 0


def read_dealt(feeds: Sequence[Sequence[File]], held: Held, span: KeySpan = WHOLE) -> Iterator[pa.ListArray]:
    """Yield the sentences of a null slice, from all slices together, arrays of lists, in the order of training.

    Args:
        feeds: of each slice its files, in the order of training.
        held: what the null slice has.
        span: those sentences alone.
    """
    words = _Words(len(feeds))
    streams = [_inside(feed, span) for feed in feeds]

    def read_on(place: int) -> _Sentences | None:
        batch = next(streams[place], None)
        return None if batch is None else _sentences(batch, held, lambda tokens: words.coded(tokens, place))

    parts = [read_on(place) for place in range(len(feeds))]
    while any(part is not None for part in parts):
        # All sentences up to the first key by which one of the slices must be read on.
        end = min(part.end for part in parts if part is not None)
        taken = []
        for place, part in enumerate(parts):
            if part is not None:
                number = int(np.searchsorted(part.keys, np.uint64(end), side="right"))
                taken.append(part.cut(0, number))
                rest = part.cut(number, len(part.keys))
                parts[place] = rest if part.end > end else read_on(place)
        keys = np.concatenate([part.keys for part in taken])
        if len(keys):
            yield words.lists([part.lists() for part in taken], np.argsort(keys, kind="stable"))


class _Sentences(NamedTuple):
    """Sentences of one slice in the order of their keys: of each its key, where its words begin and end, all words.

    Attributes:
        end: the last key of the batch that they were in.
    """

    keys: Hashes
    bounds: npt.NDArray[np.int64]
    codes: Codes
    end: int

    def cut(self, start: int, end: int) -> "_Sentences":
        return self._replace(keys=self.keys[start:end], bounds=self.bounds[start : end + 1])

    def lists(self) -> pa.ListArray:
        codes = self.codes[self.bounds[0] : self.bounds[-1]]
        return pa.ListArray.from_arrays(pa.array(self.bounds - self.bounds[0], pa.int32()), pa.array(codes))


def _sentences(batch: pa.RecordBatch, held: Held, coded: Callable[[pa.DictionaryArray], Codes]) -> _Sentences:
    """Return those sentences of a batch that a null slice has."""
    keys = batch["key"].to_numpy()
    rows = held.rows(batch)
    lists = batch["words"].take(pa.array(rows))
    bounds = np.append(0, np.cumsum(lists.value_lengths().to_numpy(zero_copy_only=False), dtype=np.int64))
    return _Sentences(keys[rows], bounds, coded(lists.flatten()), int(keys[-1]))


class _Words:
    """All words so far, by number: files have dictionaries of their own, and lists of several become one."""

    def __init__(self, slices: int) -> None:
        self._dictionary = pa.array([], pa.string())
        # The dictionary of each slice, which all batches of a file share, and the numbers of its words.
        self._known: list[tuple[pa.Array, Codes]] = [(self._dictionary, np.zeros(0, np.int32))] * slices

    def coded(self, tokens: pa.DictionaryArray, place: int) -> Codes:
        known, codes = self._known[place]
        if not tokens.dictionary.equals(known):
            found = pc.index_in(tokens.dictionary, value_set=self._dictionary)
            new = tokens.dictionary.filter(found.is_null())
            codes = found.fill_null(-1).to_numpy().copy()
            codes[codes < 0] = len(self._dictionary) + np.arange(len(new), dtype=np.int32)
            self._dictionary = pa.concat_arrays([self._dictionary, new])
            self._known[place] = tokens.dictionary, codes
        return np.asarray(codes[tokens.indices.to_numpy(zero_copy_only=False)])

    def lists(self, parts: Sequence[pa.ListArray], order: npt.NDArray[np.int64]) -> pa.ListArray:
        """Return lists of numbers as lists of words, in another order."""
        lists = pa.concat_arrays(parts).take(pa.array(order))
        return pa.ListArray.from_arrays(lists.offsets, pa.DictionaryArray.from_arrays(lists.values, self._dictionary))


def write_text(folder: str, name: str, feed: Sequence[File]) -> str:
    """Write a slice's sentences and return the file's path; the same view gives the same bytes."""
    files.make_folder(folder)
    path = files.join(folder, f"{name}.txt.gz")
    with (
        files.writing(path) as stream,
        gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0) as packed,
    ):
        for words in sentences_of(read_feed(feed)):
            packed.write((" ".join(words) + "\n").encode())
    return path
