"""Parts of a corpus read document by document, and sentences by their keys, with neighbours and text.

    for document, sentences in read_annotated(pair, columns=["lemmas"]): ...
    for key, passage in fetch(pair, keys, columns=["forms"], around=1, text=True): ...

A part is read row group by row group: all of it, or only the rows that are wanted. A group that, by its statistics,
holds no wanted row is not read; of the others the keys are read first, and the columns only if a row is wanted. This
takes the memory of a row group, or of one document if that is larger. Keys are small and may be shuffled; what is
fetched must not be.

A document that several corpora hold counts in one part of `sentences`, that with the least SHA-256 (`copies`), so
neither the order in which corpora are named nor their location decides anything.
"""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.corpus_tables import SENTENCES, DocumentRow, SentenceRow
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import DigestedFile, checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.corpora.annotated_corpora import Corpus, PartPair, place_of

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


class SentenceKey(NamedTuple):
    """A sentence by its document and its ordinal there."""

    document_id: str
    sentence: int


class FetchedSentence(NamedTuple):
    """A sentence that was fetched.

    Attributes:
        sentence: its row; columns that were not requested are None.
        before: sentences before it in the document, up to the requested number.
        text: the document's text from the first form to the last of all these sentences, if it was
            requested and the document has one.
        start: where `text` starts in the document's text, in code points.
        layers: the requested layers of `sentence`, by name; None without any.
    """

    sentence: SentenceRow
    before: tuple[SentenceRow, ...] = ()
    after: tuple[SentenceRow, ...] = ()
    text: str | None = None
    start: int | None = None
    layers: Mapping[str, Any] | None = None


def check_fetching(columns: Sequence[str], around: int, layers: Collection[str] = ()) -> None:
    """Check a request.

    Args:
        columns: columns of `sentences`.
        around: sentences before and after.
        layers: the layers that the corpus has.

    Raises:
        UsageError: `sentences` lacks a column, or `around` is below 0.
    """
    known = [*SentenceRow._fields, *layers]
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise UsageError(
            f"table sentences has no column {unknown[0]!r}: it has {', '.join(known)}. If it is a "
            f"layer, make the corpus anew with `layers` {unknown[0]}"
        )
    if around < 0:
        raise UsageError(f"around must be 0 or more sentences, not {around}")


def fetch(
    parts: PartPair, keys: Iterable[SentenceKey], *, columns: Sequence[str], around: int = 0, text: bool = False
) -> Iterator[tuple[SentenceKey, FetchedSentence | None]]:
    """Yield each key once, sorted, with its sentence in a part; None if it is not there.

    Args:
        parts: the parts of both tables; the one of documents is read only for text.
        columns: columns of `sentences` to read, beside document_id and sentence; layers among
            them are read for the sentences themselves, not for their neighbours.
        around: sentences before and after, at most.
        text: whether to fetch the text; columns `starts` and `ends` come along.

    Raises:
        UsageError: see `check_fetching`.
        LexbeamError: a part is damaged, or not sorted.
    """
    layers = [name for name in columns if name not in SentenceRow._fields]
    check_fetching(columns, around, layers and column_names(parts.sentences))
    sentences: dict[str, list[int]] = {}
    for key in sorted(set(keys)):
        sentences.setdefault(key.document_id, []).append(key.sentence)
    names = list(dict.fromkeys([DOCUMENT_ID, SENTENCE, *columns, *(_SPANS if text else ())]))
    near = {name: _near(ordinals, around) for name, ordinals in sentences.items()}
    rows = by_document(read_wanted(parts.sentences, names, near))
    texts = _texts(parts.documents, sentences) if text else iter(())
    joined = aligned(sentences.items(), rows, parts.sentences.path)
    pieces = ((name, table) for name, _, table in joined)
    for name, table, whole in aligned(pieces, texts, parts.documents.path):
        by_ordinal = {} if table is None else {row.sentence: row for row in _rows(table, layers)}
        held_layers = _layers(table, layers)
        for sentence in sentences[name]:
            key = SentenceKey(name, sentence)
            if sentence not in by_ordinal:
                yield key, None
                continue
            passage = _passage(sentence, by_ordinal, around, whole)
            yield key, passage._replace(layers=held_layers.get(sentence))


_SPANS = ("starts", "ends")


def _near(sentences: Sequence[int], around: int) -> set[int]:
    return {other for sentence in sentences for other in range(sentence - around, sentence + around + 1)}


def _layers(table: pa.Table | None, layers: Sequence[str]) -> dict[int, dict[str, Any]]:
    if table is None or not layers:
        return {}
    numbers = table[SENTENCE].to_pylist()
    return dict(zip(numbers, table.select(list(layers)).to_pylist(), strict=True))


