"""Flags and ids of instances.

The id is a hash of content. It begins with the hash of the sentence and continues with that of kind,
genre, target and place, so that in the order of ids the targets of a sentence follow each other, and
equal targets at the same place are adjacent.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from lexbeam.schemas.complexity import FLAGS
from lexbeam.transforms.common.code.fingerprints import digest

_SENTENCE, _TARGET, _REST = 12, 8, 12
KEY_DIGITS = _SENTENCE + _TARGET
_SPLITS = ("train", "trial", "dev", "test")


def in_flag_order(flags: Sequence[str]) -> list[str]:
    """Return flags once each, in the order of `FLAGS`."""
    return [flag for flag in FLAGS if flag in flags]


def split_of(name: str) -> str | None:
    """Return the split named by a file's name: train, trial, dev or test, as a separate word.

    >>> split_of("data/lcp_single_train.tsv"), split_of("testimony.tsv")
    ('train', None)
    """
    words = re.split(r"[^a-z]+", name.rpartition("/")[2].lower())
    return next((word for word in reversed(words) if word in _SPLITS), None)


def content_key(*, kind: str, genre: str | None, sentence: str | None, token: str, start: int | None) -> str:
    """Return the first 20 digits of an instance's id, which encode sentence, target and place.

    Instances with the same key differ only in the source's id.
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
        number: its place among the instances that agree in all this, from 0.
    """
    key = content_key(kind=kind, genre=genre, sentence=sentence, token=token, start=start)
    return _with_rest(key, source_id, number)


def _with_rest(key: str, source_id: str | None, number: int) -> str:
    return key + digest([source_id, number])[:_REST]


class SettledId(NamedTuple):
    """The id of one of the instances with a key.

    Attributes:
        instance_id: its id.
        place: its place among the ids passed to `settle`.
        duplicate_of: the id of the first one, None if it is this one.
    """

    instance_id: str
    place: int
    duplicate_of: str | None


def settle(key: str, source_ids: Sequence[str | None]) -> list[SettledId]:
    """Return the instances of one key in the order of their ids.

    The one with the smallest id is the first, and the others are duplicates of it, whatever the order of
    files and rows.

    Args:
        key: the `content_key` of all of them.
        source_ids: their ids in the file; equal ones are numbered as they come.
    """
    times: dict[str | None, int] = {}
    ids = []
    for place, source_id in enumerate(source_ids):
        number = times.get(source_id, 0)
        times[source_id] = number + 1
        ids.append((_with_rest(key, source_id, number), place))
    ids.sort()
    first = ids[0][0]
    return [SettledId(name, place, None if name == first else first) for name, place in ids]
