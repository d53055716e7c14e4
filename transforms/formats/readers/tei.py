"""TEI: the header's fields, the text (`tei_text`), and annotation where `<w>` carries it.

Entities are never resolved and nothing is fetched. A document that declares an external entity, or
one made of other entities, is rejected before anything is parsed; entities that stand for plain
characters (`<!ENTITY mdash "&#8212;">`, and the named ones of HTML) are read as these.

The date is that of the first edition, else of the printed source, else of any other source but a
digital one, else of the creation (`profileDesc`). Dates in the publication statement and the
revisions are about the file, not the text, and never taken. An attribute (`when`, `notBefore` and
`notAfter`, `from` and `to`) takes precedence over the element's text, and a date that can be read
over one that cannot.
"""

import xml.parsers.expat as expat
from collections.abc import Iterator
from contextlib import suppress

from lxml import etree

from lexbeam.transforms.formats.readers.page_text import READINGS
from lexbeam.transforms.formats.readers.tei_text import read_body
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source
from lexbeam.transforms.formats.records.date_parsing import parse_date
from lexbeam.transforms.formats.records.text_cleaning import Cleaning, clean_field, cleaning
from lexbeam.transforms.formats.sources.streams import marked_encoding, read_all
from lexbeam.transforms.formats.sources.xml_documents import local_name, parse_xml

_ROOTS = {"TEI", "TEI.2", "teiCorpus", "teiCorpus.2"}
_BIBL = {"bibl", "biblStruct", "biblFull"}
_EDITIONS = {"firstEdition": 0, "printSource": 1}
_PROLOGUE = 1 << 20
_PIECE = 1 << 12
_PARTS = ("{*}front", "{*}body", "{*}back")
# Of the control characters that XML forbids, white space to Python; ESC, which begins other
# characters in some encodings, is left alone.
_SPACE = bytes((0x0B, 0x0C, *range(0x1C, 0x20)))
_SPACES = bytes.maketrans(_SPACE, b" " * len(_SPACE))
_FORBIDDEN = bytes({*range(0x20)} - {*b"\t\n\r\x1b", *_SPACE})


