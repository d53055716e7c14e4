"""Words spelled alike: what stands in for a word of which nothing is known (*chastiser*: *chastise*; *airbag*: *bag*).

Of known words one has the longest beginning in common with a word, and one the longest end; of several the shortest,
then the first. Derived words and compounds are thus led back to what they are made of, whatever the language.

>>> spelled_alike(SpelledWords(["condone", "pardonable", "conduct", "able"]), "condonable")
[('condone', 6), ('pardonable', 7)]
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import takewhile

_FEWEST = 3  # letters in common


class SpelledWords:
    """Words, ordered by their beginnings and by their ends."""

    def __init__(self, words: Iterable[str]) -> None:
        self.forwards = sorted(words)
        self.backwards = sorted(word[::-1] for word in self.forwards)


def spelled_alike(known: SpelledWords, word: str) -> list[tuple[str, int]]:
    """Return the known words that are spelled like a word, up to two, and how many letters each has in common with it.

    They have three letters in common at least. The word itself may be among them.
    """
    begins, common = _nearest(known.forwards, word)
    ends, common_at_end = _nearest(known.backwards, word[::-1])
    found = [(begins, common), (ends[::-1], common_at_end)]
    return [(other, letters) for other, letters in found if letters >= _FEWEST]


def _nearest(ordered: list[str], word: str) -> tuple[str, int]:
    """Return the shortest of the words that have the longest beginning in common with a word, and its length."""
    at = bisect_left(ordered, word)
    common = max((_common(word, other) for other in ordered[max(at - 1, 0) : at + 1]), default=0)
    if common < _FEWEST:
        return "", 0
    begin = word[:common]
    after = bisect_right(ordered, begin, key=lambda other: other[:common])
    alike = ordered[bisect_left(ordered, begin) : after]
    return min(alike, key=lambda other: (len(other), other)), common


def _common(word: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
