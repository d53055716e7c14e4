"""Filters antonyms and hyponyms: candidates that WordNet has as the target's opposite, or as something narrower.

The senses of the target are those of its lemma with its part of speech; where WordNet lacks these, of its base form,
then of any part of speech. Those of a candidate are those of its lemma, of any.

- An **antonym** stands in a synset opposite to one of the target's: of an antonym of a word there or, of an adjective
  that is like another (*sultry*, like *hot*), of an antonym of that one, or is like such an antonym.
- A **hyponym** stands below one of the target's synsets, at any depth, and neither in one of them nor above one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from transforms.lexicon.finding_wordnet import WORDNET
from transforms.lexicon.wordnet.lexnames import ANTONYM, SIMILAR, UPOS
from transforms.lexicon.wordnet.wordnet import WordNet
from transforms.simplification.records import Instance
from transforms.simplification.resources import by_language
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting

__all__ = ["filter_antonyms", "filter_hyponyms"]


class _Known(NamedTuple):
    """A target that WordNet has: its synsets, and the candidates that remain with theirs."""

    synsets: set[int]
    candidates: list[tuple[CandidateState, set[int]]]


def filter_antonyms(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `antonym`: WordNet has the candidate as the target's opposite."""
    for wordnet, known in _known(groups, selecting):
        for synsets, candidates in known:
            opposite = _opposite(wordnet, synsets)
            for state, of_candidate in candidates:
                if not opposite.isdisjoint(of_candidate):
                    state.reason = "antonym"


def filter_hyponyms(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `hyponym`: WordNet has the candidate below the target, and not beside or above it."""
    for wordnet, known in _known(groups, selecting):
        of_all = (synsets for target, candidates in known for synsets in (target, *(own for _, own in candidates)))
        above = _above(wordnet, set().union(*of_all))
        for synsets, candidates in known:
            broader = synsets.union(*(above[synset] for synset in synsets))
            for state, of_candidate in candidates:
                below = any(not synsets.isdisjoint(above[synset]) for synset in of_candidate)
                if below and broader.isdisjoint(of_candidate):
                    state.reason = "hyponym"


def _known(groups: Sequence[InstanceCandidates], selecting: Selecting) -> Iterator[tuple[WordNet, list[_Known]]]:
    """Yield the targets that WordNet has, by language; all words are looked up at once."""
    for rows, wordnet in by_language(selecting.lexicon, WORDNET.name, [group.instance.language for group in groups]):
        served = [groups[row] for row in rows]
        targets = _of_targets(wordnet, [group.instance for group in served])
        states = [state for group in served for state in group.remaining]
        synsets = iter(_of_candidates(wordnet, states))
        known = []
        for group, of_target in zip(served, targets, strict=True):
            candidates = [(state, next(synsets)) for state in group.remaining]
            if of_target:
                known.append(_Known(of_target, candidates))
        yield wordnet, known


def _of_targets(wordnet: WordNet, instances: Sequence[Instance]) -> list[set[int]]:
    """Return the synsets of targets; empty for what WordNet lacks."""
    forms = pa.array([instance.target.lower() for instance in instances], pa.string())
    of_targets: list[set[int]] = [set() for _ in instances]
    for parts in ([UPOS.get(instance.upos or "") for instance in instances], [None] * len(instances)):
        tags = pa.array(parts, pa.string())
        bases = wordnet.morphy(forms, tags).to_pylist()
        for words in ([instance.lemma for instance in instances], bases):
            found = _synsets(wordnet, [word or "" for word in words], tags)
            of_targets = [known or new for known, new in zip(of_targets, found, strict=True)]
    return of_targets


def _of_candidates(wordnet: WordNet, states: Sequence[CandidateState]) -> list[set[int]]:
    """Return the synsets of candidates; of one without a lemma those of its base form."""
    bases = wordnet.morphy(pa.array([state.form for state in states], pa.string())).to_pylist()
    words = [state.lemma or base or state.form for state, base in zip(states, bases, strict=True)]
    return _synsets(wordnet, words, None)


def _synsets(wordnet: WordNet, words: Sequence[str], parts: pa.Array | None) -> list[set[int]]:
    senses = wordnet.senses_of(pa.array(words, pa.string()), parts)
    synsets = wordnet.synset_of(senses.values)
    return [set(synsets[start:end].tolist()) for start, end in zip(senses.offsets, senses.offsets[1:], strict=False)]


def _opposite(wordnet: WordNet, synsets: set[int]) -> set[int]:
    own = np.array(sorted(synsets), np.int64)
    # Of a satellite, the adjective that it is like; such an adjective leads to its satellites, which have no antonyms.
    like = np.union1d(own, wordnet.related(own, SIMILAR).values)
    antonyms = wordnet.synset_of(wordnet.related_senses(wordnet.senses_in(like).values, ANTONYM).values)
    return {*antonyms.tolist(), *wordnet.related(antonyms, SIMILAR).values.tolist()}


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
