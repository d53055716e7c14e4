"""Candidates of several generators as one ranked list.

The key is the form in lower case, NFC, after clean-up. Of a generator's proposals with the same key
the one with the highest score counts, the first of equals; of several generators the first decides
the form. A candidate goes on if any generator has no reason to drop it; if some source that gives it, which is no
evidence, scores it with the least share of that source's highest score among those; and, if unlisted ones are dropped,
if its frequency is known.

The score: where all sources are masked language models, the sum of their probabilities. Else each
generator ranks its candidates by its score (dense: ties share a rank; masked models together, by
their sum), and the reciprocal ranks, 1 / rank, are added; of a single list they keep the order
alone. `average` is LSBert's (Qiang et al. 2020): candidates are ranked by each generator, by
frequency and by cosine to the target, as far as these are known, and the score is 1 / the average
of the ranks; candidates without a value in a list rank behind all others.

Candidates are ranked by score, number of generators, frequency (unknown: last) and code points; or
by frequency first.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from lexbeam.transforms.simplification.generation.forms import Formed


class SourceOf(NamedTuple):
    """The proposals of a source of a generator for an instance, in their forms.

    Attributes:
        generator: its name.
        adds: whether its scores may be added to those of other such sources.
        formed: its proposals.
        is_evidence: whether it only adds to candidates that other sources give.
    """

    generator: str
    adds: bool
    formed: Sequence[Formed]
    is_evidence: bool = False


class Candidate(NamedTuple):
    """A row of table simplification/candidates, without instance and setting.

    Attributes:
        best: the proposal that decides its form.
        reason: why it does not go on; None: it does.
        rank: 1 for the first; None if it does not go on.
        score: of all generators together; None where it was dropped before.
        scores: raw scores by generator, summed over its sources.
        sources: how many sources have it.
        votes: the most senses that any source has it in; None where no source has senses.
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
    least_share: float = 0.0,
    only_listed: bool = False,
    frequencies: Mapping[str, float | None] | None = None,
    cosines: Mapping[str, float | None] | None = None,
) -> list[Candidate]:
    """Return all candidates: those that go on by rank, then the others by code points.

    Args:
        sources: whose proposals are combined.
        combine: `union` or `intersection`.
        k: how many are kept.
        order: `score`, `frequency` or `average`.
        least_share: of the highest score of a source, 0 to 1.
        only_listed: whether forms without a frequency are dropped.
        frequencies: of forms; None: there is no list.
        cosines: of forms to the target, for `average`; None: there are no vectors.
    """
    known = frequencies or {}
    best, valid = _gathered(sources)
    shared = [
        form
        for form in valid
        if combine == "union"
        or all(form in by_form for by_form, of in zip(best, sources, strict=True) if not of.is_evidence)
    ]
    weak = _weak(sources, best, shared, least_share)
    if only_listed:
        weak |= {form: "unlisted" for form in shared if known.get(form) is None}
    shared = [form for form in shared if form not in weak]
    scores = _scores(sources, best, shared, order, frequencies, cosines)
    ordered = sorted(shared, key=lambda form: _place(form, order, scores, best, known))
    candidates = []
    for number, form in enumerate(ordered, start=1):
        reason = None if number <= k else "beyond_k"
        rank = number if reason is None else None
        candidates.append(_candidate(sources, best, form, reason, rank, scores[form], known))
    left = [(form, weak.get(form, "one_generator")) for form in valid if form not in scores]
    left += [(form, "") for form in _dropped(sources, valid)]
    for form, reason in sorted(left):
        if reason:
            candidates.append(_candidate(sources, best, form, reason, None, None, known))
        else:
            candidates.append(_of_dropped(sources, form, known))
    return candidates


def evidence(sources: Sequence[SourceOf], further: Sequence[SourceOf]) -> list[SourceOf]:
    """Return further sources, with only those of their proposals that other sources give.

    Args:
        sources: those that give candidates; the evidence among them gives none.
        further: evidence.
    """
    known = {
        formed.form for source in sources if not source.is_evidence for formed in source.formed if formed.reason is None
    }
    return [
        source._replace(
            formed=[formed for formed in source.formed if formed.form in known and formed.reason is None],
            is_evidence=True,
        )
        for source in further
    ]


Best = list[dict[str, Formed]]


