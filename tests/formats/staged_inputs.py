"""What a unit has staged of its input files."""

from transforms.common.store.batches import BatchReader
from transforms.formats.ingest.counts import InputCount


def staged_inputs(receipt):
    with BatchReader() as reader:
        rows = reader.read(receipt.inputs, 0).drop_columns(["bucket"]).to_pylist()
    for row in rows:
        row["notes"] = {entry["note"]: entry["number"] for entry in row["notes"]} if row["notes"] else None
    return [InputCount(**row) for row in rows]
