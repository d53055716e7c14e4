"""Table `sentences`: one row is a sentence with its full annotation.

Layers (`transforms/layers/registry.py`) are columns that stand after these where they were asked
for; they are no part of the table's version.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language, upos

# Universal parts of speech, in the order in which tags are numbered and ties are settled.
UPOS = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
)


class SentenceRow(NamedTuple):
    """A row of `sentences`; lists are parallel, one entry a token."""

    document_id: str
    sentence: int
    year: int | None
    genre: str | None
    language: str | None
    forms: list[str] | None
    lemmas: list[str] | None
    upos: list[str] | None
    starts: list[int] | None
    ends: list[int] | None


SENTENCES = Table(
    name="sentences",
    row="a sentence, fully annotated",
    key=("document_id", "sentence"),
    texts=("genre", "forms", "lemmas"),
    columns=[
        column("document_id", pa.string(), "the document, see table documents"),
        column("sentence", pa.int32(), "ordinal within the document", range="0 and up"),
        column("year", pa.int32(), "year of the document", unit="year", nullable=True),
        column("genre", pa.string(), "genre of the document", nullable=True),
        language(),
        column(
            "forms",
            pa.list_(pa.string()),
            "word forms, punctuation included; null where the input has only lemmas",
            nullable=True,
        ),
        column("lemmas", pa.list_(pa.string()), "lemmas; null where engine or input has none", nullable=True),
        upos("upos", "universal parts of speech; null where engine or input has none", of_tokens=True),
        column(
            "starts",
            pa.list_(pa.int32()),
            "start of each form in the document's text; null where the input came without text",
            unit="code points",
            nullable=True,
        ),
        column(
            "ends",
            pa.list_(pa.int32()),
            "end of each form in the document's text (exclusive)",
            unit="code points",
            nullable=True,
        ),
    ],
)


def sentences_schema(layers: Iterable[pa.Field] = ()) -> pa.Schema:
    """Return the schema of `sentences` with the columns of some layers."""
    schema = SENTENCES.schema()
    for field in layers:
        schema = schema.append(field)
    return schema
