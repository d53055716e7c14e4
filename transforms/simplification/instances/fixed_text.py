"""What is no running text within a text: its words are read, and none of them is taken for a word to simplify.

>>> text = "Ask @ann on www.a.org/new-era of #OldTown: AT&amp;T, <b class='x'>"
>>> found = fixed_places(text)
>>> [text[start:end] for start, end in zip(found.starts, found.ends)]
['@ann', 'www.a.org/new-era', '#OldTown', 'AT&amp;T', "<b class='x'>"]
>>> found.kind(4, 8), found.kind(text.index("AT"), text.index("AT") + 2), found.kind(0, 3)
('address', 'code', None)
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from lexbeam.transforms.formats.spans.origin import code_places

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


class FixedPlaces(NamedTuple):
    """Stretches of a text in which no words are replaced, since they are none: code, by its format, or addresses.

    Attributes:
        starts, ends: their places, in order; they do not overlap.
        kinds: keys of `FIXED`; empty: all are code.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()

    def kind(self, start: int, end: int) -> str | None:
        """Return what the first of them is that a stretch of the text lies in, or reaches into; None: there is none."""
        at = bisect_right(self.ends, start)
        if at == len(self.ends) or self.starts[at] >= end:
            return None
        return self.kinds[at] if self.kinds else "code"


def fixed_codes(text: str) -> FixedPlaces:
    """Return where in a text codes stand, such as those of templates, which may hold several sentences."""
    return FixedPlaces(*zip(*found, strict=True)) if (found := code_places(text)) else FixedPlaces()


def fixed_places(text: str) -> FixedPlaces:
    """Return where in a text stands what is none."""
    found = [(*at.span(), str(at.lastgroup)) for at in _PATTERN.finditer(text)] if _SIGNS.search(text) else ()
    return FixedPlaces(*zip(*found, strict=True)) if found else FixedPlaces()
