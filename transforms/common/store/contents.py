"""Entries, each some neighbouring rows of a batch: what they hold, as bytes, and how large each is by itself.

Both are those of the entry alone, whatever lies beside it, and are found for all entries of a batch at once: a call
of Arrow for each takes longer than all else that is done with a short document.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

_NULL = -1  # in the place of a length


def contents_of(batch: pa.RecordBatch, counts: Sequence[int]) -> Iterator[bytes]:
    """Yield what each entry holds: bytes that two entries of one schema share only if they are equal.

    Args:
        batch: the rows of all entries.
        counts: how many rows each has, in their order.
    """
    bounds = _bounds(counts)
    levels: dict[int, tuple[np.ndarray, list[np.ndarray]]] = {}  # values that lie side by side have one array of bounds
    for column in batch.columns:
        for values, ends in _values(column, bounds):
            levels.setdefault(id(ends), (ends, []))[1].append(values)
    held = []
    for ends, arrays in levels.values():
        plain = [np.ascontiguousarray(values).view("u1").reshape(-1, values.itemsize) for values in arrays]
        rows = plain[0] if len(plain) == 1 else np.concatenate(plain, axis=1)
        held.append((rows.data.cast("B") if rows.size else memoryview(b""), (ends * rows.shape[1]).tolist()))
    for entry, count in enumerate(counts):
        yield b"%d " % count + b"".join([data[ends[entry] : ends[entry + 1]] for data, ends in held])


def sizes_of(batch: pa.RecordBatch, counts: Sequence[int]) -> list[int]:
    """Return the bytes of each entry, as Arrow counts those of a batch that has its rows alone."""
    bounds = _bounds(counts)
    sizes: list[int] = sum(
        (_sizes(column, bounds) for column in batch.columns), np.zeros(len(counts), np.int64)
    ).tolist()
    return sizes


def _bounds(counts: Sequence[int]) -> np.ndarray:
    """Return where entries begin, and the end of the last."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))])


def _values(array: pa.Array, bounds: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield arrays of plain values that say what `array` holds, each with the bounds of entries in it."""
    nulls = _nulls(array)
    if pa.types.is_struct(array.type):
        yield nulls, bounds
        for place in range(array.type.num_fields):
            yield from _values(array.field(place), bounds)
    elif pa.types.is_list(array.type) or pa.types.is_string(array.type):
        offsets = _offsets(array)
        lengths = np.diff(offsets)
        lengths[nulls] = _NULL
        yield lengths, bounds
        inner = offsets[bounds].astype(np.int64)
        if pa.types.is_string(array.type):
            yield _bytes(array.buffers()[2]), inner
        else:
            yield from _values(array.values, inner)
    elif _is_fixed(array.type):
        values = _fixed(array)
        values[nulls] = 0
        yield nulls, bounds
        yield values, bounds
    else:  # a type that no table of ours has
        yield from _values(pa.array(map(repr, array.to_pylist()), pa.string()), bounds)


def _sizes(array: pa.Array, bounds: np.ndarray) -> Any:
    rows = np.diff(bounds)
    bits = -(-rows // 8)
    sizes = np.zeros(len(rows), np.int64)
    if array.null_count:
        missing = np.concatenate([[0], np.cumsum(_nulls(array))])
        sizes = np.where(np.diff(missing[bounds]) > 0, bits, 0)
    if pa.types.is_boolean(array.type):
        return sizes + bits
    if _is_fixed(array.type):
        return sizes + array.type.bit_width // 8 * rows
    if pa.types.is_struct(array.type):
        return sum((_sizes(array.field(place), bounds) for place in range(array.type.num_fields)), sizes)
    if not (pa.types.is_list(array.type) or pa.types.is_string(array.type)):
        return np.array(
            [array.slice(start, count).nbytes for start, count in zip(bounds, rows, strict=False)], np.int64
        )
    offsets = _offsets(array)
    inner = offsets[bounds].astype(np.int64)
    within = np.diff(inner) if pa.types.is_string(array.type) else _sizes(array.values, inner)
    return sizes + offsets.itemsize * rows + within


def _nulls(array: pa.Array) -> Any:
    """Return which values are null; bool, shape (n,)."""
    if not array.null_count:
        return np.zeros(len(array), bool)
    return array.is_null().to_numpy(zero_copy_only=False)


def _offsets(array: pa.Array) -> Any:
    if not len(array):
        return np.zeros(1, np.int32)
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]


def _bytes(buffer: pa.Buffer | None) -> np.ndarray:
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _is_fixed(kind: pa.DataType) -> bool:
    return bool(pa.types.is_primitive(kind))  # numbers, bool, times


def _fixed(array: pa.Array) -> Any:
    """Return a copy of values of one width, as numbers of that width; those of nulls are anything."""
    if pa.types.is_boolean(array.type):
        return array.fill_null(False).to_numpy(zero_copy_only=False).copy()
    width = array.type.bit_width // 8
    values = _bytes(array.buffers()[1])[array.offset * width : (array.offset + len(array)) * width]
    return values.view(f"u{width}").copy()
