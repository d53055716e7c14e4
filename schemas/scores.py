"""Table `scores`: one row is a word's change between two slices."""

import pyarrow as pa

from schemas.columns import Table, column

__all__ = ["NULL_REASONS", "SCORES"]

# In order of precedence: the first that holds is given.
NULL_REASONS = {
    "absent_from": "the word does not occur in the earlier slice",
    "absent_to": "the word does not occur in the later slice",
    "below_min_count_from": "too few uses in the earlier slice",
    "below_min_count_to": "too few uses in the later slice",
    "too_few_shared": "too few shared words to fit the alignment",
    "zero_vector": "a vector of length zero has no direction",
}

SCORES = Table(
    name="scores",
    row="a word between two slices",
    key=("slice_from", "slice_to", "alignment", "measure", "word", "seed"),
    columns=[
        column("word", pa.string(), "word of the training view"),
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("slice_from", pa.string(), "earlier slice"),
        column("slice_to", pa.string(), "later slice"),
        column("seed", pa.int32(), "training seed; null: the mean over all seeds", nullable=True),
        column("alignment", pa.string(), "method", range="op, op-, cca, cca-reversed, none"),
        column("measure", pa.string(), "what is measured", range="cosine, frequency"),
        column(
            "score", pa.float64(), "cosine distance (0 to 2) or difference of relative frequency "
            "(0 to 1)", range="0 to 2", nullable=True,
        ),
        column(
            "score_sd", pa.float64(), "sample standard deviation over seeds; null for single "
            "seeds and where fewer than two have a score", range="0 and up", nullable=True,
        ),
        column("seeds", pa.int32(), "seeds that the score rests on", range="0 and up"),
        column(
            "reason", pa.string(), "why the score is null", range=", ".join(NULL_REASONS),
            nullable=True,
        ),
        column(
            "threshold", pa.float64(), "mean score over the targets, or without targets over the "
            "ranked words; null for single seeds", nullable=True,
        ),
        column(
            "changed", pa.bool_(), "whether the score is above the threshold; null for single "
            "seeds and null scores", nullable=True,
        ),
        column("ranked", pa.bool_(), "whether rankings shown to people take the word"),
        column("count_from", pa.int64(), "uses in the earlier slice", unit="uses"),
        column("count_to", pa.int64(), "uses in the later slice", unit="uses"),
        column("relative_from", pa.float64(), "uses over all tokens, earlier", range="0 to 1"),
        column("relative_to", pa.float64(), "uses over all tokens, later", range="0 to 1"),
        column("documents_from", pa.int64(), "documents using it in the earlier slice"),
        column("documents_to", pa.int64(), "documents using it in the later slice"),
    ],
)  # fmt: skip
