"""Filters by how similar the words of the passage are to the word: cosines of vectors.

Static vectors are those of `transforms/lexicon/vectors`, which may be centred and freed of their
top components; contextual ones are those of an encoder, which reads summary and passage sentence by
sentence. The value is the greatest cosine to a word of the passage. A word without a vector
abstains, and so does one whose passage has none.

Whole passages are compared at once; what is stored is the cosine of the word and the one that it is
most similar to.
"""

from typing import cast

import numpy as np
import pyarrow as pa

from lexbeam.transforms.cloze.filters.base import ABSTAINS, FilterSetting, Verdicts
from lexbeam.transforms.cloze.filters.batches import PairBatch, SideTokens
from lexbeam.transforms.cloze.word_resources import VECTORS
from lexbeam.transforms.common.arithmetic import dots, one_thread, product
from lexbeam.transforms.lexicon.compiled.keys import MISSING
from lexbeam.transforms.lexicon.encoders.base import load_encoder
from lexbeam.transforms.lexicon.encoders.encoding import Encoding
from lexbeam.transforms.lexicon.encoders.vectors import span_vectors
from lexbeam.transforms.lexicon.resources import Lexicon
from lexbeam.transforms.lexicon.vectors.static_vectors import StaticVectors

# A matrix of unit vectors, float32, and for each token of a side its row there, or `MISSING`.
Known = tuple[np.ndarray, np.ndarray, np.ndarray]


