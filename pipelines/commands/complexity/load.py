"""Labelled files and word lists to instances: tables complexity/instances, labels, rejects.

    lexbeam complexity load lcp_single_train.tsv --layout complex --out lcp
    lexbeam complexity load Spanish_*.tsv --layout cwi2018 --out cwi --engine builtin:es

docs/tasks/complexity/load.md says what the layouts are, and what is flagged.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pipelines.frame.command import Command, Graph, HandedBack, Inputs
from pipelines.frame.common_options import IntakeOptions, model_folder
from pipelines.frame.inputs import check_patterns, list_inputs
from schemas.columns import column
from schemas.complexity.instances import FLAGS, INSTANCES, KINDS, LABELS, LOAD_REJECTS
from transforms.annotation.engines.registry import check_engine, describe_engine
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store import files
from transforms.common.store.resources import content_digest
from transforms.complexity.instances.layouts import LAYOUTS
from transforms.complexity.instances.merge_stage import (
    LIST_REJECTS,
    SETTLE,
    SettledInstances,
    acceptable_files,
    settle_tasks,
)
from transforms.complexity.instances.read_stage import READ, LabelledReadOptions
from transforms.complexity.shown.views import INSTANCE_VIEWS
from transforms.formats.records.base import MOST_BYTES, ReaderOptions
from transforms.intake.merging import TextAnnotationOptions
from transforms.intake.row_files import RowFile
from transforms.intake.staging import Loaded, reasons_of, reject_error
from transforms.report.panels import Panel, Rows

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["LOAD", "ComplexityLoadOptions"]

INPUT = "input"
SECTION = "complexity.load"
NOTES = 10  # that the summary tells
REMEDY = (
    "Name another `layout` (`encoding`, `delimiter`, `quoting`), correct the rows, or allow more with "
    "`max_reject_share`."
)


def _check_engine(value: str) -> None:
    if value.partition(":")[0] == "none":
        raise UsageError("leave `engine` out where sentences are not to be annotated")
    check_engine(value)


@dataclass(frozen=True, kw_only=True)
class ComplexityLoadOptions(IntakeOptions):
    """Options of `lexbeam complexity load`."""

    inputs: tuple[str, ...] = option(
        help="files, folders or globs, compressed or not",
        metavar="FILE",
        positional=True,
        path="input",
        published=False,
    )
    layout: str = option(help="how the files are laid out", choices=LAYOUTS, group=INPUT)
    kind: str = option(
        "all", help="load targets of one word or multi-word expressions alone", choices=(*KINDS, "all"), group=INPUT
    )
    exclude: tuple[str, ...] = option((), help="patterns of files to leave out", check=check_patterns, group=INPUT)
    genre: str | None = option(None, help="genre where the file does not say", group=INPUT)
    language: str | None = option(
        None,
        help="language where the row does not say; else of the file's name, of the engine, and English for complex",
        metavar="L",
        group=INPUT,
    )
    encoding: tuple[str, ...] = option(("utf-8",), help="of several the first that takes a line", group=INPUT)
    delimiter: str = option("", help="of layout tsv; found out if not given", group=INPUT)
    quoting: bool = option(
        True,
        help="whether quotes mean something in layout tsv; not where cells are separated by tabs and a quote is stray",
        group=INPUT,
    )
    engine: str | None = option(
        None,
        help="annotate the sentences: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; "
        "without one there are word forms alone",
        path="place",
        within=model_folder,
        check=_check_engine,
        group="annotation",
    )
    max_line_bytes: int = option(
        1 << 20, help="longer rows are rejects", metavar="BYTES", least=1, most=MOST_BYTES, group="limits"
    )


@dataclass(frozen=True)
class LoadPlan:
    """What is to be loaded, and how.

    Attributes:
        files: the files.
        load: how they are read.
        settle: how sentences are annotated.
        engine: name of the engine; empty: none.
        parts: parts of each table.
        max_reject_share: share of rejects above which nothing is published.
    """

    files: tuple[RowFile, ...]
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


def _check(options: ComplexityLoadOptions) -> None:
    _reader(options)
    if options.engine:
        describe_engine(options.engine)


def _plan(options: ComplexityLoadOptions, _: Inputs) -> LoadPlan:
    listed = list_inputs(options.inputs, options.exclude, options.out)
    info = describe_engine(options.engine) if options.engine else None
    return LoadPlan(
        tuple(RowFile(one.name, one.path, one.size, content_digest(one.path)) for one in listed),
        LabelledReadOptions(
            layout=options.layout,
            kind=options.kind,
            genre=options.genre,
            language=options.language,
            engine_language=info.language if info else None,
            reader=_reader(options),
        ),
        TextAnnotationOptions(engine=options.engine or "", fingerprint=info.fingerprint if info else ""),
        info.name if info else "",
        options.parts,
        options.max_reject_share,
    )


def _build(pipeline: "beam.Pipeline", plan: LoadPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    import apache_beam as beam

    from transforms.intake.ptransforms import LoadRecords, SettleParts

    workspace, lanes = graph.workspace, graph.lanes
    deal = partial(settle_tasks, parts=plan.parts, share=plan.max_reject_share)
    files = pipeline | "Files" >> beam.Create([(one.name, one) for one in plan.files], False)
    loaded = files | "Load" >> LoadRecords(workspace, READ, plan.load, lanes)
    settled, parts = loaded | "Settle" >> SettleParts(
        workspace, SETTLE, plan.settle, LIST_REJECTS, LOAD_REJECTS.name, deal, lanes
    )
    return {"parts": parts, "loaded": loaded, "settled": settled}


def _expected(plan: LoadPlan) -> Mapping[str, int]:
    return {READ.name: len(plan.files), SETTLE.name: plan.parts, LIST_REJECTS.name: 1}


def _resources(plan: LoadPlan) -> Mapping[str, Any]:
    return {"engine": plan.settle.fingerprint or None}


def _section(plan: LoadPlan, outcome: HandedBack) -> Mapping[str, Any]:
    loaded: list[Loaded] = sorted(outcome.rows["loaded"], key=lambda one: one.name)
    settled: list[SettledInstances] = outcome.rows["settled"]
    if not acceptable_files(loaded, plan.max_reject_share):
        raise reject_error(loaded, plan.max_reject_share, REMEDY)
    reasons = reasons_of(loaded)
    flags: Counter[str] = Counter()
    groups: Counter[tuple[str, str | None, str | None]] = Counter()
    labelled: Counter[tuple[str, str | None, str | None]] = Counter()
    for part in settled:
        flags.update(part.flags)
        for kind, genre, split, number, with_label in part.groups:
            groups[kind, genre, split] += number
            labelled[kind, genre, split] += with_label
    return {
        "engine": plan.engine or None,
        "inputs": [
            {
                "name": one.name,
                "bytes": one.inputs[0].bytes,
                "sha256": one.inputs[0].sha256,
                "instances": one.count,
                "labelled": one.tally.get("labelled", 0),
                "rejects": dict(one.reasons),
                **({"notes": dict(one.notes)} if one.notes else {}),
            }
            for one in loaded
        ],
        "instances": sum(groups.values()),
        "labelled": sum(labelled.values()),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
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


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    section = snapshot.section(SECTION)
    yield (
        f"{section['instances']} instances, {section['labelled']} with a label; "
        f"{section['rejected']} rows rejected"
        + "".join(f", {reason} {number}" for reason, number in section["rejects"].items())
    )
    rows = tuple(
        (row["kind"], row["genre"] or "-", row["published_split"] or "-", str(row["instances"]), str(row["labelled"]))
        for row in section["groups"]
    )
    heads = ("kind", "genre", "published split", "instances", "labelled")
    yield Grid(heads, rows, frozenset({3, 4}), 2)
    for flag, number in section["flags"].items():
        yield f"  {flag} {number}: {FLAGS[flag]}"
    notes = [f"  {files.shown(row['name'])}: {note}" for row in section["inputs"] for note in row.get("notes", ())]
    yield from notes[:NOTES]
    if len(notes) > NOTES:
        yield f"  and so on, {len(notes)} notes; manifest.json has all"


def _panels(snapshot: Snapshot) -> list[Panel]:
    section = snapshot.section(SECTION)
    groups = pa.Table.from_pylist(
        section["groups"],
        schema=pa.schema(
            [
                column("kind", pa.string(), "one word, or a multi-word expression"),
                column("genre", pa.string(), "genre, or the corpus that a file names"),
                column("published_split", pa.string(), "the split that the file's name says"),
                column("instances", pa.int64(), "targets in their sentences"),
                column("labelled", pa.int64(), "those that have a complexity"),
            ]
        ),
    )
    flags = pa.table(
        {
            "flag": list(section["flags"]),
            "instances": list(section["flags"].values()),
            "what it says": [FLAGS[name] for name in section["flags"]],
        }
    )
    return [
        Rows("Loaded instances", "Instances of labelled files, by kind, genre and split.", groups),
        Rows("Flags of instances", "What is not as it should be; all rows are kept.", flags),
    ]


LOAD: Command[ComplexityLoadOptions, LoadPlan] = Command(
    options=ComplexityLoadOptions,
    examples="""\
  lexbeam complexity load lcp_single_train.tsv lcp_single_trial.tsv --layout complex --out lcp \\
      --engine builtin:en
  lexbeam complexity load Spanish_Train.tsv Spanish_Dev.tsv --layout cwi2018 --out cwi
  lexbeam complexity load words.txt --layout tsv --out words --language de""",
    tables=(INSTANCES, LABELS, LOAD_REJECTS),
    explains=(LOAD_REJECTS,),
    stages=(READ, SETTLE, LIST_REJECTS),
    check=_check,
    plan=_plan,
    build=_build,
    rows={"loaded": Loaded, "settled": SettledInstances},
    expected=_expected,
    resources=_resources,
    section=_section,
    summary=_summary,
    views=INSTANCE_VIEWS,
    report=_panels,
)
