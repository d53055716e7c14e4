"""Paradigms completed before rules are learned: what a lemma's forms say of those it lacks.

A small dictionary, such as a treebank, has few forms of a verb, and some inflections of few verbs.
Between two inflections that enough lemmas share, rules from form to form are learned as others
are from lemma to form (`cantan` from `canta`), and tried on lemmas that they were not learned from.
Where nearly all come out right, a lemma that has the first form and lacks the second gets it.
Several such inflections vote, each with its accuracy to the fourth. That is counted for lemmas
with the same end, smoothed by that of all: what holds for Spanish verbs in -ar, which are most,
need not for those in -er (`amar`, `amados`; `beber`, not *bebedos*).

    >>> forms = [("temer", "teme"), ("beber", "bebe"), ("ceder", "cede"), ("poder", "puede"),
    ...          ("mover", "mueve"), ("comer", "come"), ("deber", "debe"), ("soler", "suele"),
    ...          ("vender", "vende")]
    >>> rows = [("3 Sing", lemma, form, 1) for lemma, form in forms]
    >>> rows += [("3 Plur", lemma, form + "n", 1) for lemma, form in forms[:4]]
    >>> [row[1:3] for row in completed(rows)[len(rows):]][-3:]
    [('mover', 'mueven'), ('soler', 'suelen'), ('vender', 'venden')]
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from transforms.inflection.rules import Rule, apply_rules, learn_rules

__all__ = ["completed"]

Row = tuple[str, str, str, int]  # inflection, lemma, form, weight

SHARED = 4  # lemmas that two inflections share at least
MOST = 1000  # of them that are learned from
PARTS = 4  # in which rules are tried
ACCURACY = 0.9
END = 2  # last characters of a lemma, which tell its conjugation
END_ACCURACY = 0.5  # of lemmas with the same end, below which they are left as they are
SPARSE = 0.5  # share of lemmas below which an inflection is completed


class _Between(NamedTuple):
    """Rules from the forms of one inflection to those of another, and how often they are right."""

    rules: Mapping[str, Sequence[Rule]]
    accuracy: float
    by_end: Mapping[str, float]

    def accuracy_of(self, lemma: str) -> float:
        """Return how often rules are right for lemmas that end as this one does."""
        return self.by_end.get(lemma[-END:], self.accuracy)


def completed(rows: Iterable[Row]) -> list[Row]:
    """Return rows of one part of speech, sorted, and behind them what they say of missing ones.

    Only inflections are completed that less than half of the lemmas have. A lemma with two forms
    of an inflection says nothing of others, and gets none of it.

    Args:
        rows: as `learn_rules` takes them; added ones have the weight 1.
    """
    given = sorted(rows)
    forms: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for inflection, lemma, form, _ in given:
        forms[inflection][lemma].add(form)
    names = sorted(forms)
    lemmas = sorted({lemma for found in forms.values() for lemma in found})
    single = {name: {lemma: min(found) for lemma, found in forms[name].items() if len(found) == 1} for name in names}
    added: list[Row] = []
    for name in names:
        if len(forms[name]) >= SPARSE * len(lemmas):
            continue
        others = {
            other: between
            for other in names
            if other != name and (between := _between(single[other], single[name])) is not None
        }
        for lemma in lemmas:
            if lemma in forms[name]:
                continue
            votes: defaultdict[str, float] = defaultdict(float)
            for other, between in others.items():
                has = single[other].get(lemma)
                found = apply_rules(between.rules, has) if has is not None else None
                accuracy = between.accuracy_of(lemma)
                if found is not None and accuracy >= END_ACCURACY:
                    votes[found.form] += accuracy**4
            if votes:
                added.append((name, lemma, min(votes, key=lambda one: (-votes[one], one)), 1))
    return given + added


def _between(known: Mapping[str, str], wanted: Mapping[str, str]) -> _Between | None:
    """Return rules from forms to forms, by lemma; None if they are too seldom right."""
    shared = sorted(known.keys() & wanted.keys())
    if len(shared) < SHARED:
        return None
    shared = shared[:: -(-len(shared) // MOST)]
    pairs = [("", known[lemma], wanted[lemma], 1) for lemma in shared]
    right, tried = Counter[str](), Counter(lemma[-END:] for lemma in shared)
    for part in range(PARTS):
        rules = learn_rules(pair for place, pair in enumerate(pairs) if place % PARTS != part)[""]
        for lemma in shared[part::PARTS]:
            found = apply_rules(rules, known[lemma])
            if found is not None and found.form == wanted[lemma]:
                right[lemma[-END:]] += 1
    accuracy = (right.total() + 1) / (len(shared) + 1)
    if accuracy < ACCURACY:
        return None
    by_end = {end: (right[end] + accuracy) / (count + 1) for end, count in tried.items()}
    return _Between(learn_rules(pairs)[""], accuracy, by_end)
