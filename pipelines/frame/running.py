"""Commands at work: inputs found, plans made, graphs run, sections published; once, for all.

    run_command("change", options, tell=print)

`lexbeam run` gives several jobs at once, in the order of what they read.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pipelines.frame.blocks import shown_lines
from pipelines.frame.command import Action, Command, Graph, HandedBack, Inputs, InputTable, TableSource
from pipelines.frame.common_options import PublishOptions, RunnerOptions
from pipelines.frame.failures import Explained, explain
from pipelines.frame.inputs import (
    check_tables_there,
    described_in,
    missing_table,
    noted_files,
    noted_resources,
    refuse_output_as_input,
)
from pipelines.frame.publishing import Intended, publish_run, tables_line
from pipelines.frame.registry import all_tables, load, section_of
from pipelines.frame.results import ResultFiles
from pipelines.frame.run_log import run_log
from pipelines.progress.lines import Foreseen
from pipelines.progress.progress import RunProgress, watching
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options.fields import noted_paths, plain_options
from transforms.common.publish.sections import Made, owner_of
from transforms.common.publish.snapshots import Snapshot, find_snapshot, open_snapshot
from transforms.common.publish.written import WrittenTable, written
from transforms.common.store import files
from transforms.common.store.artefacts import Workspace, make, stage_entry
from transforms.common.store.sound import Damaged, checked
from transforms.common.store.tables import Part
from transforms.common.system_errors import explaining

__all__ = ["Job", "find_inputs", "make_section", "run_command", "run_jobs"]

Tell = Callable[[str], object]
READINGS = 3  # of files of options, while they change


class Job(NamedTuple):
    """A command with its options; it makes the section `section`."""

    section: str
    command: Command[Any, Any]
    options: Any

    def reads_own(self) -> list[TableSource]:
        """Return what it reads of the folder that it publishes to."""
        return [s for s in self.command.reads(self.options) if _is_own(s, self.options.out)]


def run_command(name: str, options: Any, *, tell: Tell, beam: Sequence[str] = (), data: Tell | None = None) -> None:
    """Run a command.

    Args:
        name: its words.
        options: its options.
        tell: takes the lines that a person is to read.
        beam: Beam options.
        data: takes lines of data, which are given as they are; None: `tell` takes them.

    Raises:
        UsageError: an option is wrong, or published sections would be replaced unasked.
        LexbeamError: it failed; the message says why.
    """
    with explaining(getattr(options, "out", None)):
        _run_command(name, options, tell, beam, data)


def _run_command(name: str, options: Any, tell: Tell, beam: Sequence[str], data: Tell | None) -> None:
    command = load(name)
    job = Job(section_of(name), command, options)
    told_alone = bool(command.tables) and options.out is None  # its action tells its tables
    if command.action is not None and (not command.tables or told_alone):
        _check(job)
        command.action(options, Action(tell, beam=beam, data=data))
    elif command.preview is not None and getattr(options, "dry_run", False):
        _check(job)
        for line in command.preview(_plan(job, find_inputs(job, (), None))):
            (data or tell)(line)
    else:
        run_jobs([job], options, tell=tell, beam=beam)


def run_jobs(
    jobs: Sequence[Job],
    options: PublishOptions,
    *,
    tell: Tell,
    beam: Sequence[str] = (),
    noted: Mapping[str, Any] | None = None,
) -> None:
    """Run jobs in their order and publish their sections at once.

    Args:
        jobs: the jobs, each after those whose tables it reads.
        options: the folder, and what may be replaced, reused and kept.
        tell: takes the lines that a person is to read.
        beam: Beam options.
        noted: what is noted beside the snapshot, of every section.

    Raises:
        UsageError, LexbeamError: as `run_command`.
    """
    made: set[str] = set()
    for job in jobs:
        _check(job)
        check_tables_there(job.reads_own(), made, job.options.out)
        made.update(job.command.table_names)
    config = _runner(jobs, beam)
    explained: list[Explained] = []

    def make_all(workspace: Workspace, old: Snapshot | None) -> list[Made]:
        made: list[Made] = []
        explained.clear()
        progress = RunProgress(workspace.root, {job.section: _foreseen(job) for job in jobs})
        try:
            for job in jobs:
                inputs = find_inputs(job, made, old)._replace(asked=_asked(job, jobs))
                action = Action(tell, inputs, beam)
                section = make_section(job, inputs, workspace, config, action, explained, progress)
                made.append(replace(section, log={**(section.log or {}), **(noted or {})}))
        except Damaged:
            raise
        except LexbeamError:
            for part in (part for one in explained for part in one.parts):
                checked(part)  # one that was freed is made anew, for a person is to read it
            raise
        return made

    intended = [
        Intended(
            job.section,
            job.command.table_names,
            plain_options(job.options),
            tuple(source.table for source in job.reads_own()),
        )
        for job in jobs
    ]
    versions = {name: table.version for name, table in all_tables().items()}

    def failed(error: LexbeamError) -> None:
        explain(error, files.absolute(options.out), explained)

    published = publish_run(options, intended, make_all, versions, tell, failed)
    snapshot = open_snapshot(options.out)
    if published:
        for job in jobs:
            for line in shown_lines(job.command.summary(snapshot)):
                tell(line)
        names = {name for job in jobs for name in job.command.table_names}
        tell(tables_line(options.out, names & set(snapshot.tables)))
    for job in jobs:
        job.command.after(job.options, snapshot, tell)


def _asked(job: Job, jobs: Sequence[Job]) -> dict[str, Any]:
    """Return what the jobs that read the tables of a job ask of it, by section."""
    found = {}
    for other in jobs:
        read = {source.table for source in other.reads_own()}
        ask = other.command.asks(other.options)
        if other is not job and ask is not None and read & set(job.command.table_names):
            found[other.section] = ask
    return found


def _runner(jobs: Iterable[Job], beam: Sequence[str]) -> Any:
    """Return the runner configuration of the jobs, which share it; None where none has a graph."""
    for job in jobs:
        if job.command.build is not None and isinstance(job.options, RunnerOptions):
            from pipelines.runners.runners import load_runner_config  # with Beam, which takes seconds

            return load_runner_config(job.options.runner_config, beam)
    if beam and not any(job.command.takes_beam for job in jobs):
        raise UsageError("no pipeline is run, so no Beam options are taken")
    return None


def _check(job: Job) -> None:
    """Check what can be checked before anything is made, of this job or another."""
    _check_paths(job)
    if job.command.check is not None:
        job.command.check(job.options)
    for source in job.command.reads(job.options):
        if not (source.optional or _is_own(source, job.options.out)):
            snapshot = find_snapshot(str(source.folder))
            if snapshot is None or _of_snapshot(source.table, snapshot, own=False) is None:
                raise missing_table(source, job.options.out)


def _check_paths(job: Job) -> None:
    """Check that the files that options name are there, before anything is made."""
    for name, paths in noted_paths(job.options, "file").items():
        for path in paths:
            if not files.exists(path):
                raise UsageError(f"{job.section}: `{name}`: no file is at {path!r}")
    for name, paths in noted_paths(job.options, "resource").items():
        for path in paths:
            if files.is_local(path) and not files.exists(path):
                raise UsageError(f"{job.section}: `{name}`: no file or folder is at {path!r}")
    inputs = [path for paths in noted_paths(job.options, "input").values() for path in paths]
    if isinstance(job.options, PublishOptions):
        refuse_output_as_input(inputs, job.options.out)
    for path in inputs:
        files.check_there(path)


def _is_own(source: TableSource, out: str) -> bool:
    return source.folder is None or files.real(source.folder) == files.real(out)


def find_inputs(job: Job, made: Sequence[Made], old: Snapshot | None) -> Inputs:
    """Find what a job reads: made by the same run, published at its folder, or in another.

    Raises:
        UsageError: a folder is named twice, or a table is nowhere.
        LexbeamError: a folder lacks the table.
    """
    given: list[InputTable] = []
    seen: set[tuple[str, str]] = set()
    opened: dict[str, Snapshot] = {}
    for source in job.command.reads(job.options):
        place = files.real(job.options.out if source.folder is None else source.folder)
        if (source.table, place) in seen:
            raise UsageError(f"{place!r} is named twice: its rows would count twice")
        seen.add((source.table, place))
        if _is_own(source, job.options.out):
            found = _of_run(source.table, made)
            if found is None and old is not None:
                found = _of_snapshot(source.table, old, own=True)
        else:
            if place not in opened:
                opened[place] = open_snapshot(str(source.folder))
            found = _of_snapshot(source.table, opened[place], own=False)
        if found is not None:
            given.append(found)
        elif not source.optional:
            raise missing_table(source, job.options.out)
    return Inputs(tuple(given))


def _of_run(table: str, made: Sequence[Made]) -> InputTable | None:
    for section in made:
        if table in section.tables:
            return InputTable(table, tuple(section.of_table(table)), section.name, section.entry, True)
    return None


def _of_snapshot(table: str, snapshot: Snapshot, *, own: bool) -> InputTable | None:
    name = owner_of(snapshot.manifest, table)
    if name is None:
        return None
    parts = tuple(snapshot.parts(table))
    return InputTable(table, parts, name, snapshot.section(name), own, None if own else snapshot)


def _plan(job: Job, inputs: Inputs) -> Any:
    return None if job.command.plan is None else job.command.plan(job.options, inputs)


def make_section(
    job: Job,
    inputs: Inputs,
    workspace: Workspace,
    config: Any,
    action: Action,
    explained: list[Explained],
    progress: RunProgress,
) -> Made:
    """Make a section from artefacts; nothing is published.

    What says what was wrong is added to `explained` before the section can be refused. Progress is
    that of the run, which knows the section.
    """
    command = job.command
    listed = time.time_ns()
    resources = noted_resources(job.options)  # before they are read: what changes since is stale
    plan, read = _planned(job, inputs)
    stages = command.stages_of(job.section)
    chosen: Mapping[str, Mapping[str, Collection[str]]]
    if command.build is not None:
        outcome, chosen = _run_graph(job, plan, workspace, config, progress)
    else:
        outcome, chosen = _run_action(job, action, workspace), {stage.name: {} for stage in stages}
    for table in command.explains:
        explained.append(Explained(job.section, table, tuple(outcome.of_table(table.name))))
    entry: dict[str, Any] = {
        "options": plain_options(job.options),
        "stages": {s.name: stage_entry(s, chosen[s.name]) for s in stages if s.name in chosen},
        "inputs": sorted([part.rows, part.sha256] for g in inputs.given for part in g.parts),
        "resources": {**described_in(plan), **command.resources(plan)},
        **command.section(plan, outcome),
    }
    return Made(
        name=job.section,
        parts=outcome.parts,
        entry=entry,
        reads=tuple(sorted((given.read for given in inputs.given), key=_as_plain)),
        log={
            **run_log(job.command.reads(job.options), job.options, inputs),
            "files": read,
            "resources": resources,
            "listed": listed,
        },
    )


def _as_plain(read: Any) -> tuple[str, str, str]:
    return read.table, read.digest, read.section or ""


def _foreseen(job: Job) -> list[Foreseen]:
    """Return what progress knows of a job's stages beforehand."""
    if job.command.build is None:
        return []
    weight, waits = job.command.weights(job.options).get, job.command.waits.get
    return [Foreseen(s.name, s.unit, weight(s.name), waits(s.name, ())) for s in job.command.stages]


