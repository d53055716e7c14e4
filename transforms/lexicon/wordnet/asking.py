"""Words and parts of speech as they are asked for, each distinct pair once."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.errors import UsageError
from transforms.lexicon.wordnet.lexnames import PARTS, RELATIONS, UPOS

__all__ = ["ANY", "NONE", "DistinctWords", "Pos", "Words", "asked", "normalised", "relation_codes"]

Words: TypeAlias = "pa.Array | pa.ChunkedArray"

# One part of speech for all words, one for each, or None: any. Letters n, v, a, r (s is a) or
# Universal tags; in an array, null is any, and a tag of a class that WordNet has not is none.
Pos: TypeAlias = "str | pa.Array | pa.ChunkedArray | None"

ANY = len(PARTS)
NONE = ANY + 1

_CODES = {part: code for code, part in enumerate(PARTS)}
_CODES.update({tag: _CODES[part] for tag, part in UPOS.items()})


class DistinctWords(NamedTuple):
    """What is asked.

    Attributes:
        texts: words, `normalised`; distinct but for case.
        codes: for each word its place in `texts`, `len(texts)` for null.
        parts: for each word the place of its part of speech in `PARTS`, `ANY` or `NONE`.
        single: whether it is the same for all.
    """

    texts: pa.Array
    codes: np.ndarray
    parts: np.ndarray
    single: bool

    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return codes and parts of distinct pairs, and for each word its pair."""
        if self.single:
            part = self.parts[0] if len(self.parts) else ANY
            codes = np.arange(len(self.texts) + 1)
            return codes, np.full(len(codes), part), self.codes
        together = self.codes * (NONE + 1) + self.parts
        # Not np.unique, which would sort them: there are few possible numbers.
        there = np.zeros((len(self.texts) + 1) * (NONE + 1), bool)
        there[together] = True
        pairs = np.flatnonzero(there)
        return pairs // (NONE + 1), pairs % (NONE + 1), (np.cumsum(there) - 1)[together]


def normalised(words: Any) -> Any:
    """Return words as lemmas are stored: lower case, `_` for spaces; string or large_string."""
    return pc.replace_substring(pc.utf8_lower(words), " ", "_")


def asked(words: Words, pos: Pos) -> DistinctWords:
    """Return what is asked.

    Raises:
        UsageError: `pos` is no part of speech, or not as long as `words`.
    """
    coded = _coded(words)
    codes = coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)
    codes = codes.astype(np.int64)
    if pos is None or isinstance(pos, str):
        if pos is not None and pos not in _CODES:
            raise UsageError(f"{pos!r} is no part of speech that WordNet has: write one of {', '.join(_CODES)}")
        part = ANY if pos is None else _CODES[pos]
        return DistinctWords(normalised(coded.dictionary), codes, np.full(len(codes), part), True)
    if len(pos) != len(words):
        raise UsageError(f"{len(words)} words and {len(pos)} parts of speech are given")
    tags = _coded(pos)
    known = [_CODES.get(tag, NONE) for tag in tags.dictionary.to_pylist()]
    at = tags.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    return DistinctWords(normalised(coded.dictionary), codes, np.array([*known, ANY], np.int64)[at], False)


def _coded(words: Words) -> pa.DictionaryArray:
    if isinstance(words, pa.ChunkedArray):
        words = words.combine_chunks()
    return words.cast(pa.large_string()).dictionary_encode()


def relation_codes(symbols: str | tuple[str, ...]) -> np.ndarray:
    """Return the codes of pointer symbols.

    Raises:
        UsageError: there is no such symbol.
    """
    known = list(RELATIONS)
    wanted = (symbols,) if isinstance(symbols, str) else symbols
    for symbol in wanted:
        if symbol not in RELATIONS:
            listed = ", ".join(f"{sign!r} ({name})" for sign, name in RELATIONS.items())
            raise UsageError(f"{symbol!r} is no symbol of a relation: write one of {listed}")
    return np.array([known.index(symbol) for symbol in wanted], np.uint8)
