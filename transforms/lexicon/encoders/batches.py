"""What of a text goes through a model: windows around spans, framed sequences, padded batches.

Padding changes the last bits of what a model computes. So a batch is decided by the list that the
caller gives, one document's or one instance's, and by nothing else: the sequences are sorted by
length, those of one length in the list's order, and cut into batches of a fixed size.

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
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.encoders.records import Encoder, EncoderBatch, EncoderInfo, Frame, Pieces, Spans


def window(length: int, start: int, end: int, limit: int) -> tuple[int, int] | None:
    """Return the window of a text that is kept, as (first piece, piece after the last).

    It is as long as the text and the limit allow, holds the span, and has as many pieces on its left
    as on its right (one more on the right if their number is odd); room that an end of the text
    leaves unused goes to the other side.

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
    """Return how many pieces of a limit two segments get: half each, and what the other leaves unused.

    >>> shares(100, 100, 61), shares(10, 100, 61), shares(100, 10, 61)
    ((30, 31), (10, 51), (51, 10))
    """
    of_second = min(second, max(limit - limit // 2, limit - first))
    return min(first, limit - of_second), of_second


def located(pieces: Pieces, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the pieces of a span, as (first piece, piece after the last).

    These share a character with the span that is not whitespace: tokenizers differ in whether a
    word's first piece holds the space before it.

    Returns None if there are no such pieces.
    """
    first = last = -1
    for index in range(bisect_right(pieces.ends, start), len(pieces.ids)):
        if pieces.starts[index] >= end:
            break
        if text[max(pieces.starts[index], start) : min(pieces.ends[index], end)].strip():
            first = index if first < 0 else first
            last = index
    return None if first < 0 else (first, last + 1)


class Framed(NamedTuple):
    """A sequence for a model: pieces, their segment numbers, and where the text begins.

    The text is the only segment, or the second of two.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...]
    begin: int


def framed(frame: Frame, text: Sequence[int], before: Sequence[int] = ()) -> Framed:
    """Return the pieces of a text with special pieces around them, and `before` as a segment before it."""
    if not frame.between and not before:
        parts = [frame.before, text, frame.after]
        numbers = [frame.types[0], frame.types[1], frame.types[4]]
    else:
        parts = [frame.before, before, frame.between, text, frame.after]
        numbers = list(frame.types)
    ids = tuple(piece for part in parts for piece in part)
    types = tuple(number for part, number in zip(parts, numbers, strict=True) for _ in range(len(part)))
    return Framed(ids, types, len(ids) - len(frame.after) - len(text))


def batches(sequences: Sequence[Framed], size: int, padding: int) -> Iterator[tuple[list[int], EncoderBatch]]:
    """Yield the sequences of each batch, as indices, and the batch, padded to its longest sequence."""
    order = sorted(range(len(sequences)), key=lambda index: len(sequences[index].ids))
    for begin in range(0, len(order), size):
        chosen = order[begin : begin + size]
        shape = (len(chosen), len(sequences[chosen[-1]].ids))
        ids = np.full(shape, padding, np.int64)
        attention, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, index in enumerate(chosen):
            length = len(sequences[index].ids)
            ids[row, :length] = sequences[index].ids
            types[row, :length] = sequences[index].types
            attention[row, :length] = 1
        yield chosen, EncoderBatch(ids, attention, types)


def greatest_length(info: EncoderInfo, limit: int | None) -> int:
    """Return the greatest number of pieces of a sequence: the limit, if the encoder takes as many.

    Raises:
        LexbeamError: the encoder takes fewer.
    """
    if limit is not None and limit > info.max_length:
        raise LexbeamError(
            f"encoder {info.name!r} takes at most {info.max_length} pieces, not `encoder_length` "
            f"{limit}: set it to {info.max_length} or less"
        )
    return info.max_length if limit is None else limit


def check_spans(encoder: Encoder, spans: Spans, what: str = "text") -> None:
    """Check that spans lie within their texts.

    Raises:
        LexbeamError: a span does not, or the lists differ in length.
    """
    texts, starts, ends = spans
    if not len(texts) == len(starts) == len(ends):
        raise LexbeamError(
            f"encoder {encoder.info.name!r} was given {len(texts)} {what}s with {len(starts)} "
            f"starts and {len(ends)} ends: give as many of each"
        )
    for index, (text, start, end) in enumerate(zip(texts, starts, ends, strict=True)):
        if not 0 <= start <= end <= len(text):
            raise LexbeamError(
                f"span {start} to {end} of {what} {index} ({text[:40]!r}) is not within its "
                f"{len(text)} characters: offsets are code points of that very text"
            )
