"""Where gold is lost: what becomes of candidates at each stage, by reason.

>>> funnel = Funnel()
>>> left = funnel.add(("a", None, "generation"), {"duro", "raro"}, ["duro", "largo"], [])
>>> left
{'duro'}
>>> _ = funnel.add(("a", None, "selection"), left, ["largo"], [("duro", "pos_mismatch")])
>>> for row in funnel.rows():
...     print(row["stage"], row["reason"], row["gold_candidates"], row["instances_lost"])
generation None 1 None
generation not_generated 1 0
selection None 0 None
selection pos_mismatch 1 1
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from lexbeam.schemas.simplification import LOSSES, STAGES, drop_reasons
from lexbeam.transforms.simplification.records import Row

# Missing gold was never generated, or a later stage has no row for it.
_MISSING = {STAGES[0]: "not_generated"}

_Stage = tuple[str, str | None, str]


class _Count(NamedTuple):
    candidates: int = 0
    gold: int = 0
    instances: int = 0


class Funnel:
    """Counts of candidates by setting, ranker, stage and reason."""

    def __init__(self) -> None:
        self._counts: dict[_Stage, dict[str | None, _Count]] = {}
        self._order = {reason: place for place, reason in enumerate((*LOSSES, *drop_reasons()))}

    def add(
        self, stage: _Stage, before: Collection[str], remaining: Collection[str], dropped: Iterable[tuple[str, str]]
    ) -> set[str]:
        """Add what a stage does to the candidates of an instance; return the gold that is left.

        Args:
            stage: setting, ranker (None before ranking) and stage.
            before: gold that earlier stages left.
            remaining: candidates that go on.
            dropped: those that do not, each with its reason.
        """
        counts = self._counts.setdefault(stage, {None: _Count()})
        left = {word for word in before if word in remaining}
        lost: dict[str, str] = {}
        for word, reason in dropped:
            is_gold = word in before and word not in left
            if is_gold:
                lost[word] = reason
            _add(counts, reason, _Count(1, int(is_gold)))
        missing = [word for word in before if word not in left and word not in lost]
        if missing:
            reason = _MISSING.get(stage[2], "no_rows")
            lost |= dict.fromkeys(missing, reason)
            _add(counts, reason, _Count(0, len(missing)))
        _add(counts, None, _Count(len(remaining), len(left), int(bool(left))))
        if lost and not left:
            last = max(lost.values(), key=lambda reason: (self._order.get(reason, -1), reason))
            _add(counts, last, _Count(0, 0, 1))
        return left

    def rows(self) -> Iterator[Row]:
        """Yield the rows of table simplification/funnel, stage by stage."""
        for setting, ranker, stage in sorted(self._counts, key=_place):
            counts = self._counts[setting, ranker, stage]
            for reason in sorted(counts, key=lambda reason: reason or ""):
                count = counts[reason]
                yield {
                    "setting": setting,
                    "ranker": ranker,
                    "stage": stage,
                    "reason": reason,
                    "candidates": count.candidates,
                    "gold_candidates": count.gold,
                    "instances_lost": None if reason is None else count.instances,
                    "instances_left": count.instances if reason is None else None,
                }


def _add(counts: dict[str | None, _Count], reason: str | None, added: _Count) -> None:
    count = counts.get(reason, _Count())
    counts[reason] = _Count(*(number + other for number, other in zip(count, added, strict=True)))


def _place(stage: _Stage) -> tuple[str, int, str]:
    return stage[0], STAGES.index(stage[2]), stage[1] or ""
