r"""A document annotated: cut into pieces that an engine takes, its sentences put together again.

A document is annotated by paragraph (border: a line of whitespace only), so that no sentence
crosses one and no engine meets a text longer than it takes. Within a paragraph each run of
whitespace is shown to the engine as one space, since models are trained on running text and take a
line break for a word; offsets are restored to the document. What an engine sees at once depends on
the document alone, so that nothing depends on how documents are dealt out to workers.

    >>> from lexbeam.transforms.annotation.engines.registry import load_engine
    >>> engine = load_engine("builtin:en")
    >>> for sentence in annotate_text("The cats\nsat. They\n\nslept.", engine):
    ...     print(sentence.lemmas, sentence.starts)
    ['the', 'cat', 'sit', '.'] [0, 4, 9, 12]
    ['they'] [14]
    ['sleep', '.'] [20, 25]
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.annotation.engines.normalise import NormalisationRules
from lexbeam.transforms.common.store.batches import Sentence

# Code points: longer paragraphs are cut. A piece and a batch of pieces fit in modest memory.
MAX_PARAGRAPH = 50_000
MAX_BATCH = 100_000
# spaCy takes punctuation off a word sign by sign, and copies the word each time: a second for
# 3,000 signs. Where a stretch without a space is as long as `LONGEST_RUN`, parts of it with fewer
# letters, digits and combining marks than this share are cut into pieces; scripts without spaces
# and encoded addresses have more.
LONGEST_RUN = 400
LEAST_WORDLIKE = 0.6
MAZE_PIECE = 50
_UNBROKEN = re.compile(rf"\S{{{LONGEST_RUN},}}")

_BORDER = re.compile(r"\n(?:[^\S\n]*\n)+")
_SENTENCE_END = re.compile(r"[.!?…。！？\u061f\u06d4\u0589\u0964\u0965\u1362\u1367\u17d4][\"'”’»)\]]*\s+")
_SPACE = re.compile(r"\s+")
_UNEVEN = re.compile(r"\s{2,}|[^\S ]")


def split_paragraphs(text: str) -> list[tuple[int, str]]:
    r"""Return the paragraphs of `text` with their offsets in code points.

    A border is one or more lines that are empty or whitespace only. Paragraphs carry no whitespace
    at either end; there are no empty ones.

    >>> split_paragraphs("  One\ntwo. \n \n\nThree.")
    [(2, 'One\ntwo.'), (15, 'Three.')]
    """
    paragraphs = []
    start = 0
    ends = [(border.start(), border.end()) for border in _BORDER.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        body = text[start:end].lstrip()
        if stripped := body.rstrip():
            paragraphs.append((end - len(body), stripped))
        start = following
    return paragraphs


def annotate_text(text: str, engine: Engine, *, normalise: NormalisationRules | None = None) -> list[Sentence]:
    """Annotate a document.

    Args:
        text: the document; offsets are counted in its code points.
        engine: a loaded engine.
        normalise: rules that map forms before tagging and lemmas after it.

    Returns sentences in document order. `lemmas` and `upos` are None if the engine has none. With form
    rules, `forms` are the mapped ones and the offsets those of the original.
    """
    return [sentence for some in annotate_by_batch(text, engine, normalise=normalise) for sentence in some]


def annotate_by_batch(
    text: str, engine: Engine, *, normalise: NormalisationRules | None = None
) -> Iterator[list[Sentence]]:
    """Yield the sentences that `annotate_text` returns, those of some paragraphs at a time."""
    map_form = normalise.form if normalise and normalise.maps_forms else None
    map_lemma = normalise.lemma if normalise and normalise.maps_lemmas else None
    for batch in _batches(_pieces(text)):
        sentences = []
        annotated = engine.annotate([piece.text for piece in batch], map_form)
        for piece, group in zip(batch, annotated, strict=True):
            for sentence in group:
                lemmas = sentence.lemmas
                if map_lemma and lemmas is not None:
                    lemmas = [map_lemma(lemma) for lemma in lemmas]
                starts, ends = _restored(piece, sentence)
                sentences.append(sentence._replace(lemmas=lemmas, starts=starts, ends=ends))
        yield sentences


class _Piece(NamedTuple):
    """A piece of a document as the engine sees it, and the way back to the document.

    From code point `marks[i]` of `text` on, the document's offset is larger by `shifts[i]`.
    """

    text: str
    marks: list[int]
    shifts: list[int]


def _pieces(text: str) -> Iterator[_Piece]:
    for offset, paragraph in split_paragraphs(text):
        start = 0
        while len(paragraph) - start > MAX_PARAGRAPH:
            end = start + _cut(paragraph[start : start + MAX_PARAGRAPH])
            yield from _without_mazes(offset + start, paragraph[start:end])
            start = end
        yield from _without_mazes(offset + start, paragraph[start:])


def _without_mazes(offset: int, raw: str) -> Iterator[_Piece]:
    """Cut long stretches of marks without a space, for which tokenisers take quadratic time."""
    start = 0
    for run in _UNBROKEN.finditer(raw):
        for window in range(run.start(), run.end(), LONGEST_RUN):
            end = min(window + LONGEST_RUN, run.end())
            wordlike = sum(unicodedata.category(char)[0] in "LNM" for char in raw[window:end])
            if wordlike < LEAST_WORDLIKE * (end - window):
                for cut in range(window, end, MAZE_PIECE):
                    yield from _piece(offset + start, raw[start:cut])
                    start = cut
    yield from _piece(offset + start, raw[start:])


def _cut(window: str) -> int:
    """Return the place to cut: after the last sentence, else after the last word, else at the end."""
    for pattern in (_SENTENCE_END, _SPACE):
        if ends := [match.end() for match in pattern.finditer(window)]:
            return ends[-1]
    return len(window)


def _piece(offset: int, raw: str) -> Iterator[_Piece]:
    body = raw.lstrip()
    offset += len(raw) - len(body)
    body = body.rstrip()
    if not body:
        return
    marks, shifts = [0], [offset]
    for run in _UNEVEN.finditer(body):
        if (extra := run.end() - run.start() - 1) > 0:
            marks.append(run.end() + offset - shifts[-1] - extra)
            shifts.append(shifts[-1] + extra)
    yield _Piece(_SPACE.sub(" ", body), marks, shifts)


def _restored(piece: _Piece, sentence: Sentence) -> tuple[list[int] | None, list[int] | None]:
    starts, ends = sentence.starts, sentence.ends
    if starts is None or ends is None:
        return None, None
    marks, shifts = piece.marks, piece.shifts
    shift = shifts[bisect_right(marks, starts[0]) - 1]
    if shift == shifts[bisect_right(marks, ends[-1] - 1) - 1]:
        shifted = shift.__add__  # called in C: a third less time than adding in a loop
        return list(map(shifted, starts)), list(map(shifted, ends))
    # An end is the end of its last character: whitespace after it must not be taken in.
    return (
        [start + shifts[bisect_right(marks, start) - 1] for start in starts],
        [end + shifts[bisect_right(marks, end - 1) - 1] for end in ends],
    )


def _batches(pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
    batch: list[_Piece] = []
    size = 0
    for piece in pieces:
        if batch and size + len(piece.text) > MAX_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += len(piece.text)
    if batch:
        yield batch
