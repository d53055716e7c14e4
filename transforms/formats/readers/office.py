"""Documents of word processors: docx (Office Open XML, ECMA-376) and odt (OpenDocument, ISO 26300).

The text is that of the body, paragraph by paragraph, those of tables and text boxes too, with all changes
accepted. Left out are headers, footers, footnotes, comments, deleted and hidden text, titles of drawings, and
generated tables of contents. A character that a docx takes from a font of symbols has no meaning outside it:
it becomes a space, which is noted. Title, author and language are those of the document's properties; its
dates are those of the file, not of the text, and never taken.

    >>> docx_paragraphs(parse_xml(b"<body><p><r><t>Ship</t></r><r><t>s </t><t>sail.</t></r></p></body>"))
    ['Ships sail.']

Text of a docx may lie in another part of it, or in another file (`w:altChunk`, `w:subDoc`): Word puts it in its place
when the document is opened. So it is read there, if it is a page, text, a document of Word
(zipped, or in one piece of XML) or a page with its pictures (MHTML) within the package. Other text is noted, by kind.
"""

import email
import email.policy
import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from urllib.parse import unquote

from lxml import etree

from lexbeam.transforms.formats.readers.html import page_paragraphs, page_root
from lexbeam.transforms.formats.readers.office_styles import (
    FALSE,
    LEFT_OUT,
    drop_generated,
    hide_docx,
    hide_odt,
    value_of,
)
from lexbeam.transforms.formats.readers.page_text import CHINESE, READINGS, paragraphs
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_text, clean_value, cleaning, decode
from lexbeam.transforms.formats.sources.streams import encodings_of
from lexbeam.transforms.formats.sources.xml_documents import Package, local_name, parse_xml

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
        source: whose notes count what is not read.
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
    return paragraphs(page_root(text, source.notes))


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


# Elements, and those of pages that are read like them.
_DOCX = {"cr": "br", **dict.fromkeys(("tab", "ptab", "pgNum"), "cell")}
_DOCX |= {f"{of}{form}": "cell" for of in ("day", "month", "year") for form in ("Short", "Long")}
_DOCX_SKIPPED = {LEFT_OUT, "del", "moveFrom", "rt"}
_ODT = {"line-break": "br", "tab": "cell", "s": "cell"}
_ODT_NAMES = (
    "note number annotation tracked-changes ruby-text hidden-text hidden-paragraph table-of-content "
    "alphabetical-index illustration-index table-index user-index bibliography"
)
_ODT_SKIPPED = set(_ODT_NAMES.split())
_MARK_GONE = ("del", "moveFrom")
_NEXT_TO = {"p", "tbl", "sdt", "customXml", "sectPr"}  # what may follow a paragraph, markers of ranges aside
# Fonts of which a code under 256 is a place in the font; codes for private use are so in any font.
_SYMBOLS = re.compile(r"symbol|(?:wing|web)dings.*|.*dingbats|mt extra|marlett", re.IGNORECASE)
_DEPTH = 3  # of documents in each other
_PRIVATE = (range(0xE000, 0xF900), range(0xF0000, 0x110000))
_NO_MEANING = "symbols of a font left out"
_LINKED = "sections of open documents in other files left out"
# Marks of notes are numbers, which part words, where words are parted. Here a noncharacter is put for each.
_NOTE = "\ufdd0"
_NOTE_MARKS = ("footnoteReference", "endnoteReference")
_UNPARTED = f"{CHINESE}\u0e00-\u109f\u1780-\u17ff"
_AT_NOTE = re.compile(rf"(?<=[^\W{_UNPARTED}]|[.,;:!?)\]»”\"]){_NOTE}+(?=[^\W{_UNPARTED}])")


