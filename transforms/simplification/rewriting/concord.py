"""What agrees with a noun in a sentence of a language with genders: determiners, adjectives, participles, pronouns.

A word is taken to agree with a noun if it stands where such words do, by the syntactic heads where they are known,
else by adjacency, and if a reading of it in the form dictionary has the noun's gender and number:

- **before it**: determiners, adjectives, participles, adverbs of degree between them (*la muy antigua morada*);
  the pronoun of which it is a part (*una de las moradas*); a participle or adjective behind a copula (*fue vendida la
  morada*).
- **behind it**: adjectives and participles, also behind a comma, a conjunction, or `de` with a noun that they do not
  agree with (*la morada de piedra antigua*: *antigua* stays, for it may belong to *piedra*); the predicate of a copula
  (*la morada, que fue vendida*, *la morada es antigua*), which belongs to a subject, so never to a noun behind a
  preposition.

What does not agree with the noun as it stands is not asked to agree with another one.

Words are those that the sentence shows: an annotation that divides *del* into two tokens gives it that of the first.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting, lemmas_of
from lexbeam.transforms.inflection.placing import determiner_cells
from lexbeam.transforms.inflection.spanish import feminine_el

# Languages whose words stand in the order that are described above.
GENDERED = ("es", "pt")


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


# By language: adverbs that stand between words that agree, words for and and or, auxiliaries, copulas.
ADVERBS = {
    "es": _words("más menos muy tan bastante demasiado poco casi ya recién aún todavía también no"),
    "pt": _words("mais menos muito tão bastante demasiado pouco quase já ainda também não"),
}
AND = {"es": _words("y e o u ni"), "pt": _words("e ou nem")}
AUXILIARIES = {"es": _words("haber"), "pt": _words("ter haver")}
COPULAS = {
    "es": _words("ser estar parecer quedar resultar permanecer seguir"),
    "pt": _words("ser estar parecer ficar resultar permanecer continuar"),
}
OF = {"es": _words("de del"), "pt": _words("de do da dos das")}
PREPOSITIONS = {
    "es": OF["es"]
    | _words("a al ante bajo con contra desde durante en entre hacia hasta mediante para por según sin sobre tras"),
    "pt": OF["pt"]
    | _words("a ao à aos às ante até após com contra desde durante em no na nos nas entre para por pelo pela pelos")
    | _words("pelas perante sem sob sobre"),
}
RELATIVE = ("que",)
# Nouns of persons whose other gender is another noun, so that their forms do not tell.
PERSONS = {
    "es": _words(
        "hombre mujer varón hembra padre madre papá mamá rey reina príncipe princesa actor actriz emperador emperatriz "
        "marido yerno nuera caballero dama héroe heroína alcalde alcaldesa duque duquesa conde condesa barón baronesa "
        "sacerdote sacerdotisa poeta poetisa monje monja padrino madrina padrastro madrastra"
    ),
    "pt": _words(
        "homem mulher pai mãe rei rainha príncipe princesa ator atriz imperador imperatriz marido esposa genro nora "
        "cavalheiro dama herói heroína padre freira padrinho madrinha padrasto madrasta"
    ),
}


_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_KINDS = ("ADJ", "DET", "PRON", "NUM", "VERB")
_CELL = ("Gender", "Number")


class SentenceToken(NamedTuple):
    """A token of the sentence's annotation.

    Attributes:
        start, end: code points of the sentence; several tokens may share them (*del*).
        lemma, upos, feats: as tables have them; None: not known.
        head: its head's number among the tokens, from 1; 0: it has none; None: not known.
    """

    start: int
    end: int
    lemma: str | None = None
    upos: str | None = None
    feats: str | None = None
    head: int | None = None


class Cell(NamedTuple):
    """Gender and number, as in Universal Dependencies; None: not known, or any."""

    gender: str | None
    number: str | None


@dataclass
class SentenceWord:
    """A word of a sentence as it stands now.

    Attributes:
        text: as it stands; start and end are those in the sentence before anything was placed.
        gap: what stands between the word before, or the beginning, and it.
        head: place of its head among the words; -1: none; None: not known.
    """

    text: str
    start: int
    end: int
    gap: str
    lemma: str | None = None
    upos: str | None = None
    head: int | None = None


class Reading(NamedTuple):
    """What an agreeing word may be."""

    lemma: str
    kind: str
    feats: Mapping[str, str]


def readings(inflector: Inflecting, word: SentenceWord) -> list[Reading]:
    """Return what a word may be of what agrees: determiner, adjective, pronoun, numeral or participle.

    Where the word is tagged as something that does not agree there is none; the tag does not decide between those
    that do, since taggers differ there.
    """
    if word.upos not in (None, *_KINDS, "AUX"):
        return []
    found = []
    for row in inflector.forms.of_form(word.text.lower()):
        kind, feats = split(row.inflection)
        agrees = kind in _KINDS and (kind != "VERB" or feats.get("VerbForm") == "Part")
        if agrees and not feats.keys().isdisjoint(_CELL):
            found.append((-row.times, Reading(row.lemma, kind, feats)))
    found.sort(key=lambda pair: (pair[0], pair[1].lemma, pair[1].kind, sorted(pair[1].feats.items())))
    return [reading for _, reading in found]


def fits(feats: Mapping[str, str], cell: Cell) -> bool:
    """Return whether features do not contradict a gender and a number; what is not known contradicts nothing."""
    wanted = zip(_CELL, cell, strict=True)
    return all(value is None or feats.get(name, value) == value for name, value in wanted)


def words_of(
    sentence: str, targets: Sequence[tuple[int, int]], tokens: Sequence[SentenceToken] = ()
) -> tuple[list[SentenceWord], dict[int, int]]:
    """Return the words of a sentence, each target one of them, and the places of targets.

    Args:
        sentence: as it stands.
        targets: start and end of each; one that overlaps another has no place.
        tokens: of its annotation; empty: not known.
    """
    spans: list[tuple[int, int]] = []
    places: dict[int, int] = {}
    at = 0
    for number in sorted(range(len(targets)), key=lambda one: (targets[one], one)):
        start, end = targets[number]
        if start < at:
            continue
        spans += [(at + found.start(), at + found.end()) for found in _WORD.finditer(sentence[at:start])]
        places[number] = len(spans)
        spans.append((start, end))
        at = end
    spans += [(at + found.start(), at + found.end()) for found in _WORD.finditer(sentence[at:])]
    words, last = [], 0
    for start, end in spans:
        words.append(SentenceWord(sentence[start:end], start, end, sentence[last:start]))
        last = end
    _annotate(words, tokens)
    return words, places


def _annotate(words: Sequence[SentenceWord], tokens: Sequence[SentenceToken]) -> None:
    """Give words the annotation of the first token that each of them has."""
    place_of: dict[int, int] = {}
    first: dict[int, SentenceToken] = {}
    place = 0
    for number, token in enumerate(tokens, 1):
        while place < len(words) and words[place].end <= token.start:
            place += 1
        if place < len(words) and words[place].start < token.end:
            place_of[number] = place
            first.setdefault(place, token)
    for place, token in first.items():
        words[place].lemma, words[place].upos = token.lemma, token.upos
        if token.head is not None:
            words[place].head = place_of.get(token.head, -1)


_ALL = ("tod", "amb")  # the words that stand before determiners
_AFTER_DETERMINERS = ("otr", "poc", "much", "vari", "tant", "ciert", "dich")  # and those behind them: *ninguna otra*
# What stands before feminine nouns with a stressed a in the singular.
_BEFORE_A = ("el", "un", "al", "del", "algún", "ningún")
_LINKS = 2  # from a noun to its adjectives, and to what is coordinated with them
_SPACE = re.compile(r"""[\s"'“‘«‹(\[¿¡”’»›)\]]*\Z""")
_COMMA = re.compile(r"\s*,\s*\Z")
_REACH = 12  # words


