"""Progress in words, and the time that is left: from counts and times, without a clock.

No clock is read here and nothing is drawn: `pipelines/monitoring/progress.py` does both. `remaining` estimates from
one look; `Estimates` keeps what earlier looks said, and shows an estimate only where they agree.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.shown import units


class Foreseen(NamedTuple):
    """What is known of a stage beforehand.

    Attributes:
        name: `change/train`.
        unit: what its artefacts are, in the plural: `embeddings`.
        weight: work of the whole stage, relative to that of the others; None: unknown.
    """

    name: str
    unit: str
    weight: float | None = None


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


def settled(counts: Sequence[StageCount], waits: Mapping[str, Collection[str]]) -> list[StageCount]:
    """Return counts in which the stages that a finished stage has waited for have ended.

    So a stage ends even if its total is unknown, or was estimated too high.

    >>> deal = StageCount(Foreseen("deal", "deals"), 1, 1, begun=0)
    >>> [count.ended for count in settled([StageCount(Foreseen("sizes", "parts"), made=3), deal], {"deal": ["sizes"]})]
    [True, False]

    Args:
        counts: of stages.
        waits: by stage, those that are over once it has finished.
    """
    over: set[str] = set()
    pending = [name for count in counts if count.is_finished for name in waits.get(count.stage.name, ())]
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


LEAST_BASIS = 2.0  # seconds of work that weights need as a basis
REACH = 5.0  # weights predict at most this many times the work that has been seen,
ASIDE = 0.25  # or this share of what the stages at work predict of themselves
LEAST_MADE, LEAST_SHARE = 2, 0.1  # artefacts, and share of its work, after which a stage predicts its own time
APART, HELD = 1 / 3, 1 / 5  # shares of the time left: how far ends may be apart, how long they must have held
LEAST_HELD = 2  # projections that an estimate must agree with
MOST = 1_000  # projections that are kept


def remaining(counts: Iterable[StageCount], now: float) -> float | None:
    """Return roughly how many seconds of a run are left, or None while there is no basis for an estimate.

    A stage that has made 2 artefacts and a tenth of its work predicts its own time: the artefacts left
    times the mean time of those made, less the time since the last. Where the first artefact took as long
    as several do on average, so many workers are at work, and the last artefacts of all take as long as one
    of each worker. Stages at work at the same time
    take turns, so the longest prediction counts. All other stages, begun or not, are estimated by their
    weights: work of weight w takes w times the pace, which is the time during which stages have been
    seen at work, divided by the weights of the shares that they have made. What was there before the
    run counts neither as work nor as speed.

    There is no basis if a stage that is left has no weight and does not predict its own time, or if
    the weights would have to predict too much: from under two seconds of work seen, or more than five
    times that work and more than a quarter of what stages predict themselves.
    """
    predicted: float | None = None
    ahead = weighed = 0.0
    spans: list[tuple[float, float]] = []
    for count in counts:
        weight, share, left = count.stage.weight, _share_made(count), count.left
        if weight and share and count.begun is not None and count.last is not None:
            weighed += weight * share
            spans.append((count.begun, count.last))
        if count.is_finished:
            continue
        if left and count.last is not None and _predicts(count):
            predicted = max(predicted or 0.0, _own(count, left, now - count.last))
        elif weight is None:
            return None
        else:
            ahead += weight * (1.0 if not count.planned else (left or 0) / count.planned)
    if not ahead:
        return predicted
    seen = _union(spans)
    if seen < LEAST_BASIS:
        return None
    by_weight = ahead * seen / weighed
    predicted = predicted or 0.0
    return predicted + by_weight if by_weight <= max(REACH * seen, ASIDE * predicted) else None


def _own(count: StageCount, left: int, since: float) -> float:
    """Return the seconds that a stage predicts for its artefacts that are left, `since` the last one was made."""
    pace = count.seconds / count.made
    first = 0.0 if count.first is None or count.begun is None else count.first - count.begun
    workers = max(1, min(count.made, round(first / pace)))
    turns = -(-left // workers)
    return workers * pace * turns - min(since, workers * pace)


def _share_made(count: StageCount) -> float:
    if count.planned:
        return min(1.0, count.made / count.planned)
    return 1.0 if count.ended and count.made else 0.0


def _predicts(count: StageCount) -> bool:
    to_make = (count.planned or 0) - count.there
    return count.made >= max(LEAST_MADE, LEAST_SHARE * to_make) and count.seconds > 0


def _union(spans: Iterable[tuple[float, float]]) -> float:
    """Return how many seconds are in at least one span."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def time_left(seconds: float) -> str:
    """Return an estimate in words, no more precise than it deserves.

    >>> [time_left(s) for s in (20, 100, 1000, 10_000)]
    ['under a minute left', 'about 2 min left', 'about 15 min left', 'about 3 h left']
    """
    if seconds < 60:
        return "under a minute left"
    minutes = seconds / 60
    if minutes < 9.5:
        return f"about {round(minutes)} min left"
    if minutes < 90:
        return f"about {5 * round(minutes / 5)} min left"
    return f"about {max(2, round(minutes / 60))} h left"


class ProjectedEnd(NamedTuple):
    """When a run was said to end, by what it had made then.

    Attributes:
        at: the time of the look.
        end: the time at which the run was to end.
        made: what it had made and taken up, by stage.
    """

    at: float
    end: float
    made: tuple[int, ...]


def steady(earlier: Sequence[ProjectedEnd], left: float, now: float) -> bool:
    """Return whether an estimate agrees with earlier ones, so that it may be shown.

    It does if the end that it says differs by at most a third of the time left (of a minute, if less is
    left) from every end that was said during a time as long as a fifth of what is left, and at the last
    two looks that found something new. So an estimate for hours must have held for longer than one for
    minutes. Where workers finish together, the first artefact of several says that all others are far;
    and while all work on, the end recedes.

    >>> early, late = ProjectedEnd(0.0, 600.0, (1,)), ProjectedEnd(60.0, 620.0, (2,))
    >>> [steady([early, late], left, 120.0) for left in (500.0, 1500.0)]
    [True, False]
    """
    since = now - HELD * left
    before = [one for one in earlier if one.at <= since]
    held = [*before[-1:], *(one for one in earlier if one.at > since), *earlier[-LEAST_HELD:]]
    agreed = max(left, 60.0) * APART
    return bool(before) and len(earlier) >= LEAST_HELD and all(abs(one.end - now - left) <= agreed for one in held)


class Estimates:
    """What the looks at a run have said of its end."""

    def __init__(self) -> None:
        """Begin without any."""
        self._earlier: list[ProjectedEnd] = []

    def left(self, counts: Sequence[StageCount], now: float) -> float | None:
        """Return the seconds that are left, if they can be told, and note them for later looks."""
        seconds = remaining(counts, now)
        if seconds is None:
            self._earlier.clear()  # what is told next has another basis
            return None
        made = tuple(count.made + count.there for count in counts)
        if not self._earlier or made != self._earlier[-1].made:
            self._earlier = [*self._earlier[-MOST:], ProjectedEnd(now, now + seconds, made)]
        return seconds if steady(self._earlier, seconds, now) else None
