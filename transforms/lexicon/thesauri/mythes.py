"""MyThes files (LibreOffice, OpenThesaurus).

The first line names the encoding; then `word|n` and, for its n senses, lines `(pos)|member|member...`, with `-` or
nothing for no part of speech. Remarks in brackets may follow a member: `generic term` makes it a hypernym, `antonym`
takes it out, and others are removed from its text. Commas separate members, too, since some files use them so. An
entry without a word (`|2`, in Debian's `mythes-de`) is left out with its senses.

    >>> lines = [b"UTF-8\\n", b"house|2\\n", b"(n)|home|building (generic term)\\n", b"-|firm\\n"]
    >>> for word, sense in read_mythes(ThesaurusFile("th.dat", lines)):
    ...     print(word, sense.id, sense.pos, [member.text for member in sense.members])
    house house#1 NOUN ['home', 'building']
    house house#2 None ['firm']
"""

import codecs
import re
from collections.abc import Iterator

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.lexicon.thesauri.senses import (
    Member,
    ThesaurusFile,
    ThesaurusSense,
    WordSense,
    decoded,
    pos_of,
    tidy,
)

_REMARK = re.compile(r"\s*\)([^()]*)\(")  # backwards
_ANTONYM = re.compile(r"ant.*n[iyí]m", re.IGNORECASE)
_HEAD = re.compile(r"(.*)\|(\d+)\s*\Z")


def is_encoding(name: str) -> bool:
    """Return whether text can be of an encoding of this name."""
    try:
        b"a".decode(python_name(name))
    except (LookupError, ValueError):  # also codecs of other things than text, or of 16-bit units
        return False
    return True


def read_mythes(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the senses of a MyThes file with their words, in lower case; counts `no_word`, senses of no word.

    Raises:
        LexbeamError: a line is wrong.
    """
    path, encoding = source.path, source.options.encoding
    word, left, number_of_sense = "", 0, 0
    for number, raw in enumerate(source.lines, start=1):
        if number == 1:
            name = raw.removeprefix(codecs.BOM_UTF8).strip().decode("ascii", "replace")
            encoding = encoding or name
            if not is_encoding(encoding):
                raise LexbeamError(
                    f"{path}: line 1 should name the encoding, not {name[:60]!r}: name it, FILE:encoding=NAME"
                )
            continue
        line = decoded(raw, encoding, path, number)
        if not left:
            if not line.strip():
                continue
            head = _HEAD.match(line)
            if head is None:
                raise source.wrong(number, "WORD|SENSES", line)
            word, left, number_of_sense = tidy(head[1]).lower(), int(head[2]), 0
            continue
        pos, bar, rest = line.partition("|")
        if not bar:
            raise LexbeamError(
                f"{path}: line {number} should be a sense, POS|WORD|..., not {line[:60]!r}: repair "
                f"it, or the number of senses of {word!r}"
            )
        left -= 1
        number_of_sense += 1
        members = tuple(_members(rest))
        if not word:
            source.left_out["no_word"] += 1
        elif members:
            yield word, ThesaurusSense(f"{word}#{number_of_sense}", pos_of(pos), members)
    if left:
        raise LexbeamError(f"{path} ends within the senses of {word!r}: take it anew")


def _members(text: str) -> Iterator[Member]:
    seen = set()
    for part in re.split(r"[|,]", text):
        remarks = []
        backwards, place = part[::-1], 0
        while remark := _REMARK.match(backwards, place):
            remarks.append(remark[1][::-1].strip().lower())
            place = remark.end()
        part = tidy(part[: len(part) - place])
        if part and part not in seen and not any(map(_ANTONYM.match, remarks)):
            seen.add(part)
            yield Member(part, hypernym="generic term" in remarks)
