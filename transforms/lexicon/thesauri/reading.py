"""Files of thesauri: senses with their members.

**MyThes** (LibreOffice, OpenThesaurus): the first line names the encoding; then `word|n` and, for
its n senses, lines `(pos)|member|member...`, with `-` or nothing for no part of speech. Remarks in
brackets may follow a member: `generic term` makes it a hypernym, `antonym` takes it out, and others
are removed from its text. Commas separate members, too, since some files use them so.

**tab** (Open Multilingual Wordnet, MCR): `synset<TAB>language:lemma<TAB>lemma`, where the synset
is `offset-pos`; underscores are spaces. Other lines (`spa:def`, comments) are skipped. A lemma that
begins with a backtick is English that nobody has translated: a placeholder.

    >>> lines = [b"UTF-8\\n", b"house|2\\n", b"(n)|home|building (generic term)\\n", b"-|firm\\n"]
    >>> for word, sense in read_mythes(lines, "", "th.dat"):
    ...     print(word, sense.id, sense.pos, [member.text for member in sense.members])
    house house#1 NOUN ['home', 'building']
    house house#2 None ['firm']
"""

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import LexbeamError
from transforms.lexicon.compiled.opening import LINE_BYTES, opened, reading

__all__ = [
    "READERS",
    "Member",
    "ThesaurusFormat",
    "ThesaurusSense",
    "detect",
    "read_mythes",
    "read_tab",
    "read_thesaurus",
]

PLACEHOLDER = "`"


class Member(NamedTuple):
    """A word of a sense.

    Attributes:
        text: NFC, with spaces.
        hypernym: whether it is a wider term.
        placeholder: whether it is not a word of the language.
    """

    text: str
    hypernym: bool = False
    placeholder: bool = False


class ThesaurusSense(NamedTuple):
    """A sense.

    Attributes:
        id: in tab files, the synset; in MyThes files, `word#n`.
        pos: part of speech of Universal Dependencies; None if the file does not say.
        members: its words, each once.
    """

    id: str
    pos: str | None
    members: tuple[Member, ...]


# Names of parts of speech in files, without brackets and dots.
_POS = {
    "n": "NOUN",
    "noun": "NOUN",
    "m": "NOUN",
    "f": "NOUN",
    "s": "NOUN",
    "sust": "NOUN",
    "v": "VERB",
    "verb": "VERB",
    "tr": "VERB",
    "intr": "VERB",
    "prnl": "VERB",
    "a": "ADJ",
    "adj": "ADJ",
    "adjective": "ADJ",
    "r": "ADV",
    "adv": "ADV",
    "adverb": "ADV",
    "interj": "INTJ",
}
# In synsets `s` is an adjective satellite.
_SYNSET = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
_REMARK = re.compile(r"\s*\)([^()]*)\(")  # backwards
_ANTONYM = re.compile(r"ant.*n[iyí]m", re.IGNORECASE)
_HEAD = re.compile(r"(.+)\|(\d+)\s*\Z")
_SYNSET_ID = re.compile(r"\S*\d-([nvasr])\Z")


def read_thesaurus(path: str, format: str, encoding: str) -> Iterator[tuple[str | None, ThesaurusSense]]:
    """Yield the senses of a file, each with its word; None: it is a sense of all of its members.

    Args:
        path: compressed or not.
        format: one of `READERS`; empty: detected.
        encoding: empty: the one of the format.

    Raises:
        LexbeamError: the file does not exist, is not of the format, or a line is wrong.
    """
    with reading(path), opened(path) as stream:
        lines = _lines(stream, path)
        first = next(lines, b"")
        yield from READERS[format or detect(first, path)].read(chain([first], lines), encoding, path)


def _lines(stream: Iterable[bytes], path: str) -> Iterator[bytes]:
    read = getattr(stream, "readline")  # noqa: B009 - iterating a stream has no limit
    number = 0
    while line := read(LINE_BYTES):
        number += 1
        if len(line) == LINE_BYTES:
            raise LexbeamError(f"{path}: line {number} has {LINE_BYTES:,} bytes: is it a thesaurus?")
        yield line


def detect(first: bytes, path: str) -> str:
    """Return the format of a file by its first line.

    Raises:
        LexbeamError: the line begins no known format.
    """
    line = first.removeprefix(codecs.BOM_UTF8).strip()
    if line.startswith(b"#") or b"\t" in line:
        return "tab"
    if line and b"|" not in line and _is_encoding(line.decode("ascii", "replace")):
        return "mythes"
    raise LexbeamError(
        f"{path}: line 1 is neither an encoding, as of MyThes, nor a comment or a synset with "
        "tabs: name the format, FILE:format=mythes or FILE:format=tab"
    )


