"""What became of input files: rows of `corpus/inputs`, staged where they are counted and summed in its parts.

A file has a row from the unit that takes it in (pieces of a cut file each have one), and another from each
staging file in which annotation rejects records of it: one document less, one reject more.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.corpus.inputs import INPUTS
from transforms.common.code.fingerprints import bucket_of, digest
from transforms.common.names import file_of
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader, BatchWriter
from transforms.common.store.merge import MergeTask, in_order, merge
from transforms.common.store.receipts import File
from transforms.common.store.tables import PartFile, sort_rows

__all__ = ["COUNTED", "MERGE_INPUTS", "InputCount", "late_counts", "stage_inputs", "summed_inputs"]

INPUT_BUCKETS = 1 << 32
COUNTED = ("bytes", "records", "documents", "rejects")


class InputCount(NamedTuple):
    """What became of an input file, or a change of that: its name, bytes and SHA-256, and numbers of records.

    Bytes and SHA-256 are those of what was read; for a file that could not be read, its listed bytes
    and the cause. A change has neither. `notes` counts what readers changed or guessed as they read; None for nothing.
    """

    name: str
    bytes: int
    sha256: str | None
    records: int
    documents: int
    rejects: int
    notes: dict[str, int] | None = None


# A row of a staging file: an `InputCount`, and the number that decides its part.
INPUT = pa.schema(
    [
        ("name", pa.string()),
        ("bytes", pa.int64()),
        ("sha256", pa.string()),
        ("records", pa.int64()),
        ("documents", pa.int64()),
        ("rejects", pa.int64()),
        ("notes", INPUTS.schema().field("notes").type),
        ("bucket", pa.uint32()),
    ]
)


def late_counts(sources: Iterable[str]) -> list[InputCount]:
    """Return what records that were taken in, and rejected later, change; `sources` has that of each."""
    late: dict[str, int] = {}
    for name in map(file_of, sources):
        late[name] = late.get(name, 0) + 1
    return [InputCount(name, 0, None, 0, -number, number) for name, number in late.items()]


def stage_inputs(artefact: Artefact, counts: Sequence[InputCount]) -> File | None:
    """Write counts to a staging file, in one batch; None, and no file, if there are none."""
    if not counts:
        return None
    rows = [(*count[:-1], _listed(count.notes), bucket_of(digest([count.name]), INPUT_BUCKETS)) for count in counts]
    columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), INPUT, strict=True)]
    with artefact.writing(_INPUTS) as stream, BatchWriter(stream, INPUT) as writer:
        writer.write(pa.RecordBatch.from_arrays(columns, schema=INPUT))
    return artefact.file(_INPUTS)


_INPUTS = "-inputs.arrow"


def _listed(notes: Mapping[str, int] | None) -> list[dict[str, object]] | None:
    return [{"note": note, "number": number} for note, number in sorted(notes.items())] if notes else None


def summed_inputs(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    """Return staged rows as rows of `corpus/inputs`, those of one name summed, sorted by name."""
    rows = pa.Table.from_batches(batches, INPUT)
    wanted = [*((name, "sum") for name in COUNTED), ("sha256", "max")]
    sums = rows.group_by("name", use_threads=False).aggregate(wanted)
    sums = sums.rename_columns([name.removesuffix("_sum").removesuffix("_max") for name in sums.column_names])
    notes: dict[str, dict[str, int]] = {}
    noted = rows.filter(pc.is_valid(rows["notes"])).select(["name", "notes"])
    for name, listed in zip(noted["name"].to_pylist(), noted["notes"].to_pylist(), strict=True):
        of_file = notes.setdefault(name, {})
        for entry in listed:
            of_file[entry["note"]] = of_file.get(entry["note"], 0) + entry["number"]
    column = [_listed(notes.get(name)) for name in sums["name"].to_pylist()] if notes else [None] * sums.num_rows
    schema = INPUTS.schema()
    sums = sums.append_column("notes", pa.array(column, schema.field("notes").type))
    return sort_rows(sums.select(schema.names), INPUTS.key)


def _merge_inputs(artefact: Artefact, task: MergeTask, _: None) -> PartFile:
    with BatchReader() as reader:
        held = []
        for entry in in_order(task.staged):
            batch = reader.read(entry.file, entry.ordinal)
            buckets = batch.column("bucket").to_numpy() % np.uint32(task.parts)
            held.append(batch.filter(pa.array(buckets == task.bucket)))
        return merge(artefact, INPUTS, iter([summed_inputs(held)]))


MERGE_INPUTS: Stage[MergeTask, None, PartFile] = Stage(
    name="corpus/merge-inputs", receipt=PartFile, build=_merge_inputs, unordered=("task.staged",), unit="parts"
)
