"""Candidates of several generators as one ranked list.

The key is the form in lower case, NFC, after clean-up. Of several proposals of a generator with one
key that with the highest score counts, the first of equals; of several generators the first says
what the form is. A candidate that some generator has reason to drop and another has not goes on.

The score: where all sources are masked language models, the sum of their probabilities. Else each
generator ranks its candidates by its score (dense: ties share a rank; masked models together, by
their sum), and 1 / rank is added (reciprocal ranks). Of a single list the reciprocal rank is its
order alone. `average` is LSBert's (Qiang et al. 2020): candidates are ranked by each generator, by
frequency and by cosine to the target, so far as there are these, and the score is 1 / the average
of the ranks; what has no value in a list ranks behind all that have one.

Ranks: by score, number of generators, frequency (unknown: last), code points; or by frequency
before the others.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from transforms.simplification.generation.forms import Formed

__all__ = ["Candidate", "SourceOf", "combined", "dense_ranks", "evidence"]


class SourceOf(NamedTuple):
    """What a source of a generator gives for an instance, in its forms.

    Attributes:
        generator: its name.
        adds: whether its scores may be added to those of other such sources.
        formed: its proposals.
        is_evidence: whether it only adds to candidates that others give.
    """

    generator: str
    adds: bool
    formed: Sequence[Formed]
    is_evidence: bool = False


class Candidate(NamedTuple):
    """A row of table simplification/candidates, but for instance and setting.

    Attributes:
        best: the proposal that says what it is.
        reason: why it does not go on; None: it does.
        rank: 1 for the first; None for a reason.
        score: of all generators together; None where it was dropped before.
        scores: raw scores by generator; of several sources of one their sum.
        sources: how many sources have it.
        votes: the most senses that a source found it in; None where none has senses.
        frequency: of the form; None: not known.
    """

    best: Formed
    reason: str | None
    rank: int | None
    score: float | None
    scores: Mapping[str, float]
    sources: int
    votes: int | None
    frequency: float | None

    @property
    def form(self) -> str:
        """The key."""
        return self.best.form


def combined(
    sources: Sequence[SourceOf],
    *,
    combine: str,
    k: int,
    order: str = "score",
    frequencies: Mapping[str, float | None] | None = None,
    cosines: Mapping[str, float | None] | None = None,
) -> list[Candidate]:
    """Return all candidates: those that are kept by rank, then the others by code points.

    Args:
        sources: what is combined.
        combine: `union` or `intersection`.
        k: how many are kept.
        order: `score`, `frequency` or `average`.
        frequencies: of forms; None: there is no list.
        cosines: of forms to the target, for `average`; None: there are no vectors.
    """
    known = frequencies or {}
    best, valid = _gathered(sources)
    shared = [
        form
        for form in valid
        if combine == "union" or all(form in own for own, of in zip(best, sources, strict=True) if not of.is_evidence)
    ]
    scores = _scores(sources, best, shared, order, frequencies, cosines)
    ordered = sorted(shared, key=lambda form: _place(form, order, scores, best, known))
    found = []
    for number, form in enumerate(ordered, start=1):
        reason = None if number <= k else "beyond_k"
        rank = number if reason is None else None
        found.append(_candidate(sources, best, form, reason, rank, scores[form], known))
    left = [(form, "one_generator") for form in valid if form not in scores]
    left += [(form, "") for form in _dropped(sources, valid)]
    for form, reason in sorted(left):
        if reason:
            found.append(_candidate(sources, best, form, reason, None, None, known))
        else:
            found.append(_of_dropped(sources, form, known))
    return found


def evidence(sources: Sequence[SourceOf], more: Sequence[SourceOf]) -> list[SourceOf]:
    """Return further sources with those of their proposals alone that other sources give.

    Args:
        sources: those that give candidates; what is evidence among them gives none.
        more: evidence.
    """
    known = {one.form for source in sources if not source.is_evidence for one in source.formed if one.reason is None}
    return [
        source._replace(
            formed=[one for one in source.formed if one.form in known and one.reason is None], is_evidence=True
        )
        for source in more
    ]


Best = list[dict[str, Formed]]


def _gathered(sources: Sequence[SourceOf]) -> tuple[Best, dict[str, None]]:
    """Return the best proposal of each form by source, and all forms that go on."""
    best: Best = []
    for source in sources:
        own: dict[str, Formed] = {}
        for one in source.formed:
            held = own.get(one.form)
            if one.reason is None and (held is None or one.proposal.score > held.proposal.score):
                own[one.form] = one
        best.append(own)
    return best, dict.fromkeys(form for own in best for form in own)


def dense_ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Return ranks from 1 for the greatest value; ties share one.

    >>> dense_ranks({"a": 2.0, "b": 3.0, "c": 2.0, "d": 1.0})
    {'a': 2, 'b': 1, 'c': 2, 'd': 3}
    """
    levels = {value: n for n, value in enumerate(sorted(set(values.values()), reverse=True), 1)}
    return {form: levels[value] for form, value in values.items()}


