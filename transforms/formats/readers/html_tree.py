"""The contents of a page: its source without scripts, its fields, its main text."""

import logging
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree

from lexbeam.transforms.formats.readers.html_tags import ATTRIBUTE, DROPPED, tags_of
from lexbeam.transforms.formats.readers.page_text import BLOCKS, paragraphs
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.date_parsing import parse_date
from lexbeam.transforms.formats.records.text_cleaning import clean_field

# Tags and attributes of a page, which cost memory; pairs of attributes of one tag, which libxml2
# compares; and tags of a page up to which trafilatura's slower and better ways are tried.
_MARKS = 1_000_000
_PAIRS = 1_000_000_000
_THOROUGH = 5_000

# The names that trafilatura gives to what it has found.
_MAIN_BLOCKS = BLOCKS | {"head", "list", "item", "row", "quote"}

_TITLES = ("citation_title", "dcterms.title", "dc.title", "og:title")
_AUTHORS = ("citation_author", "dcterms.creator", "dc.creator", "author", "article:author")
_DATES = (
    "citation_publication_date",
    "citation_date",
    "article:published_time",
    "datepublished",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "pubdate",
    "publishdate",
    "date",
)
_LANGUAGES = ("content-language", "dcterms.language", "dc.language")
_PUBLISHED = re.compile(r'"datePublished"\s{0,9}:\s{0,9}"([^"]{4,40})"')
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class Page(NamedTuple):
    """A page's source without scripts, styles and comments, its tags, and its linked data."""

    page: str
    tags: int
    linked: str


def without_scripts(page: str, most: int | None = None) -> Page:
    """Return a page without scripts, styles and comments, in time linear in its length.

    Args:
        page: its source.
        most: how many tags it may have; None for any number.

    Raises:
        BadRecord: `too_large`, if it has more tags, or more attributes than can be parsed.
    """
    pieces: list[str] = []
    linked: list[str] = []
    tags = marks = pairs = done = 0
    for tag in tags_of(page):
        if tag.kind not in ("comment", "bogus"):
            tags += tag.kind != "end tag"
            number = len(ATTRIBUTE.findall(tag.rest)) if tag.rest != ">" else 0
            marks += 1 + number
            pairs += number * number
            if most is not None and tags > most:
                raise BadRecord("too_large", f"a page of over {most} tags; see --html all")
            if marks > _MARKS or pairs > _PAIRS:
                raise BadRecord(
                    "too_large", f"a page of over {_MARKS} tags and attributes, or too many attributes in a tag"
                )
        if tag.kind in ("comment", "section") or tag.kind in DROPPED:
            if tag.kind == "script" and "ld+json" in tag.rest.lower():
                linked.append(page[tag.held[0] : tag.end])
            pieces.append(page[done : tag.start])
            done = tag.end
    pieces.append(page[done:])
    return Page("".join(pieces), tags, "\n".join(linked))


def main_paragraphs(root: etree._Element, tags: int) -> list[str]:
    """Return the paragraphs of a page's main text, as trafilatura finds it.

    For a page of over 5,000 tags trafilatura's own rules alone are used: the other algorithms that it
    compares take time quadratic in the number of paragraphs.
    """
    from trafilatura import bare_extraction

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # a reject says what is wrong
    extracted = bare_extraction(
        root,
        fast=tags > _THOROUGH,
        include_comments=False,
        include_formatting=False,
        deduplicate=False,
        with_metadata=False,
    )
    body = getattr(extracted, "body", None)
    return [] if body is None else paragraphs(body, _MAIN_BLOCKS, frozenset())


def head_fields(root: etree._Element, linked: str) -> dict[str, str]:
    """Return those of `title`, `author`, `date` and `language` that a page states.

    Args:
        root: its root element.
        linked: its linked data (JSON-LD), of which the first date of publication counts.
    """
    properties: dict[str, dict[str, None]] = {}  # in the order of the page, each once
    for name, value in _properties(root):
        if field := clean_field(value[:1000]):
            properties.setdefault(name, {})[field] = None
    title = next(root.iter("title"), None)
    published = _PUBLISHED.search(linked)
    dates = [value for name in _DATES for value in properties.get(name, ())]
    dates += [published[1]] if published else []
    readable = [value for value in dates if parse_date(value) is not None]
    names = next(filter(None, (_people(properties.get(name, ())) for name in _AUTHORS)), "")
    fields = {
        "title": next((next(iter(properties[name])) for name in _TITLES if name in properties), "")
        or ("" if title is None else clean_field("".join(title.itertext())[:1000])),
        "author": names,
        "date": clean_field((readable or dates or [""])[0]),
        "language": clean_field(root.get("lang") or root.get(_XML_LANG) or root.get("xml:lang", ""))
        or next((next(iter(properties[name])) for name in _LANGUAGES if name in properties), ""),
    }
    return {name: value for name, value in fields.items() if value}


def _properties(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield what a page states: the name of a property, and its value."""
    for element in root.iter("meta"):
        for key in ("name", "property", "itemprop", "http-equiv"):
            if element.get(key) and element.get("content"):
                yield element.get(key).strip().lower(), element.get("content")
    for element in root.iter("time"):
        if element.get("datetime") and (
            "pubdate" in element.attrib or element.get("itemprop", "").lower() == "datepublished"
        ):
            yield "datepublished", element.get("datetime")


def _people(values: Iterable[str]) -> str:
    """Return names joined by semicolons, leaving out addresses of pages about people."""
    return "; ".join(value for value in values if "://" not in value)
