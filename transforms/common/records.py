"""Records that cross module borders before they become table rows, and their Arrow form."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

# The columns of table `sentences` that an engine or an annotated input fills.
ANNOTATION = pa.schema(
    [
        ("forms", pa.list_(pa.string())),
        ("lemmas", pa.list_(pa.string())),
        ("upos", pa.list_(pa.string())),
        ("starts", pa.list_(pa.int32())),
        ("ends", pa.list_(pa.int32())),
    ]
)


class Sentence(NamedTuple):
    """An annotated sentence: parallel lists, one entry a token, or None where there is none.

    `starts` and `ends` are code points in the text that the sentence was taken from. `layers` are
    the layers that were asked for, in order; empty where the source knows nothing of any.
    """

    forms: list[str] | None
    lemmas: list[str] | None
    upos: list[str] | None
    starts: list[int] | None
    ends: list[int] | None
    layers: tuple[Sequence[Any] | None, ...] = ()


def annotation_batch(sentences: Sequence[Sentence], layers: Sequence[pa.Field] = ()) -> pa.RecordBatch:
    """Return sentences as one Arrow batch of schema `ANNOTATION`, and columns of their layers."""
    schema = annotation_schema(layers)
    values = [[getattr(sentence, name) for sentence in sentences] for name in ANNOTATION.names]
    for place in range(len(layers)):
        values.append([s.layers[place] if s.layers else None for s in sentences])
    arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def annotation_schema(layers: Sequence[pa.Field] = ()) -> pa.Schema:
    """Return the schema of annotation with some layers."""
    return pa.schema([*ANNOTATION, *layers])
