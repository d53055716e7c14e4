"""Parts of a corpus read document by document: whole parts, or only the rows that are wanted.

A part is read row group by row group. A group that, by its statistics, holds no wanted row is not
read; of the others the keys are read first, and the columns only if a row is wanted. This takes the
memory of a row group, or of one document if that is larger.
"""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.corpus.documents import DocumentRow
from lexbeam.schemas.corpus.sentences import SENTENCES
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import DigestedFile, checked
from lexbeam.transforms.corpora.corpus import PartPair

# By document, the wanted sentences; None for all rows of the document.
Wanted = Mapping[str, Collection[int] | None]

T = TypeVar("T")
P = TypeVar("P")
DOCUMENT_ID = "document_id"
SENTENCE = "sentence"


class AnnotatedDocument(NamedTuple):
    """A document with its sentences.

    Attributes:
        document: its row of `documents`; columns that were not requested are None.
        sentences: its rows of `sentences` in order, with the requested columns.
    """

    document: DocumentRow
    sentences: pa.Table


def read_annotated(
    parts: PartPair, *, columns: Sequence[str], document_columns: Sequence[str] = ("text",)
) -> Iterator[AnnotatedDocument]:
    """Yield every document of a part with its sentences, in the order of their ids.

    A document's text is None if the input came annotated; a document without sentences has an empty
    table.

    Args:
        parts: the parts of both tables.
        columns: columns of `sentences`, layers among them.
        document_columns: columns of `documents`, beside document_id.

    Raises:
        UsageError: a column is missing, such as a layer that the corpus was made without.
        LexbeamError: a part is damaged or not sorted, or sentences belong to no document.
    """
    empty = _empty(parts.sentences, columns)
    rows = read_documents(parts.documents, document_columns)
    documents = ((row.document_id, row) for row in rows)
    sentences = by_document(read_wanted(parts.sentences, [DOCUMENT_ID, *columns]))
    for _, document, held in aligned(documents, sentences, parts.sentences.path):
        table = empty if held is None else held
        yield AnnotatedDocument(document, table.select(list(columns)))


def _empty(part: DigestedFile, columns: Sequence[str]) -> pa.Table:
    schema = SENTENCES.schema()
    if not set(columns) <= set(schema.names):
        schema = _schema(part)
        _check(part, schema.names, columns)
    return schema.empty_table()


def _schema(part: DigestedFile) -> pa.Schema:
    with files.open_read(checked(part)) as stream:
        return pq.read_schema(stream)


def column_names(part: DigestedFile) -> list[str]:
    """Return the names of the columns of a part, layers among them."""
    return list(_schema(part).names)


def _check(part: DigestedFile, names: Sequence[str], columns: Sequence[str]) -> None:
    # Arrow silently skips missing columns.
    lacking = [name for name in columns if name not in names]
    if lacking:
        raise UsageError(
            f"{part.path} has no column {' and no '.join(map(repr, lacking))}: a layer is there if "
            f"the corpus was made with it; make it anew with `layers` {','.join(lacking)}"
        )


def read_documents(part: DigestedFile, columns: Sequence[str], wanted: Wanted | None = None) -> Iterator[DocumentRow]:
    """Yield rows of a part of `documents`, in order: those wanted, or all.

    Columns that were not requested are None, except document_id.
    """
    names = list(dict.fromkeys([DOCUMENT_ID, *columns]))
    for table in read_wanted(part, names, wanted):
        for index in range(table.num_rows):  # one by one: a text may be long
            values = {name: table[name][index].as_py() for name in names}
            yield DocumentRow(**{**_NO_DOCUMENT, **values})


_NO_DOCUMENT: dict[str, None] = dict.fromkeys(DocumentRow._fields)


def read_wanted(part: DigestedFile, columns: Sequence[str], wanted: Wanted | None = None) -> Iterator[pa.Table]:
    """Yield the rows that are wanted, or all, in order: a table for each row group that has any.

    Args:
        part: a part of a table with column `document_id`, and `sentence` if some are wanted.
        columns: columns to read.
        wanted: the rows; None for all.

    Raises:
        UsageError: a column is missing.
        LexbeamError: the part is damaged.
    """
    columns = list(dict.fromkeys(columns))
    picking = None if wanted is None else _Picking(wanted)
    with files.open_read(checked(part)) as stream, pq.ParquetFile(stream) as reader:
        _check(part, reader.schema_arrow.names, columns)
        for group in range(reader.num_row_groups):
            if picking is None:
                yield reader.read_row_group(group, columns=columns)
            elif picking.may_be_in(reader.metadata.row_group(group)):
                rows = picking.rows(reader.read_row_group(group, columns=picking.keys))
                if len(rows):
                    yield reader.read_row_group(group, columns=columns).take(rows)


