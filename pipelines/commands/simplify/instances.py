"""Words to simplify, in their sentences: tables simplification/instances, substitutes, rejects.

    lexbeam simplify instances ALEXSIS.tsv --layout alexsis --language es --out alexsis
    lexbeam simplify instances sentences.txt --layout text --language en --out own

docs/tasks/simplification/instances.md says what the layouts are, and what is flagged.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import IntakeOptions, model_folder
from pipelines.frame.inputs import check_patterns, list_inputs
from schemas.complexity.instances import INSTANCES as COMPLEX
from schemas.complexity.instances import LABELS, PREDICTIONS
from schemas.rejects import RejectRow
from schemas.simplification.instances import INSTANCE_REJECTS, INSTANCES, SUBSTITUTES
from transforms.annotation.engines.engine import EngineInfo
from transforms.annotation.engines.registry import check_engine, describe_engine
from transforms.common.code.fingerprints import digest
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import find_snapshot
from transforms.common.store import files
from transforms.common.store.resources import content_digest
from transforms.common.store.tables import Part
from transforms.formats.records.base import MOST_BYTES, ReaderOptions
from transforms.intake.merging import TextAnnotationOptions
from transforms.intake.row_files import RowFile
from transforms.intake.staging import Loaded
from transforms.people.opening import list_sheets
from transforms.simplification.instances.complex_words import LABEL, TAKE, ComplexPart, known_scorers
from transforms.simplification.instances.counts import check_records, counted
from transforms.simplification.instances.instance import OCCURRENCES
from transforms.simplification.instances.judgments import SimplifiableJudgment, SimplifiableOptions, read_judgments
from transforms.simplification.instances.merge_stage import (
    LIST_REJECTS,
    SETTLE,
    JudgedOptions,
    SettledJudged,
    list_judged,
    settle_tasks,
)
from transforms.simplification.instances.read_stage import AUTO, READ, InstanceReadOptions
from transforms.simplification.instances.rows import READERS, RuleOptions
from transforms.simplification.shown.instance_summary import panels, summary
from transforms.simplification.shown.instances import INSTANCE_VIEWS, instance_panels

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["SIMPLIFY_INSTANCES", "SimplifyInstancesOptions"]

COMPLEXITY = "complexity"
INPUT = "input"
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def _check_engine(value: str) -> None:
    if value.partition(":")[0] == "none":
        raise UsageError("leave `engine` out where sentences are not to be annotated")
    check_engine(value)


def _check_language(value: str) -> None:
    if not _LANGUAGE.fullmatch(value):
        raise UsageError(f"{value!r} is no code of a language, such as es")


@dataclass(frozen=True, kw_only=True)
class SimplifyInstancesOptions(IntakeOptions):
    """Options of `lexbeam simplify instances`."""

    inputs: tuple[str, ...] = option(
        help="files, folders or globs, compressed or not; of layout complexity folders with complexity/instances",
        metavar="FILE",
        positional=True,
        path="input",
        published=False,
    )
    layout: str = option(
        AUTO,
        help="how the files are laid out; auto: told from the first rows of each",
        choices=(AUTO, *READERS, COMPLEXITY),
        group=INPUT,
    )
    language: str | None = option(
        None,
        help="language of the sentences; else of the row (complexity), of the file's name (cwi2018), of the engine",
        metavar="L",
        check=_check_language,
        group=INPUT,
    )
    occurrences: str = option(
        "first",
        help="which of several places of a target counts where the row does not say; "
        "reject: such a row gives no instance",
        choices=OCCURRENCES,
        group=INPUT,
    )
    exclude: tuple[str, ...] = option((), help="patterns of files to leave out", check=check_patterns, group=INPUT)
    encoding: tuple[str, ...] = option(("utf-8",), help="of several the first that takes a line", group=INPUT)
    quoting: bool = option(False, help="whether quotes mean something, in a table of layout text", group=INPUT)
    rules: RuleOptions = embedded(RuleOptions, group="words")
    scorer: str | None = option(
        None, help="of complexity: what this scorer predicts counts, not the label", group="words"
    )
    judged: SimplifiableOptions = embedded(SimplifiableOptions, group="judgments")
    engine: str | None = option(
        None,
        help="annotate the sentences: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; "
        "without one there is no lemma, part of speech, or feature",
        path="place",
        within=model_folder,
        check=_check_engine,
        group="annotation",
    )
    max_line_bytes: int = option(
        1 << 20, help="longer rows are rejects", metavar="BYTES", least=1, most=MOST_BYTES, group="limits"
    )


@dataclass(frozen=True)
class InstancesPlan:
    """What is to be loaded, and how.

    Attributes:
        files: the files.
        taken: parts of the complexity task.
        load: how they are read.
        settle: how instances are judged and annotated.
        judgments: what people say.
        rejects: rows that are no judgments.
        judged: name, bytes and SHA-256 of the files of judgments.
        engine: name of the engine; empty: none.
        parts: parts of each table.
        max_reject_share: share of rejects above which nothing is published.
    """

    files: tuple[RowFile, ...]
    taken: tuple[ComplexPart, ...]
    load: InstanceReadOptions
    settle: JudgedOptions
    judgments: tuple[SimplifiableJudgment, ...]
    rejects: tuple[RejectRow, ...]
    judged: list[dict[str, Any]]
    engine: str
    parts: int
    max_reject_share: float


def _is_complexity(options: SimplifyInstancesOptions) -> bool:
    """Return whether the inputs are published tables, which says the layout, or what is there."""
    if options.layout != AUTO:
        return options.layout == COMPLEXITY
    found = [find_snapshot(path) for path in options.inputs]
    return bool(found) and all(one is not None and COMPLEX.name in one.tables for one in found)


_READ = ((COMPLEX.name, False), (LABELS.name, True), (PREDICTIONS.name, True))


def _reads(options: SimplifyInstancesOptions) -> Sequence[TableSource]:
    if not _is_complexity(options):
        return []
    return [
        TableSource(table, path, optional)
        for path in options.inputs
        for table, optional in ((COMPLEX.name, False), (LABELS.name, True), (PREDICTIONS.name, True))
    ]


def _check(options: SimplifyInstancesOptions) -> None:
    layout, rules = options.layout, options.rules
    if layout not in (AUTO, "text") and options.quoting:
        raise UsageError(f"`quoting` is of layout text, not of {layout}")
    if layout not in (AUTO, "cwi2018"):
        for name, given in (
            ("min_native", rules.min_native is not None),
            ("phrases", rules.phrases),
            ("capitals", rules.capitals),
        ):
            if given:
                raise UsageError(f"`{name}` is of layout cwi2018, not of {layout}")
    if layout not in (AUTO, "cwi2018", COMPLEXITY) and rules.min_complexity is not None:
        raise UsageError(f"`min_complexity` is of layouts cwi2018 and complexity, not of {layout}")
    if layout not in (AUTO, COMPLEXITY) and options.scorer is not None:
        raise UsageError(f"`scorer` is of layout complexity, not of {layout}")
    if options.judged.only_simplifiable and not options.judged.judgments:
        raise UsageError("`only_simplifiable` needs `judgments`: nobody says what is simplifiable")
    info = describe_engine(options.engine) if options.engine else None
    told = options.language or (info.language if info else None)
    if not told and layout not in (AUTO, "cwi2018", COMPLEXITY):
        raise UsageError("give `language`: files of this layout do not say it")


def _engine(spec: str | None) -> tuple[EngineInfo | None, tuple[str, ...]]:
    """Return what an engine is, with features where it has them."""
    if not spec:
        return None, ()
    info = describe_engine(spec)
    try:
        return describe_engine(spec, layers=("feats",)), ("feats",)
    except UsageError:
        return info, ()


def _plan(options: SimplifyInstancesOptions, inputs: Inputs) -> InstancesPlan:
    info, layers = _engine(options.engine)
    taken = _taken(options, inputs) if _is_complexity(options) else ()
    listed_files = list_inputs(options.inputs, options.exclude, options.out) if not taken else []
    judgments: list[SimplifiableJudgment] = []
    rejects: list[RejectRow] = []
    judged: list[dict[str, Any]] = []
    if options.judged.judgments:
        judged = [
            {"name": one.name, "bytes": one.size, "sha256": content_digest(one.path)}
            for one in list_sheets(options.judged.judgments)
        ]
        judgments, rejects = read_judgments(options.judged.judgments, options.judged)
    reader = ReaderOptions(
        encoding=options.encoding, delimiter="\t", quoting=options.quoting, max_line_bytes=options.max_line_bytes
    )
    return InstancesPlan(
        tuple(RowFile(one.name, one.path, one.size, content_digest(one.path)) for one in listed_files),
        taken,
        InstanceReadOptions(
            layout=options.layout,
            language=options.language,
            engine_language=info.language if info else None,
            occurrences=options.occurrences,
            rules=options.rules,
            reader=reader,
        ),
        JudgedOptions(
            only_simplifiable=options.judged.only_simplifiable,
            annotate=TextAnnotationOptions(
                engine=options.engine or "", layers=layers, fingerprint=info.fingerprint if info else ""
            ),
        ),
        tuple(judgments),
        tuple(rejects),
        judged,
        info.name if info else "",
        options.parts,
        options.max_reject_share,
    )


def _taken(options: SimplifyInstancesOptions, inputs: Inputs) -> tuple[ComplexPart, ...]:
    """Return the parts of the complexity task that are read.

    Raises:
        UsageError: a threshold is asked for, and nothing says how complex instances are.
    """
    found = []
    for path in options.inputs:
        given = {
            one.table: one
            for one in inputs.tables
            if one.snapshot is not None and files.real(one.snapshot.out) == files.real(path)
        }
        values: tuple[Part, ...] = ()
        if options.scorer is not None or LABELS.name not in given:
            parts = given[PREDICTIONS.name].parts if PREDICTIONS.name in given else ()
            scorer = _scorer(options.scorer, known_scorers(parts), path)
            values = parts if scorer is not None else ()
        else:
            values, scorer = given[LABELS.name].parts, LABEL
        if scorer is None and options.rules.min_complexity is not None:
            raise UsageError(f"`min_complexity`: {files.shown(path)} has neither labels nor predictions")
        found += [
            ComplexPart(f"{COMPLEX.name} {part.sha256[:12]}", part, tuple(values), scorer)
            for part in given[COMPLEX.name].parts
        ]
    return tuple(found)


def _scorer(asked: str | None, known: list[str], path: str) -> str | None:
    if asked is None:
        if len(known) > 1:
            raise UsageError(f"name the `scorer` that counts: {', '.join(known)}")
        return known[0] if known else None
    if asked not in known:
        hint = nearest(asked, known) or f"; there are {', '.join(known) or 'none'}"
        raise UsageError(f"`scorer`: no predictions of {asked!r} at {files.shown(path)}{hint}")
    return asked


def _build(pipeline: "beam.Pipeline", plan: InstancesPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    import apache_beam as beam

    from transforms.intake.ptransforms import LoadRecords, SettleParts

    workspace, lanes = graph.workspace, graph.lanes
    deal = partial(settle_tasks, judgments=plan.judgments, parts=plan.parts, share=plan.max_reject_share)
    rejects = partial(list_judged, judgments=plan.judgments, rejects=plan.rejects)
    if plan.taken:
        parts = pipeline | "Parts" >> beam.Create([(one.name, one) for one in plan.taken], False)
        loaded = parts | "Take" >> LoadRecords(workspace, TAKE, plan.load, lanes)
    else:
        given = pipeline | "Files" >> beam.Create([(one.name, one) for one in plan.files], False)
        loaded = given | "Load" >> LoadRecords(workspace, READ, plan.load, lanes)
    settled, made = loaded | "Settle" >> SettleParts(
        workspace, SETTLE, plan.settle, LIST_REJECTS, INSTANCE_REJECTS.name, deal, lanes, rejects
    )
    return {"parts": made, "loaded": loaded, "settled": settled}


def _expected(plan: InstancesPlan) -> Mapping[str, int]:
    first = {TAKE.name: len(plan.taken)} if plan.taken else {READ.name: len(plan.files)}
    return {**first, SETTLE.name: plan.parts, LIST_REJECTS.name: 1}


def _resources(plan: InstancesPlan) -> Mapping[str, Any]:
    judgments = digest(sorted(one["sha256"] for one in plan.judged)) if plan.judged else None
    return {"engine": plan.settle.annotate.fingerprint or None, "judgments": judgments}


def _section(plan: InstancesPlan, outcome: HandedBack) -> Mapping[str, Any]:
    loaded: list[Loaded] = sorted(outcome.rows["loaded"], key=_name)
    check_records(loaded, plan.max_reject_share)
    found = counted(loaded, outcome.rows["settled"], plan.judgments, plan.rejects, plan.judged)
    return {"engine": plan.engine or None, "layers": list(plan.settle.annotate.layers), **found}


def _name(loaded: Loaded) -> str:
    return loaded.name


SIMPLIFY_INSTANCES: Command[SimplifyInstancesOptions, InstancesPlan] = Command(
    options=SimplifyInstancesOptions,
    examples="""\
  lexbeam simplify instances ALEXSIS.tsv --layout alexsis --language es --out alexsis \\
      --engine spacy:models/es
  lexbeam simplify instances Spanish_Train.tsv Spanish_Dev.tsv --layout cwi2018 --language es \\
      --out words --judgments judged.tsv --only-simplifiable
  lexbeam simplify instances lcp --layout complexity --min-complexity .5 --out hard""",
    tables=(INSTANCES, SUBSTITUTES, INSTANCE_REJECTS),
    explains=(INSTANCE_REJECTS,),
    reads=_reads,
    stages=(READ, TAKE, SETTLE, LIST_REJECTS),
    check=_check,
    plan=_plan,
    build=_build,
    rows={"loaded": Loaded, "settled": SettledJudged},
    expected=_expected,
    resources=_resources,
    section=_section,
    summary=summary,
    views=INSTANCE_VIEWS,
    report=panels,
    quotes=instance_panels,
)
