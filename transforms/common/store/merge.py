"""Merging of staged tables: into one part of a published table, or, of many files, into fewer.

A merge opens each staged file once and reads in each the batches of its part, in their order; so its memory is
that of a row group and a batch of each file or two, whatever the corpus. Of files beyond `MOST_OPEN`, some are gathered
into one first. The merge of a table is defined beside the table: a `Stage` whose `build` calls `merge` with the
entries in their order.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Annotated, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.classes import Staged, summed
from lexbeam.transforms.common.store.entries import Entries, in_order
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.staged import StagedFile, StagedWriter
from lexbeam.transforms.common.store.tables import PartFile, StagedRows, write_part

MOST_OPEN = 128  # files that a merge opens


class MergeTask(NamedTuple):
    """What becomes part `bucket` of `parts`.

    It is named by what the part has, however that lies in files; entries of one key and number are all alike, or
    their order decides nothing.
    """

    bucket: int
    parts: int
    staged: Annotated[tuple[Staged, ...], Uncounted("what the files have for the part counts by its digests")]

    @classmethod
    def of(cls, bucket: int, parts: int, staged: Iterable[Staged]) -> "MergeTask":
        """Return the task of a part, without files that have nothing for it."""
        files = (file.of_part(parts, bucket) for file in staged)
        return cls(bucket, parts, tuple(file for file in files if any(file.classes)))

    def content_digests(self) -> list[str]:
        """Return the digest of the entries of all classes that the part may have entries of."""
        return [summed(self.staged).hex()]


class GatherTask(NamedTuple):
    """Staged files that become one, in the order of `parts`."""

    parts: int
    staged: tuple[Staged, ...]


@dataclass(frozen=True)
class Gathered:
    """Receipt: a staged file that has the entries of several."""

    file: Staged


def groups(files: int, parts: int, last: bool = False, *, ranges: bool = False) -> int:
    """Return into how many files that many are to be gathered: 0 if they can be merged as they are.

    A file's group hangs on its content and this number, so that a further file changes one group. It is a power of
    two that leaves at most half of `MOST_OPEN` to a group on average. For a number of parts that is no power of
    two, files are always gathered, but for those with ranges: in others each part would read batches of its neighbours.
    """
    if files <= (MOST_OPEN if ranges or parts & (parts - 1) == 0 else 0):
        return 0
    number = 1 << (-(-2 * files // MOST_OPEN) - 1).bit_length()
    return min(number, MOST_OPEN) if last else number


@contextmanager
def entries(staged: Iterable[File], parts: int, bucket: int | None = None) -> Iterator[Iterator[Entries]]:
    """Open staged files; give their entries of a part, or of all parts, in order, equal ones by the files' digests."""
    with ExitStack() as stack:
        opened = [stack.enter_context(StagedFile(file)) for file in sorted(staged, key=attrgetter("sha256"))]
        yield in_order([run for file in opened for run in file.runs(parts, bucket)])


def whole(found: Iterable[Entries]) -> Iterator[StagedRows]:
    """Yield entries as they are."""
    for some in found:
        yield StagedRows(some.rows, some.counts, some.sizes)


def merge(artefact: Artefact, table: Table, rows: Iterable[StagedRows], schema: pa.Schema | None = None) -> PartFile:
    """Write rows in their final order as a part of `table`; `schema` where it is another's."""
    return write_part(artefact, schema or table.schema(), rows, sort_keys=table.key)


def _gather(artefact: Artefact, task: GatherTask, _: None) -> Gathered:
    with StagedFile(task.staged[0]) as first:
        schema = first.schema
    with (
        entries(task.staged, task.parts) as found,
        artefact.writing(".arrow") as stream,
        StagedWriter(stream, schema, task.parts, ranges=task.staged[0].ranges) as writer,
    ):
        for some in found:
            writer.take(some)
    file = artefact.file(".arrow")
    return Gathered(replace(task.staged[0], **vars(file), classes=summed(task.staged)))


def gather_stage(section: str) -> Stage[GatherTask, None, Gathered]:
    """Return the stage that gathers the staged files of a section."""
    return Stage(
        name=f"{section}/gather",
        noun="tables",
        receipt=Gathered,
        build=_gather,
        unordered=("task.staged",),
        unit="staged files",
    )
