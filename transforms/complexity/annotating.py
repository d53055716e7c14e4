"""Sentences of instances annotated: tokens with lemmas and parts of speech, and those of a target.

Without an engine there are word forms alone, by a rule for any language that writes spaces: runs of
letters, digits and marks, with hyphens and apostrophes inside them, are words, any other sign that
is no white space is a token of its own.

>>> plain_tokens("The cat's meow, o-o-oh!").forms
['The', "cat's", 'meow', ',', 'o-o-oh', '!']
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from transforms.annotation.base import Engine, annotate_text
from transforms.common.errors import LexbeamError
from transforms.common.records import Sentence

__all__ = ["annotate_sentences", "plain_tokens", "tokens_of"]

_BETWEEN = "\n\n"  # a border of paragraphs, which no sentence crosses
_AT_ONCE = 50_000  # code points
_WORD = r"(?:\w|[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e4e])+"
_TOKEN = re.compile(rf"{_WORD}(?:[-'’\u2010]{_WORD})*|\S")


def plain_tokens(sentence: str) -> Sentence:
    """Return the tokens of a sentence by the rule of this module, without lemmas and tags."""
    found = list(_TOKEN.finditer(sentence))
    return Sentence(
        [token[0] for token in found], None, None,
        [token.start() for token in found], [token.end() for token in found],
    )  # fmt: skip


def annotate_sentences(sentences: Sequence[str], engine: Engine | None) -> list[Sentence]:
    """Annotate sentences, each of which stays one, whatever borders the engine finds in it.

    What an engine fails on has the tokens of `plain_tokens`.

    Args:
        sentences: texts, in NFC.
        engine: a loaded engine; None: `plain_tokens`.

    Returns:
        For each text its tokens; offsets are code points of it.
    """
    if engine is None:
        return [plain_tokens(sentence) for sentence in sentences]
    found: list[Sentence] = []
    for batch in _batches(sentences):
        found += _annotated(batch, engine)
    return found


def _batches(sentences: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for sentence in sentences:
        if batch and size + len(sentence) > _AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(sentence)
        size += len(sentence) + len(_BETWEEN)
    if batch:
        yield batch


def _annotated(batch: list[str], engine: Engine) -> list[Sentence]:
    try:
        pieces = annotate_text(_BETWEEN.join(batch), engine)
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception:  # whatever an engine raises is about one of these sentences
        if len(batch) == 1:
            return [plain_tokens(batch[0])]
        return [one for sentence in batch for one in _annotated([sentence], engine)]
    starts, place = [], 0
    for sentence in batch:
        starts.append(place)
        place += len(sentence) + len(_BETWEEN)
    parts: list[list[Sentence]] = [[] for _ in batch]
    for piece in pieces:
        if piece.starts:
            parts[bisect_right(starts, piece.starts[0]) - 1].append(piece)
    return [_joined(own, start) for own, start in zip(parts, starts, strict=True)]


def _joined(pieces: list[Sentence], start: int) -> Sentence:
    """Return pieces as one sentence whose offsets are counted from `start`."""

    def all_of(name: str) -> list[str] | None:
        lists = [getattr(piece, name) for piece in pieces]
        if any(values is None for values in lists):
            return None
        return [value for values in lists for value in values]

    return Sentence(
        all_of("forms"), all_of("lemmas"), all_of("upos"),
        [place - start for piece in pieces for place in piece.starts or ()],
        [place - start for piece in pieces for place in piece.ends or ()],
    )  # fmt: skip


def tokens_of(
    sentence: Sentence, start: int | None, end: int | None
) -> tuple[int | None, int | None]:
    """Return the first token that overlaps [start, end), and how many do; None where none does."""
    if start is None or end is None:
        return None, None
    places = [
        at
        for at, (begins, ends) in enumerate(
            zip(sentence.starts or (), sentence.ends or (), strict=True)
        )
        if begins < end and ends > start
    ]
    return (places[0], len(places)) if places else (None, None)
