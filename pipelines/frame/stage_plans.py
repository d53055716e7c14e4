"""What each stage of a section would make anew, found without making anything.

The section's own graph is run in this process, and looks artefacts up where a run would make them. What is missed
is made by the next run. What is made from that cannot be told before: the stages that come after a missed
artefact, as the graph has them, make what follows from it, and that may be nothing. A part that was found and whose
file was freed since is made again, as soon as it is published, and with it what was freed of what it is made from.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pipelines.frame.command import Graph, Job
from pipelines.frame.handed_back import ResultFiles
from pipelines.frame.inputs import find_inputs
from pipelines.frame.sections import plan_of
from transforms.common.errors import LexbeamError, NoDataError
from transforms.common.publish.layout import ARTEFACTS
from transforms.common.publish.run_log import RunLine
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.written import written
from transforms.common.store import files
from transforms.common.store.artefacts import Workspace
from transforms.common.store.sound import state_of

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["Estimate", "StagePlan", "estimated", "plan_stages", "stages_that_follow"]


class StagePlan(NamedTuple):
    """What a stage would make anew.

    Attributes:
        stage: its name.
        unit: what a person calls its artefacts.
        kept: how many artefacts are taken up; None: it is not known how many, or not asked.
        made: how many are made; None: not known before.
        after: where `made` is None, the stages or sections from which it follows.
    """

    stage: str
    unit: str
    kept: int | None
    made: int | None
    after: tuple[str, ...] = ()


class Estimate(NamedTuple):
    """How long stages would work, by what their artefacts took when they were made last.

    Attributes:
        least: seconds for what is known to be made.
        most: seconds if all that may follow is made, too.
        unknown: stages that have something to make, or may have, of which no time is known.
    """

    least: float
    most: float
    unknown: tuple[str, ...]


def estimated(plans: Iterable[StagePlan], log: Iterable[RunLine]) -> Estimate:
    """Return how long stages would work.

    Args:
        plans: what they would make.
        log: what they took before.
    """
    lines: dict[str, list[RunLine]] = {}
    for line in log:
        lines.setdefault(line.stage, []).append(line)
    least = most = 0.0
    unknown = []
    for plan in plans:
        seconds, elements, there = (
            sum(getattr(line, name) for line in lines.get(plan.stage, ())) for name in ("seconds", "elements", "there")
        )
        if plan.made == 0:
            continue
        if not elements:
            unknown.append(plan.stage)
            continue
        least += (plan.made or 0) * seconds / elements
        most += (elements + there if plan.made is None else plan.made) * seconds / elements
    return Estimate(least, most, tuple(unknown))


def stages_that_follow(job: Job, snapshot: Snapshot | None, after: Iterable[str]) -> list[StagePlan]:
    """Return the stages of a section that make what follows from others, or that has not been made before."""
    stages = job.command.making(job.section)
    made = {} if snapshot is None else snapshot.sections.get(job.section, {}).get("stages")
    return [
        StagePlan(stage.name, stage.unit, None, None, tuple(after))
        for stage in stages
        if not made or stage.name in made  # of one that had nothing to do, nobody knows which
    ]


def plan_stages(job: Job, snapshot: Snapshot | None, *, stays: bool) -> list[StagePlan]:
    """Return what the stages of a section would make, that reads no table which the same run makes anew.

    Of a section that is new nothing is looked up, which would read all of its input files.

    Args:
        job: the job that makes the section.
        snapshot: what is published; None: nothing.
        stays: whether nothing has changed of what it is made from. Its artefacts may be gone all the same.

    Raises:
        LexbeamError: it cannot be told, since the section cannot be made as things are.
    """
    if job.command.build is None:
        stages = job.command.making(job.section)
        return [StagePlan(stage.name, stage.unit, None, 0 if stays else None) for stage in stages]
    from pipelines.runners.configs import load_runner_config
    from pipelines.runners.runners import run_pipeline
    from transforms.common.store.ptransforms import looked_up, stages_before, stages_in

    job = job._replace(options=replace(job.options, keep="all"))  # else the graph might free what it has looked up
    try:
        plan = plan_of(job, find_inputs(job, (), snapshot))
    except NoDataError:  # its empty tables are all that is written
        tables = written(job.section)
        return [StagePlan(tables.name, tables.unit, None, 0 if stays else None)]
    is_new = snapshot is None or job.section not in snapshot.sections
    before: dict[str, set[str]] = {}
    used: set[str] = set()
    with tempfile.TemporaryDirectory() as looked, tempfile.TemporaryDirectory() as scratch:
        workspace = Workspace(files.join(files.absolute(job.options.out), ARTEFACTS), looked)
        results = ResultFiles(scratch)

        def build(pipeline: "beam.Pipeline") -> bool:
            assert job.command.build is not None
            collections = job.command.build(pipeline, plan, Graph(workspace, 1, True, scratch))
            results.write({"parts": collections["parts"]})
            before.update(stages_before(pipeline))
            used.update(stages_in(pipeline))
            return not is_new

        failed = False
        try:
            run_pipeline(build, load_runner_config("direct"))
        except LexbeamError:
            # With artefacts left out, what comes after them need not make sense; without, it is a run's to say why.
            failed = True
        if is_new:
            return [StagePlan(each.name, each.unit, None, None) for each in job.command.stages if each.name in used]
        counts = looked_up(workspace)
        freed = Counter(_stage_of(part.path) for part in results.parts() if state_of(part.path) is None)
    missed = {stage for stage, (_, number) in counts.items() if number}
    if failed and not missed:
        raise LexbeamError("the graph fails: run it to see why")
    if freed and not missed:
        return [
            StagePlan(stage.name, stage.unit, counts[stage.name][0] - freed[stage.name], freed[stage.name])
            if stage.name in freed
            else StagePlan(stage.name, stage.unit, None, None)
            for stage in job.command.stages
            if stage.name in used
        ]
    plans = []
    for stage in (each for each in job.command.stages if each.name in used):
        after = sorted(before[stage.name] & missed)
        found, number = counts.get(stage.name, (0, 0))
        if after or failed:  # what fails need not have looked everything up
            plans.append(StagePlan(stage.name, stage.unit, None, None, tuple(after or missed - {stage.name})))
        else:
            plans.append(StagePlan(stage.name, stage.unit, found, number))
    return plans


def _stage_of(path: str) -> str:
    """Return the stage whose artefact a file is of."""
    return "/".join(path.split("/")[-3:-1])
