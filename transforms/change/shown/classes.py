"""Thresholds of a ranking, systems by name, and how many words either calls changed."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NO_THRESHOLD, of_threshold
from lexbeam.schemas.change.systems import SYSTEM_SCORES
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.scores.thresholds import RANKED, TARGETS, THRESHOLDS
from lexbeam.transforms.change.shown.cells import why_no_score
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import number
from lexbeam.transforms.common.store.tables import read_rows

NO_CLASS = "so few scores give no threshold"
UNCLASSED = "the system has no threshold"
WORDS = {TARGETS: "targets", RANKED: "ranked words"}


class AboveThreshold(NamedTuple):
    """A threshold of a ranking, and the words that it is over.

    Attributes:
        name: of the threshold.
        words: what they are, for a person.
        value: the threshold; None if there is none.
        above: how many of them have a score above it.
        of: how many have a score.
        why: why there is no threshold, for a person; empty if there is.
    """

    name: str
    words: str
    value: float | None
    above: int
    of: int
    why: str


def classes_of(snapshot: Snapshot, facts: Row, rows: pa.Table) -> Iterator[AboveThreshold]:
    """Yield the thresholds of a ranking in the order of the option; of targets none where none was named.

    Args:
        snapshot: with a section `change`.
        facts: the row of table `change/pairs`; empty if there is none.
        rows: see `ranked_rows`.
    """
    names = snapshot.section("change")["options"].get("threshold") or ()
    for name in names:
        over = THRESHOLDS[name].over if name in THRESHOLDS else TARGETS
        words = rows.filter(rows["target" if over == TARGETS else "ranked"])
        if words.num_rows and facts:
            value, reason = (facts.get(of_threshold(what, name, names)) for what in ("threshold", "threshold_reason"))
            scores = words["score"].drop_null()
            above = 0 if value is None else pc.sum(pc.greater(scores, value)).as_py() or 0
            yield AboveThreshold(
                name, WORDS[over], value, above, len(scores), NO_THRESHOLD.get(reason or "", reason or "")
            )


def told_class(found: AboveThreshold) -> str:
    """Return a line on a threshold.

    >>> told_class(AboveThreshold("mean", "targets", 0.43, 16, 40, ""))
    'threshold mean: 0.430, 16 of 40 targets above it'
    """
    if found.value is None:
        return f"threshold {found.name}: none, {found.why}"
    return f"threshold {found.name}: {number(found.value)}, {found.above} of {found.of} {found.words} above it"


def told_systems(snapshot: Snapshot) -> Iterator[str]:
    """Yield a line for each pair of slices and system that was named.

    It says how many targets the system calls changed, and why others have no class.
    """
    if SYSTEM_SCORES.name not in snapshot.tables:
        return
    columns = ["slice_from", "slice_to", "system", "target", "changed", "reason", "measure", "threshold"]
    classes: dict[tuple[str, ...], Counter[bool]] = defaultdict(Counter)
    lacking: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for rows in read_rows(snapshot.paths(SYSTEM_SCORES.name), columns):
        for row in rows.filter(rows["target"]).to_pylist():
            key = (row["slice_from"], row["slice_to"], row["system"])
            classes[key].update([] if row["changed"] is None else [row["changed"]])
            why = UNCLASSED if row["threshold"] is None and row["measure"] is not None else NO_CLASS
            lacking[key].update([why_no_score(row["reason"]) or why] if row["changed"] is None else [])
    for (earlier, later, system), of in sorted(classes.items()):
        reasons = sorted(lacking[earlier, later, system].items(), key=lambda found: (-found[1], found[0]))
        told = [f"{of[True]} of {of.total()} targets changed"] if of else []
        told += [f"no class: {', '.join(f'{why} ({times})' for why, times in reasons)}"] if reasons else []
        yield f"{earlier} to {later}, system {system}: {'; '.join(told)}"
