"""Beam glue of features: parts of instances in, parts of the tables out.

CountInCorpus     PCollection[Part] -> PCollection[Counted], the one of a reference corpus
CountNgrams       PCollection[Part] -> PCollection[CountedNgrams], the one of all sentences
ComputeFeatures   PCollection[Part] -> PCollection[Part] of complexity/features and /coverage
"""

from dataclasses import dataclass
from operator import attrgetter

import apache_beam as beam

from lexbeam.schemas.complexity import COVERAGE, FEATURES
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Collect, MakeArtefact, NameParts
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.corpus_counts import COMBINE, COUNT, WANT, CountedWords, CountTask
from lexbeam.transforms.complexity.features.groups import COVER, FEATURE, FeatureTask
from lexbeam.transforms.complexity.features.surprisal import (
    COMBINE_NGRAMS,
    COUNT_NGRAMS,
    WANT_NGRAMS,
    CountedNgrams,
    NgramTask,
    WantedNgrams,
)
from lexbeam.transforms.corpora.annotated_corpora import SentencePart

_ByPart = tuple[tuple[int, WantedNgrams], ...]


def _count_task(part: SentencePart, wanted: tuple[int, tuple[File, ...]]) -> tuple[int, CountTask]:
    return 0, CountTask(part, wanted[1])


def _corpus_ngrams(part: SentencePart, wanted: tuple[int, _ByPart]) -> tuple[int, NgramTask]:
    return 0, NgramTask(part, tuple(part_wanted.keys for _, part_wanted in wanted[1]), None)


def _instance_ngrams(part: Part, wanted: tuple[int, _ByPart]) -> tuple[int, NgramTask]:
    before = tuple(part_wanted.sentences for number, part_wanted in wanted[1] if number < part.number)
    return 0, NgramTask(part, tuple(part_wanted.keys for _, part_wanted in wanted[1]), before)


def _feature_task(
    part: Part, counts: tuple[int, CountedWords] | None = None, ngrams: tuple[int, CountedNgrams] | None = None
) -> tuple[int, FeatureTask]:
    counted = None if counts is None else counts[1]
    return part.number, FeatureTask(part, counted, None if ngrams is None else ngrams[1])


@dataclass
class CountInCorpus(beam.PTransform):
    """Count what the instances ask for in the parts of a reference corpus.

    Attributes:
        workspace: where artefacts lie.
        corpus: parts of `sentences`.
    """

    workspace: Workspace
    corpus: tuple[SentencePart, ...]

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[tuple[int, CountedWords]]:
        """Apply the transform."""
        wanted = (
            parts
            | "Number" >> beam.WithKeys(attrgetter("number"))
            | "Want" >> beam.ParDo(MakeArtefact(self.workspace, WANT, None))
            | "AllWanted" >> Collect("file")
        )
        return (
            parts.pipeline
            | "CorpusParts" >> beam.Create(self.corpus)
            | "CountTasks" >> beam.Map(_count_task, wanted=beam.pvalue.AsSingleton(wanted))
            | "Count" >> beam.ParDo(MakeArtefact(self.workspace, COUNT, None))
            | "AllCounted" >> Collect()
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
        collected = (
            parts
            | "Number" >> beam.WithKeys(attrgetter("number"))
            | "Want" >> beam.ParDo(MakeArtefact(self.workspace, WANT_NGRAMS, not self.corpus))
            | "AllWanted" >> Collect(keyed=True)
        )
        wanted = beam.pvalue.AsSingleton(collected)
        if self.corpus:
            tasks = (
                parts.pipeline
                | "CorpusParts" >> beam.Create(self.corpus)
                | "CorpusTasks" >> beam.Map(_corpus_ngrams, wanted=wanted)
            )
        else:
            tasks = parts | "OwnTasks" >> beam.Map(_instance_ngrams, wanted=wanted)
        return (
            tasks
            | "Count" >> beam.ParDo(MakeArtefact(self.workspace, COUNT_NGRAMS, None))
            | "AllCounted" >> Collect()
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
    setting: FeatureSetting
    corpus: tuple[SentencePart, ...] = ()

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[Part]:
        """Apply the transform."""
        counts = {}
        if "corpus" in self.setting.use:
            counted = parts | "CountInCorpus" >> CountInCorpus(self.workspace, self.corpus)
            counts["counts"] = beam.pvalue.AsSingleton(counted)
        if "surprisal" in self.setting.use:
            ngrams = parts | "CountNgrams" >> CountNgrams(self.workspace, self.corpus)
            counts["ngrams"] = beam.pvalue.AsSingleton(ngrams)
        featured = (
            parts
            | "Tasks" >> beam.Map(_feature_task, **counts)
            | "Feature" >> beam.ParDo(MakeArtefact(self.workspace, FEATURE, self.setting))
        )
        covered = (
            featured
            | "AllCovered" >> Collect("coverage")
            | "Cover" >> beam.ParDo(MakeArtefact(self.workspace, COVER, None))
            | "NameCoverage" >> beam.ParDo(NameParts(COVERAGE.name))
        )
        named = featured | "Name" >> beam.ParDo(NameParts(FEATURES.name, "part"))
        return (named, covered) | "Tables" >> beam.Flatten()