def _run_graph(
    job: Job, plan: Any, workspace: Workspace, config: Any, progress: RunProgress
) -> tuple[HandedBack, Mapping[str, Mapping[str, Collection[str]]]]:
    """Return what a graph gave, and its stages with the entries of registries that count."""
    from pipelines.runners.runners import run_pipeline
    from transforms.common.store.ptransforms import stages_in

    command = job.command
    assert command.build is not None
    results = ResultFiles(workspace.root)
    graph = Graph(workspace, config.lanes, config.here)
    chosen: dict[str, Mapping[str, Collection[str]]] = {}

    def build(pipeline: Any) -> None:
        assert command.build is not None
        results.write(command.build(pipeline, plan, graph))
        chosen.update(stages_in(pipeline))

    run_pipeline(build, config, watching(progress, job.section, chosen))
    rows: dict[str, list[Any]] = {}
    for name, row in command.rows.items():
        rows[name] = results.read(name, row)
    outcome = HandedBack(results.parts(), rows)
    results.remove()
    return outcome, chosen


def _run_action(job: Job, action: Action, workspace: Workspace) -> HandedBack:
    command = job.command
    assert command.action is not None
    tables = command.action(job.options, action) or {}
    parts = []
    for table in command.tables:
        if table.name not in tables:
            raise LexbeamError(f"{job.section}: the command has not made its table {table.name}")
        task = WrittenTable.of(table, tables[table.name])
        made = make(workspace, written(job.section), task, None)
        parts.append(Part.of(table.name, 0, made))
    return HandedBack(tuple(parts), {})


def _planned(job: Job, inputs: Inputs) -> tuple[Any, dict[str, str]]:
    """Return the plan, and the SHA-256 of the files of options that it was made from.

    Raises:
        LexbeamError: a file changes as often as it is read.
    """
    read = [p for paths in noted_paths(job.options, "file").values() for p in paths]
    before = noted_files(read)
    for _ in range(READINGS):
        plan = _plan(job, inputs)
        after = noted_files(read)
        if after == before:
            return plan, after
        changed = sorted(path for path in after if after[path] != before[path])
        before = after
    raise LexbeamError(
        f"{', '.join(changed)} changed while it was read, {READINGS} times: run the same command "
        "again when nobody writes to it"
    )
