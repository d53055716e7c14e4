"""A lemma in the place of a word of a text: its form, clitics and capitals, and what has to agree beside it.

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

Verb forms of a text are taken without the pronouns behind them, with the features that they have there. Spelling shows
pronouns behind gerunds, and behind forms with an accent for them (spanish.py); for other forms a dictionary decides:
`colocadlos` is not in it, and `colocad` is an imperative. Behind other finite forms there are no pronouns: the `di` of
`dímelo` is of *decir*.

Some words change with what is behind them: determiners before a noun, `y`, `o`, `a` and `an`.

>>> beside("es", "la", "agua", {"Gender": "Fem", "Number": "Sing"})
'el'
>>> beside("es", "el", "casa", {"Gender": "Fem", "Number": "Sing"})
'la'
>>> beside("es", "y", "iglesias"), beside("es", "u", "abedul"), beside("en", "a", "easy")
('e', 'o', 'an')

The gender of a Spanish adjective whose form does not show it is told by the words before it.
`grande` is feminine in *una casa grande* and in *la grande*; a word in its place has to agree. An
article or another determiner shows the gender, and so does a noun; a form that may also be a verb
counts as a noun only behind a determiner or a preposition (*la marcha lenta*, not *era grande*).

>>> gender_before("Fue la más ", None)
'Fem'
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lexbeam.transforms.common.patterns import match_backwards
from lexbeam.transforms.inflection.features import inflection, split
from lexbeam.transforms.inflection.inflector import Inflected, Inflecting, is_adjectival
from lexbeam.transforms.inflection.spanish import attach_clitics, feminine_el, strip_clitics

_GERUNDS = ("ando", "iendo", "yendo")


def without_pronouns(
    inflector: Inflecting, form: str, feats: Mapping[str, str] | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return a Spanish verb form without the pronouns behind it, and these.

    Args:
        inflector: of Spanish; a host that it knows goes before others.
        form: in lower case.
        feats: its features if the annotation has them.
    """

    def is_imperative(host: str) -> bool:
        rows = inflector.forms.of_form(host)
        return any(split(row.inflection)[1].get("Mood") == "Imp" for row in rows)

    divided = strip_clitics(form, known=inflector.has_verb)
    if divided[1] or inflector.forms.of_form(form):
        return divided
    divided = strip_clitics(form, known=is_imperative, unmarked=True)
    if divided[1]:
        return divided
    host, pronouns = strip_clitics(form)
    is_gerund = host.endswith(_GERUNDS)
    annotated = (feats or {}).get("VerbForm") == "Inf" and host.endswith("r")
    if pronouns and (is_gerund or annotated):
        return host, pronouns
    return form, ()


def likeliest_features(
    inflector: Inflecting, target: str, upos: str, lemma: str | None = None
) -> Mapping[str, str] | None:
    """Return the likeliest features of a word as a part of speech; None if nothing is known.

    Args:
        inflector: of its language.
        target: as it stands.
        upos: its part of speech.
        lemma: if known, see `Inflecting.features`.
    """
    form, pronouns = target.lower(), tuple[str, ...]()
    if inflector.language == "es" and split(inflection(upos, {}))[0] == "VERB":
        form, pronouns = without_pronouns(inflector, form)
    known = inflector.features(form, upos, lemma)
    if pronouns and form.endswith(_GERUNDS):
        return {"VerbForm": "Ger"}
    if pronouns and form.endswith("r"):
        return {"VerbForm": "Inf"}
    if pronouns:
        known = sorted(known, key=_unlikely_before_pronouns)
    return known[0] if known else None


def _unlikely_before_pronouns(feats: Mapping[str, str]) -> int:
    if feats.get("Mood") == "Imp":
        return 0
    return 1 if (feats.get("Mood"), feats.get("Tense")) == ("Sub", "Pres") else 2


