"""Where the text of marked-up sources stands: what the reader's own parser takes for text, told by marks in it.

No parser of pages or XML says where in the source a text stood. So a mark is put before the first letter of each
stretch of text, the reader's own road is walked with the marked source, and the marks that come out tell which
stretches the reader takes, and in which order. Marks are noncharacters, which are neither letters nor white space to
any reader. If they changed the reading, the text would not be what the stretches hold, and `align` says so.

What is read of TEI, the reader's stylesheet says. At breaks the reader may leave out a hyphen: a hyphen at
the end of a stretch is one that is perhaps not there.
"""

import codecs
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from html.entities import name2codepoint
from typing import NamedTuple

from lxml import etree

from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.common.texts.languages import language_of, short_tag
from lexbeam.transforms.formats.readers.html import declared_encoding, page_root, text_between_tags
from lexbeam.transforms.formats.readers.markdown import front_matter
from lexbeam.transforms.formats.readers.page_text import paragraphs, unread_in
from lexbeam.transforms.formats.readers.tei import allowed_in_xml, declared_entities, texts_of
from lexbeam.transforms.formats.readers.tei_text import HYPHENS, marked_text
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_markup, cleaning
from lexbeam.transforms.formats.sources.streams import encodings_of, marked_encoding
from lexbeam.transforms.formats.sources.xml_documents import DECLARED_IN_XML, local_name, parse_xml
from lexbeam.transforms.formats.spans.aligning import is_passed
from lexbeam.transforms.formats.spans.origin import FROZEN, Coded, Origin, SourcePiece, code_blocks, coded

# Digits of the number of a stretch, and the sign that ends it.
_DIGITS = "".join(map(chr, range(0xFDE0, 0xFDEA)))
_END = "\ufdef"
_NUMBER = {ord(str(value)): digit for value, digit in enumerate(_DIGITS)}
_VALUE = {ord(digit): str(value) for value, digit in enumerate(_DIGITS)}
_MARK = re.compile(f"(?<![{_DIGITS}])([{_DIGITS}]++){_END}")
_TAKEN = re.compile("[\ufdd0-\ufdef]")
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|\w[\w.:-]*);?")
_LONGEST = 40
# What would make one sign of markup with what follows it.
_OPEN = re.compile(r"(?:&[#\w]*|<[/!?]?)$")


class Stretch(NamedTuple):
    """Where text stands in a source.

    Attributes:
        start, end: its first character, and the place behind its last one.
        verbatim: whether nothing in it is an entity, so that new text has no way to it.
    """

    start: int
    end: int
    verbatim: bool = False


class Said(NamedTuple):
    """What an element says of the text in it.

    Attributes:
        code: whether it is code or the like, whatever elements in it say.
        words: whether words of it may be replaced, until an element in it says otherwise; None: it does not say.
        language: a tag; empty: it names none.
        whole: whether it holds the whole text, so that its language is one of the text's.
    """

    code: bool = False
    words: bool | None = None
    language: str = ""
    whole: bool = False


Value = Callable[[str], str]


def marked(text: str, stretches: Sequence[Stretch], value: Value) -> str:
    """Return a source with a mark in each stretch of its text that holds any.

    Args:
        stretches: where text stands in it, in its order.
        value: what an entity stands for.

    Raises:
        BadRecord: `malformed`: the source has such characters itself.
    """
    if _TAKEN.search(text):
        raise BadRecord("malformed", "it has noncharacters (U+FDD0 to U+FDEF), and so cannot be edited")
    parts: list[str] = []
    done = 0
    for number, stretch in enumerate(stretches):
        seen = next((piece for piece in _pieces(text, stretch, number, value) if _is_seen(text, piece)), None)
        if seen is not None:
            place = seen.start
            if seen.text is None:
                held = text[seen.start : seen.end]
                place += next(at for at, character in enumerate(held) if not is_passed(character))
            parts += (text[done:place], mark(number))
            done = place
    return "".join([*parts, text[done:]])


def mark(number: int) -> str:
    """Return the mark of a stretch."""
    return str(number).translate(_NUMBER) + _END


def stretches_in(text: str) -> list[int]:
    """Return the numbers of the stretches whose marks are in a text, in its order."""
    return [int(number.translate(_VALUE)) for number in _MARK.findall(text)]


def fixed_stretches(root: etree._Element, said: Callable[[etree._Element], Said], language: str = "") -> set[int]:
    """Return the numbers of the stretches of a tree's text in which no words are replaced.

    Such are code and what its elements protect; and what they say is in another language than the text, that is than
    `language` and than what an element says that holds the whole. If neither is known, nothing is in another one.

    Args:
        root: of a source with marks.
        said: what an element says.
        language: of the text, if it is known.
    """
    fixed: set[int] = set()
    states = [_State(False, True, frozenset({_short(language)} - {""}), "")]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            states.append(states[-1].within(said(element)))
            text = element.text
        else:
            states.pop()
            text = None if element is root else element.tail
        if text and _END in text and states[-1].is_fixed:
            fixed.update(stretches_in(text))
    return fixed


class _State(NamedTuple):
    """What the elements around a text say of it: as `Said`, and the languages of the whole."""

    code: bool
    words: bool
    languages: frozenset[str]
    language: str

    @property
    def is_fixed(self) -> bool:
        foreign = bool(self.languages and self.language) and self.language not in self.languages
        return self.code or not self.words or foreign

    def within(self, said: Said) -> "_State":
        language = _short(said.language) if said.language else self.language
        return _State(
            self.code or said.code,
            self.words if said.words is None else said.words,
            self.languages | {language} if said.whole and said.language and language else self.languages,
            language,
        )


