"""Text of a docx that lies in another part of it, or in another file: `w:altChunk`, `w:subDoc`.

Word puts it in its place when the document is opened. So it is read there, if it is a page, text, a document of Word
(zipped, or in one piece of XML) or a page with its pictures (MHTML) within the package. Other text is noted, by kind.
"""

import email
import email.policy
import io
import posixpath
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from urllib.parse import unquote

from lxml import etree

from lexbeam.transforms.formats.readers.html import page_paragraphs, paragraphs_of_page
from lexbeam.transforms.formats.readers.office_styles import value_of
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_value, cleaning, decode
from lexbeam.transforms.formats.sources.packages import Package
from lexbeam.transforms.formats.sources.streams import encodings_of
from lexbeam.transforms.formats.sources.xml_tree import local_name, parse_xml

_NOT_READ = "text of documents of Word left out, {} {}"
_PAGES = (".html", ".htm", ".xhtml")
_FATAL = ("unsafe", "too_large", "control", "too_many_marks")

# A document of Word in one piece of XML: of today, of 2003, or its main part alone.
_DOCUMENTS = ("package", "wordDocument", "document")

Within = Callable[[Package | etree._Element], list[str]]


def relations_of(package: Package, part: str) -> list[etree._Element]:
    """Return what a part, or the package itself for the empty name, says of others; raises as `Package.read`."""
    folder, name = posixpath.split(part)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    return list(parse_xml(package.read(place))) if not part or place in package else []


def target_of(relation: etree._Element, part: str) -> str:
    """Return the member that a relation of a part leads to."""
    target = unquote(str(relation.get("Target")))
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target)).lstrip("/")


def put_parts(
    root: etree._Element, package: Package, main: str, source: Source, options: ReaderOptions, within: Within | None
) -> None:
    """Put the paragraphs of other parts into the places where a document names them.

    Args:
        root: its main part, which is changed.
        package: that it lies in.
        main: the name of the part.
        source: whose notes count what is not read.
        options: how it is read.
        within: returns the paragraphs of a document within this one, or of its body; None if they lie too deep.

    Raises:
        BadRecord: `unsafe`, `too_large`, and what the reader of pages raises.
    """
    places = list(root.iter("{*}altChunk", "{*}subDoc"))
    relations = {value_of(relation, "Id"): relation for relation in relations_of(package, main)} if places else {}
    size = 0
    for place in places:
        relation = relations.get(value_of(place, "id"))
        name = "" if relation is None else target_of(relation, main)
        texts: list[str] | None = None
        if relation is not None and relation.get("TargetMode") != "External" and name in package:
            texts = _texts(package.read(name), name, source, options, within)
        if texts is None:
            kind = posixpath.splitext(name)[1].lower()[:10] or "without ending"
            source.notes[_NOT_READ.format(f"w:{local_name(place)}", kind)] += 1
            continue
        size += sum(map(len, texts))
        if size > options.max_record_bytes:
            raise BadRecord("too_large", f"its parts hold over {options.max_record_bytes} characters")
        for text in texts:
            place.addprevious(_paragraph(text))


def _paragraph(text: str) -> etree._Element:
    paragraph = etree.Element("p")
    run = etree.SubElement(paragraph, "r")
    for number, line in enumerate(text.split("\n")):
        if number:
            etree.SubElement(run, "br")
        etree.SubElement(run, "t").text = line
    return paragraph


def _texts(data: bytes, name: str, source: Source, options: ReaderOptions, within: Within | None) -> list[str] | None:
    """Return the paragraphs of a part; None if it cannot be read."""
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    try:
        if head.startswith(b"PK\x03\x04"):
            return _at_depth(within)(Package(Source(name, lambda: io.BytesIO(data), name), options))
        if head.startswith((b"{\\rtf", b"\xd0\xcf\x11\xe0", b"%PDF")):
            return None
        if head[:13].lower() == b"mime-version:" or b"\nmime-version:" in head.lower():
            return _of_mail(data, source, options)
        if head.startswith(b"<") and b"<html" not in head.lower() and not name.lower().endswith(_PAGES):
            return _of_xml(data, within)
        if head.startswith(b"<") or name.lower().endswith(_PAGES):
            return page_paragraphs(data, source, options)
        text = clean_value(decode(data, encodings_of(data, source, options)), cleaning(source, options))
        return _split(text)
    except zipfile.BadZipFile:
        return None
    except BadRecord as error:
        if error.reason in _FATAL:
            raise
        return [] if error.reason == "empty" else None


def _of_mail(data: bytes, source: Source, options: ReaderOptions) -> list[str] | None:
    """Return the paragraphs of the page, or the text, in a message."""
    message = email.message_from_bytes(data, EmailMessage, policy=email.policy.default)
    body = message.get_body(("html", "plain"))
    try:
        text = "" if body is None else str(body.get_content())
    except (LookupError, ValueError, KeyError):
        return None
    text = clean_value(text, cleaning(source, options))
    if body is None or body.get_content_type() != "text/html":
        return _split(text)
    return paragraphs_of_page(text, source.notes)


def _of_xml(data: bytes, within: Within | None) -> list[str] | None:
    """Return the paragraphs of a document of Word in one piece of XML; None if it is something else."""
    root = parse_xml(data)
    body = next(root.iter("{*}body"), None)
    return None if body is None or local_name(root) not in _DOCUMENTS else _at_depth(within)(body)


def _at_depth(within: Within | None) -> Within:
    if within is None:
        raise BadRecord("too_large", "documents lie too deep in each other")
    return within


def _split(text: str) -> list[str]:
    return [paragraph for paragraph in text.split("\n\n") if paragraph.strip()]
