"""Texts cut into pieces by a fast tokenizer, and pieces of its vocabulary for a person.

Tokenizers mark borders of words in one of four ways: a mark before pieces that continue a word
(WordPiece, `##ing`), before those that begin one (`Ġcat`, bytes; `▁cat`, SentencePiece), after
those that end one (`cat</w>`), or not at all.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from lexbeam.transforms.lexicon.encoders.records import Frame, Masked, Piece, Pieces

_BEGINNINGS = ("Ġ", "▁")
_SHARE = 0.02  # of the vocabulary: less is chance


class Marks(NamedTuple):
    """How a vocabulary marks word borders; empty for marks that it does not use."""

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
    """Return a function from the id of a piece, and whether words in its place begin with a mark, to the piece.

    Where words begin without a mark (after an opening bracket, say) nothing distinguishes a word from
    a piece that continues one: no piece is then said to continue a word.

    Args:
        marks: the vocabulary's.
        piece_of: a piece as the vocabulary has it, by id.
        decode: the text of such a piece, if its letters are not always characters.
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


class Cutter:
    """A tokenizer of the library tokenizers, used by one thread at a time."""

    def __init__(self, tokenizer: Any, lock: AbstractContextManager[object]) -> None:
        self.tokenizer = tokenizer
        self.backend = tokenizer.backend_tokenizer
        self._lock = lock
        self.backend.no_truncation()
        self.backend.no_padding()
        self.marks = marks_of(self.backend.model, self.backend.get_vocab())
        special = sorted(set(tokenizer.all_special_tokens), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, special)) or r"(?!)")

    def split(self, texts: Sequence[str]) -> list[Pieces]:
        """Return texts as pieces; what looks like a special piece is text."""
        with self._lock:
            self.backend.encode_special_tokens = True
            encodings = self.backend.encode_batch(list(texts), add_special_tokens=False)
        offsets = (encoding.offsets for encoding in encodings)
        return [
            Pieces(encoding.ids, [start for start, _ in pairs], [end for _, end in pairs])
            for encoding, pairs in zip(encodings, offsets, strict=True)
        ]

    def split_masked(self, texts: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> list[Masked]:
        """Return texts as pieces, each with a mask in place of a span."""
        mask = self.tokenizer.mask_token
        # A text that looks like a special piece loses its first letter.
        lefts = [self._plain(text[:start]) for text, start in zip(texts, starts, strict=True)]
        if self.marks.begins:  # the space before a word is its first piece's
            lefts = [left.rstrip() for left in lefts]
        rights = [self._plain(text[end:]) for text, end in zip(texts, ends, strict=True)]
        whole = [left + mask + right for left, right in zip(lefts, rights, strict=True)]
        with self._lock:
            self.backend.encode_special_tokens = False
            encodings = self.backend.encode_batch(whole, add_special_tokens=False)
        mask_id = self.tokenizer.mask_token_id
        return [Masked(encoding.ids, encoding.ids.index(mask_id)) for encoding in encodings]

    def _plain(self, text: str) -> str:
        return self._special.sub(_without_first, text)


def _without_first(match: re.Match[str]) -> str:
    return " " + match[0][1:]


def frame_of(tokenizer: Any, *, pair: bool) -> Frame:
    """Return the special pieces that the tokenizer puts around one text or two, read off an example."""
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True
    encoding = backend.encode("a", "a") if pair else backend.encode("a")
    segments, ids, types = encoding.sequence_ids, encoding.ids, encoding.type_ids
    last_number = 1 if pair else 0
    first = segments.index(0)
    end = len(segments) - segments[::-1].index(0)
    after = len(segments) - segments[::-1].index(last_number)
    begin = segments.index(last_number) if pair else end
    return Frame(
        before=tuple(ids[:first]),
        between=tuple(ids[end:begin]),
        after=tuple(ids[after:]),
        types=(types[0], types[first], types[min(end, len(types) - 1)], types[begin] if pair else 0, types[-1]),
    )
