"""Beam glue of `complexity select`.

    FindTargets      PCollection[SentencePart] -> PCollection[(SHA-256, Found)]
    ChooseTargets    PCollection[(SHA-256, Found)] -> kept: PCollection[Occurrence],
                                                      repeated: PCollection[Number]
    TellNumbers      a DoFn: (SHA-256, Found) -> Number
    FetchInstances   PCollection[Occurrence] -> PCollection[Part]

What is shuffled are ids of documents, hashes of sentences, and those occurrences of each part that
may be taken.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
import numpy as np

from schemas.complexity.instances import INSTANCES
from transforms.common.code.fingerprints import bucket_of
from transforms.common.draws.ptransforms import KeepSmallest
from transforms.common.store.artefacts import Workspace
from transforms.common.store.merge import StagedRun
from transforms.common.store.ptransforms import MakeArtefact, MergeTables, SpreadOverLanes
from transforms.complexity.select.fetch_stages import FETCH, MERGE, Fetched, FetchSpec, FetchTask
from transforms.complexity.select.find_stage import FIND, OCCURRENCES, FindSpec, FindTask, Found, Number, place_keys
from transforms.complexity.select.picking import Copies, Occurrence, copies_of, occurrences_of, pick, repeated, shares
from transforms.corpora.corpus import PartPair, SentencePart
from transforms.corpora.ptransforms import FindRepeated

__all__ = ["ChooseTargets", "Chosen", "FetchInstances", "FindTargets", "TellNumbers"]


def _rows(part: SentencePart) -> float:
    return part.rows


class _FindTasks(beam.DoFn):
    def __init__(self, genres: Mapping[str, str | None]) -> None:
        self._genres = genres

    def process(self, element: SentencePart, copies: dict[str, list[str]]) -> Iterator[tuple[str, FindTask]]:
        left_out = tuple(copies.get(element.sha256, ()))
        yield element.sha256, FindTask(element, left_out, self._genres[element.sha256])


@dataclass
class FindTargets(beam.PTransform):
    """Find the targets of every part of `sentences`.

    Attributes:
        genres: by SHA-256 of a part, the genre of its documents; None for their own.
        settle: whether documents may be in several parts, and are then to count once.
    """

    workspace: Workspace
    spec: FindSpec
    genres: Mapping[str, str | None]
    lanes: int
    settle: bool

    def expand(self, parts: beam.PCollection[SentencePart]) -> beam.PCollection[tuple[str, Found]]:
        """Apply the transform."""
        copies = parts | "FindRepeated" >> FindRepeated(self.settle)
        return (
            parts
            | "SpreadParts" >> SpreadOverLanes(weight=_rows, lanes=self.lanes, workspace=self.workspace, stage="")
            | "MakeFindTasks" >> beam.ParDo(_FindTasks(self.genres), copies=beam.pvalue.AsDict(copies))
            | "FindInPart" >> beam.ParDo(MakeArtefact(self.workspace, FIND, self.spec))
        )


class TellNumbers(beam.DoFn):
    """Take the counts of a part."""

    def process(self, element: tuple[str, Found]) -> Iterator[Number]:
        """Yield each."""
        yield from element[1].numbers


class _Shares(beam.DoFn):
    """Send the sentences of a part to the shares of all hashes that they are in."""

    def __init__(self, number: int) -> None:
        self._number = number

    def process(self, element: tuple[str, Found]) -> Iterator[tuple[int, tuple[str, Copies]]]:
        name, found = element
        for share, copies in shares(copies_of(found), self._number):
            yield share, (name, copies)


class _Repeated(beam.DoFn):
    def process(self, element: tuple[int, Iterable[tuple[str, Copies]]]) -> Iterator[tuple[str, Any]]:
        yield from repeated(list(element[1])).items()


class _Pick(beam.DoFn):
    """Pick what may be taken of a part, by kind, genre and target."""

    def __init__(self, contexts: int, quotas: Mapping[str, int | None]) -> None:
        self._contexts = contexts
        self._quotas = quotas

    def process(
        self, element: tuple[str, dict[str, Iterable[Any]]]
    ) -> Iterator[tuple[tuple[str, str, str], tuple[Any, ...]]]:
        name, joined = element
        lost = np.concatenate([np.empty(0, np.uint64), *joined["lost"]])
        for found in joined["found"]:
            rows = pick(found, lost, self._contexts, self._quotas)
            for target, one in occurrences_of(rows, name):
                yield (one.kind, _genre_key(one.genre), target), tuple(one)


def _genre_key(genre: str | None) -> str:
    return "" if genre is None else f"={genre}"


class _ByGenre(beam.DoFn):
    """Key what is left of the targets of a kind by genre."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def process(self, element: tuple[tuple[str, str, str], list[Any]]) -> Iterator[tuple[str, tuple[Any, ...]]]:
        (kind, genre, _), kept = element
        if kind == self._kind:
            for one in kept:
                yield genre, tuple(one)


