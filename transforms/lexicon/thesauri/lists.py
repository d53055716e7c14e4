"""Lists of a person's own: a word a line, then one or more simpler ones, between tabs, semicolons or commas.

    >>> lines = [b"word,simpler\\n", b"commenced,began\\n", b'reimburse,"pay back, repay"\\n']
    >>> for word, sense in read_list(ThesaurusFile("own.csv", lines)):
    ...     print(word, [member.text for member in sense.members])
    commenced ['began']
    reimburse ['pay back', 'repay']

The first line settles what separates words: a tab, else a semicolon, else a comma. Further words of a cell stand
between `,`, `;` or `|`. A header is one whose cells are called as `HEADS` says; lines that begin with `#` are skipped.
"""

import re
from collections.abc import Iterator

from lexbeam.transforms.common.texts.encodings import csv_rows
from lexbeam.transforms.lexicon.thesauri.senses import Member, ThesaurusFile, ThesaurusSense, WordSense, tidy

SEPARATORS = ("\t", ";", ",")
# How the first two columns are called.
HEADS = (
    ("word", "words", "target", "term", "lemma", "token", "hard", "difficult", "complex", "original"),
    ("simpler", "simple", "easy", "easier", "replacement", "substitute", "substitutes", "synonym", "synonyms"),
)
_WITHIN = re.compile(r"[,;|]")


def read_list(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield a sense for each line.

    Raises:
        LexbeamError: a line has no word, no simpler one, or one without a letter.
    """
    separator = ""
    for number, line in source.texts():
        if line.startswith("#"):
            continue
        first = not separator
        separator = separator or next((mark for mark in SEPARATORS if mark in line), SEPARATORS[0])
        cells = [tidy(cell) for cell in next(csv_rows([line], separator))]
        if first and all(cell.lower() in names for cell, names in zip(cells, HEADS, strict=False)):
            continue
        words = dict.fromkeys(word for cell in cells[1:] for part in _WITHIN.split(cell) if (word := tidy(part)))
        if not cells[0] or not words or not all(any(map(str.isalpha, word)) for word in words):  # grades are no words
            raise source.wrong(number, f"WORD and SIMPLER WORD with {separator!r} between them", line)
        word = cells[0].lower()
        yield word, ThesaurusSense(f"{word}#{number}", None, tuple(map(Member, words)))
