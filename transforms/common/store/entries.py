"""Entries with their rows, many at a time, and runs of them put in one order.

    for found in in_order([run, another]):
        found.keys, found.rows

An entry is what merges put in order: a document, a block of a long one, or a row. A run is some entries that are in
order, in pieces. Of each run about its share of some megabytes is looked at at a time: so memory hangs on how many runs
there are and how large their pieces, not on how long they are. What is done with entries is done by Arrow with all
of a piece at once: a call for each takes longer than all else that is done with a short document.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

HELD_BYTES = 8 << 20  # of all runs, looked at at a time; with a quarter, long documents cost half as much again
_ENTRY = 256  # bytes that an entry takes beside those of its rows

_LISTED = pa.schema(
    [
        ("hash", pa.uint32()),
        ("key", pa.string()),
        ("number", pa.int32()),
        ("rows", pa.int32()),
        ("bytes", pa.int64()),
        ("place", pa.uint32()),
    ]
)
_ORDER = ("place", "key", "number")
_Place = tuple[int, str, int]


@dataclass(frozen=True)
class Entries:
    """Some entries.

    Attributes:
        listed: of each its `hash`, which decides its part; its `key` and, of the blocks of one key, its `number`; how
            many `rows` it has, and about how many `bytes` these; the `place` of its part among all.
        rows: those of all entries, in their order.
    """

    listed: pa.RecordBatch
    rows: pa.RecordBatch

    @classmethod
    def of(
        cls, hashes: Any, keys: Any, numbers: Any, counts: Any, sizes: Any, places: Any, rows: pa.RecordBatch
    ) -> "Entries":
        """Return entries from the columns of `listed`."""
        columns = (hashes, keys, numbers, counts, sizes, places)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _LISTED, strict=True)]
        return cls(pa.RecordBatch.from_arrays(arrays, schema=_LISTED), rows)

    @classmethod
    def joined(cls, pieces: Sequence["Entries"]) -> "Entries":
        """Return the entries of one or several pieces, one piece after the other."""
        if len(pieces) == 1:
            return pieces[0]
        return cls(
            pa.concat_batches([piece.listed for piece in pieces]), pa.concat_batches([piece.rows for piece in pieces])
        )

    def column(self, name: str) -> np.ndarray:
        """Return a column of numbers of `listed`, shape (n,)."""
        return self.listed.column(name).to_numpy()  # type: ignore[no-any-return]

    @property
    def keys(self) -> pa.StringArray:
        """The keys."""
        return self.listed.column("key")

    @property
    def counts(self) -> np.ndarray:
        """How many rows each has; int32, shape (n,)."""
        return self.column("rows")

    @property
    def sizes(self) -> np.ndarray:
        """About how many bytes the rows of each have; int64, shape (n,)."""
        return self.column("bytes")

    def __len__(self) -> int:
        return int(self.listed.num_rows)

    def slice(self, start: int, stop: int) -> "Entries":
        """Return entries that follow each other, without copying them."""
        counts = self.counts
        first, number = int(counts[:start].sum()), int(counts[start:stop].sum())
        return Entries(self.listed.slice(start, stop - start), self.rows.slice(first, number))

    def take(self, order: np.ndarray) -> "Entries":
        """Return the entries with these indices, in their order."""
        if len(order) == len(self) and (order == np.arange(len(order))).all():
            return self
        counts = self.counts.astype(np.int64)
        starts, wanted = np.cumsum(counts) - counts, counts[order]
        shift = np.repeat(starts[order] - (np.cumsum(wanted) - wanted), wanted)
        rows = shift + np.arange(len(shift))
        return Entries(self.listed.take(pa.array(order)), self.rows.take(pa.array(rows)))

    def sorted(self, kept: np.ndarray | None = None) -> "Entries":
        """Return the entries in order, equal ones as they lie; `kept`: which of them, bool, shape (n,)."""
        order = pc.sort_indices(self.listed, sort_keys=[(name, "ascending") for name in _ORDER]).to_numpy()
        return self.take(order if kept is None else order[kept[order]])


class _Run:
    """What is looked at of a run: entries that have been read, and not yielded."""

    def __init__(self, pieces: Iterable[Entries]) -> None:
        self._pieces = iter(pieces)
        self._held: list[Entries] = []

    def fill(self, share: int) -> bool:
        """Read until there are so many bytes, or the run ends; return whether anything is there."""
        size = sum(map(_weight, self._held))
        while size < share and (piece := next(self._pieces, None)) is not None:
            if len(piece):
                self._held.append(piece)
                size += _weight(piece)
        self._held = [Entries.joined(self._held)] if self._held else []
        return bool(self._held)

    def last(self, share: int) -> _Place | None:
        """Return the entry up to which it has so many bytes; None if it ends before."""
        index = int(np.searchsorted(np.cumsum(_weights(self._held[0])), share))
        return self._entry(index) if index < len(self._held[0]) else None

    def _entry(self, index: int) -> _Place:
        place, key, number = (self._held[0].listed.column(name)[index].as_py() for name in _ORDER)
        return place, key, number

    def take(self, last: _Place | None, equal: bool) -> Entries | None:
        """Return entries up to one, also those that are `equal` to it, and let go of them; None if there are none."""
        held = self._held[0]
        bisect = bisect_right if equal else bisect_left
        stop = len(held) if last is None else bisect(range(len(held)), last, key=self._entry)
        self._held = [held.slice(stop, len(held))] if stop < len(held) else []
        return held.slice(0, stop) if stop else None


def _weights(entries: Entries) -> np.ndarray:
    return entries.sizes + _ENTRY


def _weight(entries: Entries) -> int:
    return int(_weights(entries).sum())


def in_order(runs: Iterable[Iterable[Entries]]) -> Iterator[Entries]:
    """Yield the entries of runs, each of which is in order, in one order; of equal ones those of an earlier run first.

    Args:
        runs: their pieces, of one schema.
    """
    open = [_Run(run) for run in runs]
    share = HELD_BYTES // (len(open) or 1) + 1
    while open := [run for run in open if run.fill(share)]:
        # Whatever a run has not read yet lies behind this entry of it.
        ends = [(last, number) for number, run in enumerate(open) if (last := run.last(share)) is not None]
        last, which = min(ends, default=(None, 0))
        taken = [run.take(last, number <= which) for number, run in enumerate(open)]
        pieces = [piece for piece in taken if piece is not None]
        yield Entries.joined(pieces).sorted() if len(pieces) > 1 else pieces[0]
