"""Which words are ranked, the head of a ranking, how it depends on frequency, and several rankings joined.

The most changed words of a raw list are rare ones and names, so a ranking takes words with enough
uses in both slices, from enough documents, that are not mostly proper nouns; what is shown of it
takes only content words, if parts of speech are known; and its heading gives Spearman's
correlation of score and log count.

Several measures or systems are joined by where each score stands among those of reference words. Scores have scales of
their own, so what is averaged is a place: the empirical distribution function (RPI-Trust, Gruppi et al. 2020), the
rank, or the z-score. Words that are no reference words get a place among these, too.

>>> scores = np.array([[0.1, 0.2, 0.2, 0.9], [5.0, 7.0, 6.0, np.nan]])
>>> joined(scores, np.array([True, True, True, False]), ecdf).round(3).tolist()
[0.333, 1.0, 0.833, nan]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view.counts import look_up
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.evaluation.outcomes import average_ranks

ALL_TAGS = "all"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Row = dict[str, Any]  # of a table, by column, as plain values


@dataclass(frozen=True, kw_only=True)
class RankedWordOptions:
    """What a word needs in both slices to be ranked.

    Attributes:
        min_count: uses.
        min_documents: documents that use it, or a fifth of the slice's documents (rounded up) if
            that is fewer.
        stop_words: so many of the most frequent words are not ranked: a list of stop words for texts without
            parts of speech. A word is as frequent as it is in the slice where its share of all uses is least.
        max_proper: largest share of proper nouns among its uses in both slices.
        pos: parts of speech of the words that are shown, which does not decide what is ranked;
            `all` for words of any. A word has the one that most of its uses in both slices have.
    """

    min_count: int = option(50, name="rank_min_count", help="uses in both slices that a ranked word needs")
    min_documents: int = option(
        5,
        name="rank_min_documents",
        help="documents in both slices that a ranked word needs, or a fifth of a smaller slice",
    )
    stop_words: int = option(
        0,
        name="rank_stop_words",
        help="so many of the most frequent words are not ranked, for texts without parts of speech (100)",
    )
    max_proper: float = 0.5
    pos: tuple[str, ...] = option(
        ("NOUN", "VERB", "ADJ"),
        name="rank_pos",
        choices=(*UPOS, ALL_TAGS),
        help="parts of speech that rankings show, if words are tagged; all for any",
    )

    def __post_init__(self) -> None:
        for name in ("min_count", "min_documents", "stop_words"):
            if getattr(self, name) < 0:
                raise UsageError(f"`rank_{name}` {getattr(self, name)}: must be 0 or more")


class WordCounts(NamedTuple):
    """Counts of the same words in one slice.

    Attributes:
        uses: of each word, int64.
        documents: documents that use the word, int64.
        proper: uses as a proper noun, int64; None without tags.
        slice_documents: documents of the slice.
    """

    uses: Ints
    documents: Ints
    proper: Ints | None
    slice_documents: int

    @classmethod
    def of(cls, counts: pa.Table, words: pa.Array, slice_documents: int) -> "WordCounts":
        """Return the counts of words from those of their slice, a table of `counts.COUNTS`."""
        rows = look_up(counts, words)
        proper = rows["proper_nouns"]
        return cls(
            rows["count"].to_numpy(),
            rows["documents"].to_numpy(),
            None if proper.null_count else proper.to_numpy(),
            slice_documents,
        )


def ranked_mask(earlier: WordCounts, later: WordCounts, options: RankedWordOptions) -> npt.NDArray[np.bool_]:
    """Return for each word whether rankings of a pair of slices take it, see `ranked_in_all`."""
    return ranked_in_all((earlier, later), options)


def ranked_in_all(slices: Sequence[WordCounts], options: RankedWordOptions) -> npt.NDArray[np.bool_]:
    """Return for each word whether it has what a ranked word needs in each of the slices.

    With `stop_words` the words are to be all that are in each slice.
    If only some slices are tagged, the share of proper nouns is that of the uses in these.
    """
    ranked = np.ones(len(slices[0].uses), dtype=bool)
    proper = np.zeros(len(slices[0].uses), np.int64)
    tagged = np.zeros(len(slices[0].uses), np.int64)
    for side in slices:
        fifth = -(-side.slice_documents // 5)
        ranked &= side.uses >= options.min_count
        ranked &= side.documents >= min(options.min_documents, fifth)
        if side.proper is not None:
            proper += side.proper
            tagged += side.uses
    if 0 < options.stop_words < len(ranked):
        least = np.min([side.uses / max(side.uses.sum(), 1) for side in slices], axis=0)
        ranked &= least < np.partition(least, -options.stop_words)[-options.stop_words]
    elif options.stop_words:
        ranked[:] = False
    return np.asarray(ranked & (proper <= options.max_proper * tagged))


def spearman_with_log_count(scores: Floats, counts: npt.NDArray[Any]) -> float:
    """Return Spearman's rho of scores and log counts, -1 to 1, ties by mean rank.

    It equals that of the counts themselves, since the logarithm keeps their order. Words without a
    score (nan) are left out; nan if fewer than two are left, or all scores or all counts are equal.
    """
    scored = ~np.isnan(scores)
    if scored.sum() < 2:
        return float("nan")
    x, y = (ranks - ranks.mean() for ranks in (average_ranks(scores[scored]), average_ranks(counts[scored])))
    size = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / size) if size else float("nan")


class GrowthRhos(NamedTuple):
    """Spearman's rho of scores and how the frequency of words changed, nan where undefined: with sign, and without."""

    signed: float
    absolute: float


