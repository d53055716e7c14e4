r"""What stands before a place in a text, matched from there backwards.

A pattern that ends in `\Z` is tried at each place of a text, and where it begins with a run of letters this takes
time that grows with the square of the run. Read backwards it is tried at one place.

>>> match = match_backwards(re.compile(r" *(\w+)"), "the old house", 8)
>>> match[1][::-1] if match else None
'old'
"""

import re

WINDOW = 200  # characters that are looked at: no word is longer


def match_backwards(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """Match a pattern with what stands before a place, read backwards; None: not within `WINDOW` characters.

    Args:
        pattern: of text read backwards; so are the groups of the match.
        text: as it is written.
        end: the place.
    """
    match = pattern.match(text[max(0, end - WINDOW - 1) : end][::-1])
    return None if match is None or match.end() > WINDOW else match
