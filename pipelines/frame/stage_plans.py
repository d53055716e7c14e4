"""What each stage of a run would make anew, and how long that takes, found or foreseen without making anything.

A section's own graph is run in this process over what is published, and looks artefacts up where a run would make them.
What is missed is made by the next run. What was found and whose files were freed is made again if it is to be
published. It may be made again, too, if something is to be made that names it, or what is made from it: that depends on
whether it is read then.

What is made from something that is missed cannot be told before. It is foreseen from what the last run was made of, as
is, for people who ask before anything is read, what the whole next run will likely make:

    used = used_artefacts(envelopes, digests of the published parts)
    changes = [StageChange("corpus/ingest", superseded={...}), StageChange("corpus/annotate"), ...]
    made = forecast(changes, used, documents=1)

Every receipt says which files its artefact was made of, so the artefacts behind what is published are a graph. An
artefact that is superseded will have other content, and what is made of it will be made again, and so on. Where a part
takes entries of many files by their keys, a document touches its own part alone, and of artefacts that split a part up
it touches one: of n such artefacts, d documents that are drawn evenly touch n (1 - (1 - 1/n)^d).
"""

import math
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.pipelines.frame.command import Graph, HandedBack, Job
from lexbeam.pipelines.frame.handed_back import ResultFiles
from lexbeam.pipelines.frame.inputs import find_inputs
from lexbeam.pipelines.frame.sections import plan_of
from lexbeam.transforms.common.errors import LexbeamError, NoDataError
from lexbeam.transforms.common.publish.layout import ARTEFACTS
from lexbeam.transforms.common.publish.removing import receipts_of
from lexbeam.transforms.common.publish.run_log import DRIVER, RunLine
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.written import WriteTables
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import AnyStep, Looked, Workspace, looked_up
from lexbeam.transforms.common.store.receipts import FREED, Envelope, Needed, is_freed, source_of, stem_of
from lexbeam.transforms.common.store.tables import written

if TYPE_CHECKING:
    import apache_beam as beam


class LastArtefact(NamedTuple):
    """An artefact that what is published was made of.

    Attributes:
        name: the path that names of its files begin with.
        bytes: of its files.
        files: what names these in what was made of them (`receipts.source_of`).
        made_of: likewise the files that it was made of.
        entries: likewise those of which it has some entries.
    """

    name: str
    bytes: int
    files: frozenset[str]
    made_of: frozenset[str]
    entries: frozenset[str]


class StageChange(NamedTuple):
    """What is known of a stage beforehand.

    Attributes:
        stage: its name.
        superseded: names of artefacts that others will take the place of.
        whole: whether all are made again, since the code is another; they may well come out the same.
        splits: whether its artefacts split up what they are made of (`Step.splits`).
    """

    stage: str
    superseded: Collection[str] = ()
    whole: bool = False
    splits: bool = False


def used_artefacts(
    receipts: Iterable[tuple[str, str, Envelope]], published: Iterable[str]
) -> dict[str, list[LastArtefact]]:
    """Return, by stage, the artefacts that published parts are, and those that they were made of, directly or not.

    Args:
        receipts: stage, name and receipt of all artefacts there are; of a stage's that have a file in common, which
            may have been made of other things or by other code, the first counts.
        published: SHA-256 of the parts.
    """
    by_file: dict[str, dict[str, LastArtefact]] = {}
    for stage, name, receipt in receipts:
        entries = frozenset(source[1:] for source in receipt.made_of if source.startswith("~"))
        made_of = frozenset(source for source in receipt.made_of if not source.startswith("~"))
        names = frozenset(source_of(file.sha256) for file in receipt.files)
        artefact = LastArtefact(name, sum(file.bytes for file in receipt.files), names, made_of, entries)
        for source in names:
            by_file.setdefault(source, {}).setdefault(stage, artefact)
    used: dict[str, dict[str, LastArtefact]] = {}
    left = [source_of(sha256) for sha256 in published]
    seen = set(left)
    while left:
        for stage, artefact in by_file.get(left.pop(), {}).items():
            if artefact.name not in used.setdefault(stage, {}):
                used[stage][artefact.name] = artefact
                more = (artefact.made_of | artefact.entries) - seen
                seen |= more
                left += more
    return {stage: [artefacts[name] for name in sorted(artefacts)] for stage, artefacts in used.items()}


