"""The text of a tree of elements as a reader sees it: of a page, and of what is read like one.

What stands within it and is not of it are marks of notes, printed page numbers, readings of ruby, annotations of
formulas, and code of templates. That goes without a space in its place, so that a word around it stays one.

Code of templates, of which a reader sees what it makes, or nothing, is `{{ }}`, `{% %}`, `{# #}` and `<% %>` (Jinja,
Liquid, Hugo, Vue, MediaWiki, ERB), but no set of sets (`{{a}, {b}}`). Between two `$$` stands a formula if it looks
like one, for dollars stand in text, too: there is a command of TeX, a power, or a sign as formulas have it and no
word. `[Pg 13]` is the number of a printed page, as Project Gutenberg has it, and so are `[p. 13]`, `[13]`, `{13}` and
`|13|` within a word.

    >>> text = "a {{b}} {c} $$x^2$$ ($$ to $$$)"
    >>> [(text[start:end], note) for start, end, note in unread_in(text)]
    [('{{b}}', 'template code left out'), ('$$x^2$$', 'formulas in TeX left out')]
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lxml import etree

_SKIPPED_NAMES = "head script style template noscript svg object canvas audio video datalist iframe title"
_SKIPPED = frozenset(_SKIPPED_NAMES.split())
_BLOCK_NAMES = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p "
    "pre search section select summary table tbody textarea tfoot thead tr ul"
)
BLOCKS = frozenset(_BLOCK_NAMES.split())
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
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    text = "\n".join(filter(None, lines))
    if text:
        texts.append(text)
    pieces.clear()


# What is left out of texts in other ways, too, under one note.
PAGE_NUMBERS, READINGS = "printed page numbers left out", "ruby readings left out"
_NOTES = {"code": "template code left out", "formula": "formulas in TeX left out", "page": PAGE_NUMBERS}
_MAY_BE = re.compile(r"[{<]%|\{[{#\d]|\$\$|\[(?:p|s|f|bl|\d)|\|\d", re.IGNORECASE)
# Each way to begin ends the look for the end of one before, so that the time is linear.
_UNREAD = re.compile(
    r"(?P<code>(?<!\{)\{\{++(?:[^{}]|\{\{[^{}]*+\}\}|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}\}++"
    r"|\{%(?:(?!\{%|%\}).)*+%\}|<%(?:(?!<%|%>).)*+%>|\{#(?:(?!\{\#|\#\}).)*+\#\})"
    r"|(?<![\w$\\])\$\$(?!\$)(?P<formula>(?:\\.|[^$\\])++)\$\$(?![\w$])"
    r"|(?P<page>\[Pg\.?\s?(?:\d+|[ivxlcdm]+)\]"
    r"|(?<=[^\W\d_])\[(?:p|pag|page|s|seite|f|fol|bl)\.?\s?(?:\d+[rv]?|[ivxlcdm]+)\](?=[^\W\d_])"
    r"|(?<=[^\W\d_]{2})(?:\[\d+\]|\{\d+\}|\|\d+\|)(?=[^\W\d_]{2}))",
    re.DOTALL | re.IGNORECASE,
)
_CERTAIN = re.compile(r"\\[a-z,;:!(){}\[\]\\|]|[\w)}\]]\^[\w{(+-]", re.IGNORECASE)
_SIGN = re.compile(r"[\^=+*/<>{}|]|(?<![^\W\d_]{2})_|\A\s*\w{1,2}\s*\Z")
# A word, but in braces or of a function; or a sign that formulas do not have.
_PROSE = re.compile(r"(?<![{^_\w])(?!(?:sin|cos|tan|log|exp|lim|min|max|det|mod|arg)\b)[^\W\d_]{3,}|[~`\"“”;?]|\A\s-\s")


def may_be_unread(text: str) -> bool:
    """Return whether `unread_in` may find anything; False is certain."""
    return _MAY_BE.search(text) is not None


def unread_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where such code stands in a text, and the note under which it is left out."""
    for found in _UNREAD.finditer(text):
        kind, text = str(found.lastgroup), found["formula"]
        if kind != "formula" or _CERTAIN.search(text) or (_SIGN.search(text) and not _PROSE.search(text)):
            yield found.start(), found.end(), _NOTES[kind]


