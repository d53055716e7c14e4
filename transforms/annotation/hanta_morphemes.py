"""HanTa's searches over the morphemes of a word, made faster with the same output.

HanTa asks for the probability of each piece of a word under each tag that may follow, one by one;
nearly all of them are zero. A piece is a morpheme of the model under one or two tags, or an unknown
one under the few tags that have new morphemes (`LP_hapax_t`), by its length and its end. Here a
piece has its tags with their log probabilities at once, and only these are looked at. Sums, their
order and what wins among equals are HanTa's own, so results are equal to the bit.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Search", "searches"]

FLOOR = -1e6  # log probabilities that are not above it count as zero
BEAM = 3  # states that are followed, and those as likely as the next one, to a factor of e
LONG = 24  # characters, from which on an unknown morpheme's length counts the same
END = 4  # characters of its end that count, at most
WHOLE = 4.6  # what an unknown morpheme that is the whole word is less likely
SHORT = 4  # characters of a word, below which unknown morphemes may have one or two

_CACHED = 1 << 16

State = tuple[int, int]  # the tags of two morphemes in a row
Follow = tuple[int, float, State]  # the next tag, its log probability, the state that follows
Row = dict[State, float]
# Of a piece of a word: all its tags if it is a morpheme of the model, and those of unknown ones.
Scores = tuple[Mapping[int, float] | None, list[float]]


class Search(NamedTuple):
    """HanTa's methods of the same names, for one model.

    Attributes:
        analyze_forward: from a word to the log probabilities of its tags, the likeliest first.
        analyze_viterbi: from a word and its final tag to its morphemes, as (tag, end).
    """

    analyze_forward: Callable[[str], list[tuple[int, float]]]
    analyze_viterbi: Callable[[str, int], list[tuple[int, int]]]


def searches(model: Any) -> Search:
    """Return the searches of a `HanoverTagger`."""
    from HanTa.HanoverTagger import EMPTY, END_UNKNOWN, START, UNKNOWN

    morphemes: dict[str, dict[int, float]] = {}
    for tag, scores in model.LP_m_t.items():
        for morpheme, score in scores.items():
            morphemes.setdefault(morpheme, {})[tag] = score
    # By tag of unknown morphemes: log probabilities of lengths, and of ends.
    unknown = [
        (tag, [model.Int_t + new + model.LP_len_t[tag][size] for size in range(LONG + 1)], ends)
        for tag, new in model.LP_hapax_t.items()
        if (ends := model.LP_s_t.get(tag)) is not None
    ]
    places = {tag: place for place, (tag, _, _) in enumerate(unknown)}
    final: Mapping[State, list[tuple[int, float]]] = model.LP_trans_final

    @cache  # as many as there are tags
    def ways_to(target: int | None) -> dict[State, tuple[list[Follow], list[Follow]]]:
        """Return what may follow each state on the way to a final tag, and of it what may be new.

        The latter have the places of their tags among those of unknown morphemes.
        """
        reachable = model.reachability.get(target, ()) if target is not None else None
        ways = {}
        for state, found in model.LP_trans_nonfinal.items():
            every = [(tag, step, (state[1], tag)) for tag, step in found if reachable is None or tag in reachable]
            if every:
                new = [(places[tag], step, then) for tag, step, then in every if tag in places]
                ways[state] = (every, new)
        return ways

    @lru_cache(maxsize=_CACHED)
    def scores_of_end(end: str) -> list[tuple[list[float], float]]:
        """Return for each tag of unknown morphemes the score of the longest end that it knows."""
        parts = [end[first:] for first in range(len(end) + 1)]
        return [(sizes, next(ends[part] for part in parts if part in ends)) for _, sizes, ends in unknown]

    def scores_at(piece: str, short: bool, whole: bool) -> Scores | None:
        """Return the tags of a piece of a short word, or of a whole one; None if it has none."""
        own = morphemes.get(piece)
        if not short and len(piece) <= 2:
            return (own, []) if own else None
        size = min(len(piece), LONG)
        new = [sizes[size] + score for sizes, score in scores_of_end(piece[1:][-END:])]
        if whole:
            new = [score - WHOLE for score in new]
        if own:
            return {**{tag: new[place] for tag, place in places.items()}, **own}, new
        return None, new

    @lru_cache(maxsize=_CACHED)
    def scores_of(piece: str) -> Scores | None:
        return scores_at(piece, False, False)

    def pieces(word: str, first: int, known: bool) -> Iterator[tuple[int, Scores]]:
        """Yield the pieces of a word from a place on that have tags, by their ends, with these."""
        size = len(word)
        for end in range(first + 1, size + 1):
            piece = word[first:end]
            scores: Scores | None
            if known:
                own = morphemes.get(piece)
                scores = (own, []) if own else None
            elif size < SHORT or len(piece) == size:
                scores = scores_at(piece, size < SHORT, len(piece) == size)
            else:
                scores = scores_of(piece)
            if scores is not None:
                yield end, scores

    def search(word: str, target: int | None, known: bool) -> tuple[list[Row], list[dict[State, tuple[State, int]]]]:
        """Return log probabilities of states by place, the final ones last, and whence they came.

        Args:
            word: normalised.
            target: the final tag; None for any.
            known: whether all morphemes must be those of the model.
        """
        size = len(word)
        ways = ways_to(target)
        table: list[Row] = [{(EMPTY, START): 0}, *({} for _ in range(size + 1))]
        origins: list[dict[State, tuple[State, int]]] = [{} for _ in range(size + 2)]
        for place in range(size):
            row = table[place]
            bound = sorted(row.values(), reverse=True)[BEAM] - 1 if len(row) > BEAM else FLOOR
            found = None
            for state, so_far in row.items():
                if so_far < bound:
                    continue
                follow = ways.get(state)
                if follow is None:
                    continue
                every, unknown_ones = follow
                if found is None:
                    found = [(table[end], origins[end], *scores) for end, scores in pieces(word, place, known)]
                here = (state, place)
                for cell, origin, own, new in found:
                    if own is None:
                        for among, step, then in unknown_ones:
                            total = so_far + step + new[among]
                            if total > cell.get(then, FLOOR):
                                cell[then] = total
                                origin[then] = here
                        continue
                    for tag, step, then in every:
                        if tag in own:
                            total = so_far + step + own[tag]
                            if total > cell.get(then, FLOOR):
                                cell[then] = total
                                origin[then] = here
        for state, so_far in table[size].items():
            for tag, step in final.get(state, ()):
                if target is None or tag == target:
                    total, reached = so_far + step, (state[1], tag)
                    if total > table[-1].get(reached, FLOOR):
                        table[-1][reached] = total
                        origins[-1][reached] = (state, size)
        return table, origins

    def analyze_forward(word: str) -> list[tuple[int, float]]:
        found: dict[int, float] = {}
        for state, total in search(word, None, False)[0][-1].items():
            tag = -state[1]
            found[tag] = np.logaddexp(found[tag], total) if tag in found else total
        return sorted(found.items(), key=itemgetter(1), reverse=True) or [(UNKNOWN, 0)]

    def analyze_viterbi(word: str, targetpos: int) -> list[tuple[int, int]]:
        for known in (True, False):
            table, origins = search(word, targetpos, known)
            if table[-1]:
                break
        else:
            return [(UNKNOWN, len(word)), (END_UNKNOWN, len(word) + 1)]
        place = len(word) + 1
        state = _first_best(table[-1].items())
        found = []
        while place > 0:
            found.append((state[1], place))
            state, place = origins[place][state]
        return found[::-1]

    return Search(analyze_forward, analyze_viterbi)


def _first_best(states: Iterable[tuple[State, float]]) -> State:
    best, top = (0, 0), -math.inf
    for state, total in states:
        if total > top:
            best, top = state, total
    return best
