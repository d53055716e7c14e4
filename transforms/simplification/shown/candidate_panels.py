"""Panels of generation: what each generator gives, and why candidates do not go on."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from schemas.columns import column
from schemas.simplification.candidates import REASONS
from transforms.common.publish.snapshots import Snapshot
from transforms.report.panels import Panel, Rows
from transforms.report.section_tables import SectionTable, TableColumn
from transforms.simplification.generation.protection import PROTECTED

__all__ = ["GENERATED", "candidate_panels", "kept_and_dropped"]

SECTION = "simplify.generate"
ALL, KEPT = "all", "kept"


GENERATED = SectionTable(
    "Candidates",
    "What each generator gives, and why some of it does not go on; a form that several give counts for each of them.",
    (
        TableColumn("setting", "name of the setting", pa.string()),
        TableColumn("generator", "what gives them; all: each form counts once", pa.string()),
        TableColumn("kept", "candidates that go on"),
        TableColumn("dropped", "candidates that do not"),
        TableColumn("reasons", "why not", pa.string()),
    ),
)


def kept_and_dropped(section: Mapping[str, Any]) -> Iterator[dict[str, str | int]]:
    """Yield rows of `GENERATED`: setting, generator, candidates that go on and that do not, and why not.

    Args:
        section: what the manifest says; its `counts` are by setting, generator and reason.
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    for one in section["counts"]:
        found.setdefault((one["setting"], one["generator"]), {})[one["reason"]] = one["candidates"]
    for (setting, generator), reasons in found.items():
        why = {name: reasons[name] for name in REASONS if name in reasons}
        yield {
            "setting": setting,
            "generator": generator,
            "kept": reasons.get(KEPT, 0),
            "dropped": sum(why.values()),
            "reasons": ", ".join(f"{name} {number}" for name, number in why.items()),
        }


def candidate_panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of `lexbeam simplify generate`."""
    section = snapshot.section(SECTION)
    settings = pa.Table.from_pylist(
        [
            {
                "setting": one["setting"],
                "generators": ", ".join(one["generators"]),
                "combine": one["combine"],
                "instances": section["instances"],
                "with_candidates": one["with_candidates"],
                **{name: one["protected"].get(name, 0) for name in PROTECTED},
            }
            for one in section["settings"]
        ],
        schema=pa.schema(
            [
                column("setting", pa.string(), "name of the setting"),
                column("generators", pa.string(), "what gives candidates"),
                column("combine", pa.string(), "those of any generator, or of all"),
                column("instances", pa.int64(), "words in their sentences"),
                column("with_candidates", pa.int64(), "those that have a candidate that goes on"),
                *(column(name, pa.int64(), f"protected: {doc}") for name, doc in PROTECTED.items()),
            ]
        ),
    )
    return [
        Rows("Instances with candidates", "By setting; protected words get none.", settings),
        GENERATED.panel(kept_and_dropped(section)),
    ]
