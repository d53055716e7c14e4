"""What generation gives, counted: for its summary, and panels of `lexbeam report`."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.schemas.simplification.candidates import generation_reasons
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.report.panels import Panel, Rows, SectionTable, TableColumn
from lexbeam.transforms.simplification.generation.protection import PROTECTED
from lexbeam.transforms.simplification.shown.candidates import SECTION

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


def generator_counts(section: Mapping[str, Any]) -> Iterator[dict[str, str | int]]:
    """Yield rows of `GENERATED`: setting, generator, how many candidates go on, how many do not, and why not.

    Args:
        section: what the manifest says; its `counts` are by setting, generator and reason.
    """
    by_generator: dict[tuple[str, str], dict[str, int]] = {}
    for count in section["counts"]:
        by_generator.setdefault((count["setting"], count["generator"]), {})[count["reason"]] = count["candidates"]
    for (setting, generator), reasons in by_generator.items():
        why = {name: reasons[name] for name in generation_reasons() if name in reasons}
        yield {
            "setting": setting,
            "generator": generator,
            "kept": reasons.get("kept", 0),
            "dropped": sum(why.values()),
            "reasons": ", ".join(f"{name} {number}" for name, number in why.items()),
        }


def candidate_panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of `lexbeam simplify generate`."""
    section = snapshot.section(SECTION)
    settings = pa.Table.from_pylist(
        [
            {
                "setting": setting["setting"],
                "generators": ", ".join(setting["generators"]),
                "combine": setting["combine"],
                "instances": section["instances"],
                "with_candidates": setting["with_candidates"],
                **{name: setting["protected"].get(name, 0) for name in PROTECTED},
            }
            for setting in section["settings"]
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
        GENERATED.panel(generator_counts(section)),
    ]
