r"""The running text of a TEI document.

Block elements (`<p> <head> <lg> <ab> <sp>` ...) are paragraphs; lines of verse outside `<lg>` that
follow each other are one. Inline elements add no space. `<fw> <note> <del>` and what is not the
text's own words are dropped; of a `<choice>` the corrected, regular or expanded reading is taken.
White space, line ends of the XML file among it, is one space.

At a break (`<lb> <pb> <cb> <gb> <milestone>`) a word may be cut in two:

- with `break="no"`, or after a soft hyphen, its parts are joined without hyphen;
- after a hyphen they are joined without it if the joined form occurs elsewhere in the document, at
  least as often as the hyphenated one; else the hyphen stays and the gap is closed;
- never before und, oder, bis, and, or, y, o: there the hyphen stands for a part left out
  (`Krönungs- und Begräbnißstadt`), and the gap stays, too.

A document with `<w lemma pos>` has annotation: sentences are `<s>`, or else paragraphs; words are
`<w>` and `<pc>`. Parts of speech are taken if all are UPOS (also as `msd="UPosTag=NOUN|..."`).
"""

import re
import unicodedata
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from transforms.common.records import Sentence
from transforms.formats.text_cleaning import clean_field, clean_rare, clean_text, rare_characters

__all__ = ["Body", "local_name", "read_body"]


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_DROPPED = _names("fw note del figDesc teiHeader rdg surplus ptr graphic gap interp interpGrp")
_BLOCKS = _names(
    "p ab head lg sp speaker stage div div1 div2 div3 div4 div5 div6 div7 list item table row cell "
    "trailer closer opener salute signed dateline byline epigraph argument postscript titlePage "
    "docTitle titlePart docAuthor docImprint docEdition docDate imprimatur castList castItem "
    "castGroup figure floatingText front body back group listBibl entry u"
)
# What stands directly in these, outside a block, is a block of its own.
_CONTAINERS = _names(
    "div div1 div2 div3 div4 div5 div6 div7 list table row titlePage front body back group "
    "floatingText listBibl castList castGroup"
)
_BREAKS = frozenset({"lb", "pb", "cb", "gb", "milestone"})
_SPECIAL = frozenset({"l", "s", "w", "pc", "choice", "app"})
_ROLES = {
    name: role
    for role, names in (
        ("special", _SPECIAL), ("block", _BLOCKS), ("dropped", _DROPPED), ("break", _BREAKS),
    )
    for name in names
}  # fmt: skip
_READINGS = ("corr", "reg", "expan")
_UPOS = _names("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")

# Characters that XML cannot hold mark what is decided once the whole text is there.
_PARAGRAPH, _BREAK, _JOIN, _WORD, _WORD_END, _SENTENCE, _SENTENCE_END = map(chr, range(1, 8))
_INDENT = re.compile(rb"\n[ \n]*")
_SOFT_BREAK = re.compile(r"\u00ad[^\S\n]*\n\s*")
_SOFT = ("\u00ad", "\u00ac")
_CUTTING = ("-", "\u2010", *_SOFT, "")
_WORD_BEHIND = re.compile(r"(\w+)[-\u2010]$")
_WORD_AHEAD = re.compile(r"\w+")
_FEW = 20
_FORM = re.compile(r"\w+(?:[-\u2010]\w+)*")
_WITHIN_FORM = re.compile(r"\w[-\u2010]?\Z"), re.compile(r"[-\u2010]?\w")
_SUSPENDED = frozenset(("und", "oder", "bis", "and", "or", "y", "o"))
_MARKS = re.compile("([\x04-\x07])")


class Body(NamedTuple):
    """Text, and sentences if the document is annotated."""

    text: str
    sentences: list[Sentence] | None


def local_name(element: Any) -> str:
    """Return an element's name without its namespace."""
    tag = element.tag
    return tag[tag.find("}") + 1 :] if isinstance(tag, str) else ""


def read_body(root: Any, parts: tuple[str, ...]) -> Body:
    """Return the text of the named parts (`body`, `front`, `back`) of a TEI element."""
    walk = _Walk()
    for child in root:
        if local_name(child) == "text":
            _walk_parts(child, parts, walk)
    text = "".join(walk.out)
    if "\u00ad" in text:
        text = _SOFT_BREAK.sub("", text)
    text = _mend(text)
    if any(lemma or tag for _, lemma, tag in walk.words):
        return _annotated(text.split(_PARAGRAPH), walk.words)
    if walk.words or _SENTENCE in text:
        text = _MARKS.sub("", text)
    return Body(_running(text), None)


