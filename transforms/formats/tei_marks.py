"""The text of a TEI document with marks where paragraphs, breaks, words and sentences are.

An XSLT stylesheet, which libxslt runs without the interpreter's help, drops what is not the text's
own words, takes one reading of each `<choice>` and `<app>`, and puts the marks. These are such
characters as XML can hold and text has no use for: DEL, the carriage return (the line ends of XML
are line feeds) and noncharacters. A document's own ones become white space.
"""

import functools
import html
import threading
from typing import Any, NamedTuple

from lxml import etree

from transforms.formats.text_cleaning import rare_characters

__all__ = [
    "BREAK",
    "JOIN",
    "PARAGRAPH",
    "SENTENCE",
    "SENTENCE_END",
    "VALUE",
    "WORD",
    "WORD_END",
    "holds",
    "marked_text",
]

# The border of a paragraph; a break; a break within a word. One byte begins them: they are many.
PARAGRAPH, BREAK = "\x7f", "\r"
JOIN = BREAK + "\ufdd0"
# A word begins with the values of its attributes `lemma`, `pos` and `msd`, and its element's name.
WORD, VALUE, WORD_END = "\ufdd1", "\ufdd2", "\ufdd3"
SENTENCE, SENTENCE_END = "\ufdd4", "\ufdd5"
_MARKS = frozenset(PARAGRAPH + JOIN + WORD + VALUE + WORD_END + SENTENCE + SENTENCE_END)

_NONCHARACTER = WORD.encode()[:1]
_OWN = {**dict.fromkeys(map(ord, _MARKS), " "), ord("\r"): "\n"}

_TEI = "http://www.tei-c.org/ns/1.0"
_SINGLE = "text l choice corr reg expan app lem s"
_DROPPED = "fw note del figDesc teiHeader rdg surplus ptr graphic gap interp interpGrp"
_BREAKS = "pb cb gb milestone lb"
_BLOCKS = (
    "p ab head lg sp speaker stage div div1 div2 div3 div4 div5 div6 div7 list item table row cell "
    "trailer closer opener salute signed dateline byline epigraph argument postscript titlePage "
    "docTitle titlePart docAuthor docImprint docEdition docDate imprimatur castList castItem "
    "castGroup figure floatingText front body back group listBibl entry u"
)
# What stands directly in these, outside a block, is a block of its own.
_CONTAINERS = (
    "div div1 div2 div3 div4 div5 div6 div7 list table row titlePage front body back group "
    "floatingText listBibl castList castGroup"
)

_STYLESHEET = """\
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
  xmlns:t="http://www.tei-c.org/ns/1.0" xmlns:r="{namespace}">
<xsl:output method="text" encoding="utf-8"/>

<xsl:template match="/*"><xsl:apply-templates select="{text}" mode="parts"/></xsl:template>
<xsl:template match="{groups}" mode="parts">
  <xsl:apply-templates select="{parts}" mode="parts"/>
</xsl:template>
<xsl:template match="*" mode="parts"><xsl:call-template name="block"/></xsl:template>

<xsl:template match="{dropped}" priority="1"/>

<xsl:template match="{blocks}" priority="1"><xsl:call-template name="block"/></xsl:template>
<xsl:template match="*">
  <xsl:choose>
    <xsl:when test="contains(' {containers} ', concat(' ', local-name(..), ' ')) and {known}">
      <xsl:call-template name="block"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-templates/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template name="block">
  <xsl:text>{PARAGRAPH}</xsl:text><xsl:apply-templates/><xsl:text>{PARAGRAPH}</xsl:text>
</xsl:template>

<xsl:template match="{l}" priority="1">
  <xsl:text> </xsl:text><xsl:apply-templates/><xsl:text> </xsl:text>
</xsl:template>

<xsl:template match="{breaks}" priority="1">
  <xsl:choose>
    <xsl:when test="@break = 'no'">{JOIN}</xsl:when>
    <xsl:when test="@break = 'yes'"><xsl:text> </xsl:text></xsl:when>
    <xsl:when test="{is_line}"><xsl:text>{BREAK} </xsl:text></xsl:when>
    <xsl:otherwise><xsl:text>{BREAK}</xsl:text></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="{choice}" priority="1">
  <xsl:choose>
    <xsl:when test="{corr}"><xsl:apply-templates select="({corr})[1]/node()"/></xsl:when>
    <xsl:when test="{reg}"><xsl:apply-templates select="({reg})[1]/node()"/></xsl:when>
    <xsl:when test="{expan}"><xsl:apply-templates select="({expan})[1]/node()"/></xsl:when>
    <xsl:otherwise><xsl:apply-templates select="*[1]" mode="reading"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="{app}" priority="1">
  <xsl:choose>
    <xsl:when test="{lem}"><xsl:apply-templates select="({lem})[1]/node()"/></xsl:when>
    <xsl:otherwise><xsl:apply-templates select="*[1]" mode="reading"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="reading"><xsl:apply-templates/></xsl:template>
<xsl:template match="{words}|{choice}|{app}" mode="reading">
  <xsl:apply-templates select="."/>
</xsl:template>

<xsl:template match="{s}" priority="1">
  <xsl:text> {SENTENCE}</xsl:text><xsl:apply-templates/><xsl:text>{SENTENCE_END} </xsl:text>
</xsl:template>
<xsl:template match="{words}" priority="1">
  <xsl:if test="@join"><xsl:if test="@join = 'left' or @join = 'both'">{JOIN}</xsl:if></xsl:if>
  <xsl:text>{WORD}</xsl:text>
  <xsl:value-of select="translate(@lemma, '{VALUE}', ' ')"/><xsl:text>{VALUE}</xsl:text>
  <xsl:value-of select="translate(@pos, '{VALUE}', ' ')"/><xsl:text>{VALUE}</xsl:text>
  <xsl:value-of select="translate(@msd, '{VALUE}', ' ')"/><xsl:text>{VALUE}</xsl:text>
  <xsl:value-of select="local-name()"/><xsl:text>{VALUE}</xsl:text>
  <xsl:apply-templates/>
  <xsl:text>{WORD_END}</xsl:text>
  <xsl:if test="@join"><xsl:if test="@join = 'right' or @join = 'both'">{JOIN}</xsl:if></xsl:if>
</xsl:template>
<xsl:template match="{inner_words}" priority="2"><xsl:apply-templates/></xsl:template>
</xsl:stylesheet>
"""


