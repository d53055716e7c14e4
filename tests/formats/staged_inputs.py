"""What a unit has staged of its input files."""

from lexbeam.transforms.common.store.staged import StagedFile
from lexbeam.transforms.formats.ingest.intake_tables import InputCount


def staged_inputs(receipt):
    """The rows of a receipt's input files, by name."""
    with StagedFile(receipt.inputs) as opened:
        rows = [row for some in opened.entries(1) for row in some.rows.to_pylist()]
    for row in rows:
        row["notes"] = {entry["note"]: entry["number"] for entry in row["notes"]} if row["notes"] else None
    return [InputCount(**row) for row in rows]
