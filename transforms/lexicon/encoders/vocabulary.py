"""Pieces for a person: their texts, and whether they are words by themselves.

Tokenizers mark borders of words in one of four ways: a mark before pieces that continue a word
(WordPiece, `##ing`), before those that begin one (`Ġcat`, bytes; `▁cat`, SentencePiece), after
those that end one (`cat</w>`), or not at all.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from transforms.lexicon.encoders.records import Piece

__all__ = ["Marks", "marks_of", "piece_reader"]

_BEGINNINGS = ("Ġ", "▁")
_SHARE = 0.02  # of the vocabulary: less is chance


class Marks(NamedTuple):
    """How a vocabulary marks borders of words; empty where it does not use a mark."""

    continues: str = ""
    begins: str = ""
    ends: str = ""


def marks_of(model: Any, vocabulary: Mapping[str, int]) -> Marks:
    """Return the marks of a model of the library tokenizers and its vocabulary."""
    kind = type(model).__name__
    if kind == "WordPiece":
        return Marks(continues=model.continuing_subword_prefix)
    if kind == "BPE" and model.end_of_word_suffix:
        return Marks(ends=model.end_of_word_suffix)
    counts = {mark: sum(map(_begins(mark), vocabulary)) for mark in _BEGINNINGS}
    mark = max(_BEGINNINGS, key=counts.__getitem__)
    return Marks(begins=mark if counts[mark] > _SHARE * len(vocabulary) else "")


def _begins(mark: str) -> Callable[[str], bool]:
    def begins(piece: str) -> bool:
        return piece.startswith(mark)

    return begins


def piece_reader(
    marks: Marks, piece_of: Callable[[int], str], decode: Callable[[str], str]
) -> Callable[[int, bool], Piece]:
    """Return what tells of a piece, by id, and whether words in its place begin with a mark.

    Where they begin without one (after an opening bracket, say) nothing tells a word from a
    piece that continues one: then none is said to.

    Args:
        marks: the vocabulary's.
        piece_of: a piece as the vocabulary has it, by id.
        decode: the text of such a piece, where a letter is not always a character.
    """

    @functools.cache
    def read(piece: int, marked: bool) -> Piece:
        raw = piece_of(piece)
        if marks.continues and raw.startswith(marks.continues):
            return Piece(raw.removeprefix(marks.continues), True)
        if marks.ends:
            return Piece(raw.removesuffix(marks.ends), not raw.endswith(marks.ends))
        if marks.begins:
            continues = marked and not raw.startswith(marks.begins)
            return Piece(decode(raw).strip(), continues)
        return Piece(raw, False)

    return read
