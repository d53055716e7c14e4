"""Merging rejects: into parts, each of which takes the rows of its bucket, or into one part."""

from collections.abc import Iterable

import pyarrow as pa

from schemas.columns import Table
from schemas.rejects import REJECTS, RejectRow
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.merge import MergeTask, entries, merge, whole
from transforms.common.store.receipts import File
from transforms.common.store.staged import StagedFile
from transforms.common.store.tables import PartFile, sort_rows, write_part

__all__ = ["MERGE_REJECTS", "list_rejects"]


def _merge_rejects(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, REJECTS, whole(found))


MERGE_REJECTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-rejects", receipt=PartFile, build=_merge_rejects, unit="parts"
)


def list_rejects(artefact: Artefact, table: Table, staged: Iterable[File], more: Iterable[RejectRow] = ()) -> PartFile:
    """Write staged rejects, and `more`, as the only part of a table with the columns of `rejects`."""
    names = table.schema().names
    rows = [pa.Table.from_pylist([row._asdict() for row in more], REJECTS.schema())]
    for file in staged:
        with StagedFile(file) as opened:
            rows += opened.tables()
    whole = pa.concat_tables([some.select(names).cast(table.schema()) for some in rows])
    return write_part(artefact, table.schema(), [sort_rows(whole, table.key)], sort_keys=table.key)
