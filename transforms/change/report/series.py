"""Panels about series of three or more slices: distances over time, and change points.

A run that has not made these tables gets no such panels.
"""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import FINDINGS
from lexbeam.schemas.columns import column
from lexbeam.transforms.change.report.rankings import named_flagged
from lexbeam.transforms.change.scores.ranking import of_pos
from lexbeam.transforms.change.shown.ranking_rows import shown_pos
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.report.charts import series
from lexbeam.transforms.report.panels import Chart, Panel, Rows

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
