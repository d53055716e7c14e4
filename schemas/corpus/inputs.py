"""Table `corpus/inputs`: one row is an input file, with what became of its records."""

from typing import NamedTuple

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["INPUTS", "InputNote", "InputRow"]


class InputNote(NamedTuple):
    """What readers changed or guessed in a file, and how often."""

    note: str
    number: int


class InputRow(NamedTuple):
    """A row of `corpus/inputs`; the columns' docs are in `INPUTS`."""

    name: str
    bytes: int
    sha256: str
    records: int
    documents: int
    rejects: int
    notes: list[InputNote] | None


INPUTS = Table(
    name="corpus/inputs",
    row="an input file",
    key=("name",),
    columns=[
        column("name", pa.string(), "its published name: the path below the input folder"),
        column("bytes", pa.int64(), "what was read of it; as listed where it could not be read", unit="byte"),
        column("sha256", pa.string(), "SHA-256 of the bytes; the cause where it could not be read"),
        column("records", pa.int64(), "its records: documents and rejects"),
        column("documents", pa.int64(), "its records in table documents"),
        column("rejects", pa.int64(), "its records in table rejects"),
        column(
            "notes",
            pa.list_(pa.struct([("note", pa.string()), ("number", pa.int64())])),
            "what readers changed or guessed in it, and how often; null for nothing",
            nullable=True,
        ),
    ],
)
