"""The training view as artefacts: derived per part of `sentences` and slice.

    MeasureTokens   part, slice   -> tokens by bin (only for downsampling)
    ViewSlices      part, slice   -> the view's sentences, staged by range of keys, and their counts

Both are made for all slices of a part at once, so that the part is read once; adding or removing a
slice leaves those of the others as they are.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.view.counts import Batch, PartCounts, count_view, write_counts
from lexbeam.transforms.change.view.feeds import STAGED, as_batch
from lexbeam.transforms.change.view.slices import Slice
from lexbeam.transforms.change.view.view_and_downsampling import (
    BINS,
    ViewBatch,
    columns_needed,
    derive,
    keep_mask,
    threshold,
    token_histogram,
)
from lexbeam.transforms.change.view.words import NO_TAG, ViewOptions, ViewTargets
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.corpora.annotated_corpora import SentencePart

RANGE_TOKENS = 4_000_000
SMALLEST = "smallest"


@dataclass(frozen=True, kw_only=True)
class ViewSpec:
    """What decides the view: slices, targets, options, and into how many ranges each slice is cut."""

    slices: tuple[Slice, ...]
    targets: ViewTargets
    options: ViewOptions
    ranges: tuple[int, ...]


class SlicePart(NamedTuple):
    """A part of `sentences` and a slice.

    Attributes:
        slice: the slice.
        left_out: documents of the part that another corpus holds too.
    """

    part: SentencePart
    slice: Slice
    left_out: tuple[str, ...] = ()


class ViewTask(NamedTuple):
    """A part of a slice to derive the view of.

    Attributes:
        of: part and slice.
        ranges: into how many ranges the slice's keys are cut.
        limit: bins of sentences without a target that are kept; None for all.
    """

    of: SlicePart
    ranges: int
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeasuredTokens:
    """Tokens without a target by bin, and tokens of sentences with one."""

    bins: tuple[int, ...]
    held: int


@dataclass(frozen=True, kw_only=True)
class Viewed(PartCounts):
    """A slice's view of a part, and what is counted in it.

    Attributes:
        staged: staging file of `STAGED`.
        ranges: range of keys of each of its batches, in order.
        seen: documents of the slice, before any filter.
        of: documents of the part, of any year.
    """

    staged: File
    ranges: tuple[int, ...]
    seen: int
    of: int


def _view(parts: Sequence[SlicePart], targets: ViewTargets, options: ViewOptions) -> Iterator[ViewBatch]:
    """Yield the view of a part in some slices."""
    dropped = pa.array(parts[0].left_out, pa.string())
    for table in read_rows([checked(parts[0].part)], columns_needed(options)):
        if len(dropped):
            table = table.filter(pc.invert(pc.is_in(table["document_id"], value_set=dropped)))
        yield derive(table, [part.slice for part in parts], targets, options)


@dataclass(frozen=True)
class MeasureTokens(Step[SlicePart, MeasuredTokens]):
    """Count the tokens of a part's sentences in slices, which downsampling draws from."""

    targets: ViewTargets
    options: ViewOptions

    name = "change/measure"
    noun = "slices"
    unit = "parts"
    together = True

    def make_together(self, artefacts: Sequence[Artefact], tasks: Sequence[SlicePart]) -> list[MeasuredTokens]:
        """Count; the slices are of one part."""
        bins = np.zeros((len(tasks), BINS), np.int64)
        with_targets = [0] * len(tasks)
        for batch in _view(tasks, self.targets, self.options):
            sizes = np.asarray(batch.words.value_lengths().to_numpy(zero_copy_only=False), np.int64)
            for index in range(len(tasks)):
                inside = batch.slice == index
                more, with_target = token_histogram(batch.key[inside], sizes[inside], batch.target[inside])
                bins[index] += more
                with_targets[index] += with_target
        return [
            MeasuredTokens(bins=tuple(row.tolist()), held=tokens)
            for row, tokens in zip(bins, with_targets, strict=True)
        ]


def limits_of(measured: Sequence[Sequence[MeasuredTokens]], budget: int | str) -> list[int]:
    """Return per slice the bins to keep, from what was measured of each part and slice.

    `budget` is the most tokens per slice, or `SMALLEST` for those of the smallest slice.
    """
    bins = np.array([[slice.bins for slice in part] for part in measured], np.int64).sum(axis=0)
    held = np.array([[slice.held for slice in part] for part in measured], np.int64).sum(axis=0)
    totals = bins.sum(axis=1) + held
    wanted = int(totals.min()) if budget == SMALLEST else int(budget)
    return [threshold(row, int(with_target), wanted) for row, with_target in zip(bins, held, strict=True)]


_TOTALS = ("tokens_before", "short", "short_tokens", "split", "sampled_out")


