"""English: an inflector by lemminflect (extra `inflection`), spellings of one word, and what forms in *-ed* are.

The library has the forms of NIH's SPECIALIST Lexicon, 40,000 words, and for others rules, between
which a small network decides (doubled consonants, Greek plurals). Its tags are Penn Treebank's;
this module has their features, and what the library lacks: the persons of `be`, `people`, and
comparison by `more` and `most` for adjectives without other forms in the dictionary.

    >>> english = english_inflector()
    >>> english.inflect("try", "VERB", {"Tense": "Past", "VerbForm": "Fin"}).form
    'tried'
    >>> english.inflect("difficult", "ADJ", {"Degree": "Cmp"}).form
    'more difficult'
    >>> english.features("teeth", "NOUN")
    [{'Number': 'Plur'}]

Spellings of one word (British and American, hyphens, accents) share a key, which rules make of each; other words may
share it, too (*four*, *for*), so it is for words that are near in meaning. Of 1,730 pairs of British and American
spellings (package breame 0.1.2) 1,669 share one.

Where no tag says it, the words around a form in *-ed* tell a past tense from a participle.
*They ascertained it* and *they have ascertained it* have one form, but *saw* and *seen* are two.

>>> past_form("They ", " it."), past_form("They have never ", " it."), past_form("The facts ", " by him")
('Fin', 'Part', 'Part')

Of 1,165 verbs in *-ed* of the dev files of UD English GUM and EWT it is right for 82 %; all of them taken for
participles, as many are right as are participles, 61 %.
"""

import functools
import importlib
import importlib.metadata
import importlib.util
import itertools
import re
import unicodedata
from collections.abc import Mapping
from typing import Protocol

from lexbeam.transforms.common.errors import check_packages
from lexbeam.transforms.inflection.dictionaries import FormRow
from lexbeam.transforms.inflection.features import inflection, split
from lexbeam.transforms.inflection.inflector import Inflected

# Words whose spellings no rule links, as they begin or stand in compounds.
_STEMS = (
    *(("aeroplan", "airplan"), ("aluminium", "aluminum"), ("artefact", "artifact"), ("cheque", "check")),
    *(("cosi(?=[eln])", "cozi"), ("cosy", "cozy"), ("draught", "draft"), ("gaol", "jail"), ("gaug(?=e|ing)", "gag")),
    *(("grey", "gray"), ("jewell?ery", "jewelry"), ("moustach", "mustach"), ("plough", "plow"), ("practis", "practic")),
    *(("pyjama", "pajama"), ("sceptic", "skeptic"), ("sulph", "sulf"), ("tyre", "tire"), ("yogho?urt", "yogurt")),
)
_ENDINGS = (
    ("ys(?=(?:e[drs]?|ing|able)$)", "yz"),  # analyse
    ("is(?=(?:e[drs]?|ers|ing|ingly|abl[ey]|ations?|ational|ationally)$)", "iz"),
    ("(?<=[bcdghptv])re(?=s?$)", "er"),  # centre
    ("(?<=[bcdghptv])r(?=ed$|ing$)", "er"),
    ("ogue(?=s?$)", "og"),  # dialogue
    ("ogu(?=ed$|ing$)", "og"),
    ("(?<=en)c(?=e)", "s"),  # licence
    ("amme(?=s?$)", "am"),  # programme
    ("dgem", "dgm"),  # judgement
    ("(?<=[ckg])eing$", "ing"),  # ageing
    ("(?<=[^aeiou])eable$", "able"),  # likeable
)
_LONGER = 3  # letters by which one spelling may be longer: programme
_RULES = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        ("[-'’ ]", ""),
        *_STEMS,
        ("oeu", "eu"),  # manoeuvre
        ("ae|oe(?![rs]?$)|[æœ]", "e"),  # encyclopaedia; not foe
        ("(?<=m)oul(?=[dt])", "ol"),  # mould
        ("our", "or"),  # colour
        *_ENDINGS,
        ("exion", "ection"),  # connexion
        (r"([b-df-hj-np-tv-z])\1", r"\1"),  # travelled, fulfil
    )
)


def spelling_key(word: str) -> str:
    """Return what spellings of an English word or phrase share.

    >>> [spelling_key(word) for word in ("colour", "Color", "travelling", "traveling", "co-operate", "cooperate")]
    ['color', 'color', 'traveling', 'traveling', 'cooperate', 'cooperate']
    """
    plain = unicodedata.normalize("NFD", word.lower())
    key = "".join(c for c in plain if not unicodedata.combining(c))
    for pattern, made in _RULES:
        key = pattern.sub(made, key)
    return key


