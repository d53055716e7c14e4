"""Published vectors as gensim's KeyedVectors."""

import os
from typing import TYPE_CHECKING, TypeVar

from lexbeam.results import Results, open_results
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from lexbeam.transforms.common.publish.snapshots import Snapshot
    from lexbeam.transforms.embeddings.published import ExportedVectors

T = TypeVar("T")


def vectors(
    results: Results | str | os.PathLike[str],
    *,
    slice: str,
    seed: int | str | None = None,
    aligned: str | None = None,
    pair: tuple[str, str] | None = None,
) -> "KeyedVectors":
    """Return the vectors of a slice, as `lexbeam export` writes them.

    Args:
        results: what is published, or its folder.
        slice: name of the slice.
        seed: seed of the training; by default the first.
        aligned: an alignment; the vectors are then in the common space of a pair of slices, where
            those of both can be compared. By default they are as trained.
        pair: the names of the earlier and the later slice of the pair; needed if `slice` is in
            several pairs.

    Returns:
        Words in alphabetical order, with their numbers of uses as the attribute `count`; float32 as
        trained, float64 as aligned.

    Raises:
        UsageError: there is no such slice, seed, alignment or pair, or several pairs fit.
        LexbeamError: nothing is published, or no map could be fitted.
    """
    snapshot = (results if isinstance(results, Results) else open_results(results)).snapshot
    section = snapshot.filled("change")
    names = [row[0] for row in section["slices"]]
    slice = _known("slice", slice, names)
    number = section["seeds"][0] if seed is None else _known("seed", seed, section["seeds"])
    if aligned is None:
        if pair is not None:
            raise UsageError("`pair` goes with `aligned`: as trained, a slice is by itself")
        from lexbeam.transforms.embeddings.published import as_trained

        return _keyed(as_trained(snapshot, slice, number))
    pairs = [(names[a], names[b]) for a, b in section["pairs"]]
    return _keyed(_aligned(snapshot, aligned, slice, number, _pair(pairs, slice, pair)))


def _known(name: str, value: object, known: list[T]) -> T:
    """Return the known value that reads as `value`: 1 and "1" are the same seed."""
    named = {str(item): item for item in known}
    if str(value) in named:
        return named[str(value)]
    # A number that is near another one is no guess at what was meant.
    hint = nearest(str(value), [text for text in named if not text.isdecimal()])
    raise UsageError(f"no {name} {value!r}{hint or '; there are ' + ', '.join(named)}")


def _pair(pairs: list[tuple[str, str]], slice: str, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the only pair that a slice is in, or the pair that is named."""
    pairs = [known for known in pairs if slice in known]
    listed = ", ".join(map(str, pairs))
    if pair is not None:
        if tuple(pair) not in pairs:
            raise UsageError(f"slice {slice!r} is in no pair {pair!r}; it is in {listed}")
        return pair[0], pair[1]
    if len(pairs) != 1:
        where = f"several pairs: give one of them as `pair`: {listed}" if pairs else "no pair"
        raise UsageError(f"slice {slice!r} is in {where}")
    return pairs[0]


def _aligned(snapshot: "Snapshot", alignment: str, slice: str, seed: int, pair: tuple[str, str]) -> "ExportedVectors":
    from lexbeam.transforms.embeddings.published import aligned_sides, as_aligned, no_map

    for row in aligned_sides(snapshot, alignment):
        if (row["slice_from"], row["slice_to"]) != pair or row["seed"] != seed:
            continue
        if slice != (pair[0] if row["side"] == "from" else pair[1]):
            continue
        made = as_aligned(snapshot, row)
        if made is None:
            raise LexbeamError(
                f"{pair[0]} and {pair[1]}, seed {seed}: {no_map(row)}, nothing was aligned by {alignment}"
            )
        return made
    raise LexbeamError(f"table alignments has no {alignment} of slice {slice!r}, seed {seed}")


def _keyed(made: "ExportedVectors") -> "KeyedVectors":
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(made.vectors.shape[1], dtype=made.vectors.dtype)
    keyed.add_vectors(made.words, made.vectors)
    keyed.expandos["count"] = made.counts.copy()
    return keyed