@dataclass(frozen=True)
class ViewSlices(Step[ViewTask, Viewed]):
    """Derive the view of a part in slices.

    Attributes:
        targets: target words; without limits every sentence is kept, and those that are joined with a tag alone count
            (see `of_spec`).
    """

    targets: ViewTargets
    options: ViewOptions

    name = "change/view"
    noun = "slices"
    unit = "parts of slices"
    together = True
    splits = True

    @classmethod
    def of_spec(cls, spec: ViewSpec, *, limited: bool) -> "ViewSlices":
        """Return the step that derives a view, of slices that have limits or not."""
        return cls(spec.targets if limited else replace(spec.targets, words=()), spec.options)

    def make_together(self, artefacts: Sequence[Artefact], tasks: Sequence[ViewTask]) -> list[Viewed]:
        """Stage the sentences that are kept, by range of keys, and count them; the slices are of one part."""
        number = len(tasks)
        totals = {name: np.zeros(number, np.int64) for name in _TOTALS}
        inside: list[set[str]] = [set() for _ in tasks]
        outside: set[str] = set()
        ranges: list[list[int]] = [[] for _ in tasks]
        with ExitStack() as stack:
            streams = [stack.enter_context(artefact.writing(".arrow")) for artefact in artefacts]
            writers = [stack.enter_context(BatchWriter(stream, STAGED)) for stream in streams]
            for batch in _view([task.of for task in tasks], self.targets, self.options):
                for name in ("tokens_before", "short", "short_tokens", "split"):
                    totals[name] += getattr(batch, name)
                outside.update(batch.outside)
                for documents, more in zip(inside, batch.inside, strict=True):
                    documents.update(more)
                take = np.ones(len(batch.slice), bool)
                for index, task in enumerate(tasks):
                    if task.limit is not None:
                        in_slice = batch.slice == index
                        take[in_slice] = keep_mask(batch.key[in_slice], batch.target[in_slice], task.limit)
                totals["sampled_out"] += np.bincount(batch.slice[~take], minlength=number)
                _stage(batch, take, tasks, writers, ranges)
        all_documents = len(outside.union(*inside))
        return [
            counted_view(
                artefact,
                tuple(ranges[index]),
                {name: int(values[index]) for name, values in totals.items()},
                seen=len(inside[index]),
                of=all_documents,
            )
            for index, artefact in enumerate(artefacts)
        ]


def counted_view(artefact: Artefact, ranges: tuple[int, ...], totals: dict[str, int], *, seen: int, of: int) -> Viewed:
    """Count the sentences that were written to an artefact, and return the artefact's receipt."""
    with BatchReader() as reader:
        batches = (reader.read(artefact.file(".arrow"), place) for place in range(len(ranges)))
        counts = count_view(for_counting(batches))
    counted = vars(write_counts(artefact, "-counts.arrow", counts)) | totals
    return Viewed(**counted, staged=artefact.file(".arrow"), ranges=ranges, seen=seen, of=of)


def for_counting(batches: Iterator[pa.RecordBatch]) -> Iterator[Batch]:
    """Yield staged batches as `count_view` takes them."""
    for batch in batches:
        words, lists = batch.column("words"), batch.column("tags")
        tags = None
        if lists.null_count < len(lists):
            lengths = words.value_lengths().to_numpy(zero_copy_only=False)
            tagged = np.repeat(lists.is_valid().to_numpy(zero_copy_only=False), lengths)
            tags = np.full(len(tagged), NO_TAG, np.uint8)
            tags[tagged] = lists.flatten().to_numpy()
        yield words, batch.column("document_id"), tags


def _stage(
    batch: ViewBatch,
    take: npt.NDArray[np.bool_],
    tasks: Sequence[ViewTask],
    writers: Sequence[BatchWriter],
    ranges: Sequence[list[int]],
) -> None:
    """Write the sentences kept, by slice and range."""
    tags = pa.nulls(len(take), STAGED.field("tags").type)
    if batch.tags is not None:
        # Sentence by sentence: whether a slice is tagged must not depend on the others of its rows.
        tags = pa.ListArray.from_arrays(batch.words.offsets, pa.array(batch.tags), mask=pa.array(~batch.tagged))
    for index, (task, writer) in enumerate(zip(tasks, writers, strict=True)):
        rows = np.flatnonzero(take & (batch.slice == index))
        if not len(rows):
            continue
        numbers = ranges_of(batch.key[rows], task.ranges)
        for number in range(task.ranges):
            inside = rows[numbers == number]
            if len(inside):
                picked = pa.array(inside)
                table = pa.table(
                    [
                        pa.array(batch.key[inside]),
                        batch.document.take(picked).cast(pa.string()),
                        pa.array(batch.sentence[inside], pa.int32()),
                        batch.words.take(picked).cast(pa.list_(pa.string())),
                        tags.take(picked),
                    ],
                    schema=STAGED,
                )
                writer.write(as_batch(table))
                ranges[index].append(number)


def ranges_of(keys: npt.NDArray[np.uint64], ranges: int) -> npt.NDArray[np.int64]:
    """Return each key's range: ranges are equal spans of the keys' upper 32 bits."""
    return ((keys >> np.uint64(32)) * np.uint64(ranges) >> np.uint64(32)).astype(np.int64)
