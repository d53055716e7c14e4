"""What is done, what is left and what is stale in an output folder, while a run is at work or not."""

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from lexbeam.pipelines.commands.folder.survey import WRONG, StageWork, Survey, leftover_sizes, survey
from lexbeam.pipelines.frame.command import Action, Command, FolderOptions
from lexbeam.pipelines.frame.handed_back import ended, look_at
from lexbeam.pipelines.frame.monitors import folder_state
from lexbeam.pipelines.frame.staleness import OutsideChanges, all_outside, newest_input, section_logs
from lexbeam.pipelines.monitoring.prometheus import check_metrics_file, write_metrics
from lexbeam.pipelines.runners.flink_jobs import JobKind, JobState
from lexbeam.pipelines.shown.rows import as_json
from lexbeam.transforms.common.errors import LexbeamError, StaleError, readable
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.history import Publication, last_success, published_at, untold_publications
from lexbeam.transforms.common.publish.layout import ARTEFACTS, MANIFEST, snapshot_name
from lexbeam.transforms.common.publish.removing import is_streaming
from lexbeam.transforms.common.publish.snapshots import Snapshot, damage_of, output_folder, read_log
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.store import files
from lexbeam.transforms.stream.polling import last_look


@dataclass(frozen=True, kw_only=True)
class StatusOptions(FolderOptions):
    """Options of `lexbeam status`."""

    verify: bool = option(False, help="check every published part by its digest")
    json: bool = option(False, help="print it as one JSON object, with times in UTC")
    exit_code: bool = option(False, help="exit with 4 if a published section is stale")
    prometheus: str | None = option(
        None,
        help="write metrics to this file, for node_exporter's textfile collector",
        metavar="FILE.prom",
        path="place",
        check=check_metrics_file,
    )


class _Found(NamedTuple):
    """What is to be told.

    Attributes:
        lines: for a person or, of JSON, for a program.
        stale: the sections that are.
        damaged: the error that names damaged parts, if they were looked at.
    """

    lines: list[str]
    stale: list[str]
    damaged: LexbeamError | None


def _found(options: StatusOptions) -> _Found:
    """Look at a folder; again if a run has published meanwhile, and removed the snapshot that was looked at."""
    while True:
        state = survey(options.path)
        try:
            found = _look(options, state)
        except (LexbeamError, OSError):
            if not _is_removed(state.snapshot):
                raise
        else:
            if not _is_removed(state.snapshot):
                return found


def _is_removed(snapshot: Snapshot | None) -> bool:
    return (
        snapshot is not None
        and snapshot_name(snapshot.out) != snapshot.name
        and not files.exists(files.join(snapshot.folder, MANIFEST))
    )


def _look(options: StatusOptions, state: Survey) -> _Found:
    outside = {} if state.snapshot is None else all_outside(state.snapshot)
    stale = {name: changes.reasons for name, changes in outside.items() if changes.reasons}
    if options.prometheus is not None:
        write_metrics(options.prometheus, folder_state(files.absolute(options.path), state.snapshot, outside))
    job = None if state.left is None else look_at(files.join(options.path, ARTEFACTS), state.left)
    if options.json:
        record = _record(options.path, state, outside, job) | {"ages": _ages(options.path, state.snapshot, outside)}
        lines = [as_json(record, indent=2)]
    else:
        lines = list(_lines(options.path, state, stale, job))
    damaged = None
    if options.verify:
        try:
            verified = _verified(state.snapshot)
            lines += [] if options.json else [verified]
        except LexbeamError as error:
            damaged = error
    return _Found(lines, list(stale), damaged)


def _record(out: str, state: Survey, outside: Mapping[str, OutsideChanges], job: JobState | None) -> dict[str, Any]:
    snapshot = state.snapshot
    published = None
    if snapshot is not None:
        published = {
            "snapshot": snapshot.name,
            "at": _published(snapshot),
            "sections": {
                name: {
                    "tables": {table: snapshot.tables[table]["rows"] for table in section["parts"]},
                    "made_by": None if (by := snapshot.made_by(name)) is None else by._asdict(),
                    "stale": outside[name].reasons,
                    "stages_of_other_code": list(outside[name].stages),
                    "empty": section.get("empty"),
                }
                for name, section in snapshot.sections.items()
            },
            "held": {
                name: {"why": why, "published": name in snapshot.sections, "reasons": reasons}
                for name, why, reasons in _held(snapshot)
            },
        }
    return {
        "folder": files.absolute(out),
        "published": published,
        "at_work": state.at_work or (job is not None and job.kind is JobKind.RUNNING),
        "process": state.holder,
        "streaming": is_streaming(files.absolute(out)),
        "unfinished": list(state.unfinished),
        "failed": state.failed,
        "held_back": list(state.held_back),
        "forgetting": state.forgetting,
        "untold": [
            {"snapshot": each.snapshot, "time": each.time, "token": each.token} for each in _untold(state.snapshot)
        ],
        "command": list(state.command),
        "detached": _detached(state, job),
        "stages": [
            {**stage._asdict(), "left": stage.left, "first": _time(stage.first), "last": _time(stage.last)}
            for stage in state.stages
        ],
        "artefact_bytes": state.artefacts,
        "freed_artefacts": state.freed,
        "left_behind": [leftover._asdict() for leftover in state.leftovers],
    }


