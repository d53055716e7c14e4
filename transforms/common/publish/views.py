"""Named questions about published tables, for `lexbeam show` and for Python."""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

import pyarrow as pa

from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block

__all__ = ["View"]

O = TypeVar("O")  # noqa: E741


class View(NamedTuple, Generic[O]):
    """A named question about published tables.

    Attributes:
        help: what it answers, for `show --help` and for the docstring in Python.
        options: dataclass of its options. The first one is the value of `--NAME` in `show`, and
            may be given without its name in Python.
        table: answers it as an Arrow table.
        blocks: answers it for a person, as lines and grids; None: the table's rows.
        plain: answers it as values that JSON can write, a mapping if it has several results; None:
            the table's rows.
    """

    help: str
    options: type[O]
    table: Callable[[Snapshot, O], pa.Table]
    blocks: Callable[[Snapshot, O], Iterable[Block]] | None = None
    plain: Callable[[Snapshot, O], object] | None = None
