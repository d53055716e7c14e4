r"""How a section is made: its plan, its graph or action, what is handed back, what is noted of it; and of a failed one.

A failed run leaves all rows of the tables that say what was wrong, for a person to read. A command names such tables,
as `rejects`, by `Command.explains`. Their parts are made and sorted before a run is refused, so they are merged row by
row, in little memory, in the same order however many parts there are. Cells are written as they are, except that a tab
or line end is `\t` or `\n`, and that `'` precedes what a spreadsheet would take for a formula.
"""

import functools
import heapq
import inspect
import logging
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.pipelines.frame.command import Action, Graph, HandedBack, Inputs, Job
from lexbeam.pipelines.frame.handed_back import NAME, Leaving, ResultFiles, Submitted
from lexbeam.pipelines.frame.inputs import (
    check_rows,
    given_by,
    input_patterns,
    noted_files,
    noted_resources,
    option_files,
    resources_of,
)
from lexbeam.pipelines.monitoring.events import run_id
from lexbeam.pipelines.monitoring.progress import RunProgress, watching
from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.code.fingerprints import digest, parse_json, readable_json
from lexbeam.transforms.common.errors import LexbeamError, NoDataError, visible
from lexbeam.transforms.common.options.fields import noted_paths, options_of, plain_options, value_of
from lexbeam.transforms.common.publish.removing import write_failed
from lexbeam.transforms.common.publish.run_log import RunLine, added_up, driver_line, most_at_work
from lexbeam.transforms.common.publish.sections import Made, ReadTable, table_digest
from lexbeam.transforms.common.publish.written import ActionCode, WriteTables, WrittenTable
from lexbeam.transforms.common.shown import guarded
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Step, Workspace, make, note_waits, stage_entry
from lexbeam.transforms.common.store.models import carry, models_noted
from lexbeam.transforms.common.store.receipts import REMEDY, Needed
from lexbeam.transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

    from lexbeam.pipelines.runners.configs import RunnerConfig


log = logging.getLogger("lexbeam")

_ROWS = 1000
_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Explained(NamedTuple):
    """A table that says what was wrong: the section that made it, the table, its parts."""

    section: str
    table: Table
    parts: tuple[Part, ...]


def explain(error: LexbeamError, out: str, made: Sequence[Explained]) -> None:
    """Write the rows of tables to files at `out`, and name these in the error's message.

    If that fails as well, the error keeps its message.
    """
    for section, table, parts in made:
        rows = sum(part.rows for part in parts)
        if not rows:
            continue
        name = f"{section}-{table.name}.tsv".replace("/", "-").replace(" ", "-")
        try:
            path = write_failed(out, name, rows_as_lines(table, [part.path for part in parts]))
        except (OSError, ValueError, pa.ArrowException, LexbeamError) as failure:
            log.warning("%s of the failed run cannot be kept: %s", table.name, failure)
            continue
        error.args = (f"{error}\nTable {table.name} is kept in {files.shown(path)} (rows: {rows})",)


def rows_as_lines(table: Table, paths: Iterable[str]) -> Iterator[str]:
    """Yield a header and the rows of a table's parts, sorted by its key, as lines of TSV."""
    names = table.schema().names
    places = [names.index(name) for name in table.key]
    yield "\t".join(names) + "\n"
    with ExitStack() as opened:
        streams = [opened.enter_context(files.open_read(path)) for path in paths]
        parts = [_rows(pq.ParquetFile(stream), names) for stream in streams]
        for row in heapq.merge(*parts, key=lambda row: [row[place] for place in places]):
            yield "\t".join(map(_cell, row)) + "\n"


