"""Word lists as files have them: columns, separators, rows, and cells as numbers.

Comment lines at the start are skipped. The delimiter, unless it is stated, is the one that puts the wanted columns
where the options say; if several do, that is an error. Cells become numbers, with values that are missing, a factor, a
logarithm:

>>> numbers_of(["3.5", "", "NA"], [2, 3, 4], "value", "norms.csv").to_pylist()
[3.5, None, None]
"""

import io
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.texts.encodings import csv_rows, line_feeds, no_line_end
from lexbeam.transforms.formats.readers.delimited import rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import decode
from lexbeam.transforms.formats.sources.streams import iter_lines
from lexbeam.transforms.formats.sources.streams import opened as recoded
from lexbeam.transforms.lexicon.compiled.list_options import DELIMITERS, WordListOptions
from lexbeam.transforms.lexicon.compiled.resource_kind import LINE_BYTES, opened, reading
from lexbeam.transforms.lexicon.compiled.word_keys import only

# In any case. These are missing values; words may be called so.
MISSING_TEXTS = ("", "na", "n/a", "#n/a", "nan", "null", "none")


def missing(texts: pa.Array) -> pa.Array:
    """Return which trimmed texts stand for a missing value."""
    return pc.is_in(pc.utf8_lower(texts), value_set=pa.array(MISSING_TEXTS, texts.type))


def is_number_or_missing(text: str, decimal: str) -> bool:
    """Return whether a cell could be a value."""
    try:
        numbers_of([text], [1], "", "", decimal)
    except LexbeamError:
        return False
    return True


def numbers_of(
    texts: pa.Array | Sequence[str], lines: pa.Array | Sequence[int], column: str, path: str, decimal: str = "point"
) -> pa.Array:
    """Return texts as float64, null for missing values.

    Args:
        texts: the cells.
        lines: their lines, for the error.
        column: their column, for the error.
        path: their file, for the error.
        decimal: `point` or `comma`.

    Raises:
        LexbeamError: a text is neither a finite number nor a missing value.
    """
    if not isinstance(texts, pa.Array):
        texts = pa.array(texts, pa.large_string())
    trimmed = pc.utf8_trim_whitespace(texts)
    trimmed = pc.if_else(missing(trimmed), pa.scalar(None, trimmed.type), trimmed)
    if decimal == "comma":
        # A point then separates thousands or is a mistake: with `?` it is no number.
        trimmed = pc.replace_substring(pc.replace_substring(trimmed, ".", "?"), ",", ".")
    try:
        values = trimmed.cast(pa.float64())
    except pa.ArrowInvalid:
        values = None
    if values is not None and pc.all(pc.is_finite(values), min_count=0).as_py():
        return values
    bad = next(n for n, text in enumerate(trimmed.to_pylist()) if not _finite(text))
    text = texts[bad].as_py()
    remedy = "give the right column"
    if "," in text:
        remedy += ", or `decimal=comma`"
    raise LexbeamError(f"{path}, line {lines[bad]}: {text[:40]!r} in column {column!r} is not a number: {remedy}")


def _finite(text: str | None) -> bool:
    try:
        return text is None or math.isfinite(pa.scalar(text).cast(pa.float64()).as_py())
    except pa.ArrowInvalid:
        return False


def multiplied(texts: pa.Array, values: pa.Array, factor: str, decimal: str) -> pa.Array:
    """Return values times a factor, rounded once: 2.01 times 100 is 201.

    Args:
        texts: the cells.
        values: what `numbers_of` returned for them.
        factor: a decimal number.
        decimal: as for `numbers_of`.
    """
    times = Decimal(factor)
    if times == 1:
        return values
    exact = [
        None if value is None else float(Decimal(_point(text, decimal)) * times)
        for text, value in zip(texts.to_pylist(), values.to_pylist(), strict=True)
    ]
    return pa.array(exact, pa.float64())


def _point(text: str, decimal: str) -> str:
    return text.strip().replace(",", ".") if decimal == "comma" else text.strip()


def to_log10(values: pa.Array, added: float, lines: pa.Array, path: str) -> pa.Array:
    """Return log10(value + added).

    Raises:
        LexbeamError: a value has no logarithm.
    """
    plain = values.to_pylist()
    for line, value in zip(lines.to_pylist(), plain, strict=True):
        if value is not None and value + added <= 0:
            raise LexbeamError(f"{path}, line {line}: {value:g} + {added:g} has no logarithm: add more by `log10=`")
    # One by one, since numpy's logarithm differs between processors in the last bit.
    return pa.array([None if v is None else math.log10(v + added) for v in plain], pa.float64())


ROWS = 1 << 16  # held as Python objects at a time
_LINE = "line"

SAMPLE = 100  # rows from which the delimiter is detected


