"""Sheets: questions to people about each of many rows.

A task defines a `Sheet` as a constant, writes it for people with `writing.write_sheet` and reads what they
send back with `reading.read_answers`; both take the same rows. A row has a key that is a hash of its
content (or names that never change), the texts that are shown, and nothing else.

    >>> sheet = Sheet(
    ...     name="complexity",
    ...     version="1",
    ...     instructions=("How hard is the marked word to understand?",),
    ...     columns=(SheetColumn("sentence", "the sentence", mark=("start", "end")),),
    ...     answers=(Answer(name="hard", help="is it?", values=(("yes", ""), ("no", ""))),),
    ... )
    >>> answers_schema(sheet).names
    ['id', 'annotator', 'hard', 'notes']
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.texts.characters import is_nfc
from lexbeam.transforms.people.answers import KINDS, Answer
from lexbeam.transforms.people.cells import folded

ANNOTATOR = "annotator"
NOTES = "notes"
# A sheet of Excel has 1,048,576 rows; some of them are the header.
ROWS_LIMIT = 1_048_000

_SHEET_NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
_VERSION = re.compile(r"[A-Za-z0-9._-]+")
_COLUMN_NAME = re.compile(r"[^\W\d]\w*")
_DIGITS = 32

Key = tuple[str, ...]


class SheetColumn(NamedTuple):
    """A column that is shown.

    Attributes:
        name: of the column, in the file and in the rows; strings or whole numbers.
        help: what it shows, in a few words.
        mark: the columns with the beginning and end of the target, in code points.
        checked: whether the text must come back unchanged; other columns may be changed, or left out.
    """

    name: str
    help: str
    mark: tuple[str, str] | None = None
    checked: bool = True


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What people are asked about each row.

    Attributes:
        name: small letters, digits, `-` and `_`; file names begin with it.
        version: raised when answers change their meaning; files of other versions are refused.
        instructions: lines for the top of the file.
        columns: the columns shown, in this order.
        answers: the columns to fill in, in this order, after those shown.
        key: the columns that together name a row.
    """

    name: str
    version: str
    instructions: tuple[str, ...]
    columns: tuple[SheetColumn, ...]
    answers: tuple[Answer, ...]
    key: tuple[str, ...] = ("id",)

    def __post_init__(self) -> None:
        """Refuse names that would be ambiguous in a file."""
        if not _SHEET_NAME.fullmatch(self.name) or not _VERSION.fullmatch(self.version):
            raise UsageError(f"sheet {self.name!r}, version {self.version!r}: not plain names")
        if not self.key or not self.answers:
            raise UsageError(f"sheet {self.name!r}: it needs a key and something to fill in")
        shown = [column.name for column in self.columns]
        seen = {ANNOTATOR, NOTES}
        for name in (*self.key, *shown, *(answer.name for answer in self.answers)):
            if not _COLUMN_NAME.fullmatch(name) or folded(name).casefold() in seen:
                raise UsageError(f"sheet {self.name!r}: column {name!r} is there twice, or not a plain name")
            seen.add(folded(name).casefold())
        for answer in self.answers:
            if answer.of and answer.of not in shown:
                raise UsageError(f"answer {answer.name!r}: no column {answer.of!r} to quote from")


class SheetRow(NamedTuple):
    """A row as it is sent out: key, texts and targets, in the order of `Sheet.columns`."""

    key: Key
    texts: tuple[str, ...]
    marks: tuple[tuple[int, int] | None, ...]


def answers_schema(sheet: Sheet) -> pa.Schema:
    """Return the schema of the answers: key, annotator, a typed column for each answer, notes."""
    fields = [column(name, pa.string(), "of the row that was sent out") for name in sheet.key]
    fields.append(column(ANNOTATOR, pa.string(), "who answered"))
    for answer in sheet.answers:
        nullable = bool(answer.optional or answer.undecided)
        fields.append(
            column(answer.name, KINDS[answer.kind].type, answer.help, range=answer.allowed, nullable=nullable)
        )
    doc = "what stood in columns that people added, a line for each: `column: text`"
    fields.append(column(NOTES, pa.string(), doc, nullable=True))
    return pa.schema(fields)


