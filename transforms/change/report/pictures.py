"""Panels about single words: their neighbours in each slice, and their way through the slices."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.transforms.change.report.rankings import Compared, flagged_of, named_flagged, pictured
from lexbeam.transforms.change.report.trajectories import Link, common_space, directions, project
from lexbeam.transforms.change.shown.rankings import neighbours_by_slice
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.embeddings.neighbours import Neighbour
from lexbeam.transforms.embeddings.published import AlignmentRow, load_side, load_space
from lexbeam.transforms.embeddings.spaces import Side
from lexbeam.transforms.report.charts import paths
from lexbeam.transforms.report.panels import Chart, Choice, Panel

NEIGHBOURS = 10  # of a word in a slice
WITH_NEIGHBOURS = 60  # words
LANDMARKS = 5  # neighbours of a slice in a picture, and fewer of many slices
ALL_LANDMARKS = 20

# Alignments that turn the later space onto the earlier one, so that one can follow another.
TURNS = ("op", "op-")

Near = Mapping[tuple[str, str], Sequence[Neighbour]]


class _Spot(NamedTuple):
    """A point of a picture: what it is called, of which slice, and its place on the word's way."""

    name: str
    slice: str
    order: int
    vector: npt.NDArray[np.float64]


def picture_panels(snapshot: Snapshot, rankings: Sequence[Compared]) -> list[Panel]:
    """Return the neighbours of words in each slice, and pictures of their ways.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    words = pictured(rankings, WITH_NEIGHBOURS)
    slices = [row[0] for row in snapshot.section("change")["slices"]]
    if not words:
        return []
    near = neighbours_by_slice(snapshot, dict.fromkeys(slices, words), NEIGHBOURS)
    return [*_trajectories(snapshot, rankings, slices, near), *_neighbours(snapshot, words, slices, near)]


def _neighbours(snapshot: Snapshot, words: Sequence[str], slices: Sequence[str], near: Near) -> list[Panel]:
    rows = [
        (word, name, rank, neighbour.word, neighbour.cosine)
        for word in words
        for name in slices
        for rank, neighbour in enumerate(near.get((name, word), ()), 1)
    ]
    if not rows:
        return []
    seeds = len(snapshot.section("change")["seeds"])
    schema = pa.schema(
        [
            column("word", pa.string(), "a target, or a word whose usage differs most"),
            column("slice", pa.string(), "slice whose space is searched"),
            column("rank", pa.int32(), "nearest is 1"),
            column("neighbour", pa.string(), "a near word of enough uses"),
            column("cosine", pa.float64(), "cosine similarity, mean over seeds"),
        ]
    )
    least = snapshot.section("change")["options"]["neighbour-min-count"]
    text = (
        "The nearest words of a chosen word in each slice, by "
        + (f"mean cosine over {seeds} seeds" if seeds > 1 else "cosine")
        + f"; of words with at least {least} uses in the slice."
    )
    table = pa.table([list(values) for values in zip(*rows, strict=True)], schema=schema)
    return [Choice("Neighbours in each slice", text, table, "word", "slice", listed=True)]


def _trajectories(snapshot: Snapshot, rankings: Sequence[Compared], slices: Sequence[str], near: Near) -> list[Panel]:
    words = pictured(rankings)
    seed = snapshot.section("change")["seeds"][0]
    name, links = _links(snapshot, seed)
    sides = common_space(slices, links) if links else {}
    if len(sides) < 2:
        return []
    each = max(1, min(LANDMARKS, ALL_LANDMARKS // len(sides)))
    spots = _spots(snapshot, words, sides, near, each)
    rows = []
    for word in words:
        word_spots = spots[word]
        if sum(spot.order > 0 for spot in word_spots) < 2:
            continue
        projection = project(np.array([spot.vector for spot in word_spots]))
        percent = 100 * sum(projection.shares)
        reach = float(np.abs(projection.places).max()) or 1.0
        rows += [
            (word, spot.slice, spot.name, spot.order, x, y, percent)
            for spot, (x, y) in zip(word_spots, (projection.places / reach).tolist(), strict=True)
        ]
    if not rows:
        return []
    schema = pa.schema(
        [
            column("word", pa.string(), "the word whose way is drawn"),
            column("slice", pa.string(), "slice whose vector it is"),
            column("name", pa.string(), "the slice at the word itself, or a neighbour"),
            column("order", pa.int32(), "place of the slice in time; 0 for neighbours"),
            column("x", pa.float64(), "along the first principal component; 1 is as far as the word's picture goes"),
            column("y", pa.float64(), "along the second one, in the same unit"),
            column("variance shown", pa.float64(), "share of the points' variance in the plane", unit="%"),
        ]
    )
    table = pa.table([list(values) for values in zip(*rows, strict=True)], schema=schema)
    percents = pc.unique(table["variance shown"]).to_pylist()
    span = f"{min(percents):.0f} to {max(percents):.0f} %" if len(percents) > 1 else f"{percents[0]:.0f} %"
    text = (
        f"A chosen word in each slice, in the order of time, among its {each} nearest neighbours "
        f"there, by their vectors of that slice (seed {seed}). All slices are turned onto the "
        f"first one by {name}, vectors have unit length, and the plane is that of the first two "
        f"principal components of these points, which shows {span} of their variance (a word's "
        "own share is among the numbers). Distances in the plane are not the scores."
    ) + named_flagged(flagged_of(rankings), table["word"].to_pylist())
    spec = paths("x", "y", name="name", stage="slice", order="order", values=list(sides))
    return [Chart("Ways of words through the slices", text, spec, table, key="word")]


def _links(snapshot: Snapshot, seed: int) -> tuple[str, list[Link]]:
    """Return the alignments of a seed by the first method that turns, in the order of time."""
    rows = snapshot.read("alignments").to_pylist() if "alignments" in snapshot.tables else []
    sides: dict[tuple[str, str, str, str], AlignmentRow] = {
        (row["alignment"], row["slice_from"], row["slice_to"], row["side"]): row for row in rows if row["seed"] == seed
    }
    section = snapshot.section("change")
    names = [row[0] for row in section["slices"]]
    pairs = [(names[earlier], names[later]) for earlier, later in section["pairs"]]
    for method in TURNS:
        links = [
            Link(*pair, *(load_side(sides[method, *pair, side]) for side in ("from", "to")))
            for pair in pairs
            if (method, *pair, "to") in sides and sides[method, *pair, "to"]["matrix"] is not None
        ]
        if links:
            return method, links
    return "", []


def _spots(
    snapshot: Snapshot, words: Sequence[str], sides: Mapping[str, Side], near: Near, each: int
) -> dict[str, list[_Spot]]:
    """Return the points of each word's picture, slice by slice; a space is held at a time."""
    spots: dict[str, list[_Spot]] = {word: [] for word in words}
    paths_of_table = snapshot.paths("vectors")
    seed = snapshot.section("change")["seeds"][0]
    for order, (name, side) in enumerate(sides.items(), 1):
        space = load_space(paths_of_table, name, seed)
        wanted = {word: [neighbour.word for neighbour in near.get((name, word), ())] for word in words}
        needed = {name for word, neighbours in wanted.items() for name in (word, *neighbours)}
        rows = {word: row for row, word in enumerate(space.words) if word in needed}
        vectors = directions(side, space.vectors[list(rows.values())])
        by_word = {word: vector for word, vector in zip(rows, vectors, strict=True) if vector.any()}
        for word, neighbours in wanted.items():
            if word in by_word:
                spots[word].append(_Spot(name, name, order, by_word[word]))
                spots[word] += _landmarks(neighbours, by_word, name, each)
    return spots


def _landmarks(
    near: Sequence[str], by_word: Mapping[str, npt.NDArray[np.float64]], name: str, each: int
) -> Iterator[_Spot]:
    there = [word for word in near if word in by_word][:each]
    return (_Spot(word, name, 0, by_word[word]) for word in there)
