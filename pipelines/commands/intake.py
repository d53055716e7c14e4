"""What commands have in common that take in files of people: plan and graph, digests, the engine for their texts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lexbeam.pipelines.frame.command import Graph, HandedBack
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.layout import Section
from lexbeam.transforms.common.publish.sections import inputs_entry
from lexbeam.transforms.common.store.artefacts import Step
from lexbeam.transforms.common.store.files import ListedFile
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns
from lexbeam.transforms.intake.intake_staging import LoadedCounts, RejectRule
from lexbeam.transforms.intake.settling import SettleRows, TextAnnotationOptions

if TYPE_CHECKING:
    import apache_beam as beam

T = TypeVar("T")


def file_digests(files: Iterable[InputFile | ListedFile]) -> list[dict[str, Any]]:
    """Return what the manifest says of files: name, bytes and SHA-256."""
    return [{"name": file.name, "bytes": file.size, "sha256": content_digest(file.path)} for file in files]


def notes_told(section: Section, table: str) -> Iterator[str]:
    """Yield what readers changed or guessed, for a summary; `table` has that of each file."""
    if notes := section.get("notes"):
        yield f"while reading: {', '.join(f'{note} {number}' for note, number in notes.items())}; see {table}"


class TextEngine(NamedTuple):
    """The engine that annotates texts.

    Attributes:
        name: with its version; empty: none.
        language: the language that it is made for; None: none in particular.
        options: how texts are annotated.
    """

    name: str
    language: str | None
    options: TextAnnotationOptions


def text_engine(spec: str | None, layers: tuple[str, ...] = ()) -> TextEngine:
    """Return the engine that an option names, with these layers if it has them.

    Raises:
        UsageError: there is no such engine.
    """
    if not spec:
        return TextEngine("", None, TextAnnotationOptions(engine="", fingerprint=""))
    info = describe_engine(spec)
    try:
        info = describe_engine(spec, layers=layers)
    except UsageError:
        layers = ()
    options = TextAnnotationOptions(engine=spec, layers=layers, fingerprint=info.fingerprint)
    return TextEngine(info.name, info.language, options)


@dataclass(frozen=True, kw_only=True)
class IntakePlan:
    """What is taken in, and how.

    Attributes:
        patterns: what names the files; None: parts of tables are read.
        tables: parts of tables, with keys.
        read: reads files, or the parts.
        settle: makes the tables.
        engine: what annotates texts.
        parts: parts of each table; 0: the rows decide.
        max_reject_share: share of rejects above which nothing is published.
    """

    patterns: InputPatterns | None
    tables: tuple[tuple[Any, Any], ...] = ()
    read: Step[Any, Any]
    settle: SettleRows[Any]
    engine: TextEngine
    parts: int
    max_reject_share: float


def load(pipeline: "beam.Pipeline", plan: IntakePlan, graph: Graph) -> "beam.PCollection":
    """Read what a plan names; yields receipts with keys."""
    from lexbeam.transforms.common.store.ptransforms import Each
    from lexbeam.transforms.intake.intake_ptransforms import LoadFiles

    if plan.patterns is not None:
        patterns = graph.tasks(pipeline, "Inputs", [plan.patterns])
        return patterns | "Load" >> LoadFiles(graph.workspace, graph.scratch, plan.read, graph.lanes)
    parts = graph.tasks(pipeline, "Parts", plan.tables, plan.read)
    return parts | "Load" >> Each(graph.workspace, plan.read, _alone, lanes=graph.lanes, weight=attrgetter("size"))


def _alone(element: T) -> tuple[T]:
    return (element,)


def _rows_alone(part: MergeTask, _: LoadedCounts) -> MergeTask:
    return part


def settle(
    loaded: "beam.PCollection",
    plan: IntakePlan,
    graph: Graph,
    rule: RejectRule,
    deal: Callable[[MergeTask, LoadedCounts], Any] = _rows_alone,
) -> dict[str, "beam.PCollection"]:
    """Make the tables of what was loaded; returns their parts, the counts of all records, the receipts of parts.

    Args:
        loaded: receipts with keys.
        plan: how.
        graph: of the command.
        rule: which rejects are faults.
        deal: from the rows of a part, and the counts of all, its task.
    """
    import apache_beam as beam

    from lexbeam.transforms.intake.intake_ptransforms import SettleParts

    accepts = partial(rule.accepts, share=plan.max_reject_share)
    of_files = plan.patterns is not None
    settled, counts, parts = (
        loaded
        | "Loaded" >> beam.Values()
        | "Settle" >> SettleParts(graph.workspace, plan.settle, accepts, plan.parts, graph.lanes, of_files, deal)
    )
    return {"parts": parts, "counts": counts, "settled": settled}


def inputs_of(plan: IntakePlan, outcome: HandedBack) -> dict[str, Any]:
    """Return what the manifest says of input files; nothing where tables are read, which it says elsewhere."""
    if plan.patterns is None:
        return {}
    (counts,) = outcome.rows["counts"]
    table = plan.settle.inputs.name
    return {"inputs": inputs_entry(table, outcome.of_table(table), counts.bytes)}
