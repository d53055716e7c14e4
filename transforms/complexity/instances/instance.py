"""What an instance is: where a target stands in its sentence, its flags, its id.

The id is a hash of content. It begins with the hash of the sentence and goes on with that of kind,
genre, target and place, so that in the order of ids the targets of a sentence follow each other,
and what is the same target at the same place lies side by side.

>>> locate("A cat sat on the catalogue.", "cat")
Located(start=2, end=5, flags=())
>>> locate("The catalogue of cats.", "cat").flags
('within_word', 'several')
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schemas.complexity.instances import FLAGS
from transforms.common.code.fingerprints import digest
from transforms.formats.records.text_cleaning import clean_value

__all__ = [
    "KEY_DIGITS",
    "Located",
    "Settled",
    "content_key",
    "in_flag_order",
    "instance_id",
    "kind_of",
    "locate",
    "locate_given",
    "settle",
    "split_of",
]

_SENTENCE, _TARGET, _REST = 12, 8, 12
KEY_DIGITS = _SENTENCE + _TARGET
_SPLITS = ("train", "trial", "dev", "test")


class Located(NamedTuple):
    """Where a target stands.

    Attributes:
        start: its first code point in the sentence; None where it does not occur.
        end: the code point after its last one.
        flags: keys of `FLAGS`.
    """

    start: int | None
    end: int | None
    flags: tuple[str, ...]


def locate(sentence: str, token: str, near: int | None = None, *, sure: bool = False) -> Located:
    """Find a target in its sentence; case counts.

    Whole words come first: where a letter, digit or mark touches the target, it is part of a longer
    word. Of several places the first one counts.

    Args:
        sentence: in NFC.
        token: the target, not empty, in NFC.
        near: where a file says that it starts; of several places the nearest one counts, and
            `wrong_offsets` is flagged.
        sure: whether the place is right but for what cleaning has changed; nothing is flagged then.
    """
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
    found = whole or within
    if not found:
        return Located(None, None, tuple(in_flag_order(["not_in_sentence", *flags])))
    if not whole:
        flags.append("within_word")
    if near is None and len(found) > 1:
        flags.append("several")
    return Located(found[0], found[0] + len(token), tuple(in_flag_order(flags)))


def locate_given(raw: str, sentence: str, token: str, offsets: tuple[int, int] | None) -> Located:
    """Find a target where a file says that it stands; see `locate`.

    Args:
        raw: the sentence as the file has it, which the offsets are counted in.
        sentence: it as `clean_value` leaves it, stripped.
        token: the target, cleaned likewise.
        offsets: start and end; None: not given.
    """
    if offsets is None:
        return locate(sentence, token)
    start, end = offsets
    # Where it starts in the text as it is cleaned, which takes signs away.
    near = len(clean_value(raw[:start]).lstrip())
    sure = start < end and clean_value(raw[start:end]).strip() == token
    return locate(sentence, token, near, sure=sure)


def _places(sentence: str, token: str) -> Iterator[int]:
    place = sentence.find(token)
    while place >= 0:
        yield place
        place = sentence.find(token, place + 1)


def _keep(kept: list[int], place: int, near: int | None) -> None:
    if not kept:
        kept.append(place)
    elif near is not None and abs(place - near) < abs(kept[0] - near):
        kept[:] = [place, kept[0]]
    elif len(kept) == 1:
        kept.append(place)


def _touched(sentence: str, token: str, place: int) -> bool:
    end = place + len(token)
    before = place > 0 and _of_word(sentence[place - 1]) and _of_word(token[0])
    after = end < len(sentence) and _of_word(sentence[end]) and _of_word(token[-1])
    return before or after


def _of_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def in_flag_order(flags: Sequence[str]) -> list[str]:
    """Return flags once each, in the order of `FLAGS`."""
    return [flag for flag in FLAGS if flag in flags]


def kind_of(token: str) -> str:
    """Return `mwe` for a target that holds white space, `single` for any other."""
    return "mwe" if len(token.split()) > 1 else "single"


def split_of(name: str) -> str | None:
    """Return the split that a file's name says: train, trial, dev or test, as a word of its own.

    >>> split_of("data/lcp_single_train.tsv"), split_of("testimony.tsv")
    ('train', None)
    """
    words = re.split(r"[^a-z]+", name.rpartition("/")[2].lower())
    return next((word for word in reversed(words) if word in _SPLITS), None)


def content_key(*, kind: str, genre: str | None, sentence: str | None, token: str, start: int | None) -> str:
    """Return the first 20 digits of an instance's id: what sentence, target and place it is.

    Instances with one key differ in nothing else but the source's id.
    """
    first = digest(["sentence", sentence] if sentence is not None else ["word", token])
    return first[:_SENTENCE] + digest([kind, genre, token, start])[:_TARGET]


def instance_id(
    *,
    kind: str,
    genre: str | None,
    sentence: str | None,
    token: str,
    start: int | None,
    source_id: str | None = None,
    number: int = 0,
) -> str:
    """Return the id of an instance, 32 hexadecimal digits.

    Args:
        kind: single or mwe.
        genre: its genre.
        sentence: its sentence in NFC; None for a word of a list.
        token: the target as it stands.
        start: where the target starts in the sentence, in code points.
        source_id: its id in the file that it came from.
        number: which of the instances that are equal in all this, from 0.
    """
    key = content_key(kind=kind, genre=genre, sentence=sentence, token=token, start=start)
    return _with_rest(key, source_id, number)


def _with_rest(key: str, source_id: str | None, number: int) -> str:
    return key + digest([source_id, number])[:_REST]


class Settled(NamedTuple):
    """The id of one of the instances of a key.

    Attributes:
        instance_id: its id.
        place: which one it is, of those that `settle` was given.
        duplicate_of: the id of the first one, None if it is this one.
    """

    instance_id: str
    place: int
    duplicate_of: str | None


def settle(key: str, source_ids: Sequence[str | None]) -> list[Settled]:
    """Return the instances of one key in the order of their ids.

    The one with the smallest id is the first, and the others are duplicates of it; so it does not
    depend on the order of files and rows.

    Args:
        key: what `content_key` returns for all of them.
        source_ids: their ids in the file; those with one id are numbered as they come.
    """
    times: dict[str | None, int] = {}
    found = []
    for place, source_id in enumerate(source_ids):
        number = times.get(source_id, 0)
        times[source_id] = number + 1
        found.append((_with_rest(key, source_id, number), place))
    found.sort()
    first = found[0][0]
    return [Settled(name, place, None if name == first else first) for name, place in found]
