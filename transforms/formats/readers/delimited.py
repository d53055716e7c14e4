"""Tables as text (CSV, TSV): a record a row, its fields the named columns.

With quoting, a row is read as RFC 4180 says, and strictly: a quote that opens a cell must close it.
A row whose quote is stray is a reject, and reading goes on with the next line. The
same goes for a quote that finds another one some lines below, if those lines look like rows:

- In a table separated by tabs a cell of several lines holds no tabs, if a line after its first has
  as many as a row or more, and its row has as many cells as others. So no row is ever swallowed. In
  a table of one column each line is a row.
- In other tables text holds delimiters, too: a quote is stray if the first line and three quarters of
  all have as many as a row. Those before white space do not count, unless rows are written so. In
  tables of four columns or more they may count in all lines as well. With one column this cannot be
  decided: its cells may have several lines.

The first row with several cells, such as a header, says how many cells a row has.

Without quoting a row is a line and quotes are characters like others: the CompLex files need that.

A row of empty cells, such as spreadsheets leave at the end, is blank and skipped. A row with more or
fewer cells than columns is a reject (empty cells too many at its end do not matter); so is a row over
`max_line_bytes`.

Whether quotes in a table separated by tabs have a meaning can be decided for a whole file (`quotes_settled`). A
program that puts cells in quotes closes each of them. So if a row of a table separated by tabs has a quote that opens
a cell and does not close it, all quotes of that file are plain characters, as in the files of CompLex. With other
delimiters only quotes can say where a cell ends: there a stray quote makes its row a reject.
"""

import csv
import io
import itertools
import re
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import BinaryIO, cast

from lexbeam.transforms.common.texts.encodings import csv_rows, end_of_line, no_line_end, with_line_feeds
from lexbeam.transforms.formats.records.base import (
    BadRecord,
    CutPiece,
    ReaderOptions,
    Record,
    Reject,
    Source,
    Uncuttable,
)
from lexbeam.transforms.formats.records.fields import listed_names, record_of_fields
from lexbeam.transforms.formats.records.text_cleaning import STRICT, Cleaning, cleaning, decode
from lexbeam.transforms.formats.sources.streams import (
    ByteStream,
    check_encodings,
    cut_by_lines,
    iter_lines,
    opened,
    opened_head,
    peek,
    too_long,
    without_compression,
)

_DELIMITERS = "\t,;|"
_TABBED = (".tsv", ".tab")

_REMEDY = "see --no-quoting"
_HEAD = 1 << 16  # bytes in which a header and a row must end if a table is to be cut
_OVERHEAD = 64  # bytes that a line costs besides its characters

Row = tuple[int, list[str] | BadRecord]


class StrayQuote(BadRecord):
    """Why a row has no cells: a quote opens one and does not close it."""

    def __init__(self, cause: str, delimiter: str) -> None:
        super().__init__("malformed", f"a stray quote ({cause}); {_REMEDY}")
        self.delimiter = delimiter


class _Broken(BadRecord):
    """Raised where the rest of a table cannot be read; as a line it stands for that rest."""


