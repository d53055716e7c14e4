"""Filters of candidates by name: what they drop, and why; those that read the sentence stand beside.

By WordNet a candidate is opposite, narrower, or of another sense. The senses of the target are those of its lemma with
its part of speech; where WordNet lacks these, of its base form, then of any part of speech. Those of a candidate are
those of its lemma, of any.

- An **antonym** stands in a synset opposite to one of the target's: of an antonym of a word there or, of an adjective
  that is like another (*sultry*, like *hot*), of an antonym of that one, or is like such an antonym.
- A **hyponym** stands below one of the target's synsets, at any depth, and neither in one of them nor above one.
- Of **another sense** is what has no synset among those around the sense that adapted Lesk (Banerjee and Pedersen 2002)
  finds in the sentence: this synset, and those whose glosses are read for it (`ragged.EXTENDED_GLOSS`).
- In a **rare sense** stands what means the target, or what is right above or similar, in a late one of its own senses
  alone, which WordNet orders by how often they occur (*await* to *look*, which is *expect* in its eighth sense).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.inflection.inflector import lemmas_of
from lexbeam.transforms.lexicon.resources import WORDNET
from lexbeam.transforms.lexicon.wordnet.glosses import split_words
from lexbeam.transforms.lexicon.wordnet.lesk import choose_senses, contexts_of
from lexbeam.transforms.lexicon.wordnet.ragged import ANTONYM, PARTS, SIMILAR, UPOS, Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.resources import VECTORS, by_language
from lexbeam.transforms.simplification.selection.candidate_filter import (
    NGRAMS,
    CandidateFilter,
    CandidateState,
    InstanceCandidates,
    Selecting,
    neighbours,
)
from lexbeam.transforms.simplification.selection.sentence_filters import filter_bigrams, filter_context, filter_pos


class _Known(NamedTuple):
    """A target that WordNet has: its senses, their synsets, and the candidates that remain with theirs."""

    instance: Instance
    senses: list[int]
    synsets: set[int]
    candidates: list[tuple[CandidateState, set[int]]]


def filter_antonyms(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `antonym`: WordNet has the candidate as the target's opposite."""
    for wordnet, known in _known(groups, selecting):
        for _, _, synsets, candidates in known:
            opposite = _opposite(wordnet, synsets)
            for state, of_candidate in candidates:
                if not opposite.isdisjoint(of_candidate):
                    state.reason = "antonym"


