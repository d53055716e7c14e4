"""Features of static vectors, and of a local encoder: the vectors, and what they say of a target in its sentence.

The length of a static vector grows with a word's frequency, and the fewer contexts it has (Schakel and Wilson
2015). Cosines are of vectors in float64.

Systems of the shared task gave such models pairs of token and context (Shardlow et al. 2021, sections 5
and 6), and fitted the vectors to labels. Features here depend on no label: the vectors of the target in its sentence
and alone, as they are (a scorer projects them, by its training rows), distances between them, and, with a
masked language model, how probable the target is in its place.

Each instance goes through the model by itself: padding would change the last bits, and an instance's
features must not depend on others.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import dots
from lexbeam.transforms.complexity.features.base import (
    FLAG,
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    numbers,
    ratio,
    sums,
    vector_features,
)
from lexbeam.transforms.complexity.features.word_forms import zipf_of
from lexbeam.transforms.lexicon.compiled.word_keys import coded
from lexbeam.transforms.lexicon.encoders.encoder_batches import Encoder, located
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import word_log_probs
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, Encoding, span_vectors
from lexbeam.transforms.lexicon.encoders.span_vectors import encoding_of as shared_encoding_of
from lexbeam.transforms.lexicon.resources import Lexicon

RESOURCE = "vectors_"
_SOURCE = "the vectors"
NEAR = 10  # neighbours
_TOKENS = 8192  # whose vectors are taken at once


def _columns(setting: FeatureSetting) -> Sequence[Feature]:
    doc = "the target's vector; of an expression the mean of what is known of its first and last word"
    opened: Any = _held(setting.lexicon)
    return (
        *(vector_features("vector", doc, opened.dim, _SOURCE) if opened is not None else ()),
        Feature("vector_known", "whether the word has a vector", "0 or 1", FLAG, _SOURCE, "both"),
        Feature("vector_norm", "length of its vector", "0 and up", "as the vectors", _SOURCE),
        Feature(
            "vector_near",
            f"mean cosine to its {NEAR} nearest neighbours: how dense its neighbourhood is",
            "-1 to 1",
            "cosine",
            _SOURCE,
        ),
        Feature(
            "vector_near_zipf",
            "mean frequency of those of these neighbours that wordfreq knows",
            "0 to 9",
            "Zipf",
            f"{_SOURCE}; wordfreq (Speer 2022)",
        ),
        Feature(
            "vector_genre",
            "cosine distance of its vector (of an expression: the mean of its "
            "words' unit vectors) to the mean of the genre's distinct targets",
            "0 to 2",
            "cosine distance",
            _SOURCE,
            each=False,
        ),
        Feature(
            "vector_sentence",
            "likewise to the mean of the unit vectors of the sentence's other words",
            "0 to 2",
            "cosine distance",
            _SOURCE,
            each=False,
        ),
        Feature(
            "vector_words",
            "cosine distance of an expression's first and last word; null for single words",
            "0 to 2",
            "cosine distance",
            _SOURCE,
            each=False,
        ),
    )


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    known: Any = setting.lexicon.find(RESOURCE, words.language)
    if known is None:  # which is said, so that it does not follow from the languages of the words beside it
        return {"vector_known": np.zeros(len(words.forms), bool)}
    vectors, known_words = known.vectors(words.forms)
    norms = _norms(vectors.astype(np.float64))
    near, zipf = _neighbours(words, known, setting)
    return {
        "vector_known": known_words,
        "vector_norm": np.where(known_words, norms, np.nan),
        "vector_near": near,
        "vector_near_zipf": zipf,
    }


def _neighbours(words: DistinctWordForms, opened: Any, setting: FeatureSetting) -> tuple[Floats, Floats]:
    """Return the mean cosine of each word to its nearest neighbours, and their mean frequency."""
    distinct, places = coded(words.forms)
    rows = opened.nearest(distinct, NEAR)
    _, owners = coded(pa.concat_arrays([distinct, rows["word"].combine_chunks()]))
    owners = owners[len(distinct) :]
    # Pair by pair: a product of matrices has other last bits with other words beside it.
    cosines = numbers(opened.cosine(rows["word"], rows["neighbour"]))
    near, code = coded(rows["neighbour"])
    zipf = zipf_of(near, words.language, setting)[code]

    def mean(values: Floats) -> Floats:
        known = ~np.isnan(values)
        count = sums(owners[known], len(distinct))
        total = sums(owners[known], len(distinct), values[known])
        return ratio(total, count)[places]

    return mean(cosines), mean(zipf)


def _norms(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(dots(vectors, vectors)), np.float64)


def _units(vectors: np.ndarray) -> Floats:
    """Return vectors scaled to length 1, float64; zeros stay zeros."""
    wide = vectors.astype(np.float64)
    lengths = _norms(wide)[:, None]
    np.divide(wide, lengths, out=wide, where=lengths > 0)
    return wide


def _distance(first: Floats, second: Floats) -> Floats:
    """Return 1 - cosine of the rows of two matrices; NaN for zeros."""
    length = _norms(first) * _norms(second)
    distances: Floats = 1 - np.clip(ratio(dots(first, second), length), -1, 1)
    return distances


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    known = [setting.lexicon.find(RESOURCE, words.language) for words in batch.words]
    opened: Any = next((resource for resource in known if resource is not None), None)
    if opened is None:
        return {}
    count = batch.rows.num_rows
    raw = np.concatenate(
        [
            np.zeros((len(words.forms), opened.dim)) if resource is None else resource.vectors(words.forms)[0]  # type: ignore[attr-defined]
            for words, resource in zip(batch.words, known, strict=True)
        ]
    )
    units = _units(raw)
    first, last = units[batch.first], units[batch.last]
    target = np.where(batch.mwe[:, None], (first + last) / 2, first)
    centroid = dict(setting.centroids)
    nothing = np.zeros(opened.dim)
    genres = np.array([centroid.get(genre, nothing) for genre in batch.rows["genre"].to_pylist()]).reshape(
        count, opened.dim
    )
    return {
        **_raw(raw, batch),
        "vector_genre": _distance(target, genres),
        "vector_sentence": _distance(target, _sentences(batch, opened)),
        "vector_words": np.where(batch.mwe, _distance(first, last), np.nan),
    }


def _raw(vectors: np.ndarray, batch: InstanceBatch) -> Values:
    """Return the vectors of targets and of the words of expressions, NaN where they are not known."""
    known = np.where(np.any(vectors != 0, axis=1)[:, None], vectors, np.nan)
    first, last = known[batch.first], known[batch.last]
    whole = np.where(np.isnan(first), last, np.where(np.isnan(last), first, (first + last) / 2))
    mwe = batch.mwe[:, None]
    return {
        "vector": np.where(mwe, whole, first),
        "vector_first": np.where(mwe, first, np.nan),
        "vector_last": np.where(mwe, last, np.nan),
    }


def _sentences(batch: InstanceBatch, opened: Any) -> Floats:
    """Return the sum of the unit vectors of the other words of each sentence."""
    forms = batch.rows["forms"].combine_chunks()
    sizes = np.nan_to_num(numbers(pc.list_value_length(forms))).astype(np.int64)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    begin = numbers(batch.rows["position"])
    end = begin + numbers(batch.rows["tokens"])
    other = ~((place >= begin[owners]) & (place < end[owners]))
    texts, codes = coded(pc.list_flatten(forms))
    units = _units(opened.vectors(texts)[0])
    totals = np.zeros((len(sizes), opened.dim))
    mine, which = owners[other], codes[other]
    for start in range(0, len(mine), _TOKENS):
        chunk = slice(start, start + _TOKENS)
        np.add.at(totals, mine[chunk], units[which[chunk]])
    return totals


def _held(lexicon: Lexicon) -> object | None:
    return next((resource.open() for resource in lexicon.held if resource.name == RESOURCE), None)


def centroids_of(
    targets: Iterable[tuple[str | None, str]], lexicon: Lexicon
) -> tuple[tuple[str | None, tuple[float, ...]], ...]:
    """Return the mean of the unit vectors of each genre's targets, by genre.

    Args:
        targets: genre and target, as it stands; each pair counts once, in lower case. Each word of an
            expression counts.
        lexicon: with the vectors.
    """
    known: Any = _held(lexicon)
    pairs = {(genre, word) for genre, text in targets for word in text.lower().split()}
    by_genre: dict[str | None, list[str]] = {}
    for genre, word in sorted(pairs, key=lambda pair: (pair[0] is None, pair[0] or "", pair[1])):
        by_genre.setdefault(genre, []).append(word)
    if known is None:
        return ()
    centroids = []
    for genre, words in by_genre.items():
        total = np.zeros(known.dim)
        for start in range(0, len(words), 4096):
            chunk = pa.array(words[start : start + 4096], pa.large_string())
            total += _units(known.vectors(chunk)[0]).sum(axis=0)
        centroids.append((genre, tuple((total / len(words)).tolist())))
    return tuple(centroids)


VECTORS = FeatureGroup(
    _columns,
    of_words=_of_words,
    of_instances=_of_instances,
    needs="vectors",
    doc="static vectors: length, neighbours, distance to genre and sentence",
)


_ENCODER = "the encoder"
_WHOLE = "left_to_right"  # how a word of several pieces is scored


def encoding_of(options: EncoderOptions) -> Encoding:
    """Return the encoder that the options name, with the scorings that features need.

    Raises:
        UsageError: the extra is not installed, there is no model, or it lacks these layers.
    """
    return shared_encoding_of(options)._replace(scorings=("masked", _WHOLE))


def _encoder_columns(setting: FeatureSetting) -> Sequence[Feature]:
    used = setting.encoder
    dim = 0 if used is None else used.info.dim
    return (
        *_scalars(),
        *(vector_features("encoder_vector", "the target's vector in its sentence", dim, _ENCODER) if dim else ()),
        *(vector_features("encoder_vector_alone", "its vector without a sentence", dim, _ENCODER) if dim else ()),
    )


def _scalars() -> Sequence[Feature]:
    def of(name: str, doc: str, range: str, unit: str, source: str = _ENCODER) -> Feature:
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


def _encoded(batch: InstanceBatch, setting: FeatureSetting) -> Values:
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
        _cosine_distance(target, whole),
        _cosine_distance(target, alone),
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


def _cosine_distance(first: Floats, second: Floats) -> float:
    length = math.sqrt(float(first @ first) * float(second @ second))
    return 1 - min(max(float(first @ second) / length, -1.0), 1.0) if length > 0 else math.nan


ENCODER = FeatureGroup(
    _encoder_columns,
    of_instances=_encoded,
    needs="encoder",
    doc="a local encoder: distances of the target's vectors, surprisal of a masked word",
)
