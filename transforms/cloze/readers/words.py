"""What readers know of words beside texts: static vectors, and glosses of candidates."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.cloze.readers.options import RESERVED, NumberLists
from transforms.lexicon.compiled.keys import MISSING

__all__ = ["glosses_of", "vectors_of"]

_TAGS = "nvar"
_TOKEN = re.compile(r"\w+|[^\w\s]")


def vectors_of(
    vectors: Any, words: pa.Array | pa.ChunkedArray, reserved: int = RESERVED
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return vectors behind `reserved` rows of zeros, float32, and which rows have one."""
    taken, found = vectors.vectors(words)
    none = np.zeros((reserved, vectors.dim), np.float32)
    return np.concatenate([none, taken]), np.concatenate([np.zeros(reserved, bool), found])


def glosses_of(wordnet: Any, words: Sequence[str], lemmas: Sequence[str], most: int) -> NumberLists:
    """Return glosses of words as numbers, and none empty.

    A gloss is made of the definitions of the first sense of each part of speech, in the order of
    nouns, verbs, adjectives and adverbs, each behind a token for its part of speech, in lower case
    (the paper's appendix D). A word without one has itself for a gloss.

    Args:
        wordnet: an opened WordNet, or None.
        words: what glosses are of.
        lemmas: what they are looked up by.
        most: tokens of a gloss, at most.

    Returns:
        Numbers from 1 on, by the order in which tokens come.
    """
    texts: list[list[str]] = [[] for _ in words]
    asked = pa.array(list(lemmas), pa.large_string())
    for tag in _TAGS if wordnet is not None else "":
        senses = wordnet.first_sense(asked, tag)
        told = wordnet.definitions(wordnet.synset_of(senses)).to_pylist()
        for row in np.flatnonzero(senses != MISSING).tolist():
            texts[row] += [f"<{tag}>", *_TOKEN.findall((told[row] or "").lower())]
    numbers: dict[str, int] = {}
    found = []
    for word, text in zip(words, texts, strict=True):
        own = text[:most] or [word.lower()]
        found.append([numbers.setdefault(token, len(numbers) + 1) for token in own])
    bounds = np.concatenate([[0], np.cumsum([len(own) for own in found])]).astype(np.int64)
    return NumberLists(bounds, np.array([n for own in found for n in own], np.int32))