def _running(text: str) -> str:
    """Return text with one space for each run of white space, and paragraphs for their marks."""
    data = text.encode()
    rare = rare_characters(data)
    cleaned = text
    for character in filter(str.isspace, rare):
        cleaned = cleaned.replace(character, " ")
    cleaned = clean_rare(cleaned, rare)
    if cleaned is not text:
        data = cleaned.encode()
    # In bytes, which are half the size of most texts; nearly all that must go is indentation.
    data = _INDENT.sub(b" ", data.replace(b"\t", b" "))
    paragraphs = map(bytes.strip, _single_spaces(data).split(_PARAGRAPH.encode()))
    return b"\n\n".join(filter(None, paragraphs)).decode()


def _single_spaces(data: bytes) -> bytes:
    """Return bytes without the spaces that follow a space."""
    codes = np.frombuffer(data, np.uint8)
    spaces = codes == ord(" ")
    doubled = np.flatnonzero(spaces[1:] & spaces[:-1])
    return np.delete(codes, doubled).tobytes() if doubled.size else data


def _walk_parts(element: Any, parts: tuple[str, ...], walk: "_Walk") -> None:
    for child in element:
        name = local_name(child)
        if name in parts:
            walk.out.append(_PARAGRAPH)
            walk.element(child, name)
            walk.out.append(_PARAGRAPH)
        elif name in ("group", "text"):
            _walk_parts(child, parts, walk)


class _Walk:
    """Collects the text of elements, with marks, and the attributes of words."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.words: list[tuple[str, str, str]] = []
        self._known: dict[str, tuple[str, str]] = {}
        self._in_word = False

    def element(self, element: Any, name: str) -> None:
        """Add an element's text and that of its children."""
        out = self.out
        if text := element.text:
            out.append(text)
        known = self._known
        container = name in _CONTAINERS
        for child in element:
            found = known.get(tag := child.tag)
            if found is None:
                kind = local_name(child)
                found = known[tag] = kind, _ROLES.get(kind, "")
            kind, role = found
            if role == "block" or (container and not role):
                out.append(_PARAGRAPH)
                if len(child):
                    self.element(child, kind)
                elif text := child.text:
                    out.append(text)
                out.append(_PARAGRAPH)
            elif role == "break":
                out.append(_JOIN if child.get("break") == "no" else _BREAK)
                if kind == "lb" and child.get("break") != "no":
                    out.append(" ")
            elif role == "special":
                self._special(child, kind)
            elif not role:
                self.element(child, kind)
            if (tail := child.tail) and not (role == "block" and tail.isspace()):
                out.append(tail)

    def _special(self, element: Any, name: str) -> None:
        out = self.out
        if name == "l":
            out.append(" ")
            self.element(element, name)
            out.append(" ")
        elif name == "s":
            out.append(" " + _SENTENCE)
            self.element(element, name)
            out.append(_SENTENCE_END + " ")
        elif name in ("choice", "app"):
            children = [child for child in element if isinstance(child.tag, str)]
            wanted = _READINGS if name == "choice" else ("lem",)
            named = [c for reading in wanted for c in children if local_name(c) == reading]
            for child in (named or children)[:1]:
                self.element(child, local_name(child))
        elif self._in_word:
            self.element(element, name)
        else:
            self._word(element, name)

    def _word(self, element: Any, name: str) -> None:
        glue = element.get("join", "")
        left = _JOIN if glue in ("left", "both") else ""
        self.words.append((name, element.get("lemma", ""), _tag(element, name)))
        self.out.append(left + _WORD)
        self._in_word = True
        self.element(element, name)
        self._in_word = False
        self.out.append(_WORD_END + (_JOIN if glue in ("right", "both") else ""))


def _tag(element: Any, name: str) -> str:
    features = element.get("msd", "")
    if features.startswith("UPosTag="):
        return str(features[8:].partition("|")[0])
    return str(element.get("pos", "") or ("PUNCT" if name == "pc" else ""))


