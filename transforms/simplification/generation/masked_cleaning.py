"""What of a masked language model's words are candidates: the rules of ALEXSIS, and LSBert's.

Ferrés and Saggion (2022, section 5.1) drop the target, what it begins with, what has two characters
or fewer, and the target without accents or capitalised; candidates that differ in accents or
capitals alone become one, their scores added. Qiang et al. (2020) drop pieces of words and what has
the target's stem. Each is an entry of `RULES`, which are asked in their order: the first that holds
is the reason. What is dropped stays in the list with it.

Capitals are those of sentences, so that words are taken in lower case. For comparison the acute and
the diaeresis are taken off, and no other mark: `publico` is `público` there, but `ano` not `año`.

    >>> fills = [Fill("publicó", 0.3), Fill("Público", 0.2), Fill("nacional", 0.2),
    ...     Fill("ción", 0.1, True), Fill("púb", 0.05), Fill("el", 0.04), Fill("publico", 0.03)]
    >>> [(one.text, round(one.score, 2), one.reason) for one in cleaned([fills], "nuevo")[0]]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('publicó', 0.53, None), ('nacional', 0.2, None), ('púb', 0.05, None),
     ('público', 0.2, 'merged'), ('ción', 0.1, 'subword'), ('el', 0.04, 'too_short'),
     ('publico', 0.03, 'merged')]
    >>> [(one.text, one.reason) for one in cleaned([fills], "público")[0] if one.reason][:3]
    [('publicó', 'accent_variant'), ('público', 'accent_variant'), ('ción', 'subword')]
"""

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from transforms.simplification.generation.forms import key_of
from transforms.simplification.generation.masked_options import PAPER
from transforms.simplification.records import Proposal

__all__ = ["MERGES", "RULES", "Fill", "Rule", "Target", "Word", "cleaned", "comparable"]

SHORT = 2  # characters of what is too short

_OFF = dict.fromkeys(map(ord, "\u0301\u0308"))  # acute and diaeresis
_BROKEN = "\ufffd"  # bytes that are no whole character

Lemmas = Callable[[str], Collection[str]]


class Fill(NamedTuple):
    """A word that a model puts in the target's place.

    Attributes:
        text: without marks of borders of words.
        score: its probability.
        continues: whether it is no word by itself, but continues one.
    """

    text: str
    score: float
    continues: bool = False


class Word(NamedTuple):
    """What fills with one form are.

    Attributes:
        form: in lower case, NFC.
        spellings: as the models have it, NFC.
        continues: whether it is no word by itself; the same form may also be one.
    """

    form: str
    spellings: frozenset[str]
    continues: bool


class Target(NamedTuple):
    """A target.

    Attributes:
        text: as it stands, NFC.
        lemmas: those that it may be of.
        lemmas_of: returns those that a form in lower case may be of.
    """

    text: str
    lemmas: Collection[str]
    lemmas_of: Lemmas


def comparable(text: str) -> str:
    """Return a text as it is compared: in lower case, NFC, without acute and diaeresis.

    >>> comparable("PINGÜINO"), comparable("Año"), comparable("lápiz"), comparable("façade")
    ('pinguino', 'año', 'lapiz', 'façade')
    """
    bare = unicodedata.normalize("NFD", key_of(text)).translate(_OFF)
    return unicodedata.normalize("NFC", bare)


Rule = Callable[[Word, Target], bool]


def _nothing(word: Word, target: Target) -> bool:
    return False


def _subword(word: Word, target: Target) -> bool:
    return word.continues or not word.form or _BROKEN in word.form


def _is_target(word: Word, target: Target) -> bool:
    return target.text in word.spellings


def _accent_variant(word: Word, target: Target) -> bool:
    same = comparable(word.form) == comparable(target.text)
    return same and target.text not in word.spellings


def _too_short(word: Word, target: Target) -> bool:
    return len(word.form) <= SHORT


def _prefix_of_target(word: Word, target: Target) -> bool:
    part, whole = comparable(word.form), comparable(target.text)
    return part != whole and whole.startswith(part)


def _same_stem(word: Word, target: Target) -> bool:
    return not set(target.lemmas).isdisjoint(target.lemmas_of(word.form))


