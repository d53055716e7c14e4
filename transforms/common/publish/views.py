"""Named questions about published tables, for `lexbeam show` and for Python."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block

O = TypeVar("O")  # noqa: E741


@dataclass(frozen=True)
class View(Entry, Generic[O]):
    """A named question about published tables; its doc line says what it answers.

    Attributes:
        options: dataclass of its options. The first one is the value of `--NAME` in `show`, and
            may be given without its name in Python.
        table: answers it as an Arrow table.
        blocks: answers it for a person, as lines and grids; None: the table's rows.
        plain: answers it as values that JSON can write, a mapping if it has several results; None:
            the table's rows.
    """

    options: type[O]
    table: Callable[[Snapshot, O], pa.Table]
    blocks: Callable[[Snapshot, O], Iterable[Block]] | None = None
    plain: Callable[[Snapshot, O], object] | None = None
