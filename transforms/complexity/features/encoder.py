"""Features of a local encoder: how a target fits into its sentence, without any label.

Systems of the shared task gave such models pairs of token and context (Shardlow et al. 2021, sections 5
and 6), and fitted the vectors to labels. Features here depend on no label: the vectors of the target in its sentence
and alone, as they are (a scorer projects them, by its training rows), distances between them, and, with a
masked language model, how probable the target is in its place.

Each instance goes through the model by itself: padding would change the last bits, and an instance's
features must not depend on others.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.complexity.features.base import (
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    vector_features,
)
from lexbeam.transforms.lexicon.encoders.encoder_batches import Encoder, located
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import word_log_probs
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, Encoding, span_vectors
from lexbeam.transforms.lexicon.encoders.span_vectors import encoding_of as shared_encoding_of

_SOURCE = "the encoder"
_WHOLE = "left_to_right"  # how a word of several pieces is scored


def encoding_of(options: EncoderOptions) -> Encoding:
    """Return the encoder that the options name, with the scorings that features need.

    Raises:
        UsageError: the extra is not installed, there is no model, or it lacks these layers.
    """
    return shared_encoding_of(options)._replace(scorings=("masked", _WHOLE))


def _columns(setting: FeatureSetting) -> Sequence[Feature]:
    used = setting.encoder
    dim = 0 if used is None else used.info.dim
    return (
        *_scalars(),
        *(vector_features("encoder_vector", "the target's vector in its sentence", dim, _SOURCE) if dim else ()),
        *(vector_features("encoder_vector_alone", "its vector without a sentence", dim, _SOURCE) if dim else ()),
    )


def _scalars() -> Sequence[Feature]:
    def of(name: str, doc: str, range: str, unit: str, source: str = _SOURCE) -> Feature:
        return Feature(f"encoder_{name}", doc, range, unit, source)

    cosine = "cosine distance"
    masked = "; of masked language models"
    return (
        of("pieces", "pieces that the target has in its sentence", "1 and up", "pieces"),
        of("norm", "length of the target's vector in its sentence", "0 and up", "as the vectors"),
        of("sentence", "cosine distance of this vector to the sentence's", "0 to 2", cosine),
        of("alone", "cosine distance of this vector to the target's without a sentence", "0 to 2", cosine),
        of(
            "surprisal",
            "-log2 of the probability of the target's pieces in its place, each with "
            f"those before it and the rest of the sentence known{masked}",
            "0 and up",
            "bits",
            "the encoder; Kauf and Ivanova (2023)",
        ),
        of("surprisal_piece", f"mean of its pieces, nothing of the target known{masked}", "0 and up", "bits"),
    )


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    used = setting.encoder
    assert used is not None  # the group needs an encoder
    encoder = load_encoder(str(used.options.encoder), device=used.options.device, digest=used.info.digest)
    names = [feature.name for feature in _scalars()]
    values = np.full((batch.rows.num_rows, len(names)), np.nan)
    vectors = np.full((len(_VECTORS), batch.rows.num_rows, used.info.dim), np.nan, np.float32)
    for row, sentence, start, end in _targets(batch):
        values[row], found = _measured(encoder, sentence, start, end, used.options)
        vectors[:, row] = found if batch.mwe[row] else np.where(_OF_WORDS, np.nan, found)
    return {**dict(zip(names, values.T, strict=True)), **dict(zip(_VECTORS, vectors, strict=True))}


def _targets(batch: InstanceBatch) -> Iterator[tuple[int, str, int, int]]:
    """Yield the instances whose target is found in their sentence."""
    columns = [batch.rows[name].to_pylist() for name in ("sentence", "start", "end")]
    for row, (sentence, start, end) in enumerate(zip(*columns, strict=True)):
        if sentence is not None and start is not None and sentence[start:end].strip():
            yield row, sentence, start, end


_VECTORS = tuple(f"{name}{of}" for name in ("encoder_vector", "encoder_vector_alone") for of in ("", "_first", "_last"))
_OF_WORDS = np.array([[not name.endswith(("vector", "alone"))] for name in _VECTORS])


def _measured(
    encoder: Encoder, sentence: str, start: int, end: int, options: EncoderOptions
) -> tuple[list[float], npt.NDArray[np.float32]]:
    """Return the values of a target, in the order of the columns, and its vectors, in that of `_VECTORS`."""
    word = sentence[start:end]
    words = word.split()
    first, last = words[0], words[-1]
    # The words' places in the target, which may begin and end with a space.
    begin, until = word.index(first), word.rindex(last) + len(last)
    texts = [sentence, sentence, word]
    starts, ends = [start, 0, 0], [end, len(sentence), len(word)]
    if len(words) > 1:
        texts += [sentence, sentence, first, last]
        starts += [start + begin, start + until - len(last), 0, 0]
        ends += [start + begin + len(first), start + until, len(first), len(last)]
    vectors = span_vectors(encoder, texts, starts, ends, options=options).vectors
    target, whole, alone = vectors[:3].astype(np.float64)
    of_words = vectors[3:] if len(words) > 1 else vectors[[0, 0, 2, 2]]
    place = located(encoder.split([sentence])[0], sentence, start, end)
    scores = [math.nan, math.nan]
    if encoder.masked_lm is not None:
        whole_bits, pieces = _bits(encoder, sentence, start, end, options, _WHOLE)
        # With one piece, both are the same.
        piece = (
            whole_bits if pieces == 1 else _bits(encoder, sentence, start, end, options, "masked", per_piece=True)[0]
        )
        scores = [whole_bits, piece]
    values = [
        math.nan if place is None else float(place[1] - place[0]),
        math.sqrt(float(target @ target)),
        _distance(target, whole),
        _distance(target, alone),
        *scores,
    ]
    return values, np.stack([vectors[0], *of_words[:2], vectors[2], *of_words[2:]])


def _bits(
    encoder: Encoder,
    sentence: str,
    start: int,
    end: int,
    options: EncoderOptions,
    scoring: str,
    *,
    per_piece: bool = False,
) -> tuple[float, int]:
    """Return the surprisal of a target in its place, and its pieces."""
    scores = word_log_probs(
        encoder,
        [sentence],
        [start],
        [end],
        [[sentence[start:end]]],
        scoring=scoring,
        per_piece=per_piece,
        options=options,
    )
    value = -float(scores.log_probs[0][0]) / math.log(2)
    # In float32 a probability may exceed 1.
    return value if math.isnan(value) else max(value, 0.0), int(scores.pieces[0][0])


def _distance(first: Floats, second: Floats) -> float:
    length = math.sqrt(float(first @ first) * float(second @ second))
    return 1 - min(max(float(first @ second) / length, -1.0), 1.0) if length > 0 else math.nan


ENCODER = FeatureGroup(
    _columns,
    of_instances=_of_instances,
    needs="encoder",
    doc="a local encoder: distances of the target's vectors, surprisal of a masked word",
)
