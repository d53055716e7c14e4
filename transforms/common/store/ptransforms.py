"""Beam glue that every domain uses: artefacts, spreading work over workers, merging, results.

MakeArtefact      a DoFn: (key, task) -> (key, receipt)
Each              PCollection[T] -> PCollection[(key, receipt)]: artefacts of the tasks of each element
By                PCollection[(key, T)], one or several by name -> the same, of all that has a key
Once              PCollection[T], one or several by name -> the same, of all elements together
stages_in         the stages whose artefacts a pipeline makes, with the entries of registries that count
stages_before     of each of them, those whose artefacts its own may be made from
stages_waited_for  of each of them, those that are over once it has finished
SpreadOverLanes   PCollection[T] -> PCollection[T], balanced over workers by weight
Collect           PCollection[(key, receipt)] -> PCollection[(0, all of them, in one order)]
NameParts         a DoFn: (key, receipt) -> Part
WriteResult       PCollection[T] -> one JSON file that the driver reads
"""

import functools
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, TypeVar

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.pipeline import AppliedPTransform, PipelineVisitor

from lexbeam.transforms.common.code.code_identity import differences, makings_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import (
    MEMORY,
    SUMMED,
    amount_of,
    amounts_told,
    counter_name,
    namespace,
    peak_memory,
)
from lexbeam.transforms.common.portions import pack
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import (
    Step,
    Workspace,
    announce,
    files_of,
    free_files,
    look_up,
    make_all,
    name_of,
    note_looked,
    want,
)
from lexbeam.transforms.common.store.identity import canonical
from lexbeam.transforms.common.store.models import offer
from lexbeam.transforms.common.store.receipts import File, Needed, encode
from lexbeam.transforms.common.store.tables import Part

T = TypeVar("T")
K = TypeVar("K")


def _pack(
    element: tuple[Any, Iterable[Any]],
    weight: Callable[[Any], float],
    lanes: int,
    workspace: Workspace,
    stage: str,
    pieces: int,
) -> Iterator[tuple[int, list[Any]]]:
    items = sorted(element[1])
    if stage:
        announce(workspace, stage, pieces * len(items))
    packed = pack([weight(item) for item in items], lanes)
    for lane, indices in enumerate(packed):
        yield lane, [items[index] for index in indices]


def _unpack(element: tuple[int, Iterable[list[T]]]) -> Iterator[T]:
    for items in element[1]:
        yield from items


def _note_plan(element: int, workspace: Workspace, stage: str, pieces: int) -> None:
    announce(workspace, stage, pieces * element)


@dataclass
class SpreadOverLanes(beam.PTransform):
    """Deal elements out to workers, each to one.

    Attributes:
        weight: work that an element stands for, in any unit.
        lanes: keys to deal out to, by weight, the heaviest first; elements must be sortable. With 0
            the runner deals elements out by its reshuffle: Flink to all of its slots in turn.
        workspace: where the number of elements is noted, for progress.
        stage: name of the stage that the elements are for; empty where the number is not to be
            noted, since it is known beforehand.
        pieces: artefacts that an element becomes.
    """

    weight: Callable[[Any], float]
    lanes: int
    workspace: Workspace
    stage: str
    pieces: int = 1

    def expand(self, elements: beam.PCollection[T]) -> beam.PCollection[T]:
        return self._packed(elements) if self.lanes else self._reshuffled(elements)

    def _reshuffled(self, elements: beam.PCollection) -> beam.PCollection:
        # A grouping by key would not do: few keys may well fall to one slot, all of them.
        if self.stage:
            (
                elements
                | "CountAll" >> beam.CombineGlobally(beam.combiners.CountCombineFn()).without_defaults()
                | "NotePlan" >> beam.Map(_note_plan, self.workspace, self.stage, self.pieces)
            )
        return elements | "DealOut" >> beam.Reshuffle()

    def _packed(self, elements: beam.PCollection) -> beam.PCollection:
        return (
            elements
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "PackIntoLanes" >> beam.FlatMap(_pack, self.weight, self.lanes, self.workspace, self.stage, self.pieces)
            | "GroupByLane" >> beam.GroupByKey()
            | "Unpack" >> beam.FlatMap(_unpack)
        )


