"""Suffix rules of inflection, learned: how a lemma's ending decides its form.

An edit turns a lemma into a form: an ending is replaced, and the last vowels before the consonants
in front of it may change (`contar`, `cuenta`: -ar +a, o to ue). For each inflection, a part of speech
with features, and each suffix of lemmas, the lemmas that take each edit are counted. An edit's share
at a suffix of length n is smoothed by that at length n - 1 (Witten and Bell 1991 with a constant
weight):

    p(e | n) = (count(e, n) + B p(e | n - 1)) / (count(n) + B),   B = 1

The edits of a suffix, the likeliest first, are kept where the first one differs from that of the next
shorter suffix that is kept. The result is a decision list: the longest suffix decides. An edit that a
single lemma takes says little of others: it counts only at suffixes of five characters or more.

    >>> pairs = [("cantar", "canta"), ("contar", "cuenta"), ("temer", "teme"), ("comer", "come")]
    >>> rules = learn_rules([("p3", lemma, form, 1) for lemma, form in pairs])
    >>> apply_rules(rules["p3"], "beber").form, apply_rules(rules["p3"], "saltar").form
    ('bebe', 'salta')
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
