"""Predictions of all systems as one table in the order of instances: stage `complexity/pool`.

Each system's predictions are a file sorted by instance. They are merged row group by row group, so
that what is in memory is a row group of each system.
"""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.complexity.instances import PREDICTIONS
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.sound import checked
from transforms.common.store.tables import PartFile, read_rows, sort_rows, write_part

__all__ = ["POOL", "merged"]


def merged(several: Sequence[Iterable[pa.Table]], keys: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows of several tables in one order.

    Args:
        several: each the row groups of a table that is sorted by the first key.
        keys: columns that the rows are sorted by; the first is a text without nulls.
    """
    groups = [iter(rows) for rows in several]
    held = [next(group, None) for group in groups]
    while any(rows is not None for rows in held):
        for place, rows in enumerate(held):
            while rows is not None and not rows.num_rows:
                rows = held[place] = next(groups[place], None)
        there = [rows for rows in held if rows is not None]
        if not there:
            return
        # What comes later of any table is not below the last row that is held of it.
        border = min(rows[keys[0]][-1].as_py() for rows in there)
        taken = []
        for place, rows in enumerate(held):
            if rows is not None:
                count = pc.sum(pc.less_equal(rows[keys[0]], border)).as_py()
                taken.append(rows.slice(0, count))
                held[place] = rows.slice(count)
        yield sort_rows(pa.concat_tables(taken), keys)


def _pool(artefact: Artefact, task: Sequence[PartFile], _: None) -> PartFile:
    several = [read_rows([checked(part.file)]) for part in task]
    rows = merged(several, PREDICTIONS.key)
    return write_part(artefact, PREDICTIONS.schema(), rows, sort_keys=PREDICTIONS.key)


POOL: Stage[Sequence[PartFile], None, PartFile] = Stage(
    name="complexity/pool", receipt=PartFile, build=_pool, unordered=("task",), unit="tables"
)
