"""A sentence of a corpus as a line of text, and where its tokens stand in it.

>>> sentence_text(["The", "sea", "."], [4, 8, 11], [7, 11, 12], "It. The\\nsea.")
SentenceText(text='The sea.', starts=[0, 4, 7], ends=[3, 7, 8])
>>> sentence_text(["The", "sea"], None, None, None)
SentenceText(text='The sea', starts=[0, 4], ends=[3, 7])
"""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

# Replaced one for one, so that offsets stay valid: a sentence is one line.
_SPACE = re.compile(r"\s")


class SentenceText(NamedTuple):
    """A sentence as a line, and the places of its tokens there, in code points."""

    text: str
    starts: list[int]
    ends: list[int]


def sentence_text(
    forms: Sequence[str], starts: Sequence[int] | None, ends: Sequence[int] | None, text: str | None, begin: int = 0
) -> SentenceText:
    """Return a sentence as its document has it, from the first form to the last, every white space made a space.

    Without a text, or places in it, the sentence is its forms with spaces between them.

    Args:
        forms: of the tokens.
        starts, ends: of the tokens, in the document's text.
        text: of the document.
        begin: where `text` begins in the document, if it is a part of it.
    """
    if text is None or not starts or not ends:
        firsts = [0, *itertools.accumulate(len(form) + 1 for form in forms)]
        return SentenceText(
            " ".join(forms), firsts[:-1], [first + len(form) for first, form in zip(firsts, forms, strict=False)]
        )
    first, last = min(starts), max(ends)
    line = _SPACE.sub(" ", text[first - begin : last - begin])
    return SentenceText(line, [start - first for start in starts], [end - first for end in ends])
