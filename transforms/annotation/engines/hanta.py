"""HanTa's tagger, made faster with the same output.

The Hanover Tagger (Wartena 2019, A Probabilistic Morphology Model for German Lemmatization; LGPL)
finds a sentence's tags by a Viterbi search over a trigram model and then each word's lemma by a
Viterbi search over its morphemes. Both depend on little and ask for it again and again, so the
word's tags, the transitions between states and the lemmas are kept here, in bounded caches; the
search over the sentence is written anew upon them, and that over morphemes in
`hanta_morphemes.py`. Tests compare both with HanTa's.

What is kept lies within HanTa's public methods, so members that are not public are used, and
`setup.py` pins the version: `_tag_word` (a word's tags with log P(word | tag), which `tag_word`
does not give), `_analyze` (a word's lemma by the number of its tag), and two undocumented
attributes of a model, `LP_trans_word` (log probabilities of transitions) and `int2tag` (tags by
number); the search over morphemes takes the place of two methods and reads the rest. Raise the pin
once `tests/annotation/engines/test_hanta.py` passes with the new version.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from transforms.annotation.engines.hanta_morphemes import MorphemeSearch

__all__ = ["MAX_SENTENCE", "MAX_WORD", "load_tagger", "model_file"]

# HanTa's time grows with the square of a word's length: longer ones (addresses, broken text) are
# tagged from their context alone and are their own lemmas.
MAX_WORD = 100

# Longer sentences (lists, text without punctuation) are tagged in pieces: a sum of logarithms
# below HanTa's floor of -1e6 would leave no path.
MAX_SENTENCE = 4_000

_FILES = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}
_CACHED = 1 << 16
_BEAM = 5

Tags = tuple[int, ...] | None  # tags that a word may have; None where any may follow
Step = tuple[tuple[int, int], float, int]  # the state that follows, log probability, its tag
Tagger = Callable[[Sequence[str]], list[tuple[str, str]]]


def model_file(language: str) -> str:
    """Return the path of the model for `language` (de, en, nl) within the installed package."""
    import os

    from HanTa import HanoverTagger

    return os.path.join(os.path.dirname(HanoverTagger.__file__), _FILES[language])


def load_tagger(language: str) -> Tagger:
    """Load the model for `language`; return a function from a sentence's words to lemma and tag.

    Words are not empty. The pairs are those of HanTa's `tag_sent`, but for words over `MAX_WORD`
    characters and sentences over `MAX_SENTENCE` words.
    """
    from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN, HanoverTagger

    model = HanoverTagger(model_file(language))
    search = MorphemeSearch(model)
    model.analyze_forward, model.analyze_viterbi = search.analyze_forward, search.analyze_viterbi
    transitions = model.LP_trans_word
    every_tag = None

    @lru_cache(maxsize=_CACHED)
    def scores_of(word: str, casesensitive: bool) -> tuple[dict[int, float], tuple[int, ...] | None]:
        """Return log P(word | tag) by tag, and the tags as a key (None: any tag goes)."""
        if len(word) > MAX_WORD:
            return {}, every_tag
        pairs = model._tag_word(word, cutoff=5, casesensitive=casesensitive, conditional=True)
        scores = dict(pairs)
        if not scores or list(scores) == [UNKNOWN]:
            return {}, every_tag
        return scores, tuple(sorted(scores))

    @lru_cache(maxsize=_CACHED)
    def places_of(state: tuple[int, int]) -> dict[int, int]:
        """Return the tags that follow `state`, each with its place in the model's order."""
        found = transitions[state]
        return dict(zip(found, range(len(found)), strict=True))

    @lru_cache(maxsize=_CACHED)
    def steps_from(state: tuple[int, int], tags: Tags) -> list[Step]:
        """Return the states that follow `state` with one of `tags`, in the model's own order."""
        found = transitions[state]
        places = places_of(state)
        following = found if tags is None else sorted(places.keys() & tags, key=places.__getitem__)
        return [((state[1], tag), found[tag], tag) for tag in following if tag != END]

    @lru_cache(maxsize=_CACHED)
    def lemma_of(word: str, tag: int) -> str:
        return model._analyze(word, tag, taglevel=1)[0]

    def tags_of(words: Sequence[str]) -> list[int]:
        row: dict[tuple[int, int], float] = {(EMPTY, START): 0.0}
        origins = []
        for position, word in enumerate(words):
            # A capital says nothing at the start of a sentence.
            scores, tags = scores_of(word, position > 0)
            floor = sorted(row.values(), reverse=True)[_BEAM] - 1 if len(row) > _BEAM else None
            best: dict[tuple[int, int], float] = {}
            origin = {}
            for state, so_far in row.items():
                if floor is not None and so_far < floor:
                    continue
                for following, step, tag in steps_from(state, tags):
                    total = so_far + step + (scores[tag] if tags else 0)
                    if following not in best or total > best[following]:
                        best[following] = total
                        origin[following] = state
            origins.append(origin)
            row = best
        # The first of equals wins, as `max` has it.
        state = max(row, key=lambda last: row[last] + transitions[last].get(END, float("-inf")))
        found = []
        for origin in reversed(origins):
            found.append(state[1])
            state = origin[state]
        return found[::-1]

    def tag(words: Sequence[str]) -> list[tuple[str, str]]:
        pairs = []
        for first in range(0, len(words), MAX_SENTENCE):
            piece = words[first : first + MAX_SENTENCE]
            for word, number in zip(piece, tags_of(piece), strict=True):
                lemma = lemma_of(word.lower(), number) if len(word) <= MAX_WORD else word
                pairs.append((lemma, model.int2tag[number]))
        return pairs

    return tag