def _untold(snapshot: Snapshot | None) -> list[Publication]:
    return [] if snapshot is None else untold_publications(snapshot.out)


def _held(snapshot: Snapshot) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the sections that are held, with why, and with what the errors of those that failed said."""
    said = read_log(snapshot.out, snapshot.name).get("held") or {}
    for name, why in snapshot.held.items():
        yield name, why, [readable(str(line)) for line in said.get(name, ())]


def _held_lines(snapshot: Snapshot, told: Collection[str]) -> Iterator[str]:
    """Yield which sections are held, with the reasons that are not told anyway."""
    for name, why, reasons in _held(snapshot):
        state = "as it was published before" if name in snapshot.sections else "nothing is published of it"
        yield f"held: {name}: {why}; {state}"
        if not told:
            yield from (f"  {line}" for reason in reasons for line in reason.splitlines())


def _published(snapshot: Snapshot) -> str | None:
    """Return when readers got a snapshot; where no history says so, when it was made."""
    return _time(published_at(snapshot.out, snapshot.name) or files.modified(files.join(snapshot.folder, MANIFEST)))


def _ages(out: str, snapshot: Snapshot | None, outside: Mapping[str, OutsideChanges]) -> dict[str, float | None]:
    """Return for how many seconds nothing has come, nothing has ended well, and no stream has looked at its inputs."""
    success = None if snapshot is None else last_success(snapshot.out, snapshot.name)
    return {
        "newest_document": _age(newest_input(outside)),
        "last_success": _age(success),
        "last_look": _age(last_look(files.join(out, ARTEFACTS))),
    }


def _age(seconds: float | None) -> float | None:
    """Return how long ago a time was, by a clock that may have been set back; None for one that is not known."""
    return round(max(0.0, time.time() - seconds), 1) if seconds else None


def _detached(state: Survey, job: JobState | None) -> dict[str, str] | None:
    if state.left is None or job is None:
        return None
    last = state.left.jobs[-1]
    return {
        "section": last.section,
        "flink": state.left.flink,
        "name": last.name,
        "job": job.job,
        "state": job.kind.value,
        "reason": job.reason,
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _verified(snapshot: Snapshot | None) -> str:
    damaged = snapshot.damaged() if snapshot else []
    if snapshot is not None and damaged:
        raise damage_of(snapshot, damaged)
    parts = sum(len(snapshot.files(table)) for table in snapshot.tables) if snapshot else 0
    return f"verified: {parts} parts are what the manifest says"


def _lines(out: str, state: Survey, stale: Mapping[str, Sequence[str]], job: JobState | None) -> Iterator[str]:
    if state.snapshot is None:
        yield "published: nothing"
    else:
        at = _published(state.snapshot)
        yield f"published at {at}" if at else "published"
        for name, section in state.snapshot.sections.items():
            rows = ", ".join(f"{table} {state.snapshot.tables[table]['rows']} rows" for table in section["parts"])
            yield f"published: {name}: {rows}"
            if "empty" in section:
                yield f"  empty: {section['empty']}"
            yield from (f"  stale: {reason}" for reason in stale.get(name, ()))
        yield from _held_lines(state.snapshot, state.held_back)
        if stale:
            yield from _remedy(state.snapshot, stale)
        if untold := _untold(state.snapshot):
            yield (
                f"untold: {amount(len(untold), 'publications')}, since {untold[0].time}: `on_publish` has not ended "
                "well; the next refresh with it runs it again"
            )
    if state.at_work:
        by = f"process {state.holder}" if state.holder else "another process"
        yield f"at work: {by} on {state.machine}" if state.machine else f"at work: {by}"
    elif job is not None and job.kind is JobKind.RUNNING:
        yield f"at work: a detached run, {_told(state, job)}"
    else:
        yield "at work: nobody"
        if job is not None:
            yield f"detached: {_told(state, job)}"
    if is_streaming(files.absolute(out)):
        looked = _age(last_look(files.join(out, ARTEFACTS)))
        yield "at work: a stream, which lands here" + ("" if looked is None else f"; its last look: {looked:.0f} s ago")
    if state.forgetting:
        yield f"what was to be forgotten is still there: `lexbeam forget {files.typed(out)}` goes on"
    if state.artefacts:
        yield f"artefacts: {state.artefacts / 1e6:.1f} MB beside what is published"
    if state.freed:
        yield f"freed: {amount(state.freed, 'artefacts')}, made again where something needs them"
    if state.stages:
        yield ""
        yield from _table(state.stages, files.is_local(out))
    if job is not None and job.kind is JobKind.RUNNING:
        return
    if not state.at_work and (state.unfinished or state.leftovers):
        yield ""
        yield from (f"left behind: {line}" for line in leftover_sizes(state.leftovers))
        if job is not None and job.kind is JobKind.FINISHED:
            yield f"{_made(state)} has finished what it left to the cluster"
            yield f"go on, and publish, by {_again(state)}"
        elif state.unfinished:
            yield from _unfinished(state)
    # An unfinished run is continued by what this would free.
    if not (state.at_work or state.unfinished) and (state.leftovers or state.artefacts):
        yield f"`lexbeam clean {files.typed(out)}` frees the artefacts, which make reruns quick and can be made anew"


def _remedy(snapshot: Snapshot, stale: Collection[str]) -> Iterator[str]:
    """Say how to make stale sections anew: by the configuration that they are of, where that is known."""
    logs = section_logs(snapshot)
    configs = {name: str((logs.get(name) or {}).get("config") or "") for name in stale}
    out = files.typed(files.shown(snapshot.out))
    paths = [path for path in dict.fromkeys(configs.values()) if path and files.exists(path)]
    known = {path: f"`lexbeam refresh {files.typed(files.shown(path))} --out {out}`" for path in paths}
    commands = [f"`lexbeam {name.replace('.', ' ')}` with `overwrite`" for name in stale if configs[name] not in known]
    yield f"make what is stale anew by {', '.join([*known.values(), *commands])}: what still fits is reused"


def _unfinished(state: Survey) -> Iterator[str]:
    """Say of a run that has published nothing how it ended, and what to do."""
    made = _made(state)
    wrong = [files.shown(each.path) for each in state.leftovers if each.kind == WRONG]
    if state.failed:
        ended = "was held back" if state.held_back else "failed"
        yield f"{made} {ended}" + (f": {', '.join(wrong)} says what was wrong" if wrong else "")
        yield from (f"  {reason}" for reason in state.held_back)
        yield "correct that, and run the command again; what is done above and stays the same is not done again"
        return
    yield f"{made} was cut off"
    yield f"continue it by {_again(state)}; what is done above is not done again"


def _told(state: Survey, job: JobState) -> str:
    assert state.left is not None
    last = state.left.jobs[-1]
    if job.kind in (JobKind.RUNNING, JobKind.FINISHED):
        return f"{last.section}: job {job.job or last.name} at {state.left.flink}: {job.kind.value}"
    return f"{last.section}: {ended(job, last, state.left.flink)}"


def _made(state: Survey) -> str:
    return f"a run that was to make {', '.join(state.unfinished)}"


def _again(state: Survey) -> str:
    if not state.command:
        return "the same command with `resume`"
    command, folder = state.command
    return command if folder == os.getcwd() else f"{command}, in {files.shown(folder)}"


def _table(stages: tuple[StageWork, ...], is_local: bool) -> Iterator[str]:
    lefts = [_left(stage, is_local) for stage in stages]
    width = max(8, *(len(left) + 2 for left in lefts))
    yield f"{'stage':26}{'done':>8}{'left':>{width}}{'earlier':>9}"
    for stage, left in zip(stages, lefts, strict=True):
        numbers = f"{stage.done:8}{left:>{width}}{stage.earlier or '':>9}"
        yield f"{stage.name:26}{numbers}  {stage.unit}".rstrip()
    if any(stage.earlier for stage in stages):
        if is_local:
            yield "earlier: of earlier runs, not asked for yet; reused if they still fit"
        else:
            yield "earlier: of earlier runs; reused if they still fit, and then nothing is left of them"


def _left(stage: StageWork, is_local: bool) -> str:
    """Return how many artefacts are left; an object store does not tell which of the earlier ones are taken up."""
    if stage.left is None:
        return "?"
    least = stage.left if is_local else max(stage.left - stage.earlier, 0)
    return str(stage.left) if least == stage.left else f"{least} to {stage.left}"


class Status(Command[StatusOptions, None]):
    """`lexbeam status`."""

    options = StatusOptions
    examples = """\
  lexbeam status results
  lexbeam status results --verify
  lexbeam status results --json --exit-code
  lexbeam status results --prometheus /var/lib/node_exporter/lexbeam.prom"""

    def action(self, options: StatusOptions, action: Action) -> None:
        """Tell what is at `options.path`.

        Raises:
            LexbeamError: with `verify`, published parts are damaged; they are named.
            StaleError: with `exit_code`, a published section is stale.
        """
        found = _found(replace(options, path=output_folder(options.path)))
        tell = (action.data or action.tell) if options.json else action.tell
        for line in found.lines:
            tell(line)
        if found.damaged is not None:
            raise found.damaged
        if options.exit_code and found.stale:
            raise StaleError(f"stale: {', '.join(found.stale)}")
