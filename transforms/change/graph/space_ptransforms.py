"""Beam glue from sentences to spaces: the training view, its slices, and vectors of their words.

    TrainSlices       PCollection[SliceReady] -> PCollection[(SpaceKey, PartFile)], by one of these:
    TrainShards       PCollection[(SpaceKey, TrainTask)] -> PCollection[(SpaceKey, PartFile)]
    RepresentSlices   PCollection[SliceReady] -> PCollection[(SpaceKey, PartFile)]

    DeriveView        PCollection[SentencePart] -> PCollection[PartView]
    each_slice        PartView -> (place, Viewed) of every slice
    MergeCounts       PCollection[(place, PartCounts)] -> PCollection[(place, SliceCounts)]
    MergeSlices       PCollection[(place, Viewed)] -> PCollection[SliceReady]

What is cut, a training into shards or a slice into pieces whose contexts are counted, is an element of its own, which
workers share. What averages and sums were made of is freed as soon as they are sound. The training view comes first in
the graph, and second in this file.

Counter (namespace `change`): tokens.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import apache_beam as beam

from lexbeam.transforms.change.graph.comparisons import (
    Comparisons,
    PartView,
    SliceReady,
    SpaceKey,
    by_place,
    joint_slices,
    joint_spaces,
    joint_tasks,
    train_task,
    train_tasks,
)
from lexbeam.transforms.change.spaces.counting import (
    ADDED,
    AddContexts,
    ContextTask,
    CountContexts,
    CountedContexts,
    Represent,
    RepresentTask,
    SumTask,
    context_task,
    pieces_of,
    represent_task,
)
from lexbeam.transforms.change.spaces.shards import (
    AverageLast,
    AverageStep,
    AverageTask,
    ShardOptions,
    ShardTask,
    TrainedShard,
    TrainShard,
    steps_of,
)
from lexbeam.transforms.change.spaces.training import JointTask, Train, TrainJointly, TrainTask
from lexbeam.transforms.change.view.counts import CountSlice, PartCounts, ShuffleRange, SliceCounts, count_groups
from lexbeam.transforms.change.view.feeds import StagedView
from lexbeam.transforms.change.view.view_stage import (
    MeasuredTokens,
    MeasureTokens,
    SlicePart,
    Viewed,
    ViewSlices,
    ViewSpec,
    ViewTask,
    limits_of,
)
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import By, Each, SpreadOverLanes
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.corpora.ptransforms import FindRepeated
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.joint_trainings import JOINT_REGISTRY as JOINT_TRAININGS
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.trainers import REGISTRY as TRAINERS


def _tokens_together(task: JointTask) -> float:
    return sum(each.tokens for each in task.slices)


@dataclass
class TrainSlices(beam.PTransform):
    """Make a space for every variant, slice and seed: trained or made of counts.

    Trained apart, each is an element, or its shards are; slices that are trained together are one.

    Attributes:
        comparisons: slices, seeds, variants.
        options: hyperparameters of training; counting has the window of them.
        sharding: into how many shards a training is cut, and how often they are averaged.
        representation: how words become vectors.
        targets: words that may have a vector in each slice, where slices are trained together.
        lanes: how many keys work is dealt out to, by tokens.
        frees: whether nothing needs what spaces are counted from once they are made.
        real: of null slices, `ready`: the real ones that they stand among where slices are trained together.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: SgnsOptions
    sharding: ShardOptions
    representation: RepresentationOptions
    targets: tuple[str, ...]
    lanes: int
    frees: bool = False
    real: Mapping[str, beam.PCollection] = field(default_factory=dict)

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, PartFile]]:
        """Make the spaces of all variants."""
        entry = REPRESENTATIONS[self.representation.representation]
        if entry.make is not None:
            counting = CountContexts(self.options.window, entry.by_distance)
            return ready | "Represent" >> RepresentSlices(
                self.workspace, self.comparisons, counting, self.representation, self.lanes, self.frees
            )
        names = [variant.name for variant in self.comparisons.variants]
        made = []
        if APART in names:
            made.append(ready | "Apart" >> self._apart(names.index(APART)))
        if set(names) - {APART}:
            made.append(self._together(ready))
        return made[0] if len(made) == 1 else made | "AllSpaces" >> beam.Flatten()

    def _apart(self, variant: int) -> beam.PTransform:
        of_slices = {"comparisons": self.comparisons, "variant": variant}
        if self.sharding.shards > 1:
            return TrainShards(self.workspace, of_slices, self.options, self.sharding, self.lanes)
        # Null slices are trained elsewhere in the graph: the plan knows how many in all.
        return Each(
            self.workspace,
            Train(replace(self.options, min_count=1)),
            train_tasks,
            of_slices,
            lanes=self.lanes,
            weight=attrgetter("tokens"),
        )

    def _together(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, PartFile]]:
        names = tuple(variant.name for variant in self.comparisons.variants if variant.name != APART)
        slices = ready | "KeyBySequence" >> beam.FlatMap(joint_slices, self.comparisons)
        if self.real:
            real = self.real["ready"] | "KeyRealBySequence" >> beam.FlatMap(
                joint_slices, self.comparisons, of_real=True
            )
            slices = (slices, real) | "AllSlices" >> beam.Flatten()
        made = slices | "Together" >> By(
            self.workspace,
            TrainJointly(replace(self.options, min_count=1)),
            joint_tasks,
            {"comparisons": self.comparisons, "targets": self.targets},
            lanes=self.lanes,
            weight=_tokens_together,
            entries={JOINT_TRAININGS: names, TRAINERS: (self.options.trainer,)},
        )
        return made | "EachSpace" >> beam.FlatMap(joint_spaces, self.comparisons)


