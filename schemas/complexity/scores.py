"""Tables of scorers: `complexity/predictions`, `complexity/importance` and `complexity/learning`."""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, share
from lexbeam.schemas.complexity.instances import INSTANCE_ID, KIND

PREDICTIONS = Table(
    name="complexity/predictions",
    row="the complexity of an instance as a scorer predicts it",
    key=("instance_id", "scorer"),
    version="2",
    columns=[
        INSTANCE_ID,
        column("scorer", pa.string(), "the scorer"),
        KIND,
        column(
            "fold",
            pa.int32(),
            "the fold that it was held out in; null where the scorer was trained on another folder or on another split",
            range="0 and up",
            nullable=True,
        ),
        share("prediction", "predicted complexity"),
        share("complexity", "its label, if it has one", nullable=True),
        column("source_id", pa.string(), "its id in the file, see complexity/instances", nullable=True),
    ],
)

IMPORTANCE = Table(
    name="complexity/importance",
    row="what a scorer loses without a feature, or without a group of features",
    key=("scorer", "kind", "measure", "what", "of"),
    columns=[
        column("scorer", pa.string(), "the scorer"),
        KIND,
        column(
            "measure",
            pa.string(),
            "permutation: its values are dealt out anew among the "
            "instances that are predicted; ablation: the scorer is trained without it",
            range="permutation, ablation",
        ),
        column("what", pa.string(), "whether it is one feature or a group", range="feature, group"),
        column("of", pa.string(), "the feature, or the group"),
        column(
            "value",
            pa.float64(),
            "loss of Pearson's r of pooled predictions; null where r is not defined",
            range="-2 to 2",
            nullable=True,
        ),
        column("n", pa.int64(), "instances that count", range="0 and up"),
    ],
)

LEARNING = Table(
    name="complexity/learning",
    row="what a scorer reaches with a share of the targets to train on",
    key=("scorer", "kind", "share"),
    columns=[
        column("scorer", pa.string(), "the scorer"),
        KIND,
        share("share", "share of the training targets"),
        column("trained", pa.float64(), "instances that it was trained on, mean over folds", range="1 and up"),
        column(
            "pearson",
            pa.float64(),
            "Pearson's r of pooled predictions; null where it is not defined",
            range="-1 to 1",
            nullable=True,
        ),
        column("n", pa.int64(), "instances that count", range="0 and up"),
    ],
)
