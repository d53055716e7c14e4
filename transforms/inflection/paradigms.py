"""Inflection learned from a dictionary: suffix rules, and paradigms completed before.

*Rules* say how a lemma's ending decides its form. An edit turns a lemma into a form: an ending is replaced, and the
last vowels before the consonants in front of it may change (`contar`, `cuenta`: -ar +a, o to ue). For each inflection,
a part of speech with features, and each suffix of lemmas, the lemmas that take each edit are counted. An edit's share
at a suffix of length n is smoothed by that at length n - 1 (Witten and Bell 1991 with a constant weight):

    p(e | n) = (count(e, n) + B p(e | n - 1)) / (count(n) + B),   B = 1

The edits of a suffix, the likeliest first, are kept where the first one differs from that of the next
shorter suffix that is kept. The result is a decision list: the longest suffix decides. An edit that a
single lemma takes says little of others: it counts only at suffixes of five characters or more.

    >>> pairs = [("cantar", "canta"), ("contar", "cuenta"), ("temer", "teme"), ("comer", "come")]
    >>> rules = learn_rules([("p3", lemma, form, 1) for lemma, form in pairs])
    >>> apply_rules(rules["p3"], "beber").form, apply_rules(rules["p3"], "saltar").form
    ('bebe', 'salta')

*Paradigms* are completed before rules are learned: a lemma's missing forms are inferred from its others.
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

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

START = "^"
LONGEST = 8  # characters of a suffix
EDITS = 3  # edits of a suffix
BACK_OFF = 1.0
MANY = 10  # lemmas; with fewer, edits that a single lemma takes count everywhere
SHORT = 2  # characters of an ending, for which no change of vowels is tried
LONELY = 5  # characters of the shortest suffix for an edit that a single lemma takes

T = TypeVar("T", bound=Any)

_VOWELS = "aeiouáéíóúüAEIOU"
_STEM = re.compile(rf"(.*?)(?<![{_VOWELS}])([{_VOWELS}]+)([^{_VOWELS}]+)$", re.DOTALL)


class Edit(NamedTuple):
    """A change of a lemma: the ending `old` becomes `new`, the vowels `was` before it become `now`."""

    old: str
    new: str
    was: str = ""
    now: str = ""


class Rule(NamedTuple):
    """An edit of lemmas with a suffix: how many of them take it, out of how many."""

    edit: Edit
    times: int
    total: int


class Applied(NamedTuple):
    """A form that a rule gives, with the suffix that decided and its counts."""

    form: str
    suffix: str
    times: int
    total: int


def edit_of(lemma: str, form: str) -> Edit:
    """Return the shortest edit from a lemma to a form.

    >>> edit_of("contar", "cuenta")
    Edit(old='ar', new='a', was='o', now='ue')
    """
    same = 0
    for letter, other in zip(lemma, form, strict=False):
        if letter != other:
            break
        same += 1
    best = Edit(lemma[same:], form[same:])
    size = len(best.old) + len(best.new)
    if len(best.old) <= SHORT:
        return best
    for cut in range(len(lemma), 0, -1):
        if len(lemma) - cut >= size:
            break
        stem = _STEM.fullmatch(lemma[:cut])
        if stem is None:
            continue
        begin, was, middle = stem.groups()
        other_stem = re.match(f"{re.escape(begin)}([{_VOWELS}]+){re.escape(middle)}", form, re.DOTALL)
        if other_stem is None or other_stem[1] == was:
            continue
        edit = Edit(lemma[cut:], form[other_stem.end() :], was, other_stem[1])
        if len(edit.old) + len(edit.new) < size:
            best, size = edit, len(edit.old) + len(edit.new)
    return best


def apply_edit(lemma: str, edit: Edit) -> str | None:
    """Return the form that an edit makes of a lemma; None if the edit does not apply."""
    if not lemma.endswith(edit.old):
        return None
    stem = lemma[: len(lemma) - len(edit.old)]
    if edit.was:
        parts = _STEM.fullmatch(stem)
        if parts is None or parts[2] != edit.was:
            return None
        stem = parts[1] + edit.now + parts[3]
    return stem + edit.new


def learn_rules(rows: Iterable[tuple[str, str, str, int]]) -> dict[str, dict[str, tuple[Rule, ...]]]:
    """Return the rules of each inflection: by suffix, the likeliest edits.

    Args:
        rows: inflection, lemma and form as sounds, and the weight of the row; in any order.
    """
    weights: dict[str, Counter[tuple[str, Edit]]] = defaultdict(Counter)
    for inflection, lemma, form, weight in rows:
        weights[inflection][lemma, edit_of(lemma, form)] += weight
    return {
        name: {
            suffix: tuple(Rule(Edit(*edit), count, total) for edit, count, total in outcomes)
            for suffix, outcomes in decision_list(weights[name]).items()
        }
        for name in sorted(weights)
    }


def decision_list(weights: Mapping[tuple[str, T], int]) -> dict[str, list[tuple[T, int, int]]]:
    """Return by suffix the likeliest outcomes, with their counts and the suffix's.

    An outcome of a single word counts only at suffixes of `LONELY` characters or more.

    Args:
        weights: of pairs of word and outcome; outcomes can be sorted.
    """
    outcomes = sorted({outcome for _, outcome in weights})
    numbers = {outcome: number for number, outcome in enumerate(outcomes)}
    takers = Counter(numbers[outcome] for _, outcome in weights)
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    for (word, outcome), weight in weights.items():
        number = numbers[outcome]
        padded = START + word
        alone = takers[number] == 1 and len(weights) >= MANY
        for size in range(LONELY if alone else 0, min(LONGEST, len(padded)) + 1):
            counted = counts[padded[len(padded) - size :]]
            counted[number] = counted.get(number, 0) + weight
    decisions: dict[str, list[tuple[int, int, int]]] = {}
    shares: dict[str, dict[int, float]] = {}
    for suffix in sorted(counts, key=lambda text: (len(text), text)):
        counted = counts[suffix]
        total = sum(counted.values())
        before = shares.get(suffix[1:], {}) if suffix else {}
        share = {
            number: (count + BACK_OFF * before.get(number, 0.0)) / (total + BACK_OFF)
            for number, count in counted.items()
        }
        shares[suffix] = share
        best = min((-value, number) for number, value in share.items())[1]
        if best != _first(decisions, suffix):
            ranked = sorted((-value, number) for number, value in share.items())[:EDITS]
            decisions[suffix] = [(number, counted[number], total) for _, number in ranked]
    return {
        suffix: [(outcomes[number], count, total) for number, count, total in ranked]
        for suffix, ranked in decisions.items()
    }


def _first(decisions: Mapping[str, Sequence[tuple[int, int, int]]], suffix: str) -> int | None:
    while suffix:
        suffix = suffix[1:]
        if suffix in decisions:
            return decisions[suffix][0][0]
    return None


def suffixes(word: str) -> Iterator[str]:
    """Yield the suffixes of a word that rules are looked up by, the longest first."""
    padded = START + word
    for size in range(min(LONGEST, len(padded)), -1, -1):
        yield padded[len(padded) - size :]


def apply_rules(rules: Mapping[str, Sequence[Rule]], lemma: str) -> Applied | None:
    """Return the form by the rule of a lemma's longest suffix; None if no rule applies."""
    for suffix in suffixes(lemma):
        for rule in rules.get(suffix, ()):
            form = apply_edit(lemma, rule.edit)
            if form:
                return Applied(form, suffix, rule.times, rule.total)
    return None


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
