"""What a command is, what it gets when it runs, and the options that several commands take.

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

from lexbeam.pipelines.monitoring.lineage import check_lineage_place
from lexbeam.pipelines.monitoring.prometheus import check_metrics_file
from lexbeam.pipelines.runners.hooks import hook_words
from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.portions import AUTO, stated_parts
from lexbeam.transforms.common.publish.holding import Bound, Gauge
from lexbeam.transforms.common.publish.sections import ReadTable, table_digest
from lexbeam.transforms.common.publish.snapshots import Snapshot, View
from lexbeam.transforms.common.publish.written import ActionCode, WriteTables
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import AnyStep, Workspace, announce
from lexbeam.transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

    from lexbeam.transforms.lexicon.resources import Lexicon


def _no_subject(_: Mapping[str, Any]) -> str:
    return ""


class Opening(NamedTuple):
    """The words at the head of a section; a command states it once.

    Attributes:
        title: what the section is about; empty: the doc line of the command.
        text: what is shown, and how to read it.
        options: the options that matter most, as the command line names them, without dashes in front.
        subject: from what the manifest says of the section, what the title ends with, such as slices.
    """

    title: str = ""
    text: str = ""
    options: tuple[str, ...] = ()
    subject: Callable[[Mapping[str, Any]], str] = _no_subject


KEEP = ("all", "used", "published")
PARTS_HELP = "parts (files) of each table of records: a number, or auto: 8, and of large tables more by their size"
RUN = "run"
LIMITS = "limits"


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """Options of every command that looks at a folder."""

    path: str = option(help="folder of published tables", metavar="DIR", positional=True, path="place")


@dataclass(frozen=True, kw_only=True)
class HookOptions:
    """Options of every command after which readers may see another snapshot."""

    on_publish: str | None = option(
        None,
        help="run this once readers see another snapshot, until it ends well, with LEXBEAM_OUT, LEXBEAM_SNAPSHOT and "
        "LEXBEAM_TOKEN set; not by a shell",
        metavar="COMMAND",
        check=hook_words,
        published=False,
        group=RUN,
    )


@dataclass(frozen=True, kw_only=True)
class MonitoringOptions(HookOptions):
    """Options of what others are told of a run; none of them affects what is published."""

    prometheus: str | None = option(
        None,
        help="write metrics here when the run has ended, however it did, for node_exporter's textfile collector",
        metavar="FILE.prom",
        path="place",
        check=check_metrics_file,
        published=False,
        group=RUN,
    )
    openlineage: str | None = option(
        None,
        help="send OpenLineage events there: a file, to which they are added, or the URL of a server (extra "
        "openlineage); OPENLINEAGE_URL and the like count as well",
        metavar="FILE|URL",
        path="place",
        check=check_lineage_place,
        published=False,
        group=RUN,
    )


@dataclass(frozen=True, kw_only=True)
class KeepOptions(MonitoringOptions):
    """Options of what a folder keeps, and of what follows a publication; none of them affects what is published."""

    keep: str = option(
        "all",
        help="artefacts kept for later runs: all, those that this run made or took up, or only published parts",
        choices=KEEP,
        published=False,
        group=RUN,
    )
    keep_snapshots: int = option(
        2, help="snapshots kept, the new one among them; those with tags stay, too", least=1, published=False, group=RUN
    )
    keep_days: float = option(
        0, help="also keep every snapshot that was published in so many days", least=0, published=False, group=RUN
    )


@dataclass(frozen=True, kw_only=True)
class PublishOptions(KeepOptions):
    """Options of every command that publishes; none of them affects what is published."""

    out: str = option(help="folder of the published tables", path="place", published=False, group=RUN)
    resume: bool = option(
        False, help="continue a run that was cut off, with the same options", published=False, group=RUN
    )
    overwrite: bool = option(
        False, help="replace what is published there; artefacts are still reused", published=False, group=RUN
    )
    fresh: bool = option(False, help="make everything anew, whatever artefacts there are", published=False, group=RUN)
    drop: tuple[str, ...] = option(
        (), help="published sections to remove with this publication", metavar="SECTION", published=False, group=RUN
    )


def or_a_name(value: str) -> Within:
    """Return a value that is a path if something is there."""
    return Within("", value, perhaps=True)


def model_folder(engine: str) -> Within | None:
    """Return where the path is in `spacy:NAME_OR_PATH` and in `stanza:LANG:DIR`."""
    kind, _, rest = engine.partition(":")
    if kind == "builtin":  # what follows is a language, even if a folder has its name
        return None
    if kind == "stanza":
        language, _, folder = rest.partition(":")
        return Within(f"stanza:{language}:", folder) if folder else None
    return Within(f"{kind}:", rest, perhaps=True) if rest else None


@dataclass(frozen=True, kw_only=True)
class RunnerOptions(PublishOptions):
    """Options of every command that runs a pipeline."""

    runner_config: str = option(
        "direct",
        help="YAML file of runner_configs/, or its name; where others use this machine, direct or direct_multiprocess",
        metavar="FILE",
        path="place",
        within=or_a_name,
        published=False,
        group=RUN,
    )
    detach: bool = option(
        False,
        help="leave the work to a Flink cluster and end; the same command again goes on when it is done",
        published=False,
        group=RUN,
    )


@dataclass(frozen=True, kw_only=True)
class IntakeOptions(RunnerOptions):
    """Options of every command that makes tables of raw records."""

    max_reject_share: float = option(
        0.05, help="publish nothing if more than this share of input records is rejected", least=0, most=1, group=LIMITS
    )
    parts: str = option(AUTO, help=PARTS_HELP, metavar="N", check=stated_parts, group=RUN)


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

    def carry_all(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings by name, each with its `lexicon` as `carry` has it."""
        return {name: of._replace(lexicon=self.carry(of.lexicon)) for name, of in settings.items()}

    def each_part(
        self,
        pipeline: "beam.Pipeline",
        step: Any,
        tasks: Iterable[Any],
        made_of: Callable[..., Iterable[tuple[Any, Any]]],
        sides: Mapping[str, Any] = MappingProxyType({}),
        *,
        table: Table,
        receipts: str,
    ) -> dict[str, "beam.PCollection"]:
        """Make a part of a table from each task; return what is handed back: the parts, and the receipts by name.

        Args:
            pipeline: the pipeline.
            step: makes one; its receipt has a `part`.
            tasks: the tasks, or what they are made of one by one.
            made_of: makes them of that, see `Each`.
            sides: what it reads beside.
            table: the table.
            receipts: what the receipts are called.
        """
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts

        parts = self.tasks(pipeline, "Parts", tasks, step)
        made = parts | "Make" >> Each(self.workspace, step, made_of, sides, lanes=self.lanes)
        return {
            "parts": made | "Name" >> beam.ParDo(NameParts(table.name, "part")),
            receipts: made | "Receipts" >> beam.Values(),
        }

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
    stages: tuple[AnyStep, ...] = ()
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

        The last is found by `lexbeam.pipelines.frame.inputs.described_in`.
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

    def stages_of(self, section: str) -> tuple[AnyStep, ...]:
        """Return its stages; for an action that makes tables also a stage that stands for its code."""
        made = self.making(section)
        return made if made is self.stages else (*made, ActionCode(section, self.action))

    def making(self, section: str) -> tuple[AnyStep, ...]:
        """Return those of its stages that make artefacts; for an action that makes tables one that writes them, too."""
        return (*self.stages, WriteTables(section)) if self.tables and self.has("action") else self.stages

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
