"""Words and parts of speech that WordNet is queried for, each distinct pair once."""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.lexicon.wordnet.lexnames import PARTS, RELATIONS, UPOS

Words: TypeAlias = "pa.Array | pa.ChunkedArray"
Ints = npt.NDArray[np.int64]

# One part of speech for all words, one for each, or None: any. Letters n, v, a, r (s is a) or
# Universal tags; in an array, null is any, and a tag of a class that WordNet lacks is none.
Pos: TypeAlias = "str | pa.Array | pa.ChunkedArray | None"

ANY = len(PARTS)
NONE = ANY + 1

_CODES = {part: code for code, part in enumerate(PARTS)}
_CODES.update({tag: _CODES[part] for tag, part in UPOS.items()})


class DistinctWords(NamedTuple):
    """Words to look up, each once, and their parts of speech.

    Attributes:
        texts: words, `normalised`; distinct but for case.
        codes: for each word its place in `texts`, `len(texts)` for null.
        parts: for each word the place of its part of speech in `PARTS`, `ANY` or `NONE`.
        single: whether all words have the same part of speech.
    """

    texts: pa.Array
    codes: Ints
    parts: Ints
    single: bool

    def pairs(self) -> tuple[Ints, Ints, Ints]:
        """Return codes and parts of distinct pairs, and for each word its pair."""
        if self.single:
            part = self.parts[0] if len(self.parts) else ANY
            codes = np.arange(len(self.texts) + 1)
            return codes, np.full(len(codes), part), self.codes
        together = self.codes * (NONE + 1) + self.parts
        # Not np.unique, which would sort them: there are few possible numbers.
        present = np.zeros((len(self.texts) + 1) * (NONE + 1), bool)
        present[together] = True
        pairs = np.flatnonzero(present)
        return pairs // (NONE + 1), pairs % (NONE + 1), (np.cumsum(present) - 1)[together]


def normalised(words: pa.Array) -> pa.Array:
    """Return words as lemmas are stored: lower case, straight apostrophes, `_` for spaces; string or large_string."""
    return pc.replace_substring(straight_words(pc.utf8_lower(words)), " ", "_")


def distinct_words(words: Words, pos: Pos) -> DistinctWords:
    """Return words and parts of speech, each distinct word once.

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
        raise UsageError(f"{len(words)} words have {len(pos)} parts of speech: give as many")
    tags = _coded(pos)
    known = [_CODES.get(tag, NONE) for tag in tags.dictionary.to_pylist()]
    at = tags.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    return DistinctWords(normalised(coded.dictionary), codes, np.array([*known, ANY], np.int64)[at], False)


def _coded(words: Words) -> pa.DictionaryArray:
    if isinstance(words, pa.ChunkedArray):
        words = words.combine_chunks()
    return words.cast(pa.large_string()).dictionary_encode()


def relation_codes(symbols: str | tuple[str, ...]) -> npt.NDArray[np.uint8]:
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
