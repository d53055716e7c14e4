"""What a command is, and what it gets when it runs.

A command makes tables by a graph (`build`) or does something else (`action`); what all commands have in
common is in `pipelines/frame/running.py`. Modules of commands import neither Beam nor anything else that
takes seconds at their top: `build` does, when it is called.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pyarrow as pa

from lexbeam.pipelines.frame.openings import Opening
from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.holding import Bound, Gauge
from lexbeam.transforms.common.publish.sections import ReadTable, table_digest
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.publish.written import action_stage, written
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Stage, Workspace, announce
from lexbeam.transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

    from lexbeam.transforms.lexicon.resources import Lexicon

O = TypeVar("O")  # noqa: E741
P = TypeVar("P")


class TableSource(NamedTuple):
    """A table that a command reads.

    Attributes:
        table: its name.
        folder: where it is published; None: it is made by the same run or published in the same folder.
        optional: whether the command can do without it.
        otherwise: what makes it do without it, for the message that the table is missing.
        needed: whether there is nothing to do where no such table has a row; the section is empty, then.
    """

    table: str
    folder: str | None = None
    optional: bool = False
    otherwise: str = ""
    needed: bool = False

    def is_in(self, out: str) -> bool:
        """Return whether it is read from the folder `out`, which the command publishes to."""
        return self.folder is None or files.real(self.folder) == files.real(out)


@dataclass(frozen=True)
class InputTable:
    """A table that a command reads, as it was found.

    Attributes:
        table: its name.
        parts: its parts.
        name: the section that it belongs to.
        section: the manifest's entry of that section.
        is_here: whether it is in the folder to publish to.
        snapshot: where it is published; None: in the folder to publish to.
    """

    table: str
    parts: tuple[Part, ...]
    name: str
    section: Mapping[str, Any]
    is_here: bool
    snapshot: Snapshot | None = None

    @property
    def read(self) -> ReadTable:
        """What the manifest notes of it in a section that is made from it."""
        return ReadTable(self.table, table_digest(self.parts), self.name if self.is_here else None)


class Inputs(NamedTuple):
    """The tables that a command reads, in the order in which it names them.

    Attributes:
        tables: the tables.
        year_checks: the checks of years by the sections of the same run that read this one, by section
            (`Command.year_check`).
    """

    tables: tuple[InputTable, ...]
    year_checks: Mapping[str, Callable[[Collection[int]], str | None]] = MappingProxyType({})

    def of(self, table: str) -> tuple[InputTable, ...]:
        """Return a table as it was found in each folder."""
        return tuple(source for source in self.tables if source.table == table)

    def only(self, table: str) -> InputTable:
        """Return a table that is read from a single folder.

        Raises:
            LexbeamError: no folder has it, or several have.
        """
        tables = self.of(table)
        if len(tables) != 1:
            raise LexbeamError(f"one table {table} is needed, and there are {len(tables)}")
        return tables[0]


class Graph(NamedTuple):
    """What a graph is built for.

    Attributes:
        workspace: where artefacts lie.
        lanes: how many keys work is dealt out to.
        here: whether all workers are on this machine and so can read its files.
        scratch: folder for files that workers hand to each other in this run alone; empty: there is none.
    """

    workspace: Workspace
    lanes: int
    here: bool = True
    scratch: str = ""

    @property
    def writes(self) -> bool:
        """Whether what options name beside tables is written: not where artefacts are only looked up."""
        return not self.workspace.looked

    def carry(self, lexicon: "Lexicon") -> "Lexicon":
        """Return resources in a form that the workers of this graph can open."""
        return lexicon if self.here else lexicon.carried(self.workspace)

    def tasks(self, pipeline: "beam.Pipeline", label: str, tasks: Iterable[Any], *stages: Any) -> "beam.PCollection":
        """Put tasks into a pipeline.

        Args:
            pipeline: the pipeline.
            label: of the transform.
            tasks: the tasks, or what they are made of one by one.
            stages: those that make one artefact of each task.
        """
        import apache_beam as beam

        elements = list(tasks)
        for stage in stages:
            self.expect(stage, len(elements))
        return pipeline | label >> beam.Create(elements, reshuffle=False)

    def expect(self, stage: Any, artefacts: int) -> None:
        """Tell progress how many artefacts a stage is to make."""
        announce(self.workspace, stage.name, artefacts)


class Moved(NamedTuple):
    """Rows whose values moved most between two snapshots, and a line that says how to read them."""

    rows: pa.Table
    note: str


class HandedBack(NamedTuple):
    """What a graph hands back to the driver: the parts of its tables, and other rows by name."""

    parts: tuple[Part, ...]
    rows: Mapping[str, list[Any]]

    def of_table(self, table: str) -> list[Part]:
        """Return the parts of a table, in order."""
        return sorted((p for p in self.parts if p.table == table), key=attrgetter("number"))


class Action(NamedTuple):
    """What an action gets besides its options.

    Attributes:
        tell: takes the lines for a person to read.
        inputs: the tables that it reads, if it publishes tables.
        beam: Beam options, if it runs pipelines.
        data: takes lines of data, which must reach their reader unchanged; None: `tell` takes them.
    """

    tell: Callable[[str], object]
    inputs: Inputs = Inputs(())
    beam: Sequence[str] = ()
    data: Callable[[str], object] | None = None


class StringCall(NamedTuple):
    """What a command does with strings from Python, in place of files and tables; it publishes nothing.

    Attributes:
        options: dataclass of its options; those without a default are the strings.
        returns: what the rows of the table are that it returns.
        answer: from options, the table.
    """

    options: type
    returns: str
    answer: Callable[[Any], pa.Table]


class Command(Generic[O, P]):
    """A command; each is a class with what differs from the usual, its methods in the order in which they are called.

    Attributes:
        options: dataclass of its options; a command that publishes derives it from `PublishOptions`.
        examples: command lines for `--help`.
        tables: the tables that it makes.
        explains: those of them that say what was wrong; a run that fails leaves them to read.
        stages: the stages whose artefacts it may make; its graph says which it does.
        waits: by stage, the stages that are over once it has finished, since it waits for all of their
            artefacts; for progress of stages whose total is unknown, or estimated too high.
        rows: the types of the rows that `build` hands back besides `parts`.
        takes_beam: whether an action takes Beam options.
        gauges: what can be bounded by the `gate` of a configuration besides the rows of its tables, by name.
        strings: what its Python function does with strings; None: nothing, or, of a command with `piped`, what that
            does with a text.
        views: named questions, for `show` and for Python.
        opening: how the section begins in `lexbeam report`.
    """

    options: type[O]
    examples: str = ""
    tables: tuple[Table, ...] = ()
    explains: tuple[Table, ...] = ()
    stages: tuple[Any, ...] = ()
    waits: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    rows: Mapping[str, type] = MappingProxyType({})
    takes_beam: bool = False
    gauges: Mapping[str, Gauge] = MappingProxyType({})
    strings: StringCall | None = None
    views: Registry[View[Any]] = Registry({}, what="view")
    opening: Opening = Opening()

    def reads(self, options: O) -> Sequence[TableSource]:
        """Return the tables that it reads."""
        return ()

    def check(self, options: O) -> object:
        """Raise UsageError for options that are wrong; it may read the files that they name."""
        return None

    def year_check(self, options: O) -> Callable[[Collection[int]], str | None] | None:
        """Return a function that says what the years that have documents lack for this command, or None if nothing.

        It is called before the documents that the same run takes in are annotated. None: no years are needed.
        """
        return None

    def plan(self, options: O, inputs: Inputs) -> P:
        """Return what is to be done, without Beam; check all that can be checked.

        It raises NoDataError, as an action may, if that is nothing for want of data: the section is empty, then.
        """
        return None  # type: ignore[return-value]

    def preview(self, plan: P) -> Iterable[str]:
        """Yield the lines of `--dry-run`."""
        raise NotImplementedError

    def weights(self, options: O) -> Mapping[str, float]:
        """Return roughly how much work its stages are, by name, for progress: seconds on one core for a million tokens.

        No time is estimated for a stage that is missing.
        """
        return {}

    def build(self, pipeline: "beam.Pipeline", plan: P, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Add its transforms to a pipeline; return what is handed back, by name.

        That are `parts`, of type `Part`, and others, of the types in `rows`. For progress, `Graph.tasks` counts the
        tasks of a stage; `Graph.expect` gives the number for stages whose tasks come from other stages.
        """
        raise NotImplementedError

    def action(self, options: O, action: Action) -> Mapping[str, pa.Table] | None:
        """Do what a command without a graph does; tables that it returns are published."""
        raise NotImplementedError

    def resources(self, plan: P) -> Mapping[str, Any]:
        """Return the digests of what is read besides tables, input files and what of the plan describes itself.

        The last is found by `lexbeam.pipelines.frame.given.described_in`.
        """
        return {}

    def section(self, plan: P, outcome: HandedBack) -> Mapping[str, Any]:
        """Return what else the manifest says: counts, mostly.

        `empty` is why its tables have no rows, if there is more to say than what it was made from.
        """
        return {}

    def noted(self, outcome: HandedBack) -> Mapping[str, Any]:
        """Return what else the log beside the snapshot says.

        `had_gone` are the keys of the names of input files that had gone and were kept, as hexadecimal bytes of int64.
        """
        return {}

    def summary(self, snapshot: Snapshot) -> Iterable[Block]:
        """Yield what a person reads in the end."""
        return ()

    def after(self, options: O, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
        """Do what is done in the end, such as writing files for other tools, even if all was published already."""
        return

    def piped(self, snapshot: Snapshot) -> Iterable[bytes]:
        """Yield the bytes for standard output where its only input, `inputs`, is `-`, standard input."""
        raise NotImplementedError

    def reworded(self, section: Mapping[str, Any]) -> Mapping[str, str | None]:
        """Return the entries of its section that are shown to a person in other words; None hides an entry."""
        return {}

    def moved(self, before: Snapshot, after: Snapshot, top: int) -> Moved | None:
        """Return the at most `top` rows whose values moved most; None: it has none.

        Both snapshots have its section.
        """
        return None

    def report(self, snapshot: Snapshot) -> Sequence[Any]:
        """Return its panels in `lexbeam report`."""
        return ()

    def quotes(self, snapshot: Snapshot, corpora: Sequence[str], /) -> Sequence[Any]:
        """Return its panels that hold text of the corpus, which `report` can leave out.

        `corpora` are the folders of the corpora to quote, if not those that it was made from.
        """
        return ()

    def has(self, hook: str) -> bool:
        """Return whether it does what no command does by default: `build`, `action`, `preview` or `piped`."""
        return getattr(type(self), hook) is not getattr(Command, hook)

    def stages_of(self, section: str) -> tuple[Stage[Any, Any, Any], ...]:
        """Return its stages; for an action that makes tables also a stage that stands for its code."""
        made = self.making(section)
        return made if made is self.stages else (*made, action_stage(section, self.action))

    def making(self, section: str) -> tuple[Stage[Any, Any, Any], ...]:
        """Return those of its stages that make artefacts; for an action that makes tables one that writes them, too."""
        return (*self.stages, written(section)) if self.tables and self.has("action") else self.stages

    @property
    def table_names(self) -> tuple[str, ...]:
        """The names of the tables that it makes."""
        return tuple(table.name for table in self.tables)


class Job(NamedTuple):
    """A command with its options, which makes the section `section`, within bounds."""

    section: str
    command: Command[Any, Any]
    options: Any
    bounds: tuple[Bound, ...] = ()

    def reads_here(self) -> list[TableSource]:
        """Return the tables that it reads from the folder that it publishes to."""
        return [source for source in self.command.reads(self.options) if source.is_in(self.options.out)]
