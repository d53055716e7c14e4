"""Targets, and proposals in their place: what a target may be, whether it may be replaced, the forms of proposals.

Taggers take participles for adjectives, and give lemmas that no dictionary has. So a thesaurus is
looked up by the annotation's lemma first, then by those that the dictionary has for the form: those
of the same part of speech first, then the more frequent ones.

>>> instance = Instance("", "en", "In Rome, Romans roam.", "Romans", 9, 15, None, None, None)
>>> protection(instance, "protect", {"roam"}), protection(instance, "replace", {"romans"})
('name', 'word')
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.common.texts.characters import seen, straight
from lexbeam.transforms.inflection.english import past_form, same_but_spelling
from lexbeam.transforms.inflection.features import feats_of, feats_text, split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.placing import (
    beside,
    cased_like,
    gender_before,
    likeliest_features,
    place,
    without_pronouns,
)
from lexbeam.transforms.simplification.records import Instance, Proposal


class LemmaReading(NamedTuple):
    """A lemma in lower case, and its part of speech; None: not known."""

    lemma: str
    upos: str | None


def kind_of(upos: str | None) -> str | None:
    """Return a part of speech as form dictionaries have it: auxiliaries are verbs."""
    return "VERB" if upos == "AUX" else upos


def form_of(target: str, upos: str | None, inflector: Inflecting | None) -> str:
    """Return a target in lower case, without the clitics of a Spanish verb."""
    form = target.lower()
    if inflector is not None and inflector.language == "es" and kind_of(upos) == "VERB":
        form = without_pronouns(inflector, form)[0]
    return form


def readings(instance: Instance, inflector: Inflecting | None) -> list[LemmaReading]:
    """Return what a target may be, the likeliest first, each once."""
    form = instance.target.lower()
    upos = kind_of(instance.upos)
    ordered = [LemmaReading(instance.lemma or form, upos)]
    if inflector is not None:
        ordered += _listed(inflector, form, upos)
        host = form_of(form, "VERB", inflector)
        if host != form:
            ordered += [reading for reading in _listed(inflector, host, "VERB") if reading.upos == "VERB"]
    ordered.append(LemmaReading(form, upos))
    return list(dict.fromkeys(ordered))


def _listed(inflector: Inflecting, form: str, upos: str | None) -> list[LemmaReading]:
    counts = Counter[LemmaReading]()
    for row in inflector.forms.of_form(form):
        counts[LemmaReading(row.lemma, split(row.inflection)[0])] += row.times
    return sorted(counts, key=lambda reading: (reading.upos != upos, -counts[reading], reading))


def features_of(instance: Instance) -> dict[str, str] | None:
    """Return the features of the annotation; None if it has none."""
    return feats_of(instance.feats) if instance.feats else None


def lemma_of_form(form: str, upos: str | None, inflector: Inflecting | None) -> str | None:
    """Return the lemma that the dictionary has for a form; None if it has none.

    Of several, one of the same part of speech counts first, then the more frequent one.
    """
    if inflector is None:
        return None
    listed = _listed(inflector, form, kind_of(upos))
    return listed[0].lemma if listed else None


class Formed(NamedTuple):
    """A proposal in its form.

    Attributes:
        form: the key, in lower case, NFC, after clean-up; the proposed text if there is no form.
        lemma: in lower case; None: not known.
        shown: with the target's capitals; None where there is no form.
        inflected: what the form rests on, as in `Inflected`; None: it was proposed as a form.
        feats: the features that it was inflected for, as FEATS; None: not known.
        before: what the word before the target becomes; None: that word stays.
        reason: why it does not go on, one of `lexbeam.schemas.simplification.REASONS`.
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
    return " ".join(unicodedata.normalize("NFC", seen(text)).replace("_", " ").split())


def key_of(text: str) -> str:
    """Return what forms are compared by: tidy, in lower case.

    >>> key_of("E\\u0301L  ni\\u00f1o")
    'él niño'
    """
    return unicodedata.normalize("NFC", tidy(text).lower())


