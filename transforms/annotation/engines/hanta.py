"""HanTa's tagger, made faster with the same output.

The Hanover Tagger (Wartena 2019, A Probabilistic Morphology Model for German Lemmatization; LGPL)
finds a sentence's tags by a Viterbi search over a trigram model and then each word's lemma by a
Viterbi search over its morphemes. Both need the same few values again and again, so a word's tags,
the transitions between states and the lemmas are kept here in bounded caches, of which a text of some
thousand sentences fills all, so that a longer one takes no more memory. The search over the
sentence is rewritten on top of them, and so is that over morphemes, `MorphemeSearch`. Tests compare both
with HanTa's.

The cached values are computed inside HanTa's public methods, so private members are used, and
`setup.py` pins the version: `_tag_word` (a word's tags with log P(word | tag), which `tag_word`
does not give), `_analyze` (a word's lemma by the number of its tag), and two undocumented
attributes of a model, `LP_trans_word` (log probabilities of transitions) and `int2tag` (tags by
number); the search over morphemes takes the place of two methods and reads the rest. Raise the pin
once `tests/annotation/engines/test_hanta.py` passes with the new version.

HanTa computes the probability of each piece of a word under each tag that may follow, one by one, and
nearly all are zero. A piece is a morpheme of the model under one or two tags, or an unknown one under
the few tags that allow new morphemes (`LP_hapax_t`), by its length and its end. Here all tags of a
piece with their log probabilities are found at once, and no others are looked at. Sums, their order
and ties are HanTa's own, so results are equal to the bit.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from operator import add, itemgetter
from typing import Any

import numpy as np

FLOOR = -1e6  # log probabilities up to this count as zero
BEAM = 3  # states that are followed, and those as likely as the next one, to a factor of e
LONG = 24  # characters; all longer unknown morphemes are as likely
END = 4  # characters at the end of an unknown morpheme that count, at most
WHOLE = 4.6  # subtracted from the score of an unknown morpheme that is the whole word
SHORT = 4  # characters; in shorter words unknown morphemes may have one or two

_PIECES = 1 << 13  # kept of pieces of words, and of their ends

State = tuple[int, int]  # the tags of two morphemes in a row
Follow = tuple[int, float, State]  # the next tag, its log probability, the state that follows
Ways = dict[State, tuple[list[Follow], list[Follow]]]  # all steps, and those of unknown morphemes
Row = dict[State, float]
Origins = dict[State, tuple[State, int]]  # the state before, and its place
# Of a piece of a word: all its tags if it is a morpheme of the model, and those of unknown ones.
Scores = tuple[Mapping[int, float] | None, list[float]]


class _Pieces:
    """The tags of pieces of words, with their log probabilities.

    Attributes:
        places: tags that unknown morphemes may have, with their places in the scores of these.
    """

    def __init__(self, model: Any) -> None:
        self._morphemes: dict[str, dict[int, float]] = {}
        for tag, scores in model.LP_m_t.items():
            for morpheme, score in scores.items():
                self._morphemes.setdefault(morpheme, {})[tag] = score
        # By tag of unknown morphemes: log probabilities of lengths, and of ends.
        unknown = [(tag, new) for tag, new in model.LP_hapax_t.items() if model.LP_s_t.get(tag) is not None]
        self._of_size = [
            [model.Int_t + new + model.LP_len_t[tag][size] for tag, new in unknown] for size in range(LONG + 1)
        ]
        self._ends = [model.LP_s_t[tag] for tag, _ in unknown]
        self.places = {tag: place for place, (tag, _) in enumerate(unknown)}
        self._scores_of_end = lru_cache(_PIECES)(self._end_scores)
        self._scores_within = lru_cache(_PIECES)(self._scores)

    def of(self, word: str, first: int, known: bool) -> Iterator[tuple[int, Scores]]:
        """Yield the pieces of a word from a place on that have tags: their ends and their scores.

        With `known` only morphemes of the model count.
        """
        size = len(word)
        for end in range(first + 1, size + 1):
            piece = word[first:end]
            scores: Scores | None
            if known:
                tags = self._morphemes.get(piece)
                scores = (tags, []) if tags else None
            elif size < SHORT or len(piece) == size:
                scores = self._scores(piece, size < SHORT, len(piece) == size)
            else:
                scores = self._scores_within(piece)
            if scores is not None:
                yield end, scores

    def _scores(self, piece: str, short: bool = False, whole: bool = False) -> Scores | None:
        """Return the tags of a piece of a short word, or of a whole one; None if it has none."""
        tags = self._morphemes.get(piece)
        if not short and len(piece) <= 2:
            return (tags, []) if tags else None
        new = list(map(add, self._of_size[min(len(piece), LONG)], self._scores_of_end(piece[1:][-END:])))
        if whole:
            new = [score - WHOLE for score in new]
        if tags:
            return {**{tag: new[place] for tag, place in self.places.items()}, **tags}, new
        return None, new

    def _end_scores(self, end: str) -> list[float]:
        """Return for each tag of unknown morphemes the score of the longest end that it knows."""
        parts = [end[first:] for first in range(len(end) + 1)]
        return [next(ends[part] for part in parts if part in ends) for ends in self._ends]


def _ways_to(model: Any, target: int | None, places: Mapping[int, int]) -> Ways:
    """Return the steps from each state on the way to a final tag, and those that allow new morphemes.

    The latter name tags by their places among those of unknown morphemes.
    """
    reachable = model.reachability.get(target, ()) if target is not None else None
    ways = {}
    for state, steps in model.LP_trans_nonfinal.items():
        all_steps = [(tag, step, (state[1], tag)) for tag, step in steps if reachable is None or tag in reachable]
        if all_steps:
            new = [(places[tag], step, then) for tag, step, then in all_steps if tag in places]
            ways[state] = (all_steps, new)
    return ways


class MorphemeSearch:
    """HanTa's methods `analyze_forward` and `analyze_viterbi`, for one `HanoverTagger`."""

    def __init__(self, model: Any) -> None:
        from HanTa.HanoverTagger import EMPTY, END_UNKNOWN, START, UNKNOWN

        self._start, self._unknown, self._end_unknown = (EMPTY, START), UNKNOWN, END_UNKNOWN
        self._pieces = pieces = _Pieces(model)
        self._ways = cache(lambda target: _ways_to(model, target, pieces.places))  # as many as there are tags
        self._final: Mapping[State, list[tuple[int, float]]] = model.LP_trans_final

    def analyze_forward(self, word: str) -> list[tuple[int, float]]:
        """Return the log probabilities of a word's tags, the likeliest first."""
        totals: dict[int, float] = {}
        for state, total in self._search(word, None, False)[0][-1].items():
            tag = -state[1]
            totals[tag] = np.logaddexp(totals[tag], total) if tag in totals else total
        return sorted(totals.items(), key=itemgetter(1), reverse=True) or [(self._unknown, 0)]

    def analyze_viterbi(self, word: str, targetpos: int) -> list[tuple[int, int]]:
        """Return the morphemes of a word with a final tag, as (tag, end)."""
        for known in (True, False):
            table, origins = self._search(word, targetpos, known)
            if table[-1]:
                break
        else:
            return [(self._unknown, len(word)), (self._end_unknown, len(word) + 1)]
        place = len(word) + 1
        state = _first_best(table[-1].items())
        morphemes = []
        while place > 0:
            morphemes.append((state[1], place))
            state, place = origins[place][state]
        return morphemes[::-1]

    def _search(self, word: str, target: int | None, known: bool) -> tuple[list[Row], list[Origins]]:
        """Return the log probabilities of states by place, the final ones last, and the states before them.

        Args:
            word: normalised.
            target: the final tag; None for any.
            known: whether all morphemes must be those of the model.
        """
        size = len(word)
        ways = self._ways(target)
        table: list[Row] = [{self._start: 0}, *({} for _ in range(size + 1))]
        origins: list[Origins] = [{} for _ in range(size + 2)]
        for place in range(size):
            row = table[place]
            bound = sorted(row.values(), reverse=True)[BEAM] - 1 if len(row) > BEAM else FLOOR
            states = [(s, so_far, ways[s]) for s, so_far in row.items() if so_far >= bound and s in ways]
            if states:
                pieces = [(table[end], origins[end], *scores) for end, scores in self._pieces.of(word, place, known)]
                for state, so_far, (all_steps, new) in states:
                    _follow((state, place), so_far, all_steps, new, pieces)
        for state, so_far in table[size].items():
            for tag, step in self._final.get(state, ()):
                if target is None or tag == target:
                    total, reached = so_far + step, (state[1], tag)
                    if total > table[-1].get(reached, FLOOR):
                        table[-1][reached] = total
                        origins[-1][reached] = (state, size)
        return table, origins