def _rows(table: pa.Table, layers: Sequence[str]) -> Iterator[SentenceRow]:
    for values in table.drop_columns(list(layers)).to_pylist():
        yield SentenceRow(**{**_NO_SENTENCE, **values})


_NO_SENTENCE: dict[str, None] = dict.fromkeys(SentenceRow._fields)


def _texts(part: DigestedFile, documents: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    wanted = dict.fromkeys(documents)
    for row in read_documents(part, ["text"], wanted):
        yield row.document_id, row.text


def _passage(sentence: int, by_ordinal: Mapping[int, SentenceRow], around: int, whole: str | None) -> FetchedSentence:
    before = [by_ordinal[n] for n in range(sentence - around, sentence) if n in by_ordinal]
    after = [by_ordinal[n] for n in range(sentence + 1, sentence + around + 1) if n in by_ordinal]
    passage = FetchedSentence(by_ordinal[sentence], tuple(before), tuple(after))
    rows = [*before, by_ordinal[sentence], *after]
    starts = [start for row in rows for start in row.starts or ()]
    ends = [end for row in rows for end in row.ends or ()]
    if whole is None or not starts or not ends:
        return passage
    return passage._replace(text=whole[min(starts) : max(ends)], start=min(starts))


def held(part: DigestedFile, documents: Iterable[str]) -> list[str]:
    """Return which of these documents have a sentence in a part, each once, sorted.

    Raises:
        LexbeamError: the part is damaged.
    """
    rows = read_wanted(part, [DOCUMENT_ID], dict.fromkeys(documents))
    return [name for name, _ in by_document(rows)]


def fetch_documents(corpus: Corpus, documents: Iterable[str], *, columns: Sequence[str]) -> Iterator[DocumentRow]:
    """Yield the rows of the documents that a corpus holds; only parts that may hold them are read.

    Columns that were not requested are None, except document_id.

    Raises:
        LexbeamError: a part is damaged.
    """
    parts = corpus.pairs
    wanted: dict[int, list[str]] = {}
    for name in documents:
        wanted.setdefault(place_of(name, len(parts)), []).append(name)
    for place in sorted(wanted):
        yield from read_documents(parts[place].documents, columns, dict.fromkeys(wanted[place]))


def copies(parts: Iterable[str]) -> tuple[str, list[str]]:
    """Return the part where a document counts, and those where it is a copy, sorted.

    `parts` are the SHA-256 of all parts that hold the document.

    >>> copies(["c", "a", "b"])
    ('a', ['b', 'c'])
    """
    first, *rest = sorted(parts)
    return first, rest


def document_ids(part: DigestedFile) -> list[str]:
    """Return the ids of the documents of a part, each once, sorted."""
    ids: set[str] = set()
    for table in read_rows([checked(part)], ["document_id"]):
        ids.update(pc.unique(table["document_id"]).to_pylist())
    return sorted(ids)


# Replaced one for one, so that offsets stay valid: a sentence is one line.
_SPACE = re.compile(r"\s")


class SentenceText(NamedTuple):
    """A sentence as a line, and the places of its tokens there, in code points."""

    text: str
    starts: list[int]
    ends: list[int]


def sentence_text(
    forms: Sequence[str], starts: Sequence[int] | None, ends: Sequence[int] | None, text: str | None, begin: int = 0
) -> SentenceText:
    """Return a sentence as its document has it, from the first form to the last, every white space made a space.

    Without a text, or places in it, the sentence is its forms with spaces between them.

    >>> sentence_text(["The", "sea", "."], [4, 8, 11], [7, 11, 12], "It. The\\nsea.")
    SentenceText(text='The sea.', starts=[0, 4, 7], ends=[3, 7, 8])
    >>> sentence_text(["The", "sea"], None, None, None)
    SentenceText(text='The sea', starts=[0, 4], ends=[3, 7])

    Args:
        forms: of the tokens.
        starts, ends: of the tokens, in the document's text.
        text: of the document.
        begin: where `text` begins in the document, if it is a part of it.
    """
    if text is None or not starts or not ends:
        firsts = [0, *itertools.accumulate(len(form) + 1 for form in forms)]
        return SentenceText(
            " ".join(forms), firsts[:-1], [first + len(form) for first, form in zip(firsts, forms, strict=False)]
        )
    first, last = min(starts), max(ends)
    line = _SPACE.sub(" ", text[first - begin : last - begin])
    return SentenceText(line, [start - first for start in starts], [end - first for end in ends])
