"""Sentences by their keys, with neighbours and text, in one bounded read of a part.

    for key, passage in fetch(pair, keys, columns=["forms"], around=1, text=True): ...

Keys are small and may be shuffled; what is fetched must not be.

A document that several corpora hold counts in one part of `sentences`, that with the least SHA-256 (`copies`), so
neither the order in which corpora are named nor their location decides anything.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus.documents import DocumentRow
from lexbeam.schemas.corpus.sentences import SentenceRow
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.receipts import DigestedFile, checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.corpora.corpus import Corpus, PartPair, place_of
from lexbeam.transforms.corpora.reading import (
    DOCUMENT_ID,
    SENTENCE,
    aligned,
    by_document,
    column_names,
    read_documents,
    read_wanted,
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
        after: sentences after it.
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
        keys: the sentences.
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
