r"""Web pages: their main text, without menus and advertisements, or all that a reader sees; and the markup of a page.

Main text is found by trafilatura (extra `html`), without its cache of texts seen before and its
guesses at dates, which depend on the order of pages and on the day; it needs no network. Title,
author, date and language are those that the page's head states; nothing is guessed.

The bytes are decoded by the byte order mark, else by what the page declares, with the encodings
that browsers take for it, else by `encoding`; if what it declares is wrong, by `encoding`, too.
Scripts, styles and comments go before anything is parsed. Parsers need time that is quadratic in
the attributes of an element, and trafilatura in depth and elements: what exceeds the limits is
`too_large`.

    >>> paragraphs(parsed("<p>One <b>w</b>ord.<p>Two<br>lines.<script>x</script>"))
    ['One word.', 'Two\nlines.']

Markup of a page's source is what HTML's tokenizer finds: tags, comments and scripts end where they do for a browser.
No parser that is kept says where in the source a text stood, so the few states of the tokenizer
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization) that decide it are here. Parsers decide alike:
libxml2, which reads pages, and others that the tests ask. Time is linear in the page.

    >>> page = "a<script>1 <!-- <script> </script> 2 --></script>b"
    >>> [(tag.kind, page[tag.start : tag.end]) for tag in tags_of(page)]
    [('script', '<script>1 <!-- <script> </script> 2 --></script>')]
"""

import codecs
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree
from lxml.html import HTMLParser

from lexbeam.transforms.common.errors import check_packages
from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.formats.readers.page_text import BLOCKS, paragraphs, without_marks
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source, is_of_files
from lexbeam.transforms.formats.records.date_parsing import parse_date
from lexbeam.transforms.formats.records.text_cleaning import (
    Cleaning,
    clean_field,
    clean_markup,
    clean_text,
    cleaning,
    decode,
)
from lexbeam.transforms.formats.sources.streams import encodings_of, marked_encoding, read_all

_S = r"\t\n\f\r "  # white space to HTML, which Python's `\s` is not
_FLAGS = re.ASCII | re.IGNORECASE
_OPENING = re.compile(
    rf"<(?:(?P<comment>!--)|(?P<bogus>[!?]|/(?![a-z]))|(?P<end>/?)(?P<name>[a-z][^{_S}/>]*+))", _FLAGS
)
_CODE = re.compile(rf"<(/?)(code|kbd|pre|samp|tt|var)(?=[{_S}/>])", _FLAGS)
_COMMENT_END = re.compile("--!?>")
# An attribute's name, and its value in quotes or up to white space.
ATTRIBUTE = re.compile(rf"""([^{_S}/>][^{_S}/>=]*+(?:[{_S}]*+=[{_S}]*+(?:"[^"]*+"?|'[^']*+'?|[^{_S}>]*+))?+)""")
_ATTRIBUTES = re.compile(rf"(?:[{_S}/]*+{ATTRIBUTE.pattern})*+[{_S}/]*+>?")
_SCRIPT = re.compile(rf"<!--|-->|<(?P<end>/?)script(?=[{_S}/>])", _FLAGS)
_CDATA = "<![CDATA["
# In XHTML an element may be empty whatever its name: `<script src="a.js"/>`.
_XHTML = re.compile(r"\s*<\?xml\s|.{0,2000}?\sxmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml[\"']", re.DOTALL)

# Elements that hold no tags: what they hold is dropped, or is text.
DROPPED = frozenset({"script", "style", "iframe", "noembed", "noframes"})
_TEXT_HELD = frozenset({"title", "textarea", "xmp", "plaintext"})
_RAW = DROPPED | _TEXT_HELD
_END = {name: re.compile(rf"</{name}(?=[{_S}/>])", _FLAGS) for name in _RAW - {"script", "plaintext"}}

# Drawings and formulas have no such elements, but sections of CDATA; within some of theirs a page goes on, and a tag
# of a page ends them.
_FOREIGN = {
    "svg": frozenset({"foreignobject", "desc", "title"}),
    "math": frozenset({"mi", "mo", "mn", "ms", "mtext", "annotation-xml"}),
}
_BREAKOUT = re.compile(
    "b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|embed|h[1-6]|head|hr|i|img|li|listing|menu|meta|nobr|ol|p|pre"
    "|ruby|s|small|span|strong|strike|sub|sup|table|tt|u|ul|var"
)
_FONT = re.compile(r"\b(?:color|face|size)\b", _FLAGS)


class PageTag(NamedTuple):
    """What is markup in a page's source: a tag, a comment, or an element in which no tags are read.

    Attributes:
        start, end: its first character, and the one behind its last.
        kind: `tag`, `end tag`; `comment`, also for what is passed over in drawings, formulas and XHTML; `section` of
            CDATA in these; `bogus` for other things that a parser passes over; or the name of such an element.
        rest: of a tag, what follows its name.
        held: of such an element or a section, where its content begins and ends.
    """

    start: int
    end: int
    kind: str
    rest: str = ""
    held: tuple[int, int] = (0, 0)


