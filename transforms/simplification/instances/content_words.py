"""The content words of annotated texts, but for names, numbers, code, addresses and what a person protects.

A content word is a noun, verb, adjective or adverb that consists of letters, with hyphens or apostrophes between
them. Names are left out as by `is_name`, whether or not the engine took them for nouns. What is no running text within
a text is read, and none of its words is taken for a word to simplify.

>>> text = "Ask @ann on www.a.org/new-era of #OldTown: AT&amp;T, <b class='x'>"
>>> found = fixed_places(text)
>>> [text[start:end] for start, end in zip(found.starts, found.ends)]
['@ann', 'www.a.org/new-era', '#OldTown', 'AT&amp;T', "<b class='x'>"]
>>> found.kind(4, 8), found.kind(text.index("AT"), text.index("AT") + 2), found.kind(0, 3)
('address', 'code', None)
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.corpora.document_reading import SentenceText, sentence_text
from lexbeam.transforms.formats.spans.origin import code_places
from lexbeam.transforms.simplification.generation.target_forms import alike, names_from
from lexbeam.transforms.simplification.instances.benchmark_layouts import LONGEST_TARGET

# `code` is also markup that the format does not read, such as `&amp;` in plain text.
FIXED = {"code": "in code or the like", "address": "in addresses, hashtags or @names"}

# Linear in the text: a run of letters is looked through from its first one alone, and schemes are short.
_PATTERN = re.compile(
    r"(?P<address>\b[a-z][a-z0-9+.-]{0,30}+://\S++"
    r"|\bwww\.\S++"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"
    r"|(?<![\w./-])(?:[\w-]++\.)++[a-z]{2,}/\S*+"
    r"|(?<![\w&])[#@][^\W\d]\w*+(?:[.-]\w++)*+)"
    r"|(?P<code>(?:(?<!\w)\w++)?+(?:&(?:\#[0-9]++|\#x[0-9a-f]++|[a-z][a-z0-9]*+);\w*+)++"
    r"|</?+[a-z][^<>]*+>)",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[/@#&<]|www\.", re.IGNORECASE)  # one of which is in each of them


class FixedPlaces(NamedTuple):
    """Stretches of a text in which no words are replaced, since they are none: code, by its format, or addresses.

    Attributes:
        starts, ends: their places, in order; they do not overlap.
        kinds: keys of `FIXED`; empty: all are code.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()

    def kind(self, start: int, end: int) -> str | None:
        """Return what the first of them is that a stretch of the text lies in, or reaches into; None: there is none."""
        at = bisect_right(self.ends, start)
        if at == len(self.ends) or self.starts[at] >= end:
            return None
        return self.kinds[at] if self.kinds else "code"


def fixed_codes(text: str) -> FixedPlaces:
    """Return where in a text codes stand, such as those of templates, which may hold several sentences."""
    return FixedPlaces(*zip(*found, strict=True)) if (found := code_places(text)) else FixedPlaces()


def fixed_places(text: str) -> FixedPlaces:
    """Return where in a text stands what is none."""
    found = [(*at.span(), str(at.lastgroup)) for at in _PATTERN.finditer(text)] if _SIGNS.search(text) else ()
    return FixedPlaces(*zip(*found, strict=True)) if found else FixedPlaces()


Ints = npt.NDArray[np.int64]

CONTENT = ("ADJ", "ADV", "NOUN", "VERB")
COLUMNS = ("sentence", "forms", "lemmas", "upos", "starts", "ends")
_HYPHENS = ("-", "‐")
_JOINS = (*_HYPHENS, "'", "’")


class AnnotatedText(NamedTuple):
    """A document with its sentences, or with some of them: those of a long one come in several pieces.

    Attributes:
        source: the file that it came from.
        position: what its sentences' numbers stand behind in `position` of instances; empty: nothing.
        language: as tables have it, `en` for `eng`; None: not known.
        genre: None: not known.
        text: None: it came annotated.
        sentences: columns `COLUMNS` of `sentences`, and layers.
        further: whether they go on with the document of the text before.
        fixed: places in the text that are code or the like.
        content: the bytes of a file, if they are to be edited.
    """

    source: str
    position: str
    language: str | None
    genre: str | None
    text: str | None
    sentences: pa.Table
    further: bool = False
    fixed: FixedPlaces = FixedPlaces()
    content: bytes | None = None