def _follow(
    here: tuple[State, int],
    so_far: float,
    steps: list[Follow],
    unknown: list[Follow],
    pieces: list[tuple[Row, Origins, Mapping[int, float] | None, list[float]]],
) -> None:
    """Enter the states that follow by pieces of the word, where they are likelier than those already there."""
    for cell, origin, tags, new in pieces:
        if tags is None:
            for among, step, then in unknown:
                total = so_far + step + new[among]
                if total > cell.get(then, FLOOR):
                    cell[then] = total
                    origin[then] = here
            continue
        for tag, step, then in steps:
            if tag in tags:
                total = so_far + step + tags[tag]
                if total > cell.get(then, FLOOR):
                    cell[then] = total
                    origin[then] = here


def _first_best(states: Iterable[tuple[State, float]]) -> State:
    best, top = (0, 0), -math.inf
    for state, total in states:
        if total > top:
            best, top = state, total
    return best


# HanTa's time grows with the square of a word's length: longer words (addresses, broken text) are
# tagged by their context alone and are their own lemmas.
MAX_WORD = 100

# Longer sentences (lists, text without punctuation) are tagged in pieces: a sum of logarithms
# below HanTa's floor of -1e6 would leave no path.
MAX_SENTENCE = 4_000

_FILES = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}
_WORDS = 1 << 13  # kept of words
_STEPS = 1 << 16  # kept of steps between states
_BEAM = 5

