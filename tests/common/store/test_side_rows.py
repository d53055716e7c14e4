"""Rows that wait on disk."""

import pyarrow as pa

from transforms.common.store.side_rows import SideRows


def test_rows_come_back_in_order():
    with SideRows(pa.schema([("a", pa.int32())])) as side:
        side.add([{"a": 1}, {"a": 2}])
        side.add([])
        side.add([{"a": 3}])
        rows = [row["a"] for batch in side.batches() for row in batch.to_pylist()]
    assert rows == [1, 2, 3]