class TableColumns(NamedTuple):
    """The wanted columns of a file.

    Attributes:
        lines: the line number of each row, from 1; int64.
        columns: `word`, `value` and what else is wanted, a text for each row; large_string.
        comments: lines skipped at the start.
    """

    lines: pa.Array
    columns: dict[str, pa.Array]
    comments: int


class _Start(NamedTuple):
    """The number of comment lines, their bytes, and the first rows after them."""

    comments: int
    size: int
    sample: list[str]


class _Layout(NamedTuple):
    """A delimiter, the number of cells in a row, whether there is a header, and where the columns are."""

    delimiter: str
    width: int
    header: bool
    places: dict[str, int]


def read_cells(path: str, options: WordListOptions) -> TableColumns:
    """Read the wanted columns of a file.

    Raises:
        LexbeamError: the file cannot be read; a column is missing; the delimiter is ambiguous; a row
            has another number of cells, cannot be decoded, or has a stray quote. The error names
            file, line or column, and the remedy.
    """
    with reading(path):
        start = _start(path, options)
        layout = _layout(path, start.sample, options)
        lines: list[int] = []
        texts: dict[str, list[str]] = {name: [] for name in layout.places}
        wanted = [(column, layout.places[name]) for name, column in texts.items()]
        blocks = [_flushed(lines, texts)]
        for place, (number, row) in enumerate(_rows(path, start, layout, options)):
            if place == 0 and layout.header:
                continue
            if len(row) != layout.width:
                row = _fitted(row, layout, path, number)
            lines.append(number)
            for column, cell in wanted:
                column.append(row[cell])
            if len(lines) == ROWS:
                blocks.append(_flushed(lines, texts))
        blocks.append(_flushed(lines, texts))
    table = pa.concat_tables(blocks).combine_chunks()
    if not len(table):
        raise LexbeamError(f"{path} has no rows{' under its header' if layout.header else ''}")
    columns = {name: only(table[name]) for name in texts}
    return TableColumns(only(table[_LINE]), columns, start.comments)


def _flushed(lines: list[int], columns: dict[str, list[str]]) -> pa.Table:
    """Return rows in Arrow, where texts take a fifth of the memory; empty the lists."""
    arrays = {name: pa.array(texts, pa.large_string()) for name, texts in columns.items()}
    table = pa.table({_LINE: pa.array(lines, pa.int64()), **arrays})
    lines.clear()
    for texts in columns.values():
        texts.clear()
    return table


def _plain(options: WordListOptions, delimiter: str = ",") -> ReaderOptions:
    return ReaderOptions(
        encoding=(options.encoding,), delimiter=delimiter, quoting=options.quoting, max_line_bytes=LINE_BYTES
    )


def _start(path: str, options: WordListOptions) -> _Start:
    reader = _plain(options)
    stream, encodings = recoded(Source(path, lambda: opened(path), path), reader)
    lines = line_feeds(stream)
    mark = options.comment.encode(encodings[0])
    comments = size = 0
    sample: list[str] = []
    with stream:
        while line := lines.readline(LINE_BYTES + 1):
            bare = line.removeprefix(b"\xef\xbb\xbf")
            if mark and not sample and bare.startswith(mark):
                comments += 1
                size += len(line)
                continue
            text = _decoded(bare, encodings, path, comments + len(sample) + 1)
            if text.strip():
                sample.append(text.removesuffix("\n"))
            if len(sample) > SAMPLE:
                break
    if not sample:
        hint = f" but for lines that begin with {options.comment!r} (`comment=none`)" * bool(comments)
        raise LexbeamError(f"{path} is empty{hint}")
    return _Start(comments, size, sample)


def _decoded(line: bytes | bytearray, encodings: tuple[str, ...], path: str, number: int) -> str:
    try:
        return decode(line, encodings)
    except BadRecord as error:
        hint = "give its encoding, such as `encoding=latin-1`"
        raise LexbeamError(f"{path}, line {number}: {error.detail}: {hint}") from None


def _cut(lines: list[str], delimiter: str, quoting: bool) -> list[list[str]]:
    """Return the cells of the lines of the sample."""
    if not delimiter:
        return [line.split() for line in lines]
    if not quoting:
        return [line.split(delimiter) for line in lines]
    return list(csv_rows(io.StringIO("\n".join(lines)), delimiter))


