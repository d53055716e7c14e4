"""What is noted beside a snapshot: where a section's inputs lay, which no manifest says."""

import os
from collections.abc import Sequence
from typing import Any

from pipelines.frame.command import Inputs, TableSource
from transforms.common.options.fields import noted_paths
from transforms.common.publish.sections import table_digest
from transforms.common.store import files

__all__ = ["run_log"]


def run_log(reads: Sequence[TableSource], options: Any, inputs: Inputs) -> dict[str, Any]:
    """Return what is noted of a section, by its names.

    By `inputs`, `exclude` and `folders` `lexbeam status` finds what has changed since, by `sources`
    views find what the section was made from.

    Args:
        reads: the tables that its command reads.
        options: its options.
        inputs: the tables, found.
    """
    folders = [source.folder for source in reads if source.folder is not None]
    paths = [path for some in noted_paths(options, "input").values() for path in some]
    return {
        # A folder of tables may stand where files do.
        "inputs": [path for path in paths if path not in folders],
        "exclude": list(getattr(options, "exclude", ())),
        "folders": folders,
        "sources": _sources(options.out, inputs),
    }


def _sources(out: str, inputs: Inputs) -> list[dict[str, Any]]:
    """Return where other folders' tables were read, and the digests of all of that section.

    A folder stands there relative to the output folder, too: both may be moved together.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for given in inputs.given:
        snapshot = given.snapshot
        if snapshot is None or (snapshot.out, given.name) in found:
            continue
        place, own = files.real(snapshot.out), files.real(out)
        local = files.is_local(place) and files.is_local(own)
        found[snapshot.out, given.name] = {
            "folder": files.absolute(snapshot.out),
            "relative": os.path.relpath(place, own) if local else None,
            "tables": {table: table_digest(snapshot.parts(table)) for table in given.section["parts"]},
        }
    return list(found.values())
