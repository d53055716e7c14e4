"""Thresholds of similarity: a cosine, or a quantile of random word pairs of this corpus.

`quantile:q` is the q-quantile of the cosines of pairs of a random word of a summary and a random
word of its passage that differ in form and lemma: equal ones are the business of filter `lemma`, and
there are so many that high quantiles would be 1. Each pair of texts offers `DRAWS` such word pairs,
of which those are taken that draw the least numbers over the whole corpus
(`transforms/common/draws`), so that they depend on neither parts nor order.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.cloze.filters.batches import COLUMNS, PairBatch, batch_of, batches_of
from lexbeam.transforms.cloze.filters.similarity import contextual_vectors, pair_cosines, static_vectors
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, read_rows, read_table, write_rows
from lexbeam.transforms.lexicon.encoders.encoding import Encoding
from lexbeam.transforms.lexicon.resources import Lexicon

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


class Sampled(NamedTuple):
    """What is sampled.

    Attributes:
        lexicon: resource `VECTORS`, which may be missing.
        encoder: an encoder (`transforms/lexicon/encoders/encoding.py`), or None.
        filters: which of `static` and `contextual` have a quantile.
        cutoff: the greatest number drawn that is taken.
        seed: of the draws.
    """

    lexicon: Lexicon
    encoder: Encoding | None
    filters: tuple[str, ...]
    cutoff: int
    seed: int


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


def _measure(artefact: Artefact, part: Part, sampled: Sampled) -> SampledCosines:
    """Write the cosines of the word pairs of a part that are taken."""
    columns = [name for name in COLUMNS if name != "targets"]
    tables = (_measured(batch_of(rows), sampled) for rows in batches_of(read_rows([checked(part)], columns)))
    with artefact.writing(".parquet") as stream:
        write_rows(stream, SCHEMA, tables)
    return SampledCosines(artefact.file(".parquet"))


def _measured(batch: PairBatch, sampled: Sampled) -> pa.Table:
    first, second = _drawn(batch, sampled)
    summary, passage = batch.summary, batch.passage
    same = summary.folded[first] == passage.folded[second]
    same |= summary.lemma[first] == passage.lemma[second]
    columns = {}
    for name in SCHEMA.names:
        values = np.full(len(first), np.nan)
        if name in sampled.filters and len(first):
            if name == "static":
                known = static_vectors(batch, sampled.lexicon)
            else:
                assert sampled.encoder is not None  # `check_candidates` has seen to it
                known = contextual_vectors(batch, np.unique(first), np.unique(second), sampled.encoder)
            values = np.where(same, np.nan, pair_cosines(known, first, second))
        columns[name] = pa.array(values, mask=np.isnan(values))
    return pa.table(columns, SCHEMA)


def _drawn(batch: PairBatch, sampled: Sampled) -> tuple[np.ndarray, np.ndarray]:
    """Return the word pairs of a batch that are taken: tokens of summaries, of passages."""
    ids, seed = batch.rows["pair_id"], sampled.seed
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
    taken = (drawn <= np.uint64(sampled.cutoff)) & with_words[:, None]
    return sides[0][taken], sides[1][taken]


def _settle(_: Artefact, files: Sequence[File], wanted: Mapping[str, float]) -> Thresholds:
    rows = read_table([checked(file) for file in files])
    cosines, pairs = {}, {}
    for name, quantile in sorted(wanted.items()):
        values = np.sort(rows[name].drop_null().to_numpy())
        if not len(values):
            raise LexbeamError(
                f"no threshold of `{name}` can be taken from random words: none of them has a "
                "vector; name other vectors, or give a cosine"
            )
        cosines[name], pairs[name] = float(np.quantile(values, quantile)), len(values)
    return Thresholds(cosines, pairs)


MEASURE: Stage[Part, Sampled, SampledCosines] = Stage(
    name="cloze/measure", noun="candidates", receipt=SampledCosines, build=_measure, blas=True, unit="parts"
)
SETTLE: Stage[Sequence[File], Mapping[str, float], Thresholds] = Stage(
    name="cloze/threshold", noun="candidates", receipt=Thresholds, build=_settle, unordered=("task",), unit="thresholds"
)
