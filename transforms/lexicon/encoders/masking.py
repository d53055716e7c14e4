"""Texts with a masked place, as they go through a masked language model.

A span of a text is replaced by masks. Another text may precede it as a segment of its own:
`sentence [SEP] sentence with a mask`. Segments that are too long are cut: each gets half of the
room, and what the other leaves unused; the masked one keeps the masks, the other its own span.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.encoders.batches import (
    Framed,
    check_spans,
    framed,
    greatest_length,
    located,
    shares,
    window,
)
from lexbeam.transforms.lexicon.encoders.options import EncoderOptions
from lexbeam.transforms.lexicon.encoders.records import TOO_LONG, Encoder, Masked, MaskedLM, Pieces, Spans


class MaskedPlaces(NamedTuple):
    """Masked places: texts with one mask each, and the segments before them.

    Attributes:
        masked: the texts as pieces.
        marked: whether words in the place begin with a mark, if the vocabulary has marks.
        before: the segments before the texts, as pieces; None without them.
        spans: the pieces that the segments before must keep, as (first, after the last).
        limit: the greatest number of pieces of both, special ones included.
    """

    masked: Sequence[Masked]
    marked: Sequence[bool]
    before: Sequence[Pieces] | None
    spans: Sequence[tuple[int, int]]
    limit: int


def masked_lm_of(encoder: Encoder) -> MaskedLM:
    """Return the functions of a masked language model.

    Raises:
        LexbeamError: the encoder is no such model.
    """
    if encoder.masked_lm is None:
        raise LexbeamError(
            f"encoder {encoder.info.name!r} is no masked language model, so it cannot fill a place "
            "or score a word: name one whose config.json has an architecture ...ForMaskedLM"
        )
    return encoder.masked_lm


def prepare_places(encoder: Encoder, spans: Spans, before: Spans | None, options: EncoderOptions) -> MaskedPlaces:
    """Return the places, each span replaced by one mask.

    Raises:
        LexbeamError: a span is not within its text; the encoder is not a masked language model, or
            takes no pairs although there are segments before the texts.
    """
    model = masked_lm_of(encoder)
    check_spans(encoder, spans)
    pieces: Sequence[Pieces] | None = None
    spans_before: list[tuple[int, int]] = []
    if before is not None:
        if encoder.pair is None:
            raise LexbeamError(f"encoder {encoder.info.name!r} takes no pairs of texts: give none before the text")
        check_spans(encoder, before, "first text")
        if len(before.texts) != len(spans.texts):
            raise LexbeamError(f"{len(spans.texts)} texts have {len(before.texts)} first texts: give as many")
        pieces = encoder.split(before.texts)
        spans_before = [
            located(text, *span) or (0, 0) for text, span in zip(pieces, zip(*before, strict=True), strict=True)
        ]
    return MaskedPlaces(
        masked=model.split(*spans),
        marked=[
            text[start - 1].isspace() if text[:start].strip() else model.marks_first or start > 0
            for text, start in zip(spans.texts, spans.starts, strict=True)
        ],
        before=pieces,
        spans=spans_before,
        limit=greatest_length(encoder.info, options.max_length),
    )


def put(encoder: Encoder, places: MaskedPlaces, number: int, middle: Sequence[int]) -> Framed | str:
    """Return the sequence with some pieces in the place of the mask, or the reason why there is none.

    `begin` is where those pieces begin.
    """
    masked = places.masked[number]
    ids = [*masked.ids[: masked.at], *middle, *masked.ids[masked.at + 1 :]]
    place = (masked.at, masked.at + len(middle))
    if places.before is None:
        view = window(len(ids), *place, places.limit - encoder.single.length)
        if view is None:
            return TOO_LONG
        sequence = framed(encoder.single, ids[slice(*view)])
        return sequence._replace(begin=sequence.begin + place[0] - view[0])
    assert encoder.pair is not None
    before = places.before[number].ids
    before_limit, limit = shares(len(before), len(ids), places.limit - encoder.pair.length)
    view = window(len(ids), *place, limit)
    before_view = window(len(before), *places.spans[number], before_limit)
    if view is None or before_view is None:
        return TOO_LONG
    sequence = framed(encoder.pair, ids[slice(*view)], before[slice(*before_view)])
    return sequence._replace(begin=sequence.begin + place[0] - view[0])
