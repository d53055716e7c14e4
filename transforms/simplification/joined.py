"""Tables of simplification side by side: all rows of an instance, instance by instance.

All of them are sorted by instance, part by part, so that one instance is in memory at a time.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.store.tables import read_rows

__all__ = ["Rows", "joined"]

Rows = list[dict[str, Any]]
ID = "instance_id"


def joined(
    tables: Mapping[str, Sequence[str]], columns: Mapping[str, Sequence[str]], ids: Sequence[str]
) -> Iterator[tuple[str, dict[str, Rows]]]:
    """Yield instances, in the order of their ids, with their rows by table.

    Args:
        tables: paths of the parts of each table.
        columns: of each table, the columns that are wanted beside the instance.
        ids: the instances that are wanted.
    """
    wanted = pa.array(sorted(ids), pa.string())
    streams = {name: _groups(paths, columns[name], wanted) for name, paths in tables.items()}
    waiting = {name: next(stream, None) for name, stream in streams.items()}
    for identifier in wanted.to_pylist():
        found: dict[str, Rows] = {}
        for name, first in waiting.items():
            found[name] = []
            if first is not None and first[0] == identifier:
                found[name] = first[1]
                waiting[name] = next(streams[name], None)
        yield identifier, found


def _groups(paths: Sequence[str], columns: Sequence[str], wanted: pa.Array) -> Iterator[tuple[str, Rows]]:
    parts = [_rows(path, [ID, *columns], wanted) for path in paths]
    key = itemgetter(ID)
    for identifier, rows in groupby(heapq.merge(*parts, key=key), key=key):
        yield identifier, list(rows)


def _rows(path: str, columns: list[str], wanted: pa.Array) -> Iterator[dict[str, Any]]:
    for rows in read_rows([path], columns):
        yield from rows.filter(pc.is_in(rows[ID], value_set=wanted)).to_pylist()
