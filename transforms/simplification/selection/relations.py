"""Filters antonyms and hyponyms: candidates that WordNet has as the target's opposite, or as something narrower.

The senses of the target are those of its lemma with its part of speech; where WordNet lacks these, of its base form,
then of any part of speech. Those of a candidate are those of its lemma, of any.

- An **antonym** stands in a synset opposite to one of the target's: of an antonym of a word there or, of an adjective
  that is like another (*sultry*, like *hot*), of an antonym of that one, or is like such an antonym.
- A **hyponym** stands below one of the target's synsets, at any depth, and neither in one of them nor above one.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from transforms.lexicon.finding_wordnet import WORDNET
from transforms.lexicon.wordnet.lexnames import ANTONYM, UPOS
from transforms.lexicon.wordnet.wordnet import WordNet
from transforms.simplification.records import Instance
from transforms.simplification.resources import by_language
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting

__all__ = ["filter_antonyms", "filter_hyponyms"]

_SIMILAR = ("&",)


def filter_antonyms(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `antonym`: WordNet has the candidate as the target's opposite."""
    for wordnet, group, synsets in _with_synsets(groups, selecting):
        opposite = _opposite(wordnet, synsets)
        for state, of_candidate in _of_candidates(wordnet, group.remaining):
            if not opposite.isdisjoint(of_candidate):
                state.reason = "antonym"


def filter_hyponyms(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `hyponym`: WordNet has the candidate below the target, and not beside or above it."""
    for wordnet, group, synsets in _with_synsets(groups, selecting):
        candidates = _of_candidates(wordnet, group.remaining)
        above = _above(wordnet, set().union(synsets, *(of_candidate for _, of_candidate in candidates)))
        broader = synsets.union(*(above[synset] for synset in synsets))
        for state, of_candidate in candidates:
            below = any(not synsets.isdisjoint(above[synset]) for synset in of_candidate)
            if below and broader.isdisjoint(of_candidate):
                state.reason = "hyponym"


def _with_synsets(
    groups: Sequence[InstanceCandidates], selecting: Selecting
) -> Iterable[tuple[WordNet, InstanceCandidates, set[int]]]:
    """Yield each group whose target WordNet has, with the target's synsets."""
    for rows, wordnet in by_language(selecting.lexicon, WORDNET.name, [group.instance.language for group in groups]):
        for row in rows:
            if synsets := _of_target(wordnet, groups[row].instance):
                yield wordnet, groups[row], synsets


def _of_target(wordnet: WordNet, instance: Instance) -> set[int]:
    form, tag = instance.target.lower(), UPOS.get(instance.upos or "")
    for part in dict.fromkeys((tag, None)):
        base = wordnet.morphy(pa.array([form]), part)[0].as_py()
        for word in dict.fromkeys((instance.lemma, base)):
            if word is not None and (synsets := _synsets(wordnet, [word], part)[0]):
                return synsets
    return set()


def _of_candidates(wordnet: WordNet, states: Sequence[CandidateState]) -> list[tuple[CandidateState, set[int]]]:
    """Return candidates with their synsets; of one without a lemma those of its base form."""
    bases = wordnet.morphy(pa.array([state.form for state in states], pa.string())).to_pylist()
    words = [state.lemma or base or state.form for state, base in zip(states, bases, strict=True)]
    return list(zip(states, _synsets(wordnet, words, None), strict=True))


def _synsets(wordnet: WordNet, words: Sequence[str], part: str | None) -> list[set[int]]:
    senses = wordnet.senses_of(pa.array(words, pa.string()), part)
    synsets = wordnet.synset_of(senses.values)
    return [set(synsets[start:end].tolist()) for start, end in zip(senses.offsets, senses.offsets[1:], strict=False)]


def _opposite(wordnet: WordNet, synsets: set[int]) -> set[int]:
    own = np.array(sorted(synsets), np.int64)
    # Of a satellite, the adjective that it is like; such an adjective leads to its satellites, which have no antonyms.
    like = np.union1d(own, wordnet.related(own, _SIMILAR).values)
    antonyms = wordnet.synset_of(wordnet.related_senses(wordnet.senses_in(like).values, ANTONYM).values)
    return {*antonyms.tolist(), *wordnet.related(antonyms, _SIMILAR).values.tolist()}


def _above(wordnet: WordNet, synsets: Iterable[int]) -> Mapping[int, set[int]]:
    """Return all synsets above each one, without itself unless a circle leads there."""
    parents: dict[int, list[int]] = {}
    frontier = sorted(synsets)
    while frontier:
        above = wordnet.hypernyms(np.array(frontier, np.int64)).lists().to_pylist()
        parents.update(zip(frontier, above, strict=True))
        frontier = sorted({synset for many in above for synset in many} - parents.keys())
    return {synset: _reached(parents, synset) for synset in synsets}


def _reached(parents: Mapping[int, Sequence[int]], start: int) -> set[int]:
    reached: set[int] = set()
    waiting = list(parents[start])
    while waiting:
        synset = waiting.pop()
        if synset not in reached:
            reached.add(synset)
            waiting += parents[synset]
    return reached
