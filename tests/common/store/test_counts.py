"""Counts of receipts, summed."""

import random
from typing import NamedTuple

from transforms.common.store.counts import summed


class Count(NamedTuple):
    kind: str
    reason: str
    words: int
    others: int


class Receipt(NamedTuple):
    counts: tuple[Count, ...]


def test_counts_are_summed_by_what_they_are_of_in_the_order_of_these():
    draw = random.Random(1)
    counts = [Count(draw.choice("ab"), draw.choice("xyz"), draw.randrange(9), draw.randrange(9)) for _ in range(40)]
    receipts = [Receipt(tuple(counts[:15])), Receipt(()), Receipt(tuple(counts[15:]))]
    expected = [
        {"reason": reason, "kind": kind, "words": sum(one.words for one in own)}
        for reason in "xyz"
        for kind in "ab"
        if (own := [one for one in counts if (one.kind, one.reason) == (kind, reason)])
    ]
    assert summed(receipts, ("reason", "kind"), ("words",)) == expected
    assert [row["others"] for row in summed(receipts, (), ("words", "others"))] == [sum(one.others for one in counts)]
    assert summed([], ("kind",), ("words",)) == []
