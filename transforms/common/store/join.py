"""Tables joined by a key: each is read once, in order, and the rows of one key are in memory at a time.

    pairs = RowsByKey(parts, ["pair_id", "passage"], "pair_id", digits=16)
    for article, questions in RowsByKey(others, ["question_id"], "question_id", digits=16):
        pairs.of(article)

The parts of a table are sorted by the key. Where one ends before another begins, as in published tables, they
are read one after the other; those whose keys overlap are merged.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import Part, Row, read_rows

Rows = list[Row]
_BATCH = 256  # rows that are values of Python at a time


class RowsByKey:
    """The rows of a table by key, in the order of keys: all of them, or those of requested keys.

    Args:
        parts: of the table, or their paths; a part is checked before it is read.
        columns: what is read; the key is among them.
        key: the column that the parts are sorted by.
        digits: how many first characters of it make a key; None: all.
        keep: maps rows to a mask of those that are read; None: all.
    """

    def __init__(
        self,
        parts: Sequence[Part | str],
        columns: Sequence[str],
        key: str,
        *,
        digits: int | None = None,
        keep: Callable[[pa.Table], pa.Array | pa.ChunkedArray] | None = None,
    ) -> None:
        paths = [part if isinstance(part, str) else checked(part) for part in parts]
        rows = _sorted(paths, list(columns), key, keep)
        self._groups = groupby(rows, key=lambda row: row[key][:digits])
        self._waiting: tuple[str, Rows] | None = None

    def __iter__(self) -> Iterator[tuple[str, Rows]]:
        """Yield keys with their rows."""
        return ((key, list(rows)) for key, rows in self._groups)

    def of(self, key: str) -> Rows:
        """Return the rows of a key, not before the keys requested so far; none if it does not occur."""
        while self._waiting is None or self._waiting[0] < key:
            group = next(self._groups, None)
            if group is None:
                return []
            self._waiting = group[0], list(group[1])
        return self._waiting[1] if self._waiting[0] == key else []


def _sorted(
    paths: Sequence[str], columns: list[str], key: str, keep: Callable[[pa.Table], pa.Array | pa.ChunkedArray] | None
) -> Iterator[Row]:
    def rows_of(path: str) -> Iterator[Row]:
        for rows in read_rows([path], columns):
            wanted = rows if keep is None else rows.filter(keep(rows))
            for start in range(0, wanted.num_rows, _BATCH):
                yield from wanted.slice(start, _BATCH).to_pylist()

    overlapping = _overlapping(paths, key) if len(paths) > 1 else [list(paths)]
    merged = (heapq.merge(*map(rows_of, group), key=itemgetter(key)) for group in overlapping)
    return chain.from_iterable(merged)


def _overlapping(paths: Sequence[str], key: str) -> list[list[str]]:
    """Return files in the order of their keys, those whose keys overlap together, in the order given."""
    ranges = []
    for place, path in enumerate(paths):
        with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
            groups = [reader.metadata.row_group(number) for number in range(reader.num_row_groups)]
        if not groups:
            continue
        leaf = [groups[0].column(number).path_in_schema for number in range(groups[0].num_columns)].index(key)
        first, last = (group.column(leaf).statistics for group in (groups[0], groups[-1]))
        if not (first and last and first.has_min_max and last.has_min_max):
            return [list(paths)]
        ranges.append((first.min, last.max, place))
    overlapping: list[list[int]] = []
    end = ""
    for first, last, place in sorted(ranges):
        if overlapping and first <= end:
            overlapping[-1].append(place)
        else:
            overlapping.append([place])
        end = max(end, last)
    return [[paths[place] for place in sorted(places)] for places in overlapping]


def joined(
    tables: Mapping[str, Sequence[Part | str]], columns: Mapping[str, Sequence[str]], key: str, wanted: Iterable[str]
) -> Iterator[tuple[str, dict[str, Rows]]]:
    """Yield keys, in order, with their rows by table.

    Args:
        tables: parts of each table, or their paths.
        columns: of each table, the columns that are read beside the key.
        key: the column that they are sorted by.
        wanted: the keys that are wanted.
    """
    keys = pa.array(sorted(wanted), pa.string())
    streams = {
        name: RowsByKey(parts, [key, *columns[name]], key, keep=lambda rows: pc.is_in(rows[key], value_set=keys))
        for name, parts in tables.items()
    }
    for value in keys.to_pylist():
        yield value, {name: stream.of(value) for name, stream in streams.items()}
