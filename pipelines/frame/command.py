"""What a command is, and what it gets when it runs.

A command makes tables by a graph (`build`) or does something else (`action`); what all commands have in
common is in `pipelines/frame/running.py`. Modules of commands import neither Beam nor anything else that
takes seconds at their top: `build` does, when it is called.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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

__all__ = [
    "Action",
    "Command",
    "Graph",
    "HandedBack",
    "InputTable",
    "Inputs",
    "Job",
    "StringCall",
    "TableSource",
    "View",
]

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

    def tasks(
        self, pipeline: "beam.Pipeline", label: str, tasks: Iterable[Any], *stages: Any
    ) -> "beam.PCollection":
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


_NO_OPENING = Opening()


def _nothing_read(_: object) -> Sequence[TableSource]:
    return ()


def _no_check(_: object) -> None:
    return None


def _nothing_known(_: object) -> Mapping[str, Any]:
    return {}


def _nothing_more(_: object, __: HandedBack) -> Mapping[str, Any]:
    return {}


def _nothing_after(_: object, __: Snapshot, ___: Callable[[str], object]) -> None:
    return None


def _no_lines(_: Snapshot) -> Iterator[Block]:
    return iter(())


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


def _nothing_moved(_: Snapshot, __: Snapshot, ___: int) -> None:
    return None


def _no_views() -> Registry[View[Any]]:
    return Registry({}, what="view")


def _no_panels(_: Snapshot) -> Sequence[Any]:
    return ()


def _no_quotes(_: Snapshot, __: Sequence[str]) -> Sequence[Any]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Command(Generic[O, P]):
    """A command.

    Attributes:
        options: dataclass of its options; a command that publishes derives it from `PublishOptions`.
        examples: command lines for `--help`.
        tables: the tables that it makes.
        reads: from options, the tables that it reads.
        check: raises UsageError for options that are wrong; it may read the files that they name.
        stages: the stages whose artefacts it may make; its graph says which it does.
        year_check: from options, a function that says what the years that have documents lack for this
            command, or None if nothing; it is called before the documents that the same run takes in
            are annotated. None: the command needs no years.
        plan: from options and inputs, what is to be done; checks all that can be checked. No Beam. It raises
            NoDataError, as an action may, if that is nothing for want of data: the section is empty, then.
        build: adds its transforms to a pipeline; returns what is handed back, by name: `parts`,
            of type `Part`, and others, of the types in `rows`. For progress, `Graph.tasks` counts the tasks
            of a stage; `Graph.expect` gives the number for stages whose tasks come from other stages.
        rows: the types of the rows that `build` hands back besides `parts`.
        weights: from options, roughly how much work its stages are, by name, for progress: seconds
            on one core for a million tokens. No time is estimated for a stage that is missing.
        waits: by stage, the stages that are over once it has finished, since it waits for all of their
            artefacts; for progress of stages whose total is unknown, or estimated too high.
        resources: from a plan, the digests of what is read besides tables, input files and objects of
            the plan that describe themselves (`lexbeam.pipelines.frame.given.described_in`).
        section: from a plan and the outcome, what else the manifest says: counts, mostly; `empty`, why its tables
            have no rows, if there is more to say than what it was made from.
        noted: from the outcome, what else the log beside the snapshot says. `had_gone` are the keys of the names of
            input files that had gone and were kept, as hexadecimal bytes of int64.
        preview: from a plan, the lines of `--dry-run`.
        after: from options, what is published and what takes lines: what is done in the end, such
            as writing files for other tools, even if everything was published already.
        piped: from what is published, the bytes for standard output where its only input, `inputs`, is `-`,
            standard input; None: it reads none.
        gauges: what can be bounded by the `gate` of a configuration besides the rows of its tables, by name.
        explains: its tables that say what was wrong; a run that fails leaves them to read.
        reworded: from what the manifest says of its section, the entries that are shown to a person
            in other words; None hides an entry, as one that others say already.
        summary: what a person reads in the end, from what is published.
        moved: from two snapshots that both have its section, and a number, the rows whose values moved most, at most
            so many; None: it has none.
        views: named questions, for `show` and for Python.
        opening: how the section begins in `lexbeam report`.
        report: its panels there.
        quotes: its panels that hold text of the corpus, which `report` can leave out; from what is
            published and the folders of the corpora to quote, if not those that it was made from.
        action: what a command without a graph does; tables that it returns are published.
        takes_beam: whether an action takes Beam options.
        strings: what its Python function does with strings; None: nothing, or, of a command with `piped`, what that
            does with a text.
    """

    options: type[O]
    examples: str = ""
    tables: tuple[Table, ...] = ()
    reads: Callable[[O], Sequence[TableSource]] = _nothing_read
    check: Callable[[O], object] | None = None
    stages: tuple[Any, ...] = ()
    year_check: Callable[[O], Callable[[Collection[int]], str | None] | None] = _no_check
    plan: Callable[[O, Inputs], P] | None = None
    build: Callable[["beam.Pipeline", P, Graph], Mapping[str, "beam.PCollection"]] | None = None
    rows: Mapping[str, type] = field(default_factory=dict)
    weights: Callable[[O], Mapping[str, float]] = _nothing_known
    waits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    resources: Callable[[P], Mapping[str, Any]] = _nothing_known
    section: Callable[[P, HandedBack], Mapping[str, Any]] = _nothing_more
    noted: Callable[[HandedBack], Mapping[str, Any]] = _nothing_known
    preview: Callable[[P], Iterable[str]] | None = None
    reworded: Callable[[Mapping[str, Any]], Mapping[str, str | None]] = _nothing_known
    summary: Callable[[Snapshot], Iterable[Block]] = _no_lines
    after: Callable[[O, Snapshot, Callable[[str], object]], None] = _nothing_after
    piped: Callable[[Snapshot], Iterable[bytes]] | None = None
    gauges: Mapping[str, Gauge] = field(default_factory=dict)
    explains: tuple[Table, ...] = ()
    moved: Callable[[Snapshot, Snapshot, int], Moved | None] = _nothing_moved
    views: Registry[View[Any]] = field(default_factory=_no_views)
    opening: Opening = _NO_OPENING
    report: Callable[[Snapshot], Sequence[Any]] = _no_panels
    quotes: Callable[[Snapshot, Sequence[str]], Sequence[Any]] = _no_quotes
    action: Callable[[O, Action], Mapping[str, pa.Table] | None] | None = None
    takes_beam: bool = False
    strings: StringCall | None = None

    def stages_of(self, section: str) -> tuple[Stage[Any, Any, Any], ...]:
        """Return its stages; for an action that makes tables also a stage that stands for its code."""
        if self.action is None or not self.tables:
            return self.stages
        return (*self.making(section), action_stage(section, self.action))

    def making(self, section: str) -> tuple[Stage[Any, Any, Any], ...]:
        """Return those of its stages that make artefacts; for an action that makes tables one that writes them, too."""
        return self.stages if self.action is None or not self.tables else (*self.stages, written(section))

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
