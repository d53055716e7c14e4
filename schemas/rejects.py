"""Table `rejects`, and what tables of rejects have in common: one row is a record left out, and why."""

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table, column

REASONS = {
    "undecodable": "the bytes are not text in the declared encoding",
    "malformed": "the file or record breaks its format (XML, JSON, row, archive)",
    "unsafe": "an entity, member name or expansion that could do harm",
    "empty": "no text is left in the record",
    "no_date": "no date where one was asked for",
    "bad_date": "a date that cannot be read, or is impossible",
    "missing_field": "a named field or column is not there",
    "unreadable": "the file could not be opened or read",
    "too_large": "larger than the limit on a record",
    "duplicate": "same text, year, author, title and collection as a document kept",
    "forgotten": "the folder was told to forget it (`lexbeam forget`)",
    "script": "most letters are of a script that the language of the annotation engine is not written in",
    "unsegmented": "most letters stand in long stretches without spaces, where words cannot be told",
    "engine_error": "the annotation engine failed on the document",
    "too_many_marks": "over 30 combining marks in a row, as no language has them",
    "control": "a control character that no text holds (NUL), or half of a surrogate pair",
    "changed_while_read": "the file changed whenever it was read",
    "html": "a page in HTML, where text was asked for",
    "pdf": "a PDF or PostScript file",
    "image": "a picture",
    "office": "a document of an office program that no reader takes",
    "executable": "a program",
    "binary": "sound, film, compressed or other data: bytes of no text",
}

# What a person may do about many of a kind.
REMEDIES = {
    "undecodable": "name their `encoding`",
    "malformed": "save anew what is damaged, or say more of their `format` (`delimiter`, `columns`, `quoting`)",
    "missing_field": "name what there is by `text_field`",
    "no_date": "choose another rule for `dates`",
    "bad_date": "choose another rule for `dates`",
    "too_large": "raise `max_line_bytes`, `max_record_bytes` or `max_document_characters`",
    "too_many_marks": "break the runs by `marks`",
    "control": "drop them by `control`",
    "script": "name an engine of their language by `engine` (those for the script found are named with it, all in "
    "docs/reference/annotation.md)",
    "unsegmented": "put spaces between their words, or name an engine that finds words without them (builtin:zh, "
    "builtin:ja, builtin:th, stanza:LANG)",
    "engine_error": "give such a text to the engine by itself: what it says is not kept, since it may quote the text",
    "unsafe": "raise `max_expanded_bytes` or `max_expansion_ratio` where you trust them",
    "changed_while_read": "wait until nobody writes to them",
    "html": "read pages with `html` main or all",
    "pdf": "convert them: pdftotext FILE",
    "office": "read docx, odt and epub by `format` auto, convert others: soffice --convert-to docx FILE",
}

# Left out by rule, not by fault: they do not count towards `max_reject_share`.
NOT_COUNTED = frozenset({"duplicate", "forgotten"})


# Those of files that are read row by row.
ROW_REASONS = {
    name: REASONS[name]
    for name in (
        "undecodable",
        "malformed",
        "unsafe",
        "empty",
        "unreadable",
        "too_large",
        "too_many_marks",
        "control",
        "script",
        "unsegmented",
        "forgotten",
        "pdf",
        "image",
        "office",
        "executable",
        "binary",
        "html",
    )
}

ANSWER_STAGE = "answers"

# Why a row of a file that a person filled in gave no answer.
ANSWER_REASONS = {
    "undecodable": "the bytes of the line are not text in the encoding of the file",
    "too_large": "larger than the limit on a line",
    "unknown": "no row of this id was sent out",
    "changed": "a text that was sent out came back as another",
    "no_annotator": "the file has a column `annotator`, and it is empty",
    "empty": "an answer that must be given is not",
    "wrong_answer": "an answer is none of those allowed",
    "doubled": "the same answers of this annotator to this row are there already, and count once",
    "contradictory": "several answers of this annotator to this row that differ: none counts",
    "missing": "a row that was sent out is not in the file; the position is empty",
}


class RejectRow(NamedTuple):
    """A row of `rejects`; `reason` is a key of `REASONS`."""

    source: str
    position: str
    stage: str
    reason: str
    detail: str


REJECTS = Table(
    name="rejects",
    row="an input record left out",
    key=("source", "position", "stage", "reason", "detail"),
    columns=[
        column("source", pa.string(), "file it came from, `archive!member` within archives"),
        column("position", pa.string(), "place in the source, empty where the file is one record"),
        column("stage", pa.string(), "where it was left out", range="ingest, annotate"),
        column("reason", pa.string(), "why, from a fixed list", range=", ".join(REASONS)),
        column("detail", pa.string(), "what exactly was wrong, for a person"),
    ],
)

REJECT_KEY = REJECTS.key


def reject_columns(stage: str, reasons: Iterable[str]) -> list[pa.Field]:
    """Return the columns of a task's own table of rejects, for its stages and reasons."""
    return [
        column("source", pa.string(), "the file, `archive!member` within archives"),
        column("position", pa.string(), "line number; empty where it is the whole file"),
        column("stage", pa.string(), "where it was left out", range=stage),
        column("reason", pa.string(), "why, from a fixed list", range=", ".join(reasons)),
        column("detail", pa.string(), "what exactly was wrong, for a person"),
    ]
