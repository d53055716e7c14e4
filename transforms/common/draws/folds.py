"""Folds by content: a group's fold is its hash, and rows that share a key stay together.

A group's fold depends on its key and the seed alone, so rows that are added move no others. Where
rows must not be torn apart over several keys, such as a word and a sentence, they are joined to
components first; a component is called by its least key, whatever the order of rows. A row that is
added may join two components or bring a lesser key, and then a whole component moves.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.draws.by_content import Keys, numbers


class Components(NamedTuple):
    """Rows joined by shared keys.

    Attributes:
        of_row: the component of each row, int64, a place in the others.
        names: `column:key`, of the first column that has one the least key; in sorted order.
        rows: rows in each.
    """

    of_row: npt.NDArray[np.int64]
    names: list[str]
    rows: npt.NDArray[np.int64]


class Oversized(NamedTuple):
    """A component that holds more than its share: its rows, and their share of all."""

    name: str
    rows: int
    share: float


class Folds(NamedTuple):
    """Folds of rows.

    Attributes:
        fold: of each row, int64, 0 to k - 1.
        components: the components that were dealt out whole.
        oversized: those that are too large for folds of about one size, the largest first.
    """

    fold: npt.NDArray[np.int64]
    components: Components
    oversized: list[Oversized]


def fold_of(groups: Keys, k: int, *, seed: int, label: str = "fold") -> npt.NDArray[np.int64]:
    """Return the fold of each group, 0 to k - 1: its hash modulo k.

    Args:
        groups: texts, whole numbers, or hashes of them (`draws.content_hashes`).
        k: how many folds.
        seed: any whole number.
        label: apart from other folds of the same groups.
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}")
    return (numbers(groups, seed=seed, label=label) % np.uint64(k)).astype(np.int64)


def components(columns: Mapping[str, Keys | Sequence[str | int | None]]) -> Components:
    """Return which rows are joined by shared keys, directly or over other rows.

    Args:
        columns: keys by the name of their column, all as long, texts or whole numbers; a null is no
            key and joins nothing.

    Raises:
        ValueError: a row has no key at all, or the columns differ in length.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    encoded = {name: _encoded(keys) for name, keys in columns.items()}
    sizes = {len(codes) for codes, _ in encoded.values()}
    if len(sizes) != 1:
        raise ValueError(f"columns of {sorted(sizes)} rows")
    rows = sizes.pop()
    bare = np.logical_and.reduce([codes < 0 for codes, _ in encoded.values()])
    if bare.any():
        raise ValueError(f"row {int(np.argmax(bare))} has no key in {', '.join(columns)}")
    # A graph of rows and keys; two rows that share a key are two steps apart.
    starts, ends, nodes = [], [], rows
    for codes, keys in encoded.values():
        held = np.flatnonzero(codes >= 0)
        starts.append(held)
        ends.append(codes[held] + nodes)
        nodes += len(keys)
    edges = (np.concatenate(starts), np.concatenate(ends))
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(nodes, nodes))
    number, joined = connected_components(graph, directed=False)
    return _named(encoded, joined[:rows].astype(np.int64), number)


def _encoded(keys: Keys | Sequence[str | int | None]) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return for each row the place of its key among the sorted keys, -1 for none, and these."""
    column = keys if isinstance(keys, pa.Array | pa.ChunkedArray) else pa.array(keys)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_large_string(column.type):
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    column = column.dictionary_encode()
    order = pc.sort_indices(column.dictionary).to_numpy()
    places = np.empty(len(order) + 1, np.int64)
    places[order] = np.arange(len(order))
    places[-1] = -1
    codes = pc.fill_null(column.indices, -1).to_numpy()
    return places[codes], column.dictionary.take(pa.array(order)).to_pylist()


def _named(
    encoded: Mapping[str, tuple[npt.NDArray[np.int64], list[str]]], joined: npt.NDArray[np.int64], count: int
) -> Components:
    """Number components by their names, so that the order of rows does not count."""
    keys: list[tuple[int, int]] = [(len(encoded), 0)] * count
    for number, (codes, _) in reversed(list(enumerate(encoded.values()))):
        held = codes >= 0
        least = np.full(count, len(codes), np.int64)
        np.minimum.at(least, joined[held], codes[held])
        for component in np.unique(joined[held]).tolist():
            keys[component] = (number, int(least[component]))
    order = sorted(range(count), key=keys.__getitem__)
    places = np.empty(count, np.int64)
    places[order] = np.arange(count)
    columns = list(encoded)
    names = [
        f"{columns[number]}:{encoded[columns[number]][1][key]}"
        for number, key in (keys[component] for component in order)
    ]
    of_row = places[joined]
    return Components(of_row, names, np.bincount(of_row, minlength=count))


def connected_folds(
    columns: Mapping[str, Keys | Sequence[str | int | None]],
    k: int,
    *,
    seed: int,
    label: str = "fold",
    most: float | None = None,
) -> Folds:
    """Return folds over which no key is torn apart, of any of the columns.

    Args:
        columns: keys by the name of their column, see `components`.
        k: how many folds.
        seed: any whole number.
        label: apart from other folds of the same rows.
        most: the share of all rows above which a component is reported; else 1 / k.

    Raises:
        ValueError: a row has no key at all, or the columns differ in length.
    """
    joined = components(columns)
    fold = fold_of(joined.names, k, seed=seed, label=label)[joined.of_row]
    shares = joined.rows / max(len(joined.of_row), 1)
    large = np.flatnonzero(shares > (1 / k if most is None else most)).tolist()
    oversized = [
        Oversized(joined.names[place], int(joined.rows[place]), float(shares[place]))
        for place in sorted(large, key=lambda place: (-joined.rows[place], place))
    ]
    return Folds(fold, joined, oversized)
