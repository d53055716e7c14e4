"""Records that cross module borders before they become table rows, and their Arrow form."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

__all__ = ["ANNOTATION", "Sentence", "annotation_batch"]

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

    `starts` and `ends` are code points in the text that the sentence was taken from.
    """

    forms: list[str] | None
    lemmas: list[str] | None
    upos: list[str] | None
    starts: list[int] | None
    ends: list[int] | None


def annotation_batch(sentences: Sequence[Sentence]) -> pa.RecordBatch:
    """Return sentences as one Arrow batch of schema `ANNOTATION`."""
    columns = zip(*sentences, strict=True) if sentences else [()] * len(ANNOTATION)
    arrays = [
        pa.array(column, field.type) for column, field in zip(columns, ANNOTATION, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=ANNOTATION)
