"""Change scores of a pair of slices: under one seed, made of other scores, and over all seeds, with thresholds.

The words that both spaces share and all targets are scored. A target without a score has a reason,
the first in `lexbeam.schemas.change.scores.NULL_REASONS` that holds.

Measures that are made of the scores of others get rows like any measure, in real pairs and in null ones, so that
evidence, thresholds and all else apply.

Over seeds, scores are averaged, never vectors, whose axes differ from seed to seed.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NULL_REASONS, SCORES, of_threshold
from lexbeam.transforms.change.scores.measures import (
    COUNTS,
    FREQUENCY,
    MADE,
    MEASURES,
    NO_ALIGNMENT,
    SPACES,
    kinds_of,
    needs_alignment,
)
from lexbeam.transforms.change.scores.null_evidence import moments
from lexbeam.transforms.change.scores.ranking import RankedWordOptions, WordCounts, joined, ranked_mask
from lexbeam.transforms.change.scores.thresholds import RANKED, THRESHOLDS, CutOff
from lexbeam.transforms.common.store.tables import sort_rows
from lexbeam.transforms.embeddings.alignment import Alignment
from lexbeam.transforms.embeddings.neighbours import NoScoreError, SpacePair
from lexbeam.transforms.embeddings.spaces import Space, apply, with_direction

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]

Function = Callable[..., Floats]  # of a measure, with what it uses

REASONS = list(NULL_REASONS)
SCORED = -1  # the code of a score that is there, beside places in REASONS
ONE_VECTOR = REASONS.index("one_vector")


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
    measures: Sequence[str] = ("cosine", FREQUENCY),
    targets: Sequence[str] = (),
    rank: RankedWordOptions | None = None,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    of_targets: bool = False,
) -> pa.Table:
    """Return one seed's rows of table scores, sorted by alignment, measure and word.

    A measure of aligned vectors gives rows for each alignment; one of spaces or counts once, with alignment
    `none`. The frequency difference of a word that one slice lacks is a score like any other.

    Args:
        later: the later slice.
        seed: of both spaces.
        alignments: fitted maps, by name.
        measures: keys of `MEASURES`.
        targets: words that get rows, too.
        rank: which words rankings take.
        parameters: options that measures use, by name.
        of_targets: whether other words have one vector for both slices, which says nothing of their change.

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
    if of_targets:
        others = ~shared["target"].to_numpy(zero_copy_only=False)
        missing[others & (missing == SCORED)] = ONE_VECTOR
    pair: SpacePair | None = None
    blocks = []
    for alignment, measure in sorted(kinds_of(alignments, measures)):
        entry = MEASURES[measure]
        chance = {"seed": seed} if entry.chance else {}
        function = partial(entry.function, **{name: parameters[name] for name in entry.uses}, **chance)
        if entry.takes == COUNTS:
            scores = function(sides[0].uses, sides[1].uses, earlier.tokens, later.tokens)
            reasons = _why_no_counts(scores, sides)
        elif entry.takes == SPACES:
            pair = pair or SpacePair(_space(earlier), _space(later))
            scores, reasons = _score_spaces(function, pair, words, missing)
        else:
            shares = tuple(shared[f"relative_{side}"] for side in ("from", "to")) if entry.counted else ()
            scores, reasons = _score_vectors(function, earlier, later, words, alignments[alignment], missing, shares)
        blocks.append(
            score_rows(
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


def _why_no_counts(scores: Floats, sides: Sequence[WordCounts]) -> Codes:
    """Return why a measure of counts has no value: mostly since a slice lacks the word."""
    reasons = np.full(len(scores), REASONS.index("undefined"), np.int8)
    for name, side in (("absent_to", sides[1]), ("absent_from", sides[0])):
        reasons[side.uses == 0] = REASONS.index(name)
    reasons[~np.isnan(scores)] = SCORED
    return reasons


def _score_vectors(
    function: Function,
    earlier: ScoredSlice,
    later: ScoredSlice,
    words: pa.Array,
    alignment: Alignment,
    missing: Codes,
    shares: tuple[Floats, ...],
) -> tuple[Floats, Codes]:
    scores = np.full(len(words), np.nan)
    reasons = missing.copy()
    if alignment.reason is not None:
        reasons[missing == SCORED] = REASONS.index(alignment.reason)
        return scores, reasons
    # Words of one vector have no score, but are neighbours of others.
    able = np.flatnonzero((missing == SCORED) | (missing == ONE_VECTOR))
    mapped = [
        apply(side, space.vectors[_places(space, words.take(pa.array(able)))])
        for space, side in ((_space(earlier), alignment.source), (_space(later), alignment.target))
    ]
    if shares:
        function = partial(function, shares=tuple(share[able] for share in shares))
    scores[able], why = _scored(function, *mapped)
    direction = with_direction(mapped[0]) & with_direction(mapped[1])
    zero = np.where(direction, why, REASONS.index("zero_vector"))
    reasons[able] = np.where(np.isnan(scores[able]), zero, SCORED)
    one = missing == ONE_VECTOR
    scores[one], reasons[one] = np.nan, ONE_VECTOR
    return scores, reasons


def _score_spaces(function: Function, pair: SpacePair, words: pa.Array, missing: Codes) -> tuple[Floats, Codes]:
    scores = np.full(len(words), np.nan)
    reasons = missing.copy()
    reasons[missing == SCORED] = REASONS.index("zero_vector")  # but for those that are compared
    compared = pa.array([pair.earlier.words[place] for place in pair.mine], pa.string())
    places = pc.index_in(compared, value_set=words).to_numpy()
    scores[places], why = _scored(function, pair)
    scores[missing != SCORED] = np.nan
    able = places[missing[places] == SCORED]
    reasons[able] = np.where(np.isnan(scores[able]), why, SCORED)
    return scores, reasons


def _scored(function: Function, *compared: Any) -> tuple[Floats | float, int]:
    """Return the scores of what is compared, nan for none, and the place in REASONS of why there is none."""
    try:
        return function(*compared), REASONS.index("undefined")
    except NoScoreError as error:
        return np.nan, REASONS.index(error.reason)


def _space(slice: ScoredSlice) -> Space:
    if slice.space is None:
        raise ValueError(f"slice {slice.name!r}: this measure needs vectors")
    return slice.space


def _places(space: Space, words: pa.Array) -> npt.NDArray[np.int64]:
    places = pc.index_in(words, value_set=pa.array(space.words, pa.string()))
    return np.asarray(places.to_numpy(zero_copy_only=False))


def score_rows(
    columns: dict[str, Any],
    *,
    scores: Floats,
    reasons: npt.NDArray[np.signedinteger],
    seeds: npt.NDArray[np.signedinteger],
    score_sd: Floats | None = None,
) -> pa.Table:
    """Return a table of scores without thresholds and classes; a plain value fills its column, nan becomes null."""
    computed = {
        "score": pa.array(scores, from_pandas=True),
        "score_sd": None if score_sd is None else pa.array(score_sd, from_pandas=True),
        "seeds": seeds,
        "reason": pa.array(REASONS).take(pa.array(reasons, mask=reasons == SCORED)),
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


def with_parts(measures: Iterable[str]) -> list[str]:
    """Return measures and those that they are made of, sorted."""
    named = set(measures)
    return sorted(named.union(*(MEASURES[name].parts for name in named)))


def with_made(rows: pa.Table, measures: Iterable[str]) -> pa.Table:
    """Return the rows of a pair and a seed with those of measures that are made of others, in the order of the table.

    A word that lacks one of these has the first reason that holds.

    Args:
        rows: what `score_pair` returned, with all that the measures are made of.
        measures: keys of `MEASURES`; those that are not made of others are passed over.
    """
    made = [name for name in sorted(set(measures)) if MEASURES[name].takes == MADE]
    if not made:
        return rows
    alignments = [name for name in sorted(pc.unique(rows["alignment"]).to_pylist()) if name in _aligned(rows)]
    blocks = [_made(rows, alignment, name) for name in made for alignment in alignments]
    return sort_rows(pa.concat_tables([rows, *blocks]), ("alignment", "measure", "word"))


def _aligned(rows: pa.Table) -> set[str]:
    """Return the alignments by which aligned vectors are compared."""
    kinds = rows.group_by(["alignment", "measure"], use_threads=False).aggregate([]).to_pylist()
    return {kind["alignment"] for kind in kinds if needs_alignment(kind["measure"])}


def _made(rows: pa.Table, alignment: str, measure: str) -> pa.Table:
    entry = MEASURES[measure]
    blocks = [
        rows.filter(
            (pc.field("alignment") == (alignment if needs_alignment(part) else NO_ALIGNMENT))
            & (pc.field("measure") == part)
        )
        for part in entry.parts
    ]
    block = blocks[0]
    places = [pc.index_in(block["word"], value_set=part["word"].combine_chunks()) for part in blocks]
    blocks = [part.take(place) for part, place in zip(blocks, places, strict=True)]  # others may have other words
    scores = np.stack([part["score"].to_numpy() for part in blocks])
    why = [pc.index_in(part["reason"], value_set=pa.array(REASONS)).fill_null(len(REASONS)) for part in blocks]
    first = np.minimum.reduce([codes.to_numpy() for codes in why])
    found = joined(scores, block[entry.over].to_numpy(), entry.function)
    none = np.where(np.isnan(scores).any(axis=0), REASONS.index("undefined"), REASONS.index("no_reference"))
    reasons = np.where(np.isnan(found), np.where(first < len(REASONS), first, none), SCORED)
    kept = {name: block[name] for name in SCORES.schema().names if name in block.column_names}
    columns = kept | {"alignment": alignment, "measure": measure}
    return score_rows(columns, scores=found, reasons=reasons, seeds=(reasons == SCORED).astype(np.int32))


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
    scores = np.stack([np.asarray(table["score"].fill_null(math.nan).to_numpy()) for table in tables])
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