# By gender and number; articles that carry a preposition change with them.
_SPANISH = (
    ("el", "la", "los", "las"),
    ("un", "una", "unos", "unas"),
    ("al", "a la", "a los", "a las"),
    ("del", "de la", "de los", "de las"),
)
_QUANTIFIERS = (("algún", "alguna", "algunos", "algunas"), ("ningún", "ninguna", "ningunos", "ningunas"))
# Before nouns alone: before others `mucho` and `poco` are adverbs, and stay.
_DETERMINERS = (
    ("este", "esta", "estos", "estas"),
    ("ese", "esa", "esos", "esas"),
    ("aquel", "aquella", "aquellos", "aquellas"),
    *_QUANTIFIERS,
    *(
        (f"{stem}o", f"{stem}a", f"{stem}os", f"{stem}as")
        for stem in ("ciert", "dich", "much", "nuestr", "otr", "poc", "tant", "vari", "vuestr")
    ),
)
_BEFORE_A = (*_SPANISH, *_QUANTIFIERS)  # of a feminine noun with a stressed a they have the masculine form
# With prepositions, as they are written.
_PORTUGUESE = (
    *((f"{stem}o", f"{stem}a", f"{stem}os", f"{stem}as") for stem in ("", "d", "n", "pel")),
    ("ao", "à", "aos", "às"),
    *((f"{stem}um", f"{stem}uma", f"{stem}uns", f"{stem}umas") for stem in ("", "d", "n", "alg", "nenh")),
    *(
        (f"{stem}e", f"{stem}a", f"{stem}es", f"{stem}as")
        for stem in ("est", "ess", "aquel", "dest", "dess", "daquel", "nest", "ness", "naquel")
    ),
)
_ROWS = {"es": (*_SPANISH, *_DETERMINERS), "pt": _PORTUGUESE}
_CELLS = (("Masc", "Sing"), ("Fem", "Sing"), ("Masc", "Plur"), ("Fem", "Plur"))
# Words that begin with a vowel letter but a consonant sound, and the other way round: the commonest,
# after the usage notes of English dictionaries.
_CONSONANT = re.compile("eu|ew|one(?!i|rous)|once|ouija|u(?=[bcfghjklqrstv][aeiou])|unanim|uni(?!n|m|dent|diom)")
_VOWEL = re.compile(r"(hour|heir|honest|hono[u]?r)")


def _spanish(before: str, word: str, feats: Mapping[str, str], is_noun: bool) -> str | None:
    if before in ("y", "e"):
        vowel = re.match("h?[ií](?![aeoáéó])", word)
        return "e" if vowel else "y"
    if before in ("o", "u"):
        return "u" if re.match("h?[oó]", word) else "o"
    cell = (feats.get("Gender"), feats.get("Number"))
    known = (*_SPANISH, *_DETERMINERS) if is_noun else _SPANISH
    row = next((forms for forms in known if before in forms), None)
    if row is None or cell not in _CELLS:
        return None
    place = _CELLS.index((str(cell[0]), str(cell[1])))
    if place == 1 and is_noun and row in _BEFORE_A and feminine_el(word):
        place = 0
    return row[place]


def _english(before: str, word: str, feats: Mapping[str, str], is_noun: bool) -> str | None:
    if before not in ("a", "an"):
        return None
    if _VOWEL.match(word):
        return "an"
    return "an" if word[:1] in "aeiou" and not _CONSONANT.match(word) else "a"


ARTICLES: dict[str, Callable[[str, str, Mapping[str, str], bool], str | None]] = {"es": _spanish, "en": _english}


def beside(
    language: str, before: str, word: str, feats: Mapping[str, str] | None = None, is_noun: bool = True
) -> str | None:
    """Return what the word before another one becomes; None if it is not one that changes.

    Args:
        language: a key of `ARTICLES`; nothing is known of other languages.
        before: the word before, or `de la` and the like; what is returned has its capitals.
        word: the word that is to stand behind it.
        feats: gender and number of that word, for articles.
        is_noun: whether that word is a noun: `el` stands before a stressed a only of nouns (*el
            agua*, *algún alma*, *la alta torre*).
    """
    rule = ARTICLES.get(language)
    changed = rule(before.lower(), word.lower(), feats or {}, is_noun) if rule else None
    if changed is None:
        return None
    if len(before) > 1 and before.isupper():
        return changed.upper()
    return changed[:1].upper() + changed[1:] if before[:1].isupper() else changed


