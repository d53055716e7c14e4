"""Which rankings are asked for, and which words of a pair they show."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.shown.flagged import flagged_words
from lexbeam.transforms.change.shown.ranking_rows import Pair, ranked_words, target_rows

WITH_NEIGHBOURS = 10  # targets, and words


class RankingRequest(NamedTuple):
    """Which rankings are shown.

    Attributes:
        pairs: of slices.
        alignment: what words are scored by.
        measure: what words are scored by.
        pos: only words that mostly have one of these parts of speech; empty for all.
        most: how many words.
        targets_alone: whether only targets are shown.
        neighbours: how many neighbours of each word; 0 for none.
        significant: whether all tested words are shown whose `significant` is this, of any rank, in place of
            targets and first words; None for these.
    """

    pairs: Sequence[Pair]
    alignment: str
    measure: str
    pos: Sequence[str]
    most: int
    targets_alone: bool = False
    neighbours: int = 0
    significant: bool | None = None


class PairRanking(NamedTuple):
    """A pair's words, those of its ranking, its targets, and the words that are shown beside these."""

    rows: pa.Table
    words: pa.Table
    targets: pa.Table
    shown: pa.Table
    measure: str

    def with_neighbours(self) -> list[str]:
        """Return the words that are shown with neighbours."""
        targets = self.targets.filter(pc.field("score").is_valid())["word"].to_pylist()
        words = self.shown["word"].to_pylist()
        return list(dict.fromkeys([*targets[:WITH_NEIGHBOURS], *words[:WITH_NEIGHBOURS]]))


def pair_ranking(rows: pa.Table, request: RankingRequest) -> PairRanking:
    """Return the ranking that is asked for, of the rows of a pair (see `ranked_rows`)."""
    words = ranked_words(rows, request.pos)
    if request.significant is not None:
        chosen = flagged_words(rows, request.pos, significant=request.significant)
        chosen = chosen.filter(chosen["target"]) if request.targets_alone else chosen
        return PairRanking(rows, words, rows[:0], chosen, request.measure)
    shown = words[: 0 if request.targets_alone else request.most]
    return PairRanking(rows, words, target_rows(rows, words), shown, request.measure)
