"""What became of input files: rows of tables `inputs` and rejects, staged where they are counted, merged into parts.

A file has a row from the unit that takes it in (pieces of a cut file each have one), and another from each staging file
in which annotation rejects records of it: one document less, one reject more. They are summed in their parts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import Table
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.schemas.corpus_tables import INPUTS
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.entries import Entries
from lexbeam.transforms.common.store.staged import MergeTask, StagedWriter, entries, merge, whole
from lexbeam.transforms.common.store.tables import GROUP_ROWS, PartFile, StagedRows, sort_rows

COUNTED = ("bytes", "records", "documents", "rejects")


class InputCount(NamedTuple):
    """What became of an input file, or a change of that: its name, bytes and SHA-256, and numbers of records.

    Bytes and SHA-256 are those of what was read; for a file that could not be read, its listed bytes
    and the cause. Of a file that is cut the count of the first piece has the bytes. A change has neither. `notes`
    counts what readers changed or guessed as they read; None for nothing. Of tasks, `documents` are records taken.
    """

    name: str
    bytes: int
    sha256: str | None
    records: int
    documents: int
    rejects: int
    notes: dict[str, int] | None = None


# A staged row: an `InputCount`.
INPUT = pa.schema(
    [
        ("name", pa.string()),
        ("bytes", pa.int64()),
        ("sha256", pa.string()),
        ("records", pa.int64()),
        ("documents", pa.int64()),
        ("rejects", pa.int64()),
        ("notes", INPUTS.schema().field("notes").type),
    ]
)


def notes_of(counts: Iterable[InputCount]) -> dict[str, int]:
    """Return the notes on all of some files, of whatever line, so that their number does not grow with files."""
    noted: Counter[str] = Counter()
    for count in counts:
        for note, number in (count.notes or {}).items():
            noted[_LINE.sub("in a line", note)] += number
    return dict(sorted(noted.items()))


_LINE = re.compile(r"in line [0-9]+")


def late_counts(sources: Iterable[str]) -> list[InputCount]:
    """Return what records that were taken in, and rejected later, change; `sources` has that of each."""
    late: dict[str, int] = {}
    for name in map(file_of, sources):
        late[name] = late.get(name, 0) + 1
    return [InputCount(name, 0, None, 0, -number, number) for name, number in late.items()]


def stage_inputs(artefact: Artefact, counts: Sequence[InputCount]) -> Staged | None:
    """Write counts to a staged file, by name; None, and no file, if there are none."""
    if not counts:
        return None
    rows = [(*count[:-1], _listed(count.notes)) for count in counts]
    columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), INPUT, strict=True)]
    names = [count.name for count in counts]
    with artefact.writing(_INPUTS) as stream, StagedWriter(stream, INPUT) as writer:
        writer.add_rows(
            [hash_of(digest([name])) for name in names], names, pa.RecordBatch.from_arrays(columns, schema=INPUT)
        )
    return writer.file(artefact.file(_INPUTS))


_INPUTS = "-inputs.arrow"


def _listed(notes: Mapping[str, int] | None) -> list[dict[str, object]] | None:
    return [{"note": note, "number": number} for note, number in sorted(notes.items())] if notes else None


def summed_inputs(batches: Sequence[pa.RecordBatch], table: Table = INPUTS) -> pa.Table:
    """Return staged rows as rows of a table of inputs, those of one name summed, sorted by name."""
    rows = pa.Table.from_batches(batches, INPUT).combine_chunks()
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
    sums = sums.append_column("notes", pa.array(column, INPUT.field("notes").type))
    return sort_rows(sums.select(INPUT.names).rename_columns(table.schema().names), table.key)


def _summed(found: Iterable[Entries], table: Table) -> Iterator[StagedRows]:
    left: list[pa.Table] = []
    for batches in _whole_names(found):
        rows = pa.concat_tables([*left, summed_inputs(batches, table)])
        full = rows.num_rows - rows.num_rows % GROUP_ROWS
        yield from _in_groups(rows.slice(0, full))
        left = [rows.slice(full)]
    for rows in left:
        yield from _in_groups(rows)


def _in_groups(rows: pa.Table) -> Iterator[StagedRows]:
    """Yield rows as row groups take them, which are full but the last."""
    for batch in rows.combine_chunks().to_batches(max_chunksize=GROUP_ROWS):
        yield StagedRows(batch, np.array([batch.num_rows]), np.zeros(1, np.int64))


def _whole_names(found: Iterable[Entries]) -> Iterator[list[pa.RecordBatch]]:
    """Yield rows some thousand at a time, those of a name together."""
    held: list[Entries] = []
    number = 0
    for some in found:
        held.append(some)
        number += len(some)
        if number >= GROUP_ROWS:
            whole = Entries.joined(held)
            last = pc.index(whole.keys, whole.keys[-1]).as_py()
            if last:
                yield [whole.slice(0, last).rows]
            held = [whole.slice(last, len(whole))]
            number = len(held[0])
    if held:
        yield [Entries.joined(held).rows]


@dataclass(frozen=True)
class MergeListed(Step[MergeTask, PartFile]):
    """Merge what a section has staged of its rejects, or of its input files, into a part of its table of them."""

    section: str
    table: Table
    of_inputs: bool
    one_part: bool = False

    noun = "tables"

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the section's step."""
        return f"{self.section}/merge-{'inputs' if self.of_inputs else 'rejects'}"

    @property
    def unit(self) -> str:  # type: ignore[override]
        """What is made."""
        return "tables" if self.one_part else "parts"

    def make(self, artefact: Artefact, task: MergeTask) -> PartFile:
        """Write the part."""
        with entries(task.staged, task.parts, task.bucket) as found:
            return merge(artefact, self.table, _summed(found, self.table) if self.of_inputs else whole(found))


MERGE_INPUTS, MERGE_REJECTS = MergeListed("corpus", INPUTS, True), MergeListed("corpus", REJECTS, False)