def _gathered(sources: Sequence[SourceOf]) -> tuple[Best, dict[str, None]]:
    """Return the best proposal of each form by source, and all forms that go on."""
    best: Best = []
    for source in sources:
        by_form: dict[str, Formed] = {}
        for formed in source.formed:
            held = by_form.get(formed.form)
            if formed.reason is None and (held is None or formed.proposal.score > held.proposal.score):
                by_form[formed.form] = formed
        best.append(by_form)
    return best, dict.fromkeys(form for by_form in best for form in by_form)


def _weak(sources: Sequence[SourceOf], best: Best, shared: Sequence[str], least_share: float) -> dict[str, str]:
    """Return the forms that no source scores with the least share of its highest score, with their reason."""
    strong: set[str] = set()
    for source, by_form in zip(sources, best, strict=True):
        if not source.is_evidence:
            scores = {form: formed.proposal.score for form, formed in by_form.items()}
            highest = max(scores.values(), default=0.0)
            # Of cosines that are all negative, none has a share of the highest.
            strong |= {form for form, score in scores.items() if highest <= 0 or score >= least_share * highest}
    return {form: "low_score" for form in shared if form not in strong} if least_share else {}


def dense_ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Return ranks from 1 for the greatest value; ties share one.

    >>> dense_ranks({"a": 2.0, "b": 3.0, "c": 2.0, "d": 1.0})
    {'a': 2, 'b': 1, 'c': 2, 'd': 3}
    """
    levels = {value: n for n, value in enumerate(sorted(set(values.values()), reverse=True), 1)}
    return {form: levels[value] for form, value in values.items()}


def _lists(sources: Sequence[SourceOf], best: Best) -> list[dict[str, float]]:
    """Return the lists that are ranked: one for each generator, but one for all whose scores are added."""
    lists: list[dict[str, float]] = []
    added: dict[str, float] | None = None
    for source, by_form in zip(sources, best, strict=True):
        scores = {form: formed.proposal.score for form, formed in by_form.items()}
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
        for known_values in (frequencies, cosines):
            if known_values is not None:
                known = {form: known_values.get(form) for form in shared}
                lists.append({form: value for form, value in known.items() if value is not None})
        ranked = [dense_ranks({f: listed[f] for f in shared if f in listed}) for listed in lists]
        last = [max(ranks.values(), default=0) + 1 for ranks in ranked]
        return {form: len(ranked) / sum(r.get(form, n) for r, n in zip(ranked, last, strict=True)) for form in shared}
    if all(source.adds for source in sources):
        return {form: lists[0][form] for form in shared}  # they are one list
    ranked = [dense_ranks(listed) for listed in lists]
    # The same sum whichever generator has which rank.
    return {form: fsum(1 / ranks[form] for ranks in ranked if form in ranks) for form in shared}


def _place(
    form: str, order: str, scores: Mapping[str, float], best: Best, frequencies: Mapping[str, float | None]
) -> tuple[float | int | str, ...]:
    frequency = frequencies.get(form)
    frequent = float("inf") if frequency is None else -frequency
    sources = -sum(form in by_form for by_form in best)
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
    proposals = [(source, by_form[form]) for source, by_form in zip(sources, best, strict=True) if form in by_form]
    return _row(proposals, reason, rank, score, frequencies)


def _row(
    proposals: Sequence[tuple[SourceOf, Formed]],
    reason: str | None,
    rank: int | None,
    score: float | None,
    frequencies: Mapping[str, float | None],
) -> Candidate:
    scores: dict[str, float] = {}
    for source, formed in proposals:
        scores[source.generator] = scores.get(source.generator, 0.0) + formed.proposal.score
    votes = [formed.proposal.votes for _, formed in proposals if formed.proposal.votes is not None]
    first = proposals[0][1]
    return Candidate(
        first, reason, rank, score, scores, len(proposals), max(votes, default=None), frequencies.get(first.form)
    )


def _dropped(sources: Sequence[SourceOf], valid: Mapping[str, None]) -> list[str]:
    """Return the forms that every proposal gives a reason to drop."""
    forms = (formed.form for source in sources for formed in source.formed)
    return [form for form in dict.fromkeys(forms) if form not in valid]


def _of_dropped(sources: Sequence[SourceOf], form: str, frequencies: Mapping[str, float | None]) -> Candidate:
    proposals = []
    for source in sources:
        same_form = [formed for formed in source.formed if formed.form == form]
        if same_form:
            proposals.append((source, max(same_form, key=lambda formed: formed.proposal.score)))
    return _row(proposals, proposals[0][1].reason, None, None, frequencies)
