"""Merging of staged batches into one part of a published table.

What a merge is told is only where batches lie and what they are sorted by; it reads them one by
one, in order, so its memory is that of a row group, whatever the corpus.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas import TABLES
from transforms.common.artefacts import Artefact, Workspace, produce
from transforms.common.batches import BatchReader
from transforms.common.tables import Part, sort_rows, write_part

__all__ = ["MERGES", "Staged", "merge_part"]


class Staged(NamedTuple):
    """A staged batch: what it is sorted by within its part, and where it lies.

    `order` is the document and the block within it, or empty where rows are sorted one by one.
    """

    order: tuple[str, int]
    path: str
    ordinal: int


def merge_part(workspace: Workspace, table: str, index: int, staged: Sequence[Staged]) -> Part:
    """Merge batches into part `index` of `table`, sorted by the table's key."""
    ordered = sorted(staged)
    identity = [table, index, [[*e.order, e.path.rpartition("/")[2], e.ordinal] for e in ordered]]

    def build(artefact: Artefact) -> Any:
        with BatchReader() as reader:
            return write_part(
                artefact.path(".parquet"),
                TABLES[table].schema(),
                MERGES[table](reader, ordered),
                table=table,
                number=index,
                sort_keys=TABLES[table].key,
            )

    return Part(*produce(workspace, f"merge-{table}", identity, build))


def _in_order(reader: BatchReader, staged: Sequence[Staged]) -> Iterator[pa.RecordBatch]:
    for entry in staged:
        yield reader.read(entry.path, entry.ordinal)


def _renumbered(reader: BatchReader, staged: Sequence[Staged]) -> Iterator[pa.RecordBatch]:
    """Number the sentences of a document through, over the borders of its blocks."""
    document, number = "", 0
    for entry in staged:
        batch = reader.read(entry.path, entry.ordinal)
        if entry.order[0] != document:
            document, number = entry.order[0], 0
        place = batch.schema.get_field_index("sentence")
        numbers = pa.array(range(number, number + batch.num_rows), pa.int32())
        number += batch.num_rows
        yield batch.set_column(place, batch.schema.field(place), numbers)


def _row_by_row(reader: BatchReader, staged: Sequence[Staged]) -> Iterator[pa.Table]:
    batches = [reader.read(entry.path, entry.ordinal) for entry in staged]
    if batches:
        yield sort_rows(pa.Table.from_batches(batches), TABLES["rejects"].key)


MERGES: dict[str, Callable[[BatchReader, Sequence[Staged]], Iterator[pa.RecordBatch]]] = {
    "documents": _in_order,
    "sentences": _renumbered,
    "rejects": _row_by_row,
}
