"""Sheets that people filled in, as they come back: recognised by their columns, each row an answer or a reject.

Spreadsheets write tables in their own ways: with or without byte order mark, as UTF-16, with quotes, with
semicolons, with rows and columns in another order. None of it counts. The lines above the header row are not needed,
but if they say that the file is of another sheet, they are believed. The texts that were sent out must come back
unchanged, row by row, since an answer to another text is an answer to another question.
"""

import codecs
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.rejects import ANSWER_STAGE as STAGE
from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.shown import GUARD
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.readers.delimited import rows as delimited_rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.formats.sources.streams import MARKED
from lexbeam.transforms.people.answers import AnswerValue, folded, read_answer, text_of
from lexbeam.transforms.people.sheets import ANNOTATOR, Key, Sheet, SheetRow, answers_schema, rows_digest, sheet_rows

_DELIMITERS = ("tab", ";", ",")
_HEADER_ROWS = 1000  # rows in which the header is searched
_FIRST_LINE = re.compile(r"lexbeam sheet (\S+), version (\S+): \d+ rows, digest ([0-9a-f]{32})(?:, for ([\w @+-]+))?")
_BOMS = {codecs.BOM_UTF8: "utf-8", **MARKED}
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SAVE = "save it as tab-separated text (UTF-8 or UTF-16)"
_ENDING = re.compile(r"\.(tsv|txt|csv|tab)$", re.IGNORECASE)
_COPY = re.compile(r"(?<![ _])[ _]*\(\d+\)$")  # what browsers append to a file that is there already

FileRow = tuple[int, list[str] | BadRecord]


class SheetFile(NamedTuple):
    """A file of a sheet.

    Attributes:
        annotator: from the file's name; empty if a column names annotators.
        source: its bytes; `options` says how they are read.
        header: the header row, on line `line`.
        places: the place in a row of each of the sheet's columns, and of `annotator` if present.
        added: the places of columns that people added, and their names.
        digest: of the rows that it was written from; empty if it states none.
    """

    annotator: str
    source: Source
    options: ReaderOptions
    header: list[str]
    line: int
    places: dict[str, int]
    added: dict[int, str]
    digest: str


def list_sheets(paths: str | Sequence[str]) -> list[files.ListedFile]:
    """Return the files that files, folders and globs stand for.

    Raises:
        LexbeamError: there are none, or two with the same name.
    """
    by_name: dict[str, files.ListedFile] = {}
    for path in [paths] if isinstance(paths, str) else paths:
        for entry in files.list_files(path):
            if by_name.setdefault(entry.name, entry) != entry:
                raise LexbeamError(f"two files are called {entry.name}: rename one of them")
    return list(by_name.values())


def open_sheet(sheet: Sheet, entry: files.ListedFile, options: ReaderOptions, max_file_bytes: int) -> SheetFile:
    """Read a file, and find its header row and each of the sheet's columns.

    Raises:
        LexbeamError: it cannot be read, is too large or not text; a column is missing or repeated; it says
            that it is of another sheet or version; nothing says whose answers these are.
    """
    shown = files.shown(entry.path)
    source, options = _source(entry, shown, options, max_file_bytes)
    for delimiter in _DELIMITERS:
        options = replace(options, delimiter=delimiter)
        line, header, comments = _header(sheet, source, options)
        said = _FIRST_LINE.search(comments)
        if said and said.groups()[:2] != (sheet.name, sheet.version):
            raise LexbeamError(
                f"{shown} is of sheet {said[1]!r}, version {said[2]}, not of {sheet.name!r}, version {sheet.version}"
            )
        if header:
            break
    else:
        raise LexbeamError(
            f"{shown}: no row names the column {sheet.key[0]!r}; it is not a file of sheet "
            f"{sheet.name!r}, or its header row was removed, or it is not tab-separated text: "
            f"put the header row back, or {_SAVE}"
        )
    places = _places(sheet, header, shown)
    added = {
        place: clean_field(cell) or f"column {place + 1}"
        for place, cell in enumerate(header)
        if place not in places.values()
    }
    annotator = "" if ANNOTATOR in places else _named(sheet, entry.name, said)
    if not annotator and ANNOTATOR not in places:
        raise LexbeamError(
            f"{shown} does not say whose answers these are: call it {sheet.name}.WHO.tsv, or add a column `{ANNOTATOR}`"
        )
    digest = said[3] if said else ""
    return SheetFile(annotator, source, options, header, line, places, added, digest)


