"""Table `slices`: one row is a time slice of the training view."""

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["SLICES"]

SLICES = Table(
    name="slices",
    row="a time slice",
    key=("from", "slice"),
    columns=[
        column("slice", pa.string(), "name of the slice"),
        column("from", pa.int32(), "first year, null if open", unit="year", nullable=True),
        column("to", pa.int32(), "last year (inclusive), null if open", unit="year", nullable=True),
        column("documents", pa.int64(), "documents with at least one sentence in the view"),
        column("sentences", pa.int64(), "sentences in the view"),
        column("tokens_before", pa.int64(), "tokens before any filter, punctuation included"),
        column("tokens", pa.int64(), "tokens of the view: what is trained on (N of relative_*)"),
        column("sentences_short", pa.int64(), "sentences dropped as too short"),
        column("sentences_sampled_out", pa.int64(), "sentences dropped by downsampling"),
        column("sentences_split", pa.int64(), "sentences over 10,000 words, split"),
        column("types", pa.int64(), "distinct words in the view"),
        column("vocabulary", pa.int64(), "words with at least min_count uses"),
        column("min_count", pa.int32(), "frequency cut", unit="uses"),
        column(
            "largest_document_share", pa.float64(), "share of the tokens that the longest document has", range="0 to 1"
        ),
    ],
)
