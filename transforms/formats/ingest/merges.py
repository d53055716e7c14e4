"""Merging rejects into the parts of a table with the columns of `rejects`."""

from lexbeam.schemas.columns import Table
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.merge import MergeTask, entries, merge, whole
from lexbeam.transforms.common.store.tables import PartFile


def merge_rejects(artefact: Artefact, task: MergeTask, table: Table) -> PartFile:
    """Write staged rejects as a part of a table."""
    with entries(task.staged, task.parts, task.bucket) as found:
        return merge(artefact, table, whole(found))


def _merge_rejects(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    return merge_rejects(artefact, task, REJECTS)


MERGE_REJECTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-rejects", noun="tables", receipt=PartFile, build=_merge_rejects, unit="parts"
)
