"""Evidence of `null_evidence` as rows of tables: columns of `scores`, rows of `change/nulls` and `change/pairs`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NULLS, PAIRS, of_threshold
from lexbeam.transforms.change.scores.measures import most_of
from lexbeam.transforms.change.scores.null_deals import LEAST_CLUSTERS, Comparability, Deal
from lexbeam.transforms.change.scores.null_evidence import Evidence, PairScores, evidence_of
from lexbeam.transforms.change.scores.pair_scores import Cuts
from lexbeam.transforms.change.scores.ranking import Row, spearman_with_frequency
from lexbeam.transforms.change.scores.thresholds import CutOff
from lexbeam.transforms.common.store.tables import sort_rows

LEVEL = 0.05
LEAST_WORDS = 100  # ranked, for any finding
LOW_POWER = 20  # fewer clusters on a side


Column = npt.NDArray[Any]  # of a table, as floats or objects


class ScoreRows(NamedTuple):
    """Rows of table `scores` of a pair, real or null, and the documents of its smaller slice."""

    rows: pa.Table
    documents: int


def judge(
    real: ScoreRows,
    nulls: Sequence[ScoreRows],
    deal: Deal | None,
    cuts: Cuts = MappingProxyType({}),
    thresholds: Sequence[str] = ("mean",),
) -> tuple[pa.Table, pa.Table]:
    """Return the rows of a pair with the evidence filled in, and its rows of `change/pairs`.

    Tested are ranked words and targets.

    Args:
        real: the rows that `combine_seeds` returned for the pair.
        nulls: of each null pair, what `score_pair` returned; empty for no evidence.
        deal: how their documents were dealt, and how those of the real slices compare; None if nobody looked.
        cuts: the thresholds that `combine_seeds` returned.
        thresholds: their names, in the order of columns.
    """
    mean_rows = np.flatnonzero(real.rows["seed"].is_null().to_numpy(zero_copy_only=False))
    means = real.rows.take(pa.array(mean_rows))
    filled = {name: _empty(real.rows, name) for name in (*EVIDENCE, "null_runs", "null_unit")}
    pairs = []
    for place, (alignment, measure) in _blocks(means):
        block = means.take(pa.array(place))
        evidence = None
        if nulls and deal is not None:
            others = [(_block(null.rows, alignment, measure), null.documents) for null in nulls]
            evidence = _weigh(block, real.documents, others, most_of(measure))
        of_kind = cuts.get((alignment, measure), {})
        row = _pair(block, evidence, deal, len(nulls)) | _thresholds(of_kind)
        pairs.append(row)
        if evidence is not None and deal is not None:
            _fill(filled, mean_rows[place], block, evidence, deal, row["finding"])
    rows = real.rows
    for name, values in filled.items():
        kind = rows.schema.field(name)
        column = pa.array(values, from_pandas=True).cast(kind.type)
        rows = rows.set_column(rows.schema.get_field_index(name), kind, column)
    return rows, pa.Table.from_pylist(pairs, schema=PAIRS.schema(thresholds=thresholds))


def _thresholds(cuts: Mapping[str, CutOff]) -> Row:
    """Return the columns of `change/pairs` about thresholds."""
    row: Row = {}
    for name, cut in cuts.items():
        row[of_threshold("threshold", name, list(cuts))] = cut.value
        row[of_threshold("threshold_reason", name, list(cuts))] = cut.reason
    return row


# Columns of table `scores` that say what chance gives a word, and what its score is worth beside that.
EVIDENCE = (
    "null_mean",
    "null_sd",
    "null_high",
    "excess",
    "p_value",
    "q_value",
    "p_relative",
    "q_relative",
    "significant",
)


def _empty(rows: pa.Table, name: str) -> Column:
    if pa.types.is_floating(rows.schema.field(name).type):
        return np.full(rows.num_rows, np.nan)
    return np.full(rows.num_rows, None, object)


def _blocks(means: pa.Table) -> Iterator[tuple[npt.NDArray[np.intp], tuple[str, str]]]:
    """Yield the rows of each alignment and measure, sorted by both."""
    names = list(zip(means["alignment"].to_pylist(), means["measure"].to_pylist(), strict=True))
    places: dict[tuple[str, str], list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    for name in sorted(places):
        yield np.array(places[name], np.intp), name


def _block(rows: pa.Table, alignment: str, measure: str) -> pa.Table:
    same = pc.and_(pc.equal(rows["alignment"], alignment), pc.equal(rows["measure"], measure))
    return rows.filter(same)


def _weigh(real: pa.Table, documents: int, nulls: Sequence[tuple[pa.Table, int]], most: float) -> Evidence:
    """Return the evidence for the rows of a block; null pairs may also have other words."""
    block_words = real["word"].combine_chunks()
    words = pc.unique(pa.concat_arrays([block_words, *(null["word"].combine_chunks() for null, _ in nulls)]))
    tested = np.zeros(len(words), bool)
    tested[: len(block_words)] = pc.or_(real["ranked"], real["target"]).to_numpy()
    runs = [_run(null, words, number) for null, number in nulls]
    evidence = evidence_of(_run(real, words, documents), runs, tested, most)
    # The words of the block come first.
    cut = {name: values[: len(block_words)] for name, values in evidence._asdict().items() if name != "shift"}
    return Evidence(**cut, shift=evidence.shift)


def _run(rows: pa.Table, words: pa.Array, documents: int) -> PairScores:
    place = pc.index_in(rows["word"].combine_chunks(), value_set=words).to_numpy()
    scores = np.full(len(words), np.nan)
    scores[place] = rows["score"].to_numpy()
    ranked = np.zeros(len(words), bool)
    ranked[place] = rows["ranked"].to_numpy()
    fewest = {}
    for name in ("count", "documents"):
        fewest[name] = np.zeros(len(words), np.int64)
        fewest[name][place] = _fewer(rows, name)
    return PairScores(scores, fewest["count"], fewest["documents"], ranked, documents)


def _fewer(rows: pa.Table, name: str) -> npt.NDArray[np.int64]:
    """Return the counts in the slice that has fewer."""
    return np.asarray(np.minimum(rows[f"{name}_from"].to_numpy(), rows[f"{name}_to"].to_numpy()))


def null_rows(real: pa.Table, nulls: Sequence[ScoreRows]) -> pa.Table:
    """Return the rows of `change/nulls` of a pair, sorted by its key.

    With `scores` they are all that evidence rests on.

    Args:
        real: its rows of `scores`; if it has none, there is no evidence, and nothing that it rests on.
        nulls: as for `judge`; they are numbered in this order.
    """
    if not real.num_rows:
        return NULLS.schema().empty_table()
    pair = {name: real[name][:1] for name in ("slice_from", "slice_to")}
    tables = [NULLS.schema().empty_table()]
    for number, null in enumerate(nulls, 1):
        rows = null.rows.filter(null.rows["score"].is_valid())
        size = rows.num_rows
        columns = {name: pa.repeat(value[0], size) for name, value in pair.items()}
        columns |= {name: rows[name] for name in ("alignment", "measure", "word", "score", "ranked")}
        columns["null"] = pa.repeat(pa.scalar(number, pa.int32()), size)
        columns["uses"] = pa.array(_fewer(rows, "count"))
        columns["documents"] = pa.array(_fewer(rows, "documents"))
        columns["slice_documents"] = pa.repeat(pa.scalar(null.documents, pa.int64()), size)
        tables.append(pa.table({name: columns[name] for name in NULLS.schema().names}, schema=NULLS.schema()))
    return sort_rows(pa.concat_tables(tables), NULLS.key)


def _pair(block: pa.Table, evidence: Evidence | None, deal: Deal | None, nulls: int) -> Row:
    ranked = block.filter(pc.and_(block["ranked"], block["score"].is_valid()))
    row: Row = {name: block[name][0].as_py() for name in ("slice_from", "slice_to", "alignment", "measure")}
    row |= {
        "seeds": max(block["seeds"].to_pylist()),
        "ranked": ranked.num_rows,
        "null_runs": nulls,
        "finding": why_no_finding(ranked.num_rows, deal if nulls else None),
        **spearman_with_frequency(ranked),
    }
    if deal is not None and nulls:
        row |= {
            "null_unit": deal.unit,
            "clusters_from": deal.sizes[0],
            "clusters_to": deal.sizes[1],
            "low_power": min(deal.sizes) < LOW_POWER,
        }
    if deal is not None and deal.slices is not None:
        row |= _compared(deal.slices)
    if evidence is not None:
        of = pc.and_(block["ranked"], block["score"].is_valid()).to_numpy(zero_copy_only=False)
        row["shift"] = _number(evidence.shift)
        if row["finding"] is None:
            absolute, relative = evidence.q_value[of], evidence.q_relative[of]
            row["share_differs"] = _number(_share(absolute))
            row["share_relative"] = _number(_share(relative))
            row["share_significant"] = _number(_share(np.maximum(absolute, relative)))
    return row


def _compared(slices: Comparability) -> Row:
    """Return what is known of the documents of both slices, by column of `change/pairs`."""
    row: Row = {"authors_both": slices.authors_both, "unsigned": slices.unsigned}
    for name, mixture in (("genre", slices.genre), ("source", slices.source)):
        if mixture is not None:
            row |= {f"{name}_distance": mixture.distance, name: mixture.value}
            row |= _both(name, mixture.shares)
    return (
        row
        | _both("authors", slices.authors)
        | _both("author_share", slices.author_shares)
        | _both("author_both", slices.shares_both)
        | _both("length", slices.lengths)
    )


def _both(name: str, values: tuple[float | None, float | None]) -> Row:
    return {f"{name}_from": values[0], f"{name}_to": values[1]}


def _share(q: npt.NDArray[np.float64]) -> float:
    """Return the share of words with a q-value up to `LEVEL`; nan if no word has one."""
    return math.nan if np.isnan(q).all() else float((q <= LEVEL).mean())


def why_no_finding(tested: int, deal: Deal | None) -> str | None:
    """Return why no finding is possible, a key of `lexbeam.schemas.change.scores.FINDINGS`; None if one is.

    Args:
        tested: number of ranked words that are tested.
        deal: how the documents were dealt; None without nulls.
    """
    if deal is None:
        return "no_null"
    if min(deal.sizes) < LEAST_CLUSTERS:
        return "too_few_clusters"
    return "too_few_words" if tested < LEAST_WORDS else None


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _fill(
    filled: dict[str, Column],
    place: npt.NDArray[np.intp],
    block: pa.Table,
    evidence: Evidence,
    deal: Deal,
    finding: str | None,
) -> None:
    for name in ("null_mean", "null_sd", "null_high", "p_value", "p_relative", "null_runs"):
        filled[name][place] = getattr(evidence, name)
    filled["null_unit"][place] = deal.unit
    filled["excess"][place] = block["score"].to_numpy() - evidence.null_mean
    if finding is None:
        for name in ("q_value", "q_relative"):
            filled[name][place] = getattr(evidence, name)
        both = np.maximum(evidence.q_value, evidence.q_relative)  # nan where either is
        known = ~np.isnan(both)
        filled["significant"][place[known]] = both[known] <= LEVEL