def _mend(text: str) -> str:
    """Take the marks of breaks out, joining the words that they cut."""
    if _BREAK not in text and _JOIN not in text:
        return text
    forms = _Forms(text)
    behind, *rest = text.replace(_JOIN, _BREAK + _JOIN).split(_BREAK)
    mended: list[str] = []
    gap, joined = "", False
    for piece in rest:
        if piece.startswith(_JOIN):
            joined, piece = True, piece[1:]
        ahead = piece.lstrip()
        if ahead and not joined and not gap and behind.rstrip()[-1:] not in _CUTTING:
            mended.append(behind)  # by far the most breaks cut nothing
            behind = piece
            continue
        gap += piece[: len(piece) - len(ahead)]
        if ahead:
            mended.append(_junction(behind, gap, joined, ahead, forms))
            behind, gap, joined = ahead, "", False
    mended.append(_junction(behind, gap, joined, "", forms) if gap or joined else behind)
    return "".join(mended)


def _junction(behind: str, gap: str, joined: bool, ahead: str, forms: "_Forms") -> str:
    """Return what stands before a break, up to the text ahead of it."""
    stripped = behind.rstrip()
    right = _WORD_AHEAD.match(ahead)
    if joined or (right is not None and stripped.endswith(_SOFT)):
        return stripped[:-1] if stripped.endswith(_CUTTING[:-1]) else stripped
    left = _WORD_BEHIND.search(stripped[-100:])
    if left is None or right is None:
        return behind + gap
    if right[0].lower() in _SUSPENDED:
        return stripped + " "
    count = forms.count(left[1] + right[0])
    return stripped[:-1] if 0 < count >= forms.count(left[0] + right[0]) else stripped


class _Forms:
    """Counts words, parts between hyphens together, without regard to case."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lower = ""
        self._asked = 0
        self._counts: Counter[str] | None = None

    def count(self, form: str) -> int:
        """Return how often a form occurs."""
        self._lower = self._lower or self._text.lower()
        form = form.lower()
        # A look for one form takes a fraction of the time of a count of all.
        self._asked += 1
        if self._asked > _FEW:
            if self._counts is None:
                self._counts = Counter(_FORM.findall(self._lower))
            return self._counts[form]
        count, start = 0, self._lower.find(form)
        while start >= 0:
            end = start + len(form)
            around = self._lower[max(0, start - 2) : start], self._lower[end : end + 2]
            count += not _WITHIN_FORM[0].search(around[0]) and not _WITHIN_FORM[1].match(around[1])
            start = self._lower.find(form, end)
        return count


def _annotated(paragraphs: list[str], words: list[tuple[str, str, str]]) -> Body:
    """Return text without marks, and the sentences of the words that were marked."""
    text = _Text()
    sentences: list[list[tuple[int, int, int]]] = []
    current: list[tuple[int, int, int]] = []
    number = 0

    def close() -> None:
        nonlocal current
        if current:
            sentences.append(current)
        current = []

    for paragraph in paragraphs:
        text.border()
        start = 0
        for piece in _MARKS.split(paragraph):
            if piece == _WORD:
                text.word = True
            elif piece == _WORD_END:
                start, text.word = text.word_start, False
                if text.length > start >= 0:
                    current.append((start, text.length, number))
                number += 1
                text.word_start = -1
            elif piece in (_SENTENCE, _SENTENCE_END):
                close()
            else:
                text.add(piece)
        close()
    joined = "".join(text.pieces)
    exact = unicodedata.is_normalized("NFC", joined)
    upos = all(tag in _UPOS for _, _, tag in words)
    made = []
    for sentence in sentences:
        forms = [joined[start:end] for start, end, _ in sentence]
        lemmas = [clean_field(words[n][1]) for _, _, n in sentence]
        made.append(
            Sentence(
                forms,
                [lemma or form for lemma, form in zip(lemmas, forms, strict=True)]
                if any(lemmas)
                else None,
                [words[n][2] for _, _, n in sentence] if upos else None,
                [start for start, _, _ in sentence] if exact else None,
                [end for _, end, _ in sentence] if exact else None,
            )
        )
    return Body(unicodedata.normalize("NFC", joined), made or None)


class _Text:
    """Text put together piece by piece, each run of white space as one space."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.word = False
        self.word_start = -1
        self._gap = ""

    def border(self) -> None:
        self._gap = "\n\n"

    def add(self, piece: str) -> None:
        if not piece:
            return
        words = clean_text(piece).split()
        if not words:
            if piece.isspace():
                self._gap = self._gap or " "
            return
        if piece[0].isspace():
            self._gap = self._gap or " "
        if self.length:
            self._put(self._gap)
        if self.word and self.word_start < 0:
            self.word_start = self.length
        self._put(" ".join(words))
        self._gap = " " if piece[-1].isspace() else ""

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)
