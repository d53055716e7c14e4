"""How typical a use of a word is of all its uses in a slice, from the published vectors.

The context of a use is what stands within `WINDOW` words of it in its sentence. Its vector is the
mean of these words' unit vectors, each weighted by a / (a + p), with p the word's relative
frequency in the slice and a = 1e-3 (Arora, Liang and Ma 2017): function words count little. The
centroid is the mean of the contexts' unit vectors, over all uses or a sample; the greater the cosine
of its context and the centroid, the more typical is a use.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.embeddings.rows import is_sparse
from lexbeam.transforms.embeddings.spaces import Side, Space, apply

WINDOW = 10  # words before and after
FREQUENT = 1e-3

Vector = npt.NDArray[np.float64]


def weighted(space: Space, words: Sequence[str]) -> dict[str, Vector]:
    """Return the weighted unit vectors of the words that a slice's space has; none of a sparse space."""
    if is_sparse(space.vectors):
        return {}
    wanted = set(words)
    rows = [row for row, word in enumerate(space.words) if word in wanted]
    vectors = apply(Side(unit_length=True), space.vectors[rows])
    share = space.counts[rows] / max(space.tokens, 1)
    scaled = vectors * (FREQUENT / (FREQUENT + share))[:, None]
    return {space.words[row]: vector for row, vector in zip(rows, scaled, strict=True)}


def typicality(contexts: Sequence[Sequence[str]], vectors: Mapping[str, Vector]) -> list[float | None]:
    """Return how typical uses are, -1 to 1, by the words around them.

    None if no word around a use has a vector, or if the contexts cancel each other out.
    """
    means = [
        np.mean([vectors[word] for word in words if word in vectors], axis=0)
        if any(word in vectors for word in words)
        else None
        for words in contexts
    ]
    units = [None if mean is None else _unit(mean) for mean in means]
    known = [unit for unit in units if unit is not None]
    centroid = _unit(np.mean(known, axis=0)) if known else None
    if centroid is None:
        return [None] * len(units)
    return [None if unit is None else float(unit @ centroid) for unit in units]


def _unit(vector: Vector) -> Vector | None:
    length = float(np.sqrt((vector * vector).sum()))
    return vector / length if length else None