def same_but_spelling(one: str, other: str) -> bool:
    """Return whether two English words or phrases of like meaning are one in two spellings.

    >>> same_but_spelling("endeavour", "endeavor"), same_but_spelling("endeavour", "attempt")
    (True, False)
    """
    return abs(len(one) - len(other)) <= _LONGER and spelling_key(one) == spelling_key(other)


_CLAUSE = re.compile(r"[.;:!?()“”\"—,]")
_WORD = re.compile(r"n['’]t\b|['’]?[a-z]+", re.IGNORECASE)
_REACH = 5  # words


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\S+", text))


_AUXILIARIES = _words("have has had having 've be am is are was were been being 'm 're 'd get gets got gotten getting")
_SUBJECTS = _words("i you he she it we they who")
_HAVE_S = _words("he she it who that what there here")  # behind others *'s* is a genitive
# Before a participle that stands before its noun, or begins a phrase; a past tense has a subject before it.
_OPENING = _words(
    "a an the this that these those his her its their my our your no of with by in for on at from to into against "
    "about under over between through without as than when if although though while very well"
)
_BY = re.compile(r"\s+by\b", re.IGNORECASE)


def past_form(left: str, right: str) -> str:
    """Return `VerbForm` of a past tense or participle, `Fin` or `Part`, as a person would guess it.

    Args:
        left: the sentence up to the word.
        right: the sentence behind it.
    """
    words = [word.lower().replace("’", "'") for word in _WORD.findall(_CLAUSE.split(left)[-1])]
    if not words or words[-1] in _OPENING or _BY.match(right):
        return "Part"
    for before, word in reversed(list(itertools.pairwise(["", *words]))[-_REACH:]):
        if word in _AUXILIARIES or (word == "'s" and before in _HAVE_S):
            return "Part"
        if word in _SUBJECTS:
            break
    return "Fin"


PACKAGE = "lemminflect"

_FINITE = {"Mood": "Ind", "VerbForm": "Fin"}
# Tags with their features by part of speech, the commoner first where one form has several: in the
# dev files of UD English EWT and GUM, verbs whose past and participle are one form are 661 times
# the past and 825 times the participle.
_TAGS: dict[str, dict[str, dict[str, str]]] = {
    "NOUN": {"NN": {"Number": "Sing"}, "NNS": {"Number": "Plur"}},
    "VERB": {
        "VB": {"VerbForm": "Inf"},
        "VBP": {"Tense": "Pres", **_FINITE},
        "VBZ": {"Number": "Sing", "Person": "3", "Tense": "Pres", **_FINITE},
        "VBN": {"Tense": "Past", "VerbForm": "Part"},
        "VBD": {"Tense": "Past", **_FINITE},
        "VBG": {"Tense": "Pres", "VerbForm": "Part"},
    },
    "ADJ": {"JJ": {}, "JJR": {"Degree": "Cmp"}, "JJS": {"Degree": "Sup"}},
    "ADV": {"RB": {}, "RBR": {"Degree": "Cmp"}, "RBS": {"Degree": "Sup"}},
}
_BASE = ("NN", "VB", "VBP", "JJ", "RB")
_DEGREES = {"R": "more", "S": "most"}
_COMPARED = ("more", "most", "less", "least")
_SYLLABLE = re.compile("[aeiouy]+")
_CACHED = 1 << 13  # answers of the library: words come again and again, and it copies its dictionaries for each


def tag_of(upos: str, feats: Mapping[str, str]) -> str | None:
    """Return the tag of Penn Treebank for a part of speech and features; None if it does not inflect.

    >>> tag_of("VERB", {"Mood": "Ind", "Tense": "Past", "VerbForm": "Fin"}), tag_of("ADP", {})
    ('VBD', None)
    """
    if upos in ("NOUN", "PROPN"):
        return "NNS" if feats.get("Number") in ("Plur", "Ptan") else "NN"
    if upos in ("VERB", "AUX"):
        return _verb_tag(feats)
    if upos in ("ADJ", "ADV"):
        base = "JJ" if upos == "ADJ" else "RB"
        return base + {"Cmp": "R", "Sup": "S"}.get(feats.get("Degree", ""), "")
    return None


