"""Embeddings and alignments read back from their published tables, also for other tools."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from transforms.common.blas import one_thread
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store import files
from transforms.common.store.tables import read_rows
from transforms.embeddings.spaces import Side, Space, apply

__all__ = [
    "AlignmentRow",
    "ExportedVectors",
    "SideRow",
    "aligned_sides",
    "as_aligned",
    "as_trained",
    "load_side",
    "load_space",
    "side_row",
]


class SideRow(TypedDict):
    """The columns of table `alignments` that hold one side."""

    unit_length: bool
    mean: list[float] | None
    unit_centred: bool
    matrix: list[float] | None


class AlignmentRow(SideRow):
    """A row of table `alignments`: a side of a pair of slices under a seed."""

    slice_from: str
    slice_to: str
    seed: int
    alignment: str
    side: str
    fit_words: int
    residual: float | None
    reason: str | None


def load_space(paths: Sequence[str], slice_name: str, seed: int, tokens: int = 0) -> Space:
    """Return one slice's embedding from the parts of table `vectors`.

    Args:
        paths: the table's parts, or the one part that holds the slice and seed.
        slice_name: name of the slice.
        seed: training seed.
        tokens: all tokens of the slice, which table `slices` knows.

    Raises:
        LexbeamError: no row for this slice and seed.
    """
    groups: list[pa.Table] = []
    for path in paths:
        with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
            for group in range(reader.num_row_groups):
                if _holds(reader, group, slice_name, seed):
                    groups.append(reader.read_row_group(group, ["word", "count", "vector"]))
    if not groups:
        raise LexbeamError(f"no vectors of slice {slice_name!r} with seed {seed} in the table")
    table = pa.concat_tables(groups).combine_chunks()
    vectors = table["vector"].combine_chunks()
    dim = vectors.type.list_size
    return Space(
        table["word"].to_pylist(),
        table["count"].to_numpy(),
        vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, dim),
        tokens,
    )


def _holds(reader: pq.ParquetFile, group: int, slice_name: str, seed: int) -> bool:
    """Return whether a row group is of this slice and seed; a group is of one only."""
    row = reader.read_row_group(group, ["slice", "seed"]).slice(0, 1).to_pylist()
    return bool(row == [{"slice": slice_name, "seed": seed}])


def side_row(side: Side, fitted: bool) -> SideRow:
    """Return the columns of table `alignments` that hold one side."""
    return {
        "unit_length": side.unit_length,
        "mean": None if side.mean is None else side.mean.tolist(),
        "unit_centred": side.unit_centred,
        "matrix": side.matrix.ravel().tolist() if fitted and side.matrix is not None else None,
    }


def load_side(row: SideRow) -> Side:
    """Return the side that a row of table `alignments` holds."""
    mean, matrix = row["mean"], row["matrix"]
    flat = None if matrix is None else np.array(matrix)
    return Side(
        unit_length=row["unit_length"],
        mean=None if mean is None else np.array(mean),
        matrix=None if flat is None else flat.reshape(round(len(flat) ** 0.5), -1),
        unit_centred=row.get("unit_centred", False),  # older tables have none
    )


class ExportedVectors(NamedTuple):
    """Words, sorted, with their uses and vectors (rows): float32 as trained, float64 as aligned."""

    words: list[str]
    counts: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.floating]


def as_trained(snapshot: Snapshot, slice_name: str, seed: int) -> ExportedVectors:
    """Return the vectors of a slice as trained.

    Raises:
        LexbeamError: the table has none of this slice and seed.
    """
    space = load_space(snapshot.paths("vectors"), slice_name, seed)
    return ExportedVectors(space.words, space.counts, space.vectors)


def aligned_sides(snapshot: Snapshot, alignment: str) -> Iterator[AlignmentRow]:
    """Yield the rows of table `alignments` of an alignment: a pair, a seed and a side each.

    Raises:
        UsageError: the run has no such alignment.
    """
    known = snapshot.section("change")["alignments"]
    if alignment not in known:
        hint = nearest(alignment, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no alignment {alignment!r} at {snapshot.out!r}{hint}")
    for table in read_rows(snapshot.paths("alignments")):
        yield from (row for row in table.to_pylist() if row["alignment"] == alignment)


def as_aligned(snapshot: Snapshot, row: AlignmentRow) -> ExportedVectors | None:
    """Return the vectors of the side in a row of table `alignments`, mapped as the row says.

    None if no map could be fitted.
    """
    if row["residual"] is None:
        return None
    slice_name = row["slice_from"] if row["side"] == "from" else row["slice_to"]
    words, counts, vectors = as_trained(snapshot, slice_name, row["seed"])
    with one_thread():
        return ExportedVectors(words, counts, apply(load_side(row), vectors))