class MakeArtefact(beam.DoFn):
    """Make a task's artefact, or take it up: `(key, task)` to `(key, receipt)`.

    Of a step that makes artefacts `together`, a task is a list of tasks, and so is the receipt.

    Args:
        workspace: where artefacts lie.
        step: what is made.
        entries: of a step whose tasks choose entries of registries: those that any of them chooses.
        with_task: whether receipts are handed on with their tasks, `(key, (task, receipt))`.

    In a workspace in which artefacts are only looked up, nothing is yielded for one that is not there, nor for one that
    cannot be made yet, since what was freed is wanted first.
    """

    def __init__(
        self,
        workspace: Workspace,
        step: Step[Any, Any],
        entries: Mapping[str, Collection[str]] | None = None,
        with_task: bool = False,
    ) -> None:
        self._workspace = workspace
        self._step = step
        self._entries = entries
        self._with_task = with_task
        self._makings = makings_of(self._step.code(), blas=self._step.blas)

    def chosen(self) -> tuple[str, Mapping[str, Collection[str]]]:
        """Return the name of the step, and the entries of registries that count in all tasks."""
        try:
            return self._step.name, self._step.entries(None, self._entries)
        except (AttributeError, TypeError) as error:  # there is no task to ask
            error.add_note(f"step {self._step.name}: its tasks choose; give `entries`, those that any of them chooses")
            raise

    def process(self, element: tuple[Any, Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the receipt.

        Raises:
            LexbeamError: this worker has other code, packages or, where they count, kernels of BLAS than the driver.
        """
        here = makings_of(self._step.code(), blas=self._step.blas)
        if here != self._makings:
            raise LexbeamError(
                f"step {self._step.name}: this worker is not as the driver is, and would make other bytes: "
                + "; ".join(differences(self._makings, here))
            )
        key, task = element
        tasks = task if self._step.together else [task]
        if self._workspace.looked:
            receipts = look_up(self._workspace, self._step, tasks)
            names = (name_of(self._step, each) for each in tasks)
            stems = [files.join(self._workspace.stage(self._step.name), name) for name in names]
            note_looked(self._workspace, self._step.name, stems, tasks, receipts)
            if None in receipts:
                return
        else:
            offer(self._workspace)
            amounts_told()  # what is left of an artefact that could not be made
            made: list[tuple[Any, Any]] = []
            begun = time.perf_counter()
            try:
                receipts = make_all(self._workspace, self._step, tasks, made=lambda *each: made.append(each))
            except Needed as error:
                if not self._workspace.wanted:
                    raise
                there = look_up(self._workspace, self._step, tasks)
                missing = [task for task, receipt in zip(tasks, there, strict=True) if receipt is None]
                if missing:
                    want(self._workspace, missing, error.path)
                    return
                receipts = there
            _note_used(self._step.name, len(tasks) - len(made), made, time.perf_counter() - begun)
        receipt = receipts if self._step.together else receipts[0]
        yield key, (task, receipt) if self._with_task else receipt


def _note_used(stage: str, there: int, made: Sequence[tuple[Any, Any]], seconds: float) -> None:
    """Count what artefacts took, which the runner sums over elements and hands to the driver."""
    counters = _counters(stage)
    counters["there"].inc(there)
    if not made:
        return
    counters["elements"].inc(len(made))
    counters["microseconds"].inc(round(seconds * 1e6))
    counters["bytes"].inc(sum(file.bytes for _, receipt in made for file in files_of(receipt)))
    for name in ("documents", "tokens"):
        counters[name].inc(sum(amount_of(name, receipt, task) for task, receipt in made))
    for name, number in amounts_told().items():
        counters[name].inc(number)
    counters[MEMORY].update(peak_memory())


@functools.cache
def _counters(stage: str) -> dict[str, Any]:
    space = namespace(stage)
    counters: dict[str, Any] = {name: Metrics.counter(space, counter_name(name)) for name in SUMMED}
    return counters | {MEMORY: Metrics.distribution(space, counter_name(MEMORY))}


class _Reach(NamedTuple):
    """What reaches a place of a graph.

    Attributes:
        made: where artefacts are made that may reach it.
        over: where all artefacts have been made before anything reaches it.
    """

    made: frozenset[AppliedPTransform] = frozenset()
    over: frozenset[AppliedPTransform] = frozenset()

    @property
    def grouped(self) -> "_Reach":
        """What reaches it once all of it has come together."""
        return _Reach(self.made, self.over | self.made)


def _reaches(pipeline: beam.Pipeline) -> dict[AppliedPTransform, tuple[str, _Reach]]:
    """Return, of each place where artefacts are made, the name of the stage, and what reaches the place."""
    reach: dict[AppliedPTransform | None, _Reach] = {}
    found: dict[AppliedPTransform, tuple[str, _Reach]] = {}

    class Visitor(PipelineVisitor):
        def visit_transform(self, transform_node: AppliedPTransform) -> None:
            # A pipeline is visited in an order in which what is read comes first.
            main = [reach.get(value.producer, _Reach()) for value in transform_node.inputs]
            sides = [reach.get(side.pvalue.producer, _Reach()).grouped for side in transform_node.side_inputs]
            made = frozenset[AppliedPTransform]().union(*(one.made for one in (*main, *sides)))
            over = frozenset.intersection(*(one.over for one in main)) if main else frozenset()
            here = _Reach(made, over.union(*(side.over for side in sides)))
            if isinstance(transform_node.transform, beam.GroupByKey):
                here = here.grouped
            fn = getattr(transform_node.transform, "fn", None)
            if isinstance(fn, MakeArtefact):
                found[transform_node] = fn.chosen()[0], here
                here = _Reach(here.made | {transform_node}, here.over)
            reach[transform_node] = here

    pipeline.visit(Visitor())
    return found


def stages_before(pipeline: beam.Pipeline) -> dict[str, set[str]]:
    """Return, of each stage of a pipeline, all stages whose artefacts reach it, itself among them only if they do."""
    places = _reaches(pipeline)
    stages: dict[str, set[str]] = {}
    for stage, reach in places.values():
        stages.setdefault(stage, set()).update(places[place][0] for place in reach.made)
    return stages


def stages_waited_for(pipeline: beam.Pipeline) -> dict[str, set[str]]:
    """Return, of each stage of a pipeline, the stages that are over once it has finished, since it waits for them.

    Wherever such a stage makes artefacts, all have come together before the one that waits has made its last.
    """
    places = _reaches(pipeline)
    over: dict[str, set[AppliedPTransform]] = {}
    for stage, reach in places.values():
        over.setdefault(stage, set()).update(reach.over)
    of_stage: dict[str, set[AppliedPTransform]] = {}
    for place, (stage, _) in places.items():
        of_stage.setdefault(stage, set()).add(place)
    return {stage: {other for other, all_of in of_stage.items() if all_of <= before} for stage, before in over.items()}


def stages_in(pipeline: beam.Pipeline) -> dict[str, dict[str, set[str]]]:
    """Return the stages whose artefacts a pipeline makes, each with the entries of registries that count."""
    stages: dict[str, dict[str, set[str]]] = {}

    class Visitor(PipelineVisitor):
        def visit_transform(self, transform_node: AppliedPTransform) -> None:
            fn = getattr(transform_node.transform, "fn", None)
            if isinstance(fn, MakeArtefact):
                stage, entries = fn.chosen()
                for registry, names in entries.items():
                    stages.setdefault(stage, {}).setdefault(registry, set()).update(names)
                stages.setdefault(stage, {})

    pipeline.visit(Visitor())
    return stages


def _tasks(element: T, tasks: Callable[..., Iterable[tuple[Any, Any]]], **sides: Any) -> Iterator[tuple[Any, Any]]:
    yield from tasks(element, **sides)


def _joined(
    element: tuple[Any, Any], tasks: Callable[..., Iterable[tuple[Any, Any]]], **sides: Any
) -> Iterator[tuple[Any, Any]]:
    key, values = element
    if isinstance(values, Mapping):
        yield from tasks(key, **{name: _in_order(of) for name, of in values.items()}, **sides)
    else:
        yield from tasks(key, _in_order(values), **sides)


def _of_all(
    element: tuple[Any, Any], tasks: Callable[..., Iterable[tuple[Any, Any]]], **sides: Any
) -> Iterator[tuple[Any, Any]]:
    _, values = element
    if isinstance(values, Mapping):
        yield from tasks(**{name: _in_order(of) for name, of in values.items()}, **sides)
    else:
        yield from tasks(_in_order(values), **sides)


def _in_order(values: Iterable[T]) -> tuple[T, ...]:
    """Return values in an order that hangs on what counts of them alone, not on where they lie or came from."""
    return tuple(sorted(values, key=canonical))


def _freed(element: tuple[K, tuple[Any, T]], of: Callable[[Any], Iterable[File]], with_task: bool) -> tuple[K, Any]:
    key, (task, receipt) = element
    free_files(of(task))
    return key, (task, receipt) if with_task else receipt


@dataclass
class Each(beam.PTransform):
    """Make the artefacts of the tasks of each element: `(key, receipt)`.

    Attributes:
        workspace: where artefacts lie.
        step: what is made.
        tasks: a pure function from an element, and what is read beside, to keys and tasks.
        sides: what is read beside, by the names of the function's arguments.
        lanes: how many keys tasks are dealt out to, by weight; None: they stay where they are.
        weight: work that a task stands for, in any unit.
        noted: whether the number of tasks is noted, for progress, since the plan does not know it.
        entries: of registries, that any task chooses, where tasks choose.
        with_task: whether receipts are handed on with their tasks, `(key, (task, receipt))`.
        frees: the files of a task that nothing needs any more once its artefact is made; None: all stay.
    """

    workspace: Workspace
    step: Step[Any, Any]
    tasks: Callable[..., Iterable[tuple[Any, Any]]]
    sides: Mapping[str, Any] = field(default_factory=dict)
    lanes: int | None = None
    weight: Callable[[Any], float] = attrgetter("weight")
    noted: bool = False
    entries: Mapping[str, Collection[str]] | None = None
    with_task: bool = False
    frees: Callable[[Any], Iterable[File]] | None = None

    def expand(self, elements: beam.PCollection[Any]) -> beam.PCollection[tuple[Any, Any]]:
        """Make tasks of the elements, and artefacts of the tasks."""
        return self._made(elements | "MakeTasks" >> beam.FlatMap(_tasks, self.tasks, **self.sides))

    def _made(self, tasks: beam.PCollection) -> beam.PCollection:
        if self.lanes is not None:
            noted = self.step.name if self.noted else ""
            tasks = tasks | "Spread" >> SpreadOverLanes(self._weigh, self.lanes, self.workspace, noted)
        frees = self.frees if self.workspace.frees else None
        with_task = self.with_task or frees is not None
        made = tasks | "Make" >> beam.ParDo(
            MakeArtefact(self.workspace, self.step, entries=self.entries, with_task=with_task)
        )
        return made if frees is None else made | "Free" >> beam.Map(_freed, frees, self.with_task)

    def _weigh(self, element: tuple[Any, Any]) -> float:
        return self.weight(element[1])


@dataclass
class By(Each):
    """Make the artefacts of all that has one key: of `(key, value)`, or of several such collections by name.

    `tasks` takes the key, and the values as a tuple; of several collections as arguments by their names, `()` where
    there are none. Values come in the order of what counts of them, whatever order they were made in.
    """

    def expand(self, collections: Any) -> beam.PCollection[tuple[Any, Any]]:
        """Group the elements, make tasks of groups, and artefacts of the tasks."""
        several = isinstance(collections, Mapping)
        grouped = collections | "Group" >> (beam.CoGroupByKey() if several else beam.GroupByKey())
        return self._made(grouped | "MakeTasks" >> beam.FlatMap(_joined, self.tasks, **self.sides))


@dataclass
class Once(Each):
    """Make the artefacts of all elements together, of one collection, or of several by name; none if there are none.

    `tasks` takes the elements as `By` gives values to it, without a key.
    """

    def expand(self, collections: Any) -> beam.PCollection[tuple[Any, Any]]:
        """Bring all elements together, make tasks of them, and artefacts of the tasks."""
        if isinstance(collections, Mapping):
            keyed = {name: of | f"Key {name}" >> beam.WithKeys(0) for name, of in collections.items()}
            grouped = keyed | "Group" >> beam.CoGroupByKey()
        else:
            grouped = collections | "Key" >> beam.WithKeys(0) | "Group" >> beam.GroupByKey()
        return self._made(grouped | "MakeTasks" >> beam.FlatMap(_of_all, self.tasks, **self.sides))


class NameParts(beam.DoFn):
    """Name the parts of a table: `(key, receipt)` to `Part`.

    Args:
        table: its name.
        field: of the receipt, which has the part; empty: the receipt is the part.
        keys: all keys, in the order of the parts; None: keys are the parts' numbers.
    """

    def __init__(self, table: str, field: str = "", keys: Iterable[Hashable] | None = None) -> None:
        self._table = table
        self._field = field
        self._numbers = None if keys is None else {key: number for number, key in enumerate(keys)}

    def process(self, element: tuple[Any, Any]) -> Iterator[Part]:
        """Yield the part."""
        key, receipt = element
        number = key if self._numbers is None else self._numbers[key]
        yield Part.of(self._table, number, _of(receipt, self._field))


def _of(receipt: Any, name: str) -> Any:
    return getattr(receipt, name) if name else receipt


def _taken(element: tuple[K, Any], field: str) -> tuple[int, tuple[K, Any]]:
    key, receipt = element
    return 0, (key, _of(receipt, field))


def _ordered(element: tuple[int, Iterable[tuple[Any, Any]]], keyed: bool) -> tuple[int, tuple[Any, ...]]:
    if keyed:
        return 0, tuple(sorted(element[1], key=itemgetter(0)))
    return 0, tuple(sorted((receipt for _, receipt in element[1]), key=_digest))


def _digest(receipt: object) -> str:
    return next(files_of(receipt)).sha256


@dataclass
class Collect(beam.PTransform):
    """Bring receipts together, for a task that is made of all: `(0, tuple)`; nothing if there are none.

    Attributes:
        field: of the receipts, what is collected; empty: they themselves.
        keyed: whether they are collected with their keys, and in the order of these; else by the
            digest of their first file.
    """

    field: str = ""
    keyed: bool = False

    def expand(self, made: beam.PCollection[tuple[Hashable, object]]) -> beam.PCollection[tuple[int, tuple[Any, ...]]]:
        return (
            made
            | "Take" >> beam.Map(_taken, self.field)
            | "GroupAll" >> beam.GroupByKey()
            | "Order" >> beam.Map(_ordered, self.keyed)
        )


def _write(element: tuple[int, Iterable[object]], path: str) -> None:
    rows = sorted(encode(row) for row in element[1])
    files.write_bytes(path, b"[" + b",".join(rows) + b"]")


@dataclass
class WriteResult(beam.PTransform):
    """Write small rows, dataclasses or named tuples, as one JSON list at `path`, in one order."""

    path: str

    def expand(self, rows: beam.PCollection[object]) -> beam.PCollection[None]:
        return (
            rows
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "Write" >> beam.Map(_write, self.path).with_output_types(type(None))
        )
