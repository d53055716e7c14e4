"""What tables of several tasks have in common: input files, rejected records, metrics."""

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, reason, share


def inputs_table(name: str, taken: tuple[str, str], rejects: str = "rejects") -> Table:
    """Return a table of input files.

    Args:
        name: of the table.
        taken: name and doc of the column of records that were taken.
        rejects: the table of the others.
    """
    return Table(
        name=name,
        row="an input file",
        key=("name",),
        columns=[
            column("name", pa.string(), "its published name: the path below the input folder"),
            column("bytes", pa.int64(), "what was read of it; as listed where it could not be read", unit="byte"),
            column("sha256", pa.string(), "SHA-256 of the bytes; the cause where it could not be read"),
            column("records", pa.int64(), f"its records: {taken[0]} and rejects"),
            column(taken[0], pa.int64(), taken[1]),
            column("rejects", pa.int64(), f"its records in table {rejects}"),
            column(
                "notes",
                pa.list_(pa.struct([("note", pa.string()), ("number", pa.int64())])),
                "what readers changed or guessed in it, and how often; null for nothing",
                nullable=True,
            ),
        ],
    )


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


# Why a value is null, or its interval alone is.
METRIC_REASONS = {
    "empty": "no instance counts",
    "too_few": "fewer than two instances",
    "too_few_controlled": "fewer instances than the controls and three",
    "controls_say_all": "the controls say all of gold or of what is predicted",
    "constant_gold": "gold values are all the same",
    "constant_predicted": "predicted values are all the same",
    "no_positive_gold": "no gold value is positive",
    "no_positive_predicted": "no predicted value is positive",
    "no_positive": "neither gold nor predicted values are positive",
    "no_negative": "neither gold nor predicted values are negative",
    "no_candidates": "no instance has candidates",
    "not_a_number": "a gold or predicted value is nan",
    "not_finite": "the metric gave no finite number",
    "one_cluster": "no interval: there is one cluster to resample",
    "undefined_resamples": "no interval: the metric is undefined in too many resamples",
}


def metrics_table(task: str, *more: pa.Field) -> Table:
    """Return the table of a task's metrics, perhaps with columns more."""
    return Table(
        name=f"{task}/metrics",
        row="a metric of a system on a subset",
        key=("system", "subset", "metric", "k"),
        columns=[
            column("system", pa.string(), "what was evaluated"),
            column("subset", pa.string(), "the instances that it was evaluated on"),
            column("metric", pa.string(), "name of the metric, see docs/reference/evaluation.md"),
            column(
                "k",
                pa.int32(),
                "how many of each list count; null where the metric takes no such number",
                range="1 and up",
                nullable=True,
            ),
            column("value", pa.float64(), "the metric, by its own unit and range; null for a reason", nullable=True),
            column("low", pa.float64(), "lower end of the bootstrap interval", nullable=True),
            column("high", pa.float64(), "upper end of the bootstrap interval", nullable=True),
            column("n", pa.int64(), "instances that count", range="0 and up"),
            column(
                "numerator",
                pa.float64(),
                "numerator of a metric that is a ratio of sums over instances; else null",
                nullable=True,
            ),
            column(
                "denominator", pa.float64(), "denominator of such a ratio; else null", range="0 and up", nullable=True
            ),
            *more,
            reason("why the value is null, or the interval alone", (*METRIC_REASONS, "or a metric's own")),
        ],
    )


CHANGE_METRICS = metrics_table(
    "change",
    share("p_value", "of a difference of two systems: two-sided p by paired permutations; else null", nullable=True),
)
COMPLEXITY_METRICS = metrics_table("complexity")
CLOZE_METRICS = metrics_table("cloze")
SIMPLIFICATION_METRICS = metrics_table("simplification")
