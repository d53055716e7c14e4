"""Labelled files and word lists to instances: tables complexity/instances, labels, rejects.

    lexbeam complexity load lcp_single_train.tsv --layout complex --out lcp
    lexbeam complexity load Spanish_*.tsv --layout cwi2018 --out cwi --engine builtin:es

docs/tasks/complexity/load.md says what the layouts are, and what is flagged.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lexbeam.pipelines.commands.intake import IntakePlan, inputs_of, load, notes_told, settle, text_engine
from lexbeam.pipelines.commands.options import annotation_engine, encodings, excluded_files, longest_line
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, IntakeOptions, Opening
from lexbeam.pipelines.frame.inputs import first_inputs
from lexbeam.schemas.complexity import FLAGS, INSTANCES, KINDS, LABELS, LOAD_INPUTS, LOAD_REJECTS
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.portions import stated_parts
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, amount, counts_tail, explained_counts
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.complexity.instances.labelled_instances import RULE, ReadLabelled, SettleLabelled, task_of
from lexbeam.transforms.complexity.instances.labelled_layouts import LAYOUTS
from lexbeam.transforms.complexity.shown.instance_views import INSTANCE_VIEWS
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.intake.intake_staging import LoadedCounts
from lexbeam.transforms.intake.settling import Settled, sum_settled
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


class ComplexityLoad(Command[ComplexityLoadOptions, IntakePlan]):
    """`lexbeam complexity load`."""

    options = ComplexityLoadOptions
    examples = """\
  lexbeam complexity load lcp_single_train.tsv lcp_single_trial.tsv --layout complex --out lcp \\
      --engine builtin:en
  lexbeam complexity load Spanish_Train.tsv Spanish_Dev.tsv --layout cwi2018 --out cwi
  lexbeam complexity load words.txt --layout tsv --out words --language de"""
    tables = (INSTANCES, LABELS, LOAD_REJECTS, LOAD_INPUTS)
    explains = (LOAD_REJECTS,)
    stages = (ReadLabelled, *SettleLabelled.steps())
    rows: Mapping[str, type] = {"counts": LoadedCounts, "settled": Settled}
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

    def plan(self, options: ComplexityLoadOptions, __: Inputs) -> IntakePlan:
        engine = text_engine(options.engine)
        patterns, *_ = first_inputs(options.inputs, options.exclude, options.out)
        return IntakePlan(
            patterns=patterns,
            read=ReadLabelled(
                layout=options.layout,
                kind=options.kind,
                genre=options.genre,
                language=options.language,
                engine_language=engine.language,
                reader=_reader(options),
                forgotten=forgotten_at(options.out),
            ),
            settle=SettleLabelled(annotate=engine.options),
            engine=engine,
            parts=stated_parts(options.parts),
            max_reject_share=options.max_reject_share,
        )

    def build(self, pipeline: "beam.Pipeline", plan: IntakePlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        return settle(load(pipeline, plan, graph), plan, graph, RULE, task_of)

    def resources(self, plan: IntakePlan) -> Mapping[str, Any]:
        return {"engine": plan.engine.options.fingerprint or None}

    def section(self, plan: IntakePlan, outcome: HandedBack) -> Mapping[str, Any]:
        (loaded,) = outcome.rows["counts"]
        RULE.check(loaded, plan.max_reject_share, REMEDY)
        counts = sum_settled(outcome.rows["settled"])
        groups = {tuple(json.loads(group)): group for group in counts["groups"]}
        return {
            "engine": plan.engine.name or None,
            **inputs_of(plan, outcome),
            **({"notes": loaded.notes} if loaded.notes else {}),
            "instances": counts["groups"].total(),
            "labelled": counts["labelled"].total(),
            "rejected": loaded.rejected,
            "rejects": loaded.reasons,
            "flags": {name: counts["flags"][name] for name in FLAGS if counts["flags"][name]},
            "groups": [
                {
                    **dict(zip(("kind", "genre", "published_split"), key, strict=True)),
                    "instances": counts["groups"][groups[key]],
                    "labelled": counts["labelled"][groups[key]],
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
