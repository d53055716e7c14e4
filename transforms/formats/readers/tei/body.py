r"""The running text of a TEI document.

Block elements (`<p> <head> <lg> <ab> <sp>` ...) are paragraphs; lines of verse outside `<lg>` that
follow each other are one. Inline elements add no space. `<fw> <note> <del>` and what is not the
text's own words are dropped, and what is heard or seen (`<incident> <kinesic> <vocal> <pause>` ...), which
parts words; of a `<choice>` the corrected, regular or expanded reading is taken. A run of white space,
line ends of the XML file included, is one space.

Words that breaks cut in two are mended: see `breaks`.

What stands between words that are marked one by one: see `words`. A document with `<w lemma pos>` has
annotation: sentences are `<s>`, else paragraphs; words are `<w>` and `<pc>`, and text outside them
becomes tokens tagged X or PUNCT. Parts of speech are taken if all that there are are UPOS (also as
`msd="UPosTag=NOUN|..."`); a word without one is X.
"""

import functools
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from lxml import etree

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.common.marks import nfc
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.formats.readers.tei.breaks import mend_breaks
from lexbeam.transforms.formats.readers.tei.marks import (
    BREAK,
    PARAGRAPH,
    SENTENCE,
    SENTENCE_END,
    SIGN,
    WORD,
    WORD_END,
    holds,
    marked_text,
)
from lexbeam.transforms.formats.readers.tei.words import token_values
from lexbeam.transforms.formats.records.hyphens import HyphenWords
from lexbeam.transforms.formats.records.text_cleaning import (
    STRICT,
    Cleaning,
    clean_field,
    clean_rare,
    composed,
    may_combine,
    never_cleaned,
)

_SOFT_HYPHEN = "\u00ad"
# Before a break it stays, to be seen there.
_SOFT_BREAK = re.compile(f"\u00ad[ \t]*\n[ \t\n]*(?![ \t\n]*{BREAK})")
# A word, or signs.
_TOKEN = re.compile(r"(\w+(?:[-'’]\w+)*)|[^\w\s]+")
_MARKS = re.compile(f"([{WORD}{WORD_END}{SENTENCE}{SENTENCE_END}])")
_ANNOTATION = re.compile("|".join((WORD, WORD_END, SENTENCE, SENTENCE_END)).encode())


class Body(NamedTuple):
    """Text, and sentences if the document is annotated."""

    text: str
    sentences: list[Sentence] | None


def read_body(
    root: etree._Element, parts: tuple[str, ...], how: Cleaning = STRICT, words: HyphenWords | None = None
) -> Body:
    """Return the text of a TEI element.

    Args:
        root: the element.
        parts: those that are read: `body`, `front`, `back`.
        how: the text is cleaned.
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
    return Body(text, None)


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
    """Return bytes without the spaces that follow a space."""
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
    """A token by its place in the text, and its lemma and tag."""

    start: int
    end: int
    word: _Word


_SIGN, _UNMARKED = _Word("", "PUNCT"), _Word("", "X")


def _annotated(paragraphs: list[str], words: list[_Word], how: Cleaning) -> Body:
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
    return Body(whole, annotated or None)


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
