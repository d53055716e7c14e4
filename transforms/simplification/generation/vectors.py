"""Generator `vectors`: the nearest words of the target by static vectors.

Vectors of forms are asked for the target as it stands, else for its lemma, and what they give stays
as it is; vectors of lemmas are asked for the lemma, and give lemmas, which are inflected.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from transforms.lexicon.compiled.keys import MISSING
from transforms.simplification.generation.generator import VECTORS, Context, Source
from transforms.simplification.records import Instance, Proposal

__all__ = ["propose_vectors"]


def propose_vectors(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the nearest words of targets with their cosines: one source."""
    own = context.options
    found: list[list[Proposal]] = [[] for _ in instances]
    languages = pa.array([one.language for one in instances], pa.string())
    for rows, vectors in context.lexicon.by_language(VECTORS.name, languages):
        if vectors is None:
            continue
        some = [instances[row] for row in rows.tolist()]
        words = _asked(some, vectors, own.neighbours_of)
        near = _nearest(vectors, words, own.neighbours)
        for row, word in zip(rows.tolist(), words, strict=True):
            found[row] = [Proposal(text, cosine, own.neighbours_of == "lemma") for text, cosine in near.get(word, ())]
    return [found]


def _asked(instances: Sequence[Instance], vectors: Any, of: str) -> list[str]:
    lemmas = [one.lemma or one.target.lower() for one in instances]
    if of == "lemma":
        return lemmas
    forms = [one.target for one in instances]
    known = vectors.rows(pa.array(forms, pa.string())) != MISSING
    return [form if there else lemma for form, lemma, there in zip(forms, lemmas, known.tolist(), strict=True)]


def _nearest(vectors: Any, words: Sequence[str], k: int) -> dict[str, list[tuple[str, float]]]:
    near = vectors.nearest(pc.unique(pa.array(words, pa.string())), k)
    found: dict[str, list[tuple[str, float]]] = {}
    for word, neighbour, cosine in zip(
        *(near[name].to_pylist() for name in ("word", "neighbour", "cosine")), strict=True
    ):
        found.setdefault(word, []).append((neighbour, cosine))
    return found
