"""E-books in EPUB: the text of the chapters, in the order of reading, and what the package says of the book.

Chapters are pages of XHTML, of which all is read that a reader sees, by the readers of XML and, where that
fails, of pages. What the package says of their kind counts for little: a chapter of another media type is read if it
holds a page, which is noted. Left out are the navigation, marks of notes, and, noted as such, pages that the package
puts beside the order of reading (`linear="no"`: covers, notes, answers), what it does not list, and what is no page. Of
dates that of the first publication counts before others; an e-book of an older text often states only its own.
"""

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from lexbeam.transforms.common.marks import nfc
from lexbeam.transforms.formats.readers.html import page_paragraphs
from lexbeam.transforms.formats.readers.office import properties
from lexbeam.transforms.formats.readers.page_text import paragraphs, without_marks
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_text, cleaning, decode
from lexbeam.transforms.formats.sources.streams import encodings_of
from lexbeam.transforms.formats.sources.xml_documents import Package, local_name, parse_xml

_PAGES = ("application/xhtml+xml", "application/x-dtbook+xml")
_ROOTS = ("html", "dtbook")
_NO_TEXT = ("image/", "audio/", "video/", "font/")
_TAG = re.compile(rb"<(?:html|!doctype\s+html|body|h[1-6]|p|div)[\s>]", re.IGNORECASE)
_ENCRYPTED = "META-INF/encryption.xml"
_BESIDE = "pages of e-books beside the order of reading left out"
_UNLISTED = "places in the order of reading of e-books that their packages do not list"
_OTHER_TYPE = "chapters of e-books by another media type than XHTML"
_NO_PAGE = "places in the order of reading of e-books that hold no page left out"
_EVENTS = ("original-publication", "creation", "publication", "")


def read_epub(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the book as one record.

    Raises:
        BadRecord: `empty`, `malformed`, `unreadable`, `unsafe`, `too_large`, and what `clean_text` raises.
    """
    package = Package(source, options)
    place = _place_of_book(package)
    book = parse_xml(package.read(place))
    folder = posixpath.dirname(place)
    encrypted = _encrypted(package, folder)
    how = cleaning(source, options)
    texts: list[str] = []
    for item, linear in _pages(book, source):
        if not linear:
            source.notes[_BESIDE] += 1
            continue
        name = _member(package, folder, item.get("href") or "")
        media = (item.get("media-type") or "").strip()
        if _plain(name) in encrypted:
            raise BadRecord("unreadable", "it is encrypted, as books with digital rights management are")
        if media.lower().startswith(_NO_TEXT) and name not in package:
            source.notes[_NO_PAGE] += 1
            continue
        chapter = _chapter(package.read(name), source, options, media)
        if chapter is None:
            source.notes[_NO_PAGE] += 1
            continue
        if media not in _PAGES:
            source.notes[_OTHER_TYPE] += 1
        texts += chapter
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


def _encrypted(package: Package, folder: str) -> set[str]:
    """Return the members that are encrypted, fonts or chapters; `folder` is that of the book."""
    root = parse_xml(package.read(_ENCRYPTED)) if _ENCRYPTED in package else etree.Element("none")
    known = {_plain(name) for name in package.names}
    names: set[str] = set()
    for element in root.iter():
        if local_name(element) == "CipherReference":
            # They start at the package; some writers start at another folder.
            places = [re.sub(r"\A(?:\.\./)+", "", _resolved(start, element.get("URI") or "")) for start in ("", folder)]
            names.add(next((name for name in map(_plain, places) if name in known), ""))
    return names


def _resolved(folder: str, reference: str) -> str:
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join("/" if path.startswith("/") else folder, path)).lstrip("/")


def _plain(name: str) -> str:
    return nfc(unquote(name)).casefold()


def _member(package: Package, folder: str, reference: str) -> str:
    """Return the member that a reference leads to, whose own name may be escaped, or written in another way."""
    name = _resolved(folder, reference)
    if name in package:
        return name
    return next((member for member in package.names if _plain(member) == _plain(name)), name)


def _pages(book: etree._Element, source: Source) -> list[tuple[etree._Element, bool]]:
    """Return the items that the spine names, in its order, and whether each is of the order of reading."""
    items = {element.get("id"): element for element in book.iter() if local_name(element) == "item"}
    pages: dict[str, tuple[etree._Element, bool]] = {}
    for reference in book.iter():
        if local_name(reference) != "itemref":
            continue
        item = items.get(reference.get("idref"))
        if item is None:
            source.notes[_UNLISTED] += 1
            continue
        if "nav" in str(item.get("properties")).split():
            continue
        item = _readable(item, items)
        name = _resolved("", item.get("href") or "")
        linear = reference.get("linear") != "no"
        if linear and not (name in pages and pages[name][1]):
            pages.pop(name, None)  # its place is the one where it is read
        pages.setdefault(name, (item, linear))
    return list(pages.values())


def _readable(item: etree._Element, items: dict[str | None, etree._Element]) -> etree._Element:
    """Return the page that stands for an item that is none; the item itself, if there is no such."""
    found, seen = item, set[etree._Element]()
    while found is not None and found not in seen:
        if found.get("media-type") in _PAGES:
            return found
        seen.add(found)
        found = items.get(found.get("fallback", ""))
    return item


def _chapter(data: bytes, source: Source, options: ReaderOptions, media: str) -> list[str] | None:
    """Return the paragraphs of a chapter; None if it holds no page, and its media type does not say that it is one."""
    said = media in _PAGES
    try:
        root = parse_xml(data)
    except BadRecord as error:
        if error.reason == "unsafe":
            raise
        if said or _TAG.search(data[:4096]):
            return page_paragraphs(data, source, options)
        is_plain = media.lower().startswith("text/plain")
        return [decode(data, encodings_of(data, source, options), cleaning(source, options))] if is_plain else None
    if not said and local_name(root).lower() not in _ROOTS:
        return None
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = local_name(element)
    return paragraphs(without_marks(root, source.notes))


def _date(metadata: etree._Element) -> dict[str, str]:
    dates: dict[str, str] = {}
    for element in metadata.iter():
        if local_name(element) == "date" and (field := clean_field("".join(element.itertext())[:100])):
            event = next((value for name, value in element.attrib.items() if str(name).endswith("event")), "")
            dates.setdefault(str(event), field)
    return next(({"date": dates[event]} for event in _EVENTS if event in dates), {})
