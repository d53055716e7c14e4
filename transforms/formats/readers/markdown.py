r"""Markdown: CommonMark with tables, notes, task lists and struck-out text, as most programs have them.

Text is what a reader sees of paragraphs, headings, items and rows of tables, whose cells a space parts; and of code
within a line. Not read are blocks of code, HTML, comments, pictures and their descriptions, where links lead to, marks
of notes, what tags within a line mark as such or as a reading (`<rt>`), code of templates, and the front matter (YAML
between `---`, TOML between `+++`, or an object of JSON), whose `title`, `author`, `date`, `language` (or `lang`) and
`genre` are fields. A line end within a paragraph is a space, unless the line is broken there (two spaces or a
backslash before it, `<br>`).

    >>> text = "# A *b*\n\nOne &amp; [two](there)\nthree `x`.\n\n    code\n"
    >>> ["".join(piece.text for piece in paragraph) for paragraph in markdown_paragraphs(text)]
    ['A b', 'One & two three x.']
"""

import datetime
import html
import itertools
import json
import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import yaml
from lxml import etree
from lxml.html import HTMLParser

from lexbeam.transforms.formats.readers.page_text import MARKS, NOTE_MARKS, may_be_unread, note_of_mark, unread_in
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_text, cleaning, decode, without_control
from lexbeam.transforms.formats.sources.streams import encodings_of, read_all

# A line of hyphens with an empty one behind it parts what stands above and below.
_FRONT = re.compile(
    r"\A(?:(?P<yaml>---)[ \t]*(?:\r\n?|\n)(?![ \t]*[\r\n])|\+\+\+[ \t]*(?:\r\n?|\n))(?P<said>.{0,100000}?)"
    r"(?<=[\r\n])(?(yaml)(?:---|\.\.\.)|\+\+\+)[ \t]*(?:\r\n?|\n|\Z)",
    re.DOTALL,
)


class FrontMatter(NamedTuple):
    """What stands before a document's text.

    Attributes:
        said: what it says; None: it cannot be read.
        end: where it ends; 0: there is none.
    """

    said: Any = None
    end: int = 0


def front_matter(text: str) -> FrontMatter:
    """Return the front matter of a text: YAML between `---`, TOML between `+++`, or an object of JSON.

    >>> front_matter("+++\\na = 1\\n+++\\nText.")
    FrontMatter(said={'a': 1}, end=14)
    """
    if text.startswith("{"):
        try:
            said, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return FrontMatter()
        behind = text[end:].lstrip(" \t")
        return FrontMatter(said, end) if not behind or behind[0] in "\r\n" else FrontMatter()
    front = _FRONT.match(text)
    if front is None:
        return FrontMatter()
    read = yaml.safe_load if front["yaml"] else tomllib.loads
    try:
        return FrontMatter(read(re.sub("\r\n?", "\n", front["said"])), front.end())
    except (yaml.YAMLError, ValueError, RecursionError):
        return FrontMatter(None, front.end())


_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Superscript", "Subscript"})
_NOT_READ = frozenset({"CodeBlock", "HtmlBlock", "Image"})
# Links whose text is what they are found by: an address, or the name of a definition elsewhere.
_NAMES = frozenset({"Autolink", "Email", "Shortcut", "Collapsed", "ShortcutUnknown", "CollapsedUnknown"})
_HTML_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-z][a-z0-9-]*)(?P<rest>[^>]*)>", re.IGNORECASE)
_READING = frozenset({"rb", "rt", "rp"})  # of which each ends the one before it
_AROUND = frozenset({"ruby", "math", "sup"})
_MOST_OPEN = 32  # tags whose ends are looked for, and pieces of which a mark is made
_LONGEST = 200
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
    paragraphs = markdown_paragraphs(markdown, source.notes)
    text = clean_text("\n\n".join(filter(None, map(_even, paragraphs))), how)
    if not text:
        raise BadRecord("empty", "no text outside code, HTML and the like")
    yield Record("", _fields(markdown), text, None)


def _even(paragraph: list[MarkdownPiece]) -> str:
    """Return a paragraph with one space for each run of white space but line ends."""
    lines = (" ".join(line.split()) for line in "".join(piece.text for piece in paragraph).split("\n"))
    return "\n".join(filter(None, lines))


