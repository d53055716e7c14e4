"""Apostrophes: signs that people, keyboards and printers write for one another.

A word is the same whichever it has, so that words are compared by their straight form; what is published keeps its
sign. Each sign is one code point, as the straight one is: a place in the straight form is the same place in the text.

- U+0027, the key of a keyboard; U+2019, what is printed, and what Unicode prefers.
- U+2018 and U+201B, what word processors make of a key at the start of a word (*‘tis*).
- U+02BC and U+02BB, letters of Ukrainian and Breton, of Hawaiian and Uzbek, for which all of the above are typed.
- U+FF07, the key of keyboards for Chinese and Japanese.

Not among them are primes (U+2032, U+02B9: minutes, feet, the soft sign of transliterations) and accents that stand
alone (U+0060, U+00B4): they mean something else, or begin a quotation.

    >>> straight("o’clock"), straight("Oʻzbek"), straight("5′ 3″")
    ("o'clock", "O'zbek", '5′ 3″')
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_SIGNS = "\u2019\u2018\u201b\u02bc\u02bb\uff07"
_ANY = re.compile(f"[{_SIGNS}]")
_LEADS = sorted({sign.encode()[0] for sign in _SIGNS})  # their first bytes


def straight(text: str) -> str:
    """Return a text with straight apostrophes, of the same length."""
    return text if text.isascii() else _ANY.sub("'", text)


def straight_words(words: pa.Array) -> pa.Array:
    """Return words with straight apostrophes; the array itself if they have no others.

    Args:
        words: string or large_string.
    """
    buffer = words.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
    if not any((data == lead).any() for lead in _LEADS):  # of most lists; much faster than the search below
        return words
    curly = pc.fill_null(pc.match_substring_regex(words, _ANY.pattern), False)
    if not curly.true_count:
        return words
    return pc.replace_with_mask(words, curly, pc.replace_substring_regex(words.filter(curly), _ANY.pattern, "'"))
