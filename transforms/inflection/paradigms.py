"""Paradigms completed before rules are learned: a lemma's missing forms, inferred from its others.

A small dictionary, such as a treebank, has few forms of a verb, and few verbs for some inflections.
Between two inflections that enough lemmas share, rules from form to form (`cantan` from `canta`) are
learned like those from lemma to form, and tested on lemmas that they were not learned from. Where
nearly all come out right, a lemma that has the first form and lacks the second gets it. Several such
inflections vote, each with the fourth power of its accuracy. Accuracy is counted for lemmas with the
same ending, smoothed by that of all lemmas: what holds for Spanish verbs in -ar, the majority, need
not hold for those in -er (`amar`, `amados`; `beber`, not *bebedos*).

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

from lexbeam.transforms.inflection.rules import Rule, apply_rules, learn_rules

Row = tuple[str, str, str, int]  # inflection, lemma, form, weight

SHARED = 4  # least number of lemmas that two inflections share
MOST = 1000  # shared lemmas that rules are learned from
PARTS = 4  # of cross-validation
ACCURACY = 0.9  # least, of rules that are used
END = 2  # last characters of a lemma, which show its conjugation
END_ACCURACY = 0.5  # least, for lemmas with the same ending, to complete them
SPARSE = 0.5  # share of lemmas below which an inflection is completed


class _Between(NamedTuple):
    """Rules from the forms of one inflection to those of another, and how often they are right."""

    rules: Mapping[str, Sequence[Rule]]
    accuracy: float
    by_end: Mapping[str, float]

    def accuracy_of(self, lemma: str) -> float:
        """Return how often rules are right for lemmas with the same ending."""
        return self.by_end.get(lemma[-END:], self.accuracy)


def completed(rows: Iterable[Row]) -> list[Row]:
    """Return rows of one part of speech, sorted, followed by the missing ones that they imply.

    Only inflections that less than half of the lemmas have are completed. A lemma with two forms of
    an inflection is not used for others in that inflection.

    Args:
        rows: as `learn_rules` takes them; added ones have the weight 1.
    """
    sorted_rows = sorted(rows)
    forms: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for inflection, lemma, form, _ in sorted_rows:
        forms[inflection][lemma].add(form)
    names = sorted(forms)
    lemmas = sorted({lemma for by_lemma in forms.values() for lemma in by_lemma})
    single = {
        name: {lemma: min(variants) for lemma, variants in forms[name].items() if len(variants) == 1} for name in names
    }
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
                applied = apply_rules(between.rules, has) if has is not None else None
                accuracy = between.accuracy_of(lemma)
                if applied is not None and accuracy >= END_ACCURACY:
                    votes[applied.form] += accuracy**4
            if votes:
                added.append((name, lemma, min(votes, key=lambda form: (-votes[form], form)), 1))
    return sorted_rows + added


def _between(known: Mapping[str, str], wanted: Mapping[str, str]) -> _Between | None:
    """Return rules from forms to forms, both by lemma; None if they are right too seldom."""
    shared = sorted(known.keys() & wanted.keys())
    if len(shared) < SHARED:
        return None
    shared = shared[:: -(-len(shared) // MOST)]
    pairs = [("", known[lemma], wanted[lemma], 1) for lemma in shared]
    right, tried = Counter[str](), Counter(lemma[-END:] for lemma in shared)
    for part in range(PARTS):
        rules = learn_rules(pair for place, pair in enumerate(pairs) if place % PARTS != part)[""]
        for lemma in shared[part::PARTS]:
            applied = apply_rules(rules, known[lemma])
            if applied is not None and applied.form == wanted[lemma]:
                right[lemma[-END:]] += 1
    accuracy = (right.total() + 1) / (len(shared) + 1)
    if accuracy < ACCURACY:
        return None
    by_end = {end: (right[end] + accuracy) / (count + 1) for end, count in tried.items()}
    return _Between(learn_rules(pairs)[""], accuracy, by_end)