def filter_hyponyms(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `hyponym`: WordNet has the candidate below the target, and not beside or above it."""
    for wordnet, known in _known(groups, selecting):
        of_all = (synsets for target in known for synsets in (target.synsets, *(own for _, own in target.candidates)))
        above = _above(wordnet, set().union(*of_all))
        for _, _, synsets, candidates in known:
            broader = synsets.union(*(above[synset] for synset in synsets))
            for state, of_candidate in candidates:
                below = any(not synsets.isdisjoint(above[synset]) for synset in of_candidate)
                if below and broader.isdisjoint(of_candidate):
                    state.reason = "hyponym"


def filter_lesk(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `other_sense`: WordNet has the candidate nowhere around the sense that the target has in its sentence."""
    for wordnet, known in _known(groups, selecting):
        instances = [target.instance for target in known]
        # What stands before the target, and what behind it: no phrase runs over it.
        sides = ([one.sentence[: one.start] for one in instances], [one.sentence[one.end :] for one in instances])
        contexts = contexts_of(wordnet, [split_words(pa.array(side, pa.large_string())) for side in sides])
        own_words = ([one.target for one in instances], [one.lemma or one.target for one in instances])
        texts = [pa.array(words, pa.large_string()) for words in own_words]
        bounds = np.cumsum([0, *(len(target.senses) for target in known)])
        senses = Ragged(bounds, np.array([sense for target in known for sense in target.senses], np.int64))
        chosen = choose_senses(wordnet, contexts, np.arange(len(known)), texts, senses)
        around = wordnet.glosses.around(wordnet.synset_of(chosen)).lists().to_pylist()
        for target, near in zip(known, around, strict=True):
            for state, of_candidate in target.candidates:
                if of_candidate and of_candidate.isdisjoint(near):
                    state.reason = "other_sense"


def filter_rare_senses(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `rare_sense`: the first of the candidate's senses that is near the target comes after the first few."""
    for wordnet, known in _known(groups, selecting):
        in_order = iter(_in_order(wordnet, [state for target in known for state, _ in target.candidates]))
        for target in known:
            own = np.array(sorted(target.synsets), np.int64)
            above, similar = wordnet.hypernyms(own).values, wordnet.related(own, SIMILAR).values
            near = target.synsets.union(above.tolist(), similar.tolist())
            for state, _ in target.candidates:
                places = (place for part in next(in_order) for place, synset in enumerate(part, 1) if synset in near)
                if min(places, default=0) > selecting.options.most_sense:
                    state.reason = "rare_sense"


def _known(groups: Sequence[InstanceCandidates], selecting: Selecting) -> Iterator[tuple[WordNet, list[_Known]]]:
    """Yield the targets that WordNet has, by language; all words are looked up at once."""
    for rows, wordnet in by_language(selecting.lexicon, WORDNET.name, [group.instance.language for group in groups]):
        served = [groups[row] for row in rows]
        targets = _of_targets(wordnet, [group.instance for group in served])
        of_senses = iter(wordnet.synset_of(np.array([sense for one in targets for sense in one], np.int64)).tolist())
        states = [state for group in served for state in group.remaining]
        synsets = iter([set(own) for own in _synsets(wordnet, _words(wordnet, states))])
        known = []
        for group, of_target in zip(served, targets, strict=True):
            candidates = [(state, next(synsets)) for state in group.remaining]
            of_own = {next(of_senses) for _ in of_target}
            if of_target:
                known.append(_Known(group.instance, of_target, of_own, candidates))
        yield wordnet, known


def _of_targets(wordnet: WordNet, instances: Sequence[Instance]) -> list[list[int]]:
    """Return the senses of targets, the commonest first; empty for what WordNet lacks."""
    forms = pa.array([instance.target.lower() for instance in instances], pa.string())
    of_targets: list[list[int]] = [[] for _ in instances]
    for parts in ([UPOS.get(instance.upos or "") for instance in instances], [None] * len(instances)):
        tags = pa.array(parts, pa.string())
        bases = wordnet.morphy(forms, tags).to_pylist()
        for words in ([instance.lemma for instance in instances], bases):
            found = wordnet.senses_of(pa.array([word or "" for word in words], pa.string()), tags).lists().to_pylist()
            of_targets = [known or new for known, new in zip(of_targets, found, strict=True)]
    return of_targets


def _in_order(wordnet: WordNet, states: Sequence[CandidateState]) -> Iterator[tuple[list[int], ...]]:
    """Yield the synsets of candidates by part of speech, the commonest first."""
    words = _words(wordnet, states)
    return zip(*(_synsets(wordnet, words, part) for part in PARTS), strict=True)


def _words(wordnet: WordNet, states: Sequence[CandidateState]) -> pa.Array:
    """Return the lemmas of candidates; of one without a lemma its base form."""
    bases = wordnet.morphy(pa.array([state.form for state in states], pa.string())).to_pylist()
    return pa.array([state.lemma or base or state.form for state, base in zip(states, bases, strict=True)], pa.string())


def _synsets(wordnet: WordNet, words: pa.Array, part: str | None = None) -> list[list[int]]:
    senses = wordnet.senses_of(words, part)
    return list(senses.lists(pa.array(wordnet.synset_of(senses.values))).to_pylist())


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


def filter_morphology(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `target_inflection`, and merge forms of one lemma (`merged`).

    The lemmas of a form are those that the form dictionary has for it with the target's part of speech, else with
    any; a candidate that came with a lemma has that one. What was generated as a form is an inflection of the target
    if any of its lemmas is the target's (*miente*, of *mentir* and of *mentar*). Forms of one lemma are merged into
    the one with the highest score, which takes over the scores and votes of the others (Ferrés and Saggion 2022,
    selection by morphology).
    """
    for group in groups:
        instance = group.instance
        inflector = selecting.inflector_of(instance.language)
        target = instance.target.lower()
        of_target = {target, *lemmas_of(inflector, target, instance.upos)}
        if instance.lemma is not None:
            of_target.add(instance.lemma.lower())
        by_lemma: dict[str, list[CandidateState]] = {}
        for state in group.remaining:
            dictionary_lemmas = lemmas_of(inflector, state.form, instance.upos)
            lemmas = [state.lemma] if state.lemma is not None else dictionary_lemmas or [state.form]
            possible = [*lemmas, *dictionary_lemmas] if state.came_as_form else lemmas
            if straight(state.form) == straight(target) or not of_target.isdisjoint(possible):
                state.reason = "target_inflection"
            else:
                by_lemma.setdefault(lemmas[0], []).append(state)
        for same in by_lemma.values():
            _merge(same)


def _merge(same: list[CandidateState]) -> None:
    best = min(same, key=lambda state: (-state.score, state.form))
    for state in same:
        if state is not best:
            state.reason, state.merged_into = "merged", best.form
            best.score += state.score
            if state.votes is not None:
                best.votes = (best.votes or 0) + state.votes


def filter_similarity(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_similarity`: the cosine of target and form, in lower case, by static vectors.

    Candidates without a vector, or whose target has none, go on.
    """
    pairs: list[tuple[str, CandidateState, str, str]] = [
        (group.instance.language, state, group.instance.target.lower(), state.form)
        for group in groups
        for state in group.remaining
    ]
    for rows, vectors in by_language(selecting.lexicon, VECTORS.name, [pair[0] for pair in pairs]):
        language_pairs = [pairs[row] for row in rows]
        cosines = vectors.cosine(
            pa.array([pair[2] for pair in language_pairs], pa.string()),
            pa.array([pair[3] for pair in language_pairs], pa.string()),
        ).to_pylist()
        for (_, state, _, _), cosine in zip(language_pairs, cosines, strict=True):
            state.similarity = cosine
            if cosine is not None and cosine < selecting.options.least_similarity:
                state.reason = "below_similarity"


def filter_ngram(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_ngram`: the mean of log10(1 + count) of the bigrams with both neighbours.

    Words are in lower case. A candidate without neighbours goes on.
    """
    queries: list[tuple[str, CandidateState, list[str]]] = []
    for group in groups:
        for state in group.remaining:
            if bigrams := _bigrams(group.instance, state):
                queries.append((group.instance.language, state, bigrams))
    for rows, word_list in by_language(selecting.lexicon, NGRAMS, [query[0] for query in queries]):
        language_queries = [queries[row] for row in rows]
        flat = [bigram for _, _, bigrams in language_queries for bigram in bigrams]
        counts = word_list.look_up(pa.array(flat, pa.string()))["value"].to_numpy(zero_copy_only=False)
        logs = np.log10(1 + np.nan_to_num(counts.astype(np.float64)))
        bounds = np.cumsum([0, *(len(bigrams) for _, _, bigrams in language_queries)])
        for place, (_, state, _) in enumerate(language_queries):
            state.ngram = float(logs[bounds[place] : bounds[place + 1]].mean())
            if state.ngram < selecting.options.least_ngram:
                state.reason = "below_ngram"


def _bigrams(instance: Instance, state: CandidateState) -> list[str]:
    """Return the bigrams of a candidate in its place with the words before and after it."""
    before, after = neighbours(instance, state.form, state.before)
    words = state.form.split(" ")
    bigrams = []
    if before is not None:
        bigrams.append(f"{before} {words[0]}".lower())
    if after is not None:
        bigrams.append(f"{words[-1]} {after}".lower())
    return bigrams


def _none(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    pass


FILTERS: Registry[CandidateFilter] = Registry(
    {
        "none": CandidateFilter(_none, doc="drops nothing, for comparison"),
        "morphology": CandidateFilter(
            filter_morphology,
            doc="other forms of the target's lemma, and all but the best of another lemma's",
            reasons={
                "target_inflection": "it is another form of the target's lemma",
                "merged": "another form of its lemma has a higher score, and takes its score over",
            },
        ),
        "pos": CandidateFilter(
            filter_pos,
            needs="engine",
            doc="another part of speech than the target's",
            reasons={"pos_mismatch": "it has another part of speech than the target, tagged in its place"},
            notes={"pos_unchecked": "a phrase, of which the filter by part of speech says nothing"},
        ),
        "similarity": CandidateFilter(
            filter_similarity,
            needs="vectors",
            doc="little similarity to the target",
            reasons={"below_similarity": "it is less similar to the target than the threshold"},
        ),
        "ngram": CandidateFilter(
            filter_ngram,
            needs="ngrams",
            doc="what goes badly with the words before and after",
            reasons={"below_ngram": "it fits its neighbours less than the threshold"},
        ),
        "bigrams": CandidateFilter(
            filter_bigrams,
            needs="ngrams",
            doc="what a corpus seldom has beside the words before and after, by parts of speech",
            reasons={"below_bigrams": "its part of speech, or a neighbour's, seldom stands beside the other"},
        ),
        "antonyms": CandidateFilter(
            filter_antonyms,
            needs="wordnet",
            reasons={"antonym": "it is the target's opposite"},
            doc="WordNet has it as the target's opposite",
        ),
        "hyponyms": CandidateFilter(
            filter_hyponyms,
            needs="wordnet",
            reasons={"hyponym": "it is narrower than the target"},
            doc="WordNet has it below the target, not beside or above it",
        ),
        "lesk": CandidateFilter(
            filter_lesk,
            needs="wordnet",
            reasons={"other_sense": "WordNet has it nowhere around the sense that adapted Lesk finds in the sentence"},
            doc="WordNet has it nowhere around the sense of the target in its sentence",
        ),
        "rare-senses": CandidateFilter(
            filter_rare_senses,
            needs="wordnet",
            reasons={"rare_sense": "WordNet has it near the target in a rare one of its senses alone"},
            doc="WordNet has it near the target in a rare one of its senses alone",
        ),
        "context": CandidateFilter(
            filter_context,
            needs="encoder",
            reasons={"below_context": "in the sentence, it is less similar to the target than the threshold"},
            doc="little similarity to the target, each read in the sentence",
        ),
    },
    what="filter",
    group="lexbeam.selection_filters",
)
