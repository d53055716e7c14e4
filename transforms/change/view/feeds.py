"""Files of the training view: staged batches, counts of a slice, sentences to train on, also as text.

Text files have the form of the corpora of SemEval-2020 Task 1: one file per slice, `NAME.txt.gz`, with a sentence a
line and words separated by spaces, in the order of training.
"""

import gzip
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from transforms.common.store import files
from transforms.common.store.batches import BatchReader
from transforms.common.store.receipts import File
from transforms.embeddings.sgns import sentences_of

__all__ = ["FEED", "STAGED", "StagedView", "as_batch", "read_counts", "read_feed", "write_text"]


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
# A sentence in the order of training.
FEED = pa.schema([("words", pa.list_(pa.dictionary(pa.int32(), pa.string())))])


class StagedView(NamedTuple):
    """A staged batch of the view: the file and the batch's ordinal in it."""

    file: File
    ordinal: int


def as_batch(table: pa.Table) -> pa.RecordBatch:
    """Return the rows of a table as one batch."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def read_counts(file: File) -> pa.Table:
    """Return a slice's counts, of schema `counts.COUNTS`, sorted by word."""
    with BatchReader() as reader:
        return pa.Table.from_batches([reader.read(file, 0)])


def read_feed(feed: Sequence[File]) -> Iterator[pa.ListArray]:
    """Yield the sentences of a slice, arrays of lists, in the order of training."""
    with BatchReader(limit=1) as reader:
        for file in feed:
            for ordinal in range(reader.count(file)):
                yield reader.read(file, ordinal).column(0)


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
