"""Recompute the change scores of a run from its published vectors and maps, with numpy alone.

    python examples/check_scores.py out/results --alignment op

prints how many scores were compared and the largest difference. It is the whole definition of a score
on a page: read it as documentation of the tables `vectors`, `alignments` and `scores`.
"""

import argparse
import functools
import operator
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq


def aligned(vectors: np.ndarray, row: dict) -> np.ndarray:
    """Return vectors (rows) as one side of an alignment maps them."""
    mapped = vectors.astype(float)
    if row["unit_length"]:
        mapped /= np.linalg.norm(mapped, axis=1, keepdims=True)
    if row["mean"] is not None:
        mapped -= np.array(row["mean"])
    if row["unit_centred"]:
        mapped /= np.linalg.norm(mapped, axis=1, keepdims=True)
    if row["matrix"] is not None:
        mapped = mapped @ np.reshape(row["matrix"], (mapped.shape[1], -1))
    return mapped


def main() -> None:
    """Compare all scores of single seeds with their recomputation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--alignment", default="op")
    options = parser.parse_args()
    now = (options.folder / "current").resolve()  # one state of all tables
    vectors = pq.read_table(now / "vectors")
    maps = pq.read_table(now / "alignments").to_pylist()
    scores = pq.read_table(now / "scores")
    scores = scores.filter(
        (pc.field("alignment") == options.alignment)
        & (pc.field("measure") == "cosine")
        & pc.field("seed").is_valid()
        & pc.field("score").is_valid()
    ).to_pylist()
    spaces = {}
    for row in maps:
        if row["alignment"] != options.alignment:
            continue
        slice_name = row[f"slice_{row['side']}"]
        wanted = {"slice": slice_name, "seed": row["seed"], "variant": row["variant"]}
        space = vectors.filter(functools.reduce(operator.and_, (pc.field(name) == wanted[name] for name in wanted)))
        matrix = np.array(space["vector"].to_pylist())
        key = (row["slice_from"], row["slice_to"], row["seed"], row["side"])
        spaces[key] = dict(zip(space["word"].to_pylist(), aligned(matrix, row), strict=True))
    largest = 0.0
    for row in scores:
        pair = (row["slice_from"], row["slice_to"], row["seed"])
        a, b = spaces[*pair, "from"][row["word"]], spaces[*pair, "to"][row["word"]]
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        largest = max(largest, abs(row["score"] - (1 - cosine)))
    print(f"{len(scores)} scores compared, largest difference {largest:.1e}")


if __name__ == "__main__":
    main()
