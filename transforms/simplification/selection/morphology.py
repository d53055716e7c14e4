"""Filter morphology: inflections of the target go, and forms of one lemma become one.

The lemmas of a form are those that the form dictionary has of it with the target's part of speech,
else with any; a candidate that came with a lemma has that one. What came as a form is one of the
target's if any of its lemmas is (*miente*, of *mentir* and of *mentar*). Forms of one lemma are
merged into the one of the highest score, which takes over the scores and votes of the others
(Ferrés and Saggion 2022, selection by morphology).
"""

from collections import Counter
from collections.abc import Sequence

from transforms.inflection.features import inflection, split
from transforms.inflection.inflector import Inflecting
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting

__all__ = ["filter_morphology", "lemmas_of"]


def lemmas_of(inflector: Inflecting | None, form: str, upos: str | None) -> list[str]:
    """Return the lemmas that a dictionary has of a form, the commonest first.

    Args:
        inflector: the dictionary; None: nothing is known.
        form: in lower case.
        upos: those of this part of speech, if there are any; else all.
    """
    rows = inflector.forms.of_form(form) if inflector is not None else []
    if upos is not None:
        kind = split(inflection(upos, {}))[0]
        own = [row for row in rows if split(row.inflection)[0] == kind]
        rows = own or rows
    counts = Counter[str]()
    for row in rows:
        counts[row.lemma] += row.times
    return sorted(counts, key=lambda lemma: (-counts[lemma], lemma))


def filter_morphology(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `target_inflection`, and merge forms of one lemma (`merged`)."""
    for group in groups:
        instance = group.instance
        inflector = selecting.inflector_of(instance.language)
        target = instance.target.lower()
        of_target = {target, *lemmas_of(inflector, target, instance.upos)}
        if instance.lemma is not None:
            of_target.add(instance.lemma.lower())
        by_lemma: dict[str, list[CandidateState]] = {}
        for state in group.kept:
            found = lemmas_of(inflector, state.form, instance.upos)
            own = [state.lemma] if state.lemma is not None else found or [state.form]
            some = [*own, *found] if state.given else own
            if state.form == target or not of_target.isdisjoint(some):
                state.reason = "target_inflection"
            else:
                by_lemma.setdefault(own[0], []).append(state)
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
