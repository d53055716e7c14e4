"""Targets found in annotated sentences by patterns, whole columns at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schemas.corpus.sentences import UPOS
from transforms.complexity.select.patterns import Pattern, Step

__all__ = ["Matches", "match"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Matches(NamedTuple):
    """Targets, sorted by row, position, kind.

    Attributes:
        row: which of the sentences, int64.
        position: place of the first token in the sentence, int64.
        token: its place among all tokens of all sentences, int64.
        tokens: how many tokens it has, int64.
        kind: its place among the kinds of the patterns, sorted, int64.
        kinds: those kinds.
    """

    row: Ints
    position: Ints
    token: Ints
    tokens: Ints
    kind: Ints
    kinds: tuple[str, ...]


def match(
    upos: pa.ListArray,
    xpos: pa.ListArray | None,
    patterns: Sequence[Pattern],
    *,
    proper: bool = False,
    plural: bool = True,
) -> Matches:
    """Return all targets of some sentences.

    Of the targets of one kind that begin at one token the longest counts. A token without a part
    of speech is in no target, and what stands before it passes no look-ahead.

    Args:
        upos: universal parts of speech of each sentence; a null has no targets.
        xpos: fine tags, parallel; a null, of a sentence or of a token, decides nothing.
        patterns: what to look for.
        proper: whether proper nouns count as nouns.
        plural: whether plural nouns do.

    Raises:
        ValueError: the lists of a sentence differ in length.
    """
    lengths, tags = _flat(upos)
    codes = pc.fill_null(pc.index_in(tags, value_set=pa.array(UPOS)), -1).to_numpy()
    fine = None
    if xpos is not None:
        fine = _fine(xpos, lengths)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    rows = np.repeat(np.arange(len(lengths)), lengths)
    left = ends[rows] - np.arange(len(codes))  # tokens from here to the end of the sentence
    kinds = tuple(sorted({pattern.kind for pattern in patterns}))
    best = np.zeros((len(codes), len(kinds)), np.int64)
    for pattern in patterns:
        n = len(pattern.steps)
        here = left >= n
        for place, step in enumerate(pattern.steps):
            here &= _shifted(_allowed(step, codes, fine, proper, plural), place)
        if pattern.not_before:
            after = (codes >= 0) & ~_coded(pattern.not_before)[codes]
            here &= (left == n) | _shifted(after, n)
        column = best[:, kinds.index(pattern.kind)]
        np.maximum(column, n * here, out=column)
    token, kind = np.nonzero(best)
    return Matches(rows[token], token - begins[rows[token]], token, best[token, kind], kind, kinds)


def _flat(lists: pa.ListArray) -> tuple[Ints, pa.Array]:
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return lengths, lists.flatten()


def _fine(xpos: pa.ListArray, lengths: Ints) -> pa.DictionaryArray:
    """Return the fine tag of each token, null where there is none."""
    sizes, values = _flat(xpos)
    there = pc.is_valid(xpos).to_numpy(zero_copy_only=False)
    if (sizes != lengths)[there & (lengths > 0)].any():
        raise ValueError("xpos and upos of a sentence differ in length")
    tagged = np.repeat(there & (lengths > 0), lengths)
    # Sentences without upos have no tokens here, and so no fine tags either.
    tags = values.filter(pa.array(np.repeat(lengths > 0, sizes)))
    places = np.cumsum(tagged) - 1
    return tags.take(pa.array(places, mask=~tagged)).dictionary_encode()


def _coded(tags: Sequence[str]) -> Bools:
    """Return whether each code is of one of the tags; the last entry is for no tag."""
    return np.array([tag in tags for tag in UPOS] + [False])


def _allowed(step: Step, codes: Ints, fine: pa.DictionaryArray | None, proper: bool, plural: bool) -> Bools:
    more = proper and step.proper
    allowed: Bools = _coded((*step.upos, "PROPN") if more else step.upos)[codes]
    if fine is None or not step.fine:
        return allowed
    tags = {*step.fine, *(step.proper_fine if more else ())} - (set() if plural else set(step.plural))
    right = np.array([tag in tags for tag in fine.dictionary.to_pylist()] + [True])
    return allowed & right[pc.fill_null(fine.indices, -1).to_numpy()]


def _shifted(values: Bools, by: int) -> Bools:
    """Return for each token what is so of the one `by` after it; false beyond the last."""
    shifted = np.zeros(len(values), bool)
    shifted[: max(len(values) - by, 0)] = values[by:]
    return shifted
