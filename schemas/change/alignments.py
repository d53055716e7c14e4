"""Table `alignments`: one row is the linear map of one side of a pair of slices."""

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["ALIGNMENTS"]

ALIGNMENTS = Table(
    name="alignments",
    row="a pair of slices, a seed, a side",
    key=("slice_from", "slice_to", "seed", "alignment", "side"),
    columns=[
        column("slice_from", pa.string(), "earlier slice"),
        column("slice_to", pa.string(), "later slice"),
        column("seed", pa.int32(), "training seed of both spaces"),
        column("alignment", pa.string(), "method", range="op, op-, cca, cca-reversed"),
        column("side", pa.string(), "which space the map applies to", range="from, to"),
        column("unit_length", pa.bool_(), "whether vectors are set to unit length first"),
        column("mean", pa.list_(pa.float64()), "subtracted after that; null if not centred", nullable=True),
        column(
            "matrix",
            pa.list_(pa.float64()),
            "dim x dim, by rows: aligned = prepared @ matrix; "
            "null for the side that stays, and on both sides where no map could be fitted",
            nullable=True,
        ),
        column("fit_words", pa.int64(), "shared words the map was fitted on"),
        column(
            "residual",
            pa.float64(),
            "root mean square distance of the fitted words' aligned vectors; null where no map could be fitted",
            range="0 and up",
            nullable=True,
        ),
    ],
)
