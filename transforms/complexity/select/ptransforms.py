"""Beam glue of `complexity select`: the choice among the targets of all parts.

    ChooseTargets    PCollection[(SHA-256, OccurrenceFile)] -> taken: PCollection[TargetOccurrence],
                                                               repeated: PCollection[Number]

Only hashes of sentences, and those occurrences of each part that may be taken, are shuffled.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
import numpy as np

from lexbeam.transforms.common.draws.ptransforms import KeepSmallest
from lexbeam.transforms.complexity.select.occurrences import (
    OCCURRENCES,
    QUOTAS,
    Copies,
    Hashes,
    Number,
    OccurrenceFile,
    TargetOccurrence,
    copies_of,
    occurrences_of,
    pick,
    repeated,
    shares,
)

PlainOccurrence = tuple[Any, ...]  # the fields of a `TargetOccurrence`, as they are shuffled


def _shares(element: tuple[str, OccurrenceFile], number: int) -> Iterator[tuple[int, tuple[str, Copies]]]:
    """Send the sentences of a part to the shares of all hashes that they are in."""
    name, occurrences = element
    for share, copies in shares(copies_of(occurrences), number):
        yield share, (name, copies)


def _repeated(element: tuple[int, Iterable[tuple[str, Copies]]]) -> Iterator[tuple[str, Hashes]]:
    yield from repeated(list(element[1])).items()


def _pick(
    element: tuple[str, dict[str, Iterable[Any]]], contexts: int
) -> Iterator[tuple[tuple[str, str, str], PlainOccurrence]]:
    """Pick what may be taken of a part, by kind, genre and target."""
    name, joined = element
    lost = np.concatenate([np.empty(0, np.uint64), *joined["lost"]])
    for occurrences in joined["found"]:
        rows = pick(occurrences, lost, contexts)
        for target, occurrence in occurrences_of(rows, name):
            yield (occurrence.kind, _genre_key(occurrence.genre), target), tuple(occurrence)


def _genre_key(genre: str | None) -> str:
    return "" if genre is None else f"={genre}"


def _by_genre(
    element: tuple[tuple[str, str, str], list[PlainOccurrence]], kind: str
) -> Iterator[tuple[str, PlainOccurrence]]:
    """Key the remaining targets of a kind by genre."""
    (target_kind, genre, _), occurrences = element
    if target_kind == kind:
        for occurrence in occurrences:
            yield genre, tuple(occurrence)


def _taken(element: tuple[str, PlainOccurrence]) -> TargetOccurrence:
    return TargetOccurrence(*element[1])


def _taken_of(element: tuple[str, list[PlainOccurrence]]) -> Iterator[TargetOccurrence]:
    for occurrence in element[1]:
        yield TargetOccurrence(*occurrence)


def _count_lost(element: tuple[str, Hashes]) -> Number:
    return Number("repeated", None, "", len(element[1]))


def _draws_by(item: PlainOccurrence) -> tuple[str, int, int]:
    occurrence = TargetOccurrence(*item)
    return occurrence.document_id, occurrence.sentence, occurrence.position


class PickedOccurrences(NamedTuple):
    """The occurrences taken, and counts of sentences that are copies of others."""

    taken: beam.PCollection[TargetOccurrence]
    repeated: beam.PCollection[Number]


@dataclass
class ChooseTargets(beam.PTransform):
    """Choose the occurrences that draw the least: of each target, then, by another draw, of each genre and kind.

    Attributes:
        contexts: most of a target, kind and genre.
        quotas: by kind, most of a genre; None for all.
        seed: that of `FindTargets`.
        ranges: shares that the hashes of sentences are dealt into; they do not affect results.
    """

    contexts: int
    quotas: Mapping[str, int | None]
    seed: int
    ranges: int

    def expand(self, occurrences: beam.PCollection[tuple[str, OccurrenceFile]]) -> Any:
        """Apply the transform; returns `PickedOccurrences`."""
        lost = (
            occurrences
            | "ShareSentences" >> beam.FlatMap(_shares, self.ranges)
            | "GroupByShare" >> beam.GroupByKey()
            | "FindRepeatedSentences" >> beam.FlatMap(_repeated)
        )
        of_target = (
            {"found": occurrences, "lost": lost}
            | "JoinByPart" >> beam.CoGroupByKey()
            | "PickOfPart" >> beam.FlatMap(_pick, self.contexts)
            | "KeepOfTarget" >> self._smallest(self.contexts, OCCURRENCES)
        )
        taken = [self._of_kind(kind, quota, of_target) for kind, quota in sorted(self.quotas.items())]
        return PickedOccurrences(taken | "OfAllKinds" >> beam.Flatten(), lost | "CountLost" >> beam.Map(_count_lost))

    def _smallest(self, k: int, drawn: str) -> KeepSmallest:
        return KeepSmallest(k, seed=self.seed, drawn=drawn, key=_draws_by)

    def _of_kind(self, kind: str, quota: int | None, of_target: beam.PCollection) -> beam.PCollection[TargetOccurrence]:
        by_genre = of_target | f"KeyByGenre {kind}" >> beam.FlatMap(_by_genre, kind)
        if quota is None:
            return by_genre | f"TakeAll {kind}" >> beam.Map(_taken)
        return (
            by_genre
            | f"KeepOfGenre {kind}" >> self._smallest(quota, QUOTAS)
            | f"TakeKept {kind}" >> beam.FlatMap(_taken_of)
        )