def _verb_tag(feats: Mapping[str, str]) -> str:
    form, tense = feats.get("VerbForm"), feats.get("Tense")
    if form == "Ger" or (form == "Part" and tense == "Pres"):
        return "VBG"
    if form == "Part":
        return "VBN"
    if form == "Inf" or feats.get("Mood") == "Imp":
        return "VB"
    if tense == "Past":
        return "VBD"
    third = (feats.get("Person", "3"), feats.get("Number")) == ("3", "Sing")
    if third and tense == "Pres" and feats.get("Mood") != "Sub":
        return "VBZ"
    return "VBP" if form == "Fin" else "VB"


def _be(tag: str, feats: Mapping[str, str]) -> str | None:
    """Return the form of `be` where it depends on the person."""
    singular = feats.get("Number") == "Sing" and feats.get("Person") != "2"
    if tag == "VBD":
        return "was" if singular and feats.get("Mood") != "Sub" else "were"
    if tag == "VBP" and feats.get("Mood") != "Sub":
        return "am" if singular and feats.get("Person") == "1" else "are"
    return "be" if tag == "VBP" else None


class _Library(Protocol):
    """The functions of lemminflect that are used; names and results are its own."""

    def getAllInflections(self, lemma: str, upos: str = ...) -> Mapping[str, tuple[str, ...]]: ...

    def getAllInflectionsOOV(self, lemma: str, upos: str) -> Mapping[str, tuple[str, ...]]: ...

    def getAllLemmas(self, word: str, upos: str) -> Mapping[str, tuple[str, ...]]: ...

    def getAllLemmasOOV(self, word: str, upos: str) -> Mapping[str, tuple[str, ...]]: ...


class _Remembered:
    """A library whose answers are kept by word; what gets them must not change them."""

    def __init__(self, library: _Library) -> None:
        cached = functools.lru_cache(_CACHED)
        self.getAllInflections = cached(library.getAllInflections)
        self.getAllInflectionsOOV = cached(library.getAllInflectionsOOV)
        self.getAllLemmas = cached(library.getAllLemmas)
        self.getAllLemmasOOV = cached(library.getAllLemmasOOV)


class _Forms:
    """What forms may be, as in `dictionaries.FormTable`."""

    def __init__(self, library: _Library) -> None:
        self._library = library
        self._known = functools.lru_cache(_CACHED)(self._rows)

    def of_form(self, form: str) -> list[FormRow]:
        """Return what a form may be, in the order of lemmas and inflections."""
        return list(self._known(form))

    def _rows(self, form: str) -> list[FormRow]:
        return sorted(
            FormRow(lemma, inflection(upos, feats), form, 1)
            for upos, tags in _TAGS.items()
            for lemma in _lemmas(self._library, form, upos)
            for tag, feats in tags.items()
            if form in _spellings(self._library, lemma, upos).get(tag, ())
        )


def _lemmas(library: _Library, form: str, upos: str) -> list[str]:
    """Return the lemmas that the dictionary has for a form, with the form itself if it is a lemma."""
    lemmas = [str(lemma).lower() for lemma in library.getAllLemmas(form, upos).get(upos, ())]
    if form not in lemmas and _spellings(library, form, upos):
        lemmas.append(form)
    return lemmas


def _spellings(library: _Library, lemma: str, upos: str) -> Mapping[str, tuple[str, ...]]:
    spellings: Mapping[str, tuple[str, ...]] = library.getAllInflections(lemma, upos)
    if "VBD" in spellings and "VBN" not in spellings:
        return {**spellings, "VBN": spellings["VBD"]}
    if (lemma, upos) == ("person", "NOUN"):
        return {**spellings, "NNS": ("people", *spellings["NNS"])}
    return spellings


