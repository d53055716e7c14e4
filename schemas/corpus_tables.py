"""Tables of a corpus.

`documents`: one row is a document taken in.
`corpus/inputs`: one row is an input file, with what became of its records.
`sentences`: one row is a sentence with its full annotation. Layers (`transforms/formats/records/layers.py`) are columns
that stand after these where they were asked for; they are no part of the table's version.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language, upos
from lexbeam.schemas.inputs import inputs_table


class DocumentRow(NamedTuple):
    """A row of `documents`; the columns' docs are in `DOCUMENTS`."""

    document_id: str
    source: str
    position: str
    language: str | None
    year: int | None
    year_to: int | None
    date: str | None
    genre: str | None
    author: str | None
    title: str | None
    text: str | None


DOCUMENTS = Table(
    name="documents",
    row="a document taken in",
    key=("document_id",),
    texts=("date", "genre", "author", "title", "text"),
    columns=[
        column(
            "document_id",
            pa.string(),
            "content hash of text, year, author, title and source collection; of the path and "
            "the file's bytes where the input came annotated and without text",
            range="32 hexadecimal digits",
        ),
        column("source", pa.string(), "file it came from, `archive!member` within archives"),
        column("position", pa.string(), "place in the source, empty where the file is one record"),
        column("language", pa.string(), "language of the text", range="ISO 639", nullable=True),
        column("year", pa.int32(), "first year of the date, negative before our era", unit="year", nullable=True),
        column(
            "year_to",
            pa.int32(),
            "last year of the date, equal to `year` where it is one year",
            unit="year",
            nullable=True,
        ),
        column("date", pa.string(), "the date as found", nullable=True),
        column("genre", pa.string(), "genre as found", nullable=True),
        column("author", pa.string(), "author as found", nullable=True),
        column("title", pa.string(), "title as found", nullable=True),
        column("text", pa.string(), "the text in NFC; null where the input came annotated", nullable=True),
    ],
)


INPUTS = inputs_table("corpus/inputs", ("documents", "its records in table documents"))


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
