"""Embeddings and alignments read back from their published tables, also for other tools."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.schemas.change.spaces import NO_MAP
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.spaces import Side, Space, apply, is_sparse

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class SideRow(TypedDict):
    """The columns of table `alignments` that hold one side."""

    unit_length: bool
    mean: list[float] | None
    unit_centred: bool
    matrix: list[float] | None
    contexts: list[int] | None


class AlignmentRow(SideRow):
    """A row of table `alignments`: a side of a pair of slices under a seed."""

    slice_from: str
    slice_to: str
    seed: int
    alignment: str
    variant: str
    side: str
    fit_words: int
    residual: float | None
    reason: str | None


def load_space(paths: Sequence[str], slice_name: str, seed: int, tokens: int = 0, *, variant: str = APART) -> Space:
    """Return one slice's embedding from the parts of table `vectors`.

    Args:
        paths: the table's parts, or the one part that holds the slice and seed.
        tokens: all tokens of the slice, which table `slices` knows.
        variant: which of the spaces of the slice and seed.

    Raises:
        LexbeamError: no row for this slice, seed and variant.
    """
    groups: list[pa.Table] = []
    for path in paths:
        with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
            for group in range(reader.num_row_groups):
                if _holds(reader, group, slice_name, seed, variant):
                    names = [name for name in ("vector", "contexts", "weights") if name in reader.schema_arrow.names]
                    groups.append(reader.read_row_group(group, ["word", "count", *names]))
    if not groups:
        which = "" if variant == APART else f" and variant {variant!r}"
        raise LexbeamError(f"no vectors of slice {slice_name!r} with seed {seed}{which} in the table")
    table = pa.concat_tables(groups)
    vectors = _dense(table["vector"]) if "vector" in table.column_names else _sparse(table)
    return Space(table["word"].to_pylist(), table["count"].to_numpy(), vectors, tokens)


def _dense(column: pa.ChunkedArray) -> npt.NDArray[np.float32]:
    vectors = column.combine_chunks()
    return np.asarray(vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, vectors.type.list_size))


def _sparse(table: pa.Table) -> "csr_array":
    """Return vectors whose dimensions are the words; chunks are not joined before, for an offset has 32 bits."""
    from scipy.sparse import csr_array

    sizes = [chunk.value_lengths().to_numpy(zero_copy_only=False) for chunk in table["contexts"].chunks]
    starts = np.append(0, np.cumsum(np.concatenate(sizes), dtype=np.int64))
    numbers, weights = (
        np.concatenate([chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table[name].chunks])
        for name in ("contexts", "weights")
    )
    if len(numbers) < 1 << 31:
        starts = starts.astype(np.int32)
    return csr_array((weights, numbers.astype(starts.dtype), starts), shape=(table.num_rows, table.num_rows))


def _holds(reader: pq.ParquetFile, group: int, slice_name: str, seed: int, variant: str) -> bool:
    """Return whether a row group is of this slice, seed and variant; a group is of one only. Older tables have one."""
    names = [name for name in ("slice", "seed", "variant") if name in reader.schema_arrow.names]
    rows = reader.read_row_group(group, names).slice(0, 1).to_pylist()
    return any({"variant": APART, **row} == {"slice": slice_name, "seed": seed, "variant": variant} for row in rows)


def first_variant(snapshot: Snapshot) -> str:
    """Return which spaces of a run are looked at where it has several: those of its first alignment."""
    return str(snapshot.filled("change").get("variants", [APART])[0])  # older runs have one


def side_row(side: Side, fitted: bool) -> SideRow:
    """Return the columns of table `alignments` that hold one side."""
    return {
        "unit_length": side.unit_length,
        "mean": None if side.mean is None else side.mean.tolist(),
        "unit_centred": side.unit_centred,
        "matrix": side.matrix.ravel().tolist() if fitted and side.matrix is not None else None,
        "contexts": side.contexts.tolist() if fitted and side.contexts is not None else None,
    }


def load_side(row: SideRow) -> Side:
    """Return the side that a row of table `alignments` holds."""
    mean, matrix = row["mean"], row["matrix"]
    flat = None if matrix is None else np.array(matrix)
    contexts = row.get("contexts")  # older tables have none
    return Side(
        unit_length=row["unit_length"],
        mean=None if mean is None else np.array(mean),
        matrix=None if flat is None else flat.reshape(round(len(flat) ** 0.5), -1),
        unit_centred=row.get("unit_centred", False),  # likewise
        contexts=None if contexts is None else np.array(contexts, np.int64),
    )


class ExportedVectors(NamedTuple):
    """Words, sorted, with their uses and vectors (rows): float32 as trained, float64 as aligned."""

    words: list[str]
    counts: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.floating]


def as_trained(snapshot: Snapshot, slice_name: str, seed: int, variant: str | None = None) -> ExportedVectors:
    """Return the vectors of a slice as trained, of a variant; None: the first of the run.

    Raises:
        LexbeamError: the table has none of this slice, seed and variant.
        UsageError: they are sparse.
    """
    variant = variant or first_variant(snapshot)
    space = load_space(snapshot.paths("vectors"), slice_name, seed, variant=variant)
    if is_sparse(space.vectors):
        raise UsageError(
            f"the vectors of slice {slice_name!r} are sparse, each over all {len(space.words):,} words of the slice: "
            "read them from table `vectors`, columns `contexts` and `weights`, or take another `representation`"
        )
    return ExportedVectors(space.words, space.counts, space.vectors)


def aligned_sides(snapshot: Snapshot, alignment: str) -> Iterator[AlignmentRow]:
    """Yield the rows of table `alignments` of an alignment: a pair, a seed and a side each.

    Raises:
        UsageError: the run has no such alignment.
    """
    known = snapshot.filled("change")["alignments"]
    if alignment not in known:
        hint = nearest(alignment, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no alignment {alignment!r} at {snapshot.out!r}{hint}")
    for table in read_rows(snapshot.paths("alignments")):
        yield from (row for row in table.to_pylist() if row["alignment"] == alignment)


def no_map(row: AlignmentRow) -> str:
    """Return why a row of table `alignments` has no map; older tables know one reason."""
    return NO_MAP[row.get("reason") or "too_few_shared"]


def as_aligned(snapshot: Snapshot, row: AlignmentRow) -> ExportedVectors | None:
    """Return the vectors of the side in a row of table `alignments`, mapped as the row says.

    None if no map could be fitted.
    """
    if row["residual"] is None:
        return None
    slice_name = row["slice_from"] if row["side"] == "from" else row["slice_to"]
    words, counts, vectors = as_trained(snapshot, slice_name, row["seed"], row.get("variant", APART))
    with one_thread():
        return ExportedVectors(words, counts, apply(load_side(row), vectors))
