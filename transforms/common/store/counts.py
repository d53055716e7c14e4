"""Counts of many receipts as one."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

__all__ = ["Counted", "summed", "totals"]

K = TypeVar("K")


class Counted(Protocol):
    """A receipt with `counts`: records, each of what it counts and of its numbers."""

    @property
    def counts(self) -> Iterable[object]:
        """The records."""


def summed(receipts: Iterable[Counted], by: Sequence[str], numbers: Sequence[str]) -> list[dict[str, Any]]:
    """Sum the `counts` of receipts by what they are of.

    Args:
        receipts: the receipts.
        by: fields that say what a count is of.
        numbers: fields that are summed.

    Returns:
        A row for each combination of values of `by`, in their order: these and the sums.
    """
    sums: dict[tuple[Any, ...], Counter[str]] = {}
    for receipt in receipts:
        for count in receipt.counts:
            key = tuple(getattr(count, name) for name in by)
            sums.setdefault(key, Counter()).update({name: getattr(count, name) for name in numbers})
    return [{**dict(zip(by, key, strict=True)), **{name: sums[key][name] for name in numbers}} for key in sorted(sums)]


def totals(counts: Iterable[Mapping[K, int]]) -> Counter[K]:
    """Sum counts key by key.

    >>> totals([{"a": 1, "b": 2}, {"a": 3}])
    Counter({'a': 4, 'b': 2})
    """
    total: Counter[K] = Counter()
    for each in counts:
        total.update(each)
    return total