class _Begun(NamedTuple):
    """A training before a step: what is trained, and the weights that shards start from."""

    space: TrainTask
    common: File | None


def _begun(element: SliceReady, **of_slices: Any) -> Iterator[tuple[SpaceKey, _Begun]]:
    for key, space in train_tasks(element, **of_slices):
        yield key, _Begun(space, None)


def _shard_tasks(
    element: tuple[SpaceKey, _Begun], step: int, sharding: ShardOptions
) -> Iterator[tuple[SpaceKey, ShardTask]]:
    key, (space, common) = element
    for shard in range(sharding.shards):
        yield key, ShardTask(space, step, shard, sharding, common)


def _average_task(
    key: SpaceKey, trained: tuple[tuple[ShardTask, TrainedShard], ...]
) -> Iterator[tuple[SpaceKey, AverageTask]]:
    ordered = sorted(trained, key=lambda each: each[0].shard)
    task = ordered[0][0]
    yield key, AverageTask(task.space, task.step, task.common, tuple(shard.weights for _, shard in ordered))


def _averaged_files(task: AverageTask) -> list[File]:
    return [*task.shards, *([] if task.common is None else [task.common])]


def _begun_again(element: tuple[SpaceKey, tuple[AverageTask, File]]) -> tuple[SpaceKey, _Begun]:
    key, (task, averaged) = element
    return key, _Begun(task.space, averaged)


@dataclass
class TrainShards(beam.PTransform):
    """Train embeddings in shards, whose weights are averaged in every step; all steps are in the graph.

    Attributes:
        of_slices: arguments of `train_tasks`, which says what is trained of a slice.
        sharding: of how many shards and rounds; shards are two or more.
        lanes: how many keys the shards of a step are dealt out to, by tokens.
    """

    workspace: Workspace
    of_slices: Mapping[str, Any]
    options: SgnsOptions
    sharding: ShardOptions
    lanes: int

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, PartFile]]:
        """Train the shards of each step from common weights, and average them."""
        steps = steps_of(self.sharding, self.options.epochs)
        begun = ready | "Begin" >> beam.FlatMap(_begun, **self.of_slices)
        for step in range(1, steps + 1):
            last = step == steps
            trained = begun | f"TrainShards{step}" >> Each(
                self.workspace,
                TrainShard(replace(self.options, min_count=1)),
                _shard_tasks,
                {"step": step - 1, "sharding": self.sharding},
                lanes=self.lanes,
                weight=attrgetter("space.tokens"),
                with_task=True,
            )
            averaged = trained | f"Average{step}" >> By(
                self.workspace,
                (AverageLast if last else AverageStep)(self.options.dim),
                _average_task,
                with_task=not last,
                frees=_averaged_files,
            )
            begun = averaged if last else averaged | f"AfterStep{step}" >> beam.Map(_begun_again)
        return begun


PieceKey = tuple[int, int]  # slice, piece


def _context_tasks(element: SliceReady, comparisons: Comparisons) -> Iterator[tuple[PieceKey, ContextTask]]:
    space = train_task(comparisons, element, 0)
    pieces = pieces_of(max(map(len, element.feeds)))
    for piece in range(pieces):
        yield (element.place, piece), context_task(space, piece, pieces)


