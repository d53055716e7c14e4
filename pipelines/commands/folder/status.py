"""What is done, what is left and what is stale in an output folder, while a run is at work or not.

lexbeam status results
lexbeam status results --verify
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.commands.folder.survey import StageWork, Survey, leftover_sizes, survey
from pipelines.frame.command import Action, Command
from pipelines.frame.common_options import FolderOptions
from pipelines.frame.staleness import stale_sections
from transforms.common.errors import LexbeamError
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store import files

__all__ = ["STATUS", "StatusOptions"]


@dataclass(frozen=True, kw_only=True)
class StatusOptions(FolderOptions):
    """Options of `lexbeam status`."""

    verify: bool = option(False, help="check every published part by its digest")


def _status(options: StatusOptions, action: Action) -> None:
    """Tell what is at `options.path`.

    Raises:
        LexbeamError: with `verify`, published parts are damaged; they are named.
    """
    state = survey(options.path)
    for line in _lines(files.shown(options.path), state):
        action.tell(line)
    if options.verify:
        action.tell(_verified(options.path, state.snapshot))


def _verified(out: str, snapshot: Snapshot | None) -> str:
    damaged = snapshot.damaged() if snapshot else []
    if damaged:
        listed = "".join(f"\n  {path}" for path in damaged)
        raise LexbeamError(
            f"{len(damaged)} published parts at {out!r} are missing or damaged:{listed}\nthe "
            "commands that made them repair them with `overwrite`"
        )
    parts = sum(len(entry["parts"]) for entry in snapshot.tables.values()) if snapshot else 0
    return f"verified: {parts} parts are what the manifest says"


def _lines(out: str, state: Survey) -> Iterator[str]:
    if state.snapshot is None:
        yield "published: nothing"
    else:
        stale = stale_sections(state.snapshot)
        for name, section in state.snapshot.sections.items():
            rows = ", ".join(f"{table} {state.snapshot.tables[table]['rows']} rows" for table in section["parts"])
            yield f"published: {name}: {rows}"
            yield from (f"  stale: {reason}" for reason in stale.get(name, ()))
    if state.at_work is None:
        yield ("at work: unknown, object stores have no locks; nor is it known how far a run has come")
    elif state.at_work:
        by = f"process {state.holder}" if state.holder else "another process"
        yield f"at work: {by}"
    else:
        yield "at work: nobody"
    if state.artefacts:
        yield f"artefacts: {state.artefacts / 1e6:.1f} MB beside what is published"
    if state.stages:
        yield ""
        yield from _table(state.stages)
    if not state.at_work and (state.unfinished or state.leftovers):
        yield ""
        yield from (f"left behind: {line}" for line in leftover_sizes(state.leftovers))
        if state.unfinished:
            what = "was cut off" if state.at_work is False else "is at work or was cut off"
            yield f"a run that was to make {', '.join(state.unfinished)} {what}"
            yield "the same command with `resume` continues it"
    if not state.at_work and (state.leftovers or state.artefacts):
        yield f"`lexbeam clean {out}` frees what can be made anew"


def _table(stages: tuple[StageWork, ...]) -> Iterator[str]:
    yield f"{'stage':26}{'done':>8}{'left':>8}{'earlier':>9}"
    for stage in stages:
        left = "?" if stage.left is None else stage.left
        numbers = f"{stage.done:8}{left:>8}{stage.earlier or '':>9}"
        yield f"{stage.name:26}{numbers}  {stage.unit}".rstrip()
    if any(stage.earlier for stage in stages):
        yield "earlier: of earlier runs, not asked for yet; reused if they still fit"


STATUS: Command[StatusOptions, None] = Command(
    options=StatusOptions, examples="  lexbeam status results\n  lexbeam status results --verify", action=_status
)