def tags_of(page: str) -> Iterator[PageTag]:
    """Yield the markup of a page, in its order."""
    place = 0
    foreign: list[_Open] = []
    xhtml = _XHTML.match(page) is not None
    while (tag := _OPENING.search(page, place)) is not None:
        start = tag.start()
        if tag["comment"]:
            place = _comment_end(page, tag.end())
            yield PageTag(start, place, "comment")
            continue
        is_foreign = _is_foreign(foreign)
        if tag["bogus"]:  # for a parser all up to the next bracket is a comment
            section = is_foreign and page.startswith(_CDATA, start)
            place = _behind(page, "]]>" if section else ">", start)
            if section:
                yield PageTag(start, place, "section", held=(start + len(_CDATA), max(start + len(_CDATA), place - 3)))
            else:
                yield PageTag(start, place, "bogus")
            continue
        attributes = _ATTRIBUTES.match(page, tag.end())
        assert attributes is not None
        place, rest, name = attributes.end(), attributes[0], tag["name"].lower()
        if foreign or name in _FOREIGN:
            is_foreign = _follow(foreign, name, is_end=bool(tag["end"]), rest=rest)
        if name in _RAW and (is_foreign or (xhtml and rest.endswith("/>"))):
            yield PageTag(start, place, "comment")
        elif tag["end"]:
            yield PageTag(start, place, "end tag")
        elif name in _RAW:
            end = _raw_end(page, name, place)
            close = _ATTRIBUTES.match(page, end + len(name) + 2) if end < len(page) else None
            held = (place, end)
            place = close.end() if close else len(page)
            yield PageTag(start, place, name, rest, held)
        else:
            yield PageTag(start, place, "tag", rest)


def text_between_tags(page: str) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield where the text of a page stands in its source, some of it unseen; whether it has no entities, or is code.

    Code is also what people type, or what is laid out sign by sign: the elements `code`, `kbd`, `samp`, `tt`, `var`,
    `pre` and `textarea`, up to their end tags.
    """
    place = 0
    within: Counter[str] = Counter()
    for tag in tags_of(page):
        yield place, tag.start, False, within.total() > 0
        if tag.kind in _TEXT_HELD or tag.kind == "section":
            yield *tag.held, tag.kind not in ("title", "textarea"), tag.kind == "textarea" or within.total() > 0
        elif code := _CODE.match(page, tag.start):
            name = code[2].lower()
            within[name] = max(0, within[name] + (-1 if code[1] else 1))
        place = tag.end
    yield place, len(page), False, within.total() > 0


class _Open(NamedTuple):
    """A drawing or formula that is open, or a place in one where a page goes on: its name, and whose names count."""

    name: str
    of: str


def _is_foreign(foreign: list[_Open]) -> bool:
    return bool(foreign) and foreign[-1].of in _FOREIGN


def _follow(foreign: list[_Open], name: str, *, is_end: bool, rest: str) -> bool:
    """Note a tag in what is open of drawings and formulas; return whether it is one of theirs."""
    inside = _is_foreign(foreign)
    if inside and (_BREAKOUT.fullmatch(name) or (name == "font" and _FONT.search(rest))):
        while _is_foreign(foreign):
            foreign.pop()
        return False
    if is_end:
        if any(name == held.name for held in foreign):
            while foreign.pop().name != name:
                pass
            return True
        return inside
    if rest.endswith("/>"):
        return inside
    of = foreign[-1].of if inside else name
    if inside and name in _FOREIGN[of]:
        if name != "annotation-xml" or "html" in rest.lower():
            foreign.append(_Open(name, ""))
    elif name in _FOREIGN:
        foreign.append(_Open(name, of))
    return inside


def _raw_end(page: str, name: str, place: int) -> int:
    if name == "plaintext":
        return len(page)
    if name == "script":
        return _script_end(page, place)
    close = _END[name].search(page, place)
    return close.start() if close else len(page)


def _script_end(page: str, place: int) -> int:
    """Return where a script ends: not at an end tag that belongs to a script within `<!--` and `-->`."""
    escaped = nested = False
    while (sign := _SCRIPT.search(page, place)) is not None:
        place = sign.end()
        if sign[0] == "<!--":
            escaped, place = True, place - 2  # in `<!-->` they are the hyphens of both
        elif sign[0] == "-->":
            escaped = nested = False
        elif not sign["end"]:
            nested = escaped
        elif not nested:
            return sign.start()
        else:
            nested = False
    return len(page)


def _comment_end(page: str, place: int) -> int:
    for short in (">", "->"):  # <!--> and <!---> are comments, too
        if page.startswith(short, place):
            return place + len(short)
    end = _COMMENT_END.search(page, place)
    return end.end() if end else len(page)


def _behind(page: str, sign: str, place: int) -> int:
    end = page.find(sign, place)
    return len(page) if end < 0 else end + len(sign)


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
    "citation_publication_date citation_date article:published_time datepublished dcterms.issued "
    "dc.date.issued dcterms.created dc.date.created dcterms.date dc.date pubdate publishdate date"
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
        linked: its linked data (JSON-LD), of which the first date of publication counts.
    """
    properties: dict[str, dict[str, None]] = {}  # in the order of the page, each once
    for name, value in _properties(root):
        if field := clean_field(value[:1000]):
            properties.setdefault(name, {})[field] = None
    title = next(root.iter("title"), None)
    published = _PUBLISHED.search(linked)
    dates = [value for name in _DATES.split() for value in properties.get(name, ())]
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


