"""Panels of pictures: neighbours of single words, their way through the slices, distances and points of series.

The way of words through the slices is drawn in a plane of one space for all of them:

>>> import numpy as np
>>> project(np.array([[0.0, 3, 0], [0, 0, 0], [0, 6, 0]])).shares
(1.0, 0.0)

Of series of three or more slices there are distances over time, and change points. A run that has not made these
tables gets no such panels.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import FINDINGS
from lexbeam.schemas.columns import column
from lexbeam.transforms.change.scores.ranking import of_pos
from lexbeam.transforms.change.shown.ranking_rows import shown_pos
from lexbeam.transforms.change.shown.rankings import neighbours_by_slice
from lexbeam.transforms.change.shown.word_panels import Compared, flagged_of, named_flagged, pictured
from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.embeddings.neighbours import Neighbour
from lexbeam.transforms.embeddings.published import AlignmentRow, load_side, load_space
from lexbeam.transforms.embeddings.spaces import Side, apply
from lexbeam.transforms.report.charts import paths, series
from lexbeam.transforms.report.panels import Chart, Choice, Panel, Rows

Matrix = npt.NDArray[np.float64]

_NOTHING = 1e-10  # of the variance: what is left by rounding


class Link(NamedTuple):
    """An alignment of two slices that leaves the earlier space where it is (`op`, `op-`).

    Attributes:
        earlier, later: names of the slices.
        source: what is done to the earlier space; it has no matrix.
        target: what is done to the later space.
    """

    earlier: str
    later: str
    source: Side
    target: Side


def common_space(slices: Sequence[str], links: Sequence[Link]) -> dict[str, Side]:
    """Return what takes each slice's vectors into the space of the first slice.

    A slice that was not aligned with the first one is mapped by way of others, by as few alignments
    as possible, the first ones among equals: later @ W2 @ W1. A slice that cannot be reached is left
    out.

    Args:
        slices: names, in the order of time.
    """
    sides: dict[str, Side] = {}
    first = next((link.source for link in links if link.earlier == slices[0]), None)
    if first is None:
        return sides
    sides[slices[0]] = first
    reached = [slices[0]]
    while reached:
        new = []
        for link in links:
            if link.earlier in reached and link.later not in sides:
                sides[link.later] = _after(link.target, sides[link.earlier].matrix)
                new.append(link.later)
        reached = new
    return sides


def _after(side: Side, matrix: Matrix | None) -> Side:
    if side.matrix is None or matrix is None:
        return side if matrix is None else side._replace(matrix=matrix)
    with one_thread():
        return side._replace(matrix=side.matrix @ matrix)


def directions(side: Side, vectors: npt.NDArray[np.floating]) -> Matrix:
    """Return vectors (rows) in the common space, of unit length; one of length zero stays zero.

    The cosines that scores are made of are theirs.
    """
    mapped = apply(side, vectors)
    length = np.sqrt(dots(mapped, mapped))[:, None]
    return np.asarray(np.divide(mapped, length, out=np.zeros_like(mapped), where=length > 0))


class Projection(NamedTuple):
    """Points in a plane.

    Attributes:
        places: of each point, shape (points, 2).
        shares: of the points' variance along either axis, 0 to 1; 0 where they do not differ.
    """

    places: Matrix
    shares: tuple[float, float]


def project(points: Matrix) -> Projection:
    """Return points (rows) along their first two principal components.

    These are the first two eigenvectors of the covariance of the points, found by way of their
    inner products, of which there are fewer. The loading of a component that is largest by absolute
    value is positive, the first one among equals. A component without variance gives zeros.
    """
    centred = points - points.mean(axis=0)
    with one_thread():
        values, vectors = np.linalg.eigh(centred @ centred.T)
    total = float(np.einsum("ij,ij->", centred, centred))
    places, shares = np.zeros((len(points), 2)), [0.0, 0.0]
    for axis in range(min(2, len(points))):
        value, vector = float(values[-1 - axis]), vectors[:, -1 - axis]
        if value <= _NOTHING * total:
            break
        with one_thread():
            loadings = centred.T @ vector  # times the root of the eigenvalue, which is positive
        sign = -1.0 if loadings[np.argmax(np.abs(loadings))] < 0 else 1.0
        places[:, axis] = sign * np.sqrt(value) * vector
        shares[axis] = value / total
    return Projection(places, (shares[0], shares[1]))


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


# What of the tables is relied on.
SERIES, POINTS = "change/series", "change/points"
WORD, SLICE, PLACE, ALIGNMENT = "word", "slice", "place", "alignment"
DISTANCES = {  # with their names here; each also has a column _NULL_HIGH, but of old runs
    "pair_previous": "to the slice before",
    "pair_first": "to the first slice",
    "pair_last": "to the last slice",
}
NULL_HIGH = "_null_high"
TARGET, RANKED, UPOS = "target", "ranked", "upos"
P_VALUE, Q_VALUE = "p_value", "q_value"
FROM, TO, DISTANCE, FINDING = "point_from", "point_to", "distance", "finding"

FIRST = 12  # words by p-value, beside the targets
MOST = 40
ROWS = 500  # of the table of change points, beside the targets


def series_panels(snapshot: Snapshot, words: Sequence[str] = (), flagged: Sequence[str] = ()) -> list[Panel]:
    """Return lines of distances over the slices, and change points; empty if there is no series.

    Lines are those of targets, of words that are flagged in a pair of slices and of those of least p-value.

    Args:
        snapshot: with a section `change`.
        words: words that get lines beside these if no word has a p-value because there are no null
            series; change points are then left out.
        flagged: words that are flagged in a pair of slices.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    if SERIES not in snapshot.tables or POINTS not in snapshot.tables:
        return []
    points = _points(snapshot)
    if not points.num_rows:
        return []
    tested = points[P_VALUE].null_count < points.num_rows
    targets = points.filter(points[TARGET])[WORD].to_pylist()
    if tested:
        words = points.filter(pc.invert(points[TARGET]))[WORD].to_pylist()[:FIRST]
    chosen = list(dict.fromkeys([*targets, *flagged[:FIRST], *words]))[:MOST]
    lines = _lines(snapshot, chosen, tested, named_flagged(flagged, chosen))
    return [*lines, *([_change_points(points)] if tested else [])]