def read_tei(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the file as one record, or a record for each `<TEI>` of a `<teiCorpus>`.

    Raises:
        BadRecord: `malformed`, `undecodable`, `unsafe`, `too_large`, `empty`, `control`,
            `too_many_marks`.
    """
    how = cleaning(source, options)
    data = allowed_in_xml(read_all(source, options), how)
    root = _root(data, declared_entities(data), options, how)
    for position, text in texts_of(root).items():
        try:
            yield _record(position, text, options, how)
        except BadRecord as error:
            if not position:
                raise
            yield Reject(position, error.reason, error.detail)


def texts_of(root: etree._Element) -> dict[str, etree._Element]:
    """Return the TEI elements of a document by their position: empty if it is one, else a number from 1.

    Raises:
        BadRecord: `malformed`, `empty`.
    """
    if local_name(root) not in _ROOTS:
        raise BadRecord("malformed", f"XML, but its root is <{local_name(root)}>, not <TEI>")
    if local_name(root) in ("TEI", "TEI.2"):
        return {"": root}
    texts = [child for child in root.iter() if local_name(child) in ("TEI", "TEI.2")]
    if not texts:
        raise BadRecord("empty", "a <teiCorpus> without <TEI>")
    return {str(number): text for number, text in enumerate(texts, 1)}


def header_fields(root: etree._Element) -> dict[str, str]:
    """Return those of `date`, `title`, `author` and `language` that a TEI element has."""
    header = next((child for child in root if local_name(child) == "teiHeader"), None)
    fields: dict[str, str] = {}
    if header is not None:
        statement = _first(header, "titleStmt")
        for name in ("title", "author"):
            element = None if statement is None else _first(statement, name)
            fields[name] = "" if element is None else _text(element)
        fields["date"] = _date(header)
        language = _first(header, "language")
        fields["language"] = "" if language is None else clean_field(language.get("ident", ""))
    text = next((child for child in root if local_name(child) == "text"), None)
    for element in (text, root):
        if not fields.get("language") and element is not None:
            fields["language"] = clean_field(element.get("{http://www.w3.org/XML/1998/namespace}lang", ""))
    return {name: value for name, value in fields.items() if value}


def _record(position: str, root: etree._Element, options: ReaderOptions, how: Cleaning) -> Record:
    text, sentences = read_body(root, options.tei_parts, how, options.words)
    if not text:
        parts = ", ".join(f"<{part}>" for part in options.tei_parts)
        raise BadRecord("empty", f"no text in {parts}")
    if readings := sum(_is_reading(element, options) for element in root.iter("{*}rt")):
        how.note(READINGS, readings)
    return Record(position, header_fields(root), text, sentences)


def _is_reading(element: etree._Element, options: ReaderOptions) -> bool:
    """Return whether an element is the reading of a ruby in a part of the text that is read."""
    ruby, part = (next(element.iterancestors(*names), None) for names in (("{*}ruby",), _PARTS))
    return ruby is not None and part is not None and local_name(part) in options.tei_parts


def allowed_in_xml(data: bytes, how: Cleaning) -> bytes:
    """Return bytes of XML without the control characters that XML forbids, if they may be dropped."""
    if b"\x00" in data[:4] or marked_encoding(data):  # UTF-16 or UTF-32
        return data
    if how.control == "drop":
        plain = data.translate(_SPACES, _FORBIDDEN)
        if len(plain) < len(data):
            how.note("control characters dropped", len(data) - len(plain))
        return plain
    if b"\x00" in data:
        raise BadRecord("control", f"a NUL character at byte {data.index(0)}; see --control")
    return data


class _PrologueEnd(Exception):
    """The root element begins."""


def declared_entities(data: bytes) -> dict[str, str]:
    """Return the characters that declared entities stand for; parameter entities as `%NAME`.

    Raises:
        BadRecord: `unsafe`, if one is external, or of other entities or declarations.
    """
    entities: dict[str, str] = {}

    def declared(name: str, parameter: bool, value: str | None, *identifiers: str | None) -> None:
        if value is None or any(identifiers[1:3]):  # that of the system, the public one
            raise BadRecord("unsafe", f"declares the external entity {name!r}")
        if "&" in value or "<" in value or "%" in value or len(value) > 100:
            raise BadRecord("unsafe", f"declares the entity {name!r}, which is not plain text")
        entities["%" * parameter + name] = value

    def begun(name: str, attributes: object) -> None:
        raise _PrologueEnd

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = begun
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    # What is wrong with it, or in an encoding of its own, is for the true parser to say.
    with suppress(_PrologueEnd, expat.ExpatError, ValueError, LookupError):
        for start in range(0, min(len(data), _PROLOGUE), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
    return entities


def _root(data: bytes, entities: dict[str, str], options: ReaderOptions, how: Cleaning) -> etree._Element:
    """Return the root, decoded as declared, else in the first encoding that fits."""
    if marked_encoding(data) or b"encoding" in data[:200].split(b"?>")[0]:
        return parse_xml(data, entities, None)
    faults = []
    for encoding in options.encoding:
        try:
            root = parse_xml(data, entities, None if encoding == "utf-8" else encoding)
        except BadRecord as error:
            if error.reason != "undecodable":
                raise
            faults.append(error.detail)
            continue
        if len(options.encoding) > 1:
            how.note(f"encoding {encoding}")
        return root
    if len(faults) > 1:
        pairs = zip(options.encoding, faults, strict=True)
        faults = [f"not {encoding}: {fault}" for encoding, fault in pairs]
    raise BadRecord("undecodable", "; ".join(faults))


def _first(element: etree._Element, name: str) -> etree._Element | None:
    return next((inner for inner in element.iter() if local_name(inner) == name), None)


def _text(element: etree._Element) -> str:
    return clean_field("".join(element.itertext()))


def _date(header: etree._Element) -> str:
    ranked: list[tuple[int, str]] = []
    source = _first(header, "sourceDesc")
    for element in () if source is None else source.iter():
        if local_name(element) == "date":
            kind = _kind(element)
            if kind != "digitalSource":
                ranked.append((_EDITIONS.get(kind, 2), _value(element)))
    profile = _first(header, "profileDesc")
    creation = None if profile is None else _first(profile, "creation")
    if creation is not None:
        dates = [e for e in creation.iter() if local_name(e) in ("date", "creation")]
        ranked += [(3, _value(element)) for element in reversed(dates)]
    values = [value for _, value in sorted(ranked, key=lambda pair: pair[0]) if value]
    readable = [value for value in values if parse_date(value) is not None]
    return (readable or values or [""])[0]


def _kind(element: etree._Element) -> str:
    for above in element.iterancestors():
        if local_name(above) == "sourceDesc":
            break
        if local_name(above) in _BIBL and above.get("type"):
            return str(above.get("type"))
    return ""


def _value(element: etree._Element) -> str:
    for name in ("when", "when-iso"):
        if element.get(name):
            return clean_field(element.get(name))
    for first, last in (("notBefore", "notAfter"), ("from", "to")):
        if element.get(first) and element.get(last):
            return clean_field(f"{element.get(first)}/{element.get(last)}")
    return _text(element)
