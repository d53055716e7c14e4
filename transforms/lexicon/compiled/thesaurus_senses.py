"""Senses of thesauri and their members; options of thesauri; the senses that dictionaries of two languages tell.

By such a dictionary words mean the same that share a translation, or translate one word. With the words of the side
`left`, those of which a translation is the same are members of a sense, whose id it is (one pivot, Spanish to English
and back); with those of the side `right`, the translations that one sense of a word has. Dictionaries have two formats:

**pairs**: `word<TAB>translation[<TAB>pos]`, a pair a line; lines that begin with `#` are skipped.

**freedict**: dictionaries of FreeDict as Debian's `dict-freedict-*` have them: FILE.dict or FILE.dict.dz, with
FILE.index beside it, whose lines say where each entry lies. An entry has a line of the word, its sounds and its part of
speech, `abadía /abadia/ <n, f>`, and a line of translations, between commas; or, for each sense, a line that begins
with its number. What else it says are remarks.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.characters import seen
from lexbeam.transforms.common.texts.encodings import likely_encoding
from lexbeam.transforms.lexicon.compiled.resource_kind import LINE_BYTES, opened, reading

SIDES = ("left", "right")


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
        id: in tab files, the synset; in dictionaries of two languages the word of the other one; else `word#n`.
        pos: part of speech of Universal Dependencies; None if the file does not say.
        members: its words, each once.
    """

    id: str
    pos: str | None
    members: tuple[Member, ...]


# A sense with its word; None: it is a sense of all of its members.
WordSense = tuple[str | None, ThesaurusSense]


@dataclass(frozen=True, kw_only=True)
class ThesaurusOptions:
    """How a thesaurus is read.

    Attributes:
        format: an entry of `thesaurus_formats.READERS`; empty: detected from the first line.
        encoding: of the text; empty: the one that a MyThes file names, else UTF-8.
        language: of the words, in files of several languages; empty: not named.
        side: of the words, in dictionaries of two languages, one of `SIDES`; empty: left.
        least: the least weight or score of a line, where lines have one; None: any.
    """

    format: str = ""
    encoding: str = ""
    language: str = ""
    side: str = ""
    least: float | None = None


@dataclass(frozen=True)
class ThesaurusFile:
    """A file of a thesaurus while it is read.

    Attributes:
        path: its path.
        lines: its lines, with their ends.
        options: how it is read.
        left_out: counts what is left out, by reason.
    """

    path: str
    lines: Iterable[bytes]
    options: ThesaurusOptions = ThesaurusOptions()
    left_out: Counter[str] = field(default_factory=Counter)

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that have text, with their numbers from 1, as `decoded` has them.

        Raises:
            LexbeamError: a line is of another encoding.
        """
        for number, line in enumerate(self.lines, start=1):
            text = decoded(line, self.options.encoding or "utf-8", self.path, number)
            text = text.removeprefix("\ufeff") if number == 1 else text
            if text and not text.isspace():
                yield number, text

    def wrong(self, number: int, should: str, text: str) -> LexbeamError:
        """Return the error of a line that is not as it should be."""
        return LexbeamError(
            f"{self.path}: line {number} should be {should}, not {text[:60]!r}: repair it, or give another `format=`"
        )


Read = Callable[[ThesaurusFile], Iterator[WordSense]]


@dataclass(frozen=True)
class ThesaurusFormat(Entry):
    """A format of thesauri: its reader yields words with their senses.

    Attributes:
        read: the reader.
        takes: those of `side` and `least` that mean something to it.
        line_bytes: no line is that long.
    """

    read: Read
    takes: tuple[str, ...] = ()
    line_bytes: int = LINE_BYTES


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
    "intj": "INTJ",
}


def pos_of(text: str) -> str | None:
    """Return the part of speech that a text names, as `(sust.)` or `n, f` do; None: it names none.

    >>> pos_of("(sust.)"), pos_of("n, f"), pos_of("-")
    ('NOUN', 'NOUN', None)
    """
    names = re.findall(r"[a-zA-Z]+", text)
    return next((_POS[name.lower()] for name in names if name.lower() in _POS), None)


def tidy(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def decoded(line: bytes, encoding: str, path: str, number: int) -> str:
    """Return a line as text, NFC, without its end.

    Raises:
        LexbeamError: it is of another encoding.
    """
    try:
        return unicodedata.normalize("NFC", seen(line.decode(encoding))).rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise LexbeamError(
            f"{path}: line {number} is not {encoding}{likely_encoding(line)}: name the encoding, FILE:encoding=NAME"
        ) from error


_ENDS = (".dict", ".dict.dz")
_HEADER = ("00database", "00-database")
_DIGITS = {letter: n for n, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_NUMBER = re.compile(r"(\d{1,3})\. ")
_LAST_NUMBER = re.compile(r" \d{1,3}\.\Z")  # of remarks that stand on the next lines
_BRACKETS = re.compile(r"\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}")
_COMMA = re.compile(r"[,;]")


def is_freedict(path: str) -> bool:
    """Return whether a path is that of a dictionary of FreeDict, by its name."""
    return path.endswith(_ENDS)


def index_of(path: str) -> str:
    """Return the path of the index of a dictionary."""
    return path.removesuffix(".dz").removesuffix(".dict") + ".index"


class _Translated:
    """Pairs of words and translations as senses, on the side that is asked for."""

    def __init__(self, side: str) -> None:
        self._by_words = side != "right"
        self._senses: dict[tuple[str, str | None], dict[str, str]] = {}

    def add(self, word: str, number: int, pos: str | None, translations: Iterable[str]) -> None:
        for translation in translations:
            name, text = (translation, word) if self._by_words else (f"{word}#{number}", translation)
            self._senses.setdefault((name.lower(), pos), {}).setdefault(text.lower(), text)

    def senses(self, source: ThesaurusFile) -> Iterator[WordSense]:
        """Yield the senses of two words or more; counts `one_word`, the others."""
        for (name, pos), texts in self._senses.items():
            if len(texts) > 1:
                yield None, ThesaurusSense(name, pos, tuple(map(Member, texts.values())))
            else:
                source.left_out["one_word"] += 1


def _words(text: str) -> list[str]:
    """Return the words of a text with commas, without what stands in brackets."""
    parts = (tidy(part) for part in _COMMA.split(_BRACKETS.sub(" ", text)))
    return list(dict.fromkeys(part for part in parts if part))


def read_pairs(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the senses that pairs of words make, in the order in which they begin; counts `one_word`.

    Raises:
        LexbeamError: a line is no pair.
    """
    translated = _Translated(source.options.side)
    for number, line in source.texts():
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        word = tidy(cells[0])
        if len(cells) < 2 or not word or not cells[1].strip():
            raise source.wrong(number, "WORD and TRANSLATION with a tab", line)
        translated.add(word, 1, pos_of(cells[2]) if len(cells) > 2 else None, [tidy(cells[1])])
    yield from translated.senses(source)


