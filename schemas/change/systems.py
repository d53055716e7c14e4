"""What systems that are called by name say between two slices: tables `change/systems`, of words, `change/controls`."""

import pyarrow as pa

from lexbeam.schemas.change.scores import NO_THRESHOLD, NULL_REASONS, frequency_rhos
from lexbeam.schemas.change.spaces import SLICE_PAIR, USES
from lexbeam.schemas.columns import Table, column, reason, share

NO_SCORE = "no_score"  # the system gives none to any word

# Why there is no correlation with frequency.
NO_RHO = {
    NO_SCORE: "the system has no scores",
    "too_few_words": "fewer than two of the words have a score",
    "all_equal": "all scores are equal",
    "same_frequency": "all words are as frequent in the slice, or have become as much more or less frequent",
}

_KIND = (
    column(
        "alignment",
        pa.string(),
        "method; none where the measure takes no aligned vectors, null without a measure",
        nullable=True,
    ),
    column("measure", pa.string(), "what is measured; null for ensembles, and without scores", nullable=True),
)
_THRESHOLD = (
    column("threshold", pa.string(), "name of the threshold; null for a system without one", nullable=True),
    column("threshold_value", pa.float64(), "score above which a word has changed", nullable=True),
    column(
        "threshold_reason", pa.string(), "why a threshold has no value", range=", ".join(NO_THRESHOLD), nullable=True
    ),
)

SYSTEM_SCORES = Table(
    name="change/systems",
    row="a word between two slices by a system",
    key=("slice_from", "slice_to", "system", "word"),
    texts=("word",),
    columns=[
        column("system", pa.string(), "name of the system"),
        column("word", pa.string(), "word of the training view"),
        *SLICE_PAIR,
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether rankings shown to people take the word"),
        *_KIND,
        column("score", pa.float64(), "the measure's value, mean over seeds", nullable=True),
        reason("why the score is null", [*NULL_REASONS, NO_SCORE]),
        *_THRESHOLD,
        column(
            "changed", pa.bool_(), "whether the word has changed, the system says; null where it cannot", nullable=True
        ),
        share(
            "q_value",
            "see table scores: usage differs; null for ensembles, of which `null_changed` of change/controls tells "
            "what chance gives",
            nullable=True,
        ),
        share(
            "q_relative",
            "see table scores: usage differs more than the vocabulary at large; null for ensembles",
            nullable=True,
        ),
        *USES,
    ],
    version="2",
)

SYSTEM_CONTROLS = Table(
    name="change/controls",
    row="a pair of slices by a system, over its ranked words or its targets",
    key=("slice_from", "slice_to", "system", "over"),
    columns=[
        *SLICE_PAIR,
        column("system", pa.string(), "name of the system"),
        column("over", pa.string(), "which words the row is about", range="ranked, targets"),
        *_KIND,
        *_THRESHOLD,
        column("words", pa.int64(), "these words"),
        column("scored", pa.int64(), "those with a score"),
        column("classed", pa.int64(), "those with a class"),
        column("changed", pa.int64(), "those that are called changed"),
        share("share_changed", "changed over classed; null without classes", nullable=True),
        share(
            "null_changed",
            "the same of null pairs, whose documents or sentences are dealt out anew: mean over those with classes; "
            "null without. Each has ranked words of its own, and classes by a threshold of its own scores, which are "
            "of the first seed alone, so that `votes` counts for nothing",
            nullable=True,
        ),
        column("null_runs", pa.int32(), "null pairs with classes", range="0 and up"),
        *frequency_rhos("these words"),
        column(
            "spearman_reason",
            pa.string(),
            "why there is no correlation, or not all four",
            range=", ".join(NO_RHO),
            nullable=True,
        ),
    ],
)
