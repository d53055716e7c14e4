"""Table `documents`: one row is a document taken in."""

from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table, column


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