# By the reason that they give. `none` stands for no rule at all.
RULES: dict[str, Rule] = {
    "none": _nothing,
    "subword": _subword,
    "is_target": _is_target,
    "accent_variant": _accent_variant,
    "too_short": _too_short,
    "prefix_of_target": _prefix_of_target,
    "same_stem": _same_stem,
}
MERGED = "merged"


def _same(form: str) -> str:
    return form


# Which forms are one candidate: by what they have in common.
MERGES: dict[str, Callable[[str], str]] = {"accents": comparable, "capitals": _same}


def _no_lemmas(form: str) -> Collection[str]:
    return ()


def cleaned(
    models: Sequence[Sequence[Fill]],
    target: str,
    *,
    rules: Collection[str] = PAPER,
    merge: str = "accents",
    lemmas: Collection[str] = (),
    lemmas_of: Lemmas = _no_lemmas,
) -> list[list[Proposal]]:
    """Return the candidates of each model, by score, then those that are dropped, likewise.

    Each form is there once. Of spellings that become one that with the highest score stays, of all
    models together, so that models agree on it; ties go to the first by code points. A form that is
    both a word and a piece of one is a word.

    Args:
        models: the words of each model.
        target: as it stands in the sentence.
        rules: of `RULES`.
        merge: of `MERGES`.
        lemmas: those that the target may be of, in lower case, for `same_stem`.
        lemmas_of: returns those that a form may be of.
    """
    about = Target(unicodedata.normalize("NFC", target), lemmas, lemmas_of)
    scores = [_scores(fills) for fills in models]
    reasons = _reasons(models, about, rules)
    totals: dict[str, float] = {}
    for own in scores:
        for key, score in own.items():
            if reasons[key] is None:
                totals[key.form] = totals.get(key.form, 0.0) + score
    stays: dict[str, str] = {}
    for form in sorted(totals, key=lambda one: (-totals[one], one)):
        stays.setdefault(MERGES[merge](form), form)
    into = {form: stays[MERGES[merge](form)] for form in totals}
    return [_proposals(own, reasons, into) for own in scores]


class _Key(NamedTuple):
    form: str
    continues: bool


def _key(fill: Fill) -> _Key:
    return _Key(key_of(fill.text), fill.continues)


def _scores(fills: Sequence[Fill]) -> dict[_Key, float]:
    found: dict[_Key, float] = {}
    for fill in fills:
        found[_key(fill)] = found.get(_key(fill), 0.0) + fill.score
    return found


def _reasons(models: Sequence[Sequence[Fill]], target: Target, rules: Collection[str]) -> dict[_Key, str | None]:
    """Return the reason of each form, by the first rule that holds; None: it goes on."""
    spellings: dict[_Key, set[str]] = {}
    for fills in models:
        for fill in fills:
            spellings.setdefault(_key(fill), set()).add(unicodedata.normalize("NFC", fill.text))
    asked = [(name, RULES[name]) for name in RULES if name in rules]
    found = {}
    for key, texts in spellings.items():
        word = Word(key.form, frozenset(texts), key.continues)
        found[key] = next((name for name, holds in asked if holds(word, target)), None)
    return found


def _proposals(
    scores: Mapping[_Key, float], reasons: Mapping[_Key, str | None], into: Mapping[str, str]
) -> list[Proposal]:
    """Return the candidates of a model, then what is dropped.

    Args:
        scores: of its forms.
        reasons: why they are dropped.
        into: of forms that go on, the one that they become.
    """
    kept: dict[str, float] = {}
    dropped: dict[str, tuple[float, str]] = {}
    for (form, _), score in (one for one in scores.items() if reasons[one[0]] is None):
        kept[into[form]] = kept.get(into[form], 0.0) + score
        if into[form] != form:
            dropped[form] = score + dropped.get(form, (0.0, ""))[0], MERGED
    words = {key.form for key in scores if reasons[key] is None} | set(kept)
    for key, score in scores.items():
        reason = reasons[key]
        if reason is not None and key.form not in words:
            dropped[key.form] = max(dropped.get(key.form, (0.0, "")), (score, reason))
    good = [Proposal(form, score, False) for form, score in kept.items()]
    bad = [Proposal(form, said[0], False, reason=said[1]) for form, said in dropped.items()]
    return [one for some in (good, bad) for one in sorted(some, key=_order)]


def _order(one: Proposal) -> tuple[float, str]:
    return -one.score, one.text