def _grouped(element: tuple[PieceKey, CountedContexts]) -> tuple[PieceKey, tuple[int, CountedContexts]]:
    (place, piece), counted = element
    return (place, piece // ADDED), (piece, counted)


def _sum_task(
    key: PieceKey, counted: tuple[tuple[int, CountedContexts], ...], names: tuple[str, ...]
) -> Iterator[tuple[PieceKey, SumTask]]:
    place, number = key
    yield key, SumTask(names[place], number, tuple(part for _, part in sorted(counted, key=itemgetter(0))))


def _parts_added(task: SumTask) -> list[File]:
    return [part.cells for part in task.parts]


def _of_slice(element: tuple[PieceKey, CountedContexts]) -> tuple[int, tuple[int, CountedContexts]]:
    (place, number), total = element
    return place, (number, total)


def _represent_tasks(
    place: int,
    contexts: tuple[tuple[int, CountedContexts], ...],
    ready: tuple[SliceReady, ...],
    comparisons: Comparisons,
) -> Iterator[tuple[SpaceKey, RepresentTask]]:
    totals = tuple(total for _, total in sorted(contexts, key=itemgetter(0)))
    for one in ready:
        for key, space in train_tasks(one, comparisons):
            yield key, represent_task(space, totals)


def _sums_represented(task: RepresentTask) -> list[File]:
    return [part.cells for part in task.contexts]


@dataclass
class RepresentSlices(beam.PTransform):
    """Count the contexts of every slice, and make a space of them for every seed.

    Attributes:
        counting: what counts as a context.
        options: what counts become.
        lanes: how many keys the pieces are dealt out to, by tokens.
        frees: whether nothing needs the counts of a slice once its space is made, as of null slices, with one seed.
    """

    workspace: Workspace
    comparisons: Comparisons
    counting: CountContexts
    options: RepresentationOptions
    lanes: int
    frees: bool

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, PartFile]]:
        """Count pieces, add them up, whatever the seeds, and make spaces of the sums."""
        of_slices = {"comparisons": self.comparisons}
        contexts = (
            ready
            | "CountPieces" >> Each(self.workspace, self.counting, _context_tasks, of_slices, lanes=self.lanes)
            | "KeyByGroup" >> beam.Map(_grouped)
            | "AddPieces"
            >> By(self.workspace, AddContexts(), _sum_task, {"names": self.comparisons.names}, frees=_parts_added)
            | "KeyBySlice" >> beam.Map(_of_slice)
        )
        return {"ready": ready | "KeyReady" >> beam.Map(by_place), "contexts": contexts} | "Represent" >> By(
            self.workspace,
            Represent(self.options),
            _represent_tasks,
            of_slices,
            frees=_sums_represented if self.frees else None,
        )


def _slice_parts(
    element: SentencePart, spec: ViewSpec, repeated: dict[str, list[str]]
) -> Iterator[tuple[str, list[SlicePart]]]:
    left_out = tuple(repeated.get(element.sha256, ()))
    yield element.sha256, [SlicePart(element, slice, left_out) for slice in spec.slices]


def _view_tasks(
    element: SentencePart, spec: ViewSpec, repeated: dict[str, list[str]], limits: list[int] | None = None
) -> Iterator[tuple[str, list[ViewTask]]]:
    bins = limits if limits is not None else [None] * len(spec.slices)
    for key, parts in _slice_parts(element, spec, repeated):
        yield key, [ViewTask(*task) for task in zip(parts, spec.ranges, bins, strict=True)]


def _limits(element: tuple[int, Iterable[list[MeasuredTokens]]], budget: int | str) -> list[int]:
    return limits_of(list(element[1]), budget)


@dataclass
class DeriveView(beam.PTransform):
    """Derive the training view of every part of `sentences`.

    Attributes:
        budget: most tokens per slice, `smallest` for those of the smallest slice, None for all.
        several: whether there are several corpora, whose common documents count once.
    """

    workspace: Workspace
    spec: ViewSpec
    budget: int | str | None
    lanes: int
    several: bool

    def expand(self, parts: beam.PCollection[SentencePart]) -> beam.PCollection[PartView]:
        """Measure slices, if a budget is to be kept, and derive the views."""
        spread = parts | "SpreadParts" >> SpreadOverLanes(
            weight=attrgetter("rows"),
            lanes=self.lanes,
            workspace=self.workspace,
            stage=ViewSlices.name,
            pieces=len(self.spec.slices),
        )
        copies = parts | "FindRepeated" >> FindRepeated(self.several)
        of_parts: dict[str, Any] = {"spec": self.spec, "repeated": beam.pvalue.AsDict(copies)}
        if self.budget is not None:
            measured = (
                spread
                | "Measure"
                >> Each(
                    self.workspace, MeasureTokens(self.spec.targets, self.spec.options), _slice_parts, dict(of_parts)
                )
                | "TakeMeasured" >> beam.Values()
                | "GatherMeasured" >> beam.WithKeys(0)
                | "GroupMeasured" >> beam.GroupByKey()
                | "FindLimits" >> beam.Map(_limits, self.budget)
            )
            of_parts["limits"] = beam.pvalue.AsSingleton(measured)
        return spread | "Derive" >> Each(
            self.workspace, ViewSlices.of_spec(self.spec, limited=self.budget is not None), _view_tasks, of_parts
        )


