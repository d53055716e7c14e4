"""What Python users have in hand, as rows: data frames, Arrow tables, series, lists, dicts.

Data frames are read by Arrow's own protocol (`__arrow_c_stream__`), which pandas, Polars, DuckDB and others have; none
of them is imported.
"""

import datetime
import decimal
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from lexbeam.transforms.common.errors import UsageError, quoted

_AT_ONCE = 1 << 12  # rows held as Python objects
_FORMS = "a data frame, an Arrow table, a list of dicts, or a dict"


class ArrowData(Protocol):
    """A data frame, table or column that Arrow can read."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a stream of Arrow's C interface."""


class GivenTable(NamedTuple):
    """Data as rows.

    Attributes:
        names: those of the columns; empty: they have none.
        rows: cells, as many in each row as there are names.
    """

    names: tuple[str, ...]
    rows: Iterable[Sequence[Any]]


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame or a table."""
    return hasattr(value, "columns") and not isinstance(value, Mapping)


def is_list(value: object) -> bool:
    """Return whether a value is a list or the like, of which an option may take the items."""
    return isinstance(value, list | tuple | set | frozenset | Iterator | range) or type(value).__module__ == "numpy"


def table_of(value: object, name: str, *, paired: bool = False) -> GivenTable:
    """Return data as rows.

    Args:
        value: the data.
        name: the option that it is given for, for messages.
        paired: whether the index of a series is data, too: words, beside their values.

    Raises:
        UsageError: it is no data, or its values do not go together.
    """
    if type(value).__module__.partition(".")[0] == "pandas":
        return _of_pandas(value, name, paired)
    if isinstance(value, Mapping):
        return _of_mapping(value, name)
    if hasattr(value, "__arrow_c_stream__") or isinstance(value, pa.Array):
        is_table = hasattr(value, "columns")
        return _of_arrow(pa.table(value) if is_table else pa.table({"": pa.chunked_array(value)}), name)
    if hasattr(value, "collect"):
        raise UsageError(f"`{name}`: {type(value).__name__} is not computed yet: give what its `collect()` returns")
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        tolist = getattr(value, "tolist", None)  # of NumPy
        items = list(tolist() if tolist is not None else value)
        return _of_list(sorted(items, key=str) if isinstance(value, set | frozenset) else items, name)
    raise UsageError(f"`{name}` takes a path, {_FORMS}, not {type(value).__name__}")


def _of_pandas(value: Any, name: str, paired: bool) -> GivenTable:
    if not hasattr(value, "columns"):
        index = getattr(value, "index", None)
        if paired and index is not None and type(index).__name__ != "RangeIndex":
            return GivenTable((), list(zip(index.tolist(), value.tolist(), strict=True)))
        return GivenTable((), [(item,) for item in value.tolist()])
    # An index with a name is a column that was put there.
    frame = value.reset_index() if any(level is not None for level in value.index.names) else value
    try:
        return _of_arrow(pa.Table.from_pandas(frame, preserve_index=False), name)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(
            f"`{name}`: the data frame cannot be read: {'; '.join(map(str, error.args))}; give each column values of "
            "one type, as by `frame[column].astype(str)`, and a name of its own"
        ) from error


def _of_arrow(table: pa.Table, name: str) -> GivenTable:
    names = table.column_names
    if doubled := sorted({column for column in names if names.count(column) > 1}):
        raise UsageError(f"`{name}` has several columns {doubled[0]!r}: rename all but one")
    batches = table.to_batches(max_chunksize=_AT_ONCE)
    rows = (row for batch in batches for row in zip(*map(pa.Array.to_pylist, batch.columns), strict=True))
    return GivenTable(() if names == [""] else tuple(names), rows)


def _of_mapping(value: Mapping[Any, Any], name: str) -> GivenTable:
    columns = [key for key, cells in value.items() if _is_column(cells)]
    if not columns:
        return GivenTable((), list(value.items()))
    if len(columns) < len(value):
        other = next(key for key in value if key not in columns)
        raise UsageError(
            f"`{name}`: {quoted(columns[0])} is a column and {quoted(other)} a single value: give a dict of columns, "
            "or one of words and their values"
        )
    cells = [list(column) for column in value.values()]
    if len({len(column) for column in cells}) > 1:
        lengths = ", ".join(f"{key} {len(column)}" for key, column in zip(value, cells, strict=True))
        raise UsageError(f"`{name}`: its columns differ in length ({lengths})")
    return GivenTable(tuple(map(str, value)), list(zip(*cells, strict=True)))


def _is_column(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _of_list(items: list[Any], name: str) -> GivenTable:
    kinds = [(dict, Mapping), (str, str), (list, list | tuple)]
    for kind, types in kinds:
        if not all(isinstance(item, types) for item in items):
            continue
        if kind is dict:
            names = tuple(dict.fromkeys(key for item in items for key in item))
            return GivenTable(tuple(map(str, names)), [[item.get(key) for key in names] for item in items])
        return GivenTable((), [(item,) for item in items] if kind is str else items)
    seen = list(dict.fromkeys(type(item).__name__ for item in items))
    if len(seen) == 1:
        raise UsageError(f"`{name}` is a list of {seen[0]}: give {_FORMS}, or a list of texts")
    raise UsageError(f"`{name}` is a list that mixes {' and '.join(seen)}: give items of one kind")


def plain_value(value: Any, where: str) -> Any:
    """Return a value as JSON has it: dates as ISO texts, missing ones as None.

    Args:
        value: the value.
        where: where it stands, for messages.

    Raises:
        UsageError: JSON has no such value.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, float):
        if math.isinf(value):
            raise UsageError(f"{where} is {value}: give a number, or leave it empty")
        return None if math.isnan(value) else value
    if isinstance(value, datetime.datetime) and value.time() == datetime.time() and value.tzinfo is None:
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, where) for key, item in value.items()}
    if hasattr(value, "tolist"):  # of NumPy
        return plain_value(value.tolist(), where)
    if isinstance(value, list | tuple):
        return [plain_value(item, where) for item in value]
    raise UsageError(f"{where} is {type(value).__name__}: give a text or a number")