def determiner_cells(language: str, word: str) -> list[tuple[str, str]]:
    """Return the genders and numbers that a determiner shows, in lower case; empty for other words.

    >>> determiner_cells("es", "del"), determiner_cells("pt", "nas")
    ([('Masc', 'Sing')], [('Fem', 'Plur')])
    """
    return [cell for row in _ROWS.get(language, ()) for form, cell in zip(row, _CELLS, strict=True) if form == word]


def determiner(language: str, word: str, gender: str, number: str) -> str | None:
    """Return a determiner in lower case in another gender and number; None: it is none that is known.

    >>> determiner("es", "del", "Fem", "Sing"), determiner("pt", "pelo", "Fem", "Plur")
    ('de la', 'pelas')
    """
    row = next((forms for forms in _ROWS.get(language, ()) if word in forms), None)
    return None if row is None else row[_CELLS.index((gender, number))]


_WORDS = re.compile(r"(?: +[^\W\d_]+){1,4}")  # backwards
_STEMS = ("much", "poc", "otr", "tod", "nuestr", "vuestr", "mism", "ciert", "tant")
_FEMININE = (
    "la",
    "las",
    "una",
    "unas",
    "esta",
    "estas",
    "esa",
    "esas",
    "aquella",
    "aquellas",
    "alguna",
    "algunas",
    "ninguna",
    "varias",
)
_MASCULINE = (
    "el",
    "los",
    "un",
    "unos",
    "este",
    "estos",
    "ese",
    "esos",
    "aquel",
    "aquellos",
    "algún",
    "algunos",
    "ningún",
    "varios",
    "al",
    "del",
)
_GENDERS_OF_DETERMINERS = {
    **dict.fromkeys(_FEMININE, "Fem"),
    **{stem + end: "Fem" for stem in _STEMS for end in ("a", "as")},
    **dict.fromkeys(_MASCULINE, "Masc"),
    **{stem + end: "Masc" for stem in _STEMS for end in ("o", "os")},
}
_BEFORE_NOUNS = ("a", "con", "de", "en", "entre", "para", "por", "sin", "sobre", "mi", "mis", "tu", "tus", "su", "sus")
_DEGREES = ("bastante", "demasiado", "más", "menos", "muy", "tan")


def gender_before(left: str, inflector: Inflecting | None) -> str | None:
    """Return the gender that the words before an adjective show, `Masc` or `Fem`; None: they show none.

    Args:
        left: the sentence up to the adjective.
        inflector: of Spanish; None: only determiners are known.
    """
    match = match_backwards(_WORDS, left, len(left))
    words = match[0][::-1].lower().split() if match else []
    while words and words[-1] in _DEGREES:
        words.pop()
    if not words:
        return None
    if words[-1] in _GENDERS_OF_DETERMINERS:
        return _GENDERS_OF_DETERMINERS[words[-1]]
    rows = inflector.forms.of_form(words[-1]) if inflector is not None else []
    kinds = [split(row.inflection) for row in rows]
    genders = {feats["Gender"] for kind, feats in kinds if kind == "NOUN" and "Gender" in feats}
    if len(genders) != 1:
        return None
    gender = genders.pop()
    alone = all(kind in ("NOUN", "PROPN", "ADJ") for kind, _ in kinds)
    before = words[-2] if len(words) > 1 else ""
    # `el` also stands before feminine nouns: el arma.
    determined = _GENDERS_OF_DETERMINERS.get(before) == gender or before in ("el", "un", "al", "del", "algún", "ningún")
    return gender if alone or determined or before in _BEFORE_NOUNS else None


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
