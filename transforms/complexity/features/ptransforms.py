"""Beam glue of features: parts of instances in, parts of the tables out.

CountInCorpus     PCollection[Part] -> PCollection[Counted], the one of a reference corpus
CountNgrams       PCollection[Part] -> PCollection[CountedNgrams], the one of all sentences
ComputeFeatures   PCollection[Part] -> PCollection[Part] of complexity/features and /coverage
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from schemas.complexity.instances import COVERAGE, FEATURES
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts
from transforms.common.store.receipts import File
from transforms.common.store.tables import Part
from transforms.complexity.features.base import Setting
from transforms.complexity.features.corpus_count_stages import COMBINE, COUNT, WANT, Counted, CountTask, Wanted
from transforms.complexity.features.ngram_stages import (
    COMBINE_NGRAMS,
    COUNT_NGRAMS,
    WANT_NGRAMS,
    CountedNgrams,
    NgramTask,
    WantedNgrams,
)
from transforms.complexity.features.stages import COVER, FEATURE, Featured, FeatureTask
from transforms.corpora.corpus import SentencePart

__all__ = ["ComputeFeatures", "CountInCorpus", "CountNgrams"]


class _Number(beam.DoFn):
    def process(self, part: Part) -> Iterator[tuple[int, Part]]:
        yield part.number, part


class _WantedFile(beam.DoFn):
    def process(self, element: tuple[int, Wanted]) -> Iterator[tuple[int, File]]:
        yield 0, element[1].file


class _Files(beam.DoFn):
    def process(self, element: tuple[int, Iterable[File]]) -> Iterator[tuple[int, tuple[File, ...]]]:
        number, found = element
        yield number, tuple(sorted(found, key=_digest))


def _digest(file: File) -> str:
    return file.sha256


class _CountTasks(beam.DoFn):
    def process(self, part: SentencePart, wanted: tuple[int, tuple[File, ...]]) -> Iterator[tuple[int, CountTask]]:
        yield 0, CountTask(part, wanted[1])


class _AllCounted(beam.DoFn):
    def process(self, element: tuple[int, Iterable[Counted]]) -> Iterator[tuple[int, tuple[Counted, ...]]]:
        number, found = element
        yield number, tuple(sorted(found, key=_digest_of_counted))


def _digest_of_counted(counted: Counted) -> str:
    return counted.file.sha256


_ByPart = tuple[tuple[int, WantedNgrams], ...]


class _OfPart(beam.DoFn):
    def process(self, element: tuple[int, WantedNgrams]) -> Iterator[tuple[int, tuple[int, WantedNgrams]]]:
        yield 0, element


class _AllOfParts(beam.DoFn):
    def process(self, element: tuple[int, Iterable[tuple[int, WantedNgrams]]]) -> Iterator[tuple[int, _ByPart]]:
        number, found = element
        yield number, tuple(sorted(found, key=_first))


def _first(pair: tuple[int, WantedNgrams]) -> int:
    return pair[0]


class _CorpusNgrams(beam.DoFn):
    def process(self, part: SentencePart, wanted: tuple[int, _ByPart]) -> Iterator[tuple[int, NgramTask]]:
        yield 0, NgramTask(part, tuple(one.keys for _, one in wanted[1]), None)


class _OwnNgrams(beam.DoFn):
    def process(self, part: Part, wanted: tuple[int, _ByPart]) -> Iterator[tuple[int, NgramTask]]:
        before = tuple(one.sentences for number, one in wanted[1] if number < part.number)
        yield 0, NgramTask(part, tuple(one.keys for _, one in wanted[1]), before)


class _AllNgrams(beam.DoFn):
    def process(self, element: tuple[int, Iterable[CountedNgrams]]) -> Iterator[tuple[int, tuple[CountedNgrams, ...]]]:
        number, found = element
        yield number, tuple(sorted(found, key=_digest_of_ngrams))


def _digest_of_ngrams(counted: CountedNgrams) -> str:
    return counted.file.sha256


class _Tasks(beam.DoFn):
    def process(
        self, part: Part, counts: tuple[int, Counted] | None = None, ngrams: tuple[int, CountedNgrams] | None = None
    ) -> Iterator[tuple[int, FeatureTask]]:
        found = None if counts is None else counts[1]
        yield part.number, FeatureTask(part, found, None if ngrams is None else ngrams[1])


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
class CountNgrams(beam.PTransform):
    """Count the n-grams of the instances' sentences, in these or in a reference corpus.

    Attributes:
        workspace: where artefacts lie.
        corpus: parts of `sentences`; none: the instances' own sentences are counted.
    """

    workspace: Workspace
    corpus: tuple[SentencePart, ...] = ()

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[tuple[int, CountedNgrams]]:
        """Apply the transform."""
        found = (
            parts
            | "Number" >> beam.ParDo(_Number())
            | "Want" >> beam.ParDo(MakeArtefact(self.workspace, WANT_NGRAMS, not self.corpus))
            | "OfPart" >> beam.ParDo(_OfPart())
            | "GroupWanted" >> beam.GroupByKey()
            | "AllWanted" >> beam.ParDo(_AllOfParts())
        )
        wanted = beam.pvalue.AsSingleton(found)
        if self.corpus:
            tasks = (
                parts.pipeline
                | "CorpusParts" >> beam.Create(self.corpus)
                | "CorpusTasks" >> beam.ParDo(_CorpusNgrams(), wanted=wanted)
            )
        else:
            tasks = parts | "OwnTasks" >> beam.ParDo(_OwnNgrams(), wanted=wanted)
        return (
            tasks
            | "Count" >> beam.ParDo(MakeArtefact(self.workspace, COUNT_NGRAMS, None))
            | "GroupCounted" >> beam.GroupByKey()
            | "AllCounted" >> beam.ParDo(_AllNgrams())
            | "Combine" >> beam.ParDo(MakeArtefact(self.workspace, COMBINE_NGRAMS, None))
        )


@dataclass
class ComputeFeatures(beam.PTransform):
    """Compute the features of each part, and their coverage over all.

    Attributes:
        workspace: where artefacts lie.
        setting: groups and resources, as workers open them.
        corpus: parts of `sentences` of a reference corpus, where it is counted.
    """

    workspace: Workspace
    setting: Setting
    corpus: tuple[SentencePart, ...] = ()

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[Part]:
        """Apply the transform."""
        counts = {}
        if "corpus" in self.setting.use:
            found = parts | "CountInCorpus" >> CountInCorpus(self.workspace, self.corpus)
            counts["counts"] = beam.pvalue.AsSingleton(found)
        if "surprisal" in self.setting.use:
            ngrams = parts | "CountNgrams" >> CountNgrams(self.workspace, self.corpus)
            counts["ngrams"] = beam.pvalue.AsSingleton(ngrams)
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
