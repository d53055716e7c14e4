r"""What a format says of where text stands in a source: stretches of it, and how new text is written there.

A stretch is a piece of the source without markup in it. What it holds is either text as it stands or a sign for
other text, such as an entity. Nothing is said of white space and of characters that cleaning removes: `aligning`
finds those by itself.

Codes within a text, which programs replace by something else (templates, formulas, names of emoji), are found in the
text of any format, for they are no markup of it: what `{{ }}`, `{% %}`, `<% %>` and `{# #}` hold, and blocks of code
between such tags; `${name}`, `{name}`, `%(name)s`; `$formula$`, `$$formula$$`, `\(formula\)`, `\[formula\]`;
`:smile:`; `[[page|`; `[shortcode name="value"]`; `\command` of TeX, and names behind it; front matter; in a source
also blocks of PHP.

>>> text = "A {{< hard >}} word: ${x}, $x + y$, for $5 to $6 :smile: at 10:30:15."
>>> [text[start:end] for start, end in code_places(text)]
['{{< hard >}}', '${x}', '$x + y$', ':smile:']
"""

import codecs
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.readers.markdown import front_matter
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import decode
from lexbeam.transforms.formats.sources.streams import encodings_of

_MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
# Of those that a byte order mark decides, or without it (for Python) this machine: all of ours are little-endian.
_BY_MARK = {"utf-16": ("utf-16-be", "utf-16-le"), "utf-32": ("utf-32-be", "utf-32-le"), "utf-8-sig": ("utf-8",)}
FROZEN = -1


class SourcePiece(NamedTuple):
    """A piece of a source that stands for text.

    Attributes:
        start: its first character in the source.
        end: the one behind its last.
        text: what it stands for; None: itself.
        stretch: number of the stretch without markup that it is part of; `FROZEN` if no new text can come there.
        perhaps: whether readers may leave it out, as hyphens at the end of a line.
    """

    start: int
    end: int
    text: str | None
    stretch: int
    perhaps: bool = False


class Coded(NamedTuple):
    """A source as characters.

    Attributes:
        mark: its byte order mark, or no bytes.
        text: what stands behind it, as it stands.
        encoding: of the text.
        passed: encodings that readers try before it, and that do not take the source.
    """

    mark: bytes
    text: str
    encoding: str
    passed: tuple[str, ...] = ()

    def bytes_of(self, text: str) -> bytes:
        """Return the bytes of a source with another text.

        Raises:
            LexbeamError: readers would take them for text in another encoding, which the source is not in.
        """
        data = self.mark + text.encode(self.encoding)
        for name in self.passed:
            if _takes(data, name) and str(data, name) != text:
                raise LexbeamError(
                    f"without what is to be replaced it would be read as {name}, not as {self.encoding}; convert it to "
                    "UTF-8 first, or name its `encoding` alone"
                )
        return data


def as_it_is(text: str, coded: Coded, start: int, end: int) -> str:
    """Return new text as it is put into a source whose text is not marked up, in the place of some characters.

    Raises:
        ValueError: the encoding cannot hold it.
    """
    try:
        text.encode(coded.encoding)
    except UnicodeEncodeError as error:
        raise ValueError(f"{coded.encoding} has no {error.object[error.start]!r}") from None
    return text


Write = Callable[[str, Coded, int, int], str]


@dataclass(frozen=True)
class Origin:
    """Where the text of a source stands.

    Attributes:
        coded: the source.
        pieces: in the order of the text.
        write: what is put into the source for a new text: of the text, the source, and which of its characters
            it takes the place of. A `ValueError` says why it cannot.
    """

    coded: Coded
    pieces: Sequence[SourcePiece] = field(repr=False)
    write: Write = as_it_is


Find = Callable[[bytes, Source, ReaderOptions], Origin]


def whole(data: bytes, source: Source, options: ReaderOptions) -> Origin:
    """Return the origin of plain text, all of which is one stretch.

    Raises:
        BadRecord: `undecodable`.
    """
    text = coded(data, encodings_of(data, source, options))
    return Origin(text, [SourcePiece(0, len(text.text), None, 0)])


def coded(data: bytes, encodings: tuple[str, ...]) -> Coded:
    """Return a source as characters, in the first encoding that takes it.

    Raises:
        BadRecord: `undecodable`: none takes it, or the one that does writes characters in several ways, so that
            bytes would change where the text does not.
    """
    encoding = next((name for name in encodings if _takes(data, name)), "")
    passed = encodings[: encodings.index(encoding)] if encoding else ()
    if not encoding:
        decode(data, encodings)
    encoding = codecs.lookup(encoding).name
    if encoding in _BY_MARK:
        choices = _BY_MARK[encoding]
        encoding = next((name for name in choices if data.startswith(_MARKS[name])), choices[-1])
    mark = _MARKS.get(encoding, b"")
    mark = mark if data.startswith(mark) else b""
    text = str(data[len(mark) :], encoding)
    found = Coded(mark, text, encoding, passed)
    # Bytes of one character that depend on its neighbours, as shifts between alphabets do, add up to more.
    alone = len(mark) + sum(count * len(character.encode(encoding)) for character, count in Counter(text).items())
    if alone != len(data) or found.bytes_of(text) != data:
        raise BadRecord(
            "undecodable", f"text in {encoding} cannot be edited in place, byte for byte; convert it to UTF-8 first"
        )
    return found


