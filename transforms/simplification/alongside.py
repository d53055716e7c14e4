"""Tables of simplification side by side: instance by instance, with its rows of other tables.

The parts of one number hold the rows of the same instances, sorted by instance; so each part is
read once, in order, and the rows of one instance are in memory at a time.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from transforms.common.errors import LexbeamError
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows
from transforms.simplification.records import Instance, instances_of

__all__ = ["Alongside", "PartTask", "alongside", "batched", "tasks_of"]

ID = "instance_id"
_BATCH = 256  # instances that are asked about at once

Rows = list[dict[str, Any]]


class Alongside(NamedTuple):
    """An instance with its rows by table."""

    instance: Instance
    rows: Mapping[str, Rows]


class PartTask(NamedTuple):
    """The parts of one number: of the instances, and of other tables by name."""

    instances: Part
    tables: Mapping[str, Part]

    @property
    def weight(self) -> int:
        """Rows, for dealing out."""
        return self.instances.rows + sum(part.rows for part in self.tables.values())


def alongside(task: PartTask, columns: Mapping[str, Sequence[str]]) -> Iterator[Alongside]:
    """Yield the instances of a part with their rows.

    Args:
        task: the parts.
        columns: of each table that is read, the columns beside `instance_id`.
    """
    streams = {name: _groups(task.tables[name], names) for name, names in columns.items()}
    waiting = {name: next(stream, None) for name, stream in streams.items()}
    for instance in instances_of(read_rows([checked(task.instances)])):
        found: dict[str, Rows] = {}
        for name, first in waiting.items():
            if first is not None and first[0] == instance.instance_id:
                found[name] = first[1]
                waiting[name] = next(streams[name], None)
            else:
                found[name] = []
        yield Alongside(instance, found)


def _groups(part: Part, columns: Sequence[str]) -> Iterator[tuple[str, Rows]]:
    rows = (row for some in read_rows([checked(part)], [ID, *columns]) for row in some.to_pylist())
    for identifier, own in groupby(rows, key=itemgetter(ID)):
        yield identifier, list(own)


def batched(found: Iterator[Alongside]) -> Iterator[list[Alongside]]:
    """Yield them many at a time, by their number alone."""
    batch: list[Alongside] = []
    for one in found:
        batch.append(one)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def tasks_of(instances: Sequence[Part], tables: Mapping[str, Sequence[Part]]) -> list[tuple[int, PartTask]]:
    """Return the tasks of all parts, with their numbers.

    Raises:
        LexbeamError: a table has not a part for each of the instances.
    """
    by_number = {name: {part.number: part for part in parts} for name, parts in tables.items()}
    for name, own in by_number.items():
        if own.keys() != {part.number for part in instances}:
            raise LexbeamError(
                f"{name} has {len(own)} parts and the instances have {len(instances)}: they were "
                "not made from these instances; make them anew"
            )
    return [
        (part.number, PartTask(part, {name: own[part.number] for name, own in by_number.items()})) for part in instances
    ]
