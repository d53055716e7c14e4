"""Filters by how similar the words of the passage are to the word, by cosines of vectors; and their thresholds.

Static vectors are those of `lexicon/compiled/static_vectors.py`, which may be centred and freed of their
top components; contextual ones are those of an encoder, which reads summary and passage sentence by
sentence. The value is the greatest cosine to a word of the passage. A word without a vector
abstains, and so does one whose passage has none.

Whole passages are compared at once; what is stored is the cosine of the word and the one that it is
most similar to.

A threshold is a cosine, or a quantile of random word pairs of this corpus: `quantile:q` is the q-quantile of the
cosines of pairs of a random word of a summary and a random word of its passage that differ in form and lemma: equal
ones are the business of filter `lemma`, and there are so many that high quantiles would be 1. Each pair of texts offers
`DRAWS` such word pairs, of which those are taken that draw the least numbers over the whole corpus
(`transforms/common/draws`), so that they depend on neither parts nor order.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa

from lexbeam.transforms.cloze.filters.cloze_filter import (
    ABSTAINS,
    COLUMNS,
    FilterSetting,
    PairBatch,
    SideTokens,
    Verdicts,
    batch_of,
    batches_of,
)
from lexbeam.transforms.cloze.word_resources import VECTORS
from lexbeam.transforms.common.arithmetic import dots, one_thread, product
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, read_rows, read_table, write_rows
from lexbeam.transforms.lexicon.compiled.static_vectors import StaticVectors
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.span_vectors import Encoding, span_vectors
from lexbeam.transforms.lexicon.resources import Lexicon

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


DRAWS = 64
RANDOM_PAIRS = 100_000  # word pairs at most that quantiles are taken of: beyond .999 lie a hundred
_LABEL = "cloze/random words"
SCHEMA = pa.schema([("static", pa.float64()), ("contextual", pa.float64())])


class SimilarityThreshold(NamedTuple):
    """A threshold: a cosine, or a quantile; the other is None."""

    cosine: float | None
    quantile: float | None


def parse_threshold(text: str) -> SimilarityThreshold:
    """Return the threshold that `0.85` or `quantile:0.99` stands for.

    Raises:
        UsageError: it is neither.
    """
    kind, colon, number = text.rpartition(":")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not colon and -1 <= value <= 1:
        return SimilarityThreshold(value, None)
    if kind == "quantile" and 0 < value < 1:
        return SimilarityThreshold(None, value)
    raise UsageError(
        f"a threshold of similarity is a cosine, such as 0.85, or a quantile of random word pairs, "
        f"such as quantile:0.99, not {text!r}"
    )


def check_threshold(text: str) -> None:
    """Check a threshold as a person writes it.

    Raises:
        UsageError: it is wrong.
    """
    parse_threshold(text)


@dataclass(frozen=True)
class Thresholds:
    """Receipt of thresholds: cosines, by filter, and the word pairs that they are quantiles of."""

    cosines: dict[str, float]
    pairs: dict[str, int]


@dataclass(frozen=True)
class SampledCosines:
    """Receipt of the cosines of the word pairs of a part."""

    file: File


def cutoff_of(pairs: Iterable[pa.Table], most: int, seed: int) -> int:
    """Return the greatest of the `most` least numbers that the word pairs of texts draw.

    Args:
        pairs: rows with `pair_id`.
        most: word pairs that are taken.
        seed: of the draws.
    """
    least = np.zeros(0, np.uint64)
    for rows in pairs:
        drawn = numbers(rows["pair_id"], seed=seed, label=_LABEL, draws=DRAWS).ravel()
        least = np.concatenate([least, drawn])
        if len(least) > most:
            least = np.partition(least, most - 1)[:most]
    return int(least.max(initial=0))


@dataclass(frozen=True)
class MeasureRandomWords(Step[Part, SampledCosines]):
    """Write the cosines of the random word pairs of a part that are taken.

    Attributes:
        lexicon: resource `VECTORS`, which may be missing.
        encoder: an encoder (`transforms/lexicon/encoders/span_vectors.py`), or None.
        filters: which of `static` and `contextual` have a quantile.
        cutoff: the greatest number drawn that is taken.
        seed: of the draws.
    """

    lexicon: Lexicon
    encoder: Encoding | None
    filters: tuple[str, ...]
    cutoff: int
    seed: int

    name = "cloze/measure"
    noun = "candidates"
    unit = "parts"
    blas = True

    def make(self, artefact: Artefact, part: Part) -> SampledCosines:
        """Write the cosines."""
        columns = [name for name in COLUMNS if name != "targets"]
        tables = (self._measured(batch_of(rows)) for rows in batches_of(read_rows([checked(part)], columns)))
        with artefact.writing(".parquet") as stream:
            write_rows(stream, SCHEMA, tables)
        return SampledCosines(artefact.file(".parquet"))

    def _measured(self, batch: PairBatch) -> pa.Table:
        first, second = self._drawn(batch)
        summary, passage = batch.summary, batch.passage
        same = summary.folded[first] == passage.folded[second]
        same |= summary.lemma[first] == passage.lemma[second]
        columns = {}
        for name in SCHEMA.names:
            values = np.full(len(first), np.nan)
            if name in self.filters and len(first):
                if name == "static":
                    known = static_vectors(batch, self.lexicon)
                else:
                    assert self.encoder is not None  # `check_candidates` has seen to it
                    known = contextual_vectors(batch, np.unique(first), np.unique(second), self.encoder)
                values = np.where(same, np.nan, pair_cosines(known, first, second))
            columns[name] = pa.array(values, mask=np.isnan(values))
        return pa.table(columns, SCHEMA)

    def _drawn(self, batch: PairBatch) -> tuple[np.ndarray, np.ndarray]:
        """Return the word pairs of a batch that are taken: tokens of summaries, of passages."""
        ids, seed = batch.rows["pair_id"], self.seed
        drawn = numbers(ids, seed=seed, label=_LABEL, draws=DRAWS)
        sides = []
        with_words = np.ones(len(drawn), bool)
        for name, side in (("summary", batch.summary), ("passage", batch.passage)):
            words = np.flatnonzero(side.words)
            bounds = np.searchsorted(words, side.bounds)
            count = np.diff(bounds).astype(np.uint64)
            with_words &= count > 0
            place = numbers(ids, seed=seed, label=f"{_LABEL}, {name}", draws=DRAWS)
            place = place % np.maximum(count, np.uint64(1))[:, None]
            at = bounds[:-1, None] + place.astype(np.int64)
            sides.append(words[np.minimum(at, max(len(words) - 1, 0))] if len(words) else at)
        taken = (drawn <= np.uint64(self.cutoff)) & with_words[:, None]
        return sides[0][taken], sides[1][taken]


@dataclass(frozen=True)
class TakeThresholds(Step[tuple[SampledCosines, ...], Thresholds]):
    """Take thresholds from the cosines of all parts: their quantiles, by filter."""

    quantiles: Mapping[str, float]

    name = "cloze/threshold"
    noun = "candidates"
    unit = "thresholds"

    def make(self, _: Artefact, sampled: tuple[SampledCosines, ...]) -> Thresholds:
        """Take the thresholds.

        Raises:
            LexbeamError: no word pair has a cosine.
        """
        rows = read_table([checked(cosines.file) for cosines in sampled])
        cosines, pairs = {}, {}
        for name, quantile in sorted(self.quantiles.items()):
            values = np.sort(rows[name].drop_null().to_numpy())
            if not len(values):
                raise LexbeamError(
                    f"no threshold of `{name}` can be taken from random words: none of them has a "
                    "vector; name other vectors, or give a cosine"
                )
            cosines[name], pairs[name] = float(np.quantile(values, quantile)), len(values)
        return Thresholds(cosines, pairs)
