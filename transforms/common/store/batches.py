"""Arrow batches: files of them that are read by ordinal, rows that wait on disk, and annotated sentences.

What is to be read in some order of its own lies in batches of its own, so that it is read with bounded memory: only
ordinals cross a shuffle, never text.

An artefact writes one file at a time; rows of a second table wait on disk until the first is written:

    with SideRows(SCHEMA) as side:
        ...write the first table, side.add(rows) on the way
        write_rows(stream, SCHEMA, side.batches())

Annotated sentences cross module borders before they become rows of a table, as records and in Arrow form.
"""

import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import File, HashedStream, checked

_BUFFER = 1 << 16  # bytes
_IN_MEMORY = 1 << 20  # bytes of rows that need not wait on disk


class BatchWriter:
    """Writes batches of one schema to a stream; `write` returns each batch's ordinal."""

    def __init__(self, stream: BinaryIO | HashedStream, schema: pa.Schema) -> None:
        options = pa.ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=False, use_threads=False)
        sink = stream if isinstance(stream, HashedStream) else HashedStream(stream)  # silent where a disk is full
        # Arrow writes a small batch in dozens of pieces.
        buffered = pa.BufferedOutputStream(pa.PythonFile(sink, "w"), _BUFFER)
        self._buffered = buffered
        self._writer = pa.ipc.new_file(buffered, schema, options=options)
        self._next = 0

    def write(self, batch: pa.RecordBatch) -> int:
        """Append a batch."""
        self._writer.write_batch(batch)
        self._next += 1
        return self._next - 1

    def __enter__(self) -> "BatchWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        self._buffered.detach()  # flushes it; whoever gave the stream closes it


class BatchReader:
    """Reads batches by (file, ordinal), holding at most `limit` files open.

    A file that is not sound raises `Damaged` when it is opened.
    """

    def __init__(self, limit: int = 128) -> None:
        self._limit = limit
        self._open: OrderedDict[str, tuple[BinaryIO, pa.ipc.RecordBatchFileReader]] = OrderedDict()

    def read(self, file: File, ordinal: int) -> pa.RecordBatch:
        """Return one batch."""
        return self._reader(file).get_batch(ordinal)

    def count(self, file: File) -> int:
        """Return how many batches the file holds."""
        return int(self._reader(file).num_record_batches)

    def _reader(self, file: File) -> pa.ipc.RecordBatchFileReader:
        path = file.path
        if path in self._open:
            self._open.move_to_end(path)
            return self._open[path][1]
        if len(self._open) >= self._limit:
            self._open.popitem(last=False)[1][0].close()
        checked(file)
        stream = pa.OSFile(path) if files.is_local(path) else files.open_read(path)
        # A batch is small: to decompress it with threads takes longer than to decompress it.
        options = pa.ipc.IpcReadOptions(use_threads=False)
        self._open[path] = (stream, pa.ipc.open_file(stream, options=options))
        return self._open[path][1]

    def __enter__(self) -> "BatchReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream, _ in self._open.values():
            stream.close()
        self._open.clear()


class SideRows:
    """Takes rows in order and returns them once, as batches."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - `__exit__` closes it
        self._writer = pa.ipc.new_stream(self._file, schema)

    def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Add rows."""
        self._writer.write_table(pa.Table.from_pylist(list(rows), schema=self._schema))

    def add_batch(self, batch: pa.RecordBatch) -> None:
        """Add the rows of a batch of the same schema."""
        self._writer.write_batch(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows; no more can be added."""
        self._writer.close()
        self._file.seek(0)
        yield from pa.ipc.open_stream(self._file)

    def __enter__(self) -> "SideRows":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


# The columns of table `sentences` that an engine or an annotated input fills.
ANNOTATION = pa.schema(
    [
        ("forms", pa.list_(pa.string())),
        ("lemmas", pa.list_(pa.string())),
        ("upos", pa.list_(pa.string())),
        ("starts", pa.list_(pa.int32())),
        ("ends", pa.list_(pa.int32())),
    ]
)


class Sentence(NamedTuple):
    """An annotated sentence: parallel lists, one entry a token, or None where there is none.

    `starts` and `ends` are code points in the text that the sentence was taken from. `layers` are
    the layers that were asked for, in order; empty where the source knows nothing of any.
    """

    forms: list[str] | None
    lemmas: list[str] | None
    upos: list[str] | None
    starts: list[int] | None
    ends: list[int] | None
    layers: tuple[Sequence[Any] | None, ...] = ()


def annotation_batch(sentences: Sequence[Sentence], layers: Sequence[pa.Field] = ()) -> pa.RecordBatch:
    """Return sentences as one Arrow batch of schema `ANNOTATION`, and columns of their layers."""
    schema = annotation_schema(layers)
    values = [[getattr(sentence, name) for sentence in sentences] for name in ANNOTATION.names]
    for place in range(len(layers)):
        values.append([s.layers[place] if s.layers else None for s in sentences])
    arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def annotation_schema(layers: Sequence[pa.Field] = ()) -> pa.Schema:
    """Return the schema of annotation with some layers."""
    return pa.schema([*ANNOTATION, *layers])
