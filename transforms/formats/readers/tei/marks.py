"""The text of a TEI document with marks where paragraphs, breaks, words and sentences are.

An XSLT stylesheet, `marks.xsl`, which libxslt runs without the interpreter's help, drops what
is not the text's own words, takes one reading of each `<choice>` and `<app>`, and puts the marks.
These are such characters as XML can hold and text has no use for: DEL, the carriage return (the
line ends of XML are line feeds) and noncharacters. A document's own ones become white space.
"""

import functools
import threading
from typing import NamedTuple

from lxml import etree

from lexbeam.transforms.common.store.models import packaged_text
from lexbeam.transforms.formats.records.text_cleaning import rare_characters

# As the stylesheet has them: the border of a paragraph; a break; a break that cuts a word, by its `break` or because it
# stands in a `<w>`. One byte begins them, for they are many.
PARAGRAPH, BREAK = "\x7f", "\r"
JOIN, WITHIN = BREAK + "\ufdd0", BREAK + "\ufdd6"
# A word (`<w>`) or sign (`<pc>`) begins with the values of its attributes `lemma`, `pos` and `msd`.
WORD, VALUE, WORD_END = "\ufdd1", "\ufdd2", "\ufdd3"
SIGN, SIGN_END = "\ufdd7", "\ufdd8"
SENTENCE, SENTENCE_END = "\ufdd4", "\ufdd5"
# No white space stands here, whatever the source has; none is added; a word goes on, or is the rest of one.
GLUE, TIGHT, PART = "\ufdd9", "\ufddb", "\ufdda"
_MARKS = frozenset(PARAGRAPH + JOIN + WITHIN + WORD + VALUE + WORD_END + SIGN + SIGN_END)
_MARKS |= {SENTENCE, SENTENCE_END, GLUE, TIGHT, PART}

_NONCHARACTER = WORD.encode()[:1]
_OWN = {**dict.fromkeys(map(ord, _MARKS), " "), ord("\r"): "\n"}

_TEI = "http://www.tei-c.org/ns/1.0"


class Marked(NamedTuple):
    """Marked text in UTF-8, and its rare characters, perhaps with some that are not in it."""

    text: bytes
    rare: set[str]


def marked_text(element: etree._Element, parts: tuple[str, ...]) -> Marked:
    """Return the text of the parts `body`, `front`, `back` of a TEI element, with marks.

    Elements are recognised in the namespace of TEI, in that of `element`, which are moved into that of
    TEI, and in none.
    """
    rare = rare_characters(etree.tostring(element, method="text", encoding="utf-8"))
    if not rare.isdisjoint(_MARKS):
        _free_marks(element)
    _move_to_tei(element)
    stylesheet = _stylesheet(threading.get_ident())
    text = bytes(stylesheet(element, parts=etree.XSLT.strparam(" ".join(parts))))
    return Marked(text, rare - _MARKS)


def holds(text: bytes, *noncharacters: str) -> bool:
    """Return whether a text holds any of some noncharacters; it looks for their first byte, which is faster."""
    return _NONCHARACTER in text and any(mark.encode() in text for mark in noncharacters)


def _free_marks(element: etree._Element) -> None:
    """Replace the characters that serve as marks in an element's own text."""
    for inner in element.iter():
        for place in ("text", "tail"):
            if text := getattr(inner, place):
                setattr(inner, place, text.translate(_OWN))


def _move_to_tei(element: etree._Element) -> None:
    """Put the elements of an element's own namespace into that of TEI, if it has another."""
    namespace = etree.QName(element).namespace
    if namespace not in (None, _TEI):
        for inner in element.iter(f"{{{namespace}}}*"):
            inner.tag = f"{{{_TEI}}}{etree.QName(inner).localname}"


@functools.lru_cache(16)
def _stylesheet(thread: int) -> etree.XSLT:
    """Return the compiled stylesheet, one for each thread."""
    return etree.XSLT(etree.XML(packaged_text("lexbeam.transforms.formats.readers.tei", "marks.xsl").encode()))
