"""Suffix rules of inflection, learned: what a lemma's end says of its form with given features.

An edit turns a lemma into a form: an ending goes, another comes, and the last vowels before the
consonants in front of it may change (`contar`, `cuenta`: -ar +a, o to ue). Of an inflection, a part
of speech with features, and of each suffix of lemmas, it is counted how many lemmas take each edit.
An edit's share at a suffix of length n is smoothed by that of length n - 1 (Witten and Bell 1991
with a constant weight):

    p(e | n) = (count(e, n) + B p(e | n - 1)) / (count(n) + B),   B = 1

Of a suffix the edits are kept, the likeliest first, where the first is another than that of the
next shorter suffix that is kept. That is a decision list: the longest suffix decides. An edit that
a single lemma takes says little of others: it counts at suffixes of five characters or more.

    >>> pairs = [("cantar", "canta"), ("contar", "cuenta"), ("temer", "teme"), ("comer", "come")]
    >>> rules = learn_rules([("p3", lemma, form, 1) for lemma, form in pairs])
    >>> apply_rules(rules["p3"], "beber").form, apply_rules(rules["p3"], "saltar").form
    ('bebe', 'salta')
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "Applied",
    "Edit",
    "Rule",
    "apply_edit",
    "apply_rules",
    "decision_list",
    "edit_of",
    "learn_rules",
    "suffixes",
]

START = "^"
LONGEST = 8  # characters of a suffix
KEPT = 3  # edits of a suffix
BACK_OFF = 1.0
MANY = 10  # lemmas, from which on an edit can be a single one's
SHORT = 2  # characters of an ending, in which no change of vowels is looked for
LONELY = 5  # characters of the shortest suffix of such an edit

T = TypeVar("T", bound=Any)

_VOWELS = "aeiouáéíóúüAEIOU"
_STEM = re.compile(rf"(.*?)([{_VOWELS}]+)([^{_VOWELS}]+)$", re.DOTALL)


class Edit(NamedTuple):
    """What becomes of a lemma: `old` at its end becomes `new`, the vowels before `was` `now`."""

    old: str
    new: str
    was: str = ""
    now: str = ""


class Rule(NamedTuple):
    """What lemmas with a suffix do: an edit, how many of them do so, and how many there are."""

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
    for one, other in zip(lemma, form, strict=False):
        if one != other:
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
        found = Edit(lemma[cut:], form[other_stem.end() :], was, other_stem[1])
        if len(found.old) + len(found.new) < size:
            best, size = found, len(found.old) + len(found.new)
    return best


def apply_edit(lemma: str, edit: Edit) -> str | None:
    """Return the form that an edit makes of a lemma; None if the lemma is not of that kind."""
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
        rows: inflection, lemma, form, and how much the row weighs, as sounds; the order does not
            matter.
    """
    weights: dict[str, Counter[tuple[str, Edit]]] = defaultdict(Counter)
    for inflection, lemma, form, weight in rows:
        weights[inflection][lemma, edit_of(lemma, form)] += weight
    return {
        name: {
            suffix: tuple(Rule(Edit(*edit), count, total) for edit, count, total in found)
            for suffix, found in decision_list(weights[name]).items()
        }
        for name in sorted(weights)
    }


def decision_list(weights: Mapping[tuple[str, T], int]) -> dict[str, list[tuple[T, int, int]]]:
    """Return by suffix the likeliest outcomes, with their counts and the suffix's.

    An outcome that a single word has tells of others only by `LONELY` characters or more.

    Args:
        weights: of words with their outcomes, which can be sorted.
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
            found = counts[padded[len(padded) - size :]]
            found[number] = found.get(number, 0) + weight
    kept: dict[str, list[tuple[int, int, int]]] = {}
    shares: dict[str, dict[int, float]] = {}
    for suffix in sorted(counts, key=lambda text: (len(text), text)):
        found = counts[suffix]
        total = sum(found.values())
        before = shares.get(suffix[1:], {}) if suffix else {}
        share = {
            number: (count + BACK_OFF * before.get(number, 0.0)) / (total + BACK_OFF) for number, count in found.items()
        }
        shares[suffix] = share
        best = min((-value, number) for number, value in share.items())[1]
        if best != _first(kept, suffix):
            ranked = sorted((-value, number) for number, value in share.items())[:KEPT]
            kept[suffix] = [(number, found[number], total) for _, number in ranked]
    return {
        suffix: [(outcomes[number], count, total) for number, count, total in found] for suffix, found in kept.items()
    }


def _first(kept: Mapping[str, Sequence[tuple[int, int, int]]], suffix: str) -> int | None:
    while suffix:
        suffix = suffix[1:]
        if suffix in kept:
            return kept[suffix][0][0]
    return None


def suffixes(word: str) -> Iterator[str]:
    """Yield the suffixes of a word that rules are asked for, the longest first."""
    padded = START + word
    for size in range(min(LONGEST, len(padded)), -1, -1):
        yield padded[len(padded) - size :]


def apply_rules(rules: Mapping[str, Sequence[Rule]], lemma: str) -> Applied | None:
    """Return the form that the rule of a lemma's longest suffix gives; None if none fits it."""
    for suffix in suffixes(lemma):
        for rule in rules.get(suffix, ()):
            form = apply_edit(lemma, rule.edit)
            if form:
                return Applied(form, suffix, rule.times, rule.total)
    return None
