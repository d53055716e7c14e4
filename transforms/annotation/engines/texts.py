"""Texts annotated many at a time: their sentences with lemmas and parts of speech, or word forms.

Without an engine there are word forms alone, by a rule for any language that writes spaces: runs of
letters, digits and marks, with hyphens and apostrophes inside them, are words, any other sign that
is no white space is a token of its own. Each paragraph is then one sentence.

>>> plain_tokens("The cat's meow, o-o-oh!").forms
['The', "cat's", 'meow', ',', 'o-o-oh', '!']
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.annotation.engines.paragraphs import annotate_text, split_paragraphs
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.records import Sentence

_BETWEEN = "\n\n"  # a border of paragraphs, which no sentence crosses
_LISTS = ("forms", "lemmas", "upos", "starts", "ends")
_AT_ONCE = 50_000  # code points
_WORD = r"(?:\w|[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e4e])+"
_WORDS = re.compile(rf"{_WORD}(?:[-'’\u2010]{_WORD})*")
_TOKEN = re.compile(rf"{_WORDS.pattern}|\S")


def plain_tokens(sentence: str) -> Sentence:
    """Return the tokens of a sentence by the rule of this module, without lemmas and tags."""
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
    for batch in _text_batches(texts):
        annotated += _annotated(batch, engine)
    return annotated


def _plain(text: str) -> list[Sentence]:
    return [_shifted(plain_tokens(body), -start) for start, body in split_paragraphs(text)]


def _text_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > _AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) + len(_BETWEEN)
    if batch:
        yield batch


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
