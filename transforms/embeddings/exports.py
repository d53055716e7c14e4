"""Published vectors for other tools: as trained, or mapped into the common space of a pair."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.common.blas import one_thread
from transforms.common.errors import UsageError, nearest
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store.tables import read_rows
from transforms.embeddings.alignment import apply
from transforms.embeddings.published import load_side, load_space

__all__ = ["ExportedVectors", "aligned_sides", "as_aligned", "as_trained"]


class ExportedVectors(NamedTuple):
    """Words, sorted, with their uses and vectors (rows): float32 as trained, float64 as aligned."""

    words: list[str]
    counts: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.floating]


def as_trained(snapshot: Snapshot, slice_name: str, seed: int) -> ExportedVectors:
    """Return the vectors of a slice as trained.

    Raises:
        LexbeamError: there are none of this slice and seed.
    """
    space = load_space(snapshot.paths("vectors"), slice_name, seed)
    return ExportedVectors(space.words, space.counts, space.vectors)


def aligned_sides(snapshot: Snapshot, alignment: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of table `alignments` of an alignment: a pair, a seed and a side each.

    Raises:
        UsageError: nothing was aligned by it.
    """
    known = snapshot.section("change")["alignments"]
    if alignment not in known:
        hint = nearest(alignment, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no alignment {alignment!r} at {snapshot.out!r}{hint}")
    for table in read_rows(snapshot.paths("alignments")):
        yield from (row for row in table.to_pylist() if row["alignment"] == alignment)


def as_aligned(snapshot: Snapshot, row: dict[str, Any]) -> ExportedVectors | None:
    """Return the vectors of the side that a row of table `alignments` is about, as it maps them.

    None where no map could be fitted, for want of shared words.
    """
    if row["residual"] is None:
        return None
    words, counts, vectors = as_trained(snapshot, row[f"slice_{row['side']}"], row["seed"])
    with one_thread():
        return ExportedVectors(words, counts, apply(load_side(row), vectors))
