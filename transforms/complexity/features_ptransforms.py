"""Beam glue of features: parts of instances in, parts of the tables out.

CountInCorpus     PCollection[Part] -> PCollection[Counted], the one of a reference corpus
ComputeFeatures   PCollection[Part] -> PCollection[Part] of complexity/features and /coverage
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from schemas.complexity import COVERAGE, FEATURES
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import MakeArtefact, NameParts
from transforms.common.receipts import File
from transforms.common.tables import Part
from transforms.complexity.corpus_counting import (
    COMBINE,
    COUNT,
    WANT,
    Counted,
    CountTask,
    Wanted,
)
from transforms.complexity.features_base import Setting
from transforms.complexity.featuring import COVER, FEATURE, Featured, FeatureTask
from transforms.corpora.corpus import SentencePart

__all__ = ["ComputeFeatures", "CountInCorpus"]


class _Number(beam.DoFn):
    def process(self, part: Part) -> Iterator[tuple[int, Part]]:
        yield part.number, part


class _WantedFile(beam.DoFn):
    def process(self, element: tuple[int, Wanted]) -> Iterator[tuple[int, File]]:
        yield 0, element[1].file


class _Files(beam.DoFn):
    def process(
        self, element: tuple[int, Iterable[File]]
    ) -> Iterator[tuple[int, tuple[File, ...]]]:
        number, found = element
        yield number, tuple(sorted(found, key=_digest))


def _digest(file: File) -> str:
    return file.sha256


class _CountTasks(beam.DoFn):
    def process(
        self, part: SentencePart, wanted: tuple[int, tuple[File, ...]]
    ) -> Iterator[tuple[int, CountTask]]:
        yield 0, CountTask(part, wanted[1])


class _AllCounted(beam.DoFn):
    def process(
        self, element: tuple[int, Iterable[Counted]]
    ) -> Iterator[tuple[int, tuple[Counted, ...]]]:
        number, found = element
        yield number, tuple(sorted(found, key=_digest_of_counted))


def _digest_of_counted(counted: Counted) -> str:
    return counted.file.sha256


class _Tasks(beam.DoFn):
    def process(
        self, part: Part, counts: tuple[int, Counted] | None = None
    ) -> Iterator[tuple[int, FeatureTask]]:
        yield part.number, FeatureTask(part, None if counts is None else counts[1])


class _Name(beam.DoFn):
    def process(self, element: tuple[int, Featured]) -> Iterator[Part]:
        number, made = element
        yield Part.of(FEATURES.name, number, made.part)


class _Coverage(beam.DoFn):
    def process(self, element: tuple[int, Featured]) -> Iterator[tuple[int, File]]:
        yield 0, element[1].coverage


@dataclass
class CountInCorpus(beam.PTransform):
    """Count what the instances ask for in the parts of a reference corpus.

    Attributes:
        workspace: where artefacts lie.
        corpus: parts of `sentences`.
    """

    workspace: Workspace
    corpus: tuple[SentencePart, ...]

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[tuple[int, Counted]]:
        """Apply the transform."""
        wanted = (
            parts
            | "Number" >> beam.ParDo(_Number())
            | "Want" >> beam.ParDo(MakeArtefact(self.workspace, WANT, None))
            | "WantedFile" >> beam.ParDo(_WantedFile())
            | "GroupWanted" >> beam.GroupByKey()
            | "AllWanted" >> beam.ParDo(_Files())
        )
        return (
            parts.pipeline
            | "CorpusParts" >> beam.Create(self.corpus)
            | "CountTasks" >> beam.ParDo(_CountTasks(), wanted=beam.pvalue.AsSingleton(wanted))
            | "Count" >> beam.ParDo(MakeArtefact(self.workspace, COUNT, None))
            | "GroupCounted" >> beam.GroupByKey()
            | "AllCounted" >> beam.ParDo(_AllCounted())
            | "Combine" >> beam.ParDo(MakeArtefact(self.workspace, COMBINE, None))
        )


@dataclass
class ComputeFeatures(beam.PTransform):
    """Compute the features of each part, and their coverage over all.

    Attributes:
        workspace: where artefacts lie.
        setting: groups and resources, as workers open them.
        corpus: parts of `sentences` of a reference corpus, where its counts are features.
    """

    workspace: Workspace
    setting: Setting
    corpus: tuple[SentencePart, ...] = ()

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[Part]:
        """Apply the transform."""
        counts = {}
        if self.corpus:
            found = parts | "CountInCorpus" >> CountInCorpus(self.workspace, self.corpus)
            counts["counts"] = beam.pvalue.AsSingleton(found)
        featured = (
            parts
            | "Tasks" >> beam.ParDo(_Tasks(), **counts)
            | "Feature" >> beam.ParDo(MakeArtefact(self.workspace, FEATURE, self.setting))
        )
        covered = (
            featured
            | "Coverage" >> beam.ParDo(_Coverage())
            | "GroupCoverage" >> beam.GroupByKey()
            | "AllCovered" >> beam.ParDo(_Files())
            | "Cover" >> beam.ParDo(MakeArtefact(self.workspace, COVER, None))
            | "NameCoverage" >> beam.ParDo(NameParts(COVERAGE.name))
        )
        named = featured | "Name" >> beam.ParDo(_Name())
        return (named, covered) | "Tables" >> beam.Flatten()
