"""Choices of a sentence: targets with their candidates, and what becomes of them, as edits of the sentence."""

from collections.abc import Sequence
from typing import NamedTuple

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
