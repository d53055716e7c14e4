"""Progress in words: lines from counts and times.

No clock is read here and nothing is drawn: `pipelines/progress/progress.py` does both.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lexbeam.transforms.common.shown import units


class Foreseen(NamedTuple):
    """What is known of a stage beforehand.

    Attributes:
        name: `change/train`.
        unit: what its artefacts are, in the plural: `embeddings`.
        weight: work of the whole stage, relative to that of the others; None: unknown.
        waits: the stages that are over once this one has finished, since it waits for them.
    """

    name: str
    unit: str
    weight: float | None = None
    waits: tuple[str, ...] = ()


class StageCount(NamedTuple):
    """How far a stage has come.

    Attributes:
        stage: what is known of it beforehand.
        planned: artefacts that it is to make or take up; None: unknown.
        made: artefacts that it has made.
        there: artefacts that it has taken up, which were there before the run.
        begun: the time at which it began, in seconds by any clock; None if it has not.
        last: the time at which the last artefact was made or taken up.
        first: the time at which the first one was made.
        ended: whether it is over, however many were planned.
    """

    stage: Foreseen
    planned: int | None = None
    made: int = 0
    there: int = 0
    begun: float | None = None
    last: float | None = None
    ended: bool = False
    first: float | None = None

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left."""
        return self.ended or (self.left == 0 and self.begun is not None)

    @property
    def left(self) -> int | None:
        """Artefacts that are left."""
        return None if self.planned is None else max(0, self.planned - self.made - self.there)

    @property
    def seconds(self) -> float:
        """Seconds from its start to its latest artefact."""
        return 0.0 if self.begun is None or self.last is None else self.last - self.begun


class Line(NamedTuple):
    """A line of progress: a stage, its share of work done from 0 to 1 (None: unknown), and the words."""

    name: str
    share: float | None
    words: str


def line_of(count: StageCount, now: float) -> Line:
    """Return the line of a stage that has begun.

    For a stage at work it gives the time since it began, for a finished stage the time it took.

    >>> line_of(StageCount(Foreseen("toy/train", "slices"), 6, 1, 2, begun=0), 75).words
    '3 of 6 slices (2 there already), 1 min 15 s'
    """
    words = amount(count)
    if count.there and not count.made and count.is_finished:
        return Line(count.stage.name, 1.0, f"{words} (all there already)")
    if count.there:
        words += f" ({count.there} there already)"
    if count.is_finished:
        return Line(count.stage.name, 1.0, f"{words} in {_span(count.seconds)}")
    begun = now if count.begun is None else count.begun
    share = min(1.0, (count.made + count.there) / count.planned) if count.planned else None
    return Line(count.stage.name, share, f"{words}, {_span(now - begun)}")


def amount(count: StageCount) -> str:
    """Return how many artefacts a stage has of how many.

    >>> amount(StageCount(Foreseen("toy/train", "slices"), 6, 1, 2))
    '3 of 6 slices'
    """
    done = of = count.made + count.there
    words = str(done)
    # Where inputs are the same, fewer are made than planned, such as for parts without documents.
    if count.planned is not None and not (count.ended and done < count.planned):
        done, of = min(done, count.planned), count.planned
        words = f"{done} of {count.planned}"
    return f"{words} {units(of, count.stage.unit)}"


def _span(seconds: float) -> str:
    whole = int(seconds)
    if whole < 1:
        return "under 1 s"
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def settled(counts: Sequence[StageCount]) -> list[StageCount]:
    """Return counts in which the stages that a finished stage has waited for have ended.

    So a stage ends even if its total is unknown, or was estimated too high.

    >>> deal = StageCount(Foreseen("toy/deal", "deals", waits=("toy/sizes",)), 1, 1, begun=0)
    >>> [count.ended for count in settled([StageCount(Foreseen("toy/sizes", "parts"), made=3), deal])]
    [True, False]
    """
    waits = {count.stage.name: count.stage.waits for count in counts}
    over: set[str] = set()
    pending = [name for count in counts if count.is_finished for name in count.stage.waits]
    while pending:
        name = pending.pop()
        if name not in over:
            over.add(name)
            pending += waits.get(name, ())
    return [c._replace(ended=True) if c.stage.name in over else c for c in counts]


def at_work(counts: Sequence[StageCount]) -> list[StageCount]:
    """Return the stages at work, or the one that has finished last."""
    begun = [count for count in counts if count.begun is not None]
    shown = [count for count in begun if not count.is_finished]
    return shown or sorted(begun, key=lambda count: count.last or 0.0)[-1:]


def in_one_line(counts: Sequence[StageCount], now: float, left: str = "") -> str:
    """Return how far the stages at work have come, or the last finished one, and the time left in words."""
    lines = [line_of(count, now) for count in at_work(counts)]
    texts = [f"{line.name}: {line.words}" for line in lines] or ["starting"]
    return "; ".join([*texts, *([left] if left else [])])
