"""A lemma in the place of a word of a text: in its form, with its clitics and capitals.

The word's features come from the annotation, else from `Inflector.features`. Of a noun's features
only the number is taken over, since nouns keep their gender; an adjective that stands as a noun has
none of its own. A phrase inflects its head: in Spanish and by default its first word; in English
the first word of a verb phrase, and of a noun or adjective phrase the last word, or the one before
`of` and the like. Adjectives behind a Spanish noun agree with it (`guerras civiles`); a phrase with
words that may or may not agree has no plural form.

A reflexive Spanish verb (`apoderarse`) keeps its pronoun: behind infinitives and gerunds
(`apoderándose`), before finite forms (`se apoderó`), unless the target brings one, as in `labrarse`
or `se desplomó`. Participles have none. Behind a target with another pronoun (`tomarlo`), and in the
imperative, it has no form.
"""

from collections.abc import Mapping
from typing import NamedTuple

from lexbeam.transforms.inflection.articles import beside
from lexbeam.transforms.inflection.features import inflection, split
from lexbeam.transforms.inflection.inflector import Inflected, Inflecting, is_adjectival
from lexbeam.transforms.inflection.spanish import attach_clitics, strip_clitics
from lexbeam.transforms.inflection.verb_hosts import likeliest_features, without_pronouns

NO_FORM = "no_form"

_ENGLISH_LINKS = (
    "as",
    "at",
    "by",
    "for",
    "from",
    "in",
    "into",
    "of",
    "on",
    "out",
    "over",
    "than",
    "through",
    "to",
    "up",
    "with",
)
_REFLEXIVE = ("me", "te", "se", "nos", "os")
# By person and number.
_PRONOUNS = {"1Sing": "me", "2Sing": "te", "3Sing": "se", "1Plur": "nos", "2Plur": "os", "3Plur": "se"}
_LINKS = ("a", "al", "con", "de", "del", "en", "para", "por", "sin", "y")


class PlacedWord(NamedTuple):
    """A lemma in a word's place.

    Attributes:
        form: None if there is none.
        reason: `no_form` then, else None.
        source: what the form rests on, as in `Inflected`.
        feats: the features that it was inflected for; None: the word's are not known.
        before: what the word before it becomes; None: that word stays.
    """

    form: str | None
    reason: str | None
    source: str
    feats: Mapping[str, str] | None
    before: str | None


def place(
    inflector: Inflecting,
    lemma: str,
    upos: str,
    target: str,
    *,
    feats: Mapping[str, str] | None = None,
    target_lemma: str | None = None,
    before: str | None = None,
) -> PlacedWord:
    """Return a lemma in the form that a target has.

    Args:
        inflector: of the text's language.
        lemma: a word, or a phrase of words with spaces.
        upos: part of speech that the lemma has in the target's place.
        target: the word as it stands.
        feats: its features if the annotation has them.
        target_lemma: its lemma if known, to look up its features.
        before: the word before it, for articles and conjunctions.
    """
    kind = split(inflection(upos, {}))[0]
    is_noun = kind == "NOUN" and not is_adjectival(inflector, lemma.split()[0].lower())
    clitics = tuple[str, ...]()
    words, reflexive = lemma.split(), False
    if inflector.language == "es" and kind == "VERB":
        clitics = without_pronouns(inflector, target.lower(), feats)[1]
        words, reflexive = _without_pronoun(words)
    wanted = feats or likeliest_features(inflector, target, upos, target_lemma)
    if wanted is None:
        form = lemma
        source = "lemma"
    else:
        if is_noun:
            wanted = {name: value for name, value in wanted.items() if name != "Gender"}
        around = _pronoun(wanted, clitics, before) if reflexive else _Pronoun("", clitics)
        inflected = None if around is None else _phrase(inflector, words, upos, wanted, around.behind)
        if around is None or inflected is None:
            return PlacedWord(None, NO_FORM, "", wanted, None)
        form, source = f"{around.before} {inflected.form}".lstrip(), inflected.source
    agreement = dict(wanted or {})
    if is_noun:
        agreement = agreement | _gender(inflector, lemma.split()[0])
    changed = beside(inflector.language, before, form, agreement, is_noun=is_noun) if before else None
    return PlacedWord(cased_like(form, target), None, source, wanted, changed if changed != before else None)


class _Pronoun(NamedTuple):
    """Pronouns of a verb: the one before it, those behind it."""

    before: str
    behind: tuple[str, ...]


