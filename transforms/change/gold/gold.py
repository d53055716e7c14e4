"""Gold standards of change: which target words changed, and how far.

Two forms are read:

- files of SemEval-2020 Task 1, without a header, `word<TAB>value`: 0 or 1 in subtask 1, a number in
  subtask 2, which the values tell where the option does not;
- a table with a header, Parquet or text: a column of words, and columns of classes and of graded change, with the
  names below or others. The published statistics of DWUG and the truth of `lexbeam sample` are such tables.

Cells of a text are separated by tabs, without quoting, or by commas or semicolons.

An empty cell of a table has no gold value. Words go through the normalisation of the training view.
"""

import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.transforms.change.view.targets import target_word
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.small_texts import (
    WORD_COLUMNS,
    cells_of,
    delimiter_of,
    filled_lines,
    word_column,
)
from lexbeam.transforms.common.store import files

# Default names of the columns of a table; the first that it has is taken.
BINARY = ("binary", "change_binary")
GRADED = ("graded", "change_graded", "changed")

NAMED = 5
_MOST_BYTES = 1 << 28
_BATCH = 1 << 14  # rows

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class GoldOptions:
    """Where gold is, and in which form."""

    gold: str | None = option(
        None,
        help="table of gold with a header, Parquet, TSV or CSV; or a file such as `binary` and `graded` take",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    binary: str | None = option(
        None,
        help="gold classes as SemEval-2020 Task 1 has them: a word, a tab, 0 or 1",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    graded: str | None = option(
        None,
        help="graded gold as SemEval-2020 Task 1 has it: a word, a tab, a number",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    word_column: str | None = option(
        None, help=f"column of `gold`; the first of {', '.join(WORD_COLUMNS)} if not given"
    )
    binary_column: str | None = option(None, help=f"column of `gold`; the first of {', '.join(BINARY)} if not given")
    graded_column: str | None = option(None, help=f"column of `gold`; the first of {', '.join(GRADED)} if not given")
    changed_above: float | None = option(
        None, help="without gold classes: words with a graded change above this have changed"
    )


class Gold(NamedTuple):
    """Gold values by word of the training view: whether it changed, and how far."""

    binary: Mapping[str, bool]
    graded: Mapping[str, float]

    @property
    def words(self) -> list[str]:
        """All words that have a value, sorted."""
        return sorted({*self.binary, *self.graded})


def read_gold(options: GoldOptions, view: ViewOptions) -> Gold:
    """Read gold.

    Args:
        options: the files.
        view: how words of the corpus became words of the training view.

    Raises:
        UsageError: no file is given, or a column does not exist.
        LexbeamError: a file does not have its form, a value is not valid, or a word occurs twice.
    """
    if options.gold and (options.binary or options.graded):
        raise UsageError("gold comes from `gold`, or from `binary` and `graded`, not from both")
    if options.gold:
        binary, graded = _table(options.gold, options)
    elif options.binary or options.graded:
        binary, graded = _pairs(options.binary, "binary"), _pairs(options.graded, "graded")
    else:
        raise UsageError("gold must be given: a table as `gold`, or `binary` or `graded`")
    classes = _values(binary, _class, view)
    numbers = _values(graded, _number, view)
    if options.changed_above is not None:
        if math.isnan(options.changed_above):
            raise UsageError("`changed_above` must be a number")
        if classes:
            raise UsageError("`changed_above` makes classes, and gold has classes already")
        classes = {word: value > options.changed_above for word, value in numbers.items()}
    if not classes and not numbers:
        path = options.gold or options.binary or options.graded
        raise LexbeamError(f"{files.shown(str(path))}: no gold value")
    return Gold(classes, numbers)


class _Cell(NamedTuple):
    """A value as a file has it: where it stands, its word, and the value."""

    where: str
    word: str
    value: object


def _pairs(path: str | None, name: str) -> Iterator[_Cell]:
    if path is None:
        return
    for number, cells in _rows(path, name):
        where = f"{files.shown(path)}, line {number}"
        if len(cells) != 2:
            raise LexbeamError(
                f"{where}: a word, a tab and a value are expected, without a header; give a table with a header as "
                "`gold`"
            )
        if not cells[0]:
            raise LexbeamError(f"{where}: {cells[0]!r} is no word")
        yield _Cell(where, *cells)


def _rows(path: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the cells of each line of a file that is not blank."""
    lines = filled_lines(path, name, "words and values")
    delimiter = delimiter_of(lines[0][1])
    return [(number, cells_of(line, delimiter)) for number, line in lines]


def _table(path: str, options: GoldOptions) -> tuple[Iterator[_Cell], Iterator[_Cell]]:
    rows = table_of(path, "gold")
    if pairs := pairs_without_header(rows):
        words, values = zip(*pairs, strict=True)
        is_binary = all(_float(value) in (0, 1) for value in values)
        rows = pa.table({WORD_COLUMNS[0]: words, (BINARY if is_binary else GRADED)[0]: values})
    if doubled := sorted(n for n, times in Counter(rows.column_names).items() if times > 1):
        raise LexbeamError(f"{files.shown(path)} has several columns {', '.join(map(repr, doubled))}: rename them")
    place = word_column(rows.column_names)
    known = () if place is None else (rows.column_names[place],)
    word = _column(rows, path, "word_column", options.word_column, known)
    if word is None:
        raise UsageError(
            f"{files.shown(path)} has no column of words: it has "
            f"{', '.join(map(repr, rows.column_names))}; name one as `word_column`"
        )
    columns = [
        _column(rows, path, "binary_column", options.binary_column, BINARY),
        _column(rows, path, "graded_column", options.graded_column, GRADED),
    ]
    if columns == [None, None]:
        raise UsageError(
            f"{files.shown(path)} has no column of gold values: it has "
            f"{', '.join(map(repr, rows.column_names))}; name one as `binary_column` or "
            "`graded_column`"
        )
    binary, graded = (_cells(rows, path, word, name) for name in columns)
    return binary, graded


def pairs_without_header(rows: pa.Table) -> list[tuple[str, str]]:
    """Return the words and values of a table that has none but them: its first line is no header; else nothing."""
    if rows.num_columns != 2 or math.isnan(_float(rows.column_names[1])):
        return []
    return [tuple(rows.column_names), *zip(*(column.to_pylist() for column in rows.columns), strict=True)]


def table_of(path: str, name: str) -> pa.Table:
    """Return the table in a file: Parquet, or text separated by tabs without quoting, by commas or by semicolons.

    Args:
        path: the file.
        name: the option that names it.

    Raises:
        LexbeamError: the file is empty or damaged, or its rows differ in length.
    """
    with files.open_read(path) as stream:
        is_parquet = stream.read(4) == b"PAR1"
    return _parquet(path, files.read_bytes(path)) if is_parquet else _text_table(path, name)


def _parquet(path: str, content: bytes) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        size = sum(file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups))
        rest = file.iter_batches(_BATCH)
        while size <= _MOST_BYTES and (batch := next(rest, None)) is not None:
            batches.append(batch)
            size += batch.nbytes
        if size > _MOST_BYTES:
            raise LexbeamError(f"{files.shown(path)} expands to over {_MOST_BYTES >> 20} MiB: no table of words does")
        return pa.Table.from_batches(batches, file.schema_arrow)
    except (pa.ArrowException, OSError) as error:
        raise LexbeamError(f"{files.shown(path)} is no Parquet file: {str(error).strip()}") from error


def _text_table(path: str, name: str) -> pa.Table:
    (_, header), *below = _rows(path, name)
    rows = [cells for _, cells in below]
    for number, cells in below:
        if len(cells) != len(header):
            raise LexbeamError(
                f"{files.shown(path)}, line {number}: {len(cells)} cells under a header of {len(header)}"
            )
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=header)


def _column(rows: pa.Table, path: str, option_name: str, name: str | None, known: Iterable[str]) -> str | None:
    if name is not None and name not in rows.column_names:
        hint = nearest(name, rows.column_names) or f"; it has {', '.join(rows.column_names)}"
        raise UsageError(f"`{option_name}`: {files.shown(path)} has no column {name!r}{hint}")
    return name or next((column for column in known if column in rows.column_names), None)


def _cells(rows: pa.Table, path: str, word: str, name: str | None) -> Iterator[_Cell]:
    if name is None:
        return
    pairs = zip(rows[word].to_pylist(), rows[name].to_pylist(), strict=True)
    for number, (text, value) in enumerate(pairs, 1):
        where = f"{files.shown(path)}, row {number}"
        if not isinstance(text, str) or not text.strip():
            raise LexbeamError(f"{where}: {text!r} is no word")
        if value is not None and str(value).strip():
            yield _Cell(where, text.strip(), value)


def _values(cells: Iterable[_Cell], read: Callable[[_Cell], T], view: ViewOptions) -> dict[str, T]:
    values: dict[str, T] = {}
    doubled: dict[str, str] = {}
    for cell in cells:
        word = target_word(cell.word, view)
        if word in values:
            doubled.setdefault(word, cell.where)
        values[word] = read(cell)
    if doubled:
        named = ", ".join(sorted(doubled)[:NAMED]) + (", ..." if len(doubled) > NAMED else "")
        raise LexbeamError(
            f"{next(iter(doubled.values()))}: {len(doubled)} words stand there more than once ({named}), "
            "after normalisation; keep one row for each"
        )
    return values


def _float(value: object) -> float:
    """Return a value as a number, nan if it is not one."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def _class(cell: _Cell) -> bool:
    value = _float(cell.value)
    if value not in (0, 1):
        raise LexbeamError(f"{cell.where}: the class of {cell.word!r} is {cell.value!r}; give 0 or 1")
    return value == 1


def _number(cell: _Cell) -> float:
    value = _float(cell.value)
    if not math.isfinite(value):
        raise LexbeamError(f"{cell.where}: the change of {cell.word!r} is {cell.value!r}; give a number, such as 0.5")
    return value
