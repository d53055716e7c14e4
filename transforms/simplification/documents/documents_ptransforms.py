"""Beam glue of whole texts: from texts to texts, by way of all stages of simplification.

SimplifyWords    PCollection[Part] of instances -> receipts of generation, PCollection[Part] of all steps
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SIMPLIFICATIONS
from lexbeam.transforms.common.store.artefacts import Step, Workspace
from lexbeam.transforms.common.store.ptransforms import By, Each, NameParts
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, generation_tasks
from lexbeam.transforms.simplification.ranking.ranked_parts import RankTask
from lexbeam.transforms.simplification.records import join_tasks
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import RewriteSentences
from lexbeam.transforms.simplification.selection.candidate_selection import SelectCandidates


def _of_table(part: Part, table: str) -> bool:
    return part.table == table


def _to_rank(number: int, **parts: tuple[Any, ...]) -> Iterator[tuple[int, RankTask]]:
    for _, task in join_tasks(number, **parts):
        yield number, RankTask(task)


@dataclass
class SimplifyWords(beam.PTransform):
    """Generate, select and rank the candidates of instances, and choose; give receipts of generation, and all parts."""

    workspace: Workspace
    generate: GenerateCandidates
    select: SelectCandidates
    rank: Step[RankTask, Any]
    rewrite: RewriteSentences
    lanes: int

    def expand(self, parts: beam.PCollection[Part]) -> Any:
        instances = parts | "Instances" >> beam.Filter(_of_table, INSTANCES.name)
        candidates = instances | "Generate" >> Each(
            self.workspace, self.generate, generation_tasks, lanes=self.lanes, noted=True
        )
        of_number = {
            "instances": instances | "ByNumber" >> beam.WithKeys(attrgetter("number")),
            CANDIDATES.name: candidates,
        }
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
