"""E-books in EPUB: the text of the chapters, in the order of reading, and what the package says of the book.

Chapters are pages of XHTML, of which all is read that a reader sees, by the readers of XML and, where that
fails, of pages. Left out are the navigation, marks of notes, and, noted as such, pages that the package puts
beside the order of reading (`linear="no"`: covers, notes, answers). Of dates that of the first publication
counts before others; an e-book of an older text often states only its own.
"""

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from transforms.formats.readers.html import page_paragraphs
from transforms.formats.readers.office import properties
from transforms.formats.readers.page_text import paragraphs, without_note_marks
from transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.records.text_cleaning import clean_field, clean_text, cleaning
from transforms.formats.sources.packages import Package
from transforms.formats.sources.xml_tree import local_name, parse_xml

__all__ = ["read_epub"]

_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_ENCRYPTED = "META-INF/encryption.xml"
_BESIDE = "pages of e-books beside the order of reading left out"
_EVENTS = ("original-publication", "creation", "publication", "")


def read_epub(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the book as one record.

    Raises:
        BadRecord: `empty`, `malformed`, `unreadable`, `unsafe`, `too_large`, and what `clean_text` raises.
    """
    package = Package(source, options)
    place = _place_of_book(package)
    book = parse_xml(package.read(place))
    encrypted = package.read(_ENCRYPTED).decode("utf-8", "replace") if _ENCRYPTED in package else ""
    how = cleaning(source, options)
    texts: list[str] = []
    for name, linear in _pages(book, posixpath.dirname(place)).items():
        if not linear:
            source.notes[_BESIDE] += 1
            continue
        if f'"{name}"' in encrypted:
            raise BadRecord("unreadable", "it is encrypted, as books with digital rights management are")
        texts += _chapter(package.read(name), source, options)
    text = clean_text("\n\n".join(texts), how)
    if not text:
        raise BadRecord("empty", "no text in the book")
    metadata = next((element for element in book if local_name(element) == "metadata"), book)
    yield Record("", {**properties(metadata), **_date(metadata)}, text, None)


def _place_of_book(package: Package) -> str:
    for element in parse_xml(package.read("META-INF/container.xml")).iter():
        if local_name(element) == "rootfile" and element.get("full-path"):
            return str(element.get("full-path"))
    raise BadRecord("malformed", "its container names no package of a book")


def _pages(book: etree._Element, folder: str) -> dict[str, bool]:
    """Return the members that the spine names, in its order, and whether each is of the order of reading."""
    items = {element.get("id"): element for element in book.iter() if local_name(element) == "item"}
    pages: dict[str, bool] = {}
    for reference in book.iter():
        item = items.get(reference.get("idref")) if local_name(reference) == "itemref" else None
        if item is None or item.get("media-type") not in _PAGES or "nav" in str(item.get("properties")).split():
            continue
        name = posixpath.normpath(posixpath.join(folder, unquote(str(item.get("href")))))
        linear = reference.get("linear") != "no"
        if linear and not pages.get(name):
            pages.pop(name, None)  # its place is the one where it is read
        pages.setdefault(name, linear)
    return pages


def _chapter(data: bytes, source: Source, options: ReaderOptions) -> list[str]:
    try:
        root = parse_xml(data)
    except BadRecord as error:
        if error.reason == "unsafe":
            raise
        return page_paragraphs(data, source, options)
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = local_name(element)
    return paragraphs(without_note_marks(root))


def _date(metadata: etree._Element) -> dict[str, str]:
    dates: dict[str, str] = {}
    for element in metadata.iter():
        if local_name(element) == "date" and (field := clean_field("".join(element.itertext())[:100])):
            event = next((value for name, value in element.attrib.items() if str(name).endswith("event")), "")
            dates.setdefault(str(event), field)
    return next(({"date": dates[event]} for event in _EVENTS if event in dates), {})