class ProtectedTerms:
    """Words and phrases that are left alone, whatever their capitals.

    Args:
        terms: in the form of `alike`.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self._terms = frozenset(terms)
        self._phrases = [term for term in self._terms if not is_word(term)]
        self._begins = {term[:1] for term in self._phrases}
        self._longest = max(map(len, self._phrases), default=0)

    def holds(self, form: str, lemma: str | None) -> bool:
        """Return whether a word is protected, as it stands or by its lemma."""
        return bool(self._terms) and not self._terms.isdisjoint({alike(form), alike(lemma or form)})

    def within(self, sentence: SentenceText) -> set[int]:
        """Return the tokens of a sentence that are part of a protected phrase."""
        inside: set[int] = set()
        if not self._phrases:
            return inside
        for first, start in enumerate(sentence.starts):
            if alike(sentence.text[start : start + 1]) not in self._begins:
                continue
            for last in range(first, len(sentence.ends)):
                if sentence.ends[last] - start > 2 * self._longest:
                    break
                if alike(sentence.text[start : sentence.ends[last]]) in self._terms:
                    inside.update(range(first, last + 1))
        return inside


class ContentWords(NamedTuple):
    """Content words of several texts, in their order.

    Attributes:
        table: the sentences of all, columns `COLUMNS` and layers.
        text_of: for each sentence the place of its text.
        lines: by sentence that has a word, the sentence as a line of text.
        row: for each word the place of its sentence in the table.
        place: its token.
        targets: as they stand.
        lemmas: as annotated; None: not known.
        left: content words left out, by reason: `name`, `word` (`target_forms.PROTECTED`), and those of `FIXED`.
    """

    texts: Sequence[AnnotatedText]
    table: pa.Table
    text_of: Ints
    lines: dict[int, SentenceText]
    row: Ints
    place: Ints
    targets: list[str]
    lemmas: list[str | None]
    left: dict[str, int]

    def at(self, column: str) -> pa.Array:
        """Return the value of each word in a column of lists; null where the sentence has none."""
        return _items(self.table[column], self.row, self.place)

    def languages(self) -> list[str | None]:
        """Return the language of each word."""
        return [self.texts[text].language for text in self.text_of[self.row].tolist()]


def is_word(text: str) -> bool:
    """Return whether a text is a word without digits: letters and marks, joined by hyphens or apostrophes.

    What is longer than any target may be is none, such as the letters of a sequence of proteins.

    >>> [is_word(text) for text in ("well-being", "re-", "CO2", "12", "e.g.", "niño")]
    [True, False, False, False, False, True]
    """
    if len(text) > LONGEST_TARGET:
        return False
    if not (text[:1].isalpha() and (text[-1:].isalpha() or unicodedata.category(text[-1:])[0] == "M")):
        return False
    return all(char.isalpha() or char in _JOINS or unicodedata.category(char)[0] == "M" for char in text)


def content_words(texts: Sequence[AnnotatedText], protected: ProtectedTerms) -> ContentWords:
    """Return the content words of texts; sentences without parts of speech have none.

    Parts of words are none: of contractions, and of compounds with hyphens that an engine takes apart.

    Args:
        texts: with the same columns, at least one.
        protected: words and phrases that are left out.
    """
    table = pa.concat_tables([text.sentences for text in texts]).combine_chunks()
    text_of = np.repeat(np.arange(len(texts)), [text.sentences.num_rows for text in texts])
    rows, places = _tagged(table)
    lines: dict[int, SentenceText] = {}
    kept: list[int] = []
    targets: list[str] = []
    lemmas: list[str | None] = []
    left: dict[str, int] = {}
    inside: set[int] = set()
    apart = FixedPlaces()
    names = at = 0
    forms, starts, ends = (table[name] for name in ("forms", "starts", "ends"))
    of_words = _items(table["lemmas"], rows, places).to_pylist()
    of_text = [_items(table[name], rows, places).to_pylist() for name in ("starts", "ends")]
    for number, (row, place) in enumerate(zip(rows.tolist(), places.tolist(), strict=True)):
        text = texts[int(text_of[row])]
        if row not in lines:
            lines[row] = sentence_text(forms[row].as_py(), starts[row].as_py(), ends[row].as_py(), text.text)
            inside = protected.within(lines[row])
            apart = fixed_places(lines[row].text)
            names = names_from(lines[row].text, text.language or "")
            at = row
        assert at == row  # the words of a sentence stand together
        line = lines[row]
        if _is_part(line, place):
            continue
        target = line.text[line.starts[place] : line.ends[place]]
        if not is_word(target):
            continue
        lemma = of_words[number]
        why = apart.kind(line.starts[place], line.ends[place])
        if why is None and text.fixed.starts:
            why = text.fixed.kind(of_text[0][number], of_text[1][number])
        if why is None and (place in inside or protected.holds(target, lemma)):
            why = "word"
        if why is None and target[0].isupper() and names < line.starts[place]:
            why = "name"
        if why:
            left[why] = left.get(why, 0) + 1
            continue
        kept.append(number)
        targets.append(target)
        lemmas.append(lemma)
    chosen = np.array(kept, np.int64)
    return ContentWords(texts, table, text_of, lines, rows[chosen], places[chosen], targets, lemmas, left)


def _tagged(table: pa.Table) -> tuple[Ints, Ints]:
    """Return sentence and token of everything that is tagged as a content word."""
    whole = _only(table["upos"])
    offsets, valid = whole.offsets.to_numpy(), whole.is_valid().to_numpy(zero_copy_only=False)
    lengths = np.where(valid, np.diff(offsets), 0)
    has_forms = table["forms"].is_valid().to_numpy()
    lengths = np.where(has_forms, lengths, 0)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    tags = whole.values.take(pa.array(offsets[rows] + places))
    content = np.flatnonzero(pc.is_in(tags, value_set=pa.array(CONTENT)).to_numpy(zero_copy_only=False))
    return rows[content].astype(np.int64), places[content].astype(np.int64)


def _items(lists: pa.ChunkedArray, rows: Ints, places: Ints) -> pa.Array:
    whole = _only(lists)
    known = whole.is_valid().to_numpy(zero_copy_only=False)[rows]
    at = np.where(known, whole.offsets.to_numpy()[rows] + places, 0)
    return whole.values.take(pa.array(at, mask=~known))


def _only(column: pa.ChunkedArray) -> pa.ListArray:
    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _is_part(line: SentenceText, place: int) -> bool:
    """Return whether a token shares letters with another, touches one, or is joined to one by a hyphen."""
    start, end = line.starts[place], line.ends[place]
    if place > 0 and line.ends[place - 1] > start:
        return True
    if place + 1 < len(line.starts) and line.starts[place + 1] < end:
        return True
    text = line.text
    beside = (text[max(start - 2, 0) : start][::-1], text[end : end + 2])
    return any(near[:1].isalnum() or (near[:1] in _HYPHENS and near[1:].isalnum()) for near in beside if near)
