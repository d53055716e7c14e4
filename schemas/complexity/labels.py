"""Tables of labels: `complexity/judgments`, `judgment_rejects`, `labels`, `splits` and `strata`."""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, reason, share
from lexbeam.schemas.common_tables import ANSWER_REASONS, REJECT_KEY, reject_columns
from lexbeam.schemas.complexity.instances import INSTANCE_ID

COMPLEXITY = "0: very easy, .25: easy, .5: neutral, .75: difficult, 1: very difficult"

# Why a judgment that could be read does not count.
JUDGMENT_REASONS = {
    "unknown_instance": "no instance has this id",
    "undecided": "the annotator could not decide",
    "unknown_annotator": "the file does not say who judged, and such judgments are dropped",
    "repeated": "another judgment of the same instance by the same annotator counts",
    "no_weight": "the annotator agrees so little with the others that the weight is 0",
}

JUDGMENTS = Table(
    name="complexity/judgments",
    row="a judgment of an instance by an annotator",
    key=("instance_id", "annotator", "number"),
    columns=[
        INSTANCE_ID,
        column("annotator", pa.string(), "who judged; empty where the file does not say"),
        column(
            "number",
            pa.int32(),
            "ordinal among the annotator's judgments of the instance, in the order of the files",
            range="0 and up",
        ),
        column("group", pa.string(), "group of the annotator", nullable=True),
        share("value", COMPLEXITY, nullable=True),
        column("weight", pa.float64(), "how much it counts", range="0 and up"),
        column("kept", pa.bool_(), "whether it counts"),
        reason("why it does not count", JUDGMENT_REASONS),
        column("source", pa.string(), "the file"),
    ],
)

JUDGMENT_REJECTS = Table(
    name="complexity/judgment_rejects",
    row="a row of a file of judgments that gave none",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("answers", ANSWER_REASONS),
)

LABELS = Table(
    name="complexity/labels",
    row="the complexity of an instance, by all annotators or by a group of them",
    key=("instance_id", "group"),
    columns=[
        INSTANCE_ID,
        column("group", pa.string(), "group of annotators; empty for all"),
        share("complexity", f"mean of the judgments: {COMPLEXITY}", nullable=True),
        column(
            "annotations",
            pa.int32(),
            "judgments that count; null where a file gives means alone",
            range="0 and up",
            nullable=True,
        ),
        column(
            "spread",
            pa.float64(),
            "sample standard deviation of the judgments; null for fewer than two",
            range="0 and up",
            nullable=True,
        ),
        column("reason", pa.string(), "why complexity is null", range="too_few, no_label", nullable=True),
    ],
)

SPLITS = Table(
    name="complexity/splits",
    row="the split of an instance",
    key=("instance_id",),
    columns=[
        INSTANCE_ID,
        column("split", pa.string(), "name of the split; null for instances left out", nullable=True),
        column("method", pa.string(), "how it was chosen", range="paper, paper-global, balanced"),
        column("reason", pa.string(), "why an instance is in no split", range="no_label, duplicate", nullable=True),
    ],
)

STRATA = Table(
    name="complexity/strata",
    row="what a split has of a kind and a genre, or of all",
    key=("method", "kind", "genre", "split"),
    texts=("genre",),
    columns=[
        column("method", pa.string(), "how splits were chosen"),
        column("kind", pa.string(), "kind of instances; empty for all kinds"),
        column("genre", pa.string(), "genre; empty for all; null for instances without one", nullable=True),
        column("split", pa.string(), "name of the split"),
        column("rows", pa.int64(), "instances", range="0 and up"),
        share("share", "share that the split has of the instances of this kind and genre in all splits"),
        share("wanted", "the share that was asked for"),
        share("of_split", "share of the split's instances of this kind that are of this genre", nullable=True),
        share("of_all", "the same share over all splits together"),
        share("mean", "mean complexity", nullable=True),
        column("sd", pa.float64(), "sample standard deviation of complexity", range="0 and up", nullable=True),
        column(
            "quantiles",
            pa.list_(pa.float64()),
            "quantiles 0, .05, .1 to 1 of complexity",
            range="0 to 1",
            nullable=True,
        ),
        share(
            "distance", "largest two-sample Kolmogorov-Smirnov distance of complexity to another split", nullable=True
        ),
        column("farthest", pa.string(), "the split at that distance", nullable=True),
        column("shared_tokens", pa.int64(), "case-folded targets that also stand in another split", range="0 and up"),
        column("shared_sentences", pa.int64(), "sentences that also stand in another split", range="0 and up"),
    ],
)
