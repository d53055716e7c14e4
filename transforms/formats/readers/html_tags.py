"""The markup of a page's source as HTML's tokenizer finds it: where tags, comments and scripts end for a browser.

No parser that is kept says where in the source a text stood, so the few states of the tokenizer
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization) that decide it are here. Parsers decide alike:
libxml2, which reads pages, and others that the tests ask. Time is linear in the page.

    >>> page = "a<script>1 <!-- <script> </script> 2 --></script>b"
    >>> [(tag.kind, page[tag.start : tag.end]) for tag in tags_of(page)]
    [('script', '<script>1 <!-- <script> </script> 2 --></script>')]
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

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
    """Return where the content of an element ends that holds no tags."""
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
