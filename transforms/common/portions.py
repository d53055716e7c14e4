"""How rows and work are divided: into batches, lanes and parts, by what the data are alone.

Lanes are of about equal weight, the largest pieces first: local runners deal keys out by index and never steal, so
equal lanes are what makes two workers twice as fast. Lanes never affect a result.

Neither workers nor earlier runs count for the parts of a table, so that the same corpus makes the same files:
`parts_for(documents=2_000_000, tokens=900_000_000)` is 64. The number is a power of two, so that one that is twice as
large splits each part in two.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from lexbeam.transforms.common.errors import UsageError, quoted

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


def pack(weights: Sequence[float], lanes: int) -> list[list[int]]:
    """Deal indices of `weights` out to `lanes` lists by longest processing time first.

    Returns at most `lanes` lists, none empty, each in order of falling weight; ties by index.

    >>> pack([5, 1, 4, 3], 2)
    [[0, 1], [2, 3]]
    """
    order = sorted(range(len(weights)), key=lambda index: (-weights[index], index))
    loads: list[tuple[float, int]] = [(0.0, lane) for lane in range(lanes)]
    packed: list[list[int]] = [[] for _ in range(lanes)]
    for index in order:
        load, lane = heapq.heappop(loads)
        packed[lane].append(index)
        heapq.heappush(loads, (load + weights[index], lane))
    return [lane for lane in packed if lane]


AUTO = "auto"
MOST_PARTS = 10_000
LEAST_PARTS = 8  # and so the parts of small corpora
_MOST = 8192
# Most of each that a part has, on average. With all three it takes about 200 MB of `sentences`.
ROWS = 1 << 17
TOKENS = 1 << 24
CHARACTERS = 1 << 27


def parts_for(rows: int = 0, tokens: int = 0, characters: int = 0) -> int:
    """Return the least power of two, from 8 to 8192, by which a part has no more than its share.

    Args:
        rows: documents, or rows that are staged for the table.
        tokens: of the sentences.
        characters: of the documents' texts.
    """
    shares = max(-(-rows // ROWS), -(-tokens // TOKENS), -(-characters // CHARACTERS), LEAST_PARTS)
    return min(1 << (shares - 1).bit_length(), _MOST)


def stated_parts(value: str) -> int:
    """Return the number of parts that an option states; 0 where the corpus decides it.

    Raises:
        UsageError: the value is neither `auto` nor a number that a table can have.
    """
    if value == AUTO:
        return 0
    number = int(value) if value.isascii() and value.isdecimal() and len(value) <= len(str(MOST_PARTS)) else 0
    if not 1 <= number <= MOST_PARTS:
        raise UsageError(f"must be {AUTO}, or a number from 1 to {MOST_PARTS}, not {quoted(value)}")
    return number
