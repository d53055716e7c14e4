"""Panels on splits: sizes, genres, complexities, and what is in two of them."""

from typing import Any

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity import STRATA
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.report.charts import lines
from lexbeam.transforms.report.panels import Chart, Note, Panel, Rows

ALL = "all"
KIND = "kind"


def split_panels(snapshot: Snapshot) -> list[Panel]:
    """Return panels of table complexity/strata.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    rows = snapshot.read(STRATA.name).to_pylist()
    if not rows:
        return []
    return [_note(rows), _distributions(rows), _balance(rows)]


def _note(rows: list[dict[str, Any]]) -> Note:
    wholes = [row for row in rows if row["genre"] == ""]
    kinds = list(dict.fromkeys(row["kind"] for row in wholes))
    items = []
    leaks = False
    for kind in sorted(kinds):
        of_kind = [row for row in wholes if row["kind"] == kind]
        far = max((row["distance"] for row in of_kind if row["distance"] is not None), default=None)
        distance = "undefined" if far is None else f"{far:.4f}"
        tokens = max(row["shared_tokens"] for row in of_kind)
        sentences = max(row["shared_sentences"] for row in of_kind)
        leaks = leaks or tokens > 0
        items.append(
            f"{kind or 'all kinds'}: largest distance of complexity between two splits {distance}; a "
            f"split has up to {tokens:,} tokens and {sentences:,} sentences that another has, too"
        )
    text = (
        f"Splits were made by the method {rows[0]['method']}. The distance is that of Kolmogorov "
        "and Smirnov: the greatest difference of two distribution functions."
    )
    return Note("How alike the splits are", text, tuple(items), warning=leaks)


def _distributions(rows: list[dict[str, Any]]) -> Chart:
    points: dict[str, list[str | float]] = {"kind": [], "split": [], "complexity": [], "share": []}
    for row in sorted(rows, key=lambda row: row["kind"] == ""):  # a kind is shown first, not all
        if row["genre"] != "" or row["quantiles"] is None:
            continue
        steps = len(row["quantiles"]) - 1
        for place, value in enumerate(row["quantiles"]):
            points["kind"].append(row["kind"] or ALL)
            points["split"].append(row["split"])
            points["complexity"].append(value)
            points["share"].append(place / steps)
    schema = pa.schema(
        [
            column("kind", pa.string(), "kind of instances"),
            column("split", pa.string(), "name of the split"),
            column("complexity", pa.float64(), "0: very easy, 1: very difficult"),
            column("share", pa.float64(), "of the split's instances that are at most as complex"),
        ]
    )
    return Chart(
        "Complexity of the splits",
        "The share of a split's instances whose complexity is at most that on the x axis. The "
        "more alike splits are, the closer the lines lie.",
        lines("complexity", "share", colour="split"),
        pa.table(points, schema=schema),
        key=KIND,
    )


def _balance(rows: list[dict[str, Any]]) -> Rows:
    fields: list[tuple[pa.Field, list[object]]] = [
        (column("kind", pa.string(), "kind of instances"), [row["kind"] or ALL for row in rows]),
        (
            column("genre", pa.string(), "genre; (none): instances without one"),
            [ALL if row["genre"] == "" else row["genre"] or "(none)" for row in rows],
        ),
        (column("split", pa.string(), "name of the split"), [row["split"] for row in rows]),
        (column("instances", pa.int64(), "instances of the split"), [row["rows"] for row in rows]),
    ]
    for heading, name in (
        ("share", "share"),
        ("wanted", "wanted"),
        ("genre in split", "of_split"),
        ("genre in all", "of_all"),
        ("mean", "mean"),
        ("sd", "sd"),
        ("distance", "distance"),
        ("farthest", "farthest"),
        ("shared tokens", "shared_tokens"),
        ("shared sentences", "shared_sentences"),
    ):
        field = STRATA.schema().field(name)
        doc = (field.metadata or {})[b"doc"].decode()
        fields.append((column(heading, field.type, doc), [row[name] for row in rows]))
    schema = pa.schema([field for field, _ in fields])
    return Rows(
        "Splits by kind and genre",
        "A row is what a split has of a kind and a genre. Tokens and sentences are shared where "
        "they stand in another split, too; those of all kinds count a sentence with a single word "
        "in one split and an expression in another.",
        pa.table([pa.array(values, field.type) for field, values in fields], schema=schema),
    )
