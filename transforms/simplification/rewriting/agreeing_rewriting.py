"""All choices of a sentence placed together, and what stands around them made to agree; edits of the sentence come out.

Of each target the first candidate is placed that the sentence lets stand. A noun of another gender or number moves
what agrees with it (`concord`); words of other targets that were placed before agree, too. Then what depends on
sound is settled again for all words beside a changed one: `a` and `an`, *el agua*, *y* and *e*, *de el* to *del*.
A candidate is refused, and the next one tried, with a reason of `REFUSALS`. Without an inflector with genders
candidates stand as they are, with the word before them as generation has it.

>>> one = TargetChoice(2, 7, "NOUN", None, (Offer("house", None),))
>>> [edit.text for edit in resolve("A abode.", [one._replace(offers=(Offer("inn"),))], "en", None)[0].edits]
['An', 'inn']
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lexbeam.transforms.inflection.features import feats_of
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.placing import ARTICLES, beside, cased_like, determiner, determiner_cells
from lexbeam.transforms.simplification.rewriting.concord import (
    GENDERED,
    OF,
    PREPOSITIONS,
    Cell,
    Reading,
    SentenceToken,
    SentenceWord,
    agreeing,
    cell_in_place,
    cell_of,
    fits,
    is_person,
    noun_readings,
    readings,
    words_of,
)

AGREEMENT = ("move", "drop")
REFUSALS = {
    "no_agreement": "words around it would have to agree with it, and must or can not",
    "other_sex": "the noun is of another gender, and the target or it denotes a person",
    "overlaps": "its target overlaps another one",
}


class Offer(NamedTuple):
    """A candidate: the form with the target's capitals, and what the word before becomes as generation has it."""

    shown: str
    before: str | None = None


class TargetChoice(NamedTuple):
    """A target of the sentence, and its candidates, the first to be tried first.

    Attributes:
        start, end: code points of the sentence.
        upos, feats: the target's part of speech and FEATS; None: not known.
        offers: in the order of preference.
    """

    start: int
    end: int
    upos: str | None
    feats: str | None
    offers: Sequence[Offer]


class PlacedEdit(NamedTuple):
    """A stretch of a sentence and what stands there instead; `beside` tells that it is not the target itself."""

    start: int
    end: int
    text: str
    beside: bool = False


class Resolved(NamedTuple):
    """What became of a target.

    Attributes:
        chosen: which of the offers stands there; None: the target stays.
        edits: what changes for it, from left to right; edits of all targets do not overlap.
        refused: of the offers that were tried before, why they do not stand there, see `REFUSALS`.
    """

    chosen: int | None
    edits: tuple[PlacedEdit, ...]
    refused: tuple[str, ...]


def edited(text: str, edits: Sequence[PlacedEdit]) -> str:
    """Return a text with edits that do not overlap.

    >>> edited("a b c", [PlacedEdit(4, 5, "d"), PlacedEdit(0, 1, "the")])
    'the b d'
    """
    pieces, at = [], 0
    for edit in sorted(edits):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


_OPENED = re.compile(r"""\s*["'“‘«‹(\[¿¡]*\Z""")
# Before masculine nouns in the singular, `grande` before all.
_SHORT = {
    "primero": "primer",
    "tercero": "tercer",
    "bueno": "buen",
    "malo": "mal",
    "alguno": "algún",
    "ninguno": "ningún",
    "uno": "un",
    "grande": "gran",
}


def resolve(
    sentence: str,
    choices: Sequence[TargetChoice],
    language: str,
    inflector: Inflecting | None,
    agreement: str = "move",
    tokens: Sequence[SentenceToken] = (),
) -> list[Resolved]:
    """Return what becomes of the targets of a sentence, in the order of `choices`.

    Args:
        sentence: as it stands.
        choices: its targets.
        language: as in tables, such as `es` or `es-MX`.
        inflector: of that language; None: nothing is known of genders.
        agreement: `move`: words that agree with a noun are moved; `drop`: a candidate is refused if a word other than
            the determiner right before it would have to be.
        tokens: of its annotation; empty: not known.
    """
    return _Sentence(sentence, choices, language, inflector, agreement, tokens).resolved()


