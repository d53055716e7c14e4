"""Files that people send back, recognised as a sheet's: encoding, delimiter, header, columns.

Spreadsheets write tables in their own ways: with or without byte order mark, as UTF-16, with quotes, with
semicolons, with columns in another order. The lines above the header row are not needed, but if they say
that the file is of another sheet, they are believed.
"""

import codecs
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.shown import GUARD
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.readers.delimited import rows as delimited_rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.formats.sources.streams import MARKED
from lexbeam.transforms.people.cells import folded
from lexbeam.transforms.people.sheets import ANNOTATOR, Sheet

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
