"""Tables `complexity/features` and `complexity/coverage`: what is known of instances but their labels."""

from collections.abc import Iterable

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, reason
from lexbeam.schemas.complexity.instances import INSTANCE_ID, KIND

# Layers of the annotation that features need, by the reason that coverage gives where the instances have none.
ABSENT = {"no_heads": "heads", "no_deprels": "deprels", "no_entities": "entities"}


def _features(features: Iterable[pa.Field] = ()) -> list[pa.Field]:
    return [
        INSTANCE_ID,
        KIND,
        column("genre", pa.string(), "genre; a key, coded anew by a scorer", nullable=True),
        column("group", pa.string(), "hash of the case-folded target, by which folds are drawn; no feature"),
        *features,
    ]


FEATURES = Table(
    name="complexity/features",
    row="the features of an instance; no column depends on a label",
    key=("instance_id",),
    texts=("genre",),
    columns=_features,
)


def features_schema(columns: Iterable[pa.Field] = ()) -> pa.Schema:
    """Return the schema of `complexity/features`: keys, then the columns of features."""
    return FEATURES.schema(features=tuple(columns))


COVERAGE = Table(
    name="complexity/coverage",
    row="a feature, for instances of a kind and a genre",
    key=("feature", "kind", "genre"),
    version="2",
    texts=("genre",),
    columns=[
        column("feature", pa.string(), "column of complexity/features"),
        column("feature_group", pa.string(), "group that it belongs to"),
        KIND,
        column("genre", pa.string(), "genre", nullable=True),
        column("instances", pa.int64(), "instances of the kind and genre", range="1 and up"),
        column(
            "known",
            pa.int64(),
            "those for which the feature is known: it is not null, nor, of a word list's NAME_known, false",
            range="0 to instances",
        ),
        reason("why it is known of none: what the instances lack", ABSENT),
    ],
)
