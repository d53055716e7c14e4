"""How far the stages of a run have come, from the receipts and plans that lie in a folder of artefacts."""

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lexbeam.pipelines.frame.publishing import begun_at
from lexbeam.pipelines.frame.registry import available
from lexbeam.pipelines.progress.lines import Foreseen, StageCount, settled
from lexbeam.pipelines.progress.stores import planned_in_store, receipts_below
from lexbeam.transforms.common.store import files

_TEMPORARY = re.compile(r"(.+)" + files.TEMPORARY)


class StageWork(NamedTuple):
    """Artefacts of a stage, as the run sees them that is at work or was cut off.

    Attributes:
        name: `change/train`.
        planned: artefacts that the run is to make or reuse; None if it has not got so far, or does
            not know beforehand.
        done: artefacts that the run has made or reused; on object stores, made.
        earlier: artefacts of earlier runs that it has not asked for: they are reused if it asks for
            the same, and of no use to it otherwise. On object stores nothing tells of which of them
            it has asked for, and they count here.
        unit: what they are, in the plural, as progress says.
        first: when the first of those done was made or taken up, in seconds since 1970; None of none.
        last: likewise of the latest.
    """

    name: str
    planned: int | None
    done: int
    earlier: int
    unit: str = ""
    first: float | None = None
    last: float | None = None

    @property
    def left(self) -> int | None:
        """Artefacts still to make, where that is known; on object stores `earlier` ones may be among them."""
        return None if self.planned is None else max(self.planned - self.done, 0)


def stages_of(root: str, folders: Iterable[str]) -> tuple[StageWork, ...]:
    """Return the stages of the run at work or cut off, by folders and in the order of their first artefacts.

    Args:
        root: the folder of artefacts.
        folders: those in it that hold the stages of the sections that the run is to make.
    """
    begun = begun_at(root)
    if begun is None:  # it has just finished
        return ()
    receipts = receipts_below(root) if not files.is_local(root) else {}
    return tuple(stage for folder in folders for stage in _stages(root, folder, begun, receipts))


def _stages(root: str, section: str, begun: int, receipts: Mapping[str, list[int]]) -> list[StageWork]:
    is_local = files.is_local(root)
    plans = files.join(root, "plan", section)
    names = {name for name in files.list_folder(plans).files if not _TEMPORARY.fullmatch(name)}
    if is_local:
        names.update(files.list_folder(os.path.join(root, section)).folders)
    else:
        names.update(name.removeprefix(f"{section}/") for name in receipts if name.startswith(f"{section}/"))
    units = {s.name: s.unit for _, command in available() for s in command.stages}
    works = []
    for name in sorted(names):
        full = f"{section}/{name}"
        # A run says what it is to do before it asks for its first artefact.
        times = _receipt_times(os.path.join(root, section, name)) if is_local else receipts.get(full, [])
        done = [time for time in times if time >= begun]
        planned = (_planned if is_local else planned_in_store)(files.join(plans, name), begun)
        if done or planned is not None:
            unit = units.get(full, "")
            span = (min(done) / 1e9, max(done) / 1e9) if done else (None, None)
            stage = StageWork(full, planned, len(done), len(times) - len(done), unit, *span)
            works.append((not done, min(done, default=0), stage))
    return _settled([stage for *_, stage in sorted(works)])


def _settled(stages: list[StageWork]) -> list[StageWork]:
    """Return stages with nothing left of those that a finished one has waited for."""
    waits = {name: w for _, command in available() for name, w in command.waits.items()}
    counts = [
        StageCount(Foreseen(s.name, s.unit, waits=waits.get(s.name, ())), s.planned, s.done, begun=0.0) for s in stages
    ]
    return [
        stage._replace(planned=stage.done) if count.ended else stage
        for stage, count in zip(stages, settled(counts), strict=True)
    ]


def _planned(path: str, begun: int) -> int | None:
    """Return the number that the run planned; None where what is noted is an earlier run's."""
    with contextlib.suppress(OSError, ValueError):
        text = files.read_bytes(path)
        if text.isdigit() and os.stat(path).st_mtime_ns >= begun:
            return int(text)
    return None


def _receipt_times(folder: str) -> list[int]:
    times = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            if entry.name.endswith(".json"):
                with contextlib.suppress(FileNotFoundError):
                    times.append(entry.stat().st_mtime_ns)
    return times