def forecast(
    changes: Sequence[StageChange],
    used: Mapping[str, Sequence[LastArtefact]],
    documents: float,
    place: Callable[[LastArtefact], int],
) -> dict[str, list[LastArtefact]]:
    """Return, by stage, the artefacts that will likely be made again, or others in their place.

    Args:
        changes: all stages, each after those whose artefacts it is made of.
        used: what the last run was made of, see `used_artefacts`.
        documents: how many have come, changed or gone; infinity where that is not what has changed.
        place: of a part its number, by which parts of tables belong together.
    """
    others: set[str] = set()  # files that will be others
    made = {}
    for change in changes:
        artefacts = used.get(change.stage, ())
        superseded = [artefact for artefact in artefacts if artefact.name in change.superseded]
        sources = sorted({source for artefact in artefacts for source in artefact.made_of & others})
        if change.splits:  # of as many files, documents are in as many
            sources = sources[: math.ceil(touched(len(sources), documents) - 1e-9)]
        remade = [artefact for artefact in artefacts if not artefact.made_of.isdisjoint(sources)]
        merged = [artefact for artefact in artefacts if artefact.entries & others and artefact not in remade]
        remade += _some(sorted(merged, key=place), touched(len(merged), documents))
        changed = remade
        if change.splits:
            changed = _some(sorted(remade, key=place), touched(len(remade), documents))
        if not change.whole:
            changed = [*changed, *(artefact for artefact in superseded if artefact not in changed)]
        others |= {source for artefact in changed for source in artefact.files}
        made[change.stage] = [
            artefact for artefact in artefacts if change.whole or artefact in remade or artefact in superseded
        ]
    return made


def _some(artefacts: Sequence[LastArtefact], number: float) -> list[LastArtefact]:
    return list(artefacts[: math.ceil(number - 1e-9)])


def touched(number: int, documents: float) -> float:
    """Return how many of some artefacts are touched on average by documents that are each in one of them, evenly drawn.

    >>> touched(8, 1), touched(2, 2), touched(3, math.inf), touched(0, 1)
    (1.0, 1.5, 3.0, 0.0)
    """
    return number * (1 - (1 - 1 / number) ** documents) if number else 0.0


_STARTED = 5.0  # seconds within which the lines of a run and its driver's end


class StagePlan(NamedTuple):
    """What a stage would make anew.

    Attributes:
        section: that it makes artefacts for.
        stage: its name.
        unit: what a person calls its artefacts.
        kept: how many artefacts are taken up; None: it is not known how many, or not asked.
        made: how many are made; None: not known before.
        after: where `made` is None, the stages or sections from which it follows.
        freed: how many of those that are kept were freed, and may be needed all the same.
        likely: how many are likely made, where `made` is None, and `kept` are kept; None: nobody knows.
        bytes: of as many as are `likely` made, as they were made last; 0: not known.
    """

    section: str
    stage: str
    unit: str
    kept: int | None
    made: int | None
    after: tuple[str, ...] = ()
    freed: int = 0
    likely: int | None = None
    bytes: int = 0


class Estimate(NamedTuple):
    """How long a run would take, by what it took when it was done last.

    Attributes:
        work: seconds of all stages, on one worker.
        clock: seconds by the clock, with as many workers as then.
        unknown: stages that have something to make, or may have, of which no time is known.
    """

    work: float
    clock: float
    unknown: tuple[str, ...]


