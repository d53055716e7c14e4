"""Any commands from one configuration file, their sections published together; and anew, when something has changed.

What the file may hold is described in pipelines/frame/configuration.py. The command line wins over it. What a refresh
publishes equals a new run.
"""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, NoReturn

from lexbeam.pipelines.commands.folder.watch import Pace, WatchOptions, input_files, watch
from lexbeam.pipelines.commands.keeping import find_own
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import (
    PARTS_HELP,
    Action,
    Command,
    IntakeOptions,
    Job,
    KeepOptions,
    PublishOptions,
    or_a_name,
)
from lexbeam.pipelines.frame.configuration import ON_FAILURE, read_jobs, read_on_failure
from lexbeam.pipelines.frame.interrupts import was_interrupted
from lexbeam.pipelines.frame.monitors import monitored, renew_metrics
from lexbeam.pipelines.frame.publishing import note_refused, read_unfinished, settle_unfinished
from lexbeam.pipelines.frame.running import check_runner, run_jobs
from lexbeam.pipelines.frame.stage_plans import StagePlan, estimated, plan_stages
from lexbeam.pipelines.frame.staleness import InputChanges, changes_outside, planned_otherwise, section_logs
from lexbeam.pipelines.monitoring.events import NothingToDo, SectionPlanned, report
from lexbeam.pipelines.runners.hooks import PublishHookError, tell_readers
from lexbeam.transforms.common.errors import (
    HeldBackError,
    HeldSectionsError,
    LexbeamError,
    NothingToDoError,
    UsageError,
    nearest,
)
from lexbeam.transforms.common.options.fields import option, option_changes, options_of
from lexbeam.transforms.common.portions import stated_parts
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.holding import FAILED
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.run_log import RunLine, note_success, read_run_log
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, open_snapshot
from lexbeam.transforms.common.shown import Block, amount, columns_with, units
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.ingestion import InputFile


@dataclass(frozen=True, kw_only=True)
class ConfigOptions:
    """Options of every command that runs a configuration; None means that the file, or the default, decides."""

    config: str = option(
        help="YAML file, such as `lexbeam init` writes", metavar="CONFIG.yaml", positional=True, path="place"
    )
    out: str | None = option(None, help="folder of the published tables", path="place", group="run")
    runner_config: str | None = option(
        None,
        help="YAML file of runner_configs/, or its name",
        metavar="FILE",
        path="place",
        within=or_a_name,
        group="run",
    )
    detach: bool = option(
        False,
        help="leave the work to a Flink cluster and end; the same command again goes on when it is done",
        group="run",
    )
    max_reject_share: float | None = option(
        None,
        help="publish nothing if more than this share of input records is rejected",
        least=0,
        most=1,
        group="limits",
    )
    parts: str | None = option(None, help=PARTS_HELP, metavar="N", check=stated_parts, group="run")
    on_failure: str | None = option(
        None,
        help="where a section fails: publish nothing, or the sections that neither feed it nor are made from it",
        choices=ON_FAILURE,
        group="run",
    )

    def jobs(self, **more: Any) -> list[Job]:
        """Return the jobs of the file, with these options and `more` in place of what it says."""
        named = {f.name: getattr(self, f.name) for f in fields(IntakeOptions) if hasattr(self, f.name)}
        return read_jobs(self.config, {name: value for name, value in named.items() if value is not None} | more)

    def apart(self) -> bool:
        """Return whether sections fail apart, as the command line says, or else the file."""
        return (self.on_failure or read_on_failure(self.config)) == "publish-others"


@dataclass(frozen=True, kw_only=True)
class RunOptions(ConfigOptions, PublishOptions):
    """Options of `lexbeam run`."""

    only: tuple[str, ...] = option(
        (), help="run only these sections of the file; what they read must be published", metavar="SECTION"
    )
    start: str | None = option(None, name="from", help="run this section and those after it", metavar="SECTION")