def read_docx(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the document as one record.

    Raises:
        BadRecord: `empty`, `malformed`, `unreadable`, `unsafe`, `too_large`, and what `clean_text` raises.
    """
    package = Package(source, options)
    main = _part(package, "", "officeDocument")
    if not main:
        raise BadRecord("malformed", "no part of it is said to be the document")
    yield _record(source, options, _body(package, main, source, options), package, "docProps/core.xml")


def _body(package: Package, main: str, source: Source, options: ReaderOptions, depth: int = 0) -> list[str]:
    """Return the paragraphs of a docx, with those of documents within it, `depth` of which are around it."""
    root = parse_xml(package.read(main))
    styles = _part(package, main, "styles") or posixpath.join(posixpath.dirname(main), "styles.xml")

    def within(part: Package | etree._Element) -> list[str]:
        if isinstance(part, Package):
            return _body(part, _part(part, "", "officeDocument"), source, options, depth + 1)
        return docx_paragraphs(part, None, source.notes)

    put_parts(root, package, main, source, options, within if depth < _DEPTH else None)
    return docx_paragraphs(root, _tree(package, styles), source.notes)


def read_odt(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the document as one record; raises as `read_docx`."""
    package = Package(source, options)
    if b"encryption-data" in (package.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in package else b""):
        raise BadRecord("unreadable", "it is encrypted")
    body = odt_paragraphs(parse_xml(package.read("content.xml")), _tree(package, "styles.xml"), source.notes)
    yield _record(source, options, body, package, "meta.xml")


def _part(package: Package, of: str, kind: str) -> str:
    """Return the member that is a part of another, or of the package itself, by the kind of their relation."""
    for relation in relations_of(package, of):
        if str(relation.get("Type")).endswith(f"/{kind}"):
            return target_of(relation, of)
    return ""


def _tree(package: Package, name: str) -> etree._Element | None:
    return parse_xml(package.read(name)) if name in package else None


def _record(source: Source, options: ReaderOptions, body: list[str], package: Package, about: str) -> Record:
    text = clean_text("\n\n".join(body), cleaning(source, options))
    if not text:
        raise BadRecord("empty", "no text in the document")
    return Record("", properties(parse_xml(package.read(about))) if about in package else {}, text, None)


def properties(root: etree._Element) -> dict[str, str]:
    """Return those of `title`, `author` and `language` that a document's Dublin Core states.

    Of several authors all count; an odt has the first one, and the last one to change it.
    """
    stated: dict[str, list[str]] = {}
    for element in root.iter():
        if field := clean_field("".join(element.itertext())[:1000]) if not len(element) else "":
            stated.setdefault(local_name(element), []).append(field)
    authors = stated.get("initial-creator") or stated.get("creator", [])
    fields = {
        "title": next(iter(stated.get("title", [])), ""),
        "author": "; ".join(dict.fromkeys(authors)),
        "language": next(iter(stated.get("language", [])), ""),
    }
    return {name: value for name, value in fields.items() if value}


def docx_paragraphs(
    root: etree._Element, styles: etree._Element | None = None, notes: Counter[str] | None = None
) -> list[str]:
    """Return the paragraphs of a docx's main part.

    Args:
        root: the part, which is changed.
        styles: the part that holds the styles, which may hide text.
        notes: counts characters of symbol fonts, and readings of ruby.
    """
    hide_docx(root, styles)
    drop_generated(root)
    _choose(root)
    goes_on: list[etree._Element] = []
    for element in root.iter():
        name = local_name(element)
        if name != "t":  # runs of one word may stand on lines of their own
            element.text = "-" if name == "noBreakHyphen" else None
        element.tail = None
        if name in ("sym", "symEx"):
            element.text = _symbol(element)
            if element.text == " " and notes is not None and not any(map(_is_skipped, element.iterancestors())):
                notes[_NO_MEANING] += 1
        elif name == "fldSimple" and not any(local_name(inner) == "t" for inner in element.iter()):
            element.text = " "  # it shows a number that is not known yet
        elif name in _NOTE_MARKS:
            element.text = _NOTE
            if value_of(element, "customMarkFollows") not in ("", *FALSE):
                for mark in element.itersiblings():
                    mark.tag = LEFT_OUT
        elif name == "p" and any(element.find(f"{{*}}pPr/{{*}}rPr/{{*}}{gone}") is not None for gone in _MARK_GONE):
            goes_on.append(element)
    _join(goes_on)
    _count_readings(root.iter("{*}ruby"), "{*}rt", notes)
    return _paragraphs(root, _DOCX, {"p"}, _DOCX_SKIPPED)


def _choose(root: etree._Element) -> None:
    """Leave of each `mc:AlternateContent` the first choice that holds text; the others say it again."""
    for alternative in root.iter("{*}AlternateContent"):
        chosen = next((choice for choice in alternative if next(choice.iter("{*}t"), None) is not None), None)
        for choice in alternative:
            if choice is not chosen:
                choice.tag = LEFT_OUT


def _symbol(element: etree._Element) -> str:
    """Return the character that a run takes from a font; a space if only the font knows it."""
    try:
        code = int(value_of(element, "char"), 16)
        known = code >= 256 or not _SYMBOLS.fullmatch(value_of(element, "font").strip())
        return chr(code) if known and not any(code in codes for codes in _PRIVATE) else " "
    except (ValueError, OverflowError):
        return " "


def _is_skipped(element: etree._Element) -> bool:
    return "hidden" in element.attrib or local_name(element) in _DOCX_SKIPPED


def _join(paragraphs: list[etree._Element]) -> None:
    """Put the contents of what follows paragraphs whose marks are deleted into them; that is left empty."""
    into: dict[etree._Element, etree._Element] = {}
    for paragraph in paragraphs:
        following = paragraph.getnext()
        while following is not None and local_name(following) not in _NEXT_TO:
            following = following.getnext()
        if following is not None and local_name(following) == "p":
            into[following] = into.get(paragraph, paragraph)
            into[following].extend(list(following))


def odt_paragraphs(
    root: etree._Element, styles: etree._Element | None = None, notes: Counter[str] | None = None
) -> list[str]:
    """Return the paragraphs of an odt's content.

    Args:
        root: the content, which is changed.
        styles: the part that holds the named styles, which may hide text.
        notes: counts sections whose text lies in other files, and readings of ruby.
    """
    hide_odt(root, styles)
    for element in root.iter(etree.Element):
        if local_name(element) == "note":
            element.tail = _NOTE + (element.tail or "")
        elif local_name(element) == "section-source" and value_of(element, "href") and notes is not None:
            section = element.getparent()
            if section is not None and not "".join(section.itertext()).strip():
                notes[_LINKED] += 1
    body = next((element for element in root.iter() if local_name(element) == "body"), root)
    _count_readings(body.iter("{*}ruby"), "{*}ruby-text", notes)
    return _paragraphs(body, _ODT, {"p", "h"}, _ODT_SKIPPED)


def _count_readings(rubies: Iterator[etree._Element], name: str, notes: Counter[str] | None) -> None:
    readings = sum(bool("".join(reading.itertext()).strip()) for ruby in rubies for reading in ruby.iterchildren(name))
    if readings and notes is not None:
        notes[READINGS] += readings


def _paragraphs(root: etree._Element, names: dict[str, str], blocks: set[str], skipped: set[str]) -> list[str]:
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag != LEFT_OUT:
            element.tag = names.get(local_name(element), local_name(element))
    texts = paragraphs(root, blocks, skipped)
    return [_AT_NOTE.sub(" ", text).replace(_NOTE, "") if _NOTE in text else text for text in texts]
