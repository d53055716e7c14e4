"""Beam glue of whole texts: from texts to texts, by way of all stages of simplification.

SimplifyWords    PCollection[Part] of instances -> receipts and parts, stage by stage
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SIMPLIFICATIONS
from lexbeam.transforms.common.store.artefacts import Stage, Workspace
from lexbeam.transforms.common.store.ptransforms import MakeParts
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.generation.candidate_generation import GENERATE, GenerationTask
from lexbeam.transforms.simplification.generation.generators import GenerationInputs
from lexbeam.transforms.simplification.ranking.ranked_parts import RANK, Rankings, RankTask
from lexbeam.transforms.simplification.records import JoinTask
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import REWRITE, Rewriting
from lexbeam.transforms.simplification.selection.candidate_selection import SELECT, Selection


def _of_table(part: Part, table: str) -> bool:
    return part.table == table


def _numbered(part: Part) -> tuple[int, Part]:
    return part.number, part


def _to_generate(element: tuple[int, Part]) -> tuple[int, GenerationTask]:
    return element[0], GenerationTask(element[1])


def _beside(element: tuple[int, dict[str, Iterable[Part]]]) -> tuple[int, JoinTask]:
    """Return the parts of a number as a task; there is one of each table."""
    number, parts = element
    (instances,) = parts[INSTANCES.name]
    others = {name: part for name in sorted(parts) if name != INSTANCES.name for part in parts[name]}
    return number, JoinTask(instances, others)


def _to_rank(element: tuple[int, JoinTask]) -> tuple[int, RankTask]:
    return element[0], RankTask(element[1])


def _rows(task: GenerationTask) -> float:
    return float(task.part.rows)


@dataclass
class SimplifyWords(beam.PTransform):
    """Generate, select and rank the candidates of instances, and choose; returns receipts and parts by stage.

    Attributes:
        workspace: where artefacts lie.
        generation: what candidates are generated with.
        selection: what they are filtered by.
        rankings: what they are ranked by.
        rewriting: how what agrees with a chosen word is moved.
        lanes: how many keys the work is dealt out to.
    """

    workspace: Workspace
    generation: GenerationInputs
    selection: Selection
    rankings: Rankings
    rewriting: Rewriting
    lanes: int

    def expand(self, parts: beam.PCollection[Part]) -> Any:
        """Apply the transform."""
        instances = parts | "Instances" >> beam.Filter(_of_table, INSTANCES.name) | "ByNumber" >> beam.Map(_numbered)
        tasks = instances | "ToGenerate" >> beam.Map(_to_generate)
        generated, candidates = tasks | "Generate" >> self._parts(GENERATE, self.generation, CANDIDATES.name, _rows)
        by_number = {INSTANCES.name: instances, CANDIDATES.name: candidates | "Candidates" >> beam.Map(_numbered)}
        tasks = self._joined("Select", by_number, INSTANCES.name, CANDIDATES.name)
        selected, selections = tasks | "Select" >> self._parts(SELECT, self.selection, SELECTIONS.name)
        by_number[SELECTIONS.name] = selections | "Selections" >> beam.Map(_numbered)
        tasks = self._joined("Rank", by_number, INSTANCES.name, SELECTIONS.name)
        tasks = tasks | "ToRank" >> beam.Map(_to_rank)
        ranked, rankings = tasks | "Rank" >> self._parts(RANK, self.rankings, RANKINGS.name)
        by_number[RANKINGS.name] = rankings | "Rankings" >> beam.Map(_numbered)
        tasks = self._joined("Rewrite", by_number, INSTANCES.name, CANDIDATES.name, RANKINGS.name)
        rewritten, simplifications = tasks | "Rewrite" >> self._parts(REWRITE, self.rewriting, SIMPLIFICATIONS.name)
        made = (candidates, selections, rankings, simplifications) | "AllParts" >> beam.Flatten()
        receipts = {"generated": generated, "selected": selected, "ranked": ranked, "rewritten": rewritten}
        return receipts, made

    def _parts(self, stage: Stage[Any, Any, Any], options: Any, table: str, weight: Any = None) -> MakeParts:
        return MakeParts(self.workspace, stage, options, table, self.lanes, weight or attrgetter("weight"))

    def _joined(self, stage: str, by_number: Mapping[str, beam.PCollection], *tables: str) -> beam.PCollection:
        together = {name: by_number[name] for name in tables}
        return together | f"{stage}Together" >> beam.CoGroupByKey() | f"{stage}Tasks" >> beam.Map(_beside)
