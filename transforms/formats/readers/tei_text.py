"""The running text of a TEI document.

Block elements (`<p> <head> <lg> <ab> <sp>` ...) are paragraphs; lines of verse outside `<lg>` that
follow each other are one. Inline elements add no space. `<fw> <note> <del>` and what is not the
text's own words are dropped, and what is heard or seen (`<incident> <kinesic> <vocal> <pause>` ...), which
parts words; of a `<choice>` the corrected, regular or expanded reading is taken. A run of white space,
line ends of the XML file included, is one space.

A document with `<w lemma pos>` has
annotation: sentences are `<s>`, else paragraphs; words are `<w>` and `<pc>`, and text outside them
becomes tokens tagged X or PUNCT. Parts of speech are taken if all that there are are UPOS (also as
`msd="UPosTag=NOUN|..."`); a word without one is X.

Breaks: at one (`<lb> <pb> <cb> <gb> <milestone>`) a word may be cut in two:

- with `break="no"` (once `type="inWord"`), or after a sign that is there for the break alone (a soft hyphen, `¬`,
  a `<pc>` of `force` weak), its parts are joined without hyphen; with `break="yes"` there are two words;
- after another hyphen they are joined as those of plain text are, see `transforms/formats/records/hyphens.py`;
- within a `<w>` a break parts nothing, whatever stands beside it.

Words and signs that are marked one by one (`<w>`, `<pc>`): each is a token, whoever finds the tokens. So where no
white space stands between two of them, a space is put there, but before closing signs and after opening ones, which
are told from words without it, and around signs of `force` weak. Where `@join` says so (`left`, `right`, `both`),
none is put, and what there is goes. `join="no"` is a space.

Parts of a word (`part` I, M, F) with nothing but breaks between them are one word, with the values of the first part;
so are words beside a break that is within a word (`break="no"`).

Marks stand where paragraphs, breaks, words and sentences are. An XSLT stylesheet, `marks.xsl`, which libxslt runs
without the interpreter's help, drops what is not the text's own words, takes one reading of each `<choice>` and
`<app>`, and puts the marks. These are such characters as XML can hold and text has no use for: DEL, the carriage
return (the line ends of XML are line feeds) and noncharacters. A document's own ones become white space.
"""

import functools
import itertools
import re
import threading
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from lxml import etree

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import packaged_text
from lexbeam.transforms.common.texts.characters import nfc
from lexbeam.transforms.formats.records.hyphens import SEEN, SUSPENDED, HyphenWords, TextForms, hyphen_goes, parts_name
from lexbeam.transforms.formats.records.text_cleaning import (
    STRICT,
    Cleaning,
    clean_field,
    clean_rare,
    composed,
    may_combine,
    never_cleaned,
    rare_characters,
)

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
_OF_MARKS = frozenset(PARAGRAPH + JOIN + WITHIN + WORD + VALUE + WORD_END + SIGN + SIGN_END)
_OF_MARKS |= {SENTENCE, SENTENCE_END, GLUE, TIGHT, PART}

_NONCHARACTER = WORD.encode()[:1]
_OWN = {**dict.fromkeys(map(ord, _OF_MARKS), " "), ord("\r"): "\n"}

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
    if not rare.isdisjoint(_OF_MARKS):
        _free_marks(element)
    _move_to_tei(element)
    stylesheet = _stylesheet(threading.get_ident())
    text = bytes(stylesheet(element, parts=etree.XSLT.strparam(" ".join(parts))))
    return Marked(text, rare - _OF_MARKS)


def holds(text: bytes, *noncharacters: str) -> bool:
    """Return whether a text holds any of some noncharacters; it looks for their first byte, which is faster."""
    return _NONCHARACTER in text and any(mark.encode() in text for mark in noncharacters)


def _free_marks(element: etree._Element) -> None:
    for inner in element.iter():
        for place in ("text", "tail"):
            if text := getattr(inner, place):
                setattr(inner, place, text.translate(_OWN))


def _move_to_tei(element: etree._Element) -> None:
    namespace = etree.QName(element).namespace
    if namespace not in (None, _TEI):
        for inner in element.iter(f"{{{namespace}}}*"):
            inner.tag = f"{{{_TEI}}}{etree.QName(inner).localname}"


@functools.lru_cache(16)
def _stylesheet(thread: int) -> etree.XSLT:
    return etree.XSLT(etree.XML(packaged_text("lexbeam.transforms.formats.readers", "marks.xsl").encode()))


