"""The words of a sentence as they stand while choices are placed, with their annotation, and what each may be.

Words are those that the sentence shows: an annotation that divides *del* into two tokens gives it that of the first.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting

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
