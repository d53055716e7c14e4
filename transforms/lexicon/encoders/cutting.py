"""Texts cut into pieces by a fast tokenizer of the library tokenizers."""

import re
from collections.abc import Sequence
from typing import Any

from transforms.lexicon.encoders.records import Frame, Masked, Pieces
from transforms.lexicon.encoders.vocabulary import marks_of

__all__ = ["Cutter", "frame_of"]


class Cutter:
    """A tokenizer of the library tokenizers, used by one thread at a time."""

    def __init__(self, tokenizer: Any, lock: Any) -> None:
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
            found = self.backend.encode_batch(list(texts), add_special_tokens=False)
        return [
            Pieces(one.ids, *([end[side] for end in offsets] for side in (0, 1)))
            for one in found
            for offsets in (one.offsets,)
        ]

    def split_masked(self, texts: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> list[Masked]:
        """Return texts as pieces, each with a mask in place of a span."""
        mask = self.tokenizer.mask_token
        # Of what looks like a special piece the first letter is taken away.
        lefts = [self._plain(text[:start]) for text, start in zip(texts, starts, strict=True)]
        if self.marks.begins:  # the space before a word is its first piece's
            lefts = [left.rstrip() for left in lefts]
        rights = [self._plain(text[end:]) for text, end in zip(texts, ends, strict=True)]
        whole = [left + mask + right for left, right in zip(lefts, rights, strict=True)]
        with self._lock:
            self.backend.encode_special_tokens = False
            found = self.backend.encode_batch(whole, add_special_tokens=False)
        return [Masked(one.ids, one.ids.index(self.tokenizer.mask_token_id)) for one in found]

    def _plain(self, text: str) -> str:
        return self._special.sub(_without_first, text)


def _without_first(match: re.Match[str]) -> str:
    return " " + match[0][1:]


def frame_of(tokenizer: Any, *, pair: bool) -> Frame:
    """Return what the tokenizer puts around one text or two, read off an example."""
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True
    found = backend.encode("a", "a") if pair else backend.encode("a")
    segments, ids, types = found.sequence_ids, found.ids, found.type_ids
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
