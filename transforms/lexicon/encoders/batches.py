"""Sequences of pieces, and the batches in which they go through a model.

Padding changes the last bits of what a model computes. So a batch is decided by the list that the
caller gives, one document's or one instance's, and by nothing else: the sequences are sorted by
length, those of one length in the list's order, and cut into batches of a fixed size.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from transforms.common.errors import LexbeamError
from transforms.lexicon.encoders.records import Encoder, EncoderBatch, EncoderInfo, Frame, Spans

__all__ = ["Framed", "batches", "check_spans", "framed", "greatest_length"]


class Framed(NamedTuple):
    """What goes through a model: pieces, their segments' numbers, and where the text begins.

    The text is the one segment, or the second of two.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...]
    begin: int


def framed(frame: Frame, text: Sequence[int], before: Sequence[int] = ()) -> Framed:
    """Return a text's pieces with special ones around them, `before` as a segment before it."""
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
    """Yield the sequences of each batch, as indices, and the batch, padded to its longest one."""
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


def greatest_length(info: EncoderInfo, asked: int | None) -> int:
    """Return the greatest number of pieces of a sequence: what was asked for, if it is possible.

    Raises:
        LexbeamError: the encoder takes fewer.
    """
    if asked is not None and asked > info.max_length:
        raise LexbeamError(
            f"encoder {info.name!r} takes at most {info.max_length} pieces, not `encoder_length` "
            f"{asked}: set it to {info.max_length} or less"
        )
    return info.max_length if asked is None else asked


def check_spans(encoder: Encoder, spans: Spans, what: str = "text") -> None:
    """Check that spans lie within their texts.

    Raises:
        LexbeamError: one does not, or the lists differ in length.
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
