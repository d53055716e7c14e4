"""The text of a tree of elements as a reader sees it: of a page, and of what is read like one."""

import itertools
import re
from collections.abc import Iterable

from lxml import etree

__all__ = ["BLOCKS", "paragraphs", "without_note_marks"]

_SKIPPED = frozenset(
    (
        "head",
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "object",
        "canvas",
        "audio",
        "video",
        "datalist",
        "iframe",
        "title",
    )
)
BLOCKS = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "search",
        "section",
        "select",
        "summary",
        "table",
        "tbody",
        "textarea",
        "tfoot",
        "thead",
        "tr",
        "ul",
    )
)
_CELLS = frozenset({"td", "th", "cell"})
_BREAKS = frozenset({"br", "lb"})
# Of these line ends are kept, and empty lines part paragraphs, as in plain text.
_VERBATIM = frozenset({"pre", "listing", "plaintext", "textarea", "xmp"})
# What an element's own style states of whether it is seen.
_STATED = re.compile(r"(?<![\w-])(display|visibility)\s*:\s*([a-z-]+)")
_SEEN = {"visible": True, "hidden": False, "collapse": False}
# Calls of notes, and the ways back from them: in EPUB, and as roles of DPUB-ARIA.
_NOTE_MARKS = frozenset({"noteref", "doc-noteref", "backlink", "doc-backlink"})
_LETTER = re.compile(r"\w")
_ALPHABETIC = re.compile(r"[^\W\d]")
_FEW = 8  # pieces of text that a mark may have
_EMPTY_LINES = re.compile(r"\n\s*\n")


def paragraphs(root: etree._Element, blocks: Iterable[str] = BLOCKS, skipped: Iterable[str] = _SKIPPED) -> list[str]:
    """Return what a reader sees, block by block, with one space for white space and line ends for `<br>`.

    Not seen is what is `hidden`, or by its `style` not displayed or not visible; within what is not
    visible an element may be so again. Of `<pre>` and its like line ends are kept.
    """
    texts: list[str] = []
    pieces: list[str] = []
    states = [(True, False)]  # of the elements around: whether text is seen, whether its line ends are kept
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        gone = False
        if event == "start":
            stated = dict(_STATED.findall(element.get("style", "").lower()))  # the last one counts
            seen, verbatim = states[-1]
            states.append((_SEEN.get(stated.get("visibility", ""), seen), verbatim or tag in _VERBATIM))
            gone = tag in skipped or "hidden" in element.attrib or stated.get("display") == "none"
        else:
            states.pop()
        if gone:
            walk.skip_subtree()  # its end comes, and with it what stands behind it
        if tag in blocks:
            _close(texts, pieces)
        elif tag in _CELLS:
            pieces.append(" ")
        elif tag in _BREAKS and event == "start":
            pieces.append("\n")
        text = element.tail if event == "end" else element.text
        seen, verbatim = states[-1]
        if not text or not seen or gone or (event == "end" and element is root):
            continue
        if not verbatim:
            pieces.append(" ".join(text.split("\n")))
            continue
        for number, part in enumerate(_EMPTY_LINES.split(text)):
            if number:
                _close(texts, pieces)
            pieces.append(part)
    _close(texts, pieces)
    return texts


def _close(texts: list[str], pieces: list[str]) -> None:
    """End a paragraph."""
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    text = "\n".join(filter(None, lines))
    if text:
        texts.append(text)
    pieces.clear()


def without_note_marks(root: etree._Element) -> etree._Element:
    """Return a page without the marks of its notes, which else are read as the end of a word; it is changed.

    With a mark go the brackets and commas around it in a `<sup>`.
    """
    for mark in [element for element in root.iter(etree.Element) if _is_note_mark(element)]:
        mark.clear(keep_tail=True)
        parent = mark.getparent()
        if parent is not None and parent.tag == "sup":
            parent.text = _with_words(parent.text)
            mark.tail = _with_words(mark.tail)
    return root


def _is_note_mark(element: etree._Element) -> bool:
    return _is_raised_number(element) or any(
        (name == "role" or name.endswith((":type", "}type"))) and not _NOTE_MARKS.isdisjoint(value.split())
        for name, value in element.attrib.items()
    )


def _is_raised_number(element: etree._Element) -> bool:
    """Return whether an element is a raised link to a place, of digits or signs: what older books have for notes."""
    if element.tag != "a" or "#" not in element.get("href", ""):
        return False
    parent = element.getparent()
    if not (parent is not None and parent.tag == "sup") and [child.tag for child in element[:2]] != ["sup"]:
        return False
    texts = list(itertools.islice(element.itertext(), _FEW + 1))
    return len(texts) <= _FEW and not any(_ALPHABETIC.search(text) for text in texts)


def _with_words(text: str | None) -> str | None:
    return text if text and _LETTER.search(text) else None