class _Sentence:
    """A sentence while its choices are placed."""

    def __init__(
        self,
        sentence: str,
        choices: Sequence[TargetChoice],
        language: str,
        inflector: Inflecting | None,
        agreement: str,
        tokens: Sequence[SentenceToken],
    ) -> None:
        self.sentence = sentence
        self.choices = choices
        self.language = language.partition("-")[0]
        gendered = inflector is not None and self.language in GENDERED and inflector.language == self.language
        self.inflector = inflector if gendered else None
        self.moves = agreement == "move"
        self.words, self.place_of = words_of(sentence, [choice[:2] for choice in choices], tokens)
        self.before = [word.text for word in self.words]  # as the sentence has them
        self.owners: dict[int, int] = {}  # of changed words, the choice that changed them
        self.cells: dict[int, Cell] = {}  # of placed nouns

    def resolved(self) -> list[Resolved]:
        """Place all choices: nouns last, for they move what was placed before."""
        chosen: dict[int, int] = {}
        refused: dict[int, list[str]] = {}
        order = sorted(range(len(self.choices)), key=lambda at: (self._is_noun(at), self.choices[at].start, at))
        for at in order:
            refused[at] = []
            for number, offer in enumerate(self.choices[at].offers):
                reason = self._place(at, offer) if at in self.place_of else "overlaps"
                if reason is None:
                    chosen[at] = number
                    break
                refused[at].append(reason)
        for at, number in sorted(chosen.items()):
            self._settle_before(at, self.choices[at].offers[number])
        for place in sorted(self.owners):
            self._settle_sound(place)
        edits = self._edits(chosen)
        return [
            Resolved(chosen.get(at), tuple(sorted(edits.get(at, ()))), tuple(refused[at]))
            for at in range(len(self.choices))
        ]

    def _is_noun(self, at: int) -> bool:
        """Whether a target is a noun, or stands as one: behind a determiner, before no noun (*los damnificados*)."""
        upos = self.choices[at].upos
        if upos in ("NOUN", "PROPN") or upos not in (None, "ADJ", "VERB"):
            return upos in ("NOUN", "PROPN")
        if at not in self.place_of or self.inflector is None or not noun_readings(self.inflector, self._target(at)):
            return False
        place = self.place_of[at]
        behind = self.words[place + 1] if place + 1 < len(self.words) else None
        alone = behind is None or behind.gap.strip() or not noun_readings(self.inflector, behind.text.lower())
        return upos is None or (self._is_determiner(place - 1) and bool(alone))

    def _target(self, at: int) -> str:
        return self.before[self.place_of[at]].split()[0].lower()

    def _place(self, at: int, offer: Offer) -> str | None:
        """Place an offer and move what agrees with it; return why it must not stand there, else None."""
        place = self.place_of[at]
        if self.inflector is not None and self._is_noun(at):
            target, form = self._target(at), offer.shown.split()[0].lower()
            own = cell_in_place(
                self.inflector,
                target,
                feats_of(self.choices[at].feats),
                self.before[place - 1].lower() if place else None,
            )
            new = cell_of(self.inflector, form, own)
            other_gender = None not in (own.gender, new.gender) and own.gender != new.gender
            if other_gender and any(is_person(self.inflector, noun) for noun in (target, form)):
                return "other_sex"
            found = agreeing(self.words, place, own, self.inflector)
            moved = {other: self._moved(other, place, own, new) for other in found}
            if None in moved.values() or (own.number != new.number and not self._number_is_free(place, found)):
                return "no_agreement"
            changed = {other: form for other, form in moved.items() if form not in (None, self.words[other].text)}
            if not self.moves and any(not self._is_before(other, place) for other in changed):
                return "no_agreement"
            for other, form in changed.items():
                self.words[other].text = str(form)
                self.owners[other] = at
            if None not in new and (place - 1 in found or not self._is_determiner(place - 1)):
                self.cells[place] = new
        self.words[place].text = offer.shown
        self.owners[place] = at
        return None

    def _is_determiner(self, at: int) -> bool:
        return at >= 0 and bool(determiner_cells(self.language, self.words[at].text.lower()))

    def _is_before(self, other: int, place: int) -> bool:
        return other == place - 1 and self._is_determiner(other)

    def _number_is_free(self, place: int, found: Sequence[int]) -> bool:
        """Whether no verb need agree with a noun, whose number changes: it stands behind a preposition."""
        first = min([place, *found])
        return first > 0 and self.words[first - 1].text.lower() in PREPOSITIONS[self.language]

    def _moved(self, other: int, place: int, own: Cell, new: Cell) -> str | None:
        """Return a word as it agrees with the noun at `place` in another gender and number; None: it has no form."""
        assert self.inflector is not None
        text = self.words[other].text
        low = text.lower()
        if own == new or new.gender is None:
            return text
        numbers = [number for _, number in determiner_cells(self.language, low) if own.number in (None, number)]
        if numbers and not self._stands_alone(other):
            form = determiner(self.language, low, new.gender, new.number or numbers[0])
            return None if form is None else cased_like(form, text)
        found = readings(self.inflector, self.words[other])
        if self._stands_alone(other):
            found = [reading for reading in found if reading.kind == "PRON"] or found
        fitting = [reading for reading in found if fits(reading.feats, own)]
        wanted = new
        if not fitting:  # a pronoun of which the noun is a part
            fitting = [reading for reading in found if fits(reading.feats, Cell(own.gender, None))]
            wanted = Cell(new.gender, None)
        if not fitting or any(fits(reading.feats, wanted) for reading in fitting):
            return text
        form = self._inflected(fitting, wanted)
        if form is None:
            return None
        if other < place and wanted.number == "Sing" and self.language == "es" and not self._stands_alone(other):
            form = _SHORT.get(form, form) if wanted.gender == "Masc" or form == "grande" else form
        return cased_like(form, text)

    def _stands_alone(self, other: int) -> bool:
        """Whether `de` follows: *una de las casas*."""
        return other + 1 < len(self.words) and self.words[other + 1].text.lower() in OF[self.language]

    def _inflected(self, found: Sequence[Reading], wanted: Cell) -> str | None:
        assert self.inflector is not None
        for reading in found:
            feats = dict(reading.feats)
            if "Gender" in feats:
                feats["Gender"] = wanted.gender or feats["Gender"]
            if "Number" in feats:
                feats["Number"] = wanted.number or feats["Number"]
            made = self.inflector.inflect(reading.lemma, reading.kind, feats)
            if made is not None and any(
                fits(of.feats, wanted) for of in readings(self.inflector, SentenceWord(made.form, 0, 0, ""))
            ):
                return made.form
        return None

    def _settle_before(self, at: int, offer: Offer) -> None:
        """Give the word before a target what generation has for it, where nothing is known of genders."""
        place = self.place_of[at]
        if offer.before is None or place == 0 or place in self.cells or place - 1 in self.owners:
            return
        self.words[place - 1].text = offer.before
        self.owners[place - 1] = at

    def _settle_sound(self, place: int) -> None:
        """Give the word before a changed one, and that one, the shape that the sound behind them asks for."""
        for at in (place - 1, place):
            if at < 0 or at + 1 >= len(self.words) or self.language not in ARTICLES:
                continue
            word, behind = self.words[at], self.words[at + 1]
            if not _OPENED.match(behind.gap) or _is_letter(self.words, at):
                continue
            cell = self.cells.get(at + 1, Cell(None, None))
            feats = {name: value for name, value in zip(("Gender", "Number"), cell, strict=True) if value}
            made = beside(self.language, word.text, behind.text.split()[0], feats, is_noun=at + 1 in self.cells)
            if made is not None and made != word.text:
                word.text = made
                self.owners.setdefault(at, self.owners.get(at + 1, self.owners[place]))

    def _edits(self, chosen: dict[int, int]) -> dict[int, list[PlacedEdit]]:
        edits: dict[int, list[PlacedEdit]] = {}
        targets = {self.place_of[at]: at for at in chosen}
        merged = set(self._contracted())
        for place, owner in sorted(self.owners.items()):
            word, of = self.words[place], targets.get(place, owner)
            start, text = word.start, word.text
            if place in merged:
                first = self.words[place - 1]
                start, text = first.start, first.text + ("L" if text.isupper() else "l")
            if self.sentence[start : word.end] != text:
                edits.setdefault(of, []).append(PlacedEdit(start, word.end, text, place not in targets))
            right = self.sentence[word.end : word.end + 2]
            if place in targets and word.text.endswith(".") and right[:1] == "." and right != "..":
                # One full stop ends an abbreviation and the sentence.
                edits.setdefault(of, []).append(PlacedEdit(word.end, word.end + 1, "", True))
        return edits

    def _contracted(self) -> Iterator[int]:
        """Yield the places of articles that became `el` behind `de` or `a`, which they join."""
        fixed = {*self.owners, *self.place_of.values()}
        for place in self.owners:
            became = self.words[place].text.lower() == "el" and self.before[place].lower() != "el"
            if self.language == "es" and place and became and place not in self.place_of.values():
                first = self.words[place - 1].text.lower()
                if first in ("de", "a") and place - 1 not in fixed and self.words[place].gap.isspace():
                    yield place


def _is_letter(words: Sequence[SentenceWord], at: int) -> bool:
    """Whether a capital `A` is a letter, not an article: *vitamin A deficiency*."""
    follows = at > 0 and words[at].gap.isspace()
    return words[at].text == "A" and follows and words[at + 1].text[:1].islower()
