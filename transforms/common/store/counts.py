"""Counts of many receipts as one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["summed"]


def summed(receipts: Iterable[Any], by: Sequence[str], numbers: Sequence[str]) -> list[dict[str, Any]]:
    """Sum the `counts` of receipts by what they are of.

    Args:
        receipts: each with `counts`, records.
        by: fields that say what a count is of.
        numbers: fields that are summed.

    Returns:
        A row for each combination of values of `by`, in their order: these and the sums.
    """
    sums: dict[tuple[Any, ...], Counter[str]] = {}
    for receipt in receipts:
        for count in receipt.counts:
            own = sums.setdefault(tuple(getattr(count, name) for name in by), Counter())
            own.update({name: getattr(count, name) for name in numbers})
    return [{**dict(zip(by, key, strict=True)), **{name: sums[key][name] for name in numbers}} for key in sorted(sums)]
