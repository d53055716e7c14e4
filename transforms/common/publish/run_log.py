"""What the stages of a run took, for whoever plans or watches the next one.

    DIR/_snapshots/<digest>.run.jsonl     a line for each stage and worker, beside the snapshot

Nothing that is published depends on it. Workers sum as they work, so it grows with stages and workers and with nothing
else, and it goes with its snapshot. Of a stage that a run took up whole, the lines of the run that made it last stand
on, so that what a stage takes is known as long as anything is published. When the file was written says when a run or
a refresh has ended well last.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from operator import attrgetter

import msgspec

from lexbeam.transforms.common.machine import peak_memory
from lexbeam.transforms.common.publish.layout import RUN_LOG, SNAPSHOTS, snapshot_name
from lexbeam.transforms.common.store import files

DRIVER = "driver"
_WORKERS = 64  # of a stage, that have lines of their own


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """What one worker did for one stage, or the driver for a whole section.

    Attributes:
        stage: its name, `change/train`; of the driver's line the section's, `change`.
        worker: machine and process; `driver`; or `others`, the rest of very many workers.
        at: when the section was made, in UTC, to the second.
        seconds: by the clock, that making took, summed over artefacts; of the driver, from start to end of the section.
        elements: artefacts that it made.
        there: artefacts that were there already.
        documents: in what it made, where that says how many.
        landed: those of them that it took as a stream had landed them, of the stage of annotation.
        tokens: likewise.
        bytes: of the files that it wrote for them.
        memory: the most that the process had in use at once, in bytes.
        run_id: of the driver's line, the run as its events name it.
    """

    stage: str
    worker: str
    at: str
    seconds: float = 0.0
    elements: int = 0
    there: int = 0
    documents: int = 0
    landed: int = 0
    tokens: int = 0
    bytes: int = 0
    memory: int = 0
    run_id: str = ""

    @property
    def time(self) -> float:
        """When the section was made, in seconds since 1970."""
        return datetime.fromisoformat(self.at).timestamp()


_SUMMED = ("seconds", "elements", "there", "documents", "landed", "tokens", "bytes")


def now_in_utc() -> str:
    """Return the time, as lines have it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def driver_line(section: str, seconds: float, lines: Sequence[RunLine], run_id: str = "") -> RunLine:
    """Return the line of a whole section, which the driver of a run had made by these lines of its stages.

    Args:
        section: the section.
        seconds: that it took.
        lines: of its stages.
    """
    elements, there = (sum(getattr(line, name) for line in lines) for name in ("elements", "there"))
    return RunLine(
        stage=section,
        worker=DRIVER,
        at=now_in_utc(),
        seconds=round(seconds, 3),
        elements=elements,
        there=there,
        memory=peak_memory(),
        run_id=run_id,
    )


def added_up(earlier: Sequence[RunLine], last: Sequence[RunLine]) -> list[RunLine]:
    """Return the lines of a graph that was run several times: what earlier runs made, the last one has found."""
    made: Counter[str] = Counter()
    for line in earlier:
        made[line.stage] += line.elements
    lines = [msgspec.structs.replace(line, there=0) for line in earlier if line.elements]
    for line in last:
        known = min(made[line.stage], line.there)
        made[line.stage] -= known
        lines.append(msgspec.structs.replace(line, there=line.there - known))
    return lines


def most_at_work(lines: Iterable[RunLine], most: int = _WORKERS) -> list[RunLine]:
    """Return lines sorted by stage and worker; of very many workers of a stage, those that did least in one line."""
    stages: dict[str, list[RunLine]] = {}
    for line in lines:
        stages.setdefault(line.stage, []).append(line)
    kept: list[RunLine] = []
    for _, of_stage in sorted(stages.items()):
        of_stage.sort(key=attrgetter("worker"))
        if len(of_stage) > most:
            of_stage.sort(key=attrgetter("seconds", "elements"), reverse=True)
            of_stage, rest = sorted(of_stage[: most - 1], key=attrgetter("worker")), of_stage[most - 1 :]
            sums = {name: sum(getattr(line, name) for line in rest) for name in _SUMMED}
            memory = max(line.memory for line in rest)
            of_stage.append(RunLine(stage=rest[0].stage, worker="others", at=rest[0].at, memory=memory, **sums))
        kept += of_stage
    return kept


def read_run_log(out: str, snapshot: str | None = None) -> list[RunLine]:
    """Return what the stages of a folder took when they were made last, sorted by stage and worker.

    Args:
        out: the folder.
        snapshot: the whole name of one that is kept; None: the current one.

    Returns:
        Lines; none where there is no log, or it is damaged: it is only for whoever wants to know.
    """
    name = snapshot or snapshot_name(out)
    if name is None:
        return []
    with suppress(OSError, msgspec.MsgspecError):
        content = files.read_bytes(files.join(out, SNAPSHOTS, name + RUN_LOG))
        return [msgspec.json.decode(line, type=RunLine) for line in content.splitlines()]
    return []


def write_run_log(out: str, snapshot: str, lines: Iterable[RunLine], before: Sequence[RunLine] = ()) -> None:
    """Write the log of a snapshot that is being published.

    Args:
        out: the folder.
        snapshot: its whole name.
        lines: of the run that made it.
        before: the log of the snapshot before it, from which lines of stages that made nothing now stand on.
    """
    new = list(lines)
    known = {line.stage for line in new if line.elements or line.worker == DRIVER}
    stand = [line for line in before if line.stage not in known and (line.elements or line.worker == DRIVER)]
    kept = sorted([*new, *stand], key=attrgetter("stage", "at", "worker"))
    content = b"".join(msgspec.json.encode(line) + b"\n" for line in kept)
    files.write_bytes(files.join(out, SNAPSHOTS, snapshot + RUN_LOG), content)


def note_success(out: str, snapshot: str) -> None:
    """Note that a refresh has found a snapshot to be what a new run would publish: its log is as if written now."""
    path = files.join(out, SNAPSHOTS, snapshot + RUN_LOG)
    if files.is_local(path):
        with suppress(FileNotFoundError):
            files.touch(path)
    else:
        with suppress(FileNotFoundError):
            files.write_bytes(path, files.read_bytes(path))