def _layout(path: str, sample: list[str], options: WordListOptions) -> _Layout:
    """Return the one layout that has the wanted columns."""
    names = [options.delimiter] if options.delimiter else list(DELIMITERS)
    layouts: dict[str, _Layout] = {}
    refused: list[tuple[int, str]] = []
    for name in names:
        delimiter = DELIMITERS[name].text
        cut = _cut(sample, delimiter, options.quoting)
        try:
            layouts[name] = _placed(cut, delimiter, options)
        except LexbeamError as error:
            refused.append((-len(cut[0]), f"separated by {name}, {error}"))
    if "tab" in layouts:  # no file has as many tabs in each line by chance
        layouts.pop("space", None)
    if len(layouts) == 1:
        return next(iter(layouts.values()))
    if layouts:
        raise LexbeamError(f"{path}: cells may be separated by {' or '.join(layouts)}: give `delimiter=`")
    # The delimiter that cuts the header into the most cells is most likely the right one.
    remedy = "" if options.delimiter else "; if something else separates cells, give `delimiter=`"
    raise LexbeamError(f"{path}: {min(refused, key=itemgetter(0))[1]}{remedy}")


def _placed(cut: list[list[str]], delimiter: str, options: WordListOptions) -> _Layout:
    """Return where the columns are.

    Raises:
        LexbeamError: a column is missing, or columns are given by number and rows differ in length.
    """
    head = [cell.strip() for cell in cut[0]]
    columns = options.columns
    by_name = [column for column in columns.values() if not column.isdecimal()]
    if by_name and options.header is False:
        raise LexbeamError(f"`header=no` leaves no names, but a column is called {by_name[0]!r}")
    if by_name:
        places = {name: _place(column, head) for name, column in columns.items()}
        return _Layout(delimiter, len(head), True, places)
    places = {name: int(column) - 1 for name, column in columns.items()}
    header = options.header
    if header is None:  # a header may have fewer cells than rows, or more
        value = head[places["value"]] if places["value"] < len(head) else "none in the header"
        header = len(cut) > 1 and not is_number_or_missing(value, options.decimal)
    body = cut[1:] if header and len(cut) > 1 else cut
    width = len(body[0])
    for column in columns.values():
        if not 1 <= int(column) <= width:
            raise LexbeamError(f"there is no column {column}: rows have {width} cells")
    uneven = next((row for row in body if len(row) != width and any(row[width:])), None)
    if uneven is not None and not options.delimiter:
        raise LexbeamError(f"rows have {width} and {len(uneven)} cells")
    return _Layout(delimiter, width, header, places)


def _place(column: str, head: list[str]) -> int:
    """Return where a column is, by its name in the header or its number."""
    if column.isdecimal():
        if not 1 <= int(column) <= len(head):
            raise LexbeamError(f"there is no column {column}: the header has {len(head)} cells")
        return int(column) - 1
    if head.count(column) == 1:
        return head.index(column)
    if column in head:
        raise LexbeamError(f"the header has {column!r} {head.count(column)} times: give a number")
    folded = {name.casefold(): name for name in reversed(head)}
    same = folded.get(column.casefold())
    hint = f"; did you mean {same!r}?" if same else nearest(column, head)
    shown = ", ".join(head[:12]) + (", ..." if len(head) > 12 else "") + no_line_end(" ".join(head))
    raise LexbeamError(f"the header has no column {column!r}{hint} (it has {shown})")


def _rows(path: str, start: _Start, layout: _Layout, options: WordListOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each row, including the header."""
    reader = _plain(options, layout.delimiter or ",")
    stream, encodings = recoded(Source(path, lambda: opened(path), path), reader)
    lines = line_feeds(stream)
    lines.read(start.size)
    if not layout.delimiter:
        with stream:
            for number, line in iter_lines(lines, LINE_BYTES):
                number += start.comments
                if line is None:
                    raise LexbeamError(f"{path}, line {number}: over {LINE_BYTES} bytes")
                if cells := _decoded(line, encodings, path, number).split():
                    yield number, cells
        return
    plain = ReaderOptions(
        encoding=encodings, delimiter=layout.delimiter, quoting=options.quoting, max_line_bytes=LINE_BYTES
    )
    with stream:
        for number, row in rows(Source(path, lambda: lines, path), plain):
            if isinstance(row, BadRecord):
                raise _refused(path, number + start.comments, row)
            yield number + start.comments, row


def _refused(path: str, number: int, error: BadRecord) -> LexbeamError:
    detail = error.detail.partition("; see")[0]
    remedy = {
        "malformed": "if quotes are characters like others, give `quoting=no`",
        "undecodable": "give its encoding, such as `encoding=latin-1`",
    }.get(error.reason, "is it a word list?")
    return LexbeamError(f"{path}, line {number}: {detail}: {remedy}")


def _fitted(row: list[str], layout: _Layout, path: str, number: int) -> list[str]:
    """Return a row without surplus empty cells."""
    while len(row) > layout.width and not row[-1].strip():
        row = row[:-1]
    if len(row) == layout.width:
        return row
    whose = "the header" if layout.header else "the first row"
    remedy = "give another `delimiter=`, or columns by number if the header is wrong"
    cause = f"{len(row)} cells, but {whose} has {layout.width}{no_line_end(' '.join(row))}"
    raise LexbeamError(f"{path}, line {number}: {cause}: {remedy}")
