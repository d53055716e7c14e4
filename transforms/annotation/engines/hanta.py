"""HanTa's tagger, made faster with the same output.

The Hanover Tagger (Wartena 2019, A Probabilistic Morphology Model for German Lemmatization; LGPL)
finds a sentence's tags by a Viterbi search over a trigram model and then each word's lemma by a
Viterbi search over its morphemes. Both need the same few values again and again, so a word's tags,
the transitions between states and the lemmas are kept here in bounded caches, of which a text of some
thousand sentences fills all, so that a longer one takes no more memory. The search over the
sentence is rewritten on top of them, that over morphemes in `hanta_morphemes.py`. Tests compare both
with HanTa's.

The cached values are computed inside HanTa's public methods, so private members are used, and
`setup.py` pins the version: `_tag_word` (a word's tags with log P(word | tag), which `tag_word`
does not give), `_analyze` (a word's lemma by the number of its tag), and two undocumented
attributes of a model, `LP_trans_word` (log probabilities of transitions) and `int2tag` (tags by
number); the search over morphemes takes the place of two methods and reads the rest. Raise the pin
once `tests/annotation/engines/test_hanta.py` passes with the new version.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lexbeam.transforms.annotation.engines.hanta_morphemes import MorphemeSearch

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

State = tuple[int, int]  # the tags of two words in a row
Tags = tuple[int, ...] | None  # tags that a word may have; None where any may follow
Step = tuple[State, float, int]  # the state that follows, log probability, its tag
Tagger = Callable[[Sequence[str]], list[tuple[str, str]]]


def model_file(language: str) -> str:
    """Return the path of the model for `language` (de, en, nl) within the installed package."""
    import os

    from HanTa import HanoverTagger

    return os.path.join(os.path.dirname(HanoverTagger.__file__), _FILES[language])


def load_tagger(language: str) -> Tagger:
    """Load the model for `language`; return a function from a sentence's words to lemma and tag.

    Words must not be empty. The pairs are those of HanTa's `tag_sent`, except for words over `MAX_WORD`
    characters and sentences over `MAX_SENTENCE` words.
    """
    return _loaded(language).tag


def load_tags(language: str) -> Callable[[Sequence[str]], list[str]]:
    """Load the model for `language`; return a function from a sentence's words to their tags, those of `load_tagger`.

    Both share what they keep, and the model.
    """
    return _loaded(language).tags


@lru_cache(maxsize=len(_FILES))
def _loaded(language: str) -> "_SentenceTagger":
    from HanTa.HanoverTagger import HanoverTagger

    model = HanoverTagger(model_file(language))
    search = MorphemeSearch(model)
    model.analyze_forward, model.analyze_viterbi = search.analyze_forward, search.analyze_viterbi
    return _SentenceTagger(model)


class _SentenceTagger:
    """HanTa's search over the words of a sentence, for one model."""

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
        """Return the lemma and the tag of each word of a sentence."""
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
        """Return the log probabilities of states behind a word, and the state before each."""
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
