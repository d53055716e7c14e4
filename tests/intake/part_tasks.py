"""What the glue of intake makes of receipts, without Beam."""

import pyarrow.parquet as pq

from lexbeam.transforms.common.store.artefacts import make
from lexbeam.transforms.common.store.staged import MergeTask


def parts_of(receipts, parts):
    """Return the task of each part of the loaded rows."""
    return [MergeTask.of(bucket, parts, [receipt.rows for receipt in receipts]) for bucket in range(parts)]


def rejects_listed(workspace, settle, receipts):
    """Return the rows of the table of rejects of a step that settles."""
    merge, _ = settle.merging()
    staged = [receipt.rejects for receipt in receipts if receipt.rejects]
    return pq.read_table(make(workspace, merge, MergeTask.of(0, 1, staged)).file.path).to_pylist()