class _Picking:
    """Which rows of a row group are wanted."""

    def __init__(self, wanted: Wanted) -> None:
        self._names = sorted(wanted)
        self._documents = pa.array(self._names, pa.string())
        self._sentences = [wanted[name] for name in self._names]
        self._whole = np.array([ordinals is None for ordinals in self._sentences], bool)
        codes = [
            np.array([n for n in ordinals if 0 <= n <= _LARGEST], np.int64) + (number << _BITS)
            for number, ordinals in enumerate(self._sentences)
            if ordinals is not None
        ]
        self._codes = np.concatenate([np.empty(0, np.int64), *codes])
        self.keys = [DOCUMENT_ID] if self._whole.all() else [DOCUMENT_ID, SENTENCE]

    def may_be_in(self, group: pq.RowGroupMetaData) -> bool:
        """Return whether the statistics of a row group leave room for a wanted row."""
        spans = {
            column.path_in_schema: column.statistics
            for column in map(group.column, range(group.num_columns))
            if column.path_in_schema in self.keys and column.statistics is not None and column.statistics.has_min_max
        }
        inside = range(len(self._names))
        if (span := spans.get(DOCUMENT_ID)) is not None:
            inside = range(bisect_left(self._names, span.min), bisect_right(self._names, span.max))
        if (span := spans.get(SENTENCE)) is not None:
            low, high = span.min, span.max
            return any(self._has_between(number, low, high) for number in inside)
        return bool(inside)

    def _has_between(self, number: int, low: int, high: int) -> bool:
        sentences = self._sentences[number]
        return sentences is None or any(low <= sentence <= high for sentence in sentences)

    def rows(self, keys: pa.Table) -> npt.NDArray[np.intp]:
        """Return the indices of the wanted rows of a row group with these keys."""
        places = pc.index_in(keys[DOCUMENT_ID], value_set=self._documents)
        numbers = pc.fill_null(places, -1).to_numpy().astype(np.int64)
        inside = numbers >= 0
        if SENTENCE in self.keys:
            codes = (numbers << _BITS) + keys[SENTENCE].to_numpy()
            inside &= self._whole[numbers] | np.isin(codes, self._codes)
        return np.flatnonzero(inside)


# An ordinal of a sentence is a number of 32 bits, with its sign.
_BITS = 32
_LARGEST = (1 << 31) - 1


def by_document(tables: Iterable[pa.Table]) -> Iterator[tuple[str, pa.Table]]:
    """Yield documents with their rows, from tables in which those of a document are adjacent."""
    name, held = "", list[pa.Table]()
    for table in tables:
        for document, piece in _runs(table):
            if held and document != name:
                yield name, pa.concat_tables(held)
                held = []
            name = document
            held.append(piece)
    if held:
        yield name, pa.concat_tables(held)


def _runs(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if not table.num_rows:
        return
    encoded = table[DOCUMENT_ID].combine_chunks().dictionary_encode()
    codes, names = encoded.indices.to_numpy(), encoded.dictionary
    bounds = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    for start, end in itertools.pairwise(bounds):
        yield names[codes[start]].as_py(), table.slice(start, end - start)


def aligned(
    rows: Iterable[tuple[str, T]], pieces: Iterator[tuple[str, P]], path: str
) -> Iterator[tuple[str, T, P | None]]:
    """Join pieces, read from `path`, to rows by document, both sorted; None for a row without one.

    Raises:
        LexbeamError: a piece belongs to a document that is not among the rows.
    """
    head = next(pieces, None)
    for name, row in rows:
        if head is not None and head[0] == name:
            yield name, row, head[1]
            head = next(pieces, None)
        else:
            yield name, row, None
    if head is not None:
        raise LexbeamError(
            f"{path}: document {head[0]!r} is out of order, or in only one of the tables documents "
            "and sentences: make the corpus again with `overwrite`"
        )