def estimated(plans: Iterable[StagePlan], log: Sequence[RunLine]) -> Estimate:
    """Return how long a run would take, by the bytes of what it makes, or by the number where these are not known.

    Args:
        plans: of all stages of all sections: each has its graph run anew, if only to find that all is there.
        log: what they took before.
    """
    of_stage: dict[str, list[RunLine]] = {}
    for line in log:
        of_stage.setdefault(line.stage, []).append(line)
    of_section: dict[str, list[StagePlan]] = {}
    for plan in plans:
        of_section.setdefault(plan.section, []).append(plan)
    work = clock = 0.0
    unknown = []
    for section, in_section in of_section.items():
        lines = [line for plan in in_section for line in of_stage.get(plan.stage, ())]
        driver = next((line for line in of_stage.get(section, ()) if line.worker == DRIVER), None)
        last = [line for line in lines if driver and abs(driver.time - line.time) < _STARTED]
        workers = len({line.worker for line in last}) or 1
        seconds = 0.0
        for plan in in_section:
            took = _seconds(plan, of_stage.get(plan.stage, ()))
            if took is None or (driver is None and plan.made != 0):
                unknown.append(plan.stage)
            seconds += took or 0.0
        work += seconds
        clock += seconds / workers
        if driver:
            clock += max(driver.seconds - sum(line.seconds for line in last) / workers, 0.0)
    return Estimate(work, clock, tuple(unknown))


def _seconds(plan: StagePlan, lines: Sequence[RunLine]) -> float | None:
    """Return how long a stage would work; None: it may have to, and nothing says how long."""
    seconds, elements, there, size = (
        sum(getattr(line, name) for line in lines) for name in ("seconds", "elements", "there", "bytes")
    )
    number = plan.made
    if number is None or plan.freed:  # as many as there are, where nobody knows
        likely = elements + there if plan.likely is None else plan.likely
        number = max(likely, number or 0)
    if not number:
        return 0.0
    if not elements:
        return None
    if plan.bytes and plan.likely and size:
        return float(seconds * plan.bytes / size * number / plan.likely)
    return float(seconds * number / elements)


@dataclass(frozen=True)
class _Look:
    """What was found of a section that is published, looked at as if no other were made anew.

    Attributes:
        stages: those in its graph, in their order.
        looked: by stage, what was looked up.
        before: by stage, those before it in the graph.
        wanted: parts that were freed, and are to be published.
        failure: why the graph failed, if it did: with artefacts left out, what comes after them need not make sense.
    """

    stages: Sequence[AnyStep]
    looked: Mapping[str, Looked]
    before: Mapping[str, Collection[str]]
    wanted: frozenset[str] = frozenset()
    failure: LexbeamError | None = None

    @property
    def sources(self) -> set[str]:
        """The stages that lack something."""
        lacking = {stage for stage, found in self.looked.items() if found.missed}
        if isinstance(self.failure, Needed):  # by a step that makes no artefact
            lacking.add(_stage_of(self.failure.path))
        return lacking

    def of(self, stage: str) -> Looked:
        """Return what was looked up of a stage."""
        return self.looked.get(stage, Looked())


def plan_stages(
    jobs: Sequence[Job],
    snapshot: Snapshot | None,
    follows: Mapping[str, Sequence[str]],
    stays: Collection[str],
    documents: float,
) -> Iterator[tuple[Job, list[StagePlan] | LexbeamError]]:
    """Yield what the stages of sections would make, or why it cannot be told, since one cannot be made as things are.

    Of a section that is new nothing is looked up, which would read all of its input files.

    Args:
        jobs: the jobs that make them, in their order.
        snapshot: what is published; None: nothing.
        follows: by section, those before it whose tables it reads and that are made anew.
        stays: sections of which nothing has changed that they are made from. Their artefacts may be gone all the same.
        documents: how many input documents have come, changed or gone; infinity where options have changed.
    """
    looks: dict[str, _Look | LexbeamError] = {}
    for job in jobs:
        try:
            looks[job.section] = _look(job, snapshot, job.section in stays)
        except LexbeamError as error:
            looks[job.section] = _listed(job, snapshot) if follows[job.section] else error
    likely = _likely(looks, snapshot, documents) if snapshot else {}
    for job in jobs:
        look, after = looks[job.section], follows[job.section]
        if isinstance(look, LexbeamError):
            yield job, look
        elif look.failure is not None and not look.sources and not after:
            yield job, LexbeamError("the graph fails: run it to see why")
        else:
            yield job, list(_plans(job, look, after, likely))


