"""The models that a run fits, as tasks, given what the folders hold."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lexbeam.transforms.complexity.scorers.fit_stages import Designed, FitTask
from lexbeam.transforms.complexity.scorers.holding_out import SAVED, Case, HoldOptions, cases_of, first_of, mode_of
from lexbeam.transforms.complexity.scorers.scorer_models import OpenedScorer
from lexbeam.transforms.learning.scorers import SCORERS

FOLDER, OTHER = 0, 1  # places of folders


class FitRequest(NamedTuple):
    """What a run fits.

    Attributes:
        scorers: names.
        hold: what is held out.
        keep: whether a model of all instances is saved.
        model: a saved model to use instead of fitting.
    """

    scorers: tuple[str, ...]
    hold: HoldOptions
    keep: bool
    model: OpenedScorer | None

    @property
    def first(self) -> str:
        """The mode whose system has the scorer's plain name."""
        return first_of(self.hold) if self.model is None else self.model.modes.get("mwe", "")

    @property
    def modes(self) -> tuple[str, ...]:
        """How expressions are scored, every mode that a case may have."""
        return self.hold.mwe if self.model is None else tuple(self.model.modes.values())


def fit_tasks(request: FitRequest, designs: Mapping[int, Designed]) -> Iterator[tuple[tuple[int, Case], FitTask]]:
    """Yield a task for each model, keyed by a number and its case."""
    design = designs[FOLDER]
    other = designs[OTHER].part.file if OTHER in designs else None
    if request.model is not None:
        kinds = [kind for kind in design.facts.kinds if kind in request.model.modes]
        cases = [Case(request.model.scorer, kind, request.model.modes[kind], SAVED, "") for kind in kinds]
    else:
        facts = design.facts
        cases = list(cases_of(facts, request.scorers, request.hold, other=other is not None, keep=request.keep))
    for number, case in enumerate(cases):
        yield (number, case), FitTask(case, design.part.file, other, request.model)


def weight_of(element: tuple[tuple[int, Case], FitTask]) -> float:
    """Return about how much work a task is, against a ridge regression."""
    (_, case), _ = element
    return SCORERS[case.scorer].cost * (5.0 if mode_of(case).singles else 1.0)