def _without_pronoun(words: list[str]) -> tuple[list[str], bool]:
    """Return a verb without its reflexive pronoun, and whether it has one."""
    host, clitics = strip_clitics(words[0].lower()) if words else ("", ())
    if clitics != ("se",) or host[-1:] != "r":
        return words, False
    return [host, *words[1:]], True


def _pronoun(wanted: Mapping[str, str], clitics: tuple[str, ...], before: str | None) -> _Pronoun | None:
    """Return the pronouns of a reflexive verb in a target's place; None if it has no form there.

    Args:
        wanted: the target's features.
        clitics: its pronouns.
        before: the word before it.
    """
    if clitics:
        return _Pronoun("", clitics) if clitics[0] in _REFLEXIVE else None
    form = wanted.get("VerbForm")
    if form == "Part" or (before or "").lower() in _REFLEXIVE:
        return _Pronoun("", ())
    if form in ("Inf", "Ger"):
        return _Pronoun("", ("se",))
    pronoun = _PRONOUNS.get(wanted.get("Person", "") + wanted.get("Number", ""))
    return None if pronoun is None or wanted.get("Mood") == "Imp" else _Pronoun(pronoun, ())


def _gender(inflector: Inflecting, lemma: str) -> dict[str, str]:
    features = inflector.features(lemma, "NOUN")
    return {"Gender": features[0]["Gender"]} if features and "Gender" in features[0] else {}


def _phrase(
    inflector: Inflecting, words: list[str], upos: str, wanted: Mapping[str, str], clitics: tuple[str, ...]
) -> Inflected | None:
    """Return a phrase with its head inflected; None if it has no such form."""
    kind = split(inflection(upos, {}))[0]
    last = inflector.language == "en" and kind != "VERB"
    head = _english_head(words) if last else 0
    inflected = inflector.inflect(words[head], upos, wanted)
    if inflected is None:
        return None
    form = attach_clitics(inflected.form, clitics)
    cased = _lemma_capitals(form, words[head])
    if len(words) == 1:
        return inflected._replace(form=cased)
    rest = words[:head] + words[head + 1 :]
    if form != words[head].lower() and kind == "NOUN" and not last:
        agreeing = _agreeing(inflector, words[head], rest, wanted)
        if agreeing is None:
            return None
        rest = agreeing
    elif form != words[head].lower() and kind == "ADJ" and not last and not _links(rest):
        return None
    parts = [*rest[:head], cased, *rest[head:]]
    return inflected._replace(form=" ".join(parts))


def _lemma_capitals(form: str, lemma: str) -> str:
    """Return a form with the capitals of its lemma: `Inglaterra`, `ONU`."""
    if form.startswith(lemma.lower()):
        return lemma + form[len(lemma) :]
    return form[:1].upper() + form[1:] if lemma[:1].isupper() else form


def _english_head(words: list[str]) -> int:
    """Return the place of the head of a noun phrase: before `of` and the like, or the last word."""
    links = (place for place, word in enumerate(words[1:]) if word.lower() in _ENGLISH_LINKS)
    return next(links, len(words) - 1)


def _links(words: list[str]) -> bool:
    return words[0].lower() in _LINKS


def _agreeing(inflector: Inflecting, head: str, words: list[str], wanted: Mapping[str, str]) -> list[str] | None:
    """Return the words behind a noun, with adjectives agreeing with it; None if a word is unknown."""
    feats = dict(wanted) if is_adjectival(inflector, head.lower()) else dict(wanted) | _gender(inflector, head)
    agreeing: list[str] = []
    for number, word in enumerate(words):
        if word.lower() in _LINKS:
            return agreeing + words[number:]
        rows = [row for row in inflector.forms.of_form(word.lower()) if row.inflection[:4] == "ADJ "]
        form = inflector.inflect(rows[0].lemma, "ADJ", feats) if rows else None
        if form is None:
            return None
        agreeing.append(form.form)
    return agreeing


def cased_like(word: str, target: str) -> str:
    """Return a word with the capitals of another: the first letter, or all of them.

    >>> [cased_like("casa", target) for target in ("hogar", "Hogar", "HOGAR", "A")]
    ['casa', 'Casa', 'CASA', 'Casa']
    """
    if len(target) > 1 and target.isupper():
        return word.upper()
    if target[:1].isupper():
        return word[:1].upper() + word[1:]
    return word
