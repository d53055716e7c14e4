"""Runs as machines hear of them: events, lineage and metrics, once for all commands.

    with monitored(jobs, options):
        ...                          # what is emitted meanwhile is of this run

What is told and how is said in `pipelines/monitoring`; here it is made from jobs and from what a folder holds.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lexbeam.pipelines.frame.command import Job, PublishOptions
from lexbeam.pipelines.frame.inputs import input_patterns
from lexbeam.pipelines.frame.interrupts import was_interrupted
from lexbeam.pipelines.frame.publishing import read_unfinished
from lexbeam.pipelines.frame.registry import COMMANDS, command_of
from lexbeam.pipelines.frame.staleness import OutsideChanges, all_outside, newest_input
from lexbeam.pipelines.monitoring.events import SectionFinished, StageMade, emit, in_run, run_events
from lexbeam.pipelines.monitoring.lineage import LineageSection, ReadFolder, told_lineage
from lexbeam.pipelines.monitoring.prometheus import FolderState, write_metrics
from lexbeam.transforms.common.errors import NothingToDoError, explaining
from lexbeam.transforms.common.publish.holding import FAILED
from lexbeam.transforms.common.publish.run_log import RunLine
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot
from lexbeam.transforms.common.store import files

log = logging.getLogger("lexbeam")


@contextmanager
def monitored(jobs: Sequence[Job], options: PublishOptions) -> Iterator[None]:
    """Let machines hear of a run while the block runs, and of how it ended; within another such block, of nothing more.

    Args:
        jobs: the jobs of the run.
        options: the folder, and who is to hear.
    """
    if in_run():
        yield
        return
    out = files.absolute(options.out)
    begun = time.monotonic()
    failed = True
    try:
        lineage = told_lineage(options.openlineage, map(_of_lineage, jobs))
        with lineage, run_events(out, [job.section for job in jobs], was_interrupted), explaining(options.out):
            yield
        failed = False
    except NothingToDoError:
        failed = False
        raise
    finally:
        if options.prometheus is not None and not was_interrupted():
            renew_metrics(options.prometheus, out, failed=failed, seconds=time.monotonic() - begun)


def emit_made(section: Made) -> None:
    """Emit what a section, which is not published yet, was made of, stage by stage."""
    stages: dict[str, list[RunLine]] = {}
    for line in section.took:
        stages.setdefault(line.stage, []).append(line)
    whole = stages.pop(section.name)[0]  # the driver's
    for stage, lines in stages.items():
        emit(
            StageMade(
                section=section.name,
                stage=stage,
                made=sum(line.elements for line in lines),
                there=sum(line.there for line in lines),
                documents=sum(line.documents for line in lines),
                tokens=sum(line.tokens for line in lines),
                bytes=sum(line.bytes for line in lines),
                seconds=round(sum(line.seconds for line in lines), 6),
            )
        )
    emit(
        SectionFinished(
            section=section.name,
            made=whole.elements,
            there=whole.there,
            seconds=whole.seconds,
            tables={table: sum(part.rows for part in section.of_table(table)) for table in section.tables},
        )
    )


def _of_lineage(job: Job) -> LineageSection:
    patterns = input_patterns(job)
    reads = [(source.folder or job.options.out, source.table) for source in job.command.reads(job.options)]
    return LineageSection(
        job.section,
        COMMANDS[job.section.replace(".", " ")].doc,
        tuple(map(files.absolute, patterns.inputs)) if patterns else (),
        tuple(ReadFolder(files.absolute(folder), table) for folder, table in reads),
    )


def folder_state(out: str, snapshot: Snapshot | None, outside: Mapping[str, OutsideChanges]) -> FolderState:
    """Return what metrics tell of a folder.

    Args:
        out: the folder.
        snapshot: what is published there; None: nothing.
        outside: what has changed outside of it.
    """
    note = read_unfinished(out)
    failed = bool(note.get("failed"))
    states = {name: ["stale"] for name, changes in outside.items() if changes.reasons}
    held = {} if snapshot is None else snapshot.held
    for name in note.get("sections", ()) if failed else ():
        if name not in held:
            states.setdefault(name, []).append("held" if note.get("held_back") else "failed")
    for name, why in held.items():
        states.setdefault(name, []).append("failed" if why == FAILED else "held")
    commands = map(command_of, snapshot.sections if snapshot else ())
    explains = {table.name for command in commands if command for table in command.explains}
    return FolderState(out, snapshot, newest_input(outside), states, failed or bool(held), sorted(explains))


def renew_metrics(path: str, out: str, *, failed: bool, seconds: float | None = None) -> None:
    """Write the metrics of a folder when a run has ended; what goes wrong is warned of, and fails no run.

    Args:
        path: the file.
        out: the folder.
        failed: whether the run failed.
        seconds: that it took.
    """
    try:
        with explaining():
            snapshot = find_snapshot(out)
            state = folder_state(out, snapshot, all_outside(snapshot) if snapshot else {})
            write_metrics(path, state._replace(failed=failed or state.failed, seconds=seconds))
    except Exception as error:
        log.warning("`prometheus`: metrics cannot be written: %s", error)
