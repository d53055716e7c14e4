"""The training view as artefacts: derived per part of `sentences`, merged per slice.

    measure_part   part of sentences   -> tokens by bin, for downsampling (only where asked for)
    derive_part    part of sentences   -> the view's sentences, staged by slice and range of keys
    merge_slice    counts of all parts -> a slice's counts and sizes
    merge_range    staged sentences    -> a file of sentences in the order of training

The order of training is that of the sentences' keys, which are hashes: ranges of keys are sorted
one by one, so a slice is shuffled whole with the memory of one range.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.change.counts import COUNTS, ViewCounts, count_view, merge_counts
from transforms.change.sampling import BINS, kept, threshold, token_histogram
from transforms.change.slicing import Slice
from transforms.change.targets import Targets
from transforms.change.view import ViewBatch, columns_needed, derive
from transforms.change.words import ViewOptions
from transforms.common.artefacts import Artefact, Workspace, produce
from transforms.common.batches import BatchReader, BatchWriter
from transforms.common.tables import read_rows

__all__ = [
    "RANGE_TOKENS",
    "SMALLEST",
    "SentencePart",
    "StagedView",
    "ViewPlan",
    "derive_part",
    "document_ids",
    "limits_of",
    "measure_part",
    "merge_range",
    "merge_slice",
    "read_counts",
    "read_feed",
]

RANGE_TOKENS = 4_000_000
SMALLEST = "smallest"
FEED_ROWS = 8_192

_STAGED = pa.schema(
    [
        ("key", pa.uint64()),
        ("document_id", pa.string()),
        ("sentence", pa.int32()),
        ("words", pa.list_(pa.string())),
        ("proper", pa.list_(pa.bool_())),
    ]
)
_FEED = pa.schema([("words", pa.list_(pa.dictionary(pa.int32(), pa.string())))])


class SentencePart(NamedTuple):
    """A part of table `sentences` of one of the corpora; `rows` is its size."""

    rows: int
    path: str
    sha256: str


class StagedView(NamedTuple):
    """A staged batch of the view: the part's file and the batch's ordinal in it."""

    path: str
    ordinal: int


@dataclass(frozen=True, kw_only=True)
class ViewPlan:
    """What decides the view: slices, targets, options, and how many ranges keys are cut into."""

    slices: tuple[Slice, ...]
    targets: Targets
    options: ViewOptions
    ranges: int = 1

    @property
    def identity(self) -> Any:
        """The plan as plain values."""
        return [self.slices, asdict(self.targets), asdict(self.options), self.ranges]


def document_ids(part: SentencePart) -> list[str]:
    """Return the ids of the documents of a part, each once."""
    found: set[str] = set()
    for table in read_rows([part.path], ["document_id"]):
        found.update(pc.unique(table["document_id"]).to_pylist())
    return sorted(found)


def _view(part: SentencePart, plan: ViewPlan, left_out: Sequence[str]) -> Iterator[ViewBatch]:
    dropped = pa.array(left_out, pa.string())
    for table in read_rows([part.path], columns_needed(plan.options)):
        if len(dropped):
            table = table.filter(pc.invert(pc.is_in(table["document_id"], value_set=dropped)))
        yield derive(table, plan.slices, plan.targets, plan.options)


def _sizes(batch: ViewBatch) -> Any:
    return batch.words.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)


def measure_part(
    workspace: Workspace, part: SentencePart, plan: ViewPlan, left_out: Sequence[str] = ()
) -> list[Any]:
    """Return, per slice, tokens without a target by bin, and tokens of sentences with one."""

    def build(artefact: Artefact) -> Any:
        bins = np.zeros((len(plan.slices), BINS), np.int64)
        held = [0] * len(plan.slices)
        for batch in _view(part, plan, left_out):
            sizes = _sizes(batch)
            for index in range(len(plan.slices)):
                inside = batch.slice == index
                more, with_target = token_histogram(
                    batch.key[inside], sizes[inside], batch.target[inside]
                )
                bins[index] += more
                held[index] += with_target
        return [bins.tolist(), held]

    return produce(workspace, "measure", [part.sha256, plan.identity, list(left_out)], build)


def limits_of(measured: Sequence[list[Any]], budget: int | str) -> list[int]:
    """Return per slice the bins to keep, from what the parts measured.

    `budget` is the most tokens per slice, or `SMALLEST` for those of the smallest slice.
    """
    bins = np.sum([np.array(bins, np.int64) for bins, _ in measured], axis=0)
    held = np.sum([np.array(held, np.int64) for _, held in measured], axis=0)
    totals = bins.sum(axis=1) + held
    wanted = int(totals.min()) if budget == SMALLEST else int(budget)
    return [
        threshold(row, int(with_target), wanted)
        for row, with_target in zip(bins, held, strict=True)
    ]


def derive_part(
    workspace: Workspace,
    part: SentencePart,
    plan: ViewPlan,
    limits: Sequence[int] | None,
    left_out: Sequence[str] = (),
) -> dict[str, Any]:
    """Derive the view of a part, the documents `left_out` aside, and return the receipt.

    The receipt holds `path` and `batches` (slice, range, ordinal) of the staged sentences,
    `counts` and per slice `sizes`, and `outside`: documents in no slice.
    """

    def build(artefact: Artefact) -> Any:
        number = len(plan.slices)
        totals = {name: np.zeros(number, np.int64) for name in _TOTALS}
        outside: set[str] = set()
        staged: list[tuple[int, int, int]] = []
        with (
            artefact.writing(".arrow") as stream,
            BatchWriter(stream, _STAGED) as writer,
        ):
            for batch in _view(part, plan, left_out):
                for name in ("tokens_before", "short", "split"):
                    totals[name] += getattr(batch, name)
                outside.update(batch.outside)
                take = np.ones(len(batch.slice), bool)
                if limits is not None:
                    for index, limit in enumerate(limits):
                        inside = batch.slice == index
                        take[inside] = kept(batch.key[inside], batch.target[inside], limit)
                    totals["sampled_out"] += np.bincount(batch.slice[~take], minlength=number)
                _stage(batch, take, plan, writer, staged)
        sizes = []
        suffix = "-counts.arrow"
        with (
            BatchReader() as reader,
            artefact.writing(suffix) as stream,
            BatchWriter(stream, COUNTS) as writer,
        ):
            for index in range(number):
                ordinals = [ordinal for place, _, ordinal in staged if place == index]
                counts = count_view(_staged(reader, artefact.path(".arrow"), ordinals))
                writer.write(_one_batch(counts.words))
                sizes.append(
                    [counts.documents, counts.sentences, counts.tokens, counts.largest_document]
                )
        return {
            "path": artefact.path(".arrow"),
            "batches": staged,
            "counts": artefact.path(suffix),
            "sizes": sizes,
            "totals": {name: values.tolist() for name, values in totals.items()},
            "outside": len(outside),
        }

    chosen = None if limits is None else list(limits)
    identity = [part.sha256, plan.identity, chosen, list(left_out)]
    return produce(workspace, "view", identity, build)


_TOTALS = ("tokens_before", "short", "split", "sampled_out")


def _stage(
    batch: ViewBatch,
    take: Any,
    plan: ViewPlan,
    writer: BatchWriter,
    staged: list[tuple[int, int, int]],
) -> None:
    """Write the sentences kept, by slice and range."""
    ranges = _ranges(batch.key, plan.ranges)
    proper: Any = pa.nulls(len(take), _STAGED.field("proper").type)
    if batch.proper is not None:
        proper = pa.ListArray.from_arrays(batch.words.offsets, pa.array(batch.proper))
    for index in range(len(plan.slices)):
        rows = np.flatnonzero(take & (batch.slice == index))
        if not len(rows):
            continue
        for number in range(plan.ranges):
            inside = rows[ranges[rows] == number]
            if len(inside):
                picked = pa.array(inside)
                table = pa.table(
                    [
                        pa.array(batch.key[inside]),
                        batch.document.take(picked).cast(pa.string()),
                        pa.array(batch.sentence[inside], pa.int32()),
                        batch.words.take(picked).cast(pa.list_(pa.string())),
                        proper.take(picked),
                    ],
                    schema=_STAGED,
                )
                staged.append((index, number, writer.write(_one_batch(table))))


def _staged(reader: BatchReader, path: str, ordinals: Sequence[int]) -> Iterator[Any]:
    """Yield staged batches as `count_view` takes them."""
    for ordinal in ordinals:
        batch = reader.read(path, ordinal)
        flags = batch.column("proper")
        proper = None if flags.null_count else flags.flatten().to_numpy(zero_copy_only=False)
        yield batch.column("words"), batch.column("document_id"), proper


def _ranges(keys: Any, ranges: int) -> Any:
    """Return each key's range: ranges are equal spans of the keys' upper 32 bits."""
    return ((keys >> np.uint64(32)) * np.uint64(ranges) >> np.uint64(32)).astype(np.int64)


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def merge_slice(
    workspace: Workspace, index: int, receipts: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Add up a slice's counts and sizes over all parts; returns `path`, sizes and totals."""
    ordered = sorted(receipts, key=lambda receipt: receipt["counts"])

    def build(artefact: Artefact) -> Any:
        with BatchReader() as reader:
            merged = merge_counts(
                [
                    ViewCounts(
                        pa.Table.from_batches([reader.read(receipt["counts"], index)]),
                        *receipt["sizes"][index],
                    )
                    for receipt in ordered
                ]
            )
        with artefact.writing(".arrow") as stream, BatchWriter(stream, COUNTS) as writer:
            writer.write(_one_batch(merged.words))
        return {
            "path": artefact.path(".arrow"),
            "documents": merged.documents,
            "sentences": merged.sentences,
            "tokens": merged.tokens,
            "largest_document": merged.largest_document,
            "types": merged.words.num_rows,
            **{name: sum(r["totals"][name][index] for r in ordered) for name in _TOTALS},
        }

    identity = [index, [receipt["counts"].rpartition("/")[2] for receipt in ordered]]
    return produce(workspace, "count", identity, build)


