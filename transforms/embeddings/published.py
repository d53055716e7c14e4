"""Embeddings and alignments read back from their published tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.embeddings.alignment import Side, Space

__all__ = ["load_side", "load_space", "side_row"]


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
    found: list[pa.Table] = []
    for path in paths:
        with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
            for group in range(reader.num_row_groups):
                if _holds(reader, group, slice_name, seed):
                    found.append(reader.read_row_group(group, ["word", "count", "vector"]))
    if not found:
        raise LexbeamError(f"no vectors of slice {slice_name!r} with seed {seed} in the table")
    table = pa.concat_tables(found).combine_chunks()
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
    return row == [{"slice": slice_name, "seed": seed}]


def side_row(side: Side, fitted: bool) -> dict[str, Any]:
    """Return the columns of table `alignments` that hold one side."""
    return {
        "unit_length": side.unit_length,
        "mean": None if side.mean is None else side.mean.tolist(),
        "matrix": side.matrix.ravel().tolist() if fitted and side.matrix is not None else None,
    }


def load_side(row: Mapping[str, Any]) -> Side:
    """Return the side that a row of table `alignments` holds."""
    mean, matrix = row["mean"], row["matrix"]
    flat = None if matrix is None else np.array(matrix)
    return Side(
        unit_length=row["unit_length"],
        mean=None if mean is None else np.array(mean),
        matrix=None if flat is None else flat.reshape(round(len(flat) ** 0.5), -1),
    )