def _short(tag: str) -> str:
    """Return the language of a tag; empty if it says none (`und`, `mul`)."""
    found = language_of(tag.strip()) if tag else None
    short = short_tag(found) if found else ""
    return "" if short in ("und", "mul", "mis") else short


def pieces_of(
    text: str, stretches: Sequence[Stretch], numbers: Iterable[int], value: Value, fixed: Set[int] = frozenset()
) -> list[SourcePiece]:
    """Return the pieces of some stretches, given by number; those in `fixed` take no new text."""
    return [
        piece
        for number in numbers
        for piece in _pieces(text, stretches[number], FROZEN if number in fixed else number, value)
    ]


def escaped(text: str, coded: Coded, start: int, end: int) -> str:
    """Return new text as markup has it: with references for signs of markup and for what the encoding lacks.

    Raises:
        ValueError: it would become one sign with what stands before it.
    """
    if _OPEN.search(coded.text[max(0, start - _LONGEST) : start]):
        raise ValueError("what stands before it in the source would be read as markup with it")
    for sign, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, reference)
    return text.encode(coded.encoding, "xmlcharrefreplace").decode(coded.encoding)


def _is_seen(text: str, piece: SourcePiece) -> bool:
    return not all(map(is_passed, text[piece.start : piece.end] if piece.text is None else piece.text))


def _pieces(text: str, stretch: Stretch, number: int, value: Value) -> Iterator[SourcePiece]:
    place, end, verbatim = stretch
    if verbatim:
        yield SourcePiece(place, end, None, FROZEN)
        return
    for entity in _ENTITY.finditer(text, place, end):
        stands_for = value(entity[0])
        if stands_for != entity[0]:
            if place < entity.start():
                yield SourcePiece(place, entity.start(), None, number)
            yield SourcePiece(entity.start(), entity.end(), stands_for, number)
            place = entity.end()
    if place < end:
        yield SourcePiece(place, end, None, number)


# Code, what people type, what is laid out sign by sign, and formulas.
_CODE_OF_PAGES = frozenset(
    ["code", "kbd", "listing", "math", "mjx-container", "plaintext", "pre", "samp", "textarea", "tt", "var", "xmp"]
)
_CODE_CLASSES = frozenset(("katex", "math", "mathjax", "mwe-math-element"))
_NO_WORDS = frozenset(("notranslate", "skiptranslate"))  # for programs that translate pages
_TRANSLATE = {"no": False, "yes": True, "": True}
_WHOLE_PAGES = frozenset(("html", "body"))


def find_in_page(data: bytes, source: Source, options: ReaderOptions) -> Origin:
    """Return the origin of all that a reader of a page sees.

    Raises:
        BadRecord: `undecodable`, `malformed`, and what the reader raises.
    """
    declared = declared_encoding(data)
    page = coded(data, (declared,) * bool(declared) + encodings_of(data, source, options))
    stretches = [part for found in text_between_tags(page.text) for part in _read(*found, page.text)]
    cleaned = clean_markup(marked(page.text, stretches, html.unescape), cleaning(source, options))
    root = page_root(cleaned)
    fixed = fixed_stretches(root, said_in_page, source.language)
    # The reader leaves out tags of templates, and with them what would tell that code stands between them.
    front = front_matter(page.text)
    blocks = [(0, front.end)] * isinstance(front.said, dict) + list(code_blocks(page.text))
    ends = [end for _, end in blocks]
    for number, stretch in enumerate(stretches):
        at = bisect_right(ends, stretch.start)
        if at < len(blocks) and blocks[at][0] < stretch.end:
            fixed.add(number)
    seen = stretches_in("\n".join(paragraphs(root)))
    return Origin(page, pieces_of(page.text, stretches, seen, html.unescape, fixed), escaped)


def said_in_page(element: etree._Element) -> Said:
    """Return what an element of a page says of the text in it."""
    name = element.tag.rpartition(":")[2] if isinstance(element.tag, str) else ""
    classes = element.get("class", "").lower().split()
    words = (
        False if not _NO_WORDS.isdisjoint(classes) else _TRANSLATE.get(element.get("translate", "?").strip().lower())
    )
    language = element.get("lang") or element.get("xml:lang") or ""
    return Said(name in _CODE_OF_PAGES or not _CODE_CLASSES.isdisjoint(classes), words, language, name in _WHOLE_PAGES)


def _read(start: int, end: int, verbatim: bool, is_code: bool, page: str) -> Iterator[Stretch]:
    place = start
    if not (verbatim or is_code):
        for unread, behind, _ in unread_in(page[start:end]):
            yield Stretch(place, start + unread)
            place = start + behind
    yield Stretch(place, end, verbatim)


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
_CODE_OF_TEI = frozenset(
    ["att", "code", "eg", "egXML", "formula", "foreign", "gi", "ident", "idno", "math", "mentioned", "tag", "val"]
)
# What attributes say of a word would no longer hold of another one.
_OF_WORDS = ("baseForm", "hw", "lemma", "lemmaRef", "msd", "norm", "orig", "reg")
_ITS_WORDS = {"no": False, "yes": True}
_WHOLE_TEI = frozenset(("TEI", "TEI.2", "teiCorpus", "teiCorpus.2", "text", "body"))
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
    code = name in _CODE_OF_TEI or any(map(element.get, _OF_WORDS))
    return Said(code, _ITS_WORDS.get(element.get(_ITS_TRANSLATE, "")), element.get(_XML_LANG, ""), name in _WHOLE_TEI)


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