NOTE_MARKS = "marks of notes"  # which are not counted
_ANNOTATIONS = "annotations of formulas left out"
# Elements that are marks by their names, and the elements that they must stand in.
MARKS = {
    "rt": (READINGS, "ruby"),
    "rtc": (READINGS, "ruby"),
    "rp": (NOTE_MARKS, "ruby"),
    "annotation": (_ANNOTATIONS, "math"),
    "annotation-xml": (_ANNOTATIONS, "math"),
    "pagenum": (PAGE_NUMBERS, ""),  # of DTBook
    "noteref": (NOTE_MARKS, ""),
}
# Calls of notes, the ways back from them, and page breaks: in EPUB, and as roles of DPUB-ARIA.
_NOTE_TYPES = frozenset({"noteref", "doc-noteref", "backlink", "doc-backlink"})
_PAGE_TYPES = frozenset({"pagebreak", "doc-pagebreak"})
# Formulas that the scripts of a page say again, for who cannot see them or until it is drawn.
_PREVIEW, _ASSISTIVE = "MathJax_Preview", ("MJX_Assistive_MathML", "mjx-assistive-mml")
# What stands in the attributes of all of these.
_MAY_SAY = re.compile(
    r"page|pg|pb|p[-_]?n|p[-_]?\d|p[-_]?mark|folio|seite|noteref|backlink|katex|mathjax|mjx", re.IGNORECASE
)
_PAGE_CLASS = re.compile(
    r"(?:[a-z]+[-_])*(?:(?:page|pg|p)[-_]?(?:num(?:ber)?s?|no|nr|mark(?:er)?|(?P<loose>break))|pb|folio|seitenzahl)",
    re.IGNORECASE,
)
_PAGE = re.compile(r"page|pg|pb|seite|folio|\bp[-_]?\d", re.IGNORECASE)
_PAGE_NAME = re.compile(r"(?:[a-z]+[-_]|new)*(?:page|pg|pb|seite|folio)[-_ ]?\d*", re.IGNORECASE)
_PLACE = re.compile(r"p[-_]?\d+", re.IGNORECASE)
_PAGE_ID = re.compile(r"(?:page|pg|pagenum|pageno|seite|folio|pb)[-_ .]*0*(\d+|[ivxlcdm]+)", re.IGNORECASE)
_LABEL = re.compile(
    r"[\W_]*|(?P<open>[\W_]*)(?P<word>(?:pages?|pag|pg|pp?|seiten?|side|sida|p[áa]gina|s|bl(?:att)?|fol(?:io)?|leaf|col|sp"
    r"|стр|с|ص|صفحة|第)[\W_]*)?(?P<number>\d+[a-z]?|[ivxlcdm]+|[a-z][-.]?\d+)"
    r"(?:[\W_]+(?:of[\W_]+)?(?:\d+|[ivxlcdm]+))?[\W_]*(?:頁|页|ページ|쪽)?[\W_]*",
    re.IGNORECASE,
)
_LONGEST_LABEL = 60
_WITHIN_LINES = frozenset({"a", "b", "em", "i", "small", "span", "strong", "sub", "sup"})
# Of these a class says more of looks, or of a list of contents.
_NO_MARKS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "li", "dt", "dd"})
# What people type, or see as it stands.
_CODE = frozenset({"code", "kbd", "listing", "plaintext", "pre", "samp", "textarea", "tt", "var", "xmp"})
# Scripts that have no spaces between words, of those with ruby.
CHINESE = "\u2e80-\u3130\u3190-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_HAS_CHINESE = re.compile(f"[{CHINESE}]")
_LAYOUT = re.compile(r"[ \t\r\n\f]+")
_LETTER = re.compile(r"\w")
_ALPHABETIC = re.compile(r"[^\W\d]")
_FEW = 8  # pieces of text that a mark may have
_MANY = 1000  # that a formula may begin with
# A hyphen before the number of a page may be there for the end of the page alone. This stands behind it until that is
# found out.
_CUT = "\ufdd0"
_SURE = "\u00ac\u2e17"
_HYPHEN = f"([-\u2010\u2011{_SURE}])"
_HYPHEN_BEHIND = re.compile(rf"{_HYPHEN}(?<=[^\W\d_].)\s*\Z")
_CUT_HYPHEN = re.compile(rf"{_HYPHEN}\s*{_CUT}\s*")
_CUT_WORD = re.compile(rf"(\w*){_CUT_HYPHEN.pattern}(\w*)")
_FORM = re.compile(r"\w+(?:[-\u2010\u2011]\w+)*+")


