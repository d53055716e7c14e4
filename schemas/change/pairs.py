"""Table `change/pairs`: one row is a pair of slices by an alignment and a measure."""

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["FINDINGS", "PAIRS"]

# Why no finding is possible, in order of precedence.
FINDINGS = {
    "no_null": "no null pairs were made, so nothing says what chance gives",
    "too_few_clusters": "fewer than 10 documents or authors on a side",
    "too_few_words": "fewer than 100 ranked words with a score",
}

PAIRS = Table(
    name="change/pairs",
    row="a pair of slices by an alignment and a measure",
    key=("slice_from", "slice_to", "alignment", "measure"),
    columns=[
        column("slice_from", pa.string(), "earlier slice"),
        column("slice_to", pa.string(), "later slice"),
        column("alignment", pa.string(), "method", range="op, op-, cca, cca-reversed, none"),
        column("measure", pa.string(), "what is measured", range="cosine, frequency"),
        column("seeds", pa.int32(), "seeds that the scores rest on", range="1 and up"),
        column("ranked", pa.int64(), "ranked words with a score"),
        column(
            "null_unit",
            pa.string(),
            "what null pairs deal out; null without them",
            range="document, author",
            nullable=True,
        ),
        column("null_runs", pa.int32(), "null pairs", range="0, or 3 and up"),
        column("clusters_from", pa.int64(), "such units in the earlier slice", nullable=True),
        column("clusters_to", pa.int64(), "such units in the later slice", nullable=True),
        column(
            "low_power",
            pa.bool_(),
            "whether a side has fewer than 20 of them, so that most changes go unnoticed",
            nullable=True,
        ),
        column(
            "finding",
            pa.string(),
            "why no finding is possible; null where one is",
            range=", ".join(FINDINGS),
            nullable=True,
        ),
        column(
            "shift",
            pa.float64(),
            "how far the vocabulary at large has moved: median of the ranked words' standardised scores",
            unit="standard deviations of chance",
            nullable=True,
        ),
        column(
            "share_differs",
            pa.float64(),
            "share of the ranked words with q_value up to .05",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "share_relative",
            pa.float64(),
            "share of the ranked words with q_relative up to .05",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "share_significant",
            pa.float64(),
            "share of the ranked words with both up to .05",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "spearman_from",
            pa.float64(),
            "Spearman's correlation of score and log count in the earlier slice, over ranked words",
            range="-1 to 1",
            nullable=True,
        ),
        column("spearman_to", pa.float64(), "the same in the later slice", range="-1 to 1", nullable=True),
        column("threshold", pa.float64(), "mean score over the targets; null without targets", nullable=True),
    ],
)
