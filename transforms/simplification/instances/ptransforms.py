"""Beam glue of words found in corpora.

WithoutCopies    PCollection[(key, CorpusPart)] -> PCollection[(key, CorpusPart)]
FindInCorpora    PCollection[(SHA-256, CorpusPart)] -> PCollection[Loaded]
"""

from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.common.store.artefacts import Workspace
from transforms.corpora.corpus import SentencePart
from transforms.corpora.ptransforms import FindRepeated
from transforms.intake.ptransforms import LoadRecords
from transforms.intake.staging import Loaded
from transforms.simplification.instances.find_stage import FIND_IN_CORPUS, CorpusFindOptions, CorpusPart

__all__ = ["FindInCorpora", "WithoutCopies"]


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


@dataclass
class FindInCorpora(beam.PTransform):
    """Find words in every part of some corpora.

    Attributes:
        workspace: where artefacts lie.
        options: of the stage.
        lanes: how many keys the work is dealt out to.
        several: whether there are several corpora, of whose common documents one copy counts.
    """

    workspace: Workspace
    options: CorpusFindOptions
    lanes: int
    several: bool

    def expand(self, parts: beam.PCollection[tuple[str, CorpusPart]]) -> beam.PCollection[Loaded]:
        """Apply the transform."""
        return (
            parts
            | "WithoutCopies" >> WithoutCopies(self.several)
            | "Find" >> LoadRecords(self.workspace, FIND_IN_CORPUS, self.options, self.lanes)
        )
