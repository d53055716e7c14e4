"""Vectors of spans in their context, and the options that say which encoder makes them.

A span's vector is pooled over its pieces; a piece's vector is the mean over the chosen layers. The
context is the text, or, if that is too long, the window around the span (`encoder_batches.window`). A text
with several spans goes through the model once, if it need not be cut.

>>> pieces = np.array([[1, 5], [3, 1], [7, 7]], np.float32)
>>> {name: pooling.pool(pieces, np.array([0, 2, 3])).tolist() for name, pooling in POOLINGS.items()}
... # doctest: +NORMALIZE_WHITESPACE
{'mean': [[2.0, 3.0], [7.0, 7.0]], 'first': [[1.0, 5.0], [7.0, 7.0]],
 'last': [[3.0, 1.0], [7.0, 7.0]], 'max': [[3.0, 5.0], [7.0, 7.0]]}
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.lexicon.encoders.encoder_batches import (
    NO_PIECE,
    TOO_LONG,
    Encoder,
    EncoderInfo,
    Floats,
    Framed,
    Ints,
    Spans,
    batches,
    check_spans,
    framed,
    greatest_length,
    located,
    window,
)
from lexbeam.transforms.lexicon.encoders.loading_encoders import check_encoder, describe_encoder, kind_of, path_of

DEVICES = ("auto", "cpu", "cuda")

_LAYERS = re.compile(r"(-?\d+)(?:\.\.(-?\d+))?")


def check_layers(text: str) -> None:
    """Check the form of a choice of layers.

    Raises:
        UsageError: it is malformed.
    """
    if not all(_LAYERS.fullmatch(part.strip()) for part in text.split(",")):
        raise UsageError(
            f"`encoder_layers` cannot be {text!r}: give layers, such as -1, or -4..-1, or 1,2 "
            "(0 is the embeddings, -1 the last layer)"
        )


def layers_of(text: str, layers: int) -> tuple[int, ...]:
    """Return the layers that a choice names, of an encoder with `layers` layers, in ascending order.

    >>> layers_of("-1", 12), layers_of("-4..-1", 12), layers_of("0,2", 12)
    ((12,), (9, 10, 11, 12), (0, 2))

    Raises:
        UsageError: it names a layer that does not exist.
    """
    check_layers(text)
    chosen: set[int] = set()
    for part in text.split(","):
        match = _LAYERS.fullmatch(part.strip())
        assert match is not None
        first, last = (
            number if (number := int(end)) >= 0 else layers + 1 + number for end in (match[1], match[2] or match[1])
        )
        if not 0 <= first <= last <= layers:
            raise UsageError(
                f"`encoder_layers` {text!r} names layers that are not there, or a range that runs "
                f"backwards: the encoder has 0 (embeddings) to {layers}, or -{layers + 1} to -1"
            )
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """Which encoder, and how it is used."""

    encoder: str | None = option(
        None,
        help="masked language model or encoder: a folder as save_pretrained writes it, or KIND:ARGUMENT",
        metavar="FOLDER",
        path="place",
        within=path_of,
        check=check_encoder,
    )
    layers: str = option(
        "-1",
        name="encoder_layers",
        help="layers whose mean is a piece's vector: -1 (the last), -4..-1, 0,1 (0: embeddings)",
        check=check_layers,
    )
    pooling: str = option(
        "mean",
        name="encoder_pooling",
        help="how a span's pieces become one vector",
        choices="lexbeam.transforms.lexicon.encoders.span_vectors:POOLINGS",
    )
    max_length: int | None = option(
        None,
        name="encoder_length",
        help="pieces kept of a longer text, around the target; special ones count; default: what the model takes",
        least=8,
    )
    batch_size: int = option(
        32, name="encoder_batch", help="texts of a document that go through the model at once", least=1
    )
    device: str = option(
        "auto",
        name="encoder_device",
        help="where the encoder runs; auto: a CUDA device if there is one, else the CPU",
        choices=DEVICES,
    )


DEFAULTS = EncoderOptions()


class Encoding(NamedTuple):
    """An encoder that is used.

    Attributes:
        options: which encoder, and how it is used.
        info: its description.
        scorings: entries of `model_heads.SCORINGS` by which it scores words.
    """

    options: EncoderOptions
    info: EncoderInfo
    scorings: tuple[str, ...] = ()

    def chosen(self) -> Mapping[str, Sequence[str]]:
        """Return the entries of registries that count, for `Step.chosen`."""
        base = "lexbeam.transforms.lexicon.encoders"
        return {
            f"{base}.loading_encoders:ENCODERS": [kind_of(str(self.options.encoder))[0]],
            f"{base}.span_vectors:POOLINGS": [self.options.pooling],
            f"{base}.model_heads:SCORINGS": list(self.scorings),
        }

    def described(self) -> Mapping[str, str]:
        """Return what a manifest says."""
        return {
            "kind": "encoder",
            "name": self.info.name,
            "digest": self.info.digest,
            "layers": self.options.layers,
            "pooling": self.options.pooling,
        }


def encoding_of(options: EncoderOptions) -> Encoding:
    """Return the encoder that options name.

    Raises:
        UsageError: the extra is not installed, there is no model, or it lacks the layers.
    """
    names = [field.name for field in fields(EncoderOptions)]
    bare = EncoderOptions(**{name: getattr(options, name) for name in names})
    info = describe_encoder(str(bare.encoder))
    layers_of(bare.layers, info.layers)
    return Encoding(bare, info)


@dataclass(frozen=True)
class Pooling(Entry):
    """How the vectors of a span's pieces become one vector.

    Attributes:
        pool: from the vectors of all spans' pieces, one after another, (pieces, dim), and `bounds`,
            (spans + 1,), to (spans, dim). Span i has the pieces `bounds[i]` to `bounds[i + 1]`, at
            least one. Sums run from the first piece to the last.
    """

    pool: Callable[[Floats, Ints], Floats]


def mean(vectors: Floats, bounds: Ints) -> Floats:
    """Return the mean of the pieces."""
    sums = np.add.reduceat(vectors, bounds[:-1], axis=0)
    return np.asarray(sums / np.diff(bounds)[:, None].astype(np.float32), np.float32)


def first(vectors: Floats, bounds: Ints) -> Floats:
    """Return the first piece."""
    return vectors[bounds[:-1]]


def last(vectors: Floats, bounds: Ints) -> Floats:
    """Return the last piece."""
    return vectors[bounds[1:] - 1]


def greatest(vectors: Floats, bounds: Ints) -> Floats:
    """Return the greatest value of each dimension."""
    values: Floats = np.maximum.reduceat(vectors, bounds[:-1], axis=0)
    return values


POOLINGS: Registry[Pooling] = Registry(
    {
        "mean": Pooling(mean, doc="the mean of the pieces"),
        "first": Pooling(first, doc="the first piece"),
        "last": Pooling(last, doc="the last piece"),
        "max": Pooling(greatest, doc="the greatest value of each dimension"),
    },
    what="pooling",
)


class SpanVectors(NamedTuple):
    """Vectors of spans.

    Attributes:
        vectors: float32 (spans, dim); NaN where there is a reason.
        reasons: why a span has no vector: `no_piece`, `too_long`; None where it has one.
    """

    vectors: Floats
    reasons: list[str | None]


class _Jobs(NamedTuple):
    """Sequences that go through the model, and the spans in each, as (span, first column, after last)."""

    sequences: list[Framed]
    spans: list[list[tuple[int, int, int]]]


def span_vectors(
    encoder: Encoder, texts: list[str], starts: list[int], ends: list[int], *, options: EncoderOptions = DEFAULTS
) -> SpanVectors:
    """Return the vectors of `texts[i][starts[i]:ends[i]]`; give all spans of one document at once.

    Raises:
        LexbeamError: a span is not within its text, or an option does not suit the encoder.
    """
    spans = Spans(texts, starts, ends)
    check_spans(encoder, spans)
    layers = layers_of(options.layers, encoder.info.layers)
    pool = POOLINGS[options.pooling].pool
    jobs, reasons = _jobs(encoder, spans, greatest_length(encoder.info, options.max_length))
    vectors = np.full((len(texts), encoder.info.dim), np.nan, np.float32)
    for chosen, batch in batches(jobs.sequences, options.batch_size, encoder.padding):
        spans_of_rows = [(row, *span) for row, job in enumerate(chosen) for span in jobs.spans[job]]
        rows, numbers, begins, ends_of_spans = np.array(spans_of_rows, np.int64).T
        lengths = ends_of_spans - begins
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
        view = place and window(len(pieces.ids), *place, limit - encoder.single.length)
        reasons.append(NO_PIECE if place is None else TOO_LONG if view is None else None)
        if place is None or view is None:
            continue
        job = known.setdefault((text, view), len(known))
        if job == len(jobs.sequences):
            jobs.sequences.append(framed(encoder.single, pieces.ids[slice(*view)]))
            jobs.spans.append([])
        shift = jobs.sequences[job].begin - view[0]
        jobs.spans[job].append((number, place[0] + shift, place[1] + shift))
    return jobs, reasons
