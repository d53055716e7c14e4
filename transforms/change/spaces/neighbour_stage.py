"""Small parts as artefacts: neighbours of words in one space, and the row of a slice.

NEIGHBOURS   a space and words  -> a part of table `neighbours`
SLICE        a row              -> a part of table `slices`
"""

from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.change.spaces import NEIGHBOURS as TABLE
from lexbeam.schemas.change.spaces import SLICES
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import PartFile, write_part
from lexbeam.transforms.embeddings.neighbours import neighbours_table
from lexbeam.transforms.embeddings.published import load_space

SliceRow = dict[str, str | int | float | None]  # of table `slices`, by column


class NeighbourTask(NamedTuple):
    """A space, by slice, seed and variant, and the words that get neighbours in it, sorted."""

    slice: str
    seed: int
    variant: str
    space: File
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NeighbourOptions:
    """How many neighbours a word gets, and the uses that a neighbour needs."""

    neighbours: int = option(10, help="neighbours to list per word", least=1, most=10_000)
    min_count: int = option(20, name="neighbour_min_count", help="uses that a neighbour needs", least=1)


@dataclass(frozen=True)
class ListedPart:
    """A part of a table."""

    part: PartFile


def _find(artefact: Artefact, task: NeighbourTask, options: NeighbourOptions) -> ListedPart:
    table = neighbours_table(
        task.slice,
        task.seed,
        load_space([checked(task.space)], task.slice, task.seed, variant=task.variant),
        task.words,
        k=options.neighbours,
        min_count=options.min_count,
        variant=task.variant,
    )
    return ListedPart(write_part(artefact, TABLE.schema(), [table], sort_keys=TABLE.key))


def _write_row(artefact: Artefact, row: SliceRow, _: None) -> ListedPart:
    schema = SLICES.schema()
    return ListedPart(write_part(artefact, schema, [pa.Table.from_pylist([row], schema=schema)]))


NEIGHBOURS: Stage[NeighbourTask, NeighbourOptions, ListedPart] = Stage(
    name="change/neighbours", receipt=ListedPart, build=_find, blas=True, unit="embeddings"
)
SLICE: Stage[SliceRow, None, ListedPart] = Stage(
    name="change/slices", receipt=ListedPart, build=_write_row, unit="slices"
)
