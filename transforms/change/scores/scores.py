"""Change scores of a pair of slices: per seed, and over seeds with threshold and classes.

The words that both spaces share and all targets are scored. A target without a score has a reason,
the first in `schemas.change.scores.NULL_REASONS` that holds. Scores are averaged over seeds, never
vectors, whose axes differ from seed to seed.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schemas.change.scores import NULL_REASONS, SCORES
from transforms.change.nulls.standards import moments
from transforms.change.scores.measures import MEASURES
from transforms.change.scores.ranking import RankedWordOptions, WordCounts, ranked_mask
from transforms.change.scores.thresholds import THRESHOLDS
from transforms.embeddings.alignment import Alignment, Space, apply

__all__ = ["ScoredSlice", "combine_seeds", "score_pair"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]

REASONS = list(NULL_REASONS)
SCORED = -1  # the code of a score that is there, beside places in REASONS


class ScoredSlice(NamedTuple):
    """A slice as scoring sees it.

    Attributes:
        name: of the slice.
        space: its embedding; None if only counts are measured.
        counts: table `counts.COUNTS` of all its words, those below the cut included.
        tokens: all its tokens.
        documents: number of its documents.
        min_count: its frequency cut.
    """

    name: str
    space: Space | None
    counts: pa.Table
    tokens: int
    documents: int
    min_count: int


def score_pair(
    earlier: ScoredSlice,
    later: ScoredSlice,
    *,
    seed: int,
    alignments: Mapping[str, Alignment],
    measures: Sequence[str] = ("cosine", "frequency"),
    targets: Sequence[str] = (),
    rank: RankedWordOptions | None = None,
) -> pa.Table:
    """Return one seed's rows of table scores, sorted by alignment, measure and word.

    A measure of vectors gives rows for each alignment; a measure of counts once, with alignment
    `none`. The frequency difference of a word that one slice lacks is a score like any other.

    Raises:
        UsageError: no such measure.
    """
    MEASURES.check(measures)
    words = _scored_words(earlier, later, targets)
    sides = [WordCounts.of(slice.counts, words, slice.documents) for slice in (earlier, later)]
    ranked = ranked_mask(sides[0], sides[1], rank or RankedWordOptions())
    shared = {
        "word": words,
        "target": pc.is_in(words, value_set=pa.array(list(targets), pa.string())),
        "seed": seed,
        "ranked": pa.array(ranked),
        **_slice_columns("from", earlier, sides[0]),
        **_slice_columns("to", later, sides[1]),
    }
    missing = _missing(earlier, later, sides)
    blocks = []
    for alignment, measure in _combinations(alignments, measures):
        if MEASURES[measure].aligned:
            fitted = alignments[alignment]
            scores, reasons = _score_vectors(measure, earlier, later, words, fitted, missing)
        else:
            scores = MEASURES[measure].function(sides[0].uses, sides[1].uses, earlier.tokens, later.tokens)
            reasons = np.where(np.isnan(scores), REASONS.index("absent_from"), SCORED)
        blocks.append(
            _rows(
                {**shared, "alignment": alignment, "measure": measure},
                scores=scores,
                reasons=reasons,
                seeds=(reasons == SCORED).astype(np.int32),
            )
        )
    return pa.concat_tables(blocks).combine_chunks()


def _slice_columns(suffix: str, slice: ScoredSlice, counts: WordCounts) -> dict[str, Any]:
    """Return the columns of table scores about one of the two slices."""
    return {
        f"slice_{suffix}": slice.name,
        f"count_{suffix}": counts.uses,
        f"relative_{suffix}": counts.uses / max(slice.tokens, 1),
        f"documents_{suffix}": counts.documents,
    }


def _combinations(alignments: Mapping[str, Alignment], measures: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of alignment and measure, sorted, each once."""
    pairs = [
        (alignment, measure)
        for measure in sorted(set(measures))
        for alignment in (alignments if MEASURES[measure].aligned else ["none"])
    ]
    return sorted(pairs)


def _scored_words(earlier: ScoredSlice, later: ScoredSlice, targets: Sequence[str]) -> pa.Array:
    words = pa.array(sorted(set(targets)), pa.string())
    if earlier.space is not None and later.space is not None:
        mine = pa.array(earlier.space.words, pa.string())
        theirs = pa.array(later.space.words, pa.string())
        words = pa.concat_arrays([words, mine.filter(pc.is_in(mine, value_set=theirs))])
    else:
        mine, theirs = (
            slice.counts["word"].filter(pc.greater_equal(slice.counts["count"], slice.min_count))
            for slice in (earlier, later)
        )
        both = mine.filter(pc.is_in(mine, value_set=theirs.combine_chunks()))
        words = pa.concat_arrays([words, both.combine_chunks()])
    words = pc.unique(words)
    return words.take(pc.sort_indices(words))


def _missing(earlier: ScoredSlice, later: ScoredSlice, sides: Sequence[WordCounts]) -> Codes:
    """Return per word the first reason that counts give for having no vector, or SCORED."""
    holds = {
        "absent_from": sides[0].uses == 0,
        "absent_to": sides[1].uses == 0,
        "below_min_count_from": sides[0].uses < earlier.min_count,
        "below_min_count_to": sides[1].uses < later.min_count,
    }
    reasons = np.full(len(sides[0].uses), SCORED, np.int8)
    for name in reversed([name for name in REASONS if name in holds]):
        reasons[holds[name]] = REASONS.index(name)
    return reasons


