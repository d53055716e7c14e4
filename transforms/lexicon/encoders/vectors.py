"""Vectors of spans in their context.

A span's vector is pooled over its pieces; a piece's vector is the mean over the chosen layers. The
context is the text, or the window around the span of a text that is too long (`windows`). A text
with several spans goes through the model once, if it need not be cut.
"""

from typing import NamedTuple

import numpy as np

from transforms.lexicon.encoders.batches import Framed, batches, check_spans, framed, greatest_length
from transforms.lexicon.encoders.options import DEFAULTS, EncoderOptions, layers_of
from transforms.lexicon.encoders.pooling import POOLINGS
from transforms.lexicon.encoders.records import NO_PIECE, TOO_LONG, Encoder, Spans
from transforms.lexicon.encoders.windows import located, window

__all__ = ["SpanVectors", "span_vectors"]


class SpanVectors(NamedTuple):
    """Vectors of spans.

    Attributes:
        vectors: float32 (spans, dim); not a number where there is a reason.
        reasons: why a span has none: `no_piece`, `too_long`; None where it has one.
    """

    vectors: np.ndarray
    reasons: list[str | None]


class _Jobs(NamedTuple):
    """What goes through the model, and of each the spans, as (span, first column, after last)."""

    sequences: list[Framed]
    spans: list[list[tuple[int, int, int]]]


def span_vectors(
    encoder: Encoder, texts: list[str], starts: list[int], ends: list[int], *, options: EncoderOptions = DEFAULTS
) -> SpanVectors:
    """Return the vectors of `texts[i][starts[i]:ends[i]]`; give all spans of one document at once.

    Raises:
        LexbeamError: a span is not within its text, or an option does not fit the encoder.
    """
    spans = Spans(texts, starts, ends)
    check_spans(encoder, spans)
    layers = layers_of(options.layers, encoder.info.layers)
    pool = POOLINGS[options.pooling]
    jobs, reasons = _jobs(encoder, spans, greatest_length(encoder.info, options.max_length))
    vectors = np.full((len(texts), encoder.info.dim), np.nan, np.float32)
    for chosen, batch in batches(jobs.sequences, options.batch_size, encoder.padding):
        found = [(row, *span) for row, job in enumerate(chosen) for span in jobs.spans[job]]
        rows, numbers, begins, afters = np.array(found, np.int64).T
        lengths = afters - begins
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        columns = np.arange(bounds[-1]) + np.repeat(begins - bounds[:-1], lengths)
        states = encoder.states(batch, layers, np.repeat(rows, lengths), columns)
        vectors[numbers] = pool(states, bounds)
    return SpanVectors(vectors, reasons)


def _jobs(encoder: Encoder, spans: Spans, limit: int) -> tuple[_Jobs, list[str | None]]:
    unique = list(dict.fromkeys(spans.texts))
    split = dict(zip(unique, encoder.split(unique), strict=True))
    jobs, reasons = _Jobs([], []), []
    known: dict[tuple[str, tuple[int, int]], int] = {}
    for number, (text, start, end) in enumerate(zip(*spans, strict=True)):
        pieces = split[text]
        place = located(pieces, text, start, end)
        kept = place and window(len(pieces.ids), *place, limit - encoder.single.length)
        reasons.append(NO_PIECE if place is None else TOO_LONG if kept is None else None)
        if place is None or kept is None:
            continue
        job = known.setdefault((text, kept), len(known))
        if job == len(jobs.sequences):
            jobs.sequences.append(framed(encoder.single, pieces.ids[slice(*kept)]))
            jobs.spans.append([])
        shift = jobs.sequences[job].begin - kept[0]
        jobs.spans[job].append((number, place[0] + shift, place[1] + shift))
    return jobs, reasons