def _chosen(options: RunOptions, jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that `only` and `from` leave."""
    known = [job.section for job in jobs]
    wanted = [name.replace(" ", ".") for name in options.only]
    start = options.start.replace(" ", ".") if options.start else None
    asked = [*(("only", name) for name in wanted), *([("from", start)] if start else [])]
    for option_name, name in asked:
        if name not in known:
            hint = nearest(name, known) or f"; it has {', '.join(known)}"
            raise UsageError(f"`{option_name}`: {files.shown(options.config)} has no section {name!r}{hint}")
    first = known.index(start) if start else 0
    chosen = [job for job in jobs[first:] if not wanted or job.section in wanted]
    if not chosen:
        raise UsageError(f"no section is left: {', '.join(wanted)} comes before {start}")
    return chosen


class Run(Command[RunOptions, None]):
    """`lexbeam run`."""

    options = RunOptions
    examples = """\
  lexbeam run config.yaml --out results
  lexbeam run config.yaml --from change --overwrite
  lexbeam run config.yaml --runner-config direct_multiprocess"""
    takes_beam = True

    def action(self, options: RunOptions, action: Action) -> None:
        jobs = _chosen(options, options.jobs())
        noted = {"config": files.absolute(options.config)}
        run_jobs(jobs, jobs[0].options, tell=action.tell, beam=action.beam, noted=noted, apart=options.apart())


log = logging.getLogger("lexbeam")

_MANY = 0.5  # of the files: more is likelier a folder that is not mounted than a night's work


@dataclass(frozen=True, kw_only=True)
class RefreshOptions(ConfigOptions, KeepOptions, WatchOptions):
    """Options of `lexbeam refresh`."""

    dry_run: bool = option(False, help="say what would be made anew, and why, and make nothing")
    max_change: float = option(
        _MANY,
        help="publish nothing if more than this share of the input files has gone or has other content; 1 for a corpus "
        "in one file, such as an archive",
        least=0,
        most=1,
        group="limits",
    )
    keep_missing: bool = option(
        False,
        help="keep the documents of input files of `corpus` that have gone, as they are published",
        group="limits",
    )
    freeze_splits: bool = option(
        False, help="leave instances in the splits in which they are published; the rule adds new ones", group="limits"
    )
    exit_code: bool = option(False, help="exit with 3 if nothing has changed")


class _Plan(NamedTuple):
    """What a refresh is to do.

    Attributes:
        reasons: of each section, in the order in which they are made, why it is made anew; none: it stays.
        follows: of each section, those among them whose tables it reads and that are made anew.
        lost: of each section with input files, how many of them have gone or changed, and of how many.
        gone: of each section with input files, how many of them have gone.
        kept: the sections that keep what was made of these.
        documents: about how many input documents have come, changed or gone; infinity where options have changed.
        released: sections that were held, were never published, and are not in the configuration any more.
    """

    reasons: dict[str, list[str]]
    follows: dict[str, list[str]]
    lost: dict[str, tuple[int, int]]
    gone: dict[str, int]
    kept: frozenset[str]
    documents: float
    released: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether anything is to be made anew, or the manifest names what nobody is to make."""
        return any(self.reasons.values()) or bool(self.released)


def _refresh(options: RefreshOptions, action: Action) -> None:
    """Run the sections of a file again, if anything that they are made from has changed.

    Raises:
        UsageError: the file or an option is wrong.
        NothingToDoError: with `exit_code`, nothing has changed.
        HeldSectionsError: sections have failed apart.
        LexbeamError: what is to be kept cannot be found, or has gone where it cannot be kept; more has changed than
            `max_change` allows; or the work failed.
    """
    if options.watch:
        _watch(options, action)
    jobs = options.jobs(overwrite=True)
    if options.dry_run:
        _refresh_jobs(jobs, options, action)
        return
    with monitored(jobs, jobs[0].options):
        _refresh_jobs(jobs, options, action)


def _refresh_jobs(jobs: Sequence[Job], options: RefreshOptions, action: Action) -> None:
    out = files.absolute(jobs[0].options.out)
    snapshot = find_own(out) if options.keep_missing or options.freeze_splits else find_snapshot(out)
    jobs = [_keeping(job, options, snapshot) for job in jobs]
    check_runner(jobs, action.beam)
    before = read_unfinished(out)
    try:
        plan = _planned(jobs, snapshot)
        for section, why in snapshot.held.items() if snapshot and options.dry_run else ():
            action.tell(f"held now: {section}: {why}")
        for section in plan.released:
            action.tell(f"{section}: was held back, and is not in the configuration any more")
        for section, reasons in plan.reasons.items():
            planned = f"{section}: {'; '.join(reasons) or 'stays as it is'}"
            if options.dry_run:
                action.tell(planned)
            else:
                report(SectionPlanned(section=section, reasons=reasons), planned, action.tell)
        for section in sorted(snapshot.sections.keys() - plan.reasons.keys()) if snapshot else ():
            action.tell(f"{section}: not in the configuration, is left unless what it was made from is another now")
        if plan.changes:
            _make(jobs, plan, snapshot, options, action)
    except (HeldSectionsError, PublishHookError):  # what is held is noted already, and who is to be told
        raise
    except LexbeamError as error:
        # What fails after the publication, such as a hook, has refused nothing, and an interrupt neither.
        refused = snapshot is not None and snapshot_name(out) == snapshot.name and not was_interrupted()
        if refused and not options.dry_run:
            note_refused(out, [job.section for job in jobs], error, before)
            _tell_all_the_same(options.on_publish, out)
        raise
    if not plan.changes:
        told = 0
        if snapshot is not None and not options.dry_run:
            settle_unfinished(jobs[0].options, snapshot, [job.section for job in jobs])
        since = _last_time(out)
        nothing = f"nothing has changed since {since}: nothing is published" if since else "nothing has changed"
        if options.dry_run:
            action.tell(nothing)
        else:
            report(NothingToDo(snapshot=snapshot.name if snapshot else None), nothing, action.tell)
            told = tell_readers(options.on_publish, out)
            if snapshot is not None:
                note_success(out, snapshot.name)
        if told:
            action.tell(f"`on_publish` was run for {amount(told, 'publications')} of before")
        if options.exit_code and not told:
            raise NothingToDoError(f"nothing to do at {files.shown(out)}")


def _tell_all_the_same(command: str | None, out: str) -> None:
    """Tell readers of publications of before, though nothing can be published now."""
    try:
        tell_readers(command, out)
    except PublishHookError as error:
        log.error("%s", error)


def _make(jobs: Sequence[Job], plan: _Plan, snapshot: Snapshot | None, options: RefreshOptions, action: Action) -> None:
    apart, refused = options.apart(), _refused(plan, options)
    if options.dry_run:
        failed: dict[str, LexbeamError] = {}
        for line in shown_lines(_stage_lines(jobs, plan, snapshot, failed)):
            action.tell(line)
        _refuse({**failed, **refused} if apart else refused or failed, apart, len(jobs))
        return
    if not apart:
        _refuse(refused, apart, len(jobs))
    noted = {"config": files.absolute(options.config)}
    after = snapshot.name if snapshot and (options.keep_missing or options.freeze_splits) else None
    run_jobs(
        jobs,
        jobs[0].options,
        tell=action.tell,
        beam=action.beam,
        noted=noted,
        after=after,
        apart=apart,
        refused=refused,
    )


def _refuse(errors: Mapping[str, LexbeamError], apart: bool, sections: int) -> None:
    """Raise what a refresh ends with whose sections cannot be made, as far as is known before."""
    if apart and 0 < len(errors) < sections:
        lines = "".join(f"\n  {name}: {error}" for name, error in errors.items())
        held = dict.fromkeys(errors, FAILED)
        raise HeldSectionsError(f"these would be held, and what hangs on them:{lines}", held, published=False)
    for error in errors.values():
        raise error


def _refused(plan: _Plan, options: RefreshOptions) -> dict[str, LexbeamError]:
    """Return why sections are not to be made, since what has gone cannot be kept, or too much has changed."""
    refused: dict[str, LexbeamError] = {}
    for section, gone in plan.gone.items():
        if options.keep_missing and gone and section not in plan.kept:
            refused[section] = _not_kept(section, gone)
    for section, (lost, taken) in plan.lost.items():
        if lost > options.max_change * taken:
            refused.setdefault(section, _too_much(section, lost, taken, options.max_change))
    return refused


def _watch(options: RefreshOptions, action: Action) -> NoReturn:
    for name in ("dry_run", "exit_code", "detach"):
        if getattr(options, name):
            raise UsageError(f"`watch` stays and refreshes again and again: leave out `{name}`")
    once = replace(options, watch=False)
    jobs: list[Job] = []

    def listed() -> Iterator[tuple[str, InputFile]]:
        jobs[:] = options.jobs(overwrite=True)
        return input_files(jobs)

    def looked(error: LexbeamError | None) -> None:
        """Note for `lexbeam status` that a look has failed, or that it has found nothing to do."""
        out = files.absolute(jobs[0].options.out) if jobs else None
        with suppress(OSError, LexbeamError):  # it is said again after the next look
            if out is None or (name := snapshot_name(out)) is None:
                return
            if error is None:
                note_success(out, name)
            else:
                note_refused(out, [job.section for job in jobs], error, read_unfinished(out))
            if options.prometheus is not None:
                renew_metrics(options.prometheus, out, failed=error is not None)

    watch(
        listed,
        lambda: _refresh(once, action),
        Pace(options.watch_files, 60 * options.watch_minutes),
        options.watch_poll,
        out=options.out,
        looked=looked,
    )


def _keeping(job: Job, options: RefreshOptions, snapshot: Snapshot | None) -> Job:
    """Return a job with what it keeps of what it has published."""
    published = snapshot is not None and job.section in snapshot.sections
    kept = {
        name: snapshot.folder
        for name, asked in (("keep_missing", options.keep_missing), ("splits_from", options.freeze_splits))
        if snapshot is not None and published and asked and hasattr(job.options, name)
    }
    return job._replace(options=replace(job.options, **kept))


def _last_time(out: str) -> str:
    try:
        publications = read_history(out).publications
    except LexbeamError as error:
        log.warning("%s", error)
        return ""
    return publications[-1].time if publications else ""


def _planned(jobs: Sequence[Job], snapshot: Snapshot | None) -> _Plan:
    """Return what is to be made anew; a section that reads another one's tables is, if these come out otherwise."""
    reasons: dict[str, list[str]] = {}
    follows: dict[str, list[str]] = {}
    lost = {}
    gone = {}
    kept = set()
    documents = 0.0
    logs = section_logs(snapshot) if snapshot else {}
    for number, job in enumerate(jobs):
        read = {source.table for source in job.reads_here()}
        follows[job.section] = [
            other.section for other in jobs[:number] if reasons[other.section] and read & {*other.command.table_names}
        ]
        if snapshot is None or job.section not in snapshot.sections:
            reasons[job.section] = ["new"]
            continue
        keeps = getattr(job.options, "keep_missing", None) is not None
        noted = logs.get(job.section)
        outside = changes_outside(snapshot, job.section, noted, job=job, keep_gone=keeps)
        found = [*outside.reasons, *(options := _option_changes(job, snapshot))]
        if outside.inputs is not None:
            changes = outside.inputs.changes
            documents += math.inf if options else _documents(outside.inputs, snapshot.sections[job.section])
            gone[job.section] = changes.gone.number
            lost[job.section] = (0 if keeps else changes.gone.number) + changes.changed.number, outside.inputs.taken
            if keeps:
                kept.add(job.section)
        found += _kept_otherwise(job, snapshot)
        if not (found or follows[job.section]):  # what can be told without a plan is enough
            here = _is_here(getattr(job.options, "keep_missing", None), snapshot)
            found += planned_otherwise(job, snapshot, passed=("kept",) if here else ())
        reasons[job.section] = [*found, *(f"follows {name}" for name in follows[job.section])]
    held = snapshot.held.keys() - snapshot.sections.keys() if snapshot else set()
    return _Plan(reasons, follows, lost, gone, frozenset(kept), documents, tuple(sorted(held - reasons.keys())))


def _documents(inputs: InputChanges, section: Mapping[str, Any]) -> float:
    """Return about how many documents have come, changed or gone, by how many an input file has on average."""
    changes = inputs.changes
    number = sum(names.number for names in (changes.new, changes.gone, changes.changed, changes.back))
    return float(number * max(1.0, section.get("records", 0) / max(inputs.taken, 1)))


def _stage_lines(
    jobs: Sequence[Job], plan: _Plan, snapshot: Snapshot | None, failed: dict[str, LexbeamError]
) -> Iterator[Block]:
    """Yield what each stage would do, as far as that can be told without doing it.

    Of a section that cannot be made as things are, `failed` takes the error.
    """
    stages: list[StagePlan] = []
    rows: list[tuple[str, str]] = []
    new: list[str] = []
    stays = {section for section, reasons in plan.reasons.items() if not reasons}
    for job, found in plan_stages(jobs, snapshot, plan.follows, stays, plan.documents):
        if isinstance(found, LexbeamError):
            yield f"{job.section}: what its stages would make cannot be told"
            failed[job.section] = found
            continue
        stages += found
        if snapshot is None or job.section not in snapshot.sections:
            new.append(f"  {job.section}: {', '.join(stage.stage for stage in found)}")
        else:
            rows += [(stage.stage, _said(stage)) for stage in found]
    if rows:
        yield columns_with([("stage", "<"), ("what it would do", "<")], rows, indent=2)
    if new:
        of = "nothing is published yet" if snapshot is None else "of sections that are new, nothing is published yet"
        yield f"{of}: each stage makes what is not there"
        yield from new
    if not failed:
        yield _estimate(stages, read_run_log(snapshot.out, snapshot.name) if snapshot else ())


def _estimate(stages: Sequence[StagePlan], log: Sequence[RunLine]) -> str:
    found = estimated(stages, log)
    if not log or (found.unknown and not found.work):
        return "no time can be estimated: no log says what these stages took before"
    work, clock = math.ceil(found.work), math.ceil(found.clock)
    more = f"; not in it: {', '.join(found.unknown)}, of which no time is known" if found.unknown else ""
    return (
        f"by the speeds of the last run: about {work} {units(work, 'seconds')} of work on one worker, {clock} by the "
        f"clock{more}"
    )


def _said(stage: StagePlan) -> str:
    if stage.made is None:
        what = f"makes what follows from {', '.join(stage.after)}" if stage.after else "makes what is not there"
        if stage.likely is not None:
            what += f": likely {stage.likely} {units(stage.likely, stage.unit)}, keeps {stage.kept}"
        return f"{what}; {stage.freed} of all were freed" if stage.freed else what
    if not stage.made and stage.kept is None:
        return "keeps all"
    said = f"keeps all, {stage.kept} {units(stage.kept or 0, stage.unit)}"
    if stage.made:
        said = f"makes {stage.made} {units(stage.made, stage.unit)}, keeps {stage.kept}"
    return f"{said}; what is needed of {stage.freed} that were freed is made again" if stage.freed else said


def _option_changes(job: Job, snapshot: Snapshot) -> list[str]:
    known = options_of(type(job.options))
    flagless = {name for name, entry in known.items() if entry.positional}  # a configuration has their names
    other = option_changes(type(job.options), snapshot.sections[job.section]["options"], job.options).other
    return [f"{name if name in flagless else f'`{name}`'} {before} to {now}" for name, (before, now) in other.items()]


def _is_here(place: str | None, snapshot: Snapshot) -> bool:
    """Return whether a place is what is published here, which is another snapshot each time."""
    if not place:
        return False
    return place == snapshot.folder or files.absolute(place) == files.absolute(snapshot.out)


def _kept_otherwise(job: Job, snapshot: Snapshot) -> Iterator[str]:
    """Yield that something was kept which is not to be."""
    section = snapshot.sections[job.section]
    splits = getattr(job.options, "splits_from", "")
    if splits is None and "kept" in section:
        yield "its splits were frozen, and are not any more"
    elif splits and not _is_here(splits, snapshot) and section.get("kept") != open_snapshot(splits).name:
        yield "option: `splits_from` has other content"
    if getattr(job.options, "keep_missing", "") is None and "kept" in section.get("resources", {}):
        yield "what has gone was kept, and is not any more"


def _not_kept(section: str, gone: int) -> HeldBackError:
    return HeldBackError(
        f"{section}: input files have gone ({gone}), and `keep_missing` keeps the documents of corpus alone; "
        "nothing is published. Put them back, or leave `keep_missing` out",
        [f"{section}: input files have gone ({gone}), and nothing is kept of them"],
    )


def _too_much(section: str, lost: int, taken: int, most: float) -> HeldBackError:
    reason = f"{section}: {lost} of {taken} input files have gone or have other content"
    return HeldBackError(
        f"{reason}, more than `max_change` {most:g} allows; nothing is published. Is every folder there? If "
        "so, allow more: files are counted, not documents, so that an archive is one",
        [reason],
    )


class Refresh(Command[RefreshOptions, None]):
    """`lexbeam refresh`."""

    options = RefreshOptions
    examples = """\
  lexbeam refresh config.yaml --dry-run
  lexbeam refresh config.yaml --max-change .2 --exit-code
  lexbeam refresh config.yaml --keep-missing --freeze-splits
  lexbeam refresh config.yaml --watch --watch-minutes 10"""
    takes_beam = True
    action = staticmethod(_refresh)
