"""Panels of `lexbeam report` on features: for how many instances each is known."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity import COVERAGE
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.report.panels import Panel, Rows

_LOW = 0.9  # features known for fewer are reported
_ANY = "(none)"


def low_coverage(coverage: pa.Table) -> list[tuple[str, float]]:
    """Return the features known for less than 90 % of instances, with that share, smallest first.

    Columns of an expression's first and last word are left out: NAME covers them.
    """
    totals = pa.TableGroupBy(coverage, ["feature"]).aggregate([("instances", "sum"), ("known", "sum")])
    known_shares = [
        (row["feature"], row["known_sum"] / row["instances_sum"])
        for row in totals.to_pylist()
        if not row["feature"].endswith(("_first", "_last", "_known"))
    ]
    return sorted((pair for pair in known_shares if pair[1] < _LOW), key=lambda pair: (pair[1], pair[0]))


def coverage_rows(coverage: pa.Table) -> pa.Table:
    """Return a row for each feature and kind, with the share of each genre for which it is known."""
    genres = sorted({name or _ANY for name in pc.unique(coverage["genre"]).to_pylist()})
    rows: dict[tuple[str, str], dict[str, float | str]] = {}
    for row in coverage.to_pylist():
        key = row["feature"], row["kind"]
        by_genre = rows.setdefault(key, {"feature": key[0], "group": row["feature_group"], "kind": key[1]})
        by_genre[row["genre"] or _ANY] = 100 * row["known"] / row["instances"]
    schema = pa.schema(
        [
            column("feature", pa.string(), "column of the table"),
            column("group", pa.string(), "group of features"),
            column("kind", pa.string(), "one word, or a multi-word expression"),
            *(column(name, pa.float64(), f"known of genre {name}", unit="%", nullable=True) for name in genres),
        ]
    )
    return pa.Table.from_pylist([rows[key] for key in sorted(rows)], schema)


def panels(snapshot: Snapshot) -> Sequence[Panel]:
    """Return the panels of the section."""
    text = (
        "For how many instances of each genre a feature is known. One row is a feature of single "
        "words, or of multi-word expressions (NAME_first and NAME_last: of their first and last "
        "word). A gain from a feature that is known of one genre alone may not carry over."
    )
    return [Rows("Coverage of features", text, coverage_rows(snapshot.read(COVERAGE.name)))]
