"""Inflection: a lemma in a form with given features, and the features of a form.

A form comes from the dictionary, else from suffix rules that were learned from it. The wanted
features and those of a row need not be the same, but must not contradict each other: of such rows
the one with the most shared features counts, then the one with the fewest others, then the more
frequent one, then the singular. Gender is ignored where a lemma has no form of it (`el coche`).

    >>> from lexbeam.transforms.inflection.dictionaries import FormEntry
    >>> rows = [("cantar", "canto"), ("hablar", "hablo"), ("temer", "temo"), ("beber", "bebo")]
    >>> entries = Counter(FormEntry(lemma, "VERB Person=1", form) for lemma, form in rows)
    >>> inflector = Inflector(compiled(entries, "es"), "es")
    >>> inflector.inflect("beber", "VERB", {"Person": "1"})
    Inflected(form='bebo', source='dictionary', times=1, total=1)
    >>> inflector.inflect("sacar", "VERB", {"Person": "1"})
    Inflected(form='saco', source='rules', times=2, total=4)
    >>> inflector.features("hablo", "VERB")
    [{'Person': '1'}]
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from lexbeam.transforms.inflection import spanish
from lexbeam.transforms.inflection.dictionaries import (
    Array,
    FormEntry,
    FormRow,
    FormTable,
    forms_as_arrays,
    pack_plain,
    rules_of,
    rules_plain,
    unpack_plain,
)
from lexbeam.transforms.inflection.features import inflection, split
from lexbeam.transforms.inflection.paradigms import apply_rules, completed, decision_list, learn_rules, suffixes

# Among readings with equal counts, those that are commonest in text go first.
_COMMON = {
    "Mood": ("Ind", "Sub", "Cnd", "Imp"),
    "Person": ("3", "1", "2"),
    "Tense": ("Pres", "Past", "Imp", "Fut"),
    "Number": ("Sing", "Plur"),
    "VerbForm": ("Fin", "Inf", "Part", "Ger"),
    "Gender": ("Masc", "Fem", "Neut"),
}


# Parts of speech with so many inflections that most are rare, and can be completed from others.
COMPLETED = ("VERB",)

_CACHED = 1 << 16  # inflected forms: synonyms come again and again


class Spelling(NamedTuple):
    """How words are converted to sounds for rules, by part of speech, and spelled again."""

    sounds: Callable[[str, str], str]
    spelled: Callable[[str, str], str]


def _sounds(upos: str, word: str) -> str:
    if upos == "VERB":
        return spanish.verb_sounds(word)
    return spanish.stressed(word) if upos in ("NOUN", "ADJ", "PROPN") else spanish.encode(word)


def _spelled(upos: str, sounds: str) -> str:
    return spanish.verb_spelled(sounds) if upos == "VERB" else spanish.decode(sounds)


def _as_is(upos: str, word: str) -> str:
    return word


SPELLINGS: dict[str, Spelling] = {"es": Spelling(_sounds, _spelled)}
_PLAIN = Spelling(_as_is, _as_is)


class Inflected(NamedTuple):
    """A form, and what it rests on.

    Attributes:
        form: in lower case.
        source: `dictionary`, `rules`, or `lemma` for what has no rules and stays as it is.
        times: how often the form occurs in the dictionaries; for a rule, how many lemmas follow it.
        total: the same for all rows that fit; for a rule, how many lemmas have its suffix.
    """

    form: str
    source: str
    times: int
    total: int


class Forms(Protocol):
    """What forms may be."""

    def of_form(self, form: str) -> list[FormRow]:
        """Return what a form in lower case may be, in the order of lemmas and inflections."""


class Inflecting(Protocol):
    """What inflects a language: a compiled dictionary (`Inflector`), or a library (english.py)."""

    @property
    def language(self) -> str:
        """The language, two letters."""

    @property
    def forms(self) -> Forms:
        """What forms may be."""

    def inflect(self, lemma: str, upos: str, feats: Mapping[str, str], *, dictionary: bool = True) -> Inflected | None:
        """Return the form of a lemma that has some features; None if none is known."""

    def has_verb(self, form: str) -> bool:
        """Return whether a form in lower case is one of a verb in the dictionary."""

    def features(self, form: str, upos: str, lemma: str | None = None) -> list[dict[str, str]]:
        """Return the features that a form may have, the likeliest first; empty if none are known."""


def compiled(entries: Mapping[FormEntry, int], language: str) -> dict[str, Array]:
    """Return a form dictionary with the rules that are learned from it, as arrays by name."""
    guesses: dict[str, Counter[tuple[str, str]]] = {}
    for entry in entries:
        upos = entry.inflection.partition(" ")[0]
        guesses.setdefault(upos, Counter())[entry.form, entry.inflection] += 1
    return {
        **forms_as_arrays(entries),
        "rules": learned_rules(entries, language),
        "guesses": pack_plain({upos: decision_list(guesses[upos]) for upos in sorted(guesses)}),
    }


def learned_rules(entries: Iterable[FormEntry], language: str) -> Array:
    """Return the rules that are learned from distinct entries, as an array."""
    spelling = SPELLINGS.get(language, _PLAIN)
    rows: dict[str, list[tuple[str, str, str, int]]] = {}
    for entry in entries:
        upos = entry.inflection.partition(" ")[0]
        words = [entry.lemma, entry.form]
        sounds = [spelling.sounds(upos, word) for word in words]
        if [spelling.spelled(upos, sound) for sound in sounds] != words:
            sounds = words
        rows.setdefault(upos, []).append((entry.inflection, sounds[0], sounds[1], 1))
    all_rows = [
        row
        for upos, upos_rows in sorted(rows.items())
        for row in (completed(upos_rows) if upos in COMPLETED else upos_rows)
    ]
    return pack_plain(rules_plain(learn_rules(all_rows)))


class Inflector:
    """A compiled form dictionary, as `compiled` returns it.

    Args:
        arrays: the content of a model of `lexbeam simplify train-inflector`.
        language: two letters; those of `SPELLINGS` have rules of spelling.

    Raises:
        LexbeamError: the arrays are something else.
    """

    def __init__(self, arrays: Mapping[str, Array], language: str) -> None:
        self.language = language
        self.forms = FormTable(arrays)
        self._rules = rules_of(unpack_plain(arrays["rules"]))
        self._guesses = unpack_plain(arrays["guesses"])
        self._spelling = SPELLINGS.get(language, _PLAIN)
        self._known = functools.lru_cache(_CACHED)(self._inflected)

    def inflect(self, lemma: str, upos: str, feats: Mapping[str, str], *, dictionary: bool = True) -> Inflected | None:
        """Return the form of a lemma that has some features; None if neither dictionary nor rules know one,
        or the dictionary has the word as other parts of speech alone.

        Args:
            lemma: a single word, in any case.
            upos: its part of speech; AUX is looked up as VERB.
            feats: by name; those that do not inflect are ignored.
            dictionary: whether the lemma's own rows are used, or only rules.
        """
        return self._known(lemma.lower(), inflection(upos, feats), dictionary)

    def _inflected(self, lemma: str, name: str, dictionary: bool) -> Inflected | None:
        kind, wanted = split(name)
        if dictionary:
            rows = [row for row in self.forms.of_lemma(lemma) if split(row.inflection)[0] == kind]
            places = _fitting([split(row.inflection)[1] for row in rows], wanted)
            fitting = [rows[place] for place in places]
            if fitting:
                best = min(fitting, key=lambda row: (-row.times, _rarity(row.inflection), row.form))
                return Inflected(best.form, "dictionary", best.times, sum(row.times for row in fitting))
            if not rows and (others := self.forms.of_form(lemma)):
                bases = [row for row in others if split(row.inflection)[0] == kind]
                if bases:
                    base = min(bases, key=lambda row: (-row.times, row.lemma)).lemma
                    return self._inflected(base, name, dictionary)
                if kind == "NOUN" and is_adjectival(self, lemma):
                    return self._inflected(lemma, inflection("ADJ", wanted), dictionary)
                if kind != "ADJ" or not any(_is_participle(row.inflection) for row in others):
                    return None
        sounds = self._spelling.sounds(kind, lemma)
        for known in self._closest(name):
            applied = apply_rules(self._rules[known], sounds)
            if applied is not None:
                form = self._spelling.spelled(kind, applied.form)
                return Inflected(form, "rules", applied.times, applied.total)
        return Inflected(lemma, "lemma", 0, 0) if not wanted else None

    def _closest(self, name: str) -> list[str]:
        if name in self._rules:
            return [name]
        kind, wanted = split(name)
        names = [rule_name for rule_name in self._rules if split(rule_name)[0] == kind]
        return [names[place] for place in _fitting([split(rule_name)[1] for rule_name in names], wanted)]

    def has_verb(self, form: str) -> bool:
        """Return whether a form in lower case is one of a verb in the dictionary."""
        return any(row.inflection.startswith("VERB ") for row in self.forms.of_form(form))

    def features(self, form: str, upos: str, lemma: str | None = None) -> list[dict[str, str]]:
        """Return the features that a form may have, the likeliest first; empty if none are known.

        Args:
            form: in any case.
            upos: its part of speech; AUX is looked up as VERB.
            lemma: its lemma if known; if the dictionary has it, only its rows count.
        """
        form = form.lower()
        kind = split(inflection(upos, {}))[0]
        rows = [row for row in self.forms.of_form(form) if split(row.inflection)[0] == kind]
        if lemma is not None and any(row.lemma == lemma.lower() for row in rows):
            rows = [row for row in rows if row.lemma == lemma.lower()]
        counts = Counter[str]()
        for row in rows:
            counts[row.inflection] += row.times
        if counts:
            ranked = sorted(counts, key=lambda name: (-counts[name], _rarity(name), name))
            return [split(name)[1] for name in ranked]
        for suffix in suffixes(form):
            guesses = self._guesses.get(kind, {}).get(suffix)
            if guesses:
                return [split(name)[1] for name, _, _ in guesses]
        return []


def is_adjectival(inflector: Inflecting, form: str) -> bool:
    """Return whether a form in lower case is an adjective or participle in the dictionary, and no noun.

    It may stand as a noun, and then has gender and number of what it stands for: *la lista*, *los heridos*.
    """
    names = [row.inflection for row in inflector.forms.of_form(form)]
    kinds = {split(name)[0] for name in names}
    return "NOUN" not in kinds and ("ADJ" in kinds or any(_is_participle(name) for name in names))


def _is_participle(name: str) -> bool:
    kind, feats = split(name)
    return kind == "VERB" and feats.get("VerbForm") == "Part"


def _rarity(name: str) -> tuple[int, ...]:
    feats = split(name)[1]
    return tuple(
        order.index(feats[feature]) if feats.get(feature) in order else 0 for feature, order in _COMMON.items()
    )


def _fitting(known: Iterable[Mapping[str, str]], wanted: Mapping[str, str]) -> list[int]:
    """Return the places of the features that fit the wanted ones best; empty if all contradict them."""
    scored = []
    for place, feats in enumerate(known):
        shared = set(feats) & set(wanted)
        clashes = {name for name in shared if feats[name] != wanted[name]}
        if clashes - {"Gender"}:
            continue
        scored.append((len(clashes), -len(shared), len(set(feats) - shared), place))
    best = min((score[:3] for score in scored), default=None)
    return [score[3] for score in scored if score[:3] == best]


def lemmas_of(inflector: Inflecting | None, form: str, upos: str | None, *, others: bool = True) -> list[str]:
    """Return the lemmas that a dictionary has for a form, the commonest first.

    Args:
        inflector: the dictionary; None: nothing is known.
        form: in lower case.
        upos: only those of this part of speech, if there are any.
        others: whether those of others count if there are none.
    """
    rows = inflector.forms.of_form(form) if inflector is not None else []
    if upos is not None:
        kind = split(inflection(upos, {}))[0]
        same_pos = [row for row in rows if split(row.inflection)[0] == kind]
        rows = same_pos or (rows if others else [])
    counts = Counter[str]()
    for row in rows:
        counts[row.lemma] += row.times
    return sorted(counts, key=lambda lemma: (-counts[lemma], lemma))