def _listed(job: Job, snapshot: Snapshot | None) -> _Look:
    """Return the stages of a section that cannot be looked at before what it reads is made: those of last time."""
    made = {} if snapshot is None else snapshot.sections.get(job.section, {}).get("stages")
    # Of one that had nothing to do, nobody knows which.
    stages = [stage for stage in job.command.making(job.section) if not made or stage.name in made]
    return _Look(stages, {}, {stage.name: () for stage in stages})


def _look(job: Job, snapshot: Snapshot | None, stays: bool) -> _Look:
    is_new = snapshot is None or job.section not in snapshot.sections
    from lexbeam.transforms.common.store.ptransforms import stages_before

    to_write = Looked(missing=frozenset({"tables"}))
    if not job.command.has("build"):
        making = job.command.making(job.section)
        missed = {} if stays or is_new else {making[-1].name: to_write}
        return _Look(making, missed, {stage.name: () for stage in making})
    from lexbeam.pipelines.runners.configs import load_runner_config
    from lexbeam.pipelines.runners.runners import run_pipeline

    job = job._replace(options=replace(job.options, keep="all"))  # else the graph might free what it has looked up
    try:
        plan = plan_of(job, find_inputs(job, (), snapshot))
    except NoDataError:  # its empty tables are all that is written
        making = (WriteTables(job.section),)
        return _Look(making, {} if stays else {making[0].name: to_write}, {making[0].name: ()})
    before: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
        workspace = Workspace(_root(job), folder)
        results = ResultFiles(scratch)

        def build(pipeline: "beam.Pipeline") -> bool:
            collections = job.command.build(pipeline, plan, Graph(workspace, 1, True, scratch))
            results.write({"parts": collections["parts"]})
            before.update(stages_before(pipeline))
            return not is_new

        failure: LexbeamError | None = None
        try:
            run_pipeline(build, load_runner_config("direct"))
        except LexbeamError as error:
            failure = error
        stages = [stage for stage in job.command.stages if stage.name in before]
        parts = HandedBack(results.parts(), {})
        published = [part for table in job.command.table_names for part in written(parts.of_table(table))]
        wanted = frozenset(stem_of(part.path) for part in published if is_freed(part.path))
        return _Look(stages, looked_up(workspace), before, wanted, failure)


def _root(job: Job) -> str:
    return files.join(files.absolute(job.options.out), ARTEFACTS)


def _likely(
    looks: Mapping[str, _Look | LexbeamError], snapshot: Snapshot, documents: float
) -> dict[str, tuple[list[LastArtefact], int]]:
    """Return, by stage, what of what is published will likely be made again, and how many artefacts will not.

    A stage is left out whose artefacts no receipt names.
    """
    parts = {source_of(part.sha256): part for table in snapshot.tables for part in snapshot.parts(table)}
    published = {
        section: look for section, look in looks.items() if section in snapshot.sections and isinstance(look, _Look)
    }
    names = [stage.name for look in published.values() for stage in look.stages]
    root = files.join(snapshot.out, ARTEFACTS)
    there = {stem for look in published.values() for looked in look.looked.values() for stem in looked.there}
    receipts = sorted(receipts_of(root, dict.fromkeys(names)), key=lambda receipt: receipt[1] not in there)
    used = used_artefacts(receipts, (part.sha256 for part in parts.values()))
    changes: dict[str, StageChange] = {}
    for section, look in published.items():
        entries = snapshot.sections[section].get("stages", {})
        for stage in look.stages:
            superseded: set[str] = set()
            if look.of(stage.name).missed and not look.sources & {*look.before[stage.name]}:
                superseded = {a.name for a in used.get(stage.name, ())} - look.of(stage.name).there
            whole = stage.name in entries and _is_other(stage, entries[stage.name])
            changes.setdefault(stage.name, StageChange(stage.name, superseded, whole, stage.splits))

    def place(artefact: LastArtefact) -> int:
        return min((parts[file].number for file in artefact.files if file in parts), default=0)

    found = forecast([*changes.values()], used, documents, place)
    needed = {stem for look in published.values() for looked in look.looked.values() for stem in looked.needed}
    needed |= {stem for look in published.values() for stem in look.wanted}
    again = _made_again(found, used, needed)
    made = {
        name: [*some, *(each for each in used[name] if each.name in again)]
        for name, some in found.items()
        if some or name in used
    }
    return {name: (some, len(used[name]) - len(some)) for name, some in made.items() if name in used}