def _score_vectors(
    measure: str, earlier: ScoredSlice, later: ScoredSlice, words: pa.Array, alignment: Alignment, missing: Codes
) -> tuple[Floats, Codes]:
    scores = np.full(len(words), np.nan)
    reasons = missing.copy()
    able = np.flatnonzero(missing == SCORED)
    if alignment.residual is None:
        reasons[able] = REASONS.index("too_few_shared")
        return scores, reasons
    mapped = [
        apply(side, _vectors(slice, words.take(pa.array(able))))
        for slice, side in ((earlier, alignment.source), (later, alignment.target))
    ]
    scores[able] = MEASURES[measure].function(*mapped)
    reasons[able[np.isnan(scores[able])]] = REASONS.index("zero_vector")
    return scores, reasons


def _vectors(slice: ScoredSlice, words: pa.Array) -> npt.NDArray[np.float32]:
    if slice.space is None:
        raise ValueError(f"slice {slice.name!r}: this measure needs vectors")
    places = pc.index_in(words, value_set=pa.array(slice.space.words, pa.string()))
    return np.asarray(slice.space.vectors[places.to_numpy(zero_copy_only=False)])


def combine_seeds(tables: Sequence[pa.Table], *, threshold: str = "mean") -> pa.Table:
    """Return the rows of all seeds and those over seeds (seed null), in the table's order.

    Args:
        tables: what `score_pair` returned for one pair of slices, a table per seed.
        threshold: key of `THRESHOLDS`.

    Per alignment and measure: score and score_sd are the mean and the sample standard deviation
    over the seeds that have a score; if none has, the reason is the first of the seeds' reasons.
    `changed` is score > threshold, which is that of the targets; without targets both are null.
    """
    tables = sorted(tables, key=_seed)
    first = tables[0]
    for other in tables[1:]:
        if not first.select(["alignment", "measure", "word"]).equals(other.select(["alignment", "measure", "word"])):
            raise ValueError("seeds of one pair of slices must have the same rows")
    scores = np.stack([_nan_filled(table["score"]) for table in tables])
    seeds, mean, sd = moments(scores)
    reasons = np.stack([_reason_codes(table["reason"]) for table in tables]).astype(np.int64)
    worst = np.where(reasons == SCORED, len(REASONS), reasons).min(axis=0)
    thresholds = _thresholds(first, mean, threshold)
    known = ~np.isnan(mean) & ~np.isnan(thresholds)
    means = _rows(
        {name: first[name] for name in first.column_names} | {"seed": None},
        scores=mean,
        reasons=np.where(seeds > 0, SCORED, worst),
        seeds=seeds,
        score_sd=sd,
        threshold=thresholds,
        changed=pa.array(mean > thresholds, mask=~known),
    )
    return _interleave([*tables, means])


def _seed(table: pa.Table) -> int:
    return int(table["seed"][0].as_py()) if table.num_rows else 0


def _nan_filled(column: pa.ChunkedArray) -> Floats:
    return np.asarray(column.fill_null(math.nan).to_numpy())


def _reason_codes(column: pa.ChunkedArray) -> Codes:
    codes = pc.index_in(column, value_set=pa.array(REASONS)).fill_null(SCORED)
    return np.asarray(codes.to_numpy().astype(np.int8))


def _thresholds(rows: pa.Table, scores: Floats, name: str) -> Floats:
    """Return each row's threshold: one per alignment and measure."""
    THRESHOLDS.check([name])
    chosen = rows["target"].to_numpy()
    group = pc.binary_join_element_wise(rows["alignment"], rows["measure"], "\t")
    codes = group.combine_chunks().dictionary_encode().indices.to_numpy()
    result = np.full(len(codes), np.nan)
    for code in range(int(codes.max(initial=-1)) + 1):
        result[codes == code] = THRESHOLDS[name].of(scores[(codes == code) & chosen])
    return result


def _interleave(tables: Sequence[pa.Table]) -> pa.Table:
    """Return rows of equally long tables: row 0 of each, row 1 of each, and so on."""
    rows = tables[0].num_rows
    order = np.arange(rows * len(tables)).reshape(len(tables), rows).T.ravel()
    return pa.concat_tables(tables).combine_chunks().take(pa.array(order))


def _rows(
    columns: dict[str, Any],
    *,
    scores: Floats,
    reasons: npt.NDArray[np.signedinteger],
    seeds: npt.NDArray[np.signedinteger],
    score_sd: Floats | None = None,
    threshold: Floats | None = None,
    changed: Any = None,
) -> pa.Table:
    """Return a table of scores; a plain value fills its column, nan becomes null."""
    computed = {
        "score": pa.array(scores, from_pandas=True),
        "score_sd": None if score_sd is None else pa.array(score_sd, from_pandas=True),
        "seeds": seeds,
        "reason": pa.array(REASONS).take(pa.array(reasons, mask=reasons == SCORED)),
        "threshold": None if threshold is None else pa.array(threshold, from_pandas=True),
        "changed": changed,
    }
    schema = SCORES.schema()
    values = dict.fromkeys(schema.names) | columns | computed
    arrays = [_array(values[field.name], field.type, len(scores)) for field in schema]
    return pa.table(arrays, schema=schema)


def _array(value: Any, type: pa.DataType, rows: int) -> Any:
    if value is None or isinstance(value, str | int):
        return pa.repeat(pa.scalar(value, type), rows)
    if isinstance(value, np.ndarray):
        return pa.array(value, type)
    return value.cast(type)