class _Around:
    """The words around a noun."""

    def __init__(self, words: Sequence[SentenceWord], noun: int, cell: Cell, inflector: Inflecting) -> None:
        self.words = words
        self.noun = noun
        self.cell = cell
        self.inflector = inflector
        self.is_part = False  # of a pronoun before it
        language = inflector.language
        self.adverbs, self.conjunctions = ADVERBS[language], AND[language]
        self.of, self.prepositions = OF[language], PREPOSITIONS[language]

    def agrees(self, at: int, cell: Cell | None = None) -> bool:
        """Whether a word may agree with the noun, or with another cell."""
        cell = self.cell if cell is None else cell
        if self.determines(at, cell):
            return True
        if self.low(at) in self.prepositions:
            return False
        return any(fits(reading.feats, cell) for reading in readings(self.inflector, self.words[at]))

    def determines(self, at: int, cell: Cell) -> bool:
        """Whether a word is a determiner that agrees; `el` does before a noun with a stressed a, too."""
        cells = [Cell(*known) for known in determiner_cells(self.inflector.language, self.low(at))]
        if self.inflector.language == "es" and at + 1 == self.noun and cells == [Cell("Masc", "Sing")]:
            before_a = feminine_el(self.low(self.noun).split()[0])
            cells += [Cell("Fem", "Sing")] if before_a and self.low(at) in _BEFORE_A else []
        return any(cell.gender in (None, gender) and cell.number in (None, number) for gender, number in cells)

    def modifies(self, at: int, cell: Cell | None = None) -> bool:
        """Whether a word may be an adjective or participle that agrees with the noun.

        Where it is not tagged, it may be a finite verb, too: it is one if a determiner follows (*completa la obra*).
        """
        found = readings(self.inflector, self.words[at])
        if self.low(at) in self.prepositions:
            return False
        if not any(reading.kind in ("ADJ", "VERB") and fits(reading.feats, cell or self.cell) for reading in found):
            return False
        return self.words[at].upos is not None or not (self._is_finite(at) and self._is_determiner(at + 1))

    def _is_finite(self, at: int) -> bool:
        rows = self.inflector.forms.of_form(self.low(at))
        return any(split(row.inflection)[1].get("VerbForm") == "Fin" for row in rows)

    def _is_determiner(self, at: int) -> bool:
        if at >= len(self.words):
            return False
        rows = self.inflector.forms.of_form(self.low(at))
        return bool(determiner_cells(self.inflector.language, self.low(at))) or any(
            row.inflection.startswith("DET ") for row in rows
        )

    def _may_be_adverb(self, at: int) -> bool:
        rows = self.inflector.forms.of_form(self.low(at))
        return self.words[at].upos is None and any(row.inflection.startswith("ADV ") for row in rows)

    def joined(self, at: int, comma: bool = False) -> bool:
        """Whether only spaces and quotes stand before a word, or a comma."""
        gap = self.words[at].gap
        return bool(_SPACE.match(gap) or (comma and _COMMA.match(gap)))

    def low(self, at: int) -> str:
        return self.words[at].text.lower()

    def is_verb(self, at: int, lemmas: frozenset[str]) -> bool:
        """Whether a word is a form of a verb."""
        word = self.words[at]
        if word.upos not in (None, "VERB", "AUX"):
            return False
        rows = self.inflector.forms.of_form(word.text.lower())
        return any(row.lemma in lemmas and row.inflection.startswith("VERB ") for row in rows)

    def is_degree(self, at: int) -> bool:
        low = self.low(at)
        return low in self.adverbs or low.endswith("mente")

    def before(self) -> Iterator[int]:
        """Yield the words before the noun that agree with it."""
        at, first, determined = self.noun - 1, self.noun, False
        while at >= 0 and self.noun - at <= _REACH and self.joined(at + 1):
            if determined and not self.low(at).startswith(_ALL):
                break
            if self.agrees(at):
                # Without a determiner before it, *solo* is an adverb.
                if self._may_be_adverb(at) and not (at and self.joined(at) and self.agrees(at - 1)):
                    break
                yield at
                first = at
                # Numerals and possessives without a gender do not count: *aquellos dos*.
                shows = bool(determiner_cells(self.inflector.language, self.low(at)))
                determined = determined or (shows and not self.low(at).startswith(_AFTER_DETERMINERS))
            elif self.low(at) in self.conjunctions:
                if not (at > 0 and self.joined(at) and self.modifies(at - 1)):
                    break
            elif not self.is_degree(at):
                break
            at -= 1
        yield from self._whole(first)
        yield from self._predicate_before(first)

    def _whole(self, first: int) -> Iterator[int]:
        """Yield the pronoun of which the noun is a part: *una de las*; its number is its own."""
        at = first - 1
        if at < 1 or self.low(at) not in self.of or not (self.joined(first) and self.joined(at)):
            return
        found = readings(self.inflector, self.words[at - 1])
        if any(
            reading.kind in ("PRON", "DET") and fits(reading.feats, Cell(self.cell.gender, None)) for reading in found
        ):
            self.is_part = True
            yield at - 1

    def _predicate_before(self, first: int) -> Iterator[int]:
        at = first - 1
        stands = at >= 1 and first < self.noun and self.joined(first) and self.joined(at)
        if stands and self.modifies(at) and self.is_verb(at - 1, COPULAS[self.inflector.language]):
            yield at

    def behind(self) -> Iterator[int]:
        """Yield the words behind the noun that agree with it."""
        at, skipped = self.noun + 1, 0
        while at < len(self.words) and at - self.noun <= _REACH:
            if self.joined(at, comma=True) and self.modifies(at):
                yield at
                at += 1
                continue
            through = self._linked(at)
            if through is None and skipped < 2:
                through = self._of(at)
                skipped += through is not None
            if through is None:
                break
            at = through
        yield from self._predicate(at)

    def _linked(self, at: int) -> int | None:
        """Return the place behind adverbs and conjunctions that lead to another adjective."""
        start = at
        while (
            at < len(self.words)
            and self.joined(at, comma=at == start)
            and (self.is_degree(at) or self.low(at) in self.conjunctions)
        ):
            at += 1
        if at == start or at >= len(self.words):
            return None
        return at if self.joined(at) and self.modifies(at) else None

    def _of(self, at: int) -> int | None:
        """Return the place behind `de`, a noun, and what may agree with that; None: something else stands there."""
        if not (self.joined(at) and self.low(at) in self.of):
            return None
        at += 1
        while at < len(self.words) and self.joined(at) and not self._nouns(at):
            if not readings(self.inflector, self.words[at]):
                return None
            at += 1
        if at >= len(self.words) or not self.joined(at):
            return None
        cells = self._nouns(at)
        at += 1
        while at < len(self.words) and self.joined(at) and any(self.agrees(at, cell) for cell in cells):
            at += 1
        return at

    def _nouns(self, at: int) -> list[Cell]:
        if self.words[at].upos not in (None, "NOUN"):
            return []
        kinds = [split(row.inflection) for row in self.inflector.forms.of_form(self.low(at))]
        if self.words[at].upos is None and any(kind in ("DET", "ADP") for kind, _ in kinds):
            return []
        return [Cell(feats.get("Gender"), feats.get("Number")) for kind, feats in kinds if kind == "NOUN"]

    def _predicate(self, at: int) -> Iterator[int]:
        """Yield the adjectives and participles behind a copula whose subject the noun is, or `que` for it."""
        language = self.inflector.language
        copulas, auxiliaries = COPULAS[language], AUXILIARIES[language]
        relative = at < len(self.words) and self.joined(at, comma=True) and self.low(at) in RELATIVE
        if relative:
            at += 1
        elif self._behind_preposition() and not self.is_part:
            return
        # *Una de las casas fue vendida*: the predicate has the number of the pronoun.
        cell = Cell(self.cell.gender, None) if self.is_part and not relative else self.cell
        while at < len(self.words) and self.joined(at) and (self.is_degree(at) or self.is_verb(at, auxiliaries)):
            at += 1
        if not (at < len(self.words) and self.joined(at) and self.is_verb(at, copulas)):
            return
        at += 1
        while at < len(self.words) and self.joined(at):
            if self.modifies(at, cell):
                yield at
            elif not (self.is_degree(at) or self.low(at) in self.conjunctions or self.is_verb(at, copulas)):
                return
            at += 1

    def _behind_preposition(self) -> bool:
        at = self.noun - 1
        while at >= 0 and self.joined(at + 1):
            if self.low(at) in self.prepositions:
                return True
            if not (self.agrees(at) or self.is_degree(at) or readings(self.inflector, self.words[at])):
                return False
            at -= 1
        return False

    def by_heads(self) -> Iterator[int]:
        """Yield the words that agree with the noun by the heads of the sentence."""
        reached = {self.noun}
        head = self.words[self.noun].head
        marked = any(word.head == self.noun and word.text.lower() in self.prepositions for word in self.words)
        if head is not None and head >= 0 and not marked and self.modifies(head):
            reached.add(head)
            yield head
        for _ in range(_LINKS):
            for at, word in enumerate(self.words):
                if at not in reached and word.head in reached and self.agrees(at) and word.upos != "AUX":
                    reached.add(at)
                    yield at


