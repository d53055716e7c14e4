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
        column("alignment", pa.string(), "method; none where the measure takes no vectors"),
        column("measure", pa.string(), "what is measured"),
        column("score", pa.float64(), "the measure's value", nullable=True),
        column(
            "score_sd",
            pa.float64(),
            "sample standard deviation over seeds; null for single seeds and where fewer than two have a score",
            range="0 and up",
            nullable=True,
        ),
        column("seeds", pa.int32(), "seeds that the score rests on", range="0 and up"),
        column("reason", pa.string(), "why the score is null", range=", ".join(NULL_REASONS), nullable=True),
        column(
            "threshold",
            pa.float64(),
            "mean score over the targets; null without targets and for single seeds",
            nullable=True,
        ),
        column(
            "changed",
            pa.bool_(),
            "whether the score is above the threshold; null without one, and for null scores",
            nullable=True,
        ),
        column("ranked", pa.bool_(), "whether rankings shown to people take the word"),
        column("count_from", pa.int64(), "uses in the earlier slice", unit="uses"),
        column("count_to", pa.int64(), "uses in the later slice", unit="uses"),
        column("relative_from", pa.float64(), "uses over all tokens, earlier", range="0 to 1"),
        column("relative_to", pa.float64(), "uses over all tokens, later", range="0 to 1"),
        column("documents_from", pa.int64(), "documents using it in the earlier slice"),
        column("documents_to", pa.int64(), "documents using it in the later slice"),
        column(
            "null_mean",
            pa.float64(),
            "mean score of the null pairs that score the word, whose "
            "documents are dealt out anew; this and what follows is null without null pairs and "
            "for single seeds",
            range="0 to 2",
            nullable=True,
        ),
        column(
            "null_sd",
            pa.float64(),
            "their sample standard deviation; null for fewer than two",
            range="0 and up",
            nullable=True,
        ),
        column("null_runs", pa.int32(), "how many they are", range="0 and up", nullable=True),
        column("null_unit", pa.string(), "what is dealt out", range="document, author", nullable=True),
        column("excess", pa.float64(), "score - null_mean", nullable=True),
        column(
            "p_value",
            pa.float64(),
            "of a score as high by chance; null for words that are neither ranked nor targets",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "q_value",
            pa.float64(),
            "p_value by Benjamini and Hochberg: usage differs; null where no finding is possible",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "p_relative",
            pa.float64(),
            "of a score as high beside the vocabulary at large",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "q_relative",
            pa.float64(),
            "p_relative by Benjamini and Hochberg: usage differs more than the vocabulary at large",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "significant",
            pa.bool_(),
            "whether q_value and q_relative are up to .05; null where they are",
            nullable=True,
        ),
    ],
    version="2",
)
