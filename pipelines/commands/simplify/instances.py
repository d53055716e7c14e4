"""Words to simplify, in their sentences: tables simplification/instances, substitutes, rejects.

docs/tasks/simplification/instances.md says what the layouts are, and what is flagged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lexbeam.pipelines.commands.intake import IntakePlan, TextEngine, file_digests, inputs_of, load, settle, text_engine
from lexbeam.pipelines.commands.options import annotation_engine, encodings, excluded_files, longest_line
from lexbeam.pipelines.commands.simplify.found_words import (
    FoundIn,
    find_words,
    found_in_corpora,
    found_in_texts,
    layout_of_inputs,
    named_texts,
    reads_corpora,
)
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, IntakeOptions, Opening, TableSource
from lexbeam.pipelines.frame.inputs import first_inputs
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.schemas.complexity import INSTANCES as COMPLEX
from lexbeam.schemas.complexity import LABELS, PREDICTIONS
from lexbeam.schemas.simplification import INSTANCE_INPUTS, INSTANCE_REJECTS, INSTANCES, SUBSTITUTES
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.portions import stated_parts
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.formats.readers.registry import FORMATS
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.intake.intake_staging import LoadedCounts
from lexbeam.transforms.intake.settling import Settled, TextAnnotationOptions
from lexbeam.transforms.people.answered_sheets import list_sheets
from lexbeam.transforms.simplification.instances.benchmark_layouts import OCCURRENCES
from lexbeam.transforms.simplification.instances.found_instances import (
    CORPUS,
    DOCUMENTS,
    FEATS,
    FindInCorpus,
    FindInTexts,
)
from lexbeam.transforms.simplification.instances.hard_words import MARKED, TargetOptions, check_targets
from lexbeam.transforms.simplification.instances.instance_rows import READERS, RuleOptions
from lexbeam.transforms.simplification.instances.instances_read import (
    AUTO,
    LABEL,
    RULE,
    ComplexPart,
    ReadInstances,
    TakeComplex,
    known_scorers,
)
from lexbeam.transforms.simplification.instances.judgments import (
    SimplifiableJudgment,
    SimplifiableOptions,
    read_judgments,
)
from lexbeam.transforms.simplification.instances.settled_instances import (
    SettleInstances,
    check_records,
    counted,
    task_of,
)
from lexbeam.transforms.simplification.shown.shown_texts import (
    INSTANCE_VIEWS,
    instance_panels,
    instance_summary,
    section_panels,
)

if TYPE_CHECKING:
    import apache_beam as beam

COMPLEXITY = "complexity"
INPUT = "input"


@dataclass(frozen=True, kw_only=True)
class SimplifyInstancesOptions(IntakeOptions):
    """Options of `lexbeam simplify instances`."""

    inputs: tuple[str, ...] = option(
        (),
        help="files, folders or globs, compressed or not; of layout complexity folders with complexity/instances, of "
        "layout corpus those that `lexbeam corpus` made, none: that of `out`",
        metavar="FILE",
        positional=True,
        path="input",
        data="cells",
        published=False,
    )
    layout: str = option(
        AUTO,
        help="how the files are laid out; auto: recognised by the first rows of each; words are found in a corpus or "
        "in documents",
        choices=(AUTO, *READERS, COMPLEXITY, CORPUS, DOCUMENTS),
        listed="lexbeam.transforms.simplification.instances.instance_rows:READERS",
        group=INPUT,
    )
    language: str | None = option(
        None,
        help="language of the sentences; else of the row (complexity), of the file's name (cwi2018), of the engine",
        metavar="L",
        stands_for=stated_language,
        group=INPUT,
    )
    occurrences: str = option(
        "first",
        help="which of several places of a target counts where the row does not say; "
        "reject: such a row gives no instance",
        choices=OCCURRENCES,
        group=INPUT,
    )
    format: str = option("auto", help="format of documents", choices=FORMATS, group=INPUT)
    exclude: tuple[str, ...] = excluded_files(INPUT)
    encoding: tuple[str, ...] = encodings(INPUT)
    delimiter: str = option("tab", help="between the cells of a table of layout text", group=INPUT)
    quoting: bool = option(False, help="whether quotes mean something, in a table of layout text", group=INPUT)
    targets: TargetOptions = embedded(TargetOptions, group="targets")
    rules: RuleOptions = embedded(RuleOptions, group="words")
    scorer: str | None = option(
        None, help="of complexity: what this scorer predicts counts, not the label", group="words"
    )
    judged: SimplifiableOptions = embedded(SimplifiableOptions, group="judgments")
    engine: str | None = annotation_engine("sentences", otherwise="there is no lemma, part of speech, or feature")
    max_line_bytes: int = longest_line()


@dataclass(frozen=True, kw_only=True)
class InstancesPlan(IntakePlan):
    """What is to be loaded, and how.

    Attributes:
        found: what words are found in, where the input does not name them.
        judgments: what people say.
        rejects: rows that are no judgments.
        judged: name, bytes and SHA-256 of the files of judgments.
    """

    found: FoundIn | None
    judgments: tuple[SimplifiableJudgment, ...]
    rejects: tuple[RejectRow, ...]
    judged: list[dict[str, Any]]


def _layout(options: SimplifyInstancesOptions) -> str:
    """Return the layout; where words are found it is that of a corpus or of documents."""
    if options.targets.targets == MARKED:
        return options.layout
    return layout_of_inputs(options.inputs, options.layout, AUTO)


def _is_complexity(options: SimplifyInstancesOptions) -> bool:
    """Return whether the inputs are published tables, which says the layout, or what is there."""
    if options.targets.targets != MARKED:
        return False
    if options.layout != AUTO:
        return options.layout == COMPLEXITY
    snapshots = [find_snapshot(path) for path in options.inputs]
    return bool(snapshots) and all(snapshot is not None and COMPLEX.name in snapshot.tables for snapshot in snapshots)


def _check_layout(options: SimplifyInstancesOptions) -> None:
    """Check that words are found where they are not named, and only there."""
    layout, targets = options.layout, options.targets.targets
    if targets == MARKED and layout in (CORPUS, DOCUMENTS):
        raise UsageError(f"`layout` {layout} names no words: find them by `targets` content or complex")
    if targets != MARKED and layout not in (AUTO, CORPUS, DOCUMENTS):
        raise UsageError(f"`targets` {targets} finds words in corpora and documents; `layout` {layout} names them")
    if not options.inputs and (targets == MARKED or layout == DOCUMENTS):
        raise UsageError("`inputs`: name the files")
    if options.format != "auto" and (targets == MARKED or layout == CORPUS):
        raise UsageError("`format` is of `layout` documents; files of other layouts have one")
    if options.engine is not None and layout == CORPUS:
        raise UsageError("a corpus brings its annotation: leave `engine` out")


def _found(options: SimplifyInstancesOptions, inputs: Inputs, engine: TextEngine) -> FoundIn | None:
    """Return what words are found in; None: the input names them."""
    if options.targets.targets == MARKED:
        return None
    if _layout(options) == CORPUS:
        return found_in_corpora(inputs, options.targets, options.language)
    reader = ReaderOptions(encoding=options.encoding, max_line_bytes=options.max_line_bytes)
    patterns = named_texts(
        options.inputs, options.exclude, options.out, options.format, reader, options.max_reject_share
    )
    return found_in_texts(patterns, options.targets, engine, options.language, options.format, reader)


def _complex_parts(options: SimplifyInstancesOptions, inputs: Inputs) -> tuple[ComplexPart, ...]:
    """Return the parts of the complexity task that are read."""
    parts: list[ComplexPart] = []
    for path in options.inputs:
        tables = {
            table.table: table.parts
            for table in inputs.tables
            if table.snapshot is not None and files.real(table.snapshot.out) == files.real(path)
        }
        scorer, values = _complexities(options.scorer, tables, path)
        if scorer is None and options.rules.min_complexity is not None:
            raise UsageError(f"`min_complexity`: {files.shown(path)} has neither labels nor predictions")
        parts += [
            ComplexPart(f"{COMPLEX.name} {part.sha256[:12]}", part, values, scorer) for part in tables[COMPLEX.name]
        ]
    return tuple(parts)


def _complexities(
    scorer: str | None, tables: Mapping[str, tuple[Part, ...]], path: str
) -> tuple[str | None, tuple[Part, ...]]:
    """Return what says how complex instances are, labels or a scorer, and where it stands; None: nothing does."""
    if scorer is None and LABELS.name in tables:
        return LABEL, tables[LABELS.name]
    parts = tables.get(PREDICTIONS.name, ())
    known = known_scorers(parts)
    if scorer is None and len(known) > 1:
        raise UsageError(f"name the `scorer` that counts: {', '.join(known)}")
    if scorer is not None and scorer not in known:
        hint = nearest(scorer, known) or f"; there are {', '.join(known) or 'none'}"
        raise UsageError(f"`scorer`: no predictions of {scorer!r} at {files.shown(path)}{hint}")
    chosen = scorer or next(iter(known), None)
    return chosen, parts if chosen is not None else ()


class SimplifyInstances(Command[SimplifyInstancesOptions, InstancesPlan]):
    """`lexbeam simplify instances`."""

    options = SimplifyInstancesOptions
    examples = """\
  lexbeam simplify instances ALEXSIS.tsv --layout alexsis --language es --out alexsis \\
      --engine spacy:models/es
  lexbeam simplify instances Spanish_Train.tsv Spanish_Dev.tsv --layout cwi2018 --language es \\
      --out words --judgments judged.tsv --only-simplifiable
  lexbeam simplify instances lcp --layout complexity --min-complexity .5 --out hard
  lexbeam simplify instances novels --targets complex --zipf-below 4 --protect glossary.txt --out rare"""
    tables = (INSTANCES, SUBSTITUTES, INSTANCE_REJECTS, INSTANCE_INPUTS)
    explains = (INSTANCE_REJECTS,)
    stages = (ReadInstances, TakeComplex, FindInCorpus, FindInTexts, *SettleInstances.steps())
    rows: Mapping[str, type] = {"counts": LoadedCounts, "settled": Settled}
    views = INSTANCE_VIEWS
    opening = Opening(
        "Words to simplify",
        "Words in their sentences with the simpler words that people gave for them: how many there are, by "
        "language and source, and what was left out and why.",
        ("layout", "language", "occurrences", "min-native", "engine"),
    )
    summary = staticmethod(instance_summary)
    report = staticmethod(section_panels)
    quotes = staticmethod(instance_panels)

    def reads(self, options: SimplifyInstancesOptions) -> Sequence[TableSource]:
        if _layout(options) == CORPUS:
            return reads_corpora(options.inputs)
        if not _is_complexity(options):
            return []
        return [
            TableSource(table, path, optional, needed=not optional)
            for path in options.inputs
            for table, optional in ((COMPLEX.name, False), (LABELS.name, True), (PREDICTIONS.name, True))
        ]

    def check(self, options: SimplifyInstancesOptions) -> None:
        layout, rules = options.layout, options.rules
        _check_layout(options)
        check_targets(options.targets)
        if layout not in (AUTO, "text"):
            for name, is_set in (
                ("quoting", options.quoting),
                ("delimiter", options.delimiter != "tab"),
                ("columns", bool(rules.columns)),
            ):
                if is_set:
                    raise UsageError(f"`{name}` is of layout text, not of {layout}")
        if layout not in (AUTO, "cwi2018"):
            for name, is_set in (
                ("min_native", rules.min_native is not None),
                ("phrases", rules.phrases),
                ("capitals", rules.capitals),
            ):
                if is_set:
                    raise UsageError(f"`{name}` is of layout cwi2018, not of {layout}")
        if layout not in (AUTO, "cwi2018", COMPLEXITY) and rules.min_complexity is not None:
            raise UsageError(f"`min_complexity` is of layouts cwi2018 and complexity, not of {layout}")
        if layout not in (AUTO, COMPLEXITY) and options.scorer is not None:
            raise UsageError(f"`scorer` is of layout complexity, not of {layout}")
        if options.judged.only_simplifiable and not options.judged.judgments:
            raise UsageError("`only_simplifiable` needs `judgments`: nobody says what is simplifiable")
        info = describe_engine(options.engine) if options.engine else None
        language = options.language or (info.language if info else None)
        if not language and layout not in (AUTO, "cwi2018", COMPLEXITY, CORPUS, DOCUMENTS):
            raise UsageError("give `language`: files of this layout do not say it")

    def plan(self, options: SimplifyInstancesOptions, inputs: Inputs) -> InstancesPlan:
        engine = text_engine(options.engine, layers=(FEATS,))
        found = _found(options, inputs, engine)
        parts = _complex_parts(options, inputs) if _is_complexity(options) else ()
        patterns = found.patterns if found else None
        if not parts and found is None:
            patterns, *_ = first_inputs(options.inputs, options.exclude, options.out)
        judgments: list[SimplifiableJudgment] = []
        rejects: list[RejectRow] = []
        judged: list[dict[str, Any]] = []
        if options.judged.judgments:
            judged = file_digests(list_sheets(options.judged.judgments))
            judgments, rejects = read_judgments(options.judged.judgments, options.judged)
        read: Any
        if found is not None:
            read = found.read
        elif parts:
            rules = options.rules
            read = TakeComplex(
                language=options.language, occurrences=options.occurrences, min_complexity=rules.min_complexity
            )
        else:
            read = ReadInstances(
                layout=options.layout,
                language=options.language,
                engine_language=engine.language,
                occurrences=options.occurrences,
                rules=options.rules,
                reader=ReaderOptions(
                    encoding=options.encoding,
                    delimiter=options.delimiter,
                    quoting=options.quoting,
                    max_line_bytes=options.max_line_bytes,
                ),
                forgotten=forgotten_at(options.out),
            )
        # What is found is annotated already.
        annotate = engine.options if found is None else TextAnnotationOptions()
        return InstancesPlan(
            patterns=patterns,
            tables=tuple((part.name, part) for part in parts),
            read=read,
            settle=SettleInstances(only_simplifiable=options.judged.only_simplifiable, annotate=annotate),
            engine=engine,
            parts=stated_parts(options.parts),
            max_reject_share=options.max_reject_share,
            found=found,
            judgments=tuple(judgments),
            rejects=tuple(rejects),
            judged=judged,
        )

    def build(self, pipeline: "beam.Pipeline", plan: InstancesPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        found = plan.found
        loaded = load(pipeline, plan, graph) if found is None else find_words(pipeline, found, graph)
        deal = partial(task_of, judgments=plan.judgments, rejects=plan.rejects)
        return settle(loaded, plan, graph, RULE, deal)

    def resources(self, plan: InstancesPlan) -> Mapping[str, Any]:
        judgments = digest(sorted(file["sha256"] for file in plan.judged)) if plan.judged else None
        scorer = None if plan.found is None else plan.found.read.choice.scorer
        of_scorer = {} if scorer is None else {"complexity_scorer": scorer.model.digest}
        return {"engine": plan.engine.options.fingerprint or None, "judgments": judgments, **of_scorer}

    def section(self, plan: InstancesPlan, outcome: HandedBack) -> Mapping[str, Any]:
        (loaded,) = outcome.rows["counts"]
        check_records(loaded, plan.max_reject_share, "Name another `layout` (`encoding`), correct the rows")
        return {
            "engine": plan.engine.name or None,
            "layers": list(plan.engine.options.layers),
            **inputs_of(plan, outcome),
            **counted(loaded, outcome.rows["settled"], plan.judgments, plan.judged),
        }