def without_marks(root: etree._Element, notes: Counter[str] | None = None) -> etree._Element:
    """Return a page without marks and code, which else are read as parts of words; it is changed.

    With a mark of a note go the brackets and commas around it in a `<sup>`.

    Args:
        notes: counts what is left out but marks of notes.
    """
    for part in list(root.iter("rb", "rt")):  # parsers put it into a part before it that has no end tag
        outer = list(part.iterancestors("rt", "rp", "ruby"))
        within = list(itertools.takewhile(lambda above: above.tag != "ruby", outer))
        if within and len(within) < len(outer):
            within[-1].addnext(part)
    marks = {element: note for element in root.iter(etree.Element) if (note := note_of_mark(element))}
    counted = Counter[str]()
    for mark in [mark for mark in marks if marks.keys().isdisjoint(mark.iterancestors())]:
        note = marks[mark]
        if "".join(mark.itertext()).strip():  # a page may have its number in a title that is not read
            counted[note] += 1
        mark.clear(keep_tail=True)
        parent = mark.getparent()
        if note == PAGE_NUMBERS:
            _mark_cut(mark)
        if note == PAGE_NUMBERS and parent is not None and (parent.tag == "p" or parent.tag not in BLOCKS):
            mark.tag = "span"  # a page may end within a paragraph
        if note == NOTE_MARKS and parent is not None and parent.tag == "sup":
            parent.text = _with_words(parent.text)
            mark.tail = _with_words(mark.tail)
    if counted[READINGS]:
        for ruby in root.iter("ruby"):
            _close_up(ruby)
    del counted[NOTE_MARKS]
    _leave_out_code(root, counted)
    if counted[PAGE_NUMBERS]:
        _join_words(root)
    if notes is not None:
        notes.update(counted)
    return root


def _mark_cut(mark: etree._Element) -> None:
    """Put a hyphen that stands before the number of a page behind it, and `_CUT`, if a word goes on there."""
    before, parent = mark.getprevious(), mark.getparent()
    if parent is None or not mark.tail or not _ALPHABETIC.match(mark.tail.lstrip()):
        return
    holder, place = (parent, "text") if before is None else (before, "tail")
    text = getattr(holder, place) or ""
    if hyphen := _HYPHEN_BEHIND.search(text[-_FEW:]):
        setattr(holder, place, text[: -len(hyphen[0])])
        mark.tail = f"{hyphen[0]}{_CUT}{mark.tail}"


def _join_words(root: etree._Element) -> None:
    """Take out hyphens that pages end with, if the text has the word without one, at least as often as with it."""
    pieces = root.xpath("//text()[contains(., $cut)]", cut=_CUT)
    if not pieces:
        return
    text = etree.tostring(root, method="text", encoding="unicode", with_tail=False)
    counts = Counter(_FORM.findall(text.lower()))
    words = [(cut[1].lower(), cut[2], cut[3].lower()) for cut in _CUT_WORD.finditer(text)]
    goes = iter([sign in _SURE or (a and 0 < counts[a + b] >= counts[f"{a}{sign}{b}"]) for a, sign, b in words])
    for piece in pieces:
        holder = piece.getparent()
        joined = _CUT_HYPHEN.sub(lambda cut: "" if next(goes, False) else cut[0].replace(_CUT, ""), piece)
        setattr(holder, "tail" if piece.is_tail else "text", joined)


def note_of_mark(element: etree._Element) -> str:
    """Return under which note an element is left out; empty if it is read."""
    by_name = MARKS.get(element.tag)
    if by_name and (not by_name[1] or next(element.iterancestors(by_name[1]), None) is not None):
        return by_name[0]
    if _is_raised_number(element):
        return NOTE_MARKS
    if element.tag == _ASSISTIVE[1] and _says_again(element):
        return _ANNOTATIONS
    if not _MAY_SAY.search(" ".join(element.values())):
        return ""
    types = {
        word
        for name, value in element.items()
        if name in ("role", "data-type") or name.endswith((":type", "}type"))
        for word in value.split()
    }
    if not _NOTE_TYPES.isdisjoint(types):
        return NOTE_MARKS
    classes = element.get("class", "").split()
    if _PREVIEW in classes or ("katex-html" in classes and _follows_katex(element)):
        return _ANNOTATIONS
    if _ASSISTIVE[0] in classes and _says_again(element):
        return _ANNOTATIONS
    return PAGE_NUMBERS if _is_page_number(element, types, classes) else ""