def agreeing(words: Sequence[SentenceWord], noun: int, cell: Cell, inflector: Inflecting) -> list[int]:
    """Return the places of the words that agree with a noun, in their order.

    Args:
        words: of the sentence.
        noun: its place.
        cell: gender and number that it has there.
        inflector: a form dictionary of the language, one of `GENDERED`.
    """
    around = _Around(words, noun, cell, inflector)
    found = set(around.before())
    found |= set(around.by_heads() if words[noun].head is not None else around.behind())
    return sorted(found)


_LETTERS = ("a", "o")  # as determiners they may be prepositions or conjunctions


def noun_readings(inflector: Inflecting, form: str) -> list[dict[str, str]]:
    """Return the features that a form in lower case has as a noun in the dictionary."""
    kinds = [split(row.inflection) for row in inflector.forms.of_form(form)]
    return [feats for kind, feats in kinds if kind == "NOUN"]


def cell_in_place(inflector: Inflecting, form: str, feats: Mapping[str, str], before: str | None) -> Cell:
    """Return gender and number of a noun in a sentence: by its features, the dictionary, or the determiner before it.

    Args:
        inflector: of its language.
        form: in lower case; of a phrase the head.
        feats: of the annotation, empty if there is none.
        before: the word before it in lower case; None: there is none.
    """
    known = noun_readings(inflector, form)
    gender = feats.get("Gender") or _only(known, "Gender")
    number = feats.get("Number") or _only(known, "Number")
    if before is not None and before not in _LETTERS and None in (gender, number):
        cells = determiner_cells(inflector.language, before)
        shown = [cell for cell in cells if gender in (None, cell[0]) and number in (None, cell[1])]
        if len(shown) == 1:
            gender, number = gender or shown[0][0], number or shown[0][1]
    return Cell(gender, number)


