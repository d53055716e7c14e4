"""How alike splits are: sizes, complexities and leaks of every stratum, table complexity/strata.

A stratum is what a split has of a kind and a genre, or of all kinds, or of all genres. Where splits
were made kind by kind, leaks between the kinds show in the strata of all kinds.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schemas.complexity.instances import STRATA
from transforms.common.draws.balancing import Floats, Ints
from transforms.common.draws.splits import Shares, distances
from transforms.complexity.splits.splits import NO_SENTENCE

__all__ = ["PlacedInstances", "shared", "strata"]

Hashes = npt.NDArray[np.uint64]


class PlacedInstances(NamedTuple):
    """Instances with their splits.

    Attributes:
        kind: of each its place in `kinds`.
        genre: of each its place in `genres`.
        token: hash of the case-folded target, uint64.
        sentence: hash of the sentence, uint64; `NO_SENTENCE` where there is none.
        complexity: float64; nan where there is none.
        split: place among the shares; -1 for none.
        kinds: the kinds.
        genres: the genres, None for that of instances without one.
    """

    kind: Ints
    genre: Ints
    token: Hashes
    sentence: Hashes
    complexity: Floats
    split: Ints
    kinds: Sequence[str]
    genres: Sequence[str | None]


def shared(keys: Hashes, split: Ints, splits: int) -> Ints:
    """Return for each split how many of its different keys stand in another split, too."""
    pairs = np.unique(np.stack([keys, split.astype(np.uint64)], axis=1), axis=0)
    first = np.flatnonzero(np.append(True, pairs[1:, 0] != pairs[:-1, 0])[: len(pairs)])
    times = np.repeat(np.diff(np.append(first, len(pairs))), np.diff(np.append(first, len(pairs))))
    return np.bincount(pairs[times > 1, 1].astype(np.int64), minlength=splits)


def strata(placed: PlacedInstances, shares: Shares, method: str) -> pa.Table:
    """Return the rows of `complexity/strata`: every stratum that has an instance in some split."""
    inside = np.flatnonzero(placed.split >= 0)
    rows = [
        row
        for kind, genre, members in _sets(placed, inside)
        for row in _rows(placed, members, shares, {"method": method, "kind": kind, "genre": genre})
    ]
    schema = STRATA.schema()
    wholes = {(row["kind"], row["split"]): row["rows"] for row in rows if row["genre"] == ""}
    totals = {kind: sum(n for (k, _), n in wholes.items() if k == kind) for kind, _ in wholes}
    sums: dict[Any, int] = {}
    for row in rows:
        key = row["kind"], row["genre"]
        sums[key] = sums.get(key, 0) + row["rows"]
    for row in rows:
        split = wholes[row["kind"], row["split"]]
        row["of_split"] = row["rows"] / split if split else None
        row["of_all"] = sums[row["kind"], row["genre"]] / totals[row["kind"]]
    return pa.Table.from_pylist(rows, schema)


def _sets(placed: PlacedInstances, inside: Ints) -> Iterator[tuple[str, str | None, Ints]]:
    """Yield kind, genre and rows: all kinds first (if there are several), then each."""
    kinds = np.unique(placed.kind[inside]).tolist()
    for kind in ([None] if len(kinds) > 1 else []) + kinds:
        members = inside if kind is None else inside[placed.kind[inside] == kind]
        name = "" if kind is None else placed.kinds[kind]
        yield name, "", members
        genres = np.unique(placed.genre[members]).tolist()
        if [placed.genres[genre] for genre in genres] != [None]:
            for genre in genres:
                yield name, placed.genres[genre], members[placed.genre[members] == genre]


def _rows(placed: PlacedInstances, members: Ints, shares: Shares, keys: dict[str, Any]) -> Iterator[dict[str, Any]]:
    many = len(shares.names)
    split, values = placed.split[members], placed.complexity[members]
    apart = distances(values, split, many)
    tokens = shared(placed.token[members], split, many)
    has_sentence = placed.sentence[members] != NO_SENTENCE
    sentences = shared(placed.sentence[members][has_sentence], split[has_sentence], many)
    for place, (name, wanted) in enumerate(zip(shares.names, shares.values, strict=True)):
        held = np.sort(values[split == place])
        others = np.delete(apart[place], place)
        far = None if np.isnan(others).all() else int(np.nanargmax(others))
        yield keys | {
            "split": name,
            "rows": len(held),
            "share": len(held) / len(members),
            "wanted": wanted,
            "mean": float(held.mean()) if len(held) else None,
            "sd": float(held.std(ddof=1)) if len(held) > 1 else None,
            "quantiles": np.quantile(held, np.arange(21) / 20).tolist() if len(held) else None,
            "distance": None if far is None else float(others[far]),
            "farthest": None if far is None else np.delete(shares.names, place)[far],
            "shared_tokens": int(tokens[place]),
            "shared_sentences": int(sentences[place]),
        }
