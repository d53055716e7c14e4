"""Where spans are among the pieces of a text, and what of a long text is kept around them.

>>> window(10, 4, 5, 5)
(2, 7)
>>> window(10, 9, 10, 5)
(5, 10)
>>> window(3, 1, 2, 5)
(0, 3)
>>> window(10, 2, 9, 5) is None
True
"""

from bisect import bisect_right

from transforms.lexicon.encoders.records import Pieces

__all__ = ["located", "shares", "window"]


def window(length: int, start: int, end: int, limit: int) -> tuple[int, int] | None:
    """Return the window of a text that is kept, as (first piece, piece after the last).

    It is as long as the text and the limit let it be, holds the span, and has as much on the left
    of the span as on the right (one more on the right if that is odd), but for what an end of the
    text leaves over, which the other side gets.

    Args:
        length: pieces of the text.
        start: the span's first piece.
        end: the piece after its last.
        limit: the greatest number of pieces.

    Returns None if the span is longer than the limit.
    """
    if end - start > limit:
        return None
    size = min(length, limit)
    begin = start - (size - (end - start)) // 2
    begin = max(0, min(begin, length - size))
    return begin, begin + size


def shares(first: int, second: int, limit: int) -> tuple[int, int]:
    """Return how many pieces of a limit two segments get: half each, but for what one leaves over.

    >>> shares(100, 100, 61), shares(10, 100, 61), shares(100, 10, 61)
    ((30, 31), (10, 51), (51, 10))
    """
    of_second = min(second, max(limit - limit // 2, limit - first))
    return min(first, limit - of_second), of_second


def located(pieces: Pieces, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the pieces of a span, as (first piece, piece after the last).

    They are those that share a character with it that is not whitespace: tokenizers differ in
    whether a word's first piece holds the space before it.

    Returns None if there are none.
    """
    first = last = -1
    for index in range(bisect_right(pieces.ends, start), len(pieces.ids)):
        if pieces.starts[index] >= end:
            break
        if text[max(pieces.starts[index], start) : min(pieces.ends[index], end)].strip():
            first = index if first < 0 else first
            last = index
    return None if first < 0 else (first, last + 1)
