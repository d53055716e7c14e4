"""The rankings that a report shows: which ones, of which words, and which words are pictured."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.scores.measures import FREQUENCY, NO_ALIGNMENT, kinds_of, needs_alignment, of_usage
from lexbeam.transforms.change.scores.ranking import by_change
from lexbeam.transforms.change.shown.flagged import flagged_words
from lexbeam.transforms.change.shown.ranking_rows import (
    Pair,
    has_null,
    pairs_of,
    ranked_rows,
    ranked_words,
    shown_pos,
    spearman,
    target_rows,
)
from lexbeam.transforms.common.publish.snapshots import Snapshot

PAIRS = 12  # pairs of slices that have panels
WORDS = 2_000  # rows for each ranking, beside the targets, and at least a twentieth of it
ALL_WORDS = 4_000
MOST_PICTURED = 40
FIRST_PICTURED = 12  # words of each pair


class Compared(NamedTuple):
    """A ranking: two slices by an alignment and a measure.

    Attributes:
        pair: the slices.
        alignment, measure: what words are compared by.
        name: of the ranking, for a reader.
        rows: the words that are shown: targets first, then those of the ranking, other ranked
            ones, and others by their uses in the slice that has fewer; with their `rank`.
        ranked: all ranked words with a score, the most changed first.
        ranking: the words of the ranking alone, in its order.
        flagged: the words with both q-values up to .05, of any part of speech, with their rank among all.
        left_out: how many words with a score are not shown.
        rho: Spearman's rho of what the ranking goes by and log count, in either slice.
    """

    pair: Pair
    alignment: str
    measure: str
    name: str
    rows: pa.Table
    ranked: pa.Table
    ranking: list[str]
    flagged: pa.Table
    left_out: int
    rho: tuple[float, float]

    @property
    def by_null(self) -> bool:
        """Whether scores were compared with those of dealt dates."""
        return has_null(self.ranked) or has_null(self.rows)


def compared(snapshot: Snapshot, *, first_alone: bool = False) -> list[Compared]:
    """Return the rankings of the first pairs that have a score or a target, pair by pair.

    By each alignment of the run, or only the first, and each measure of usage; by frequency if
    nothing else was measured.
    """
    options = snapshot.section("change")["options"]
    measures = list(filter(of_usage, options["measure"]))
    kinds = kinds_of(options["alignment"], measures) or [(NO_ALIGNMENT, FREQUENCY)]
    if first_alone:
        kinds = kinds[:1]
    pairs = pairs_of(snapshot)[:PAIRS]
    most = max(WORDS // 20, min(WORDS, ALL_WORDS // max(1, len(pairs) * len(kinds))))
    rankings = [_compared(snapshot, pair, kind, len(measures) > 1, most) for pair in pairs for kind in kinds]
    return [ranking for ranking in rankings if ranking.rows.num_rows]


def _compared(snapshot: Snapshot, pair: Pair, kind: tuple[str, str], several: bool, most: int) -> Compared:
    alignment, measure = kind
    rows = ranked_rows(snapshot, pair, alignment, measure)
    rows = rows.filter(pc.or_(rows["score"].is_valid(), rows["target"]))
    words = ranked_words(rows, shown_pos(snapshot))
    ordered = _ordered(rows, words)
    targets = pc.sum(pc.cast(ordered["target"], pa.int64())).as_py() or 0
    shown = ordered[: targets + most]
    by = alignment + (f", {measure}" if several else "") if needs_alignment(measure) else measure
    return Compared(
        pair,
        alignment,
        measure,
        f"{pair[0]} to {pair[1]}, {by}",
        shown,
        ranked_words(rows).drop_columns(["rank"]),
        words["word"].to_pylist(),
        flagged_words(rows),
        rows.num_rows - shown.num_rows,
        spearman(words),
    )


def _ordered(rows: pa.Table, words: pa.Table) -> pa.Table:
    """Return all rows with their `rank` in the ranking, each word once, in the order shown."""
    place = pc.index_in(rows["word"], value_set=words["word"].combine_chunks()).combine_chunks()
    rest = rows.append_column("rank", words["rank"].combine_chunks().take(place))
    rest = rest.filter(pc.and_(pc.invert(rest["target"]), pc.is_null(rest["rank"])))
    ranked = pc.and_(rest["ranked"], rest["score"].is_valid())
    others = rest.filter(pc.invert(ranked))
    least = pc.min_element_wise(others["count_from"], others["count_to"])
    order = pc.sort_indices(
        pa.table({"least": least, "word": others["word"]}), [("least", "descending"), ("word", "ascending")]
    )
    others_ranked = words.filter(pc.invert(words["target"]))
    parts = [target_rows(rows, words), others_ranked, by_change(rest.filter(ranked)), others.take(order)]
    return pa.concat_tables(parts).combine_chunks()


def pictured(rankings: Sequence[Compared], most: int = MOST_PICTURED) -> list[str]:
    """Return the words that get pictures: targets, then flagged words and the first words of each pair.

    By the first alignment and measure; only words with a score; the pairs take turns.
    """
    first = _first_kind(rankings)
    words: dict[str, None] = {}
    for ranking in first:
        scored = pc.and_(ranking.rows["target"], ranking.rows["score"].is_valid())
        words.update(dict.fromkeys(ranking.rows.filter(scored)["word"].to_pylist()))
    words.update(dict.fromkeys(flagged_of(rankings)[: FIRST_PICTURED * len(first)]))
    for place in range(FIRST_PICTURED):
        words.update({ranking.ranking[place]: None for ranking in first if place < len(ranking.ranking)})
    return list(words)[:most]


def flagged_of(rankings: Sequence[Compared]) -> list[str]:
    """Return the flagged words of all pairs by the first alignment and measure; the pairs take turns."""
    lists = [ranking.flagged["word"].to_pylist() for ranking in _first_kind(rankings)]
    places = range(max(map(len, lists), default=0))
    return list(dict.fromkeys(words[place] for place in places for words in lists if place < len(words)))


def named_flagged(flagged: Sequence[str], words: Iterable[str]) -> str:
    """Return a sentence, after a space, on which of some words are flagged; empty if none is."""
    named = [word for word in dict.fromkeys(words) if word in flagged]
    return f" Flagged among them (both q at most .05): {', '.join(named)}." if named else ""


def _first_kind(rankings: Sequence[Compared]) -> list[Compared]:
    """Return the rankings by the first alignment and measure."""
    kind = [(ranking.alignment, ranking.measure) for ranking in rankings][:1]
    return [ranking for ranking in rankings if (ranking.alignment, ranking.measure) in kind]
