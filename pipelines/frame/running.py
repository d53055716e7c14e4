"""Commands at work: options checked, sections made and published, summaries told; once for all commands.

    run_command("change", options, tell=print)

`lexbeam run` passes several jobs at once, in the order of what they read.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import Action, Command, Job, PublishOptions, RunnerOptions
from lexbeam.pipelines.frame.handed_back import Leaving, Submitted
from lexbeam.pipelines.frame.inputs import check_tables_there, find_inputs, input_patterns, missing_table
from lexbeam.pipelines.frame.interrupts import note_run, was_interrupted
from lexbeam.pipelines.frame.monitors import emit_made, monitored
from lexbeam.pipelines.frame.piping import Tell, is_piped, run_piped, text_of
from lexbeam.pipelines.frame.publishing import Intended, Sections, StillDamagedError, begun_at, publish_run, tables_line
from lexbeam.pipelines.frame.registry import load, section_of
from lexbeam.pipelines.frame.sections import Explained, explain, make_section, plan_of
from lexbeam.pipelines.monitoring.estimates import Foreseen
from lexbeam.pipelines.monitoring.events import JobsSubmitted, NothingToDo, SectionStarted, are_printed, emit, report
from lexbeam.pipelines.monitoring.progress import RunProgress
from lexbeam.pipelines.runners.hooks import PublishHookError, tell_readers
from lexbeam.transforms.common.errors import (
    HeldSectionsError,
    LexbeamError,
    NoDataError,
    ReplacedSectionsError,
    UsageError,
    explaining,
)
from lexbeam.transforms.common.options.fields import noted_paths, plain_options
from lexbeam.transforms.common.publish.holding import FAILED, Unmade, check_bounds, made_from
from lexbeam.transforms.common.publish.layout import is_idle
from lexbeam.transforms.common.publish.run_log import DRIVER, RunLine
from lexbeam.transforms.common.publish.sections import Made, owner_of
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, open_snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.receipts import Damaged, checked
from lexbeam.transforms.formats.ingest.input_listing import refuse_output_as_input

if TYPE_CHECKING:
    from lexbeam.pipelines.runners.configs import RunnerConfig

log = logging.getLogger("lexbeam")

_NONE: Mapping[str, LexbeamError] = MappingProxyType({})


def run_command(name: str, options: Any, *, tell: Tell, beam: Sequence[str] = (), data: Tell | None = None) -> None:
    """Run a command.

    Args:
        name: its words.
        options: its options.
        tell: takes the lines for a person to read.
        beam: Beam options.
        data: takes lines of data, which must reach their reader unchanged; None: `tell` takes them.

    Raises:
        UsageError: an option is wrong, or published sections would be replaced without consent.
        LexbeamError: the command failed; the message says why.
    """
    with explaining(getattr(options, "out", None)):
        command = load(name)
        job = Job(section_of(name), command, options)
        prints_tables = bool(command.tables) and options.out is None
        if command.has("action") and (not command.tables or prints_tables):
            _check(job)
            command.action(options, Action(tell, beam=beam, data=data))
        elif command.has("preview") and getattr(options, "dry_run", False):
            _check(job)
            for line in command.preview(plan_of(job, find_inputs(job, (), None))):
                (data or tell)(line)
        elif is_piped(command, options):
            run_piped(
                command,
                options,
                lambda other, told: run_jobs([job._replace(options=other)], other, tell=told, beam=beam),
                tell,
            )
        else:
            if options.out is None:  # of a command that can do without in a pipe
                raise UsageError("`out` must be given: the folder of the published tables")
            run_jobs([job], options, tell=tell, beam=beam)


def run_on_text(name: str, options: Any, text: str, tell: Tell, beam: Sequence[str] = ()) -> str:
    """Return what a command makes of a text that is given in place of files; raises as `run_command`."""
    job = Job(section_of(name), load(name), options)
    with explaining():
        return text_of(
            text,
            job.command,
            options,
            lambda other, told: run_jobs([job._replace(options=other)], other, tell=told, beam=beam),
            tell,
        )


def run_jobs(
    jobs: Sequence[Job],
    options: PublishOptions,
    *,
    tell: Tell,
    beam: Sequence[str] = (),
    noted: Mapping[str, Any] | None = None,
    after: str | None = None,
    apart: bool = False,
    refused: Mapping[str, LexbeamError] = _NONE,
) -> None:
    """Run jobs in their order and publish their sections at once.

    Args:
        jobs: the jobs, each after those whose tables it reads.
        options: the folder, and what may be replaced, reused and kept.
        tell: takes the lines for a person to read.
        beam: Beam options.
        noted: what the log beside the snapshot says of every section.
        after: the snapshot from which they keep something, which must be what is published; None: they keep nothing.
        apart: whether sections fail apart: what hangs on none that failed is published all the same.
        refused: of sections that fail apart, the errors of those that are not even to be made.

    Raises:
        HeldSectionsError: some have failed apart, and the others are published.
        PublishHookError: all is published, and the command that was to follow has failed.
        UsageError, LexbeamError: as `run_command`.
    """
    with monitored(jobs, options):
        made: set[str] = set()
        refused = {**(_wants(jobs, options.out) if apart else {}), **refused}
        for job in jobs:
            if not apart:
                _check(job)
            check_tables_there(job.reads_here(), made, job.options.out)
            made.update(job.command.table_names)
        if refused.keys() >= {job.section for job in jobs}:
            raise next(refused[job.section] for job in jobs)
        config = _runner(jobs, beam)
        if config is not None and config.elsewhere:
            _check_seen(jobs, options.out)
        leaving = Leaving(_cluster(jobs, config))
        run = _Run(jobs, files.absolute(options.out), tell, beam, noted or {}, config, leaving, after, apart, refused)
        intended = [
            Intended(
                job.section,
                job.command.table_names,
                plain_options(job.options),
                tuple(source.table for source in job.reads_here()),
                tuple(stage.name for stage in job.command.stages_of(job.section)),
            )
            for job in jobs
        ]
        versions = {table.name: table.version for job in jobs for table in job.command.tables}
        failed: Exception | None = None  # readers are told all the same
        done: Sequence[Job] = jobs
        try:
            published = publish_run(
                options, intended, run.make_sections, versions, tell, run.explain, leaving, run.check_bounds
            )
        except ReplacedSectionsError:
            _check_plans(jobs, options.out)
            raise
        except Submitted as submitted:
            report(JobsSubmitted(message=str(submitted)), str(submitted), tell)
            return
        except StillDamagedError as error:
            published, failed, done = True, error, ()
        except HeldSectionsError as error:
            published, failed = error.published, error
            done = [job for job in jobs if job.section not in error.held]
        snapshot = open_snapshot(options.out)
        if not published and failed is None:
            emit(NothingToDo(snapshot=snapshot.name))
        try:
            if published and done and not are_printed():
                _tell_summaries(done, snapshot, options.out, tell)
            for job in done:
                job.command.after(job.options, snapshot, tell)
        except Exception as error:
            if failed is not None:
                log.error("%s", failed)
            failed = error
        try:
            tell_readers(options.on_publish, files.absolute(options.out))
        except PublishHookError as error:  # it is run again by the next run
            if failed is None:
                raise
            log.error("%s", error)
        if failed is not None:
            raise failed


@dataclass(frozen=True)
class _Run:
    """A run while it makes its sections.

    Attributes:
        jobs: the jobs, in their order.
        out: the folder to publish to.
        tell: takes the lines for a person to read.
        beam: Beam options.
        noted: what the log beside the snapshot says of every section.
        config: the runner configuration; None where no job has a graph.
        leaving: what is left to a cluster, or was.
        after: what must be published still; None: anything may be.
        apart: whether sections fail apart.
        refused: the errors of sections that are not even to be made.
        explained: the tables that say what was wrong, as far as they have been made.
        earlier: of each section, what its stages have taken so far, however often its graph is run.
        told: of each section that has been made, what of that events have told.
    """

    jobs: Sequence[Job]
    out: str
    tell: Tell
    beam: Sequence[str]
    noted: Mapping[str, Any]
    config: "RunnerConfig | None"
    leaving: Leaving
    after: str | None
    apart: bool
    refused: Mapping[str, LexbeamError]
    explained: list[Explained] = field(default_factory=list)
    earlier: dict[str, list[RunLine]] = field(default_factory=dict)
    told: dict[str, list[RunLine]] = field(default_factory=dict)

    def make_sections(self, workspace: Workspace, old: Snapshot | None) -> Sections:
        """Make the sections of all jobs from artefacts; nothing is published."""
        if self.after is not None and (old is None or old.name != self.after):
            raise LexbeamError(
                f"another run has published at {files.shown(self.out)} meanwhile, and what is to be kept is that of "
                "before: give the same command again"
            )
        self.explained.clear()
        stages = {job.section: _foreseen(job) for job in self.jobs}
        progress = RunProgress(workspace.root, stages, since=begun_at(workspace.root))
        note_run(self.jobs[0].options.out, progress)
        made: list[Made] = []
        unmade: dict[str, Unmade] = {}
        errors: dict[str, LexbeamError] = {}
        for job in self.jobs:
            read = {source.table for source in job.reads_here()}
            lacking = next((name for name, other in unmade.items() if read & {*other.tables}), None)
            if lacking is not None:
                unmade[job.section] = Unmade(job.command.table_names, made_from(lacking))
                progress.leave(job.section)
                continue
            try:
                made.append(self._made(job, made, old, workspace, progress))
            except Damaged:
                raise
            except LexbeamError as error:
                for part in (part for table in self.explained for part in table.parts):
                    checked(part)  # one that was freed is made anew, since a person is to read it
                if not self.apart or was_interrupted():
                    raise
                log.error("%s has failed, and what does not hang on it goes on: %s", job.section, error)
                unmade[job.section], errors[job.section] = Unmade(job.command.table_names, FAILED), error
                progress.leave(job.section)
        return Sections(made, unmade, errors)

    def _made(
        self, job: Job, made: Sequence[Made], old: Snapshot | None, workspace: Workspace, progress: RunProgress
    ) -> Made:
        """Make the section of a job; one that fails apart must keep its bounds, and knows nothing of what follows."""
        if job.section in self.refused:
            raise self.refused[job.section]
        if job.section not in self.told:  # else it is made again, since something that was freed is needed
            emit(SectionStarted(section=job.section))
        checks = {} if self.apart else _year_checks(job, self.jobs)
        with explaining(self.out) if self.apart else nullcontext():
            inputs = find_inputs(job, made, old)._replace(year_checks=checks)
            action = Action(self.tell, inputs, self.beam)
            section = make_section(
                job,
                inputs,
                workspace,
                self.config,
                action,
                self.explained,
                progress,
                self.leaving,
                self.earlier.setdefault(job.section, []),
            )
        section = replace(section, log={**(section.log or {}), **self.noted})
        if self.apart:
            check_bounds([section], {job.section: job.bounds})
        took = [line for line in section.took if line.worker != DRIVER and line.elements]
        if self.told.get(job.section) != took:
            emit_made(section)
        self.told[job.section] = took
        return section

    def check_bounds(self, made: Sequence[Made]) -> None:
        """Check that sections keep the bounds of their jobs; those that fail apart have been asked one by one."""
        if not self.apart:
            check_bounds(made, {job.section: job.bounds for job in self.jobs})

    def explain(self, error: LexbeamError, section: str | None) -> None:
        """Keep the tables that say what was wrong, of a section or of all, and name them in the error."""
        explain(error, self.out, [table for table in self.explained if section in (None, table.section)])


def _tell_summaries(jobs: Sequence[Job], snapshot: Snapshot, out: str, tell: Tell) -> None:
    for job in jobs:
        for line in shown_lines(summary_of(snapshot, job.section, job.command)):
            tell(line)
    names = {name for job in jobs for name in job.command.table_names}
    tell(tables_line(out, names & set(snapshot.tables)))


def summary_of(snapshot: Snapshot, section: str, command: Command[Any, Any]) -> Iterator[Block]:
    """Yield what a person is told of a section when it is published: its summary, and why it is empty if it is."""
    values = snapshot.section(section)
    if not is_idle(values):
        yield from command.summary(snapshot)
    if "empty" in values:
        yield f"{section} is empty: {values['empty']}"


def _year_checks(job: Job, jobs: Sequence[Job]) -> dict[str, Any]:
    checks = {}
    for other in jobs:
        read = {source.table for source in other.reads_here()}
        check = other.command.year_check(other.options)
        if other is not job and check is not None and read & set(job.command.table_names):
            checks[other.section] = check
    return checks


def _runner(jobs: Iterable[Job], beam: Sequence[str]) -> "RunnerConfig | None":
    """Return the runner configuration of the jobs, which share it; None where no job has a graph."""
    for job in jobs:
        if job.command.has("build") and isinstance(job.options, RunnerOptions):
            from lexbeam.pipelines.runners.configs import load_runner_config  # with Beam, which takes seconds

            return load_runner_config(job.options.runner_config, beam)
    if beam and not any(job.command.takes_beam for job in jobs):
        raise UsageError("no pipeline is run, so no Beam options are taken")
    return None


def check_runner(jobs: Sequence[Job], beam: Sequence[str]) -> None:
    """Check the runner configuration of jobs, and whether they can be left to it where that is asked for.

    Raises:
        UsageError: there is none such, an option of Beam's is wrong, or they cannot.
    """
    _cluster(jobs, _runner(jobs, beam))


def _cluster(jobs: Iterable[Job], config: "RunnerConfig | None") -> str | None:
    """Return the address of the cluster to which jobs are to be left; None if the run waits for them."""
    if not any(getattr(job.options, "detach", False) for job in jobs):
        return None
    if config is None:
        raise UsageError("`detach`: no pipeline is run, so nothing can go on by itself: leave it out")
    from lexbeam.pipelines.runners.configs import cluster_of

    return cluster_of(config)


def _check(job: Job) -> None:
    """Check all that can be checked before this job, or another one, makes anything."""
    _check_paths(job)
    _check_options(job)
    _check_folders(job)


def _wants(jobs: Iterable[Job], out: str) -> dict[str, LexbeamError]:
    """Return why sections that fail apart cannot be made for want of what their options name.

    Raises:
        UsageError: an option is wrong: that is to be told before anything is made. Options that a section is published
            with are not: what they name has other content now.
    """
    published: Mapping[str, Any] = {}
    with suppress(LexbeamError):  # what is damaged is told later, or mended
        published = snapshot.sections if (snapshot := find_snapshot(out)) else {}
    wants = {}
    for job in jobs:
        before = published.get(job.section, {}).get("options")
        same = before is not None and before.items() <= plain_options(job.options).items()
        for check, may_fail in ((_check_paths, True), (_check_options, same), (_check_folders, True)):
            try:
                with explaining(out):
                    check(job)
            except LexbeamError as error:
                if not may_fail:
                    raise
                wants[job.section] = error
                break
    return wants


def _check_plans(jobs: Iterable[Job], out: str) -> None:
    """Check the options of jobs by what is published, which a wrong one would else be told after."""
    made: set[str] = set()
    for job in jobs:
        if not made & {source.table for source in job.reads_here()}:  # else that is to be made first
            with suppress(NoDataError):
                plan_of(job, find_inputs(job, (), find_snapshot(out)))
        made.update(job.command.table_names)


def _check_options(job: Job) -> None:
    """Check the options of a job by themselves, which may read the files that they name."""
    if isinstance(job.options, PublishOptions):
        inputs = [path for paths in noted_paths(job.options, "input").values() for path in paths]
        refuse_output_as_input(inputs, job.options.out)
    job.command.check(job.options)


def _check_folders(job: Job) -> None:
    for source in job.command.reads(job.options):
        if not (source.optional or source.is_in(job.options.out)):
            snapshot = find_snapshot(str(source.folder))
            if snapshot is None or owner_of(snapshot.manifest, source.table) is None:
                raise missing_table(source, job.options.out)


def _check_paths(job: Job) -> None:
    """Check that the files that options name are there, before anything is made."""
    for name, paths in noted_paths(job.options, "file").items():
        for path in paths:
            if not files.exists(path):
                raise UsageError(f"{job.section}: `{name}`: no file is at {path!r}: check the path")
    for name, paths in noted_paths(job.options, "resource").items():
        for path in paths:
            if files.is_local(path) and not files.exists(path):
                raise UsageError(f"{job.section}: `{name}`: no file or folder is at {path!r}: check the path")
    inputs = [path for paths in noted_paths(job.options, "input").values() for path in paths]
    patterns = input_patterns(job) if isinstance(job.options, PublishOptions) else None
    for path in inputs:
        files.check_there(files.root_of(path) if patterns is not None and patterns.drained else path)


def _check_seen(jobs: Iterable[Job], out: str) -> None:
    """Check that workers on other machines alone see what jobs read and write."""
    places = [("`out`", out)]
    for job in jobs:
        inputs = noted_paths(job.options, "input").items()
        places += [(f"{job.section}: `{name}`", path) for name, paths in inputs for path in paths]
        folders = [source.folder for source in job.command.reads(job.options)]
        places += [(f"{job.section}: the folder", str(folder)) for folder in folders if folder is not None]
    for what, path in places:
        if files.is_local(path):
            raise UsageError(
                f"{what} {path!r} is on this machine, and the workers are on others: give a place on an object store, "
                "such as gs://BUCKET/PREFIX"
            )


def _foreseen(job: Job) -> list[Foreseen]:
    if not job.command.has("build"):
        return []
    weight = job.command.weights(job.options).get
    return [Foreseen(s.name, s.unit, weight(s.name)) for s in job.command.stages]