def markdown_paragraphs(text: str, notes: Counter[str] | None = None) -> list[list[MarkdownPiece]]:
    """Return the pieces of each paragraph of a document, in its order; there may be paragraphs without text.

    Tags and blocks of HTML are pieces without text.

    Args:
        notes: counts what is left out but code, HTML and marks of notes.
    """
    from pyromark import Markdown, Options

    options = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_TASKLISTS
    front = front_matter(text).end
    body = text[front:]
    places = _Places(body)
    paragraphs: list[list[MarkdownPiece]] = [[]]
    within: list[str] = []  # what is not read, and names
    tags = _Tags()
    counted: Counter[str] = Counter() if notes is None else notes
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
                tags = _Tags()
        elif kind == "Html" or (kind == "InlineHtml" and not _BREAK.fullmatch(about)):
            # What goes between a tag and its end tag leaves both.
            tag, is_end = MarkdownPiece(start, end, "", fixed=True), about.startswith("</")
            paragraphs[-1] += [] if is_end else [tag]
            if kind == "InlineHtml" and _NOT_READ.isdisjoint(within):
                tags.add(about, paragraphs[-1], counted)
            paragraphs[-1] += [tag] if is_end else []
        elif _NOT_READ.isdisjoint(within):
            if kind in ("Text", "Code"):
                paragraphs[-1].append(MarkdownPiece(start, end, about, kind == "Code" or bool(within)))
            elif kind in ("SoftBreak", "HardBreak"):
                paragraphs[-1].append(MarkdownPiece(start, end, " " if kind == "SoftBreak" else "\n", fixed=True))
            elif kind == "InlineHtml":
                paragraphs[-1].append(MarkdownPiece(start, end, "\n", fixed=True))
    if may_be_unread(text):
        paragraphs = [_without_code(paragraph, text, counted) for paragraph in paragraphs]
    return [paragraph for paragraph in paragraphs if paragraph]


class _Tags:
    """The tags of HTML within a paragraph that are open: the name of each, its source, and the pieces before it."""

    def __init__(self) -> None:
        self._open: list[tuple[str, str, int]] = []

    def add(self, source: str, pieces: list[MarkdownPiece], notes: Counter[str]) -> None:
        """Go on with a tag; of the pieces those go that it ends as no text."""
        tag = _HTML_TAG.fullmatch(source)
        if tag is None:
            return
        name = tag["name"].lower()
        if tag["end"]:
            if any(name == other for other, *_ in self._open[-_MOST_OPEN:]):
                while self._close(pieces, notes) != name:
                    pass
        elif not tag["rest"].endswith("/"):
            while name in _READING and self._open and self._open[-1][0] in _READING:
                self._close(pieces, notes)
            self._open.append((name, source, len(pieces)))

    def _close(self, pieces: list[MarkdownPiece], notes: Counter[str]) -> str:
        """End the innermost element, and return its name."""
        name, source, before = self._open.pop()
        if name not in MARKS and " " not in source and "\n" not in source:
            return name
        around = next((other for other, *_ in self._open[:-_MOST_OPEN:-1] if other in _AROUND), "span")
        text = html.escape("".join(piece.text[:_LONGEST] for piece in pieces[before : before + _MOST_OPEN]))
        root = etree.fromstring(f"<{around}>{source}{text}</{name}></{around}>", HTMLParser())
        element = None if root is None else next(root.iter(name), None)
        if element is not None and (note := note_of_mark(element)):
            if text.strip() and note != NOTE_MARKS:
                notes[note] += 1
            del pieces[before:]
        return name


def _without_code(paragraph: list[MarkdownPiece], source: str, notes: Counter[str]) -> list[MarkdownPiece]:
    """Return a paragraph without code of templates and formulas, as far as they are not shown as code."""
    # What is code stands for itself, and neither begins nor ends anything.
    shown = ["\0" * len(piece.text) if piece.fixed and piece.text.strip() else piece.text for piece in paragraph]
    cuts: list[tuple[int, int]] = []
    places = [0, *itertools.accumulate(map(len, shown))]
    for start, end, note in unread_in("".join(shown)):
        number = bisect_right(places, start) - 1
        place, behind, text, _ = paragraph[number]
        escaped = places[number] == start and source[max(0, place - 1) : place] == "\\"
        if source[place:behind] == text and not escaped:
            cuts.append((start, end))
            notes[note] += 1
    pieces: list[MarkdownPiece] = []
    first = 0
    for piece, begin in zip(paragraph, places, strict=False):
        while first < len(cuts) and cuts[first][1] <= begin:
            first += 1
        behind = first
        while behind < len(cuts) and cuts[behind][0] < begin + len(piece.text):
            behind += 1
        pieces += _without(piece, [(start - begin, end - begin) for start, end in cuts[first:behind]], source)
    return pieces


def _without(piece: MarkdownPiece, cuts: list[tuple[int, int]], source: str) -> Iterator[MarkdownPiece]:
    """Yield what is left of a piece without cuts; of one that does not stand so in the source, all or nothing."""
    done = 0
    for start, end in cuts:
        if source[piece.start : piece.end] != piece.text:
            return
        if start > done:
            yield piece._replace(start=piece.start + done, end=piece.start + start, text=piece.text[done:start])
        done = end
    if not done:
        yield piece
    elif done < len(piece.text):
        yield piece._replace(start=piece.start + done, text=piece.text[done:])


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
    said = front_matter(markdown).said
    fields: dict[str, str] = {}
    for name, value in said.items() if isinstance(said, dict) else ():
        plain = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, _PLAIN)]
        if name in _FIELDS and (field := clean_field("; ".join(map(str, plain))[:1000])):
            fields.setdefault(_FIELDS[name], field)
    return fields