def read_freedict(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the senses that the entries of a dictionary make, in the order in which they begin.

    Counts `one_word` (senses) and `no_translation` (entries).

    Raises:
        LexbeamError: there is no index, or a line of it is wrong, or of the dictionary none begins an entry.
    """
    translated = _Translated(source.options.side)
    entries = 0
    for lines in _entries(source, _starts(source.path)):
        word, pos = _head(lines[0])
        senses = list(_translations(lines[1:]))
        if not word or not senses:
            source.left_out["no_translation"] += 1
        for number, translations in enumerate(senses, start=1):
            if word:
                translated.add(word, number, pos, translations)
        entries += 1
    if not entries:
        raise LexbeamError(f"{source.path} has no entry where {index_of(source.path)} says: take both files anew")
    yield from translated.senses(source)


def _starts(path: str) -> dict[int, bool]:
    """Return the places where something begins, by the index, each with whether it is an entry."""
    index = index_of(path)
    starts: dict[int, bool] = {}
    with reading(index), opened(index) as stream:
        number = 0
        while line := stream.readline(LINE_BYTES):
            number += 1
            cells = decoded(line, "utf-8", index, number).split("\t")
            digits = [_DIGITS.get(letter, -1) for letter in cells[1]] if len(cells) > 2 else []
            if not digits or len(digits) > 8 or min(digits) < 0:
                raise LexbeamError(
                    f"{index}: line {number} should be WORD, START and LENGTH with tabs, not "
                    f"{line[:60]!r}: is it the index of a dictionary of dictd?"
                )
            start = 0
            for digit in digits:
                start = 64 * start + digit
            starts[start] = not cells[0].startswith(_HEADER)
    return starts


def _entries(source: ThesaurusFile, starts: dict[int, bool]) -> Iterator[list[str]]:
    place, entry, wanted = 0, list[str](), False
    for number, line in enumerate(source.lines, start=1):
        if place in starts:
            if wanted:
                yield entry
            entry, wanted = [], starts[place]
        place += len(line)
        if wanted:
            entry.append(
                decoded(line.removeprefix(codecs.BOM_UTF8), source.options.encoding or "utf-8", source.path, number)
            )
    if wanted:
        yield entry


def _head(line: str) -> tuple[str, str | None]:
    """Return the word of an entry, the first of several (*político, política*), and its part of speech."""
    end = min((place for place in (line.find(" /"), line.find(" <")) if place >= 0), default=len(line))
    words = _words(line[:end])
    _, tag, rest = line.rpartition("<")
    return words[0] if words else "", pos_of(rest) if tag else None


def _translations(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the translations of each sense: of the first line, and of those that go on with its number."""
    following = 0
    for place, line in enumerate(lines):
        numbered = _NUMBER.match(line)
        if place == 0:
            following = 2 if numbered else 0
        elif not numbered or int(numbered[1]) != following:
            continue
        else:
            following += 1
        words = _words(_LAST_NUMBER.sub("", line[numbered.end() :] if numbered else line))
        if words:
            yield words