def read_csv(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each row that is not blank; its position is its line number.

    Raises:
        BadRecord: `empty`, if there is no row; `missing_field`, if the header lacks the text's
            column; `malformed`, if the header cannot be read, or has a column twice that options name.
    """
    columns: list[str] | None = list(options.columns) or None
    records = 0
    headed = not options.header
    how = cleaning(source, options)
    for number, row in rows(source, options):
        if not headed:
            if isinstance(row, BadRecord):
                raise BadRecord(row.reason, f"in the header: {row.detail}")
            columns = [name.strip() for name in row]
            if options.text_field not in columns:
                names = listed_names(columns) + no_line_end(" ".join(row))
                raise BadRecord("missing_field", f"no column {options.text_field!r} in the header{names}")
            for name in (options.text_field, *(pair.partition("=")[2] for pair in options.fields)):
                if columns.count(name) > 1:
                    raise BadRecord("malformed", f"several columns {name!r} in the header; rename all but one")
            headed = True
            continue
        records += 1
        try:
            if isinstance(row, BadRecord):
                raise row
            if columns is None:
                columns = [str(n) for n in range(1, len(row) + 1)]
            if number <= source.before:  # of the head
                continue
            yield record_of_fields(str(number), _named(row, columns), options, how)
        except BadRecord as error:
            if number > source.before:
                yield Reject(str(number), error.reason, error.detail)
    if not records:
        raise BadRecord("empty", "the table has no rows")


def rows(source: Source, options: ReaderOptions) -> Iterator[Row]:
    """Yield the line number and the cells of each row that is not blank, or why it has none.

    Before the rows of a piece come those of its head, which say what rows look like.
    """
    stream, encodings = opened(source, options)
    with stream:
        lines = _decoded(stream, encodings, options, cleaning(source, options), source.before)
        if not source.begins and source.piece is not None:
            with opened_head(source, options) as head:
                lines = itertools.chain([*_decoded(head, encodings, options, STRICT)], lines)
        yield from _split(lines, source.name, options)


def cut_csv(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of a table whose rows are lines, each of at least `size` bytes but the last.

    With the first row behind the header, the head of the table says what is needed to read the others.

    Raises:
        Uncuttable: a cell of the table has several lines, or a quote that may begin one; its beginning has no
            row that can be read; or a byte of the encoding may be a line feed and something else.
    """
    data, stream = peek(source.open(), _HEAD)
    check_encodings(data, options.encoding)
    whole = data[: data.rfind(b"\n") + 1]
    start = Source(source.name, lambda: io.BytesIO(whole), source.path)
    try:
        next(read_csv(start, options))
        number = _needed(rows(start, options), options)
    except BadRecord as error:
        raise Uncuttable(error.detail) from None
    head = 0
    for _ in range(number):
        head = end_of_line(whole, head)
    lines = (text for _, text in _decoded(io.BytesIO(whole), options.encoding, options, STRICT))
    first = next(text for text in lines if isinstance(text, str) and text.strip(" \ufeff"))
    check = _LineRows(_Table(options.separator, source.name, first).delimiter, options)
    source = replace(source, open=lambda: stream)
    pieces = cut_by_lines(source, options, size, is_record=lambda _: True, see=check.see, head=head)
    check.see(b"\n")
    return pieces


def _needed(first: Iterator[Row], options: ReaderOptions) -> int:
    """Return the line of the row with which it is known how to read all others."""
    headed = not options.header
    for number, row in first:
        if headed and not isinstance(row, BadRecord):
            return number
        headed = True
    raise Uncuttable("its beginning has no row")


def _open_cell(delimiter: str) -> re.Pattern[bytes]:
    """Return what finds a quote that begins a cell, and no other one alone before the line ends."""
    if not delimiter.isascii():
        raise Uncuttable("its delimiter is not ASCII")
    start = b"\\A|[\n%s]" % re.escape(delimiter).encode()
    return re.compile(rb'(?:%s)(?:\xef\xbb\xbf)?"[^"\n]*+(?:""[^"\n]*+)*+\n' % start)


class _LineRows:
    """Checks, as the bytes of a table pass, that no cell goes on in the next line."""

    def __init__(self, delimiter: str, options: ReaderOptions) -> None:
        self._delimiter = delimiter
        self._options = options
        self._open = _open_cell(delimiter)
        self._held = b""

    def see(self, data: bytes) -> None:
        """Take the next bytes.

        Raises:
            Uncuttable: a cell goes on.
        """
        if not self._options.quoting:
            return
        data = self._held + with_line_feeds(data)  # of CR LF that is cut in two an empty line more
        end = data.rfind(b"\n") + 1
        self._held = data[end:]
        if len(self._held) > self._options.max_line_bytes:
            raise Uncuttable("a line over `max_line_bytes`")
        if b'"' not in data:
            return
        for found in self._open.finditer(data, 0, end):
            line = data[data.rfind(b"\n", 0, found.end() - 1) + 1 : found.end()]
            self._check(line)

    def _check(self, line: bytes) -> None:
        try:
            next(csv_rows([decode(line, self._options.encoding)], self._delimiter, strict=True))
        except (csv.Error, BadRecord) as error:
            if "unexpected end" in str(error):
                raise Uncuttable("a cell of it goes on in the next line") from None


def sniff(name: str, line: str) -> str:
    """Return the delimiter of a table by its name and first line."""
    if _is_tabbed(name):
        return "\t"
    return max(_DELIMITERS, key=line.count)


def _is_tabbed(name: str) -> bool:
    return without_compression(name.lower()).endswith(_TABBED)


def _named(row: list[str], columns: list[str]) -> dict[str, str]:
    if len(row) > len(columns):
        while len(row) > len(columns) and not row[-1]:
            row.pop()
    if len(row) != len(columns):
        hint = no_line_end("\n".join(row))
        raise BadRecord("malformed", f"{len(row)} cells, but {len(columns)} columns{hint}")
    return dict(zip(columns, row, strict=True))


def _decoded(
    stream: BinaryIO, encodings: tuple[str, ...], options: ReaderOptions, how: Cleaning, before: int = 0
) -> Iterator[tuple[int, str | BadRecord]]:
    alone = len(encodings) == 1  # or what took an empty line would be noted
    try:
        for number, line in iter_lines(stream, options.max_line_bytes, before):
            if alone and line is not None and not line:
                yield number, ""
                continue
            try:
                if line is None:
                    raise too_long(options)
                held = [decode(line, encodings, how)]
                line = None  # which may be long; nor is the text kept here
                yield number, held.pop()
            except BadRecord as error:
                yield number, error
    except BadRecord as error:  # not to be taken for the fault of a quote that is open there
        yield sys.maxsize, _Broken(error.reason, error.detail)


def _split(lines: Iterator[tuple[int, str | BadRecord]], name: str, options: ReaderOptions) -> Iterator[Row]:
    table: _Table | None = None
    pending: deque[tuple[int, str | BadRecord]] = deque()
    alone = 0  # before this line an open quote is not closed
    while True:
        entry = pending.popleft() if pending else next(lines, None)
        if entry is None:
            return
        number, line = entry
        if not line:  # of which there may be millions
            continue
        if isinstance(line, _Broken):
            raise line
        if isinstance(line, BadRecord):
            yield number, line
            continue
        if not line.strip(" \ufeff"):
            continue
        table = table or _Table(options.separator, name, line)
        if not options.quoting or '"' not in line:
            cells = line.split(table.delimiter)
            del entry, line  # which may be long
            table.begin(cells)
            if any(map(str.strip, cells)):
                yield number, cells
            continue
        taken: list[tuple[int, str | BadRecord]] = []
        following = _following(line, pending, lines, taken, options, number >= alone)
        try:
            cells = next(csv_rows(following, table.delimiter, strict=True))
        except (csv.Error, BadRecord) as error:
            # Only the first line is to blame; those that the open quote swallowed are rows yet.
            pending.extendleft(reversed(taken))
            # Or each stray quote would read on to there again.
            if isinstance(error, BadRecord):
                alone = taken[-1][0]
            elif number >= alone and "unexpected end" in str(error):
                alone = sys.maxsize
            cause = error.detail if isinstance(error, BadRecord) else str(error)
            yield number, StrayQuote(cause, table.delimiter)
            continue
        table.begin(cells)
        if taken and table.swallowed([line, *(str(text) for _, text in taken)], cells):
            pending.extendleft(reversed(taken))
            cause = f"it would make one row of {len(taken) + 1} lines that are rows themselves"
            yield number, StrayQuote(cause, table.delimiter)
            continue
        if any(map(str.strip, cells)):
            yield number, cells


class _Table:
    """What the first rows say of a table: its delimiter, and what its rows look like."""

    def __init__(self, separator: str, name: str, line: str) -> None:
        self.delimiter = separator or sniff(name, line)
        # One column has no delimiter, but what it would be may be said.
        said = bool(separator) or _is_tabbed(name) or "\t" in line
        self._tabs = said and self.delimiter == "\t"
        self._tight = re.compile(re.escape(self.delimiter) + r"(?!\s|$)")
        self._spaced = False
        self._width = 0

    def begin(self, cells: list[str]) -> None:
        """Note how many cells a row has, and whether white space begins them."""
        if self._width < 2:
            self._width = len(cells)
            self._spaced = any(not cell or cell[0].isspace() for cell in cells[1:])

    def swallowed(self, lines: list[str], cells: list[str]) -> bool:
        """Return whether the lines of a row are rows themselves, joined by a stray quote."""
        if self._tabs:
            return self._swallowed_by_tabs(lines, cells)
        borders = self._width - 1
        if not borders:
            return False
        if borders > 2 and all(line.count(self.delimiter) == borders for line in lines):
            return True
        alike = [self._borders(line) == borders for line in lines]
        return alike[0] and sum(alike) * 4 >= len(alike) * 3

    def _swallowed_by_tabs(self, lines: list[str], cells: list[str]) -> bool:
        while len(cells) > self._width and not cells[-1]:
            cells = cells[:-1]
        if len(cells) != self._width or self._width == 1:
            return True
        within = any("\n" in cell and "\t" in cell for cell in cells)
        return within and any(line.count("\t") >= self._width - 1 for line in lines[1:])

    def _borders(self, line: str) -> int:
        if self._spaced:
            return line.count(self.delimiter)
        return len(self._tight.findall(line))


def _following(
    line: str,
    pending: deque[tuple[int, str | BadRecord]],
    lines: Iterator[tuple[int, str | BadRecord]],
    taken: list[tuple[int, str | BadRecord]],
    options: ReaderOptions,
    multiline: bool,
) -> Iterator[str]:
    """Yield the line and, as long as a quote stays open, the next ones, noting them in `taken`."""
    yield line + "\n"
    size = len(line)
    while multiline:
        entry = pending.popleft() if pending else next(lines, None)
        if entry is None:
            return
        taken.append(entry)
        following = entry[1]
        if isinstance(following, BadRecord):
            raise following
        size += len(following) + _OVERHEAD
        if size > options.max_line_bytes:
            raise BadRecord("too_large", f"over {options.max_line_bytes} characters in a row; see --max-line-bytes")
        yield following + "\n"


_IN_MEMORY = 8 << 20
_PIECE = 1 << 20
_BUFFER = 1 << 16


@contextmanager
def quotes_settled(source: Source, options: ReaderOptions) -> Iterator[ReaderOptions]:
    """Yield the options for reading a table: `quoting` is off if a quote is stray.

    The stream is copied, to disk if it is over 8 MiB, so that it can be read twice; where it breaks
    off, the copy does, too. The source gets the copy, and a note if quoting is off.
    """
    if not options.quoting or options.separator not in ("", "\t"):
        yield options
        return
    with source.open() as stream, tempfile.SpooledTemporaryFile(_IN_MEMORY) as held:
        copy = cast(BinaryIO, held)
        quoted, error = _copied(stream, copy)

        def replayed() -> BinaryIO:
            copy.seek(0)
            return io.BufferedReader(_Copied(copy, error), _BUFFER)

        source.open = replayed
        line = _stray(source, options) if quoted else None
        if line is not None:
            source.notes[f"quotes are plain characters, since one in line {line} is stray"] += 1
            options = replace(options, quoting=False)
        yield options


def _copied(stream: BinaryIO, copy: BinaryIO) -> tuple[bool, Exception | None]:
    """Copy a stream; return whether it has a quote, and what it broke off with."""
    quoted = False
    # What comes before a break is good: `read` would lose it.
    read = getattr(stream, "read1", stream.read)
    try:
        while data := read(_PIECE):
            quoted = quoted or b'"' in data
            copy.write(data)
    except Exception as error:  # whatever a broken file or archive raises
        return quoted, error
    return quoted, None


def _stray(source: Source, options: ReaderOptions) -> int | None:
    """Return the line of the first stray quote of a table separated by tabs."""
    trial = Source(source.name, source.open, source.path)
    try:
        for number, cells in rows(trial, options):
            if isinstance(cells, StrayQuote):
                return number if cells.delimiter == "\t" else None
    except Exception:  # is told when the table is read
        return None
    return None


class _Copied(ByteStream):
    """The bytes of a copy, which stays open, then the error that the first reading ended with."""

    def __init__(self, copy: BinaryIO, error: Exception | None) -> None:
        super().__init__(copy)
        self._error = error

    def take(self, size: int) -> bytes:
        data = self._stream.read(size)
        if not data and self._error is not None:
            raise self._error
        return data

    def close(self) -> None:
        io.RawIOBase.close(self)
