"""Snapshots written as they are published, of tables that a test makes up."""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import write_rows

DIM = 3  # of vectors

CORPUS: dict[str, Any] = {
    "records": 9,
    "documents": 8,
    "rejected": 1,
    "sentences": 7,
    "tokens": 6,
    "documents_by_year": {"1801": 5, "1855": 3},
    "engine": {"name": "builtin:en"},
}


_KNOWN = {table.name: table for words in COMMANDS for table in load(words).tables}
_OPTIONS = {"vectors": {"dim": DIM}}


def publish(folder: Path, sections: dict[str, Any], tables: dict[str, list[list[dict[str, Any]]]]) -> Snapshot:
    """Write tables, each a list of parts, each a list of rows; what a row lacks is null."""
    entries: dict[str, Any] = {}
    for name, parts in tables.items():
        schema = _KNOWN[name].schema(**_OPTIONS.get(name, {}))
        place = folder / name
        place.mkdir(parents=True)
        entries[name] = {"rows": sum(map(len, parts)), "schema_version": _KNOWN[name].version, "parts": []}
        for number, rows in enumerate(parts):
            stream = io.BytesIO()
            write_rows(stream, schema, [pa.Table.from_pylist(rows, schema=schema)])
            content = stream.getvalue()
            (place / f"{number}.parquet").write_bytes(content)
            entries[name]["parts"].append(
                {
                    "file": f"{number}.parquet",
                    "rows": len(rows),
                    "bytes": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                }
            )
    return Snapshot(str(folder), "made-up", str(folder), {**sections, "tables": entries})


def rewritten(snapshot: Snapshot, table: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Write the parts of a table anew, with other columns, as another version may have written them."""
    for entry in snapshot.tables[table]["parts"]:
        path = Path(snapshot.folder) / table / entry["file"]
        pq.write_table(change(pq.read_table(path)), path)
        entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()


def documents(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Return rows of `documents`, sorted."""
    full = [{"source": "a.txt", "position": "", **row} for row in rows]
    return sorted(full, key=lambda row: row["document_id"])


def sentences(*rows: tuple[str, list[str] | None, list[str] | None]) -> list[dict[str, Any]]:
    """Return rows of `sentences` from document, forms and lemmas."""
    return [
        {"document_id": document, "sentence": number, "forms": forms, "lemmas": lemmas}
        for number, (document, forms, lemmas) in enumerate(rows)
    ]


def scores(word: str, score: float | None, **other: Any) -> dict[str, Any]:
    """Return a row of `scores`, a mean over seeds, ranked and with a hundred uses each."""
    return {
        "word": word,
        "target": False,
        "slice_from": "old",
        "slice_to": "new",
        "seed": None,
        "alignment": "op",
        "measure": "cosine",
        "score": score,
        "seeds": 1,
        "ranked": True,
        "count_from": 100,
        "count_to": 100,
        "relative_from": 0.1,
        "relative_to": 0.1,
        "documents_from": 9,
        "documents_to": 9,
        **other,
    }


def change_section(**other: Any) -> dict[str, Any]:
    """Return a section `change` of two slices and one seed."""
    return {
        "seeds": [1],
        "slices": [["old", 1800, 1849], ["new", 1850, 1899]],
        "targets": [],
        "documents_outside_slices": 0,
        "pairs": [[0, 1]],
        "alignments": ["op"],
        "reads": [],
        "options": {
            "alignment": ["op"],
            "measure": ["cosine"],
            "neighbours": 3,
            "neighbour-min-count": 1,
            "rank-min-count": 50,
            "rank-min-documents": 5,
        },
        "view": {"unit": "form"},
        **other,
    }
