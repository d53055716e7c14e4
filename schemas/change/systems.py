"""Table `change/systems`: what systems that are called by name say of words between two slices."""

import pyarrow as pa

from schemas.change.scores import NULL_REASONS
from schemas.change.spaces import SLICE_PAIR
from schemas.columns import Table, column, reason, share

__all__ = ["NO_SCORE", "SYSTEM_SCORES"]

NO_SCORE = "no_score"  # the system gives none to any word

SYSTEM_SCORES = Table(
    name="change/systems",
    row="a word between two slices by a system",
    key=("slice_from", "slice_to", "system", "word"),
    columns=[
        column("system", pa.string(), "name of the system"),
        column("word", pa.string(), "word of the training view"),
        *SLICE_PAIR,
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("ranked", pa.bool_(), "whether rankings shown to people take the word"),
        column(
            "alignment",
            pa.string(),
            "method; none where the measure takes no aligned vectors, null without a measure",
            nullable=True,
        ),
        column("measure", pa.string(), "what is measured; null for a system without scores", nullable=True),
        column("score", pa.float64(), "the measure's value, mean over seeds", nullable=True),
        reason("why the score is null", [*NULL_REASONS, NO_SCORE]),
        column("threshold", pa.string(), "name of the threshold; null for a system without one", nullable=True),
        column(
            "changed", pa.bool_(), "whether the word has changed, the system says; null where it cannot", nullable=True
        ),
        share("q_value", "see table scores: usage differs", nullable=True),
        share("q_relative", "see table scores: usage differs more than the vocabulary at large", nullable=True),
    ],
)