def _is_encoding(name: str) -> bool:
    try:
        b"a".decode(name)
    except (LookupError, ValueError):  # also codecs of other things than text, or of 16-bit units
        return False
    return True


def _decoded(line: bytes, encoding: str, path: str, number: int) -> str:
    try:
        return unicodedata.normalize("NFC", line.decode(encoding)).rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise LexbeamError(f"{path}: line {number} is not {encoding}: name the encoding, FILE:encoding=NAME") from error


def read_mythes(lines: Iterable[bytes], encoding: str, path: str) -> Iterator[tuple[str | None, ThesaurusSense]]:
    """Yield the senses of a MyThes file with their words, in lower case.

    Raises:
        LexbeamError: a line is wrong.
    """
    word, left, number_of_sense = "", 0, 0
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            name = raw.removeprefix(codecs.BOM_UTF8).strip().decode("ascii", "replace")
            encoding = encoding or name
            if not _is_encoding(encoding):
                raise LexbeamError(
                    f"{path}: line 1 should name the encoding, not {name[:60]!r}: name it, FILE:encoding=NAME"
                )
            continue
        line = _decoded(raw, encoding, path, number)
        if not left:
            if not line.strip():
                continue
            head = _HEAD.match(line)
            if head is None:
                raise LexbeamError(
                    f"{path}: line {number} should be WORD|SENSES, not {line[:60]!r}: repair it, or give "
                    "another `format=`"
                )
            word, left, number_of_sense = _tidy(head[1]).lower(), int(head[2]), 0
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
        if word and members:
            yield word, ThesaurusSense(f"{word}#{number_of_sense}", _pos(pos), members)
    if left:
        raise LexbeamError(f"{path} ends within the senses of {word!r}: take it anew")


def _pos(text: str) -> str | None:
    names = re.findall(r"[a-zA-Z]+", text)
    return next((_POS[name.lower()] for name in names if name.lower() in _POS), None)


def _members(text: str) -> Iterator[Member]:
    seen = set()
    for part in re.split(r"[|,]", text):
        remarks = []
        backwards, place = part[::-1], 0
        while remark := _REMARK.match(backwards, place):
            remarks.append(remark[1][::-1].strip().lower())
            place = remark.end()
        part = _tidy(part[: len(part) - place])
        if part and part not in seen and not any(map(_ANTONYM.match, remarks)):
            seen.add(part)
            yield Member(part, hypernym="generic term" in remarks)


def _tidy(text: str) -> str:
    return " ".join(text.split())


def read_tab(lines: Iterable[bytes], encoding: str, path: str) -> Iterator[tuple[str | None, ThesaurusSense]]:
    """Yield the synsets of a tab file, in the order in which they begin; None stands for all members.

    Raises:
        LexbeamError: a line is wrong, or the file has no lemma.
    """
    synsets: dict[str, dict[Member, None]] = {}
    for number, raw in enumerate(lines, start=1):
        raw = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        line = _decoded(raw, encoding or "utf-8", path, number)
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) < 3 or _SYNSET_ID.match(cells[0]) is None:
            raise LexbeamError(
                f"{path}: line {number} should be OFFSET-POS, TYPE and LEMMA with tabs, not {line[:60]!r}: repair it, "
                "or give another `format=`"
            )
        if cells[1].rpartition(":")[2] != "lemma":
            continue
        text = _tidy(cells[2].replace("_", " "))
        shown = _tidy(text.removeprefix(PLACEHOLDER))
        if shown:
            members = synsets.setdefault(cells[0], {})
            members[Member(shown, placeholder=text.startswith(PLACEHOLDER))] = None
    if not synsets:
        raise LexbeamError(f"{path} has no line of a lemma (LANGUAGE:lemma): is it a wordnet?")
    for name, members in synsets.items():
        yield None, ThesaurusSense(name, _SYNSET[name[-1]], tuple(members))


Read = Callable[[Iterable[bytes], str, str], Iterator[tuple[str | None, ThesaurusSense]]]


@dataclass(frozen=True)
class ThesaurusFormat(Entry):
    """A format of thesauri: its reader yields words with their senses."""

    read: Read


READERS: Registry[ThesaurusFormat] = Registry(
    {
        "mythes": ThesaurusFormat(read_mythes, doc="MyThes, as LibreOffice has it"),
        "tab": ThesaurusFormat(read_tab, doc="a sense a line, words between tabs"),
    },
    what="format of thesauri",
    group="lexbeam.thesaurus_formats",
)
