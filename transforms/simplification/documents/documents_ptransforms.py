"""Beam glue of whole texts: from texts to texts, by way of all stages of simplification.

SimplifyWords    PCollection[Part] of instances -> receipts of generation, PCollection[Part] of all steps
ResolveTexts     PCollection[(number, LoadedTexts)], parts of words -> PCollection[ResolvedPart], PCollection[Part]
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.schemas.simplification import (
    CANDIDATES,
    CHANGES,
    DOCUMENTS,
    INSTANCES,
    RANKINGS,
    SELECTIONS,
    SIMPLIFICATIONS,
)
from lexbeam.transforms.common.store.artefacts import Step, Workspace
from lexbeam.transforms.common.store.ptransforms import By, Each, MakeArtefact, NameParts, SpreadOverLanes
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.documents.placed_texts import LoadedTexts
from lexbeam.transforms.simplification.documents.resolving import RESOLVE, ResolveOptions, TextsTask
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, generation_tasks
from lexbeam.transforms.simplification.ranking.ranked_parts import RankTask
from lexbeam.transforms.simplification.records import join_tasks
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import RewriteSentences
from lexbeam.transforms.simplification.selection.candidate_selection import SelectCandidates


def _of_table(part: Part, table: str) -> bool:
    return part.table == table


def _numbered(part: Part) -> tuple[int, Part]:
    return part.number, part


def _to_rank(number: int, **parts: tuple[Any, ...]) -> Iterator[tuple[int, RankTask]]:
    for _, task in join_tasks(number, **parts):
        yield number, RankTask(task)


@dataclass
class SimplifyWords(beam.PTransform):
    """Generate, select and rank the candidates of instances, and choose; returns receipts of generation, and all parts.

    Attributes:
        workspace: where artefacts lie.
        generate, select, rank, rewrite: the steps.
        lanes: how many keys the work is dealt out to.
    """

    workspace: Workspace
    generate: GenerateCandidates
    select: SelectCandidates
    rank: Step[RankTask, Any]
    rewrite: RewriteSentences
    lanes: int

    def expand(self, parts: beam.PCollection[Part]) -> Any:
        """Apply the transform."""
        instances = parts | "Instances" >> beam.Filter(_of_table, INSTANCES.name)
        candidates = instances | "Generate" >> Each(
            self.workspace, self.generate, generation_tasks, lanes=self.lanes, noted=True
        )
        of_number = {"instances": instances | "ByNumber" >> beam.Map(_numbered), CANDIDATES.name: candidates}
        selections = of_number | "Select" >> self._by(self.select, join_tasks)
        to_rank = {"instances": of_number["instances"], SELECTIONS.name: selections}
        rankings = to_rank | "Rank" >> self._by(self.rank, _to_rank)
        simplifications = {**of_number, RANKINGS.name: rankings} | "Rewrite" >> self._by(self.rewrite, join_tasks)
        made = {
            CANDIDATES.name: candidates,
            SELECTIONS.name: selections,
            RANKINGS.name: rankings,
            SIMPLIFICATIONS.name: simplifications,
        }
        named = [of | f"Name {table}" >> beam.ParDo(NameParts(table, "part")) for table, of in made.items()]
        return candidates | "Generated" >> beam.Values(), named | "AllParts" >> beam.Flatten()

    def _by(self, step: Step[Any, Any], tasks: Callable[..., Iterable[tuple[int, Any]]]) -> By:
        return By(self.workspace, step, tasks, lanes=self.lanes, noted=True)


def _to_resolve(element: tuple[int, LoadedTexts], parts: Iterable[Part]) -> Iterator[tuple[int, TextsTask]]:
    """Yield the task of texts; none if too many records were rejected, so that there are no words."""
    by_table: dict[str, list[Part]] = {}
    for part in sorted(parts):
        by_table.setdefault(part.table, []).append(part)
    if INSTANCES.name in by_table:
        names = (INSTANCES.name, RANKINGS.name, SIMPLIFICATIONS.name)
        yield element[0], TextsTask(element[1].texts, *(tuple(by_table[name]) for name in names))


def _weight(element: tuple[int, TextsTask]) -> float:
    return float(element[1].weight)


@dataclass
class ResolveTexts(beam.PTransform):
    """Put the chosen words into texts; returns receipts, and the parts of both tables.

    Attributes:
        workspace: where artefacts lie.
        parts: those of instances, rankings and simplifications, among others.
        options: how files are edited.
        lanes: how many keys the work is dealt out to.
    """

    workspace: Workspace
    parts: beam.PCollection
    options: ResolveOptions
    lanes: int

    def expand(self, texts: beam.PCollection) -> Any:
        """Apply the transform."""
        made = (
            texts
            | "Tasks" >> beam.FlatMap(_to_resolve, beam.pvalue.AsList(self.parts))
            | "Spread"
            >> SpreadOverLanes(weight=_weight, lanes=self.lanes, workspace=self.workspace, stage=RESOLVE.name)
            | "Resolve" >> beam.ParDo(MakeArtefact(self.workspace, RESOLVE, self.options))
        )
        parts = [
            made | f"Number{table.title()}" >> beam.ParDo(NameParts(name, table))
            for table, name in (("documents", DOCUMENTS.name), ("changes", CHANGES.name))
        ]
        return made | "Receipts" >> beam.Values(), parts | "AllParts" >> beam.Flatten()
