"""Change scores of a pair of slices over seeds, with thresholds and classes.

Scores are averaged over seeds, never vectors, whose axes differ from seed to seed.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import SCORES, of_threshold
from lexbeam.transforms.change.nulls.standards import moments
from lexbeam.transforms.change.scores.scores import REASONS, SCORED, Codes, Floats, score_rows
from lexbeam.transforms.change.scores.thresholds import RANKED, THRESHOLDS, CutOff

Cuts = Mapping[tuple[str, str], Mapping[str, CutOff]]  # by alignment and measure, then by name of the threshold


class OverSeeds(NamedTuple):
    """The rows of a pair, of single seeds and over all, in the order of the table, and its thresholds."""

    rows: pa.Table
    cuts: Cuts


def combine_seeds(
    tables: Sequence[pa.Table],
    *,
    thresholds: Sequence[str] = ("mean",),
    parameters: Mapping[str, Any] = MappingProxyType({}),
    votes: bool = False,
) -> OverSeeds:
    """Return the rows of all seeds and those over seeds (seed null), and the thresholds.

    Args:
        tables: what `score_pair` returned for one pair of slices, a table per seed.
        thresholds: keys of `THRESHOLDS`; the first has columns of no suffix.
        parameters: options that thresholds use, by name.
        votes: whether classes are what most seeds say, each by the thresholds of its own scores.

    Per alignment and measure: score and score_sd are the mean and the sample standard deviation
    over the seeds that have a score; if none has, the reason is the first of the seeds' reasons.
    A class is score > threshold; without a threshold it is null. Of seeds that vote, those count that give the word a
    class; a word that half of them call changed is unchanged.
    """
    THRESHOLDS.check(thresholds)
    tables = sorted(tables, key=_seed)
    first = tables[0]
    for other in tables[1:]:
        if not first.select(["alignment", "measure", "word"]).equals(other.select(["alignment", "measure", "word"])):
            raise ValueError("seeds of one pair of slices must have the same rows")
    scores = np.stack([_nan_filled(table["score"]) for table in tables])
    seeds, mean, sd = moments(scores)
    reasons = np.stack([_reason_codes(table["reason"]) for table in tables]).astype(np.int64)
    worst = np.where(reasons == SCORED, len(REASONS), reasons).min(axis=0)
    means = score_rows(
        {name: first[name] for name in first.column_names} | {"seed": None},
        scores=mean,
        reasons=np.where(seeds > 0, SCORED, worst),
        seeds=seeds,
        score_sd=sd,
    )
    means, cuts = _with_classes(means, scores if votes else mean[None], thresholds, parameters, votes)
    schema = SCORES.schema(thresholds=thresholds)
    return OverSeeds(_interleave([*(_as(table, schema) for table in tables), _as(means, schema)]), cuts)


def _seed(table: pa.Table) -> int:
    return int(table["seed"][0].as_py()) if table.num_rows else 0


def _nan_filled(column: pa.ChunkedArray) -> Floats:
    return np.asarray(column.fill_null(math.nan).to_numpy())


def _reason_codes(column: pa.ChunkedArray) -> Codes:
    codes = pc.index_in(column, value_set=pa.array(REASONS)).fill_null(SCORED)
    return np.asarray(codes.to_numpy().astype(np.int8))


def _with_classes(
    means: pa.Table, runs: Floats, thresholds: Sequence[str], parameters: Mapping[str, Any], votes: bool
) -> tuple[pa.Table, Cuts]:
    """Return the rows over seeds with thresholds and classes, one threshold for each alignment, measure and run.

    Args:
        means: the rows.
        runs: scores that classes go by, of shape (runs, rows): mean ones, or those of each seed.
        thresholds: their names.
        parameters: options by name.
        votes: whether runs vote; else there is one.
    """
    cuts: dict[tuple[str, str], dict[str, CutOff]] = {}
    values = {name: np.full(runs.shape, np.nan) for name in thresholds}
    over = {name: means[name].to_numpy() for name in ("target", "ranked")}
    kinds = pc.binary_join_element_wise(means["alignment"], means["measure"], "\t")
    coded = kinds.combine_chunks().dictionary_encode()
    codes = coded.indices.to_numpy()
    for code, kind in enumerate(coded.dictionary.to_pylist()):
        rows = codes == code
        alignment, _, measure = kind.partition("\t")
        of_kind = cuts.setdefault((alignment, measure), {})
        for name in thresholds:
            chosen = over["ranked" if THRESHOLDS[name].over == RANKED else "target"]
            found = [THRESHOLDS[name].cut(run[rows & chosen], parameters) for run in runs]
            values[name][:, rows] = np.array([[math.nan if cut.value is None else cut.value] for cut in found])
            none = next((cut.reason for cut in found if cut.reason), None)
            of_kind[name] = CutOff(None, "votes") if votes and none is None else found[0]
    for name in thresholds:
        voters = (~np.isnan(runs) & ~np.isnan(values[name])).sum(axis=0)
        for_change = (runs > values[name]).sum(axis=0)
        value, changed = (of_threshold(what, name, thresholds) for what in ("threshold", "changed"))
        for column, array in (
            (value, pa.array(np.full(len(voters), np.nan) if votes else values[name][0], from_pandas=True)),
            (changed, pa.array(2 * for_change > voters, mask=voters == 0)),
        ):
            means = means.drop_columns([column] if column in means.column_names else []).append_column(column, array)
    return means, cuts


def _as(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows with the columns of a schema; those that they lack are null."""
    empty = {name: pa.nulls(rows.num_rows, schema.field(name).type) for name in schema.names}
    return pa.table({name: rows[name] if name in rows.column_names else empty[name] for name in empty}, schema=schema)


def _interleave(tables: Sequence[pa.Table]) -> pa.Table:
    """Return rows of equally long tables: row 0 of each, row 1 of each, and so on."""
    rows = tables[0].num_rows
    order = np.arange(rows * len(tables)).reshape(len(tables), rows).T.ravel()
    return pa.concat_tables(tables).combine_chunks().take(pa.array(order))
