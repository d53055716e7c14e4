"""Where the text of a Markdown document stands in its source: there the parser says it itself."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from lexbeam.transforms.formats.readers.html import page_root
from lexbeam.transforms.formats.readers.markdown import MarkdownPiece, markdown_paragraphs
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import cleaning, without_control
from lexbeam.transforms.formats.sources.streams import encodings_of
from lexbeam.transforms.formats.spans.markup import fixed_stretches, mark, said_in_page
from lexbeam.transforms.formats.spans.origin import (
    FROZEN,
    Coded,
    Origin,
    SourcePiece,
    as_it_is,
    code_places,
    coded,
    united,
)

# Of the signs that begin something within a line, a backslash makes letters.
_SIGNS = re.compile(r"[\\`*_\[\]<>&~|#]")
# Of those that begin a block, if nothing but such signs stands before them in their line.
_AT_LINE_START = re.compile(r"[-+=:]")
_LINE_START = re.compile(r"(?:[\s>*+=#|:_~-]|\d{1,9}[.)]|\[[^\]]*\]:?)*")
_NUMBER = re.compile(r"\d{1,9}(?P<sign>[.)])(?:\s|$)")
_BEGINNING = re.compile(r"[-+=:#>|~`\d\s]")
_DELIMITERS = frozenset("*_~`")
_OPEN = re.compile(r"(?:&[#\w]*|<|<[A-Za-z/!?][^<>]*|\\)$")
# Names and attributes of blocks and words, which are no text: of fenced divs and admonitions, with options in the lines
# behind; of callouts and notes; whatever stands in braces.
_CODES = re.compile(
    r"^[ \t>*+-]*:{3,}[^\S\n]*(?:\{[^{}\n]*\}(?:.*(?:\n[ \t]*:[\w-]+:.*)+)?|[\w-]+)?"
    r"|^[ \t>]*(?:!!!|\?\?\?\+?)[^\S\n]+[\w -]+"
    r"|\[(?:![\w-]{1,100}+|\^[^\[\]\n]{1,200}+)\][+-]?"
    r"|\{[^{}\n]{1,1000}+\}"
    # Names of directives before what they hold, comments of Obsidian, and files to be put in.
    r"|(?<![\w:]):{1,2}[a-zA-Z][\w-]{0,100}+(?=[\[{])|%%(?:[^%\n]|%(?!%)){1,1000}+%%|^[ \t]*-{2,}8<-{2,}.*"
    # Further metadata of pandoc, and what modules a page needs.
    r"|^---[ \t]*\r?\n(?:[\w-]+:.*\n|[ \t-].*\n)+?(?:---|\.\.\.)[ \t]*\r?$"
    r"|^(?:import[ \t](?:[^\n]*\bfrom[ \t]+)?['\"]|export[ \t]+(?:const|default|function|let)\b)[^\n]*",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"[\s>]*\[(?!\^).*\]:")
_LONGEST = 200


def find_in_markdown(data: bytes, source: Source, options: ReaderOptions) -> Origin:
    """Return the origin of the text of a Markdown document.

    Raises:
        BadRecord: `undecodable`; `control`, if control characters are to be dropped and there are any.
    """
    document = coded(data, encodings_of(data, source, options))
    if without_control(document.text, cleaning(source, options)) != document.text:
        raise BadRecord("control", "a document with control characters that are dropped cannot be edited")
    read = [piece for paragraph in markdown_paragraphs(document.text) for piece in paragraph]
    by_html = _fixed_by_html(read, document.text, source.language)
    pieces: list[SourcePiece] = []
    for number, piece in enumerate(read):
        fixed = piece._replace(fixed=piece.fixed or number in by_html)
        pieces += _pieces(fixed, document.text, pieces[-1] if pieces else SourcePiece(0, 0, None, FROZEN))
    codes = [found.span() for found in _CODES.finditer(document.text)]
    return Origin(document, list(_apart(pieces, united([*codes, *code_places(document.text)]))), _written)


def _fixed_by_html(pieces: Sequence[MarkdownPiece], source: str, language: str) -> set[int]:
    """Return the numbers of the pieces whose words the HTML around them protects, such as `<kbd>`.

    What is said is asked of a page that has the HTML, and a mark for each piece of text.
    """
    held = [source[piece.start : piece.end] if not piece.text else "" for piece in pieces]
    if not any(held):
        return set()
    page = "".join(html or mark(number) for number, html in enumerate(held))
    try:
        root = page_root(f"<body>{page}")
    except BadRecord:
        return set()
    return fixed_stretches(root, said_in_page, language)


def _apart(pieces: Iterable[SourcePiece], codes: Sequence[tuple[int, int]]) -> Iterator[SourcePiece]:
    """Yield pieces, what is code of them apart from the rest, so that it takes no new text."""
    ends = [end for _, end in codes]
    for piece in pieces:
        at, place = bisect_right(ends, piece.start), piece.start
        while at < len(codes) and codes[at][0] < piece.end:
            start, end = max(codes[at][0], piece.start), min(codes[at][1], piece.end)
            if piece.text is not None:  # it is one sign
                start, end = piece.start, piece.end
            if place < start:
                yield piece._replace(start=place, end=start)
            yield piece._replace(start=start, end=end, stretch=FROZEN)
            at, place = at + 1, end
            if piece.text is not None:
                break
        if place < piece.end:
            yield piece._replace(start=place)


def _pieces(piece: MarkdownPiece, source: str, before: SourcePiece) -> Iterator[SourcePiece]:
    start, end, text, fixed = piece
    if fixed:
        if text.strip():
            yield SourcePiece(start, end, text, FROZEN)
        return
    literal = source[start:end] == text
    escaped = literal and start > before.end and source[start - 1] == "\\"
    begin = start - escaped
    between = source[before.end : begin]
    joined = before.stretch != FROZEN and not between.strip(" \t")
    stretch = before.stretch if joined else start
    if escaped:  # the backslash goes with the sign that it is for
        yield SourcePiece(begin, start + 1, text[:1], stretch)
        start, text = start + 1, text[1:]
    if text:
        yield SourcePiece(start, end, None if literal else text, stretch)


def _written(text: str, document: Coded, start: int, end: int) -> str:
    """Return new text as Markdown has it: with a backslash before what would be a sign.

    Raises:
        ValueError: the encoding cannot hold it, or it would change what the signs around it mean.
    """
    source = document.text
    before, behind = source[max(0, start - _LONGEST) : start], source[end : end + _LONGEST]
    if _OPEN.search(before):
        raise ValueError("what stands before it in the source would be read as markup with it")
    if before.endswith("[") and behind.startswith("]") and behind[1:2] not in ("(", "["):
        raise ValueError("it is all that stands in brackets, which may name a definition")
    line = re.split(r"[\r\n]", before)[-1]
    if _DEFINITION.match(line):
        raise ValueError("its line would define where a name leads to")
    begins = _LINE_START.fullmatch(line) is not None
    if begins and (text.startswith(" ") or (not text and _BEGINNING.match(behind + "\n"))):
        raise ValueError("its line would begin with a sign")
    old = source[start:end]
    for beside, was, now in ((before[-1:], old[:1], text[:1]), (behind[:1], old[-1:], text[-1:])):
        if beside in _DELIMITERS and _kind(was) != _kind(now):
            raise ValueError("emphasis beside it would end or begin in another way")
    written = _SIGNS.sub(r"\\\g<0>", text)
    if begins and (number := _NUMBER.match(written + behind[:2])):
        if number.start("sign") >= len(written):
            raise ValueError("it would be the number of an item")
        written = f"{written[: number.start('sign')]}\\{written[number.start('sign') :]}"
    elif begins and _AT_LINE_START.match(written):
        written = f"\\{written}"
    return as_it_is(written, document, start, end)


def _kind(character: str) -> str:
    """Return what a character is where emphasis begins or ends: `P` for a sign, `Z` for a space or nothing."""
    if not character or character.isspace():
        return "Z"
    return "P" if unicodedata.category(character)[0] in "PS" else "L"
