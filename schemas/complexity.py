"""Tables of lexical complexity: instances, judgments, labels, splits, features, predictions.

An instance is a target, one word or a multi-word expression, in a sentence. Everything else is
keyed by its id, which is a hash of its content; tables are sorted by it, so that no order of a file
or of a corpus is left to be learned from.
"""

from collections.abc import Iterable

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language, reason, share, upos
from lexbeam.schemas.inputs import inputs_table
from lexbeam.schemas.rejects import ANSWER_REASONS, REJECT_KEY, ROW_REASONS, reject_columns

KINDS = ("single", "mwe")

# What is told of an instance whose target or sentence is not as it should be. All are kept.
FLAGS = {
    "no_sentence": "there is no sentence: a word of a list",
    "not_in_sentence": "the target does not occur in its sentence",
    "within_word": "the target occurs only as part of a longer word",
    "several": "the target occurs more than once, and nothing says which one is meant: the first",
    "wrong_offsets": "the offsets that the file gives are not those of the target; found anew",
    "duplicate": "another instance has the same target at the same place of the same sentence, "
    "kind and genre, and a smaller id",
    "no_label": "the file has no complexity for it",
    "no_language": "nothing says its language: what depends on it is not known, such as frequency",
}

# Columns by which other tables refer to instances.
INSTANCE_ID = column("instance_id", pa.string(), "the instance, see table complexity/instances")
KIND = column("kind", pa.string(), "one word, or a multi-word expression", range=", ".join(KINDS))

INSTANCES = Table(
    name="complexity/instances",
    row="a target in its sentence",
    key=("instance_id",),
    texts=("token", "genre", "sentence", "forms", "lemmas"),
    columns=[
        column(
            "instance_id",
            pa.string(),
            "hash of kind, genre, sentence, target and its place, and "
            "of the source's own id where there is one; 32 hexadecimal digits",
        ),
        KIND,
        column("token", pa.string(), "the target as it stands"),
        column("genre", pa.string(), "genre, or the corpus that a file names", nullable=True),
        language(),
        column("sentence", pa.string(), "the sentence; null for a word of a list", nullable=True),
        column(
            "start",
            pa.int32(),
            "where the target starts in the sentence; null where it is not found",
            unit="code points",
            nullable=True,
        ),
        column("end", pa.int32(), "where it ends (exclusive)", unit="code points", nullable=True),
        column("forms", pa.list_(pa.string()), "word forms of the sentence", nullable=True),
        column("lemmas", pa.list_(pa.string()), "their lemmas; null without annotation", nullable=True),
        upos("upos", "their parts of speech; null without annotation", of_tokens=True),
        column(
            "position",
            pa.int32(),
            "place among the forms of the first token that overlaps the target; null where none does",
            range="0 and up",
            nullable=True,
        ),
        column("tokens", pa.int32(), "how many tokens overlap the target", range="1 and up", nullable=True),
        column("source", pa.string(), "the file, or the corpus' source of the document"),
        column(
            "source_id",
            pa.string(),
            "id of the row in the file; of a corpus, document and sentence: document_id:sentence",
            nullable=True,
        ),
        column("document_id", pa.string(), "the document, see table documents", nullable=True),
        column(
            "sentence_number",
            pa.int32(),
            "ordinal of the sentence within the document",
            range="0 and up",
            nullable=True,
        ),
        column("flags", pa.list_(pa.string()), "what is not as it should be", range=", ".join(FLAGS)),
        column(
            "duplicate_of",
            pa.string(),
            "the instance of the same target, place, sentence, kind "
            "and genre that has the smallest id, if not this one",
            nullable=True,
        ),
        column(
            "published_split",
            pa.string(),
            "the split that the file's name says: train, trial, dev or test",
            nullable=True,
        ),
    ],
)


def instances_schema(layers: Iterable[pa.Field] = ()) -> pa.Schema:
    """Return the schema of `complexity/instances` with layers of `sentences` after its columns."""
    schema = INSTANCES.schema()
    for field in layers:
        schema = schema.append(field)
    return schema


LOAD_REASONS = {**ROW_REASONS, "other_kind": "an instance of another kind than the one that was asked for"}

LOAD_REJECTS = Table(
    name="complexity/rejects",
    row="a row of a labelled file that gave no instance",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("load", LOAD_REASONS),
)

LOAD_INPUTS = inputs_table("complexity/inputs", ("taken", "its records that gave an instance"), LOAD_REJECTS.name)


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