def each_slice(element: PartView) -> Iterator[tuple[int, Viewed]]:
    """Take a part's views apart, each with the place of its slice."""
    yield from enumerate(element[1])


def _part_counts(element: tuple[int, PartCounts]) -> tuple[int, PartCounts]:
    """Take what a slice's counts need, without the list of batches."""
    place, made = element
    return place, PartCounts(**{each.name: getattr(made, each.name) for each in fields(PartCounts)})


def _of_all(key: Any, values: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield the task that is all values of a key."""
    yield key, values


def _into_group(element: tuple[int, PartCounts], groups: int) -> tuple[tuple[int, int], PartCounts]:
    # By content, so that a part that changes has its own group summed again.
    return (element[0], hash_of(element[1].counts.sha256) % groups), element[1]


def _of_group(element: tuple[tuple[int, int], SliceCounts]) -> tuple[int, PartCounts]:
    (place, _), counts = element
    return _part_counts((place, counts))


def _by_range(element: tuple[int, Viewed]) -> Iterator[tuple[tuple[int, int], StagedView]]:
    place, viewed = element
    for ordinal, number in enumerate(viewed.ranges):
        yield (place, number), StagedView(viewed.staged, ordinal)


def _shuffled_by_slice(element: tuple[tuple[int, int], File]) -> tuple[int, tuple[int, File]]:
    (place, number), shuffled = element
    return place, (number, shuffled)


def _ready(element: tuple[int, dict[str, Iterable[Any]]]) -> Iterator[SliceReady]:
    place, joined = element
    ranges = sorted(joined["ranges"], key=itemgetter(0))
    for counts in joined["sizes"]:
        yield SliceReady(place, counts, (tuple(feed for _, feed in ranges),))


@dataclass
class MergeCounts(beam.PTransform):
    """Sum the counts of each slice's parts.

    Attributes:
        workspace: where artefacts lie.
        parts: how many parts there are of each slice; the counts of many are summed in groups first.
    """

    workspace: Workspace
    parts: int

    def expand(self, counts: beam.PCollection[tuple[int, PartCounts]]) -> beam.PCollection[tuple[int, SliceCounts]]:
        """Sum groups of parts, and the sums."""
        if groups := count_groups(self.parts):
            counts = (
                counts
                | "IntoGroups" >> beam.Map(_into_group, groups)
                | "MergeGroups" >> By(self.workspace, CountSlice(), _of_all)
                | "OfGroups" >> beam.Map(_of_group)
            )
        return counts | "MergeSlices" >> By(self.workspace, CountSlice(), _of_all)


@dataclass
class MergeSlices(beam.PTransform):
    """Bring together each slice's counts and its sentences in the order of training.

    Attributes:
        workspace: where artefacts lie.
        parts: how many views there are of each slice; the counts of many are summed in groups first.
    """

    workspace: Workspace
    parts: int

    def expand(self, viewed: beam.PCollection[tuple[int, Viewed]]) -> beam.PCollection[SliceReady]:
        """Merge counts and ranges, and join them."""
        sizes = viewed | "KeyBySlice" >> beam.Map(_part_counts) | "Counts" >> MergeCounts(self.workspace, self.parts)
        ranges = (
            viewed
            | "KeyByRange" >> beam.FlatMap(_by_range)
            | "Shuffle" >> By(self.workspace, ShuffleRange(), _of_all)
            | "KeyShuffledBySlice" >> beam.Map(_shuffled_by_slice)
        )
        return (
            {"sizes": sizes, "ranges": ranges}
            | "JoinBySlice" >> beam.CoGroupByKey()
            | "MakeReady" >> beam.FlatMap(_ready)
        )