class _Taken(beam.DoFn):
    def process(self, element: tuple[str, Any]) -> Iterator[Occurrence]:
        yield Occurrence(*element[1])


class _TakenOf(beam.DoFn):
    def process(self, element: tuple[str, list[Any]]) -> Iterator[Occurrence]:
        for one in element[1]:
            yield Occurrence(*one)


class _CountLost(beam.DoFn):
    def process(self, element: tuple[str, Any]) -> Iterator[Number]:
        yield Number("repeated", None, "", len(element[1]))


def _draws_by(item: Any) -> tuple[str, int, int]:
    return place_keys(Occurrence(*item))


class Chosen(NamedTuple):
    """What is taken, and counts of the sentences that are copies of others."""

    kept: beam.PCollection[Occurrence]
    repeated: beam.PCollection[Number]


@dataclass
class ChooseTargets(beam.PTransform):
    """Choose the occurrences that draw the least: of each target, then of each genre and kind.

    Attributes:
        contexts: most of a target, kind and genre.
        quotas: by kind, most of a genre; None for all.
        seed: that of `FindSpec`.
        ranges: shares that the hashes of sentences are dealt into; they decide nothing.
    """

    contexts: int
    quotas: Mapping[str, int | None]
    seed: int
    ranges: int

    def expand(self, found: beam.PCollection[tuple[str, Found]]) -> Chosen:
        """Apply the transform."""
        lost = (
            found
            | "ShareSentences" >> beam.ParDo(_Shares(self.ranges))
            | "GroupByShare" >> beam.GroupByKey()
            | "FindRepeatedSentences" >> beam.ParDo(_Repeated())
        )
        of_target = (
            {"found": found, "lost": lost}
            | "JoinByPart" >> beam.CoGroupByKey()
            | "PickOfPart" >> beam.ParDo(_Pick(self.contexts, self.quotas))
            | "KeepOfTarget" >> self._smallest(self.contexts)
        )
        kept = [self._of_kind(kind, quota, of_target) for kind, quota in sorted(self.quotas.items())]
        return Chosen(kept | "OfAllKinds" >> beam.Flatten(), lost | "CountLost" >> beam.ParDo(_CountLost()))

    def _smallest(self, k: int) -> KeepSmallest:
        return KeepSmallest(k, seed=self.seed, drawn=OCCURRENCES, key=_draws_by)

    def _of_kind(self, kind: str, quota: int | None, of_target: beam.PCollection) -> beam.PCollection[Occurrence]:
        by_genre = of_target | f"KeyByGenre {kind}" >> beam.ParDo(_ByGenre(kind))
        if quota is None:
            return by_genre | f"TakeAll {kind}" >> beam.ParDo(_Taken())
        return by_genre | f"KeepOfGenre {kind}" >> self._smallest(quota) | f"TakeKept {kind}" >> beam.ParDo(_TakenOf())


def _by_part(one: Occurrence) -> tuple[str, Occurrence]:
    return one.part, one


class _FetchTasks(beam.DoFn):
    def __init__(self, pairs: Mapping[str, PartPair]) -> None:
        self._pairs = pairs

    def process(self, element: tuple[str, Iterable[Occurrence]]) -> Iterator[tuple[str, FetchTask]]:
        name, chosen = element
        yield name, FetchTask(self._pairs[name], tuple(sorted(chosen, key=_draws_by)))


class _ByBucket(beam.DoFn):
    def __init__(self, parts: int) -> None:
        self._parts = parts

    def process(self, element: tuple[str, Fetched]) -> Iterator[tuple[tuple[str, int], StagedRun]]:
        fetched = element[1]
        runs: dict[int, list[tuple[str, int, int]]] = {}
        for ordinal, name in enumerate(fetched.ids):
            runs.setdefault(bucket_of(name, self._parts), []).append((name, 0, ordinal))
        for bucket in sorted(runs):
            yield (INSTANCES.name, bucket), StagedRun(fetched.file, tuple(runs[bucket]))


@dataclass
class FetchInstances(beam.PTransform):
    """Fetch the sentences of what is taken, and write `complexity/instances`.

    Attributes:
        pairs: the corpora's parts, by SHA-256 of that of `sentences`.
        spec: what is carried over.
        parts: parts of the table.
    """

    workspace: Workspace
    pairs: Mapping[str, PartPair]
    spec: FetchSpec
    parts: int

    def expand(self, kept: beam.PCollection[Occurrence]) -> beam.PCollection[Any]:
        """Apply the transform."""
        return (
            kept
            | "KeyByPart" >> beam.Map(_by_part)
            | "GroupByPart" >> beam.GroupByKey()
            | "MakeFetchTasks" >> beam.ParDo(_FetchTasks(self.pairs))
            | "FetchFromPart" >> beam.ParDo(MakeArtefact(self.workspace, FETCH, self.spec))
            | "KeyByBucket" >> beam.ParDo(_ByBucket(self.parts))
            | "Merge"
            >> MergeTables(self.workspace, {INSTANCES.name: MERGE}, self.parts, {INSTANCES.name: self.spec.layers})
        )
