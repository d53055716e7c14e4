"""What a command is: an entry of the registry, and what it is given when it runs.

A command makes tables by a graph (`build`) or does something else (`action`); all that is the same
for every command is done by `pipelines/frame/running.py`, once. Modules of commands import no Beam at
their top, nor anything else that takes seconds: `build` does, when it is called.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pyarrow as pa

from schemas.columns import Table
from transforms.common.code.registry import Registry
from transforms.common.errors import LexbeamError
from transforms.common.publish.sections import ReadTable, table_digest
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View
from transforms.common.publish.written import action_stage
from transforms.common.shown import Block
from transforms.common.store.artefacts import Stage, Workspace
from transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

    from transforms.lexicon.resources import Lexicon

__all__ = ["Action", "Command", "Graph", "HandedBack", "InputTable", "Inputs", "TableSource", "View"]

O = TypeVar("O")  # noqa: E741
P = TypeVar("P")


class TableSource(NamedTuple):
    """A table that a command reads.

    Attributes:
        table: its name.
        folder: where it is published; None: by the same run, else in the folder published to.
        optional: whether the command does without it.
    """

    table: str
    folder: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class InputTable:
    """A table that a command reads, found.

    Attributes:
        table: its name.
        parts: its parts.
        name: the section that it belongs to.
        section: what the manifest says of that section.
        own: whether it is in the folder that is published to.
        snapshot: where it is published; None: in the folder that is published to.
    """

    table: str
    parts: tuple[Part, ...]
    name: str
    section: Mapping[str, Any]
    own: bool
    snapshot: Snapshot | None = None

    @property
    def read(self) -> ReadTable:
        """What the section that is made from it notes."""
        return ReadTable(self.table, table_digest(self.parts), self.name if self.own else None)


class Inputs(NamedTuple):
    """The tables that a command reads, in the order in which it names them.

    Attributes:
        given: the tables.
        asked: by section, what later ones of the same run ask of this one (`Command.asks`).
    """

    given: tuple[InputTable, ...]
    asked: Mapping[str, Callable[[Collection[int]], str | None]] = MappingProxyType({})

    def of(self, table: str) -> tuple[InputTable, ...]:
        """Return all that is given of a table, one for each folder."""
        return tuple(given for given in self.given if given.table == table)

    def one(self, table: str) -> InputTable:
        """Return the one that is given of a table.

        Raises:
            LexbeamError: there is none, or there are several.
        """
        found = self.of(table)
        if len(found) != 1:
            raise LexbeamError(f"one table {table} is needed, and there are {len(found)}")
        return found[0]


class Graph(NamedTuple):
    """What a graph is built for.

    Attributes:
        workspace: where artefacts lie.
        lanes: how many keys work is dealt out to.
        here: whether all workers are on this machine and so can read what lies there.
    """

    workspace: Workspace
    lanes: int
    here: bool = True

    def carry(self, lexicon: "Lexicon") -> "Lexicon":
        """Return resources as the workers of this graph open them."""
        return lexicon if self.here else lexicon.carried(self.workspace)


class HandedBack(NamedTuple):
    """What a graph gave: the parts of its tables, and rows for the driver by name."""

    parts: tuple[Part, ...]
    rows: Mapping[str, list[Any]]

    def of_table(self, table: str) -> list[Part]:
        """Return the parts of a table, in order."""
        return sorted((p for p in self.parts if p.table == table), key=attrgetter("number"))


class Action(NamedTuple):
    """What an action is given beside its options.

    Attributes:
        tell: takes the lines that a person is to read.
        inputs: the tables that it reads, where it publishes tables of its own.
        beam: Beam options, where it runs pipelines.
        data: takes lines of data, which nobody may change; None: `tell` takes them.
    """

    tell: Callable[[str], object]
    inputs: Inputs = Inputs(())
    beam: Sequence[str] = ()
    data: Callable[[str], object] | None = None


def _nothing_read(_: Any) -> Sequence[TableSource]:
    return ()


def _nothing_asked(_: Any) -> None:
    return None


def _nothing_known(_: Any) -> Mapping[str, Any]:
    return {}


def _nothing_more(_: Any, __: HandedBack) -> Mapping[str, Any]:
    return {}


def _nothing_after(_: Any, __: Snapshot, ___: Callable[[str], object]) -> None:
    return None


def _no_lines(_: Snapshot) -> Iterator[Block]:
    return iter(())


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
        options: dataclass of its options; one that publishes derives from `PublishOptions`.
        examples: command lines for `--help`.
        tables: the tables that it makes.
        reads: from options, the tables that it reads.
        check: raises UsageError for options that are wrong; it may read the files that they name.
        stages: the stages whose artefacts it may make; which it does, its graph says.
        asks: from options, a function that says what the years that have documents lack for this
            command, or None; it is asked before what the same run takes in is worked on further.
            None: the command asks for nothing.
        plan: from options and inputs, what is to be done; checks all that can be checked. No Beam.
        build: adds its transforms to a pipeline; returns what is handed back, by name: `parts`,
            of type `Part`, and others, of the types in `rows`.
        rows: the types of the rows that `build` hands back beside `parts`.
        expected: from a plan, how many artefacts stages are to make, by name, for progress.
        weights: from options, about how much work its stages are, by name, for progress: seconds
            on one core for a million tokens. Of one that is missing nothing is foretold.
        waits: by stage, those that are over once it has made all of its own, some of which need
            all of theirs: for progress, of stages whose number is not known, or too high.
        resources: from a plan, the digests of what is read beside tables, input files and what the
            plan holds that describes itself (`pipelines.frame.inputs.described_in`).
        section: from a plan and the outcome, what else the manifest says: counts, mostly.
        preview: from a plan, what `--dry-run` tells.
        after: from options, what is published and what takes lines: what is done in the end, such
            as writing files for other tools; also where all was published already.
        explains: those of its tables that say what was wrong: a run that fails leaves them to read.
        reworded: from what the manifest says of its section, the entries that are shown to a person
            in other words; None hides an entry, as one that others say already.
        summary: what a person reads in the end, from what is published.
        views: named questions, for `show` and for Python.
        report: the panels of the section in `lexbeam report`.
        quotes: further panels of it that hold text of the corpus, which `report` can leave out;
            from what is published and folders of corpora to quote, if not those it was made from.
        action: what a command without a graph does; tables that it returns are published.
        takes_beam: whether an action takes Beam options.
    """

    options: type[O]
    examples: str = ""
    tables: tuple[Table, ...] = ()
    reads: Callable[[O], Sequence[TableSource]] = _nothing_read
    check: Callable[[O], object] | None = None
    stages: tuple[Stage[Any, Any, Any], ...] = ()
    asks: Callable[[O], Callable[[Collection[int]], str | None] | None] = _nothing_asked
    plan: Callable[[O, Inputs], P] | None = None
    build: Callable[["beam.Pipeline", P, Graph], Mapping[str, "beam.PCollection"]] | None = None
    rows: Mapping[str, type] = field(default_factory=dict)
    expected: Callable[[P], Mapping[str, int]] = _nothing_known
    weights: Callable[[O], Mapping[str, float]] = _nothing_known
    waits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    resources: Callable[[P], Mapping[str, Any]] = _nothing_known
    section: Callable[[P, HandedBack], Mapping[str, Any]] = _nothing_more
    preview: Callable[[P], Iterable[str]] | None = None
    reworded: Callable[[Mapping[str, Any]], Mapping[str, str | None]] = _nothing_known
    summary: Callable[[Snapshot], Iterable[Block]] = _no_lines
    after: Callable[[O, Snapshot, Callable[[str], object]], None] = _nothing_after
    explains: tuple[Table, ...] = ()
    views: Registry[View[Any]] = field(default_factory=_no_views)
    report: Callable[[Snapshot], Sequence[Any]] = _no_panels
    quotes: Callable[[Snapshot, Sequence[str]], Sequence[Any]] = _no_quotes
    action: Callable[[O, Action], Mapping[str, pa.Table] | None] | None = None
    takes_beam: bool = False

    def stages_of(self, section: str) -> tuple[Stage[Any, Any, Any], ...]:
        """Return its stages; of an action that makes tables, one that stands for its code."""
        if self.action is None or not self.tables:
            return self.stages
        return (*self.stages, action_stage(section, self.action))

    @property
    def table_names(self) -> tuple[str, ...]:
        """The names of the tables that it makes."""
        return tuple(table.name for table in self.tables)