def sheet_rows(sheet: Sheet, rows: pa.Table | Iterable[pa.RecordBatch | pa.Table]) -> dict[Key, SheetRow]:
    """Return the rows by their key, `folded` as tools may change it, in the order of keys.

    Args:
        sheet: whose columns are taken; others are ignored.
        rows: a table, or batches; they are held in memory, since people are to read them.

    Raises:
        UsageError: a column is missing, or neither text nor whole numbers; a key is empty or repeated; a
            text to quote from is not in NFC; there are too many rows.
    """
    by_key: dict[Key, SheetRow] = {}
    for batch in [rows] if isinstance(rows, pa.Table) else rows:
        for row in _rows(sheet, batch):
            folds = tuple(map(folded, row.key))
            if folds in by_key:
                raise UsageError(f"sheet {sheet.name!r}: two rows have the key {_said(row.key)}")
            if not all(folds):
                raise UsageError(f"sheet {sheet.name!r}: a row has an empty key, {_said(row.key)}")
            by_key[folds] = row
            if len(by_key) > ROWS_LIMIT:
                raise UsageError(
                    f"sheet {sheet.name!r}: a spreadsheet holds no more than {ROWS_LIMIT} rows; "
                    "deal them out to several files"
                )
    return dict(sorted(by_key.items(), key=lambda item: item[1].key))


def rows_digest(sheet: Sheet, rows: Iterable[SheetRow]) -> str:
    """Return 32 hexadecimal digits that depend on rows, their order, and columns."""
    state = hashlib.sha256(canonical_json([sheet.key, [shown.name for shown in sheet.columns]]))
    for row in rows:
        state.update(canonical_json([row.key, row.texts, row.marks]) + b"\n")
    return state.hexdigest()[:_DIGITS]


def _rows(sheet: Sheet, batch: pa.RecordBatch | pa.Table) -> Iterable[SheetRow]:
    keys = [_texts(sheet, batch, name) for name in sheet.key]
    texts = [_texts(sheet, batch, shown.name) for shown in sheet.columns]
    quoted = {answer.of for answer in sheet.answers}
    for shown, values in zip(sheet.columns, texts, strict=True):
        for value in values if shown.name in quoted else ():
            if not is_nfc(value):
                raise UsageError(f"sheet {sheet.name!r}: a {shown.name} is not in NFC: {value!r}")
    marks = [_marks(sheet, batch, shown) for shown in sheet.columns]
    for number in range(batch.num_rows):
        yield SheetRow(
            tuple(values[number] for values in keys),
            tuple(values[number] for values in texts),
            tuple(values[number] for values in marks),
        )


def _column(sheet: Sheet, batch: pa.RecordBatch | pa.Table, name: str) -> pa.Array:
    if name not in batch.schema.names:
        there = ", ".join(batch.schema.names)
        raise UsageError(f"sheet {sheet.name!r}: the rows have no column {name!r}, but {there}")
    return batch.column(name)


def _texts(sheet: Sheet, batch: pa.RecordBatch | pa.Table, name: str) -> list[str]:
    values = _column(sheet, batch, name)
    cells = values.to_pylist()
    if not all(value is None or type(value) in (str, int) for value in cells):
        raise UsageError(
            f"sheet {sheet.name!r}: column {name!r} is {values.type}; text or whole numbers can be "
            "shown as they are; anything else must be converted to text first"
        )
    return ["" if value is None else str(value) for value in cells]


def _marks(sheet: Sheet, batch: pa.RecordBatch | pa.Table, shown: SheetColumn) -> list[tuple[int, int] | None]:
    if shown.mark is None:
        return [None] * batch.num_rows
    edges = [_column(sheet, batch, name).to_pylist() for name in shown.mark]
    return [None if start is None or end is None else (start, end) for start, end in zip(*edges, strict=True)]


def _said(key: Key) -> str:
    return " ".join(map(repr, key))
