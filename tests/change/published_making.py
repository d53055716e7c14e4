"""Small published change tables, made by hand."""

import pyarrow.parquet as pq

from lexbeam.transforms.common.publish.snapshots import Snapshot

OPTIONS = {
    "alignment": ["op", "cca"],
    "measure": ["cosine"],
    "rank-min-count": 5,
    "rank-min-documents": 2,
    "neighbour-min-count": 1,
}


def section(slices=("a", "b"), pairs=((0, 1),), **more):
    """Return a section `change`; `options` are added to `OPTIONS`."""
    options = {**OPTIONS, **more.pop("options", {})}
    return {
        "options": options,
        "slices": [[name, n, n] for n, name in enumerate(slices)],
        "pairs": [list(pair) for pair in pairs],
        "seeds": [1, 2],
        "targets": [],
        "alignments": ["op", "cca"],
        "reads": [],
        **more,
    }


def publish(folder, change, **tables):
    """Write tables, a part for each of a list, and return a snapshot; `__` in a name is a slash."""
    entries = {}
    for name, parts in tables.items():
        name = name.replace("__", "/")
        (folder / name).mkdir(parents=True)
        described = []
        for number, rows in enumerate(parts if isinstance(parts, list) else [parts]):
            pq.write_table(rows, folder / name / f"part-{number}.parquet")
            described.append({"file": f"part-{number}.parquet", "rows": rows.num_rows, "bytes": 1, "sha256": ""})
        entries[name] = {"rows": sum(one["rows"] for one in described), "parts": described}
    return Snapshot(str(folder), "s", str(folder), {"tables": entries, "change": change})
