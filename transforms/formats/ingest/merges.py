"""Merging rejects: into parts, each of which takes the rows of its bucket, or into one part."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from schemas.columns import Table
from schemas.rejects import REJECTS, RejectRow
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader
from transforms.common.store.merge import MergeTask, Staged, in_order, merge
from transforms.common.store.tables import PartFile, sort_rows, write_part
from transforms.formats.ingest.staging import REJECT, StagedRejects

__all__ = ["MERGE_REJECTS", "list_rejects"]


def _merge_rejects(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    with BatchReader() as reader:
        return merge(artefact, REJECTS, _sorted(reader, in_order(task.staged), task))


def _sorted(reader: BatchReader, staged: Sequence[Staged], task: MergeTask) -> Iterator[pa.Table]:
    rows = []
    for entry in staged:
        batch = reader.read(entry.file, entry.ordinal)
        buckets = batch.column("bucket").to_numpy() % np.uint32(task.parts)
        rows.append(batch.filter(pa.array(buckets == task.bucket)))
    if rows:
        yield sort_rows(pa.Table.from_batches(rows, REJECT), REJECTS.key)


MERGE_REJECTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-rejects", receipt=PartFile, build=_merge_rejects, unordered=("task.staged",), unit="parts"
)


def list_rejects(
    artefact: Artefact, table: Table, staged: Iterable[StagedRejects], more: Iterable[RejectRow] = ()
) -> PartFile:
    """Write staged rejects, and `more`, as the only part of a table with the columns of `rejects`."""
    with BatchReader() as reader:
        batches = [
            reader.read(rejects.file, ordinal)
            for rejects in staged
            if rejects.file is not None
            for ordinal in range(rejects.batches)
        ]
        names = table.schema().names
        rows = pa.Table.from_batches(batches, REJECT).select(names)
        others = pa.Table.from_pylist([row._asdict() for row in more], REJECTS.schema())
        rows = pa.concat_tables([rows, others.select(names).cast(rows.schema)])
    return write_part(artefact, table.schema(), [sort_rows(rows, table.key)], sort_keys=table.key)
