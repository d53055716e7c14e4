"""Beam glue of corpora: documents that count once, and sentences by their keys.

    FindRepeated     PCollection[SentencePart] -> PCollection[(SHA-256, list[document_id])]
    FetchSentences   PCollection[SentenceKey] -> fetched: PCollection[(SentenceKey, FetchedSentence)],
                                                 missing: PCollection[SentenceKey]

What is grouped are keys and ids of documents; text is in nothing but the last output.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import apache_beam as beam

from lexbeam.transforms.corpora.annotated_corpora import Corpus, PartPair, SentencePart, common_layers, place_of
from lexbeam.transforms.corpora.document_reading import (
    FetchedSentence,
    SentenceKey,
    check_fetching,
    copies,
    document_ids,
    fetch,
    held,
)


def _documents(element: SentencePart) -> Iterator[tuple[str, str]]:
    for name in document_ids(element):
        yield name, element.sha256


def _copies(element: tuple[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    name, parts = element
    for part in copies(parts)[1]:
        yield part, name


def _sorted(element: tuple[str, Iterable[str]]) -> tuple[str, list[str]]:
    part, names = element
    return part, sorted(names)


@dataclass
class FindRepeated(beam.PTransform):
    """Find, by part, the documents that count in another part.

    Attributes:
        several: whether there are several corpora; with one, nothing is read or found.
    """

    several: bool

    def expand(self, parts: beam.PCollection[SentencePart]) -> beam.PCollection[tuple[str, list[str]]]:
        if not self.several:
            return parts.pipeline | "NoneRepeated" >> beam.Create([])
        return (
            parts
            | "ListDocuments" >> beam.FlatMap(_documents)
            | "GroupById" >> beam.GroupByKey()
            | "FindCopies" >> beam.FlatMap(_copies)
            | "GroupByPart" >> beam.GroupByKey()
            | "SortRepeated" >> beam.Map(_sorted)
        )


# A part by its corpus, in the order given, and its place there.
Place = tuple[int, int]
Pairs = tuple[tuple[PartPair, ...], ...]


class FetchedSentences(NamedTuple):
    """Sentences by their keys, and the keys that no corpus holds."""

    fetched: beam.PCollection[tuple[SentenceKey, FetchedSentence]]
    missing: beam.PCollection[SentenceKey]


def _key_by_part(element: SentenceKey, pairs: Pairs) -> tuple[Place, SentenceKey]:
    return (0, place_of(element.document_id, len(pairs[0]))), element


def _ask_corpora(element: str, pairs: Pairs) -> Iterator[tuple[Place, str]]:
    for corpus, parts in enumerate(pairs):
        yield (corpus, place_of(element, len(parts))), element


def _held(element: tuple[Place, Iterable[str]], pairs: Pairs) -> Iterator[tuple[str, tuple[str, Place]]]:
    """Answer with the documents that a part holds, and with the part."""
    (corpus, place), documents = element
    part = pairs[corpus][place].sentences
    for name in held(part, documents):
        yield name, (part.sha256, (corpus, place))


def _to_copy(element: tuple[str, dict[str, Iterable[Any]]], pairs: Pairs) -> Iterator[tuple[Place, SentenceKey]]:
    """Send the keys of a document to the part in which it counts."""
    name, joined = element
    places = dict(sorted(joined["held"]))  # of parts with equal content, any will do
    # A document that no part holds is missing, as any part will say.
    nowhere = (0, place_of(name, len(pairs[0])))
    place = places[copies(places)[0]] if places else nowhere
    for key in joined["keys"]:
        yield place, key


class _Fetch(beam.DoFn):
    def __init__(self, pairs: Pairs, columns: tuple[str, ...], around: int, text: bool) -> None:
        self._pairs = pairs
        self._columns = columns
        self._around = around
        self._text = text

    def process(self, element: tuple[Place, Iterable[SentenceKey]]) -> Iterator[Any]:
        (corpus, place), keys = element
        for key, passage in fetch(
            self._pairs[corpus][place], keys, columns=self._columns, around=self._around, text=self._text
        ):
            if passage is None:
                yield beam.pvalue.TaggedOutput(MISSING, key)
            else:
                yield key, passage


MISSING = "missing"


@dataclass(kw_only=True)
class FetchSentences(beam.PTransform):
    """Fetch sentences by their keys: one read of each part that holds any, however many keys.

    A key that comes several times is fetched once. Of a document that several corpora hold, the copy
    that counts is read (`lexbeam.transforms.corpora.document_reading`). The output may carry text: do not group it.

    Attributes:
        corpora: where to look, one or more.
        columns: columns of `sentences` to read, beside document_id and sentence, layers among them.
        around: sentences before and after, at most.
        text: whether to fetch the document's text of these sentences.
    """

    corpora: Sequence[Corpus]
    columns: Sequence[str]
    around: int = 0
    text: bool = False

    def expand(self, keys: beam.PCollection[SentenceKey]) -> Any:
        """Apply the transform; returns `FetchedSentences`.

        Raises:
            UsageError: see `check_fetching`.
        """
        check_fetching(self.columns, self.around, common_layers(self.corpora))
        pairs = tuple(corpus.pairs for corpus in self.corpora)
        outputs = (
            self._by_part(keys, pairs)
            | "GroupByPart" >> beam.GroupByKey()
            | "FetchPart"
            >> beam.ParDo(_Fetch(pairs, tuple(self.columns), self.around, self.text)).with_outputs(
                MISSING, main="fetched"
            )
        )
        return FetchedSentences(outputs.fetched, outputs[MISSING])

    def _by_part(self, keys: beam.PCollection, pairs: Pairs) -> beam.PCollection:
        if len(pairs) == 1:
            return keys | "KeyByPart" >> beam.Map(_key_by_part, pairs)
        holders = (
            keys
            | "TakeDocument" >> beam.Map(attrgetter("document_id"))
            | "EachDocumentOnce" >> beam.Distinct()
            | "AskEveryCorpus" >> beam.FlatMap(_ask_corpora, pairs)
            | "GroupByPartAsked" >> beam.GroupByKey()
            | "FindHeld" >> beam.FlatMap(_held, pairs)
        )
        by_document = keys | "KeyByDocument" >> beam.WithKeys(attrgetter("document_id"))
        return (
            {"keys": by_document, "held": holders}
            | "JoinByDocument" >> beam.CoGroupByKey()
            | "SettleCopies" >> beam.FlatMap(_to_copy, pairs)
        )
