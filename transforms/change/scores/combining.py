"""Change scores of a pair of slices over seeds, with thresholds and classes.

Scores are averaged over seeds, never vectors, whose axes differ from seed to seed.
"""

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.change.nulls.standards import moments
from transforms.change.scores.scores import REASONS, SCORED, Codes, Floats, score_rows
from transforms.change.scores.thresholds import THRESHOLDS

__all__ = ["combine_seeds"]


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
    means = score_rows(
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
