"""Change scores of a pair of slices under one seed; `combining` has those over seeds.

The words that both spaces share and all targets are scored. A target without a score has a reason,
the first in `lexbeam.schemas.change.scores.NULL_REASONS` that holds.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NULL_REASONS, SCORES
from lexbeam.transforms.change.scores.measures import COUNTS, FREQUENCY, MEASURES, SPACES, kinds_of
from lexbeam.transforms.change.scores.ranking import RankedWordOptions, WordCounts, ranked_mask
from lexbeam.transforms.embeddings.alignment import Alignment
from lexbeam.transforms.embeddings.neighbourhoods import NoScoreError, SpacePair
from lexbeam.transforms.embeddings.rows import with_direction
from lexbeam.transforms.embeddings.spaces import Space, apply

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
        earlier: the earlier slice.
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
