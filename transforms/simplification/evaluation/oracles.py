"""What could be reached: candidates that are gold except for their form.

`lemma-match`: a candidate counts as a substitute with which it shares a lemma, whatever the forms;
even a candidate without a form in the target's place counts. Substitutes that share a lemma are one,
and so are candidates. The gain over the candidates as they are is what inflection loses.

    >>> lemmas = {"casas": {"casa"}, "viviendas": {"vivienda"}, "vivienda": {"vivienda"}}
    >>> matched = lemma_match({"viviendas": 1, "vivienda": 2}, [("hogar", None), ("vivir", "vivienda")],
    ...                       lambda form: lemmas.get(form, {form}))
    >>> matched
    MatchedLemmas(size=1, ranks=[0, 1])
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

LEMMA_MATCH = "lemma-match"

Lemmas = Callable[[str], Iterable[str]]


class MatchedLemmas(NamedTuple):
    """Candidates beside gold, compared by lemmas.

    Attributes:
        size: how many substitutes gold has.
        ranks: of each candidate, in order, its dense rank in gold; 0: it is not in gold.
    """

    size: int
    ranks: list[int]


def lemma_match(gold: Mapping[str, int], candidates: Sequence[tuple[str, str | None]], lemmas: Lemmas) -> MatchedLemmas:
    """Return how candidates match gold by their lemmas, each lemma once.

    Args:
        gold: substitutes of an instance with dense ranks.
        candidates: in their order: form, and lemma if it is known.
        lemmas: returns the lemmas that a form may have; of an unknown form, the form itself.
    """
    group_of: dict[str, int] = {}  # by lemma, the substitutes that share one
    ranks: list[int] = []
    for form, rank in sorted(gold.items(), key=lambda item: (item[1], item[0])):
        form_lemmas = {form, *lemmas(form)}
        known = sorted({group_of[lemma] for lemma in form_lemmas if lemma in group_of})
        group = known[0] if known else len(ranks)
        if not known:
            ranks.append(rank)
        for other in known[1:]:
            ranks[other] = 0
            group_of.update((lemma, group) for lemma, at in list(group_of.items()) if at == other)
        group_of.update(dict.fromkeys(form_lemmas, group))
    group_ranks = [rank for rank in ranks if rank]
    levels = {rank: place for place, rank in enumerate(sorted(set(group_ranks)), 1)}
    matched: list[int] = []
    seen: set[int | str] = set()
    for form, lemma in candidates:
        form_lemmas = {form, *((lemma,) if lemma is not None else lemmas(form))}
        groups = {group_of[lemma] for lemma in form_lemmas if lemma in group_of}
        # Of several substitutes that share a lemma with it, the one that most people gave.
        key = min(groups, key=lambda at: (ranks[at], at)) if groups else min(form_lemmas - {form} or form_lemmas)
        if key not in seen:
            seen.add(key)
            matched.append(levels[ranks[key]] if isinstance(key, int) else 0)
    return MatchedLemmas(len(group_ranks), matched)