_DECLARED = re.compile(
    rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)"
    rb"|<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]+)",
    re.IGNORECASE,
)
# What browsers take for these (https://encoding.spec.whatwg.org/#names-and-labels).
_TAKEN_FOR = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
_DEPTH = 256  # where libxml2 stops, unless told otherwise


def check_html(options: ReaderOptions) -> None:
    """Check that pages can be read as `options.html` says.

    Raises:
        UsageError: main text is to be read, and the extra `html` is not installed.
    """
    if options.html != "all":
        check_packages(
            "the main text of pages needs", ("trafilatura",), "html", otherwise="`html` all, which does without it"
        )


def read_html(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield the page as one record: its main text, or with `html` all the whole of it.

    Raises:
        BadRecord: `undecodable`, `empty`, `too_large`, and what `clean_text` raises.
    """
    everything = options.html == "all"
    how = cleaning(source, options)
    page = _page(read_all(source, options), source, options, how)
    cleaned = without_scripts(page, None if everything else 50_000)
    root = without_marks(parsed(cleaned.page, deep=everything), source.notes)
    texts = paragraphs(root) if everything else main_paragraphs(root, cleaned.tags)
    text = clean_text("\n\n".join(texts), how)
    if not text:
        raise BadRecord("empty", "no text" if everything else "no main text; see --html all")
    yield Record("", head_fields(root, cleaned.linked), text, None)


def page_paragraphs(data: bytes, source: Source, options: ReaderOptions) -> list[str]:
    """Return the paragraphs of the bytes of a page, all that a reader sees.

    Raises:
        BadRecord: `undecodable`, `empty`, `too_large`.
    """
    return paragraphs(page_root(_page(data, source, options, cleaning(source, options)), source.notes))


def page_root(page: str, notes: Counter[str] | None = None) -> etree._Element:
    """Return the root element of a page of which all is read that a reader sees; `notes` counts what is left out.

    Raises:
        BadRecord: `empty`, `too_large`.
    """
    return without_marks(parsed(without_scripts(page).page, deep=True), notes)


def _page(data: bytes, source: Source, options: ReaderOptions, how: Cleaning) -> str:
    return clean_markup(_decoded(data, source, options, how), how)


def parsed(page: str, *, deep: bool = False) -> etree._Element:
    """Return a page's root element.

    Raises:
        BadRecord: `too_large`, if its elements lie too deep in each other (2,048 if `deep`).
    """
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=deep)
    try:
        root = etree.fromstring(page.encode(), parser)
    except etree.ParserError:
        root = None
    except etree.XMLSyntaxError as error:
        raise BadRecord("malformed", str(error)) from None
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        remedy = "" if deep else "; see --html all"
        depth = _DEPTH * (8 if deep else 1)
        raise BadRecord("too_large", f"elements over {depth} deep, or one of over 10 MB{remedy}")
    if root is None:
        raise BadRecord("empty", "no element in the page")
    return root


def declared_encoding(data: bytes) -> str:
    """Return the encoding that browsers take for what a page declares; empty if that counts for nothing."""
    match = _DECLARED.search(data[:4096])
    if match is None or data.startswith(codecs.BOM_UTF8) or marked_encoding(data):
        return ""
    declared = (match[1] or match[2]).decode("ascii")
    try:
        codec = codecs.lookup(python_name(declared))
        return _TAKEN_FOR.get(codec.name, codec.name) if is_of_files(declared) else ""
    except LookupError:
        return ""


def _decoded(data: bytes, source: Source, options: ReaderOptions, how: Cleaning) -> str:
    encodings = encodings_of(data, source, options)
    encoding = declared_encoding(data)
    if not encoding:
        return decode(data, encodings, how)
    try:
        return decode(data, (encoding,))
    except BadRecord as error:
        try:
            return decode(data, encodings, how)
        except BadRecord:
            raise error from None
