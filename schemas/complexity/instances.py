"""Tables `complexity/instances` and `complexity/rejects`: targets in their sentences.

An instance is a target, one word or a multi-word expression, in a sentence. Everything else is
keyed by its id, which is a hash of its content; tables are sorted by it, so that no order of a file
or of a corpus is left to be learned from.
"""

from collections.abc import Iterable

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language, upos
from lexbeam.schemas.common_tables import REJECT_KEY, ROW_REASONS, inputs_table, reject_columns

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