def alike(text: str) -> str:
    """Return the form in which words of a candidate, a target and people's lists are compared.

    >>> alike("O’Clock")
    "o'clock"
    """
    return straight(key_of(text))


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
        barred: forms and lemmas that must not be candidates, in the form of `alike`.
    """
    target = alike(instance.target)
    english = instance.language.partition("-")[0] == "en"
    places = _Places(instance, inflector)
    forms = []
    for proposal in proposals:
        text = tidy(proposal.text)
        made = _made(text, proposal, places)
        reason = proposal.reason or made.reason
        form, lemma = straight(made.form), straight(made.lemma or "")
        if reason is None and form == target:
            reason = "is_target"
        if reason is None and english and same_but_spelling(form, target):
            reason = "spelling_variant"
        if reason is None and (form in barred or lemma in barred):
            reason = "barred"
        forms.append(made._replace(reason=reason))
    return forms


class _Places:
    """The place of a target, with its features by part of speech, each looked up once."""

    def __init__(self, instance: Instance, inflector: Inflecting | None) -> None:
        self.instance = instance
        self.inflector = inflector
        self._before = instance.before
        self._upos = _known_upos(instance, inflector)
        self._feats: dict[tuple[str, str | None], Mapping[str, str] | None] = {}

    def upos(self, proposal: Proposal) -> str | None:
        return proposal.upos or self._upos

    def place(self, text: str, upos: str, of: str | None) -> Formed | None:
        """Return a lemma in its form, still without its proposal; None without an inflector."""
        if self.inflector is None:
            return None
        instance = self.instance
        placed = place(
            self.inflector,
            text,
            upos,
            instance.target,
            feats=self._features(upos, of),
            target_lemma=of,
            before=self._before,
        )
        feats = None if placed.feats is None else feats_text(placed.feats)
        if placed.form is None:
            return Formed(key_of(text), key_of(text), None, None, feats, None, placed.reason, _NOTHING)
        return Formed(
            key_of(placed.form), key_of(text), placed.form, placed.source, feats, placed.before, None, _NOTHING
        )

    def before(self, form: str) -> str | None:
        """Return what the word before becomes beside a form that is not inflected; None if it stays.

        Articles follow the gender and number that the dictionary has for a noun with a single gender.
        """
        if self._before is None:
            return None
        noun = kind_of(self._upos) == "NOUN"
        feats = self._of_noun(form.split()[0]) if noun else {}
        language = self.instance.language.partition("-")[0]
        changed = beside(language, self._before, form, feats, is_noun=noun)
        return None if changed == self._before else changed

    def _of_noun(self, form: str) -> Mapping[str, str]:
        rows = [] if self.inflector is None else self.inflector.forms.of_form(form.lower())
        kinds = [split(row.inflection) for row in rows]
        known = [feats for kind, feats in kinds if kind == "NOUN" and "Gender" in feats]
        if len({feats["Gender"] for feats in known}) != 1:
            return {}
        target_feats = self._features("NOUN", None) or {}
        numbers = {feats.get("Number", target_feats.get("Number")) for feats in known}
        number = numbers.pop()
        if number is None or numbers:
            return {}
        return {"Gender": known[0]["Gender"], "Number": number}

    def _features(self, upos: str, of: str | None) -> Mapping[str, str] | None:
        key = (upos, of)
        if key not in self._feats:
            instance = self.instance
            feats: Mapping[str, str] | None = features_of(instance) if kind_of(upos) == kind_of(instance.upos) else None
            if feats is None and self.inflector is not None:
                feats = likeliest_features(self.inflector, instance.target, upos, of)
                if feats is not None and self.inflector.language == "en" and feats.get("Tense") == "Past":
                    feats = self._past(feats, upos, of)
            if feats is not None and self._lacks_gender(upos, feats):
                gender = gender_before(instance.sentence[: instance.start], self.inflector)
                feats = {**feats, "Gender": gender} if gender else feats
            self._feats[key] = feats
        return self._feats[key]

    def _past(self, feats: Mapping[str, str], upos: str, of: str | None) -> Mapping[str, str]:
        """Return the features of an English past tense or participle: the sentence says which of them it is."""
        assert self.inflector is not None
        instance = self.instance
        form = past_form(instance.sentence[: instance.start], instance.sentence[instance.end :])
        known = self.inflector.features(instance.target, upos, of)
        return next((one for one in known if (one.get("Tense"), one.get("VerbForm")) == ("Past", form)), feats)

    def _lacks_gender(self, upos: str, feats: Mapping[str, str]) -> bool:
        spanish = self.inflector is not None and self.inflector.language == "es"
        return spanish and upos in ("ADJ", "NOUN") and "Gender" not in feats


_NOTHING = Proposal("", 0.0, False)


def _known_upos(instance: Instance, inflector: Inflecting | None) -> str | None:
    """Return the target's part of speech by the annotation, else by the form dictionary."""
    if instance.upos is not None or inflector is None:
        return instance.upos
    rows = inflector.forms.of_form(instance.target.lower())
    if not rows:
        return None
    return split(max(rows, key=lambda row: (row.times, row.inflection)).inflection)[0]