def static(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if no word of the passage is as similar as the threshold, by static vectors."""
    return _judged(batch, asked, static_vectors(batch, setting.lexicon), setting.thresholds["static"])


def contextual(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if no word of the passage is as similar as the threshold, each in its sentence."""
    if not len(asked):
        return _verdicts(batch, np.zeros(0), np.zeros(0, np.int64), 0.0)
    owners = np.unique(batch.summary.owners[asked])
    words = batch.passage.words & np.isin(batch.passage.owners, owners)
    assert setting.encoder is not None
    known = contextual_vectors(batch, asked, np.flatnonzero(words), setting.encoder)
    return _judged(batch, asked, known, setting.thresholds["contextual"])


def static_vectors(batch: PairBatch, lexicon: Lexicon) -> Known:
    """Return the unit vectors of the words of a batch; those of zeros are no vectors."""
    languages = batch.rows["language"].combine_chunks()
    matrices: list[np.ndarray] = []
    rows = [np.full(len(side.form), MISSING) for side in (batch.summary, batch.passage)]
    total = 0
    for mine, resource in lexicon.by_language(VECTORS, languages):
        if resource is None or not len(mine):
            continue
        vectors, there = cast(StaticVectors, resource).vectors(batch.distinct)
        unit, sound = _unit(vectors)
        place = np.where(there & sound, np.arange(len(unit)) + total, MISSING)
        for side_rows, side in zip(rows, (batch.summary, batch.passage), strict=True):
            here = np.isin(side.owners, mine) & side.words
            side_rows[here] = place[side.form[here]]
        matrices.append(unit)
        total += len(unit)
    matrix = np.concatenate(matrices) if matrices else np.zeros((0, 1), np.float32)
    return matrix, rows[0], rows[1]


def _unit(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors of length 1, but for rounding, and which had a direction; others are zeros."""
    lengths = np.sqrt(dots(vectors, vectors))
    sound = np.isfinite(lengths) & (lengths > 0)
    scale = np.divide(np.float32(1), lengths, out=np.zeros_like(lengths), where=sound)
    return vectors * scale[:, None], sound


def contextual_vectors(batch: PairBatch, asked: np.ndarray, others: np.ndarray, encoding: Encoding) -> Known:
    """Return the unit vectors of tokens of summaries and of passages in their sentences."""
    options = encoding.options
    encoder = load_encoder(str(options.encoder), device=options.device, digest=encoding.info.digest)
    rows = [np.full(len(side.form), MISSING) for side in (batch.summary, batch.passage)]
    matrices = []
    total = 0
    # Pair by pair: padding beside the sentences of another pair would change the last bits.
    for pair in np.unique(batch.summary.owners[asked]).tolist():
        tokens = [asked[batch.summary.owners[asked] == pair], others[batch.passage.owners[others] == pair]]
        spans = [
            span
            for name, side, side_tokens in zip(
                ("summary", "passage"), (batch.summary, batch.passage), tokens, strict=True
            )
            for span in _spans(batch, name, side, pair, side_tokens)
        ]
        texts, starts, ends = map(list, zip(*spans, strict=True))
        vectors = span_vectors(encoder, texts, starts, ends, options=options).vectors
        unit, sound = _unit(vectors)
        place = np.where(sound, np.arange(len(unit)) + total, MISSING)
        rows[0][tokens[0]], rows[1][tokens[1]] = np.split(place, [len(tokens[0])])
        matrices.append(unit)
        total += len(unit)
    return np.concatenate(matrices), rows[0], rows[1]


def _spans(batch: PairBatch, name: str, side: SideTokens, pair: int, tokens: np.ndarray) -> list[tuple[str, int, int]]:
    """Return the sentence of each token, and where the token stands in it."""
    text = batch.rows[name][pair].as_py()
    starts, ends, firsts = (
        np.array(batch.rows[f"{name}_{what}"][pair].as_py(), np.int64) for what in ("starts", "ends", "sentences")
    )
    places = tokens - side.bounds[pair]
    sentence = np.maximum(np.searchsorted(firsts, places, side="right") - 1, 0)
    lasts = np.append(firsts[1:], len(starts)) - 1
    begins, stops = starts[firsts[sentence]], ends[lasts[sentence]]
    return [
        (text[begin:stop], start - begin, end - begin)
        for begin, stop, start, end in zip(
            begins.tolist(), stops.tolist(), starts[places].tolist(), ends[places].tolist(), strict=True
        )
    ]


def _judged(batch: PairBatch, asked: np.ndarray, known: Known, threshold: float) -> Verdicts:
    return _verdicts(batch, *greatest(batch, asked, known), threshold)


def greatest(batch: PairBatch, asked: np.ndarray, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """Return of each word the greatest cosine to a word of its passage, and that token.

    Args:
        batch: the pairs.
        asked: tokens of summaries, rising.
        known: the vectors.

    Returns:
        Cosines, float64, NaN where there is none; tokens of passages, there `MISSING`. Of several
        tokens of the same vector it is the first.
    """
    matrix, summary, passage = known
    tokens = np.full(len(asked), MISSING, np.int64)
    owners = batch.summary.owners[asked]
    bounds = np.searchsorted(owners, np.arange(len(batch.passage.bounds)))
    with one_thread():
        for pair in np.unique(owners).tolist():
            mine = np.arange(bounds[pair], bounds[pair + 1])
            mine = mine[summary[asked[mine]] != MISSING]
            first, last = batch.passage.bounds[pair : pair + 2]
            others, places = np.unique(passage[first:last], return_index=True)
            places = places[others != MISSING]
            if len(mine) and len(places):
                places.sort()
                there = matrix[passage[first:last][places]]
                best = np.argmax(product(matrix[summary[asked[mine]]], there.T), axis=1)
                tokens[mine] = first + places[best]
    compared = np.flatnonzero(tokens != MISSING)
    cosines = np.full(len(asked), np.nan)
    cosines[compared] = pair_cosines(known, asked[compared], tokens[compared])
    return cosines, tokens


def _cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of one matrix with that of another, float64."""
    first, second = first.astype(np.float64), second.astype(np.float64)
    lengths = np.sqrt(dots(first, first) * dots(second, second))
    return np.asarray(np.clip(dots(first, second) / lengths, -1, 1))


def pair_cosines(known: Known, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosines of tokens of summaries with tokens of passages, NaN without a vector."""
    matrix, summary, passage = known
    cosines = np.full(len(first), np.nan)
    there = np.flatnonzero((summary[first] != MISSING) & (passage[second] != MISSING))
    first_vectors, second_vectors = matrix[summary[first[there]]], matrix[passage[second[there]]]
    cosines[there] = _cosines(first_vectors, second_vectors)
    return cosines


def _verdicts(batch: PairBatch, cosines: np.ndarray, tokens: np.ndarray, threshold: float) -> Verdicts:
    known = tokens != MISSING
    passed = np.where(known, np.nan_to_num(cosines, nan=np.inf) < threshold, ABSTAINS)
    matches = batch.passage.forms.take(pa.array(tokens, mask=~known))
    return Verdicts(cosines, matches, passed.astype(np.int8))
