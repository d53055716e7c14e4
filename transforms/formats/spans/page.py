"""Where the text of a web page stands in its source."""

import html
from bisect import bisect_right
from collections.abc import Iterator

from lxml import etree

from lexbeam.transforms.formats.readers.html import declared_encoding, page_root
from lexbeam.transforms.formats.readers.html_tags import text_between_tags
from lexbeam.transforms.formats.readers.page_text import paragraphs
from lexbeam.transforms.formats.records.base import ReaderOptions, Source
from lexbeam.transforms.formats.records.front_matter import front_matter
from lexbeam.transforms.formats.records.templates import unread_in
from lexbeam.transforms.formats.records.text_cleaning import clean_markup, cleaning
from lexbeam.transforms.formats.sources.streams import encodings_of
from lexbeam.transforms.formats.spans.codes import code_blocks
from lexbeam.transforms.formats.spans.markup import (
    Said,
    Stretch,
    escaped,
    fixed_stretches,
    marked,
    pieces_of,
    stretches_in,
)
from lexbeam.transforms.formats.spans.origin import Origin, coded

# Code, what people type, what is laid out sign by sign, and formulas.
_CODE = frozenset(
    ["code", "kbd", "listing", "math", "mjx-container", "plaintext", "pre", "samp", "textarea", "tt", "var", "xmp"]
)
_CODE_CLASSES = frozenset(("katex", "math", "mathjax", "mwe-math-element"))
_NO_WORDS = frozenset(("notranslate", "skiptranslate"))  # for programs that translate pages
_WORDS = {"no": False, "yes": True, "": True}
_WHOLE = frozenset(("html", "body"))


def find_in_page(data: bytes, source: Source, options: ReaderOptions) -> Origin:
    """Return the origin of all that a reader of a page sees.

    Raises:
        BadRecord: `undecodable`, `malformed`, and what the reader raises.
    """
    declared = declared_encoding(data)
    page = coded(data, (declared,) * bool(declared) + encodings_of(data, source, options))
    stretches = [part for found in text_between_tags(page.text) for part in _read(*found, page.text)]
    cleaned = clean_markup(marked(page.text, stretches, html.unescape), cleaning(source, options))
    root = page_root(cleaned)
    fixed = fixed_stretches(root, said_in_page, source.language)
    # The reader leaves out tags of templates, and with them what would tell that code stands between them.
    front = front_matter(page.text)
    blocks = [(0, front.end)] * isinstance(front.said, dict) + list(code_blocks(page.text))
    ends = [end for _, end in blocks]
    for number, stretch in enumerate(stretches):
        at = bisect_right(ends, stretch.start)
        if at < len(blocks) and blocks[at][0] < stretch.end:
            fixed.add(number)
    seen = stretches_in("\n".join(paragraphs(root)))
    return Origin(page, pieces_of(page.text, stretches, seen, html.unescape, fixed), escaped)


def said_in_page(element: etree._Element) -> Said:
    """Return what an element of a page says of the text in it."""
    name = element.tag.rpartition(":")[2] if isinstance(element.tag, str) else ""
    classes = element.get("class", "").lower().split()
    words = False if not _NO_WORDS.isdisjoint(classes) else _WORDS.get(element.get("translate", "?").strip().lower())
    language = element.get("lang") or element.get("xml:lang") or ""
    return Said(name in _CODE or not _CODE_CLASSES.isdisjoint(classes), words, language, name in _WHOLE)


def _read(start: int, end: int, verbatim: bool, is_code: bool, page: str) -> Iterator[Stretch]:
    """Yield what is read of text between tags."""
    place = start
    if not (verbatim or is_code):
        for unread, behind, _ in unread_in(page[start:end]):
            yield Stretch(place, start + unread)
            place = start + behind
    yield Stretch(place, end, verbatim)
