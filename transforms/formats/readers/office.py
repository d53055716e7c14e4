"""Documents of word processors: docx (Office Open XML, ECMA-376) and odt (OpenDocument, ISO 26300).

The text is that of the body, paragraph by paragraph, those of tables and text boxes too. Left out are
headers, footers, footnotes, comments, deleted and hidden text, and generated tables of contents. Title,
author and language are those of the document's properties; its dates are those of the file, not of the text,
and never taken.

    >>> docx_paragraphs(parse_xml(b"<body><p><r><t>Ship</t></r><r><t>s </t><t>sail.</t></r></p></body>"))
    ['Ships sail.']
"""

from collections.abc import Iterator

from lxml import etree

from transforms.formats.readers.html_tree import paragraphs
from transforms.formats.readers.xml_tree import local_name, parse_xml
from transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from transforms.formats.records.text_cleaning import clean_field, clean_text, cleaning
from transforms.formats.sources.packages import Package

__all__ = ["docx_paragraphs", "odt_paragraphs", "properties", "read_docx", "read_odt"]

_LEFT_OUT = "left-out"
# Elements, and those of pages that are read like them.
_DOCX = {"cr": "br", "tab": "cell", "noBreakHyphen": "noBreakHyphen"}
_DOCX_SKIPPED = {_LEFT_OUT, "del", "moveFrom", "Fallback", "rt"}  # a fallback says again what stands before it
_ODT = {"line-break": "br", "tab": "cell", "s": "cell"}
_ODT_SKIPPED = {
    "note",
    "annotation",
    "tracked-changes",
    "ruby-text",
    "hidden-text",
    "hidden-paragraph",
    "table-of-content",
    "alphabetical-index",
    "illustration-index",
    "table-index",
    "user-index",
    "bibliography",
}
_CONTENTS = "Table of Contents"
_FALSE = ("0", "false", "off")


def read_docx(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the document as one record.

    Raises:
        BadRecord: `empty`, `malformed`, `unreadable`, `unsafe`, `too_large`, and what `clean_text` raises.
    """
    package = Package(source, options)
    body = docx_paragraphs(parse_xml(package.read(_main_part(package))))
    yield _record(source, options, body, package, "docProps/core.xml")


def read_odt(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the document as one record; raises as `read_docx`."""
    package = Package(source, options)
    if b"encryption-data" in (package.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in package else b""):
        raise BadRecord("unreadable", "it is encrypted")
    body = odt_paragraphs(parse_xml(package.read("content.xml")))
    yield _record(source, options, body, package, "meta.xml")


def _main_part(package: Package) -> str:
    """Return the member that holds the text."""
    for relation in parse_xml(package.read("_rels/.rels")):
        if str(relation.get("Type")).endswith("/officeDocument"):
            return str(relation.get("Target")).lstrip("/")
    raise BadRecord("malformed", "no part of it is said to be the document")


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


def docx_paragraphs(root: etree._Element) -> list[str]:
    """Return the paragraphs of a docx's main part; the tree is changed."""
    for element in root.iter():
        name = local_name(element)
        if name != "t":  # runs of one word may stand on lines of their own
            element.text = "-" if name == "noBreakHyphen" else None
        element.tail = None
        if name == "vanish" and _value(element) not in _FALSE:
            _leave_out(element, "r")
        elif name == "docPartGallery" and _value(element) == _CONTENTS:
            _leave_out(element, "sdt")
    return _paragraphs(root, _DOCX, {"p"}, _DOCX_SKIPPED)


def odt_paragraphs(root: etree._Element) -> list[str]:
    """Return the paragraphs of an odt's content; the tree is changed."""
    body = next((element for element in root.iter() if local_name(element) == "body"), root)
    return _paragraphs(body, _ODT, {"p", "h"}, _ODT_SKIPPED)


def _paragraphs(root: etree._Element, names: dict[str, str], blocks: set[str], skipped: set[str]) -> list[str]:
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag != _LEFT_OUT:
            element.tag = names.get(local_name(element), local_name(element))
    return paragraphs(root, blocks, skipped)


def _value(element: etree._Element) -> str:
    return next((value for name, value in element.attrib.items() if str(name).endswith("}val")), "")


def _leave_out(element: etree._Element, above: str) -> None:
    """Mark the nearest element of a name above this one, so that it is skipped."""
    for ancestor in element.iterancestors():
        if local_name(ancestor) == above:
            ancestor.tag = _LEFT_OUT
            return
