"""Filters of candidates by name: what they drop, and why; those by engines, encoders, WordNet are modules beside."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.texts.apostrophes import straight
from lexbeam.transforms.inflection.inflector import lemmas_of
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.resources import VECTORS, by_language
from lexbeam.transforms.simplification.selection.filter import (
    NGRAMS,
    CandidateFilter,
    CandidateState,
    InstanceCandidates,
    Selecting,
    neighbours,
)
from lexbeam.transforms.simplification.selection.in_context import filter_context
from lexbeam.transforms.simplification.selection.pos import filter_pos
from lexbeam.transforms.simplification.selection.relations import (
    filter_antonyms,
    filter_hyponyms,
    filter_lesk,
    filter_rare_senses,
)
from lexbeam.transforms.simplification.selection.tag_bigrams import filter_bigrams


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