class EnglishInflector:
    """An inflector of English, as in `inflector.Inflecting`.

    Args:
        library: the module lemminflect.
    """

    language = "en"

    def __init__(self, library: _Library) -> None:
        library.getAllInflections("be")  # makes it read its dictionary now, not in several threads
        self._library: _Library = _Remembered(library)
        self._forms = _Forms(self._library)

    @property
    def forms(self) -> _Forms:
        """What forms may be."""
        return self._forms

    def inflect(self, lemma: str, upos: str, feats: Mapping[str, str], *, dictionary: bool = True) -> Inflected | None:
        """Return the form of a lemma that has some features; None if none is known.

        Of several spellings it is the library's first, the commonest. `times` is 1, `total` the
        number of spellings.

        Args:
            lemma: a single word, in any case.
            upos: its part of speech; AUX is looked up as VERB.
            feats: by name; those that do not inflect are ignored.
            dictionary: whether the dictionary is used, or only rules.
        """
        lemma = lemma.lower()
        kind, wanted = split(inflection(upos, feats))
        tag = tag_of(kind, wanted)
        if tag is None:
            return None if wanted else Inflected(lemma, "lemma", 0, 0)
        if lemma == "be" and (special := _be(tag, wanted)):
            return Inflected(special, "dictionary", 1, 1)
        known = _spellings(self._library, lemma, _noun(kind)) if dictionary else {}
        plural_itself = wanted.get("Number") == "Ptan" and lemma.endswith("s")
        if tag in _BASE or plural_itself or lemma in _COMPARED:
            return Inflected(lemma, "dictionary" if known else "rules", 1, 1)
        if tag in known:
            return Inflected(known[tag][0], "dictionary", 1, len(known[tag]))
        if kind in ("ADJ", "ADV") and (known or not _short(lemma)):
            source = "dictionary" if known else "rules"
            return Inflected(f"{_DEGREES[tag[-1]]} {lemma}", source, 1, 1)
        made = self._made(lemma, _noun(kind)).get(tag)
        return Inflected(made[0], "rules", 1, len(made)) if made else None

    def has_verb(self, form: str) -> bool:
        """Return whether a form in lower case is one of a verb in the dictionary."""
        return any(row.inflection.startswith("VERB ") for row in self._forms.of_form(form))

    def features(self, form: str, upos: str, lemma: str | None = None) -> list[dict[str, str]]:
        """Return the features that a form may have, the likeliest first; empty if none are known.

        Args:
            form: in any case.
            upos: its part of speech; AUX is looked up as VERB.
            lemma: its lemma if known; if it has the form, only its rows count.
        """
        form, kind = form.lower(), _noun(split(inflection(upos, {}))[0])
        if kind not in _TAGS:
            return []
        if kind == "VERB" and form in _OF_BE:
            return [dict(_OF_BE[form])]
        paradigms = self._paradigms_with(form, kind, lemma and lemma.lower())
        return [
            dict(feats)
            for tag, feats in _TAGS[kind].items()
            if any(form in paradigm.get(tag, ()) for paradigm in paradigms)
        ]

    def _paradigms_with(self, form: str, kind: str, lemma: str | None) -> list[Mapping[str, tuple[str, ...]]]:
        """Return the forms of each lemma that has a form: only of the given lemma if it has it."""
        if lemma:
            paradigm = _spellings(self._library, lemma, kind) or self._made(lemma, kind)
            if any(form in spellings for spellings in paradigm.values()):
                return [paradigm]
        lemmas = _lemmas(self._library, form, kind)
        if lemmas:
            return [_spellings(self._library, known, kind) for known in lemmas]
        guessed = self._library.getAllLemmasOOV(form, kind).get(kind, ())
        return [self._made(guess, kind) for guess in guessed]

    def _made(self, lemma: str, kind: str) -> Mapping[str, tuple[str, ...]]:
        spellings: Mapping[str, tuple[str, ...]] = self._library.getAllInflectionsOOV(lemma, kind)
        return {**spellings, "VBP": spellings["VB"]} if "VB" in spellings else spellings


_OF_BE = {
    "am": {"Number": "Sing", "Person": "1", "Tense": "Pres", **_FINITE},
    "are": {"Tense": "Pres", **_FINITE},
    "was": {"Number": "Sing", "Person": "3", "Tense": "Past", **_FINITE},
    "were": {"Number": "Plur", "Tense": "Past", **_FINITE},
}


def _noun(kind: str) -> str:
    return "NOUN" if kind == "PROPN" else kind


def _short(lemma: str) -> bool:
    """Return whether an adjective is compared by endings: it has one syllable, or two with y."""
    syllables = len(_SYLLABLE.findall(lemma.removesuffix("e")))
    return syllables < 2 or (syllables == 2 and lemma.endswith("y"))


def english_inflector() -> EnglishInflector:
    """Return the inflector of English.

    Raises:
        UsageError: the extra `inflection` is not installed.
    """
    _check()
    return EnglishInflector(importlib.import_module(PACKAGE))


def english_version() -> str:
    """Return the package's version, which decides its answers.

    Raises:
        UsageError: the extra `inflection` is not installed.
    """
    _check()
    return f"{PACKAGE} {importlib.metadata.version(PACKAGE)}"


def _check() -> None:
    otherwise = "name a file of `lexbeam simplify train-inflector`"
    check_packages("English inflection needs", (PACKAGE,), "inflection", otherwise=otherwise)
