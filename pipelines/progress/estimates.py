"""The time that is left of a run: estimates from counts and times, and which of them deserve to be shown.

No clock is read here. `remaining` estimates from one look; `Estimates` keeps what earlier looks said, and
shows an estimate only where they agree.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lexbeam.pipelines.progress.lines import StageCount

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
    """Return the share of a stage's work that was done in this run."""
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