def _follows_katex(element: etree._Element) -> bool:
    before = element.getprevious()
    return before is not None and "katex-mathml" in before.get("class", "").split()


def _says_again(element: etree._Element) -> bool:
    """Return whether text stands right before an element: drawings, and signs that style sheets draw, have none."""
    before, parent = element.getprevious(), element.getparent()
    ahead = parent.text if before is None and parent is not None else before.tail if before is not None else ""
    texts = itertools.chain([ahead or ""], () if before is None else before.itertext())
    return any(text.strip() for text in itertools.islice(texts, _MANY))


def _is_page_number(element: etree._Element, types: set[str], classes: list[str]) -> bool:
    """Return whether an element says that it is the number of a printed page, and holds one, or nothing."""
    within_line = element.tag in _WITHIN_LINES
    said = not _PAGE_TYPES.isdisjoint(types)
    if not said and element.tag not in _NO_MARKS:
        found = filter(None, map(_PAGE_CLASS.fullmatch, classes))
        said = any(within_line or not match["loose"] for match in found)
    place = element.get("id") or element.get("name") or ""
    beside = _letters_beside(element) if within_line and not said else ""
    if not said and not (within_line and (place or classes)):
        return False
    texts = list(itertools.islice(element.itertext(), _FEW + 1))
    text = "".join(texts)
    if len(texts) > _FEW or len(text) > _LONGEST_LABEL:
        return False
    label = _LABEL.fullmatch(text)
    if said:
        return label is not None or text.strip() in (element.get("title"), element.get("aria-label"))
    if label is None or not element.get("href", "#").startswith("#"):
        return False
    names = [*classes, place]
    if beside and _PAGE.search(" ".join(names)) and (len(beside) == 2 or _names_page(element, names)):
        # A letter by itself, or beside a capital one, may be the first of a chapter, or of a number of a king.
        letters = label["number"] and label["number"].isalpha() and not label["word"]
        if not letters or _is_bracketed(label) or (len(label["number"]) > 1 and beside.islower()):
            return True
    if not label["number"]:
        return False
    numbered = _PAGE_ID.fullmatch(place)
    by_brackets = label["word"] and _is_bracketed(label) and (beside or label["word"][:2].lower() == "pg")
    return bool(by_brackets) or (numbered is not None and numbered[1].lower() == label["number"].lower().lstrip("0"))


def _names_page(element: etree._Element, names: list[str]) -> bool:
    return any(map(_PAGE_NAME.fullmatch, names)) or (
        element.tag == "a" and len(names) == 1 and _PLACE.fullmatch(names[0]) is not None
    )


def _is_bracketed(label: re.Match[str]) -> bool:
    return not {"[", "{"}.isdisjoint(label["open"])


def _letters_beside(element: etree._Element) -> str:
    """Return the letters that stand right before and behind an element."""
    before, parent = element.getprevious(), element.getparent()
    ahead = before.tail if before is not None else parent.text if parent is not None else None
    return "".join(filter(_ALPHABETIC.match, ((ahead or "")[-1:], (element.tail or "")[:1])))


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


def _close_up(ruby: etree._Element) -> None:
    """Take the white space out of a ruby of Chinese characters: it lays out the source, and no reader sees it."""
    if not _HAS_CHINESE.search("".join(ruby.itertext())):
        return
    for element in ruby.iter(etree.Element):
        element.text = element.text and _LAYOUT.sub("", element.text)
        if element is not ruby:
            element.tail = element.tail and _LAYOUT.sub("", element.tail)


def _leave_out_code(root: etree._Element, notes: Counter[str]) -> None:
    if not may_be_unread(etree.tostring(root, method="text", encoding="unicode", with_tail=False)):
        return
    for element in root.iter(etree.Element):
        for place, holder in (("text", element), ("tail", element.getparent())):
            text = getattr(element, place)
            if not text or holder is None or not may_be_unread(text):
                continue
            if holder.tag in _CODE or next(holder.iterancestors(*_CODE), None) is not None:
                continue
            pieces, done = [], 0
            for start, end, note in unread_in(text):
                pieces.append(text[done:start])
                if note == PAGE_NUMBERS and _HYPHEN_BEHIND.search(text[max(0, start - _FEW) : start]):
                    pieces.append(_CUT)
                done = end
                notes[note] += 1
            setattr(element, place, "".join([*pieces, text[done:]]))
