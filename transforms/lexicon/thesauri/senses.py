"""What readers of thesauri share: senses and their members, a file while it is read, names of parts of speech."""

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
from lexbeam.transforms.lexicon.compiled.opening import LINE_BYTES

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
        format: an entry of `reading.READERS`; empty: detected from the first line.
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
