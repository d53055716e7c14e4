"""Labelled files and word lists to instances: tables complexity/instances, labels, rejects.

    lexbeam complexity load lcp_single_train.tsv --layout complex --out lcp
    lexbeam complexity load Spanish_*.tsv --layout cwi2018 --out cwi --engine builtin:es

docs/tasks/complexity/load.md says what the layouts are, and what is flagged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lexbeam.pipelines.commands.intake import notes_told, text_engine
from lexbeam.pipelines.commands.options import annotation_engine, encodings, excluded_files, longest_line
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs
from lexbeam.pipelines.frame.common_options import IntakeOptions
from lexbeam.pipelines.frame.inputs import first_inputs
from lexbeam.pipelines.frame.openings import Opening
from lexbeam.schemas.complexity import FLAGS, INSTANCES, KINDS, LABELS, LOAD_INPUTS, LOAD_REJECTS
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.parts import stated_parts
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.sections import inputs_entry
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, amount, counts_tail, explained_counts
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.complexity.instances.labelled_instances import (
    READ,
    SETTLING,
    LabelledReadOptions,
    SettledInstances,
    acceptable_rows,
    task_of,
)
from lexbeam.transforms.complexity.instances.labelled_layouts import LAYOUTS
from lexbeam.transforms.complexity.shown.instance_views import INSTANCE_VIEWS
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.intake.intake_staging import LoadedCounts, reject_error
from lexbeam.transforms.intake.settling import TextAnnotationOptions
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn, counts_panel

if TYPE_CHECKING:
    import apache_beam as beam

INPUT = "input"
SECTION = "complexity.load"
REMEDY = (
    "Name another `layout` (`encoding`, `delimiter`, `quoting`), correct the rows, or allow more with "
    "`max_reject_share`."
)


@dataclass(frozen=True, kw_only=True)
class ComplexityLoadOptions(IntakeOptions):
    """Options of `lexbeam complexity load`."""

    inputs: tuple[str, ...] = option(
        help="files, folders or globs, compressed or not",
        metavar="FILE",
        positional=True,
        path="input",
        data="table",
        published=False,
    )
    layout: str = option(help="how the files are laid out", choices=LAYOUTS, group=INPUT)
    kind: str = option(
        "all", help="load targets of one word or multi-word expressions alone", choices=(*KINDS, "all"), group=INPUT
    )
    exclude: tuple[str, ...] = excluded_files(INPUT)
    genre: str | None = option(None, help="genre where the file does not say", group=INPUT)
    language: str | None = option(
        None,
        help="language where the row does not say; else of the file's name, of the engine, and English for complex",
        metavar="L",
        stands_for=stated_language,
        group=INPUT,
    )
    encoding: tuple[str, ...] = encodings(INPUT)
    delimiter: str = option("", help="of layout tsv; without it, found out", group=INPUT)
    quoting: bool = option(
        True,
        help="whether quotes mean something in layout tsv; not where cells are separated by tabs and a quote is stray",
        group=INPUT,
    )
    engine: str | None = annotation_engine("sentences")
    max_line_bytes: int = longest_line()


@dataclass(frozen=True)
class LoadPlan:
    """What is to be loaded, and how.

    Attributes:
        patterns: what names the files.
        load: how they are read.
        settle: how sentences are annotated.
        engine: name of the engine; empty: none.
        parts: parts of each table; 0: the corpus decides.
        max_reject_share: share of rejects above which nothing is published.
    """

    patterns: InputPatterns
    load: LabelledReadOptions
    settle: TextAnnotationOptions
    engine: str
    parts: int
    max_reject_share: float


def _reader(options: ComplexityLoadOptions) -> ReaderOptions:
    layout = LAYOUTS[options.layout]
    if layout.delimiter and (options.delimiter or not options.quoting):
        raise UsageError(f"`delimiter` and `quoting` are of layout tsv, not of {options.layout}")
    return ReaderOptions(
        encoding=options.encoding,
        delimiter=options.delimiter or layout.delimiter,
        quoting=layout.quoted and options.quoting,
        max_line_bytes=options.max_line_bytes,
    )


_GROUPS = SectionTable(
    "Loaded instances",
    "Instances of labelled files, by kind, genre and split.",
    (
        TableColumn("kind", "one word, or a multi-word expression", pa.string()),
        TableColumn("genre", "genre, or the corpus that a file names", pa.string()),
        TableColumn("published_split", "the split that the file's name says", pa.string(), "published split"),
        TableColumn("instances", "targets in their sentences"),
        TableColumn("labelled", "those that have a complexity"),
    ),
)


class ComplexityLoad(Command[ComplexityLoadOptions, LoadPlan]):
    """`lexbeam complexity load`."""

    options = ComplexityLoadOptions
    examples = """\
  lexbeam complexity load lcp_single_train.tsv lcp_single_trial.tsv --layout complex --out lcp \\
      --engine builtin:en
  lexbeam complexity load Spanish_Train.tsv Spanish_Dev.tsv --layout cwi2018 --out cwi
  lexbeam complexity load words.txt --layout tsv --out words --language de"""
    tables = (INSTANCES, LABELS, LOAD_REJECTS, LOAD_INPUTS)
    explains = (LOAD_REJECTS,)
    stages = (READ, *SETTLING.all())
    rows: Mapping[str, type] = {"counts": LoadedCounts, "settled": SettledInstances}
    views = INSTANCE_VIEWS
    opening = Opening(
        "Labelled words in sentences",
        "Words in their sentences with people's judgments of how complex they are, as read from files: counts "
        "by genre and kind, how complexity is spread, and what was left out and why.",
        ("layout", "kind", "genre", "language", "engine"),
    )

    def check(self, options: ComplexityLoadOptions) -> None:
        _reader(options)
        if options.engine:
            describe_engine(options.engine)

    def plan(self, options: ComplexityLoadOptions, __: Inputs) -> LoadPlan:
        engine = text_engine(options.engine)
        patterns, *_ = first_inputs(options.inputs, options.exclude, options.out)
        return LoadPlan(
            patterns,
            LabelledReadOptions(
                layout=options.layout,
                kind=options.kind,
                genre=options.genre,
                language=options.language,
                engine_language=engine.language,
                reader=_reader(options),
                forgotten=forgotten_at(options.out),
            ),
            engine.options,
            engine.name,
            stated_parts(options.parts),
            options.max_reject_share,
        )

    def build(self, pipeline: "beam.Pipeline", plan: LoadPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        from lexbeam.transforms.intake.intake_ptransforms import LoadFiles, SettleParts

        workspace, lanes = graph.workspace, graph.lanes
        patterns = graph.tasks(pipeline, "Inputs", [plan.patterns])
        loaded = patterns | "Load" >> LoadFiles(workspace, graph.scratch, READ, plan.load, lanes)
        acceptable = partial(acceptable_rows, share=plan.max_reject_share)
        settled, counts, parts = loaded | "Settle" >> SettleParts(
            workspace, SETTLING, plan.settle, acceptable, plan.parts, lanes, task_of
        )
        return {"parts": parts, "counts": counts, "settled": settled}

    def resources(self, plan: LoadPlan) -> Mapping[str, Any]:
        return {"engine": plan.settle.fingerprint or None}

    def section(self, plan: LoadPlan, outcome: HandedBack) -> Mapping[str, Any]:
        counts: LoadedCounts
        (counts,) = outcome.rows["counts"]
        settled: list[SettledInstances] = outcome.rows["settled"]
        if not acceptable_rows(counts, plan.max_reject_share):
            raise reject_error(counts, plan.max_reject_share, REMEDY)
        flags = totals(part.flags for part in settled)
        rows = [row for part in settled for row in part.groups]
        groups = totals({row[:3]: row[3]} for row in rows)
        labelled = totals({row[:3]: row[4]} for row in rows)
        return {
            "engine": plan.engine or None,
            "inputs": inputs_entry(LOAD_INPUTS.name, outcome.of_table(LOAD_INPUTS.name), counts.bytes),
            **({"notes": counts.notes} if counts.notes else {}),
            "instances": groups.total(),
            "labelled": labelled.total(),
            "rejected": counts.rejected,
            "rejects": counts.reasons,
            "flags": {name: flags[name] for name in FLAGS if flags[name]},
            "groups": [
                {
                    "kind": key[0],
                    "genre": key[1],
                    "published_split": key[2],
                    "instances": groups[key],
                    "labelled": labelled[key],
                }
                for key in sorted(groups, key=repr)
            ],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section(SECTION)
        yield (
            f"{amount(section['instances'], 'instances')}, {section['labelled']} with a label; "
            f"{amount(section['rejected'], 'rows')} rejected" + counts_tail(section["rejects"])
        )
        yield _GROUPS.grid(section["groups"])
        yield from explained_counts(section["flags"], FLAGS)
        yield from notes_told(section, LOAD_INPUTS.name)

    def report(self, snapshot: Snapshot) -> list[Panel]:
        section = snapshot.section(SECTION)
        text = "What is not as it should be; all rows are kept."
        flags = counts_panel("Flags of instances", text, section["flags"], FLAGS, name="flag", of="instances")
        return [_GROUPS.panel(section["groups"]), flags]