def _lists(sources: Sequence[SourceOf], best: Best) -> list[dict[str, float]]:
    """Return the lists that are ranked: a generator each, but all that add are one."""
    lists: list[dict[str, float]] = []
    added: dict[str, float] | None = None
    for source, own in zip(sources, best, strict=True):
        scores = {form: one.proposal.score for form, one in own.items()}
        if not source.adds:
            lists.append(scores)
        elif added is None:
            added = scores
            lists.append(added)
        else:
            for form, score in scores.items():
                added[form] = added.get(form, 0.0) + score
    return lists


def _scores(
    sources: Sequence[SourceOf],
    best: Best,
    shared: Sequence[str],
    order: str,
    frequencies: Mapping[str, float | None] | None,
    cosines: Mapping[str, float | None] | None,
) -> dict[str, float]:
    lists = _lists(sources, best)
    if order == "average":
        for more in (frequencies, cosines):
            if more is not None:
                known = {form: more.get(form) for form in shared}
                lists.append({form: value for form, value in known.items() if value is not None})
        ranked = [dense_ranks({f: own[f] for f in shared if f in own}) for own in lists]
        last = [max(ranks.values(), default=0) + 1 for ranks in ranked]
        return {form: len(ranked) / sum(r.get(form, n) for r, n in zip(ranked, last, strict=True)) for form in shared}
    if all(source.adds for source in sources):
        return {form: lists[0][form] for form in shared}  # they are one list
    ranked = [dense_ranks(own) for own in lists]
    # The same sum whichever generator has which rank.
    return {form: fsum(1 / ranks[form] for ranks in ranked if form in ranks) for form in shared}


def _place(
    form: str, order: str, scores: Mapping[str, float], best: Best, frequencies: Mapping[str, float | None]
) -> tuple[float | int | str, ...]:
    frequency = frequencies.get(form)
    frequent = float("inf") if frequency is None else -frequency
    sources = -sum(form in own for own in best)
    if order == "frequency":
        return frequent, -scores[form], sources, form
    return -scores[form], sources, frequent, form


def _candidate(
    sources: Sequence[SourceOf],
    best: Best,
    form: str,
    reason: str | None,
    rank: int | None,
    score: float | None,
    frequencies: Mapping[str, float | None],
) -> Candidate:
    own = [(source, had[form]) for source, had in zip(sources, best, strict=True) if form in had]
    return _row(own, reason, rank, score, frequencies)


def _row(
    own: Sequence[tuple[SourceOf, Formed]],
    reason: str | None,
    rank: int | None,
    score: float | None,
    frequencies: Mapping[str, float | None],
) -> Candidate:
    scores: dict[str, float] = {}
    for source, one in own:
        scores[source.generator] = scores.get(source.generator, 0.0) + one.proposal.score
    votes = [one.proposal.votes for _, one in own if one.proposal.votes is not None]
    first = own[0][1]
    return Candidate(
        first, reason, rank, score, scores, len(own), max(votes, default=None), frequencies.get(first.form)
    )


def _dropped(sources: Sequence[SourceOf], valid: Mapping[str, None]) -> list[str]:
    """Return the forms that every proposal gives a reason to drop."""
    forms = (one.form for source in sources for one in source.formed)
    return [form for form in dict.fromkeys(forms) if form not in valid]


def _of_dropped(sources: Sequence[SourceOf], form: str, frequencies: Mapping[str, float | None]) -> Candidate:
    own = []
    for source in sources:
        had = [one for one in source.formed if one.form == form]
        if had:
            own.append((source, max(had, key=lambda one: one.proposal.score)))
    return _row(own, own[0][1].reason, None, None, frequencies)
