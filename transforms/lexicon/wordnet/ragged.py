"""Lists of different lengths as two flat arrays, and the places that runs of rows cover."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

__all__ = ["Ragged", "first_of_each", "runs"]


class Ragged(NamedTuple):
    """Lists, one after the other.

    Attributes:
        offsets: where each list begins in `values`, and at last where the last ends, int64.
        values: int64.
    """

    offsets: np.ndarray
    values: np.ndarray

    def lengths(self) -> np.ndarray:
        """Return how long each list is."""
        return np.diff(self.offsets)

    def owners(self) -> np.ndarray:
        """Return, for each value, the number of the list that holds it."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths())

    def lists(self, values: pa.Array | None = None) -> pa.Array:
        """Return the lists as an Arrow array; `values` take the place of the own ones."""
        inner = pa.array(self.values) if values is None else values
        return pa.LargeListArray.from_arrays(pa.array(self.offsets, pa.int64()), inner)

    def keep(self, mask: np.ndarray) -> "Ragged":
        """Return the lists without the values where `mask` is false."""
        kept = np.zeros(len(mask) + 1, np.int64)
        np.cumsum(mask, out=kept[1:])
        return Ragged(kept[self.offsets], self.values[mask])


def runs(starts: np.ndarray, ends: np.ndarray) -> Ragged:
    """Return the rows of each run [start, end) as a list."""
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(offsets, np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths))


def first_of_each(owners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return a mask of the first of equal values of each owner; values are not negative."""
    mask = np.zeros(len(values), bool)
    if len(values):
        together = owners * (values.max() + 1) + values
        mask[np.unique(together, return_index=True)[1]] = True
    return mask
