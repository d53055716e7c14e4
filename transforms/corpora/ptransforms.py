"""Beam glue of corpora: documents that count once.

FindRepeated     PCollection[SentencePart] -> PCollection[(SHA-256, list[document_id])]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from transforms.corpora.corpus import SentencePart
from transforms.corpora.repeated import copies, document_ids

__all__ = ["FindRepeated"]


class _Documents(beam.DoFn):
    def process(self, element: SentencePart) -> Iterator[tuple[str, str]]:
        for name in document_ids(element):
            yield name, element.sha256


class _Copies(beam.DoFn):
    def process(self, element: tuple[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
        name, parts = element
        for part in copies(parts)[1]:
            yield part, name


class _Sorted(beam.DoFn):
    def process(self, element: tuple[str, Iterable[str]]) -> Iterator[tuple[str, list[str]]]:
        part, names = element
        yield part, sorted(names)


@dataclass
class FindRepeated(beam.PTransform):
    """Find, by part, the documents that are to count in another part.

    Attributes:
        several: whether there are several corpora; of one, nothing is read and nothing is found.
    """

    several: bool

    def expand(
        self, parts: beam.PCollection[SentencePart]
    ) -> beam.PCollection[tuple[str, list[str]]]:
        """Apply the transform."""
        if not self.several:
            return parts.pipeline | "NoneRepeated" >> beam.Create([])
        return (
            parts
            | "ListDocuments" >> beam.ParDo(_Documents())
            | "GroupById" >> beam.GroupByKey()
            | "FindCopies" >> beam.ParDo(_Copies())
            | "GroupByPart" >> beam.GroupByKey()
            | "SortRepeated" >> beam.ParDo(_Sorted())
        )
