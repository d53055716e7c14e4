"""The text of a tree of elements as a reader sees it: of a page, and of what is read like one."""

import re
from collections.abc import Iterable

from lxml import etree

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
