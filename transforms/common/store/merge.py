"""Merging of staged batches into one part of a published table.

A merge knows only where batches lie and what they are sorted by; it reads them one by one, in order,
so its memory is that of a row group, whatever the corpus. The merge of a table is defined beside the
table: a `Stage` whose `build` calls `merge` with the rows in their order.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from schemas.columns import Table
from transforms.common.store.artefacts import Artefact
from transforms.common.store.batches import BatchReader
from transforms.common.store.receipts import File
from transforms.common.store.tables import PartFile, write_part

__all__ = ["WHOLE_BATCHES", "MergeTask", "Staged", "StagedRun", "batches", "in_order", "merge"]


class Staged(NamedTuple):
    """A staged batch: what it is sorted by within its part, and where it lies.

    `order` is the document and the block within it, or empty where rows are sorted one by one.
    """

    order: tuple[str, int]
    file: File
    ordinal: int


class StagedRun(NamedTuple):
    """Batches of one file that go to one part: of each, document, block and ordinal.

    They are shuffled together, for what names the file takes several times what names a batch.
    """

    file: File
    batches: tuple[tuple[str, int, int], ...]

    def staged(self) -> Iterator[Staged]:
        """Yield the batches one by one."""
        for document, block, ordinal in self.batches:
            yield Staged((document, block), self.file, ordinal)


class MergeTask(NamedTuple):
    """What becomes part `bucket` of `parts`."""

    bucket: int
    parts: int
    staged: tuple[Staged, ...]


WHOLE_BATCHES = dict.fromkeys(("task.bucket", "task.parts"), "the batches are those of the part alone, and taken whole")


def in_order(staged: Iterable[Staged]) -> list[Staged]:
    """Return batches in the order of what they are sorted by, then of their content."""
    return sorted(staged, key=_place)


def _place(entry: Staged) -> tuple[tuple[str, int], str, int]:
    return entry.order, entry.file.sha256, entry.ordinal


def merge(
    artefact: Artefact, table: Table, rows: Iterator[pa.RecordBatch | pa.Table], schema: pa.Schema | None = None
) -> PartFile:
    """Write rows in their final order as a part of `table`; `schema` where it is another's."""
    return write_part(artefact, schema or table.schema(), rows, sort_keys=table.key)


def batches(reader: BatchReader, staged: Sequence[Staged]) -> Iterator[pa.RecordBatch]:
    """Yield batches as they are."""
    for entry in staged:
        yield reader.read(entry.file, entry.ordinal)
