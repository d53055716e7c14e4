r"""An annotation engine, and how documents and texts are annotated by one.

An engine module has a function `prepare(argument, resolve, layers)`. It checks, without loading a model, that all that
the engine and the layers need is there, and returns an `EngineInfo` and a function that loads the model and returns an
`Annotate`.

A document is annotated by paragraph (border: a line of whitespace only), so that no sentence crosses one and no engine
meets a text longer than it takes. Within a paragraph each run of whitespace is shown to the engine as one space, since
models are trained on running text and take a line break for a word; offsets are restored to the document. What an
engine sees at once depends on the document alone, so that nothing depends on how documents are dealt out to workers.

    >>> from lexbeam.transforms.annotation.engines.known_engines import load_engine
    >>> engine = load_engine("builtin:en")
    >>> for sentence in annotate_text("The cats\nsat. They\n\nslept.", engine):
    ...     print(sentence.lemmas, sentence.starts)
    ['the', 'cat', 'sit', '.'] [0, 4, 9, 12]
    ['they'] [14]
    ['sleep', '.'] [20, 25]

Texts are annotated many at a time. Without an engine they have word forms alone, by a rule for any language that writes
spaces: runs of letters, digits and marks, with hyphens and apostrophes inside them, are words, any other sign that is
no white space is a token of its own. Each paragraph is then one sentence.

    >>> plain_tokens("The cat's meow, o-o-oh!").forms
    ['The', "cat's", 'meow', ',', 'o-o-oh', '!']
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from lexbeam.transforms.annotation.engines.normalise import NormalisationRules
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import ModelFiles

T = TypeVar("T")

# Maps a token's form before anything but the tokeniser has seen it.
MapForm = Callable[[str], str]

# Maps a model as named to a folder on this machine.
Resolve = Callable[[str], str]


class Annotate(Protocol):
    """Turn paragraphs into sentences: one list of sentences for each paragraph.

    Whitespace is not a token, no sentence is empty, and offsets are code points within the
    paragraph. With `map_form`, each token's form is replaced by `map_form(form)` before it is
    tagged; forms are then the mapped ones, while offsets stay those of the paragraph. Sentences
    have the layers for which the engine was prepared; nothing else in them depends on layers.
    """

    def __call__(self, paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
        """Return the sentences of each paragraph."""


@dataclass(frozen=True, kw_only=True)
class EngineInfo:
    """What can be said of an engine without loading its model.

    `name` is its specification with a folder shortened to the folder's name; `language` an
    ISO 639 code, or None for a model of many languages. `fingerprint` holds library versions and
    the digest of the model's files, and no path: equal fingerprints promise equal annotation.
    `reach` is how many tokens to either side a part of speech depends on; None: on any of the text.
    `model` are the files of a model that can travel to workers, by their names in its folder.
    """

    name: str
    language: str | None
    fingerprint: str
    has_upos: bool
    has_lemmas: bool
    reach: int | None = None
    model: ModelFiles = ()


@dataclass(frozen=True, kw_only=True)
class Engine(EngineInfo):
    """A loaded engine: what can be said of it, and the function that annotates."""

    annotate: Annotate


Prepare = Callable[[str, Resolve | None, tuple[str, ...]], tuple[EngineInfo, Callable[[], Annotate]]]


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
    for batch in _batches(_pieces(text), MAX_BATCH, lambda piece: len(piece.text)):
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


def _batches(values: Iterable[T], most: int, length: Callable[[T], int], between: int = 0) -> Iterator[list[T]]:
    """Yield values in order, those together whose lengths, with what stands between them, are `most` at most."""
    batch: list[T] = []
    size = 0
    for value in values:
        if batch and size + length(value) > most:
            yield batch
            batch, size = [], 0
        batch.append(value)
        size += length(value) + between
    if batch:
        yield batch


_BETWEEN = "\n\n"  # a border of paragraphs, which no sentence crosses
_LISTS = ("forms", "lemmas", "upos", "starts", "ends")
_AT_ONCE = 50_000  # code points
_WORD = r"(?:\w|[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e4e])+"
_WORDS = re.compile(rf"{_WORD}(?:[-'’\u2010]{_WORD})*")
_TOKEN = re.compile(rf"{_WORDS.pattern}|\S")


def plain_tokens(sentence: str) -> Sentence:
    """Return the tokens of a sentence by the rule that needs no engine, without lemmas and tags."""
    tokens = list(_TOKEN.finditer(sentence))
    return Sentence(
        [match[0] for match in tokens],
        None,
        None,
        [match.start() for match in tokens],
        [match.end() for match in tokens],
    )


def count_words(text: str) -> int:
    """Return how many of the plain tokens of a text are words.

    >>> count_words("The cat's meow, o-o-oh!")
    4
    """
    return len(_WORDS.findall(text))


def annotate_sentences(sentences: Sequence[str], engine: Engine | None) -> list[Sentence]:
    """Annotate sentences; each stays one, whatever borders the engine finds in it.

    A sentence on which the engine fails has the tokens of `plain_tokens`, and no layers. Layers are
    concatenated as they are: heads stay relative to the engine's own sentences.

    Args:
        sentences: texts, in NFC.
        engine: a loaded engine; None: `plain_tokens`.

    Returns:
        For each text its tokens; offsets are code points of it.
    """
    if engine is None:
        return [plain_tokens(sentence) for sentence in sentences]
    return [_joined(pieces) for pieces in annotate_texts(sentences, engine)]


def annotate_texts(texts: Sequence[str], engine: Engine | None) -> list[list[Sentence]]:
    """Annotate texts, each by itself, many at a time.

    A text on which the engine fails has the tokens of `plain_tokens`, a sentence a paragraph.

    Args:
        texts: texts, in NFC.
        engine: a loaded engine; None: `plain_tokens` of each paragraph.

    Returns:
        For each text its sentences; offsets are code points of it.
    """
    if engine is None:
        return [_plain(text) for text in texts]
    annotated: list[list[Sentence]] = []
    for batch in _batches(texts, _AT_ONCE, len, len(_BETWEEN)):
        annotated += _annotated(batch, engine)
    return annotated


def _plain(text: str) -> list[Sentence]:
    return [_shifted(plain_tokens(body), -start) for start, body in split_paragraphs(text)]


def _annotated(batch: list[str], engine: Engine) -> list[list[Sentence]]:
    try:
        pieces = annotate_text(_BETWEEN.join(batch), engine)
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception:  # whatever an engine raises is about one of these texts
        if len(batch) == 1:
            return [_plain(batch[0])]
        return [sentences for text in batch for sentences in _annotated([text], engine)]
    starts, place = [], 0
    for text in batch:
        starts.append(place)
        place += len(text) + len(_BETWEEN)
    parts: list[list[Sentence]] = [[] for _ in batch]
    for piece in pieces:
        if piece.starts:
            of = bisect_right(starts, piece.starts[0]) - 1
            parts[of].append(_shifted(piece, starts[of]))
    return parts


def _shifted(sentence: Sentence, start: int) -> Sentence:
    """Return a sentence whose offsets are counted from `start`."""
    if not start:
        return sentence
    return sentence._replace(
        starts=[place - start for place in sentence.starts or ()], ends=[place - start for place in sentence.ends or ()]
    )


def _joined(pieces: list[Sentence]) -> Sentence:
    """Return pieces as one sentence, without a list that any of them lacks."""
    if len(pieces) == 1:
        return pieces[0]

    def all_of(name: str) -> list[Any] | None:
        lists = [getattr(piece, name) for piece in pieces]
        if any(values is None for values in lists):
            return None
        return [value for values in lists for value in values]

    forms, lemmas, upos, starts, ends = map(all_of, _LISTS)
    layers = tuple(
        None if any(values is None for values in parts) else [v for values in parts for v in values]
        for parts in zip(*(piece.layers for piece in pieces), strict=True)
    )
    return Sentence(forms, lemmas, upos, starts, ends, layers)


def tokens_of(sentence: Sentence, start: int | None, end: int | None) -> tuple[int | None, int | None]:
    """Return the first token that overlaps [start, end), and how many do; None where none does."""
    if start is None or end is None:
        return None, None
    places = [
        at
        for at, (begins, ends) in enumerate(zip(sentence.starts or (), sentence.ends or (), strict=True))
        if begins < end and ends > start
    ]
    return (places[0], len(places)) if places else (None, None)