class Marked(NamedTuple):
    """Marked text in UTF-8, and the rare characters that stand in it, more of them at most."""

    text: bytes
    rare: set[str]


def marked_text(element: Any, parts: tuple[str, ...]) -> Marked:
    """Return the text of the parts `body`, `front`, `back` of a TEI element, with marks.

    Elements are known by their names in the namespace of TEI, in that of `element`, and in none.
    """
    rare = rare_characters(etree.tostring(element, method="text", encoding="utf-8"))
    if not rare.isdisjoint(_MARKS):
        _free_marks(element)
    namespace = etree.QName(element).namespace or _TEI
    text = bytes(_stylesheet(namespace, parts, threading.get_ident())(element))
    return Marked(text, rare - _MARKS)


def holds(text: bytes, *noncharacters: str) -> bool:
    """Return whether one of some noncharacters stands in a text; to look for a byte is faster."""
    return _NONCHARACTER in text and any(mark.encode() in text for mark in noncharacters)


def _free_marks(element: Any) -> None:
    """Take the characters that are marks out of an element's own text."""
    for inner in element.iter():
        for place in ("text", "tail"):
            if text := getattr(inner, place):
                setattr(inner, place, text.translate(_OWN))


@functools.lru_cache(16)
def _stylesheet(namespace: str, parts: tuple[str, ...], thread: int) -> etree.XSLT:
    """Return the compiled stylesheet, one for each thread."""

    def any_of(names: str, pattern: str = "{}") -> str:
        prefixes = ("", "t:") if namespace == _TEI else ("", "t:", "r:")
        return "|".join(pattern.format(p + name) for name in names.split() for p in prefixes)

    words = any_of("w pc").split("|")
    known = " or ".join(f"namespace-uri(..) = '{uri}'" for uri in ("", _TEI))
    source = _STYLESHEET.format_map(
        {
            **{name: any_of(name) for name in _SINGLE.split()},
            "namespace": html.escape(namespace),
            "groups": any_of("text group"),
            "parts": any_of(" ".join(("text group", *parts))),
            "dropped": any_of(_DROPPED),
            "blocks": any_of(_BLOCKS),
            "containers": _CONTAINERS,
            "known": f"({known} or namespace-uri(..) = namespace-uri(/*))",
            "breaks": any_of(_BREAKS),
            "is_line": any_of("lb", "self::{}"),
            "words": "|".join(words),
            "inner_words": "|".join(any_of("w pc", f"{{}}//{inner}") for inner in words),
            "PARAGRAPH": PARAGRAPH,
            "BREAK": "&#13;",
            "JOIN": JOIN.replace(BREAK, "&#13;"),
            "WORD": WORD,
            "VALUE": VALUE,
            "WORD_END": WORD_END,
            "SENTENCE": SENTENCE,
            "SENTENCE_END": SENTENCE_END,
        }
    )
    return etree.XSLT(etree.XML(source))
