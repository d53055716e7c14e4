"""Texts with a masked place, as they go through a masked language model.

A span of a text is replaced by masks. Before the text there may be another one, a segment of its
own: `sentence [SEP] sentence with a mask`. What is too long is cut: each segment gets half of the
room, and what the other leaves over; the masked one keeps the masks, the other its own span.
"""

from collections.abc import Sequence
from typing import NamedTuple

from transforms.common.errors import LexbeamError
from transforms.lexicon.encoders.batches import Framed, check_spans, framed, greatest_length
from transforms.lexicon.encoders.options import EncoderOptions
from transforms.lexicon.encoders.records import TOO_LONG, Encoder, Masked, MaskedLM, Pieces, Spans
from transforms.lexicon.encoders.windows import located, shares, window

__all__ = ["MaskedPlaces", "masked_lm_of", "prepare_places", "put"]


class MaskedPlaces(NamedTuple):
    """Masked places: texts with one mask each, and the segments before them.

    Attributes:
        masked: the texts as pieces.
        marked: whether words in the place begin with a mark, where the vocabulary has marks.
        before: the segments before the texts, as pieces; None without.
        spans: the pieces of the segments before that are kept, as (first, after the last).
        limit: the greatest number of pieces of both and the special ones.
    """

    masked: Sequence[Masked]
    marked: Sequence[bool]
    before: Sequence[Pieces] | None
    spans: Sequence[tuple[int, int]]
    limit: int


def masked_lm_of(encoder: Encoder) -> MaskedLM:
    """Return what a masked language model has beyond an encoder.

    Raises:
        LexbeamError: the encoder is none.
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
        LexbeamError: a span is not within its text; the encoder is no masked language model, or
            takes no two segments where there are two.
    """
    model = masked_lm_of(encoder)
    check_spans(encoder, spans)
    pieces, kept = None, []
    if before is not None:
        if encoder.pair is None:
            raise LexbeamError(f"encoder {encoder.info.name!r} takes no pairs of texts: give none before the text")
        check_spans(encoder, before, "first text")
        if len(before.texts) != len(spans.texts):
            raise LexbeamError(f"{len(spans.texts)} texts have {len(before.texts)} first texts: give as many")
        pieces = encoder.split(before.texts)
        kept = [located(one, *span) or (0, 0) for one, span in zip(pieces, zip(*before, strict=True), strict=True)]
    return MaskedPlaces(
        masked=model.split(*spans),
        marked=[
            text[start - 1].isspace() if text[:start].strip() else model.marks_first or start > 0
            for text, start in zip(spans.texts, spans.starts, strict=True)
        ],
        before=pieces,
        spans=kept,
        limit=greatest_length(encoder.info, options.max_length),
    )


def put(encoder: Encoder, places: MaskedPlaces, number: int, middle: Sequence[int]) -> Framed | str:
    """Return what goes through the model with some pieces in the place of the mask, or a reason.

    `begin` is where those pieces begin.
    """
    masked = places.masked[number]
    ids = [*masked.ids[: masked.at], *middle, *masked.ids[masked.at + 1 :]]
    place = (masked.at, masked.at + len(middle))
    if places.before is None:
        kept = window(len(ids), *place, places.limit - encoder.single.length)
        if kept is None:
            return TOO_LONG
        whole = framed(encoder.single, ids[slice(*kept)])
        return whole._replace(begin=whole.begin + place[0] - kept[0])
    assert encoder.pair is not None
    other = places.before[number].ids
    of_other, of_text = shares(len(other), len(ids), places.limit - encoder.pair.length)
    kept = window(len(ids), *place, of_text)
    kept_other = window(len(other), *places.spans[number], of_other)
    if kept is None or kept_other is None:
        return TOO_LONG
    whole = framed(encoder.pair, ids[slice(*kept)], other[slice(*kept_other)])
    return whole._replace(begin=whole.begin + place[0] - kept[0])
