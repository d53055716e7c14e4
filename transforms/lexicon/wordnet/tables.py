"""The compiled tables, column by column, without a copy; rows that are not there give nothing."""

import numpy as np
import pyarrow as pa

from transforms.lexicon.compiled.keys import MISSING
from transforms.lexicon.compiled.kind import Opened
from transforms.lexicon.wordnet.ragged import Ragged, runs

__all__ = ["Tables"]


class Tables:
    """Tables by name; all rows that are asked for may be `MISSING`."""

    def __init__(self, opened: Opened):
        self._opened = opened

    def column(self, table: str, column: str) -> pa.Array:
        """Return a column."""
        held = self._opened[table]
        assert isinstance(held, pa.Table)
        found = held.column(column)
        # An empty table has no chunk.
        return found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()

    def numbers(self, table: str, column: str = "start") -> np.ndarray:
        """Return a column of numbers."""
        return np.asarray(self.column(table, column))

    def values(self, table: str, column: str, rows: np.ndarray) -> np.ndarray:
        """Return numbers by row as int64, `MISSING` where the row is."""
        values = self.numbers(table, column)
        if not len(values):
            return np.full(len(rows), MISSING, np.int64)
        return np.where(rows < 0, MISSING, values[rows].astype(np.int64))

    def texts(self, table: str, column: str, rows: np.ndarray) -> pa.Array:
        """Return texts by row, null where the row is `MISSING`."""
        return self.column(table, column).take(pa.array(rows, mask=rows < 0))

    def within(self, table: str, owners: np.ndarray) -> Ragged:
        """Return the rows of each owner by a table of bounds."""
        bounds = self.numbers(table)
        there = owners >= 0
        rows = np.where(there, owners, 0)
        return runs(bounds[rows].astype(np.int64), bounds[rows + there].astype(np.int64))