def _made(text: str, proposal: Proposal, places: _Places) -> Formed:
    key = key_of(text)
    shown = cased_like(text, places.instance.target)
    upos = places.upos(proposal)
    if proposal.reason is not None:
        return Formed(key, key if proposal.is_lemma else None, None, None, None, None, None, proposal)
    if not any(c.isalpha() for c in key):
        return Formed(key, None, None, None, None, None, "not_a_word", proposal)
    if proposal.is_lemma:
        placed = places.place(text, upos, proposal.of) if upos is not None else None
        if placed is None:
            return Formed(key, key, shown, None, None, places.before(text), None, proposal)
        return placed._replace(proposal=proposal)
    lemma = lemma_of_form(key, places.instance.upos, places.inflector)
    return Formed(key, lemma, shown, None, None, places.before(text), None, proposal)


PROTECTED = {
    "name": "names: capitalised within a sentence, and proper nouns where there is annotation",
    "word": "words of `protect`, as form or lemma",
}

# Languages that capitalise all nouns.
_CAPITALS = ("de", "lb")


def protection(instance: Instance, names: str, words: Collection[str], lemmas: Collection[str] = ()) -> str | None:
    """Return why a target gets no candidates, one of `PROTECTED`; None: it may get some.

    Args:
        instance: the target in its sentence.
        names: `protect` or `replace`.
        words: protected words, in the form of `alike`.
        lemmas: those that the target may have, where the annotation has none.
    """
    known_lemmas = [instance.lemma] if instance.lemma else lemmas
    if any(alike(text) in words for text in (instance.target, *known_lemmas)):
        return "word"
    return "name" if names == "protect" and is_name(instance) else None


def is_name(instance: Instance) -> bool:
    """Return whether a target is a name.

    Where a part of speech is known, a name is a proper noun with a capital. Else it is a word with a
    capital within a sentence, except in languages that capitalise all nouns and in sentences in
    capitals.
    """
    if not instance.target[:1].isupper():
        return False
    if instance.upos is not None:
        return instance.upos == "PROPN"
    return names_from(instance.sentence, instance.language) < instance.start


def names_from(sentence: str, language: str) -> int:
    """Return the place behind which a word with a capital is a name, where no part of speech is known.

    >>> names_from("- In Rome", "en"), names_from("IN ROME", "en"), names_from("In Rom", "de")
    (2, 7, 6)
    """
    if language.partition("-")[0] in _CAPITALS or not any(map(str.islower, sentence)):
        return len(sentence)
    return next((place for place, char in enumerate(sentence) if char.isalnum()), len(sentence))


def read_words(path: str | None, name: str) -> tuple[str, ...]:
    """Return the words of a file, one a line, in the form of `alike`, sorted; none without a file.

    Args:
        path: of the file.
        name: the option that names it.

    Raises:
        UsageError: it cannot be read, or is no such text.
    """
    if path is None:
        return ()
    return tuple(sorted({alike(line) for line in word_lines(path, name, phrases=True) if line}))
