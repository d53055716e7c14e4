"""Table `neighbours`: one row is a near neighbour of a target or top word within a slice."""

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["NEIGHBOURS"]

NEIGHBOURS = Table(
    name="neighbours",
    row="a neighbour of a target or top word",
    key=("slice", "seed", "word", "rank"),
    columns=[
        column("word", pa.string(), "target, or one of the first words of a ranking"),
        column("slice", pa.string(), "slice whose space is searched"),
        column("seed", pa.int32(), "training seed"),
        column("rank", pa.int32(), "nearest is 1; ties by word", range="1 and up"),
        column("neighbour", pa.string(), "a word with `neighbour_min_count` uses or more in the slice"),
        column("cosine", pa.float64(), "cosine similarity in the unaligned space", range="-1 to 1"),
    ],
)