def cell_of(inflector: Inflecting, form: str, own: Cell) -> Cell:
    """Return gender and number of a noun in another's place; those of the other where the dictionary does not decide.

    Args:
        inflector: of its language.
        form: in lower case; of a phrase the head.
        own: those of the other.
    """
    known = noun_readings(inflector, form)
    if not known:  # a guess by its ending would move words that agree
        return own
    fitting = [feats for feats in known if fits(feats, Cell(None, own.number))]
    number = own.number if fitting else _only(known, "Number")
    fitting = fitting or known
    agrees = own.gender is not None and any(fits(feats, Cell(own.gender, None)) for feats in fitting)
    return Cell(own.gender if agrees else _only(fitting, "Gender"), number)


def is_person(inflector: Inflecting, form: str) -> bool:
    """Return whether a noun has a form for either gender (*filósofo*, *filósofa*), or is known to denote a person.

    Animals of two forms count, too.
    """
    lemmas = lemmas_of(inflector, form, "NOUN", others=False)
    if not {form, *lemmas}.isdisjoint(PERSONS.get(inflector.language, ())):
        return True
    return bool(lemmas) and all(_has_both(inflector, lemma) for lemma in lemmas)


def _has_both(inflector: Inflecting, lemma: str) -> bool:
    made = [inflector.inflect(lemma, "NOUN", {"Gender": gender, "Number": "Sing"}) for gender in ("Masc", "Fem")]
    return len({one.form for one in made if one is not None and one.source == "dictionary"}) == len(made)


def _only(known: Sequence[Mapping[str, str]], name: str) -> str | None:
    """Return the value that all features have; None: there are several, or none."""
    values = {feats.get(name) for feats in known}
    return values.pop() if len(values) == 1 else None
