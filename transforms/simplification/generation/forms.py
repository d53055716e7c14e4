"""Proposals in the target's place: their forms, what those rest on, and why there is none.

>>> from transforms.simplification.records import Instance
>>> one = Instance("", "en", "The abode.", "abode", 4, 9, "abode", "NOUN", None)
>>> [(made.form, made.reason) for made in formed(one, [Proposal("My_Home", 1.0, False),
...     Proposal("Abode", 1.0, False), Proposal("--", 1.0, False)], None)]
[('my home', None), ('abode', 'is_target'), ('--', 'not_a_word')]
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from transforms.inflection.agreement import gender_before
from transforms.inflection.articles import beside
from transforms.inflection.features import feats_text, split
from transforms.inflection.inflector import Inflecting
from transforms.inflection.placing import cased_like, place
from transforms.inflection.verb_hosts import likeliest_features
from transforms.simplification.generation.readings import features_of, kind_of, lemma_of_form
from transforms.simplification.records import Instance, Proposal

__all__ = ["Formed", "formed", "key_of", "tidy"]


class Formed(NamedTuple):
    """A proposal in its form.

    Attributes:
        form: the key: in lower case, NFC, after clean-up; of one that has no form, its text.
        lemma: in lower case; None where nothing says it.
        shown: with the target's capitals; None where there is no form.
        inflected: what the form rests on, as `Inflected`; None where it was given as it is.
        feats: the features that it was given, as FEATS; None if nothing was known of them.
        before: what the word before the target becomes; None if that stays.
        reason: why it does not go on, one of `schemas.simplification.instances.REASONS`.
        proposal: what was proposed.
    """

    form: str
    lemma: str | None
    shown: str | None
    inflected: str | None
    feats: str | None
    before: str | None
    reason: str | None
    proposal: Proposal


def tidy(text: str) -> str:
    """Return a text in NFC, with single spaces, also for underscores."""
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


def key_of(text: str) -> str:
    """Return what forms are compared by: tidy, in lower case.

    >>> key_of("E\\u0301L  ni\\u00f1o")
    'él niño'
    """
    return unicodedata.normalize("NFC", tidy(text).lower())


def formed(
    instance: Instance,
    proposals: Sequence[Proposal],
    inflector: Inflecting | None,
    barred: Collection[str] = frozenset(),
) -> list[Formed]:
    """Return the proposals of an instance, each in its form, in their order.

    Args:
        instance: the target in its sentence.
        proposals: of a generator.
        inflector: of the instance's language; None: lemmas stand as they are.
        barred: forms and lemmas that must not stand there, as `key_of` has them.
    """
    target = key_of(instance.target)
    places = _Places(instance, inflector)
    found = []
    for one in proposals:
        text = tidy(one.text)
        made = _made(text, one, places)
        reason = one.reason or made.reason
        if reason is None and made.form == target:
            reason = "is_target"
        if reason is None and (made.form in barred or made.lemma in barred):
            reason = "barred"
        found.append(made._replace(reason=reason))
    return found


class _Places:
    """A target, with its features by part of speech, each looked up once."""

    def __init__(self, instance: Instance, inflector: Inflecting | None) -> None:
        self.instance = instance
        self.inflector = inflector
        self._before = instance.before
        self._upos = _known_upos(instance, inflector)
        self._feats: dict[tuple[str, str | None], Mapping[str, str] | None] = {}

    def upos(self, one: Proposal) -> str | None:
        return one.upos or self._upos

    def place(self, text: str, upos: str, of: str | None) -> Formed | None:
        """Return a lemma in its form, without what was proposed; None without an inflector."""
        if self.inflector is None:
            return None
        own = self.instance
        placed = place(
            self.inflector, text, upos, own.target, feats=self._features(upos, of), target_lemma=of, before=self._before
        )
        feats = None if placed.feats is None else feats_text(placed.feats)
        if placed.form is None:
            return Formed(key_of(text), key_of(text), None, None, feats, None, placed.reason, _NOTHING)
        return Formed(
            key_of(placed.form), key_of(text), placed.form, placed.source, feats, placed.before, None, _NOTHING
        )

    def before(self, form: str) -> str | None:
        """Return what the word before becomes beside a form as it is given; None if it stays.

        Articles follow the gender and number that the dictionary has of a noun, if it has one
        gender alone.
        """
        if self._before is None:
            return None
        noun = kind_of(self._upos) == "NOUN"
        feats = self._of_noun(form.split()[0]) if noun else {}
        language = self.instance.language.partition("-")[0]
        found = beside(language, self._before, form, feats, is_noun=noun)
        return None if found == self._before else found

    def _of_noun(self, form: str) -> Mapping[str, str]:
        rows = [] if self.inflector is None else self.inflector.forms.of_form(form.lower())
        kinds = [split(row.inflection) for row in rows]
        known = [feats for kind, feats in kinds if kind == "NOUN" and "Gender" in feats]
        if len({feats["Gender"] for feats in known}) != 1:
            return {}
        said = self._features("NOUN", None) or {}
        numbers = {feats.get("Number", said.get("Number")) for feats in known}
        number = numbers.pop()
        if number is None or numbers:
            return {}
        return {"Gender": known[0]["Gender"], "Number": number}

    def _features(self, upos: str, of: str | None) -> Mapping[str, str] | None:
        key = (upos, of)
        if key not in self._feats:
            own = self.instance
            said: Mapping[str, str] | None = features_of(own) if kind_of(upos) == kind_of(own.upos) else None
            if said is None and self.inflector is not None:
                said = likeliest_features(self.inflector, own.target, upos, of)
            if said is not None and self._lacks_gender(upos, said):
                gender = gender_before(own.sentence[: own.start], self.inflector)
                said = {**said, "Gender": gender} if gender else said
            self._feats[key] = said
        return self._feats[key]

    def _lacks_gender(self, upos: str, feats: Mapping[str, str]) -> bool:
        spanish = self.inflector is not None and self.inflector.language == "es"
        return spanish and upos == "ADJ" and "Gender" not in feats


_NOTHING = Proposal("", 0.0, False)


def _known_upos(instance: Instance, inflector: Inflecting | None) -> str | None:
    """Return the target's part of speech: without annotation that of the form dictionary."""
    if instance.upos is not None or inflector is None:
        return instance.upos
    rows = inflector.forms.of_form(instance.target.lower())
    if not rows:
        return None
    return split(max(rows, key=lambda row: (row.times, row.inflection)).inflection)[0]


def _made(text: str, one: Proposal, places: _Places) -> Formed:
    key = key_of(text)
    shown = cased_like(text, places.instance.target)
    upos = places.upos(one)
    if one.reason is not None:
        return Formed(key, key if one.is_lemma else None, None, None, None, None, None, one)
    if not any(c.isalpha() for c in key):
        return Formed(key, None, None, None, None, None, "not_a_word", one)
    if one.is_lemma:
        placed = places.place(text, upos, one.of) if upos is not None else None
        if placed is None:
            return Formed(key, key, shown, None, None, places.before(text), None, one)
        return placed._replace(proposal=one)
    lemma = lemma_of_form(key, places.instance.upos, places.inflector)
    return Formed(key, lemma, shown, None, None, places.before(text), None, one)
