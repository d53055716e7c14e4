"""Filters of candidates by name: what they drop, and why."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from transforms.common.code.registry import Registry
from transforms.simplification.selection.filter import (
    NGRAMS,
    VECTORS,
    CandidateFilter,
    CandidateState,
    InstanceCandidates,
    Selecting,
    replaced,
)
from transforms.simplification.selection.morphology import filter_morphology
from transforms.simplification.selection.pos import filter_pos

__all__ = ["FILTERS", "filter_ngram", "filter_similarity"]

_LAST = re.compile(r"(\w+) *\Z")
_FIRST = re.compile(r" *(\w+)")


def filter_similarity(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_similarity`: the cosine of target and form, in lower case, by static vectors.

    What has no vector, or whose target has none, goes on.
    """
    pairs: list[tuple[str, CandidateState, str, str]] = [
        (group.instance.language, state, group.instance.target.lower(), state.form)
        for group in groups
        for state in group.kept
    ]
    for rows, vectors in _by_language(VECTORS.name, [pair[0] for pair in pairs], selecting):
        own = [pairs[row] for row in rows.tolist()]
        cosines = vectors.cosine(
            pa.array([pair[2] for pair in own], pa.string()), pa.array([pair[3] for pair in own], pa.string())
        ).to_pylist()
        for (_, state, _, _), cosine in zip(own, cosines, strict=True):
            state.similarity = cosine
            if cosine is not None and cosine < selecting.options.least_similarity:
                state.reason = "below_similarity"


def filter_ngram(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_ngram`: the mean of log10(1 + count) of the bigrams with both neighbours.

    Words are in lower case. A candidate without neighbours goes on.
    """
    asked: list[tuple[str, CandidateState, list[str]]] = []
    for group in groups:
        for state in group.kept:
            sentence, start = replaced(group.instance, state.form, state.before)
            before = _LAST.search(sentence[:start])
            after = _FIRST.match(sentence, start + len(state.form))
            words = state.form.split(" ")
            bigrams = []
            if before is not None:
                bigrams.append(f"{before[1]} {words[0]}".lower())
            if after is not None:
                bigrams.append(f"{words[-1]} {after[1]}".lower())
            if bigrams:
                asked.append((group.instance.language, state, bigrams))
    for rows, listed in _by_language(NGRAMS, [one[0] for one in asked], selecting):
        own = [asked[row] for row in rows.tolist()]
        flat = [bigram for _, _, bigrams in own for bigram in bigrams]
        counts = listed.look_up(pa.array(flat, pa.string()))["value"].to_numpy(zero_copy_only=False)
        logs = np.log10(1 + np.nan_to_num(counts.astype(np.float64)))
        bounds = np.cumsum([0, *(len(bigrams) for _, _, bigrams in own)])
        for place, (_, state, _) in enumerate(own):
            state.ngram = float(logs[bounds[place] : bounds[place + 1]].mean())
            if state.ngram < selecting.options.least_ngram:
                state.reason = "below_ngram"


def _by_language(name: str, languages: Sequence[str], selecting: Selecting):  # type: ignore[no-untyped-def]
    found = selecting.lexicon.by_language(name, pa.array(languages, pa.string()))
    return ((rows, one) for rows, one in found if one is not None and len(rows))


def _none(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    pass


FILTERS: Registry[CandidateFilter] = Registry(
    {
        "none": CandidateFilter(_none, doc="drops nothing, for comparison"),
        "morphology": CandidateFilter(
            filter_morphology, doc="target_inflection: another form of the target's lemma; merged: of a candidate's"
        ),
        "pos": CandidateFilter(
            filter_pos, needs="engine", doc="pos_mismatch: another part of speech than the target, in its place"
        ),
        "similarity": CandidateFilter(
            filter_similarity,
            needs="vectors",
            doc="below_similarity: its cosine with the target is less than the floor",
        ),
        "ngram": CandidateFilter(
            filter_ngram, needs="ngrams", doc="below_ngram: its bigrams with the words before and after are too rare"
        ),
    },
    what="filter",
    group="lexbeam.selection_filters",
)