def _rows(file: pq.ParquetFile, names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for batch in file.iter_batches(_ROWS, columns=names):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


@functools.lru_cache(4096)  # reasons and details repeat
def _cell(value: object) -> str:
    text = "" if value is None else visible(str(value).translate(_BREAKS))
    return guarded(text) if isinstance(value, str) else text


Chosen = Mapping[str, Mapping[str, Collection[str]]]  # by stage and registry, the entries that count
READINGS = 3  # of files of options, while they change


def plan_of(job: Job, inputs: Inputs) -> Any:
    """Return the plan of a job; None if its command has none.

    Raises:
        NoDataError: it has nothing to do.
    """
    check_rows(job, inputs)
    return job.command.plan(job.options, inputs)


def make_section(
    job: Job,
    inputs: Inputs,
    workspace: Workspace,
    config: "RunnerConfig | None",
    action: Action,
    explained: list[Explained],
    progress: RunProgress,
    leaving: Leaving,
    earlier: list[RunLine],
) -> Made:
    """Make a section from artefacts; nothing is published. One that has nothing to do is empty, and says why.

    Args:
        job: the job that makes it.
        inputs: the tables that the job reads.
        workspace: where artefacts lie.
        config: the runner configuration; None for a job without a graph.
        action: what an action is given.
        explained: takes the tables that say what was wrong, before the section can be refused.
        progress: the progress of the run, which knows the section.
        leaving: what is left to a cluster, or was.
        earlier: what the stages took when the section could not be made whole; takes it if it cannot be now, either.

    Raises:
        Submitted: the section's job has been left to a cluster.
        Needed: files were freed, and are needed; they count as not made now.
    """
    command = job.command
    listed, begun = time.time_ns(), time.monotonic()
    resources = noted_resources(job.options)  # before they are read: what changes since is stale
    stages = command.stages_of(job.section)
    plan: Any = None
    read: dict[str, str] = {}
    is_idle = False

    def decided(chosen: Chosen) -> dict[str, Any]:
        """Return what the manifest says of what decides the section."""
        return {
            "options": plain_options(job.options),
            "stages": {s.name: stage_entry(s, chosen[s.name]) for s in stages if s.name in chosen},
            "inputs": sorted([part.rows, part.sha256] for table in inputs.tables for part in table.parts),
            "resources": {} if is_idle else resources_of(command, plan),
        }

    def mark(chosen: Chosen) -> str:
        paths = [files.absolute(path) for paths in noted_paths(job.options, "input").values() for path in paths]
        return digest([decided(chosen), paths, read, resources])

    took: list[RunLine] = []
    try:
        with models_noted() as models:
            plan, read = _plan_with_digests(job, inputs)
        if not command.has("build"):
            outcome, chosen = _run_action(job, plan, action, workspace)
        else:
            assert config is not None
            if not config.here:
                carry(workspace, models)
            outcome, chosen, listed, took = _run_graph(
                job, plan, workspace, config, progress, leaving, mark, listed, earlier
            )
        for table in command.explains:
            explained.append(Explained(job.section, table, tuple(outcome.of_table(table.name))))
        said = command.section(plan, outcome)
        said = {**_empty_for(job, inputs, outcome, said), **said}
    except NoDataError as error:
        read = noted_files(option_files(job.options))
        outcome, chosen, is_idle = _without_rows(job, workspace), {}, True
        said = {"empty": str(error)}
        progress.leave(job.section)
    # As a manifest has it, which it is compared with: no tuples.
    entry = parse_json(readable_json({**decided(chosen), **said}))
    noted = {"files": read, "resources": resources, "given": given_by(job.options, read, resources), "listed": listed}
    return Made(
        name=job.section,
        parts=outcome.parts,
        entry=entry,
        reads=tuple(sorted((table.read for table in inputs.tables), key=_by_table)),
        log={**_log_of(job, inputs), **noted, **({} if is_idle else command.noted(outcome))},
        took=(*most_at_work(took), driver_line(job.section, time.monotonic() - begun, took, run_id())),
    )


def _without_rows(job: Job, workspace: Workspace) -> HandedBack:
    """Return the tables of a section that has nothing to do."""
    known, parts = options_of(type(job.options)), []
    for table in job.command.tables:
        # What columns depend on besides what is computed, such as the dimensions of vectors.
        wanted = inspect.signature(table.columns).parameters if callable(table.columns) else ()
        given = {name: value_of(job.options, name) for name in wanted if name in known}
        task = WrittenTable.of(table, table.schema(**given).empty_table(), **given)
        parts.append(Part.of(table.name, 0, make(workspace, WriteTables(job.section), task)))
    return HandedBack(tuple(parts), {})


def _empty_for(job: Job, inputs: Inputs, outcome: HandedBack, said: Mapping[str, Any]) -> dict[str, str]:
    """Return why no table of a section has a row, but for those that say what was wrong and what was taken in."""
    besides = {table.name for table in job.command.explains}
    if isinstance(taken := said.get("inputs"), Mapping):
        besides.add(taken["table"])
    if any(part.rows for part in outcome.parts if part.table not in besides):
        return {}
    noun = job.command.tables[0].name.rpartition("/")[2]
    if rejected := said.get("rejected"):
        return {"empty": f"no {noun}: all that was taken in is rejected ({rejected})"}
    read = [f"table {table}" for table in dict.fromkeys(table.table for table in inputs.tables)]
    sources = [*read, *(["input files"] if taken else [])] or ["what it was given"]
    return {"empty": f"no {noun}: nothing came of {' and '.join(sources)}"}


def _by_table(read: ReadTable) -> tuple[str, str, str]:
    return read.table, read.digest, read.section or ""


def _run_graph(
    job: Job,
    plan: Any,
    workspace: Workspace,
    config: "RunnerConfig",
    progress: RunProgress,
    leaving: Leaving,
    mark: Callable[[Chosen], str],
    listed: int,
    earlier: list[RunLine],
) -> tuple[HandedBack, Chosen, int, list[RunLine]]:
    """Return what a graph hands back, its stages, when inputs were listed, and what the stages took.

    With each stage are the entries of registries that it was built with.
    """
    from lexbeam.pipelines.runners.runners import Left, run_pipeline
    from lexbeam.transforms.common.store.ptransforms import stages_in, stages_waited_for

    command = job.command
    results = ResultFiles(workspace.root)
    graph = Graph(workspace._replace(wanted=results.wanted), config.lanes, config.here, results.folder)
    chosen: dict[str, Mapping[str, Collection[str]]] = {}
    before: tuple[ResultFiles, int] | None = None

    def build(pipeline: "beam.Pipeline") -> bool:
        nonlocal before
        collections = command.build(pipeline, plan, graph)
        chosen.update(stages_in(pipeline))
        note_waits(workspace, job.section, stages_waited_for(pipeline))
        before = leaving.handed_back(job.section, mark(chosen))
        if before is not None:
            return False
        if leaving.address is None:
            results.write(collections)
        else:
            results.write_marked(pipeline, collections, mark(chosen))
            leaving.leave(job.section, results, listed)
        return True

    left = None if leaving.address is None else Left(leaving.address, NAME + results.name)
    try:
        took = run_pipeline(build, config, watching(progress, job.section, chosen), left)
    except LexbeamError:
        _check_whole(job, results)  # what is made of less than all may well fail
        raise
    earlier[:] = took = added_up(earlier, took)
    if left is not None and before is None:
        raise Submitted(
            f"detached: {job.section}: {left.address} has it as job {left.name}; `lexbeam status "
            f"{files.typed(job.options.out)}` says how far it is. When it has finished, give the same command again: "
            "it goes on from there, and publishes in the end"
        )
    if before is not None:
        results.remove()
        results, listed = before
    _check_whole(job, results)
    rows: dict[str, list[Any]] = {}
    for name, row in command.rows.items():
        rows[name] = results.read(name, row)
    outcome = HandedBack(results.parts(), rows)
    if before is None:
        results.remove()
    return outcome, chosen, listed, took


def _check_whole(job: Job, results: ResultFiles) -> None:
    """Check that a graph could make all.

    Raises:
        Needed: something was freed that it needs, and counts as not made now.
    """
    if files.exists(results.wanted):
        results.remove()
        raise Needed(f"{job.section}: files were freed, and are needed{REMEDY}")


def _run_action(job: Job, plan: object, action: Action, workspace: Workspace) -> tuple[HandedBack, Chosen]:
    command = job.command
    tables = command.action(job.options, action) or {}
    parts = []
    for table in command.tables:
        if table.name not in tables:
            raise LexbeamError(f"{job.section}: the command has not made its table {table.name}")
        task = WrittenTable.of(table, tables[table.name])
        made = make(workspace, WriteTables(job.section), task)
        parts.append(Part.of(table.name, 0, made))
    steps: tuple[Step[Any, Any], ...] = (WriteTables(job.section), ActionCode(job.section, command.action, plan))
    return HandedBack(tuple(parts), {}), {step.name: step.entries(None) for step in steps}


def _plan_with_digests(job: Job, inputs: Inputs) -> tuple[Any, dict[str, str]]:
    """Return the plan of a job, and the SHA-256 of the option files that it was made from."""
    read = option_files(job.options)
    before = noted_files(read)
    for _ in range(READINGS):
        plan = plan_of(job, inputs)
        after = noted_files(read)
        if after == before:
            return plan, after
        changed = sorted(path for path in after if after[path] != before[path])
        before = after
    raise LexbeamError(
        f"{', '.join(changed)} changed while it was read, {READINGS} times: run the same command "
        "again when nobody writes to it"
    )


def _log_of(job: Job, inputs: Inputs) -> dict[str, Any]:
    """Return what the log beside the snapshot says of a section: where its inputs lay.

    From `inputs`, `exclude` and `folders`, `lexbeam status` finds what has changed since; from `sources`,
    views find what the section was made from.
    """
    patterns = input_patterns(job)
    return {
        "inputs": list(patterns.inputs) if patterns else [],
        "exclude": list(patterns.exclude) if patterns else [],
        "folders": [source.folder for source in job.command.reads(job.options) if source.folder is not None],
        "sources": _sources(job.options.out, inputs),
    }


def _sources(out: str, inputs: Inputs) -> list[dict[str, Any]]:
    """Return the other folders from which tables were read, with the digests of all tables of those sections.

    A folder is noted relative to the output folder, too, since both may be moved together.
    """
    sources: dict[tuple[str, str], dict[str, Any]] = {}
    for source in inputs.tables:
        snapshot = source.snapshot
        if snapshot is None or (snapshot.out, source.name) in sources:
            continue
        folder, here = files.real(snapshot.out), files.real(out)
        is_local = files.is_local(folder) and files.is_local(here)
        sources[snapshot.out, source.name] = {
            "folder": files.absolute(snapshot.out),
            "relative": os.path.relpath(folder, here) if is_local else None,
            "tables": {table: table_digest(snapshot.parts(table)) for table in source.section["parts"]},
        }
    return list(sources.values())
