"""What tables of input files have in common: one row is an input file, with what became of its records."""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column


def inputs_table(name: str, taken: tuple[str, str], rejects: str = "rejects") -> Table:
    """Return a table of input files.

    Args:
        name: of the table.
        taken: name and doc of the column of records that were taken.
        rejects: the table of the others.
    """
    return Table(
        name=name,
        row="an input file",
        key=("name",),
        columns=[
            column("name", pa.string(), "its published name: the path below the input folder"),
            column("bytes", pa.int64(), "what was read of it; as listed where it could not be read", unit="byte"),
            column("sha256", pa.string(), "SHA-256 of the bytes; the cause where it could not be read"),
            column("records", pa.int64(), f"its records: {taken[0]} and rejects"),
            column(taken[0], pa.int64(), taken[1]),
            column("rejects", pa.int64(), f"its records in table {rejects}"),
            column(
                "notes",
                pa.list_(pa.struct([("note", pa.string()), ("number", pa.int64())])),
                "what readers changed or guessed in it, and how often; null for nothing",
                nullable=True,
            ),
        ],
    )
