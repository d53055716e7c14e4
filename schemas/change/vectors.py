"""Table `vectors`: one row is a word's embedding in a slice, for one seed."""

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["VECTORS"]


def _columns(dim: int) -> list[pa.Field]:
    return [
        column("slice", pa.string(), "name of the slice"),
        column("seed", pa.int32(), "training seed as given"),
        column("word", pa.string(), "word of the training view"),
        column("count", pa.int64(), "uses in the slice", unit="uses"),
        column("documents", pa.int64(), "documents of the slice that use it"),
        column("proper_nouns", pa.int64(), "uses tagged PROPN; null without tags", unit="uses", nullable=True),
        column(
            "upos",
            pa.string(),
            "part of speech that most of its tagged uses in the slice have, ties by alphabet; null without tags",
            range="UPOS of Universal Dependencies 2",
            nullable=True,
        ),
        column("upos_share", pa.float64(), "share of its tagged uses that have it", range="0 to 1", nullable=True),
        column("vector", pa.list_(pa.float32(), dim), "input vector of the SGNS model, unaligned"),
    ]


VECTORS = Table(name="vectors", row="a word in a slice", key=("slice", "seed", "word"), columns=_columns, version="2")
