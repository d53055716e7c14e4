"""Sheets: questions to people about each of many rows, and the files in which they are asked.

A task defines a `Sheet` as a constant, writes it for people with `write_sheet` and reads what they
send back with `answered_sheets.read_answers`; both take the same rows. A row has a key that is a hash of its
content (or names that never change), the texts that are shown, and nothing else.

A file is tab-separated text with a self-explanatory header, in UTF-8 with a byte order mark, without which Excel
assumes another encoding; its cells are those of `answers.cell_of`. The same rows give the same bytes.

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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.marks import is_nfc
from lexbeam.transforms.common.store import files
from lexbeam.transforms.people.answers import CELL_LIMIT, KINDS, Answer, cell_of, folded

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


_ANNOTATOR = re.compile(r"\w[\w @+-]*")
_BOM = "\ufeff"


def write_sheet(
    sheet: Sheet,
    rows: pa.Table | Iterable[pa.RecordBatch | pa.Table],
    folder: str,
    *,
    annotator: str = "",
    seed: int | None = None,
) -> str:
    """Write a file to fill in, `NAME.ANNOTATOR.tsv` or `NAME.tsv`; return its path.

    Args:
        sheet: the sheet.
        rows: the rows to ask about; this annotator's own, if rows are divided among annotators.
        folder: where to write; created if missing.
        annotator: for whom; letters, digits, spaces and `-_@+`. Empty: for anybody.
        seed: of the order of rows, which differs for each annotator. None: in the order of keys.

    Raises:
        UsageError: a row cannot be shown, see `sheet_rows`; there are no rows; a cell is too long for
            spreadsheets; the annotator's name is not suitable for a file.
        LexbeamError: another file exists, which may have been filled in. An identical one is left alone.
    """
    content = sheet_text(sheet, rows, annotator=annotator, seed=seed).encode()
    path = files.join(folder, f"{sheet.name}.{annotator}.tsv" if annotator else f"{sheet.name}.tsv")
    if files.exists(path):
        if files.read_bytes(path) == content:
            return path
        raise LexbeamError(
            f"{files.shown(path)} exists and differs, perhaps because it was filled in: move it away, "
            "or write to another folder"
        )
    files.make_folder(folder)
    files.write_bytes(path, content, durable=True)
    return path


def sheet_text(
    sheet: Sheet, rows: pa.Table | Iterable[pa.RecordBatch | pa.Table], *, annotator: str = "", seed: int | None = None
) -> str:
    """Return the text of the file that `write_sheet` writes; see there for errors."""
    if annotator and not _ANNOTATOR.fullmatch(annotator):
        raise UsageError(
            f"annotator {annotator!r}: the file is named after it, so it may have only letters, digits, spaces and -_@+"
        )
    sent = list(sheet_rows(sheet, rows).values())
    if not sent:
        raise UsageError(f"sheet {sheet.name!r}: there are no rows to ask about")
    lines = [*_header(sheet, sent, annotator)]
    blank = [""] * len(sheet.answers)
    for row in sorted(sent, key=lambda row: _turn(row, annotator, seed)):
        lines.append("\t".join([*_cells(sheet, row), *blank]))
    return _BOM + "".join(line + "\n" for line in lines)


def _turn(row: SheetRow, annotator: str, seed: int | None) -> tuple[bytes, tuple[str, ...]]:
    if seed is None:
        return b"", row.key
    return hashlib.sha256(canonical_json([seed, annotator, row.key])).digest(), row.key


def _header(sheet: Sheet, sent: list[SheetRow], annotator: str) -> Iterator[str]:
    whom = f", for {annotator}" if annotator else ""
    yield (  # what `reading` looks for
        f"# lexbeam sheet {sheet.name}, version {sheet.version}: "
        f"{len(sent)} rows, digest {rows_digest(sheet, sent)}{whom}"
    )
    for text in sheet.instructions:
        yield from (f"# {line}".rstrip() for line in _lines(text))
    yield "#"
    yield "# Fill in the last columns, and change nothing in the others. Rows may be sorted, and"
    yield "# columns added for notes. Save as tab-separated text: Unicode (UTF-8 or UTF-16)."
    yield "#"
    for name in sheet.key:
        yield f"# {name}: names the row"
    for shown in sheet.columns:
        marked = "; the word in question stands in [[ ]]" if shown.mark else ""
        yield f"# {shown.name}: {' '.join(_lines(shown.help))}{marked}"
    for answer in sheet.answers:
        yield f"# {answer.name} (fill in): {' '.join(_lines(answer.help))}; {answer.allowed}"
    yield "#"
    yield "# Signs: ¶ ends a line, \\ stands before a sign that means itself, \\t is a tab, \\s a"
    yield "# space at the edge; ' at the beginning keeps text from being taken for a number."
    names = (shown.name for shown in sheet.columns)
    yield "\t".join([*sheet.key, *names, *(answer.name for answer in sheet.answers)])


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def _cells(sheet: Sheet, row: SheetRow) -> Iterator[str]:
    yield from map(cell_of, row.key)
    for shown, text, mark in zip(sheet.columns, row.texts, row.marks, strict=True):
        try:
            cell = cell_of(text, mark)
        except ValueError as error:
            raise UsageError(f"row {' '.join(row.key)}, {shown.name}: {error}") from None
        if len(cell) > CELL_LIMIT // 2 and len(cell.encode("utf-16-le")) // 2 > CELL_LIMIT:
            raise UsageError(
                f"row {' '.join(row.key)}: {shown.name} has {len(cell)} characters, and a cell of "
                f"Excel {CELL_LIMIT}; show less of it"
            )
        yield cell
