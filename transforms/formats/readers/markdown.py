r"""Markdown: CommonMark with tables, notes, task lists and struck-out text, as most programs have them.

Text is what a reader sees of paragraphs, headings, items and rows of tables, whose cells a space parts; and of code
within a line. Not read are blocks of code, HTML, comments, pictures and their descriptions, where links lead to, marks
of notes, and the front matter (YAML between `---`, TOML between `+++`, or an object of JSON), whose `title`, `author`,
`date`, `language` (or `lang`) and `genre` are fields. A line end within a paragraph is a space, unless the line is
broken there (two spaces or a backslash before it, `<br>`).

    >>> text = "# A *b*\n\nOne &amp; [two](there)\nthree `x`.\n\n    code\n"
    >>> ["".join(piece.text for piece in paragraph) for paragraph in markdown_paragraphs(text)]
    ['A b', 'One & two three x.']
"""

import datetime
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.records.front_matter import front_matter
from transforms.formats.records.text_cleaning import clean_field, clean_text, cleaning, decode, without_control
from transforms.formats.sources.streams import encodings_of, read_all

__all__ = ["MarkdownPiece", "markdown_paragraphs", "read_markdown"]

_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Superscript", "Subscript"})
_NOT_READ = frozenset({"CodeBlock", "HtmlBlock", "Image"})
# Links whose text is what they are found by: an address, or the name of a definition elsewhere.
_NAMES = frozenset({"Autolink", "Email", "Shortcut", "Collapsed", "ShortcutUnknown", "CollapsedUnknown"})
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_FIELDS = {"title": "title", "author": "author", "date": "date", "language": "language", "lang": "language"}
_FIELDS["genre"] = "genre"
_PLAIN = (str, int, float, datetime.date)


class MarkdownPiece(NamedTuple):
    """A piece of a paragraph.

    Attributes:
        start: its first character in the source.
        end: the one behind its last.
        text: that is read.
        fixed: whether it is code or a name, such as an address, and no word of a language; or HTML, without text.
    """

    start: int
    end: int
    text: str
    fixed: bool


def read_markdown(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the file as one record.

    Raises:
        BadRecord: `undecodable`, `empty`, `too_large`, and what `clean_text` raises.
    """
    how = cleaning(source, options)
    data = read_all(source, options)
    markdown = without_control(decode(data, encodings_of(data, source, options), how), how)
    text = clean_text("\n\n".join(filter(None, map(_even, markdown_paragraphs(markdown)))), how)
    if not text:
        raise BadRecord("empty", "no text outside code, HTML and the like")
    yield Record("", _fields(markdown), text, None)


def _even(paragraph: list[MarkdownPiece]) -> str:
    """Return a paragraph with one space for each run of white space but line ends."""
    lines = (" ".join(line.split()) for line in "".join(piece.text for piece in paragraph).split("\n"))
    return "\n".join(filter(None, lines))


def markdown_paragraphs(text: str) -> list[list[MarkdownPiece]]:
    """Return the pieces of each paragraph of a document, in its order; there may be paragraphs without text.

    Tags and blocks of HTML are pieces without text.
    """
    from pyromark import Markdown, Options

    options = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_TASKLISTS
    front = front_matter(text).end
    body = text[front:]
    places = _Places(body)
    paragraphs: list[list[MarkdownPiece]] = [[]]
    within: list[str] = []  # what is not read, and names
    for event, span in Markdown(options=options).events_with_range(body):
        kind: str = event if isinstance(event, str) else next(iter(event))
        about: Any = None if isinstance(event, str) else event[kind]
        start, end = front + places.of(span["start"]), front + places.of(span["end"])
        if kind in ("Start", "End"):
            name = about if isinstance(about, str) else next(iter(about))
            if kind == "Start" and (name in _NOT_READ or (name == "Link" and _is_name(about))):
                within.append(name)
            elif kind == "End" and within and within[-1] == name:
                within.pop()
            elif kind == "Start" and name == "TableCell":
                paragraphs[-1].append(MarkdownPiece(start, start, " ", fixed=True))
            if name not in _INLINE and name not in ("Image", "TableCell"):
                paragraphs.append([])
        elif kind == "Html" or (kind == "InlineHtml" and not _BREAK.fullmatch(about)):
            paragraphs[-1].append(MarkdownPiece(start, end, "", fixed=True))
        elif _NOT_READ.isdisjoint(within):
            if kind in ("Text", "Code"):
                paragraphs[-1].append(MarkdownPiece(start, end, about, kind == "Code" or bool(within)))
            elif kind in ("SoftBreak", "HardBreak"):
                paragraphs[-1].append(MarkdownPiece(start, end, " " if kind == "SoftBreak" else "\n", fixed=True))
            elif kind == "InlineHtml":
                paragraphs[-1].append(MarkdownPiece(start, end, "\n", fixed=True))
    return [paragraph for paragraph in paragraphs if paragraph]


def _is_name(about: Any) -> bool:
    return isinstance(about, dict) and about["Link"]["link_type"] in _NAMES


class _Places:
    """Where the bytes of a text in UTF-8 are among its characters."""

    def __init__(self, text: str) -> None:
        self._places = None
        if not text.isascii():
            codes = np.frombuffer(text.encode(), np.uint8)
            self._places = np.append(0, np.cumsum((codes & 0xC0) != 0x80))

    def of(self, byte: int) -> int:
        return byte if self._places is None else int(self._places[byte])


def _fields(markdown: str) -> dict[str, str]:
    """Return what the front matter says of the document, as far as it is plain."""
    said = front_matter(markdown).said
    fields: dict[str, str] = {}
    for name, value in said.items() if isinstance(said, dict) else ():
        plain = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, _PLAIN)]
        if name in _FIELDS and (field := clean_field("; ".join(map(str, plain))[:1000])):
            fields.setdefault(_FIELDS[name], field)
    return fields
