"""Beam glue of words found in corpora.

WithoutCopies    PCollection[(key, CorpusPart)] -> PCollection[(key, CorpusPart)]
"""

from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.corpora.ptransforms import FindRepeated
from lexbeam.transforms.simplification.instances.found_instances import CorpusPart


def _sentences(element: tuple[Any, CorpusPart]) -> SentencePart:
    part = element[1].pair.sentences
    return SentencePart(part.rows, part.path, part.bytes, part.sha256)


def _without_copies(element: tuple[Any, CorpusPart], copies: dict[str, list[str]]) -> tuple[Any, CorpusPart]:
    name, part = element
    return name, part._replace(left_out=tuple(copies.get(part.pair.sentences.sha256, ())))


@dataclass
class WithoutCopies(beam.PTransform):
    """Tell each part of some corpora which of its documents count in another part.

    Attributes:
        several: whether there are several corpora, of whose common documents one copy counts.
    """

    several: bool

    def expand(self, parts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        copies = parts | "Sentences" >> beam.Map(_sentences) | "FindRepeated" >> FindRepeated(self.several)
        return parts | "Leave" >> beam.Map(_without_copies, copies=beam.pvalue.AsDict(copies))
