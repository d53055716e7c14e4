"""Where the text of a TEI document stands in its source.

What is read of it, the reader's stylesheet says; see `markup`. At breaks the reader may leave out a hyphen: a hyphen at
the end of a stretch is one that is perhaps not there.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from html.entities import name2codepoint

from lxml import etree

from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.formats.readers.tei.breaks import HYPHENS
from lexbeam.transforms.formats.readers.tei.marks import marked_text
from lexbeam.transforms.formats.readers.tei.reading import allowed_in_xml, declared_entities, texts_of
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import cleaning
from lexbeam.transforms.formats.sources.streams import marked_encoding
from lexbeam.transforms.formats.sources.xml_tree import DECLARED_IN_XML, local_name, parse_xml
from lexbeam.transforms.formats.spans.markup import (
    Said,
    Stretch,
    Value,
    escaped,
    fixed_stretches,
    marked,
    pieces_of,
    stretches_in,
)
from lexbeam.transforms.formats.spans.origin import FROZEN, Coded, Origin, SourcePiece, coded

_QUOTED = r"\"[^\"]*+\"|'[^']*+'"
_COMMENT = r"<!--.*?-->|<\?.*?\?>"
_MARKUP = re.compile(
    rf"{_COMMENT}|<!\[CDATA\[(?P<verbatim>.*?)\]\]>"
    rf"|<!DOCTYPE(?:[^\[>\"']++|{_QUOTED}|\[(?:{_COMMENT}|[^\]\"']|{_QUOTED})*+\])*+>"
    rf"|<(?:[^>\"']++|{_QUOTED})*+>",
    re.DOTALL,
)
_HYPHEN = re.compile(f"[{HYPHENS}](?=\\s*$)")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
# Code, names of markup, formulas, and words that are no words of the text.
_CODE = frozenset(
    ["att", "code", "eg", "egXML", "formula", "foreign", "gi", "ident", "idno", "math", "mentioned", "tag", "val"]
)
# What attributes say of a word would no longer hold of another one.
_OF_WORDS = ("baseForm", "hw", "lemma", "lemmaRef", "msd", "norm", "orig", "reg")
_WORDS = {"no": False, "yes": True}
_WHOLE = frozenset(("TEI", "TEI.2", "teiCorpus", "teiCorpus.2", "text", "body"))
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ITS_TRANSLATE = "{http://www.w3.org/2005/11/its}translate"


def find_in_tei(data: bytes, source: Source, options: ReaderOptions) -> Origin:
    """Return the origin of the text of a TEI document, or of all those of a corpus, as the reader takes it.

    Raises:
        BadRecord: `undecodable`, `malformed`, and what the reader raises.
    """
    how = cleaning(source, options)
    document = coded(data, _encodings(data, options))
    entities = declared_entities(data)
    value = _value_of(entities)
    stretches = list(_stretches(document.text))
    with_marks = allowed_in_xml(marked(document.text, stretches, value).encode(), how)
    root = parse_xml(with_marks, entities, "utf-8")
    fixed = fixed_stretches(root, _said, source.language)
    read = [marked_text(text, options.tei_parts).text.decode() for text in texts_of(root).values()]
    pieces = pieces_of(document.text, stretches, stretches_in("\n".join(read)), value, fixed)
    return Origin(document, [part for piece in pieces for part in _hyphen_apart(piece, document, stretches)], escaped)


def _said(element: etree._Element) -> Said:
    name = local_name(element)
    code = name in _CODE or any(map(element.get, _OF_WORDS))
    return Said(code, _WORDS.get(element.get(_ITS_TRANSLATE, "")), element.get(_XML_LANG, ""), name in _WHOLE)


def _encodings(data: bytes, options: ReaderOptions) -> tuple[str, ...]:
    if by_mark := marked_encoding(data):
        return (by_mark,)
    declared = None if data.startswith(codecs.BOM_UTF8) else DECLARED_IN_XML.match(data)
    if declared is None:
        return ("utf-8",) if data.startswith(codecs.BOM_UTF8) else options.encoding
    try:
        return (codecs.lookup(python_name(declared[1].decode())).name,)
    except LookupError as error:
        raise BadRecord("undecodable", str(error)) from None


def _value_of(entities: Mapping[str, str]) -> Value:
    """Return what tells what a reference stands for: itself, if it is none."""

    def value(reference: str) -> str:
        name = reference[1:].removesuffix(";")
        if name.startswith("#"):
            return chr(int(name[2:], 16) if name[1:2] in ("x", "X") else int(name[1:]))
        if name in _PREDEFINED:
            return _PREDEFINED[name]
        return entities.get(name, chr(name2codepoint[name]) if name in name2codepoint else reference)

    return value


def _stretches(text: str) -> Iterator[Stretch]:
    """Yield where there is no markup in a document that is well formed, and what stands in its CDATA."""
    place = 0
    for markup in _MARKUP.finditer(text):
        yield Stretch(place, markup.start())
        if markup["verbatim"]:
            yield Stretch(*markup.span("verbatim"), verbatim=True)
        place = markup.end()


def _hyphen_apart(piece: SourcePiece, document: Coded, stretches: list[Stretch]) -> Iterator[SourcePiece]:
    """Yield a piece, a hyphen at the end of its stretch apart from the rest."""
    hyphen = None
    if piece.text is None and piece.stretch != FROZEN and piece.end == stretches[piece.stretch].end:
        hyphen = _HYPHEN.search(document.text, piece.start, piece.end)
    if hyphen is None:
        yield piece
        return
    yield piece._replace(end=hyphen.start())
    yield piece._replace(start=hyphen.start(), perhaps=True)
