"""The place of a target in its sentence.

>>> locate("A cat sat on the catalogue.", "cat")
Located(start=2, end=5, flags=())
>>> locate("The catalogue of cats.", "cat").flags
('within_word', 'several')
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.formats.records.text_cleaning import clean_value

_FLAGS = ("not_in_sentence", "within_word", "several", "wrong_offsets")


class Located(NamedTuple):
    """The place of a target.

    Attributes:
        start: its first code point in the sentence; None if it does not occur.
        end: the code point after its last one.
        flags: of `not_in_sentence`, `within_word`, `several`, `wrong_offsets`, in this order.
    """

    start: int | None
    end: int | None
    flags: tuple[str, ...]


def locate(sentence: str, token: str, near: int | None = None, *, sure: bool = False) -> Located:
    """Find a target in its sentence; case counts, the kind of apostrophe does not.

    Whole words come first: where a letter, digit or mark touches the target, it is part of a longer
    word. Of several places the first one counts, of those first that have the apostrophes of the target.

    Args:
        sentence: in NFC.
        token: the target, not empty, in NFC.
        near: where it starts according to a file; of several places the nearest one counts, and
            `wrong_offsets` is flagged.
        sure: whether that place is right, apart from changes by cleaning; nothing is flagged then.
    """
    if near is not None or token not in sentence:
        sentence, token = straight(sentence), straight(token)  # of the same length
    whole: list[int] = []
    within: list[int] = []
    for place in _places(sentence, token):
        # Of each kind two are kept: the nearest, and another one as proof that there are several.
        _keep(within if _touched(sentence, token, place) else whole, place, near)
    if sure and near is not None:
        best = min([*whole[:1], *within[:1]], key=lambda place: abs(place - near), default=None)
        if best is not None:
            return Located(best, best + len(token), ())
    flags = ["wrong_offsets"] if near is not None else []
    places = whole or within
    if not places:
        return Located(None, None, _ordered(["not_in_sentence", *flags]))
    if not whole:
        flags.append("within_word")
    if near is None and len(places) > 1:
        flags.append("several")
    return Located(places[0], places[0] + len(token), _ordered(flags))


def locate_at_offsets(raw: str, sentence: str, token: str, offsets: tuple[int, int] | None) -> Located:
    """Find a target at the offsets that a file gives; see `locate`.

    Args:
        raw: the sentence as the file has it, in which the offsets are counted.
        sentence: the same after `clean_value`, stripped.
        token: the target, cleaned in the same way.
        offsets: start and end; None if the file has none.
    """
    if offsets is None:
        return locate(sentence, token)
    start, end = offsets
    # Where it starts in the clean text, which has lost some characters.
    near = len(clean_value(raw[:start]).lstrip())
    sure = start < end and straight(clean_value(raw[start:end]).strip()) == straight(token)
    return locate(sentence, token, near, sure=sure)


def _places(sentence: str, token: str) -> Iterator[int]:
    place = sentence.find(token)
    while place >= 0:
        yield place
        place = sentence.find(token, place + 1)


def _keep(nearest: list[int], place: int, near: int | None) -> None:
    if not nearest:
        nearest.append(place)
    elif near is not None and abs(place - near) < abs(nearest[0] - near):
        nearest[:] = [place, nearest[0]]
    elif len(nearest) == 1:
        nearest.append(place)


def _touched(sentence: str, token: str, place: int) -> bool:
    end = place + len(token)
    before = place > 0 and _of_word(sentence[place - 1]) and _of_word(token[0])
    after = end < len(sentence) and _of_word(sentence[end]) and _of_word(token[-1])
    return before or after


def _of_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def _ordered(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(flag for flag in _FLAGS if flag in flags)
