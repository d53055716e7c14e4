"""Where the text of a web page stands in its source."""

import html
from collections.abc import Iterator

from transforms.formats.readers.html import declared_encoding, paragraphs_of_page
from transforms.formats.readers.html_tree import text_between_tags
from transforms.formats.records.base import ReaderOptions, Source
from transforms.formats.records.templates import unread_in
from transforms.formats.records.text_cleaning import clean_value, cleaning
from transforms.formats.sources.streams import encodings_of
from transforms.formats.spans.markup import Stretch, escaped, marked, pieces_of, stretches_in
from transforms.formats.spans.origin import Origin, coded

__all__ = ["find_in_page"]


def find_in_page(data: bytes, source: Source, options: ReaderOptions) -> Origin:
    """Return the origin of all that a reader of a page sees.

    Raises:
        BadRecord: `undecodable`, `malformed`, and what the reader raises.
    """
    declared = declared_encoding(data)
    page = coded(data, (declared,) * bool(declared) + encodings_of(data, source, options))
    stretches = [part for found in text_between_tags(page.text) for part in _read(Stretch(*found), page.text)]
    cleaned = clean_value(marked(page.text, stretches, html.unescape), cleaning(source, options))
    seen = stretches_in("\n".join(paragraphs_of_page(cleaned)))
    return Origin(page, pieces_of(page.text, stretches, seen, html.unescape), escaped)


def _read(stretch: Stretch, page: str) -> Iterator[Stretch]:
    """Yield what is read of a stretch."""
    place, end, verbatim, fixed = stretch
    if not (verbatim or fixed):
        for unread, behind, _ in unread_in(page[place:end]):
            yield Stretch(place, stretch.start + unread)
            place = stretch.start + behind
    yield Stretch(place, end, verbatim, fixed)
