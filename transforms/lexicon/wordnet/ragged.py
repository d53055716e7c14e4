"""Lists of different lengths as two flat arrays, and the compiled tables whose rows they are."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.lexicon.compiled.casing import only
from lexbeam.transforms.lexicon.compiled.keys import MISSING
from lexbeam.transforms.lexicon.compiled.kind import Opened, table_in

Ints = npt.NDArray[np.int64]


class Ragged(NamedTuple):
    """Lists, one after the other.

    Attributes:
        offsets: where each list begins in `values`, and finally where the last ends, int64.
        values: int64.
    """

    offsets: Ints
    values: Ints

    def lengths(self) -> Ints:
        """Return how long each list is."""
        return np.diff(self.offsets)

    def owners(self) -> Ints:
        """Return, for each value, the number of the list that holds it."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths())

    def lists(self, values: pa.Array | None = None) -> pa.Array:
        """Return the lists as an Arrow array; `values` take the place of its own."""
        inner = pa.array(self.values) if values is None else values
        return pa.LargeListArray.from_arrays(pa.array(self.offsets, pa.int64()), inner)

    def keep(self, mask: npt.NDArray[np.bool_]) -> "Ragged":
        """Return the lists without the values where `mask` is false."""
        before = np.zeros(len(mask) + 1, np.int64)
        np.cumsum(mask, out=before[1:])
        return Ragged(before[self.offsets], self.values[mask])


def runs(starts: Ints, ends: Ints) -> Ragged:
    """Return the rows of each run [start, end) as a list."""
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(offsets, np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths))


def first_of_each(owners: Ints, values: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the first of equal values of each owner; no value is negative."""
    mask = np.zeros(len(values), bool)
    if len(values):
        together = owners * (values.max() + 1) + values
        mask[np.unique(together, return_index=True)[1]] = True
    return mask


class Tables:
    """Compiled tables, column by column, without a copy; rows that are `MISSING` have nothing."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def column(self, table: str, column: str) -> pa.Array:
        """Return a column."""
        return only(table_in(self._opened, table)[column])

    def numbers(self, table: str, column: str = "start") -> npt.NDArray[Any]:
        """Return a column of numbers."""
        return np.asarray(self.column(table, column))

    def values(self, table: str, column: str, rows: Ints) -> Ints:
        """Return numbers by row as int64, `MISSING` where the row is."""
        values = self.numbers(table, column)
        if not len(values):
            return np.full(len(rows), MISSING, np.int64)
        return np.where(rows < 0, MISSING, values[rows].astype(np.int64))

    def texts(self, table: str, column: str, rows: Ints) -> pa.Array:
        """Return texts by row, null where the row is `MISSING`."""
        return self.column(table, column).take(pa.array(rows, mask=rows < 0))

    def within(self, table: str, owners: Ints) -> Ragged:
        """Return the rows of each owner by a table of bounds."""
        return within(self.numbers(table), owners)


def within(bounds: npt.NDArray[np.int32], owners: Ints) -> Ragged:
    """Return the rows of each owner; `bounds` are where the rows of each begin, and one end."""
    present = owners >= 0
    rows = np.where(present, owners, 0)
    return runs(bounds[rows].astype(np.int64), bounds[rows + present].astype(np.int64))