def _made_again(
    made: Mapping[str, Sequence[LastArtefact]], used: Mapping[str, Sequence[LastArtefact]], needed: Collection[str]
) -> set[str]:
    """Return the names of freed artefacts that are likely made again: needed ones, and those of what is made."""
    of_file = {file: artefact for some in used.values() for artefact in some for file in artefact.files}
    by_name = {artefact.name: artefact for some in used.values() for artefact in some}
    left = [artefact for some in made.values() for artefact in some]
    begun = {artefact.name for artefact in left}
    left += [by_name[name] for name in needed if name in by_name and name not in begun]
    again = {*needed} - begun
    while left:
        artefact = left.pop()
        for source in artefact.made_of | artefact.entries:
            other = of_file.get(source)
            if other and other.name not in begun | again and files.exists(other.name + FREED):
                again.add(other.name)
                left.append(other)
    return again


def _is_other(stage: AnyStep, entry: Mapping[str, Any]) -> bool:
    """Return whether a stage makes otherwise than what a manifest says of it."""
    try:
        return bool(stage.code(entry["chosen"]).digest != entry["identity"])
    except LexbeamError:  # an entry of a registry that is no longer there
        return True


def _plans(
    job: Job, look: _Look, follows: Sequence[str], likely: Mapping[str, tuple[list[LastArtefact], int]]
) -> Iterator[StagePlan]:
    again = Counter(map(_stage_of, look.wanted))  # for sure; others only if they are read of what names them
    needed = Counter(map(_stage_of, _needed_again(look.looked.values(), look.wanted)))
    after = {stage.name: sorted(look.sources & {*look.before[stage.name]}) for stage in look.stages}
    tables = WriteTables(job.section).name
    for stage in look.stages:
        found = look.of(stage.name)
        plan = StagePlan(job.section, stage.name, stage.unit, None, None)
        if stage.name in likely:
            made, kept = likely[stage.name]
            likely_made = max(len(made), found.missed)  # artefacts of equal bytes are one in `made`
            plan = plan._replace(kept=kept, likely=likely_made, bytes=sum(artefact.bytes for artefact in made))
        if stage.name == tables and found.missed:  # what comes of it may be what is there
            yield plan
            continue
        if follows or after[stage.name] or look.failure is not None:  # what fails need not have looked everything up
            yield plan._replace(after=tuple(follows or after[stage.name]), freed=len(found.freed))
            continue
        sure = again[stage.name]
        may = any(after[other] and stage.name in look.before[other] for other in after)
        freed = (len(found.freed) if may else needed[stage.name]) - sure
        yield plan._replace(kept=found.found - sure, made=found.missed + sure, freed=freed)


def _needed_again(looked: Iterable[Looked], wanted: Iterable[str]) -> set[str]:
    """Return the freed artefacts that are needed at most: those wanted, for what is missed, and for one another."""
    made_of: dict[str, frozenset[str]] = {}
    left = {*wanted}
    for found in looked:
        made_of |= found.freed
        left |= found.needed
    again: set[str] = set()
    while left:
        stem = left.pop()
        again.add(stem)
        left |= made_of.get(stem, frozenset()) - again
    return again


def _stage_of(path: str) -> str:
    return "/".join(path.split("/")[-3:-1])