def read_counts(path: str) -> pa.Table:
    """Return a slice's counts as `merge_slice` wrote them, sorted by word."""
    with BatchReader() as reader:
        return pa.Table.from_batches([reader.read(path, 0)])


def merge_range(workspace: Workspace, staged: Sequence[StagedView]) -> dict[str, Any]:
    """Sort one range of a slice's sentences by key; returns `path` of what is trained on."""
    ordered = sorted(staged)

    def build(artefact: Artefact) -> Any:
        with BatchReader() as reader:
            table = pa.Table.from_batches([reader.read(*entry) for entry in ordered], _STAGED)
        # Stable, for the pieces of a split sentence share a key and follow one another.
        order = np.lexsort(
            (
                np.arange(table.num_rows),
                table["sentence"].to_numpy(),
                _ranks(table["document_id"]),
                table["key"].to_numpy(),
            )
        )
        lists = table["words"].take(pa.array(order)).combine_chunks()
        lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
        coded = pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode())
        batch = pa.RecordBatch.from_arrays([coded], schema=_FEED)
        with artefact.writing(".arrow") as stream, BatchWriter(stream, _FEED) as writer:
            for start in range(0, batch.num_rows, FEED_ROWS):
                writer.write(batch.slice(start, FEED_ROWS))
        return {"path": artefact.path(".arrow")}

    identity = [[entry.path.rpartition("/")[2], entry.ordinal] for entry in ordered]
    return produce(workspace, "shuffle", identity, build)


def _ranks(documents: pa.ChunkedArray) -> Any:
    """Return numbers that order documents as their ids do."""
    return np.unique(documents.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1]


def read_feed(paths: Sequence[str]) -> Iterator[pa.ListArray]:
    """Yield the sentences of a slice in the order of training."""
    with BatchReader(limit=1) as reader:
        for path in paths:
            for ordinal in range(reader.count(path)):
                yield reader.read(path, ordinal).column(0)
