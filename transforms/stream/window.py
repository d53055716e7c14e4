"""A window of files: taken in, cleared of duplicates, annotated and landed, by the stages of a corpus run.

landed = land_window(workspace, files, steps)
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.annotation.annotate import ANNOTATE, AnnotateOptions, place_of, with_landed
from lexbeam.transforms.annotation.landed import Landed
from lexbeam.transforms.annotation.landing import LAND, AnnotatedStage, LandTask, file_key, intake_of
from lexbeam.transforms.common.store.artefacts import Stage, Workspace
from lexbeam.transforms.common.store.artefacts import make as make_artefact
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask, Decision, RecordOccurrence, decide
from lexbeam.transforms.formats.ingest.stage import INGEST, Ingested, IngestOptions, InputFile
from lexbeam.transforms.formats.ingest.units import unit_of

Make = Callable[[Workspace, Stage[Any, Any, Any], Any, Any], Any]


@dataclass(frozen=True)
class WindowSteps:
    """What is done with a window.

    Attributes:
        ingest: how files become documents.
        annotate: how documents are annotated.
        duplicates: what becomes of equal documents of a window.
    """

    ingest: IngestOptions
    annotate: AnnotateOptions
    duplicates: str


def land_window(
    workspace: Workspace, files: Collection[InputFile], steps: WindowSteps, make: Make = make_artefact
) -> Landed:
    """Land some files, the least number of whose texts is annotated: none that has landed before.

    Args:
        workspace: where artefacts lie.
        files: the files, at least one.
        steps: what is done with them.
        make: makes an artefact, or takes it up.
    """
    place = place_of(workspace, steps.annotate)
    options = with_landed(workspace, steps.annotate)
    unit = unit_of(files)
    ingested: Ingested = make(workspace, INGEST, unit, steps.ingest)
    decisions = _decisions(ingested, steps.duplicates)
    stages = tuple(
        AnnotatedStage(
            stage.records, make(workspace, ANNOTATE, AnnotateTask(stage, tuple(sorted(decisions[number]))), options)
        )
        for number, stage in enumerate(ingested.stages)
    )
    keys = tuple(sorted(map(file_key, files)))
    task = LandTask(
        place.scope, intake_of(place, steps.ingest), keys, ingested, stages, annotates=options.engine != "none"
    )
    landed: Landed = make(workspace, LAND, task, None)
    return landed


def _decisions(ingested: Ingested, mode: str) -> list[list[Decision]]:
    """Return the decisions on the records of each staging file that are not the first of their key in the window."""
    occurrences: dict[str, list[RecordOccurrence]] = {}
    with BatchReader() as reader:
        batches = [reader.read(ingested.keys, number) for number in range(len(ingested.stages))]
    keys = pa.chunked_array([batch["key"] for batch in batches], pa.string())
    counted = pa.Table.from_struct_array(keys.value_counts())
    repeated = counted.filter(pc.field("counts") > 1)["values"]
    for number, batch in enumerate(batches if len(repeated) else ()):
        columns = batch.filter(pc.is_in(batch["key"], repeated)).to_pydict().values()
        for key, source, ordinal, position, place in zip(*columns, strict=True):
            occurrences.setdefault(key, []).append(RecordOccurrence(source, ordinal, position, str(number), place))
    decisions: list[list[Decision]] = [[] for _ in ingested.stages]
    for some in occurrences.values():
        for decision in decide(some, mode):
            decisions[int(decision.file)].append(decision)
    return decisions