_SURE, _WITHIN = JOIN.removeprefix(BREAK).encode(), WITHIN.removeprefix(BREAK).encode()
_SOFT = "\u00ad\u00ac"
# All signs that cut a word.
HYPHENS = SEEN + _SOFT
_CUTTING = tuple(sign.encode() for sign in HYPHENS)
_WORD_BEHIND = re.compile(rf"(\w+(?:[{SEEN}]\w+)*)[{SEEN}]$")
_WORD_AHEAD = re.compile(rf"(\w+)(?:[{SEEN}]\w+)*")
# Bytes beside a break that are looked at: no word is longer.
_WINDOW = 400


class _Doubt(NamedTuple):
    """A word whose hyphen goes if it is written without it.

    Attributes:
        place: of the piece of text that ends with the hyphen.
        bare: this piece, without the hyphen.
        before, after: the parts of the word.
    """

    place: int
    bare: bytes
    before: str
    after: str


def mend_breaks(text: bytes, words: HyphenWords | None = None) -> bytes:
    """Return marked text, in UTF-8, without the marks of breaks, the words that they cut joined.

    Args:
        words: a list that tells how words are written; None: the text alone does.
    """
    if BREAK.encode() not in text:
        return text
    behind, *rest = text.split(BREAK.encode())
    mended: list[bytes] = []
    doubts: list[_Doubt] = []
    gap: list[bytes] = []
    sure = within = False
    for piece in rest:
        if piece.startswith(_SURE):
            sure, piece = True, piece.removeprefix(_SURE)
        elif piece.startswith(_WITHIN):
            within, piece = True, piece.removeprefix(_WITHIN)
        ahead = piece.lstrip()
        if ahead and not sure and not within and not gap:
            stripped = behind.rstrip()
            if stripped and not stripped.endswith(_CUTTING):
                mended.append(behind)  # by far the most breaks cut nothing
                behind = piece
                continue
        gap.append(piece[: len(piece) - len(ahead)])
        if ahead:
            found = _junction(behind, b"".join(gap), ahead, len(mended), sure=sure, within=within)
            if isinstance(found, _Doubt):
                doubts.append(found)
                mended.append(behind.rstrip() + BREAK.encode())
            else:
                mended.append(found)
            behind, gap, sure, within = ahead, [], False, False
    mended.append(behind.rstrip() if sure or within else behind + b"".join(gap))
    if doubts:
        forms = TextForms(b"".join(mended), words)
        for doubt in doubts:
            goes = forms.are_joined(doubt.before, doubt.after)
            mended[doubt.place] = doubt.bare if goes else mended[doubt.place].removesuffix(BREAK.encode())
    return b"".join(mended)


def _junction(behind: bytes, gap: bytes, ahead: bytes, place: int, *, sure: bool, within: bool) -> bytes | _Doubt:
    """Return what stands before a break, up to the text ahead of it; or what is to be asked of the whole text."""
    stripped = behind.rstrip()
    hyphen = next(filter(stripped.endswith, _CUTTING), b"")
    bare, sign = stripped.removesuffix(hyphen), hyphen.decode()
    left = _WORD_BEHIND.search(stripped[-_WINDOW:].decode(errors="ignore"))
    right = _WORD_AHEAD.match(ahead[:_WINDOW].decode(errors="ignore"))
    if sure:
        return stripped if left is not None and right is not None and parts_name(left[1], right[1]) else bare
    if right is not None and sign and sign in _SOFT:
        return bare
    if left is None or right is None:
        return stripped if within else behind + gap
    if right[1].lower() in SUSPENDED and not within:
        return stripped + b" "
    goes = hyphen_goes(left[1], sign, right[1])
    if goes is None:
        return _Doubt(place, bare, left[1], right[0])
    return bare if goes else stripped