def _points(snapshot: Snapshot) -> pa.Table:
    """Return targets, and the ranked words that rankings show: by p-value, those without last.

    They are of one alignment, the first one.
    """
    rows = snapshot.read(POINTS)
    rows = rows.filter(pc.equal(rows[ALIGNMENT], rows[ALIGNMENT][0])) if rows.num_rows else rows
    others = of_pos(rows.filter(pc.and_(rows[RANKED], pc.invert(rows[TARGET]))), shown_pos(snapshot))
    rows = pa.concat_tables([rows.filter(rows[TARGET]), others])
    return rows.sort_by([(P_VALUE, "ascending"), (DISTANCE, "descending"), (WORD, "ascending")]).combine_chunks()


def _lines(snapshot: Snapshot, words: Sequence[str], tested: bool, flagged: str) -> list[Panel]:
    chosen = pa.array(words, pa.string())
    groups = []
    for rows in read_rows(snapshot.paths(SERIES)):
        groups.append(rows.filter(pc.is_in(rows[WORD], value_set=chosen)))
    rows = pa.concat_tables(groups)
    if not rows.num_rows:
        return []
    rows = rows.filter(pc.equal(rows[ALIGNMENT], rows[ALIGNMENT][0]))
    order = pc.sort_indices(
        pa.table({"word": pc.index_in(rows[WORD], value_set=chosen), "place": rows[PLACE]}),
        [("word", "ascending"), ("place", "ascending")],
    )
    rows = rows.take(order)
    parts = [_line(rows, name, what) for name, what in DISTANCES.items()]
    table = pa.concat_tables(parts)
    place = pc.index_in(table["word"], value_set=chosen)
    table = table.take(
        pc.sort_indices(
            pa.table({"word": place, "row": pa.array(range(table.num_rows))}),
            [("word", "ascending"), ("row", "ascending")],
        )
    )
    null = table["null to"].null_count < table.num_rows
    if not null:
        table = table.drop_columns(["null to"])
    text = (
        "Cosine distances of a chosen word's vectors, mean over seeds: to the slice before, to the "
        "first and to the last slice, each aligned with the slice alone. Of targets, words flagged in a pair and "
        + ("the words of least p." if tested else "the words whose usage differs most.")
    )
    if null:
        text += (
            " The dashed line is the upper end of what null series give, whose documents are dealt "
            "out anew over all slices: where nothing changed, one word in twenty lies above its own."
        )
    spec = series(
        "slice",
        "distance",
        null="null to" if null else None,
        colour="measured",
        values=list(DISTANCES.values()),
        names=pc.unique(table["slice"]).to_pylist(),
    )
    return [Chart("Words over all slices", text + flagged, spec, table, key="word")]


def _line(rows: pa.Table, name: str, what: str) -> pa.Table:
    high = name + NULL_HIGH
    schema = pa.schema(
        [
            column("word", pa.string(), "a target, or one of the words of least p-value"),
            column("slice", pa.string(), "the slice whose vector it is"),
            column("measured", pa.string(), "which other slice the distance is to"),
            column("distance", pa.float64(), "cosine distance, mean over seeds"),
            column("null to", pa.float64(), "upper end of the one-sided 95 % interval of null series"),
        ]
    )
    return pa.table(
        [
            rows[WORD],
            rows[SLICE],
            pa.array([what] * rows.num_rows, pa.string()),
            rows[name],
            rows[high] if high in rows.column_names else pa.nulls(rows.num_rows, pa.float64()),
        ],
        schema=schema,
    )


def _change_points(points: pa.Table) -> Rows:
    targets = points.filter(points[TARGET])
    others = points.filter(pc.invert(points[TARGET]))
    shown = pa.concat_tables([targets, others[:ROWS]])
    fields = [
        (column("word", pa.string(), "word that has a vector in every slice"), shown[WORD]),
        (column("target", pa.bool_(), "whether it stands in the targets file"), shown[TARGET]),
        (column("last before", pa.string(), "last slice before the change point"), shown[FROM]),
        (column("first after", pa.string(), "first slice after the change point"), shown[TO]),
        (column("distance", pa.float64(), "cosine distance of the mean vectors before and after"), shown[DISTANCE]),
        (
            column("p", pa.float64(), "probability of such a change point if usage did not differ"),
            pc.if_else(pc.is_null(shown[FINDING]), shown[P_VALUE], None),
        ),
        (
            column("q usage differs", pa.float64(), "share of false discoveries among words with a q as small"),
            shown[Q_VALUE],
        ),
    ]
    table = pa.table([value for _, value in fields], schema=pa.schema([field for field, _ in fields]))
    known = [name for name in table.column_names if table[name].null_count < table.num_rows]
    text = (
        "A row is a word with the cut between slices at which its usage differs most from what "
        "null series give; targets first, then the words that rankings show, by p."
    )
    reasons = pc.unique(points[FINDING]).drop_null().to_pylist()
    if reasons:
        text += f" No finding is possible at this size: {FINDINGS.get(reasons[0], reasons[0])}."
    if others.num_rows > ROWS:
        text += f" {others.num_rows - ROWS:,} words are left out; {POINTS} has them."
    return Rows("Change points", text, table.select(known))
