"""What is no running text within a text: its words are read, and none of them is taken for a word to simplify.

>>> text = "Ask @ann on www.a.org/new-era of #OldTown: AT&amp;T, <b class='x'>"
>>> [(text[start:end], why) for start, end, why in fixed_in(text)][:3]
[('@ann', 'address'), ('www.a.org/new-era', 'address'), ('#OldTown', 'address')]
>>> [(text[start:end], why) for start, end, why in fixed_in(text)][3:]
[('AT&amp;T', 'code'), ("<b class='x'>", 'code')]
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["FIXED", "FixedPlaces", "fixed_in"]

# `code` is also markup that the format does not read, such as `&amp;` in plain text.
FIXED = {"code": "in code or the like", "address": "in addresses, hashtags or @names"}

# Linear in the text: a run of letters is looked through from its first one alone, and schemes are short.
_PATTERN = re.compile(
    r"(?P<address>\b[a-z][a-z0-9+.-]{0,30}+://\S++"
    r"|\bwww\.\S++"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"
    r"|(?<![\w./-])(?:[\w-]++\.)++[a-z]{2,}/\S*+"
    r"|(?<![\w&])[#@][^\W\d]\w*+(?:[.-]\w++)*+)"
    r"|(?P<code>(?:(?<!\w)\w++)?+(?:&(?:\#[0-9]++|\#x[0-9a-f]++|[a-z][a-z0-9]*+);\w*+)++"
    r"|</?+[a-z][^<>]*+>)",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[/@#&<]|www\.", re.IGNORECASE)  # one of which is in each of them


def fixed_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where in a text stands what is none, and what it is, a key of `FIXED`."""
    if _SIGNS.search(text):
        for found in _PATTERN.finditer(text):
            yield *found.span(), str(found.lastgroup)


class FixedPlaces(NamedTuple):
    """Stretches of a text in which a format lets no words be replaced, such as code.

    Attributes:
        starts, ends: their places, in order.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def holds(self, start: int, end: int) -> bool:
        """Return whether a word of the text lies in one of them, or reaches into it."""
        at = bisect_left(self.starts, end) - 1
        return at >= 0 and self.ends[at] > start