_OPENING = re.escape("([{\u00a1\u00ab\u00bf\u2018\u201a\u201c\u201e\u2039\u3008\u300a\u300c\u300e\u3010\uff08")
_CLOSING = re.escape(
    ",.;:!?)]}%\u00b7\u00bb\u2019\u201d\u2026\u2030\u203a\u0589\u060c\u061b\u061f\u06d4\u0964\u0965"
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
)
_THREE = f"[^{VALUE}]*{VALUE}" * 3
_VALUES = re.compile(f"([{WORD}{SIGN}])" + f"([^{VALUE}]*){VALUE}" * 3)
_WORD_VALUES, _SIGN_VALUES = re.compile(WORD + _THREE), re.compile(SIGN + _THREE)
_HYPHENS = re.escape(HYPHENS)
# A hyphen before a break is no word of its own.
_HYPHEN = re.compile(f"{SIGN}{_THREE}([{_HYPHENS}]){SIGN_END}(?=[ \t\n]*{BREAK})")
_BLANK = " \t\n" + JOIN + WITHIN
_CUT = JOIN.removeprefix(BREAK)
# From the end of a word to the text of the next one, where both are one.
_REST = re.compile(
    f"{WORD_END}(?:{PART}([{_BLANK}{_HYPHENS}{GLUE}]*+){PART}"
    f"|{PART}?(?=[^{_CUT}{WORD}]*+{_CUT})([{_BLANK}{_HYPHENS}]*+){PART}?){WORD}{_THREE}"
)
# Where a space is to part two tokens.
_AHEAD = f"(?={BREAK}*+(?:{WORD}|{SIGN}(?![{_CLOSING}])))"
_WORD_EDGE, _SIGN_EDGE = re.compile(WORD_END + _AHEAD), re.compile(f"(?<![{_OPENING}]){SIGN_END}" + _AHEAD)