Tags = tuple[int, ...] | None  # tags that a word may have; None where any may follow
Step = tuple[State, float, int]  # the state that follows, log probability, its tag


def model_file(language: str) -> str:
    """Return the path of the model for `language` (de, en, nl) within the installed package."""
    import os

    from HanTa import HanoverTagger

    return os.path.join(os.path.dirname(HanoverTagger.__file__), _FILES[language])


@lru_cache(maxsize=len(_FILES))
def load_tagger(language: str) -> "SentenceTagger":
    """Load the model for `language`."""
    from HanTa.HanoverTagger import HanoverTagger

    model = HanoverTagger(model_file(language))
    search = MorphemeSearch(model)
    model.analyze_forward, model.analyze_viterbi = search.analyze_forward, search.analyze_viterbi
    return SentenceTagger(model)


class SentenceTagger:
    """HanTa's search over the words of a sentence, for one model; words must not be empty."""

    def __init__(self, model: Any) -> None:
        from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN

        self._model = model
        self._transitions: Mapping[State, Mapping[int, float]] = model.LP_trans_word
        self._states = {state: state for state in self._transitions}  # each is one object, however many lead there
        self._start, self._end, self._unknown = (EMPTY, START), END, UNKNOWN
        self._kept: dict[Tags, dict[State, list[Step]]] = {}  # steps to tags, by the state that they start from
        self._room = _STEPS
        self._scores_of = lru_cache(_WORDS)(self._word_scores)
        self._lemma_of = lru_cache(_WORDS)(self._lemma)

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Return the lemma and the tag of each word of a sentence.

        They are those of HanTa's `tag_sent`, except for words over `MAX_WORD` characters and sentences over
        `MAX_SENTENCE` words.
        """
        pairs = []
        for word, number in zip(words, self._numbers(words), strict=True):
            lemma = self._lemma_of(word.lower(), number) if len(word) <= MAX_WORD else word
            pairs.append((lemma, self._model.int2tag[number]))
        return pairs

    def tags(self, words: Sequence[str]) -> list[str]:
        """Return the tag of each word of a sentence."""
        return [self._model.int2tag[number] for number in self._numbers(words)]

    def _numbers(self, words: Sequence[str]) -> list[int]:
        pieces = (words[first : first + MAX_SENTENCE] for first in range(0, len(words), MAX_SENTENCE))
        return [number for piece in pieces for number in self._tags_of(piece)]

    def _tags_of(self, words: Sequence[str]) -> list[int]:
        """Return the tags of words, as numbers, by a Viterbi search with a beam."""
        row: dict[State, float] = {self._start: 0.0}
        origins: list[dict[State, State]] = []
        for position, word in enumerate(words):
            # A capital says nothing at the start of a sentence.
            scores, tags = self._scores_of(word, position > 0)
            row, origin = self._next_row(row, scores, tags)
            origins.append(origin)
        # The first of equals wins, as `max` has it.
        state = max(row, key=lambda last: row[last] + self._transitions[last].get(self._end, float("-inf")))
        numbers = []
        for origin in reversed(origins):
            numbers.append(state[1])
            state = origin[state]
        return numbers[::-1]

    def _next_row(
        self, row: Mapping[State, float], scores: Mapping[int, float], tags: Tags
    ) -> tuple[dict[State, float], dict[State, State]]:
        floor = sorted(row.values(), reverse=True)[_BEAM] - 1 if len(row) > _BEAM else None
        best: dict[State, float] = {}
        origin: dict[State, State] = {}
        steps_from = self._steps_to(tags)
        for state, so_far in row.items():
            if floor is not None and so_far < floor:
                continue
            steps = steps_from.get(state)
            if steps is None:
                steps = steps_from[state] = self._steps(state, tags)
            for following, step, tag in steps:
                total = so_far + step + (scores[tag] if tags else 0)
                if following not in best or total > best[following]:
                    best[following] = total
                    origin[following] = state
        return best, origin

    def _word_scores(self, word: str, casesensitive: bool) -> tuple[dict[int, float], Tags]:
        """Return log P(word | tag) by tag, and the tags as a key."""
        if len(word) > MAX_WORD:
            return {}, None
        found = self._model._tag_word(word, cutoff=5, casesensitive=casesensitive, conditional=True)
        scores = {tag: float(score) for tag, score in found}  # some are numpy's, which take long to add
        if not scores or list(scores) == [self._unknown]:
            return {}, None
        return scores, tuple(sorted(scores))

    def _steps_to(self, tags: Tags) -> dict[State, list[Step]]:
        """Return what is kept of steps to tags; all of it goes when it has become too much."""
        if self._room <= 0:
            self._kept.clear()
            self._room = _STEPS
        return self._kept.setdefault(tags, {})

    def _steps(self, state: State, tags: Tags) -> list[Step]:
        """Return the states that follow a state with one of `tags`, in the model's own order."""
        steps = []
        for tag, step in self._transitions[state].items():
            if (tags is None or tag in tags) and tag != self._end:
                following = state[1], tag
                steps.append((self._states.get(following, following), step, tag))
        self._room -= 1 + len(steps)
        return steps

    def _lemma(self, word: str, tag: int) -> str:
        return str(self._model._analyze(word, tag, taglevel=1)[0])