def spearman_with_growth(scores: Floats, earlier: Floats, later: Floats) -> GrowthRhos:
    """Return Spearman's rho of scores and log(later / earlier), words without a score (nan) left out.

    Args:
        scores: of words.
        earlier: their relative frequencies in the earlier slice; at most one of both is 0.
        later: those in the later slice.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.log(later) - np.log(earlier)
    return GrowthRhos(*(spearman_with_log_count(scores, values) for values in (growth, np.abs(growth))))


def spearman_with_frequency(rows: pa.Table) -> Row:
    """Return Spearman's rho of scores and log counts, growth and change of frequency, by column of `change/pairs`.

    Args:
        rows: with a score each, and the uses of words in both slices.

    Returns:
        None where a rho is undefined: with fewer than two words, where all scores are equal, or what they are compared
        with is.
    """
    scores = rows["score"].to_numpy()
    growth = spearman_with_growth(scores, rows["relative_from"].to_numpy(), rows["relative_to"].to_numpy())
    found = {
        "spearman_from": spearman_with_log_count(scores, rows["count_from"].to_numpy()),
        "spearman_to": spearman_with_log_count(scores, rows["count_to"].to_numpy()),
        "spearman_growth": growth.signed,
        "spearman_change": growth.absolute,
    }
    return {name: None if np.isnan(value) else value for name, value in found.items()}


def of_pos(rows: pa.Table, pos: Sequence[str]) -> pa.Table:
    """Return the rows whose `upos` is one of these parts of speech, or null.

    All rows are returned if they have no such column, or `pos` is empty or has `ALL_TAGS`.
    """
    if "upos" not in rows.column_names or not pos or ALL_TAGS in pos:
        return rows
    wanted = pc.is_in(rows["upos"], value_set=pa.array([*pos, None], pa.string()))
    return rows.filter(wanted)


def by_change(rows: pa.Table) -> pa.Table:
    """Return rows of table scores, the most changed first.

    By falling excess if there are nulls (words in no null come last), then by falling score; ties by
    word.
    """
    keys = [("score", "descending"), ("word", "ascending")]
    if "excess" in rows.column_names:
        keys.insert(0, ("excess", "descending"))
    return rows.sort_by(keys)


def top(scores: pa.Table, n: int, *, alignment: str, measure: str = "cosine", pos: Sequence[str] = ()) -> pa.Table:
    """Return the `n` most changed ranked words of each pair of slices in a table of scores.

    The rows are the means over seeds, by pair as the table has them, then as `by_change` has them.
    Where the table has a column `upos`, words of other parts of speech than `pos` are left out.
    """
    rows = scores.filter(
        pc.field("seed").is_null()
        & pc.field("ranked")
        & pc.field("score").is_valid()
        & (pc.field("alignment") == alignment)
        & (pc.field("measure") == measure)
    )
    rows = of_pos(rows, pos)
    pairs = rows.group_by(["slice_from", "slice_to"], use_threads=False).aggregate([])
    heads = [rows.slice(0, 0)]
    for pair in pairs.to_pylist():
        same = [pc.field(name) == pair[name] for name in pair]
        heads.append(by_change(rows.filter(same[0] & same[1])).slice(0, n))
    return pa.concat_tables(heads).combine_chunks()


Flags = npt.NDArray[np.bool_]

Place = Callable[[Floats, Floats], Floats]  # of scores, among reference scores


def ecdf(scores: Floats, among: Floats) -> Floats:
    """Return the share of reference scores up to each score, 0 to 1."""
    return np.searchsorted(np.sort(among), scores, side="right") / len(among)


def ranks(scores: Floats, among: Floats) -> Floats:
    """Return the share of reference scores below each score and half of those equal to it, 0 to 1.

    Of reference words themselves it is their rank, ties by average rank, less a half, over their number.
    """
    ordered = np.sort(among)
    below, up_to = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return np.asarray((below + up_to) / (2 * len(among)), np.float64)


def z_scores(scores: Floats, among: Floats) -> Floats:
    """Return how many sample standard deviations each score lies above the mean of reference scores.

    Where these are all equal, or there is one, nothing is told by: nan.
    """
    if len(among) < 2 or among.min() == among.max():
        return np.full(len(scores), np.nan)
    return np.asarray((scores - among.mean()) / among.std(ddof=1), np.float64)


def joined(scores: Floats, reference: Flags, place: Place) -> Floats:
    """Return for each word the mean of its places in several scores; nan where one of these is missing.

    Args:
        scores: of shape (scores, words), nan for none.
        reference: which words are reference words; those that lack a score do not count.
        place: how a score is placed.
    """
    whole = ~np.isnan(scores).any(axis=0)
    found = np.full(scores.shape[1], np.nan)
    among = whole & reference
    if among.any():
        found[whole] = np.mean([place(row[whole], row[among]) for row in scores], axis=0)
    return found
