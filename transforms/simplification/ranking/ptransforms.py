"""Beam glue of ranking: one regressor for all parts, if a setting ranks by it.

WithRegressor   PCollection[(number, PartTask)] -> PCollection[(number, RankTask)],
                PCollection[Regressed]
"""

from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import MakeArtefact
from lexbeam.transforms.simplification.ranking.ranked_parts import RankTask
from lexbeam.transforms.simplification.ranking.regressor import FIT, Fitting, Regressed, RegressorTask
from lexbeam.transforms.simplification.records import JoinTask


def _task(element: tuple[int, JoinTask], regressed: tuple[int, Regressed] | None = None) -> tuple[int, RankTask]:
    return element[0], RankTask(element[1], None if regressed is None else regressed[1])


@dataclass
class WithRegressor(beam.PTransform):
    """Give the tasks of all parts the regressor.

    Attributes:
        workspace: where artefacts lie.
        task: what the regressor is learned from; None: there is no regressor.
        fitting: how it is learned.
    """

    workspace: Workspace
    task: RegressorTask | None
    fitting: Fitting

    def expand(self, tasks: beam.PCollection) -> Any:
        """Apply the transform."""
        begin = tasks.pipeline
        if self.task is None:
            return tasks | "Tasks" >> beam.Map(_task), begin | "None" >> beam.Create([])
        fitted = (
            begin
            | "Labelled" >> beam.Create([(0, self.task)], reshuffle=False)
            | "Fit" >> beam.ParDo(MakeArtefact(self.workspace, FIT, self.fitting))
        )
        ready = tasks | "Tasks" >> beam.Map(_task, beam.pvalue.AsSingleton(fitted))
        return ready, fitted | "Regressed" >> beam.Values()
