"""Values many at a time, by their number and size alone, so that batches depend on the data."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["batched"]

T = TypeVar("T")


def batched(
    values: Iterable[T], most: int, *, size: Callable[[T], int] | None = None, largest: int = 0
) -> Iterator[list[T]]:
    """Yield values in order: `most` at a time, or fewer as soon as their sizes come to `largest`.

    >>> list(batched("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    >>> list(batched(["a", "bcd", "e"], 2, size=len, largest=1))
    [['a'], ['bcd'], ['e']]
    """
    held: list[T] = []
    total = 0
    for value in values:
        held.append(value)
        total += size(value) if size is not None else 0
        if len(held) == most or (size is not None and total >= largest):
            yield held
            held, total = [], 0
    if held:
        yield held