def token_values(text: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return marked text whose tokens are all marked as words, without values, and what their marks and values were."""
    text = _HYPHEN.sub(r"\1", text)
    if PART in text or JOIN in text:
        text = _REST.sub(_between, text).replace(PART, "")
    values = _VALUES.findall(text)
    text = _SIGN_VALUES.sub(SIGN, _WORD_VALUES.sub(WORD, text))
    text = _SIGN_EDGE.sub(SIGN_END + " ", _WORD_EDGE.sub(WORD_END + " ", text)).replace(TIGHT, "")
    if GLUE in text:
        first, *rest = text.split(GLUE)
        text = first.rstrip(_BLANK) + "".join(piece.strip(_BLANK) for piece in rest[:-1]) + rest[-1].lstrip(_BLANK)
    return text.replace(SIGN, WORD).replace(SIGN_END, WORD_END), values


def _between(found: re.Match[str]) -> str:
    """Return what stands between the parts of a word, with a break that cuts it."""
    return (found[1] or found[2] or "").replace(GLUE, "") + JOIN


_SOFT_HYPHEN = "\u00ad"
# Before a break it stays, to be seen there.
_SOFT_BREAK = re.compile(f"\u00ad[ \t]*\n[ \t\n]*(?![ \t\n]*{BREAK})")
# A word, or signs.
_TOKEN = re.compile(r"(\w+(?:[-'’]\w+)*)|[^\w\s]+")
_MARKS = re.compile(f"([{WORD}{WORD_END}{SENTENCE}{SENTENCE_END}])")
_ANNOTATION = re.compile("|".join((WORD, WORD_END, SENTENCE, SENTENCE_END)).encode())


def read_body(
    root: etree._Element, parts: tuple[str, ...], how: Cleaning = STRICT, words: HyphenWords | None = None
) -> tuple[str, list[Sentence] | None]:
    """Return the text of a TEI element, and sentences if it is annotated.

    Args:
        parts: those that are read: `body`, `front`, `back`.
        words: a list that tells how words are written that breaks cut in two.

    Raises:
        BadRecord: `too_many_marks`, unless `how` wants the runs broken.
    """
    # In bytes, which are half the size of most texts.
    data, rare = marked_text(root, parts)
    if any(c.isspace() or not never_cleaned(c) for c in rare):
        data = _plain(data.decode(), rare, how).encode()
    values: list[tuple[str, str, str, str]] = []
    if marked := holds(data, WORD, SIGN, SENTENCE):
        text, values = token_values(data.decode())
        data = text.encode()
    data = mend_breaks(data, words).replace(_SOFT_HYPHEN.encode(), b"")
    if any(lemma or pos or msd for _, lemma, pos, msd in values):
        marked_words = list(itertools.starmap(_word, values))
        return _annotated(data.decode().split(PARAGRAPH), marked_words, how)
    if marked:
        data = _ANNOTATION.sub(b"", data)
    text = _running(data)
    if any(map(may_combine, rare)):  # with what marks separated it from
        text = composed(text, how)
    return text, None


def _plain(text: str, rare: set[str], how: Cleaning) -> str:
    """Return clean text whose white space is spaces, tabs and line feeds, with soft hyphens."""
    for space in filter(str.isspace, rare):
        text = text.replace(space, " ")
    if _SOFT_HYPHEN in rare:
        text = _SOFT_BREAK.sub("", text)
    return clean_rare(text, {c for c in rare if c != _SOFT_HYPHEN and not c.isspace()}, how)


def _running(data: bytes) -> str:
    """Return text with one space for each run of white space, and paragraphs for their marks."""
    data = _single_spaces(data.replace(b"\t", b" ").replace(b"\n", b" "))
    paragraphs = map(bytes.strip, data.split(PARAGRAPH.encode()))
    return b"\n\n".join(filter(None, paragraphs)).decode()


def _single_spaces(data: bytes) -> bytes:
    codes = np.frombuffer(data, np.uint8)
    spaces = codes == ord(" ")
    stays = np.ones(codes.size, bool)
    np.logical_and(spaces[1:], spaces[:-1], out=stays[1:])
    np.logical_not(stays[1:], out=stays[1:])
    return codes[stays].tobytes()


class _Word(NamedTuple):
    lemma: str
    tag: str


@functools.lru_cache(1 << 16)
def _word(mark: str, lemma: str, pos: str, msd: str) -> _Word:
    if msd.startswith("UPosTag="):
        return _Word(lemma, msd[8:].partition("|")[0])
    return _Word(lemma, pos or ("PUNCT" if mark == SIGN else ""))


class _Token(NamedTuple):
    start: int
    end: int
    word: _Word


_SIGN, _UNMARKED = _Word("", "PUNCT"), _Word("", "X")


def _annotated(paragraphs: list[str], words: list[_Word], how: Cleaning) -> tuple[str, list[Sentence] | None]:
    """Return text without marks, and the sentences of the words that were marked.

    Words outside the marks are tokens, too: their lemma is their form, their tag X.
    """
    text = _Text()
    sentences = list(filter(None, _sentences(paragraphs, iter(words), text)))
    joined = "".join(text.pieces)
    whole = composed(joined, how)
    tags = {word.tag for word in words} - {""}
    upos = tags <= set(UPOS) and not tags <= {"PUNCT"}
    exact = whole is joined
    annotated = [_sentence(sentence, joined, upos=upos, exact=exact) for sentence in sentences]
    return whole, annotated or None


def _sentences(paragraphs: list[str], words: Iterator[_Word], text: "_Text") -> Iterator[list[_Token]]:
    """Yield the tokens of each sentence, of which there may be none, and put their forms into the text."""
    tokens: list[_Token] = []
    for paragraph in paragraphs:
        text.border()
        for piece in _MARKS.split(paragraph):
            if piece == WORD:
                text.begin_word()
            elif piece == WORD_END:
                start, word = text.end_word(), next(words)
                if text.length > start >= 0:
                    tokens.append(_Token(start, text.length, word))
            elif piece in (SENTENCE, SENTENCE_END):
                yield tokens
                tokens = []
            elif text.add(piece) and not text.in_word:
                place = text.length - len(text.pieces[-1])
                for token in _TOKEN.finditer(text.pieces[-1]):
                    tokens.append(_Token(place + token.start(), place + token.end(), _UNMARKED if token[1] else _SIGN))
        yield tokens
        tokens = []


def _sentence(tokens: list[_Token], text: str, *, upos: bool, exact: bool) -> Sentence:
    """Return a sentence; without `exact` the text is not the document's, and there are no offsets."""
    forms = [text[token.start : token.end] for token in tokens]
    if not exact:
        forms = list(map(nfc, forms))
    lemmas = [clean_field(token.word.lemma) for token in tokens]
    return Sentence(
        forms,
        [lemma or form for lemma, form in zip(lemmas, forms, strict=True)] if any(lemmas) else None,
        [token.word.tag or _UNMARKED.tag for token in tokens] if upos else None,
        [token.start for token in tokens] if exact else None,
        [token.end for token in tokens] if exact else None,
    )


class _Text:
    """Text put together piece by piece, each run of white space as one space."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.in_word = False
        self._word_start = -1
        self._gap = ""

    def border(self) -> None:
        """Begin a paragraph."""
        self._gap = "\n\n"

    def begin_word(self) -> None:
        """Take what is added from now on for a word."""
        self.in_word = True

    def end_word(self) -> int:
        """End a word; return where it began, -1 if it holds nothing but white space."""
        start, self.in_word, self._word_start = self._word_start, False, -1
        return start

    def add(self, piece: str) -> bool:
        """Return whether there was anything but white space."""
        words = piece.split()
        if not words:
            if piece:
                self._gap = self._gap or " "
            return False
        if piece[0].isspace():
            self._gap = self._gap or " "
        if self.length:
            self._put(self._gap)
        if self.in_word and self._word_start < 0:
            self._word_start = self.length
        self._put(" ".join(words))
        self._gap = " " if piece[-1].isspace() else ""
        return True

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)