def file_rows(file: SheetFile) -> Iterator[FileRow]:
    """Yield the line and the cells of each row below the header, or why it cannot be read.

    Rows that repeat the header, or are only a comment, are skipped. If a quote that opens a cell is never
    closed, the quotes of the line are plain characters.
    """
    rows = [(line, row) for line, row in _read(file.source, file.options) if line > file.line]
    stray = {line for line, row in rows if isinstance(row, BadRecord) and row.reason == "malformed"}
    unquoted: dict[int, list[str] | BadRecord] = {}
    if stray:
        options = replace(file.options, quoting=False)
        unquoted = {line: row for line, row in _read(file.source, options) if line in stray}
    for line, row in rows:
        row = unquoted.get(line, row)
        if isinstance(row, BadRecord) or not (row == file.header or _is_comment(row)):
            yield line, row


def _read(source: Source, options: ReaderOptions) -> Iterator[FileRow]:
    last = 0
    try:
        for last, row in delimited_rows(source, options):
            yield last, row
    except BadRecord as error:  # of UTF-16 what follows cannot be read
        yield last + 1, error


def _source(entry: files.ListedFile, shown: str, options: ReaderOptions, limit: int) -> tuple[Source, ReaderOptions]:
    try:
        with files.open_read(entry.path) as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise LexbeamError(f"{shown} cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise LexbeamError(f"{shown} has over {limit} bytes: too many for a file that a person filled in")
    if not data.strip():
        raise LexbeamError(f"{shown} is empty")
    if data.startswith(_WORKBOOKS):
        raise LexbeamError(f"{shown} is a workbook or an archive: {_SAVE}")
    mark = next((encoding for bom, encoding in _BOMS.items() if data.startswith(bom)), "")
    if mark:
        options = replace(options, encoding=(mark,))
    wide = "\n".encode(options.encoding[0]) != b"\n"
    if b"\x00" in data[:1000] and not wide:
        raise LexbeamError(f"{shown} holds bytes that no text has: {_SAVE}, or name its `encoding`")
    return Source(entry.name, lambda: io.BytesIO(data), entry.path), options


def _header(sheet: Sheet, source: Source, options: ReaderOptions) -> tuple[int, list[str], str]:
    """Return line and cells of the header row, if any, and the comments before it."""
    comments: list[str] = []
    key = {_name(name) for name in sheet.key}
    for line, row in islice(_read(source, options), _HEADER_ROWS):
        if isinstance(row, BadRecord):
            continue
        if next(filter(None, map(str.strip, row))).lstrip(GUARD).startswith("#"):
            comments.append(options.separator.join(row))
        elif key <= {_name(cell) for cell in row}:
            return line, row, "\n".join(comments)
    return 0, [], "\n".join(comments)


def _is_comment(row: list[str]) -> bool:
    """Return whether `#` begins a row's only text; sorting a sheet may move comments anywhere."""
    filled = [cell for cell in row if cell.strip()]
    return len(filled) == 1 and filled[0].startswith("#")


def _places(sheet: Sheet, header: list[str], shown: str) -> dict[str, int]:
    names = [_name(cell) for cell in header]
    needed = [*sheet.key, *(column.name for column in sheet.columns if column.checked)]
    needed += [answer.name for answer in sheet.answers]
    others = [ANNOTATOR, *(column.name for column in sheet.columns if not column.checked)]
    places: dict[str, int] = {}
    for name in (*needed, *others):
        times = names.count(_name(name))
        if times:
            places[name] = names.index(_name(name))
        if times > 1 or (not times and name in needed):
            fault = "is there twice" if times else f"is not there{nearest(_name(name), names)}"
            raise LexbeamError(f"{shown}: column {name!r} of sheet {sheet.name!r} {fault}")
    return places


def _name(cell: str) -> str:
    return folded(cell).casefold()


def _named(sheet: Sheet, name: str, said: re.Match[str] | None) -> str:
    """Return who filled in a file: its name without the sheet's name.

    A file may have been renamed or handed on, and its comments may be lost: so its name counts.
    """
    stem = _COPY.sub("", _ENDING.sub("", name.rpartition("/")[2]))
    whom = (said[4] or "").strip() if said else ""
    if whom and stem.endswith(f".{whom}"):
        return clean_field(whom)
    return "" if stem == sheet.name else clean_field(stem.removeprefix(f"{sheet.name}."))


_SHOWN = 40
_DIGITS = 12


@dataclass(frozen=True)
class Answers:
    """What was read from the files.

    Attributes:
        table: a row for each row and annotator that answered it, see `answers_schema`; sorted.
        rejects: rows without an answer, in the order of files and lines. Rows that are missing in a file
            have no position, and come after its others.
        rows: rows read: those of `table` and of the rejects that have a position.
    """

    table: pa.Table
    rejects: tuple[RejectRow, ...]
    rows: int


class _RowAnswer(NamedTuple):
    """A row with valid answers; its place is a file's number and a line."""

    key: Key
    annotator: str
    values: tuple[AnswerValue, ...]
    notes: str | None
    place: tuple[int, float]


_Placed = tuple[tuple[int, float], RejectRow]


def read_answers(
    sheet: Sheet,
    rows: pa.Table | Iterable[pa.RecordBatch | pa.Table],
    paths: str | Sequence[str],
    *,
    encoding: str = "",
    salt: str = "",
    max_line_bytes: int = 1 << 20,
    max_file_bytes: int = 1 << 28,
) -> Answers:
    """Read files that people filled in.

    Args:
        sheet: the sheet.
        rows: the rows sent out, as passed to `write_sheet`. Every file must contain all of them: if rows
            were divided among annotators, read each annotator's file with their own rows.
        paths: a file, a folder or a glob, or several.
        encoding: of files without byte order mark; empty: UTF-8.
        salt: if not empty, the names of annotators and of files become hashes of it and them.
        max_line_bytes: longer lines are rejects.
        max_file_bytes: longer files are refused.

    Raises:
        LexbeamError: a file is not of this sheet and version, or is not a table.
        UsageError: `rows` do not fit the sheet.
    """
    sent = sheet_rows(sheet, rows)
    options = ReaderOptions(encoding=(encoding or "utf-8",), max_line_bytes=max_line_bytes)
    digest_sent = rows_digest(sheet, sent.values())
    sources: list[str] = []
    answered: list[_RowAnswer] = []
    rejects: list[_Placed] = []
    count = 0
    for number, entry in enumerate(list_sheets(paths)):
        file = open_sheet(sheet, entry, options, max_file_bytes)
        sources.append(pseudonym(entry.name, salt))
        stale = "" if file.digest in ("", digest_sent) else "; the file was written from other rows"
        read = _read_file(sheet, sent, file, salt, number, files.shown(entry.path))
        count += read.rows
        answered += read.answers
        for place, error in read.faults:
            detail = _detail(error, max_line_bytes, stale)
            rejects.append((place, RejectRow(sources[-1], f"{place[1]:.0f}", STAGE, error.reason, detail)))
        details = (
            f"{' '.join(row.key)} is not in the file{stale}" for key, row in sent.items() if key not in read.keys
        )
        rejects += [((number, math.inf), RejectRow(sources[-1], "", STAGE, "missing", detail)) for detail in details]
    unique, repeated = _unique(answered, sources)
    ordered = sorted(rejects + repeated, key=itemgetter(0))
    return Answers(_table(sheet, unique), tuple(reject for _, reject in ordered), count)


class _FileAnswers(NamedTuple):
    """The rows of a file: answers, faults by place, the keys that were sent out, and the number of rows."""

    answers: list[_RowAnswer]
    faults: list[tuple[tuple[int, float], BadRecord]]
    keys: set[Key]
    rows: int


def _read_file(
    sheet: Sheet, sent: dict[Key, SheetRow], file: SheetFile, salt: str, number: int, shown: str
) -> _FileAnswers:
    answers: list[_RowAnswer] = []
    faults: list[tuple[tuple[int, float], BadRecord]] = []
    keys: set[Key] = set()
    rows = 0
    for line, cells in file_rows(file):
        rows += 1
        try:
            answers.append(_answered(sheet, sent, file, cells, keys, salt, (number, line)))
        except BadRecord as error:
            faults.append(((number, line), error))
    if rows and not keys:
        raise LexbeamError(
            f"{shown}: none of its rows was sent out; it was written from other rows, or in another encoding "
            f"than {file.options.encoding[0]}"
        )
    return _FileAnswers(answers, faults, keys, rows)


def pseudonym(name: str, salt: str) -> str:
    """Return the pseudonym of a name: a hash of it and of a salt; the name if the salt is empty."""
    return "a" + digest(["annotator", salt, name])[:_DIGITS] if salt else name


def _answered(
    sheet: Sheet,
    sent: dict[Key, SheetRow],
    file: SheetFile,
    cells: list[str] | BadRecord,
    seen: set[Key],
    salt: str,
    place: tuple[int, float],
) -> _RowAnswer:
    """Return the answers of a row, and add its key to those seen.

    Raises:
        BadRecord: the row was not sent out, was changed, or its answers are not valid.
    """
    if isinstance(cells, BadRecord):
        raise cells

    def cell(name: str) -> str:
        at = file.places.get(name, len(cells))
        return cells[at] if at < len(cells) else ""  # spreadsheets leave out what is empty

    folds = tuple(folded(text_of(cell(name))[0]) for name in sheet.key)
    row = sent.get(folds)
    said = " ".join(folds)
    if row is None:
        raise BadRecord("unknown", f"no row {_shown(said)!r} was sent out")
    seen.add(folds)
    texts: dict[str, str] = {}
    for column, text in zip(sheet.columns, row.texts, strict=True):
        texts[column.name] = text
        if column.checked:
            _check_text(said, column.name, cell(column.name), text)
    annotator = clean_field(cell(ANNOTATOR) if ANNOTATOR in file.places else file.annotator)
    if not annotator:
        raise BadRecord("no_annotator", f"{said}: column `{ANNOTATOR}` is empty")
    values = []
    faults: list[BadRecord] = []
    for answer in sheet.answers:
        try:
            values.append(read_answer(answer, cell(answer.name), texts))
        except BadRecord as error:
            faults.append(error)
    if not any(folded(cell(answer.name)) for answer in sheet.answers):
        raise BadRecord("empty", f"{said}: nothing is filled in")
    if faults:
        reasons = {fault.reason for fault in faults}
        reason = "wrong_answer" if "wrong_answer" in reasons else "empty"
        raise BadRecord(reason, f"{said}: " + "; ".join(fault.detail for fault in faults))
    return _RowAnswer(row.key, pseudonym(annotator, salt), tuple(values), _notes(file, cells), place)


def _check_text(said: str, name: str, cell: str, text: str) -> None:
    came, sent = folded(text_of(cell)[0]), folded(text)
    if came != sent:
        pairs = enumerate(zip(came, sent, strict=False))
        start = next((at for at, (a, b) in pairs if a != b), min(len(came), len(sent)))
        raise BadRecord(
            "changed",
            f"{said}: {name} is {_shown(came[start:])!r} from character {start} on, "
            f"instead of {_shown(sent[start:])!r}",
        )


def _notes(file: SheetFile, cells: list[str]) -> str | None:
    known = set(file.places.values())
    notes = [
        f"{file.added.get(at, f'column {at + 1}')}: {clean_field(cell)}"
        for at, cell in enumerate(cells)
        if at not in known and clean_field(cell)
    ]
    return "\n".join(notes) or None


def _unique(answered: list[_RowAnswer], sources: list[str]) -> tuple[list[_RowAnswer], list[_Placed]]:
    """Return one answer for each row and annotator, and rejects for repeated ones.

    Of equal answers the first counts; of answers that differ none does.
    """
    groups: dict[tuple[Key, str], list[_RowAnswer]] = {}
    for answer in answered:
        groups.setdefault((answer.key, answer.annotator), []).append(answer)
    unique = []
    left: list[_Placed] = []
    for (key, _), group in sorted(groups.items(), key=lambda item: item[0]):
        first, *others = group
        if all(answer.values == first.values for answer in others):
            unique.append(first)
            reason, said, rest = "doubled", "the same as", others
        else:
            reason, said, rest = "contradictory", "differs from others of", group
        for answer in rest:
            where = [
                f"{sources[other.place[0]]} line {other.place[1]:.0f}"
                for other in ([first] if reason == "doubled" else group)
                if other is not answer
            ]
            detail = f"{' '.join(key)}: {said} {', '.join(where)}"
            position = f"{answer.place[1]:.0f}"
            reject = RejectRow(sources[answer.place[0]], position, STAGE, reason, detail)
            left.append((answer.place, reject))
    return unique, left


def _table(sheet: Sheet, answered: list[_RowAnswer]) -> pa.Table:
    columns: list[list[AnswerValue]] = [[answer.key[at] for answer in answered] for at in range(len(sheet.key))]
    columns.append([answer.annotator for answer in answered])
    columns += [[answer.values[at] for answer in answered] for at in range(len(sheet.answers))]
    columns.append([answer.notes for answer in answered])
    schema = answers_schema(sheet)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _detail(error: BadRecord, max_line_bytes: int, stale: str) -> str:
    if error.reason == "too_large":
        return f"over {max_line_bytes} bytes in a line"
    if error.reason == "undecodable":
        return f"{error.detail}; save the file as UTF-8 or UTF-16, or name its `encoding`"
    return error.detail + (stale if error.reason in ("unknown", "changed") else "")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
