"""Where the text of a web page stands in its source."""

import html

from transforms.formats.readers.html import declared_encoding, paragraphs_of_page
from transforms.formats.readers.html_tree import text_between_tags
from transforms.formats.records.base import ReaderOptions, Source
from transforms.formats.records.text_cleaning import clean_markup, cleaning
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
    stretches = [Stretch(*found) for found in text_between_tags(page.text)]
    cleaned = clean_markup(marked(page.text, stretches, html.unescape), cleaning(source, options))
    seen = stretches_in("\n".join(paragraphs_of_page(cleaned)))
    return Origin(page, pieces_of(page.text, stretches, seen, html.unescape), escaped)