def _takes(data: bytes, encoding: str) -> bool:
    try:
        str(data, encoding)
    except UnicodeError:
        return False
    return True


Place = tuple[int, int]

_SIGNS = re.compile(r"[{$\\\[]|:\w|<[%?]|%\(")  # one of which is in each of them
# In time linear in the text: what a pattern runs through, no other match begins in again.
_PATTERN = re.compile(
    r"(?=[$%#{:\[\\])(?:(?P<template>[$%#]?\{[\w.:-]{1,200}+\}|%\(\w{1,200}+\)[sd])"
    r"|(?P<display>\$\$(?:[^$\\\n]|\\[\s\S]|\$(?!\$)|\n(?![ \t]*\n)){1,5000}+\$\$)"
    # Prices have a number and a word behind the sign, or the letters of a country before it.
    r"|(?P<formula>(?<![\\$\w])\$(?![\s$]|\d[\d.,]{0,20}+\s[^\W\d_]{2})"
    r"(?:[^$\\\n]|\\[\s\S]|\n(?![ \t]*\n)){1,2000}+(?<!\s)(?<!\b[A-Z]{2})\$(?![\w$]))"
    r"|(?P<emoji>(?<![\w:])(?::[a-zA-Z0-9_+-]{1,100}+:)++(?![\w:]))"
    r"|(?P<page>\[\[[^\[\]|\n]{1,500}+(?:\||\]\]))"
    r"|(?P<shortcode>\[/?[a-zA-Z][\w-]{0,50}+(?:\s[^\[\]\n=]{0,200}+(?<=\w)=(?=[\"'\w])[^\[\]\n]{0,1000}+)\]"
    r"|\[/[a-zA-Z][\w-]{0,50}+\])"
    r"|(?P<tex>\\(?:(?:\w{0,20}cite|\w{0,20}ref|label|begin|end|input|include|usepackage|documentclass|bibliography|url"
    r"|href|gls)[a-zA-Z]{0,20}+\*?(?:\[[^\[\]\n]{0,500}+\]){0,3}\{[^{}\n]{0,500}+\}|[a-zA-Z]++\*?)))"
)
_PAIRS = (("{%", "%}"), ("<%", "%>"), ("{#", "#}"), (r"\(", r"\)"), (r"\[", r"\]"))
_LONGEST = 10_000
_BRACES = re.compile(r"\{\{|\}\}")
# Names of tags that hold code up to their end tag, and of environments of TeX.
_TAGS = "code|codeblock|comment|highlight|katex|latex|math|mermaid|raw|verbatim"
_BLOCK = re.compile(
    rf"\{{%-?\s*(?P<liquid>{_TAGS})\b|\{{\{{[<%]\s*(?P<hugo>{_TAGS})\b"
    r"|<\?(?P<php>php\b|=)"
    r"|\\begin\{(?P<tex>(?:align|alignat|displaymath|eqnarray|equation|gather|lstlisting|math|minted|multline|tikzpicture"
    r"|verbatim)\*?)\}"
)
_BLOCK_END = {
    "liquid": r"\{{%-?\s*end{}\b[^%]{{0,99}}%\}}",
    "hugo": r"\{{\{{[<%]\s*/\s*{}\b[^}}]{{0,99}}\}}\}}",
    "php": r"\?>",
    "tex": r"\\end\{{{}\}}",
}


def code_places(text: str) -> list[Place]:
    """Return where codes stand in a text, in order, in time linear in its length."""
    front = front_matter(text)
    before = [(0, front.end)] if isinstance(front.said, dict) else []
    if not _SIGNS.search(text):
        return before
    pairs = itertools.chain.from_iterable(_between(text, *pair) for pair in _PAIRS)
    return united(
        [*(found.span() for found in _PATTERN.finditer(text)), *before, *_braced(text), *pairs, *code_blocks(text)]
    )


def united(places: Iterable[Place]) -> list[Place]:
    """Return places in order, those that touch or overlap each other as one.

    >>> united([(4, 6), (0, 2), (1, 3)])
    [(0, 3), (4, 6)]
    """
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _braced(text: str) -> Iterator[Place]:
    """Yield where double braces stand, and what they hold, other ones among it."""
    opened: list[int] = []
    for sign in _BRACES.finditer(text):
        if sign[0] == "{{":
            opened.append(sign.start())
        elif opened and sign.end() - (start := opened.pop()) <= _LONGEST:
            yield start, sign.end()


def _between(text: str, opening: str, closing: str) -> Iterator[Place]:
    place = 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            return
        start = text.rfind(opening, start, end)
        place = end + len(closing)
        if place - start <= _LONGEST:
            yield start, place


def code_blocks(text: str) -> Iterator[Place]:
    """Yield where blocks of code between tags of templates stand in a text or a source, in its order."""
    place = 0
    unclosed = set()
    while (block := _BLOCK.search(text, place)) is not None:
        place = block.end()
        kind = str(block.lastgroup)
        close = (kind, block[kind])
        ends = re.compile(_BLOCK_END[kind].format(re.escape(block[kind])))
        end = None if close in unclosed else ends.search(text, place)
        if end is None:
            unclosed.add(close)
            continue
        place = end.end()
        yield block.start(), place
