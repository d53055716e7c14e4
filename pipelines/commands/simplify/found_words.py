"""What `lexbeam simplify instances` finds words in: corpora and texts, in place of files that name them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.pipelines.commands.corpus.accepting import check_look
from lexbeam.pipelines.commands.intake import TextEngine
from lexbeam.pipelines.frame.command import Graph, HandedBack, Inputs, TableSource
from lexbeam.pipelines.frame.inputs import corpora_of, first_inputs
from lexbeam.schemas.simplification import INSTANCE_INPUTS
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.sections import inputs_entry
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.store.artefacts import Stage
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.features.base import LAYERS
from lexbeam.transforms.corpora.annotated_corpora import check_columns, common_layers, languages
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns
from lexbeam.transforms.formats.readers.html import check_html
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.intake.intake_staging import LoadedCounts
from lexbeam.transforms.intake.settling import TaskStages
from lexbeam.transforms.simplification.documents.placed_texts import PLACE_IN_CORPUS, PLACE_IN_FILES
from lexbeam.transforms.simplification.instances.found_instances import (
    CORPUS,
    DOCUMENTS,
    FEATS,
    FIND_IN_CORPUS,
    FIND_IN_TEXTS,
    CorpusFindOptions,
    CorpusPart,
    TextFindOptions,
)
from lexbeam.transforms.simplification.instances.hard_words import TargetOptions, word_choice
from lexbeam.transforms.simplification.instances.settled_instances import SETTLING

if TYPE_CHECKING:
    import apache_beam as beam

Stages = tuple[Stage[Any, Any, Any], Stage[Any, Any, Any]]
FINDING: Stages = (FIND_IN_CORPUS, FIND_IN_TEXTS)
PLACING: Stages = (PLACE_IN_CORPUS, PLACE_IN_FILES)
_TABLES = ("sentences", "documents")


class FoundIn(NamedTuple):
    """What words are found in, and how: parts of corpora, or files.

    Attributes:
        parts: of corpora.
        patterns: what names files; None: corpora are read.
        options: of the stage that reads them.
        several: whether there are several corpora.
    """

    parts: tuple[CorpusPart, ...]
    patterns: InputPatterns | None
    options: CorpusFindOptions | TextFindOptions
    several: bool = False


def settling(patterns: InputPatterns | None) -> TaskStages:
    """Return the stages that make the tables of instances of files, or of tables, which are no input files."""
    return SETTLING if patterns else SETTLING._replace(inputs=None)


def inputs_of(patterns: InputPatterns | None, outcome: HandedBack, counts: LoadedCounts) -> dict[str, Any]:
    """Return what the manifest says of input files; nothing where tables are read, which it says elsewhere."""
    if patterns is None:
        return {}
    return {"inputs": inputs_entry(INSTANCE_INPUTS.name, outcome.of_table(INSTANCE_INPUTS.name), counts.bytes)}


def layout_of_inputs(inputs: Sequence[str], layout: str, auto: str) -> str:
    """Return the layout, `corpus` or `documents`; where it is not given, what the inputs are says it.

    Args:
        inputs: paths; none: the corpus of the folder that is published to.
        layout: as given.
        auto: what it is called where it is not given.
    """
    if layout != auto:
        return layout
    snapshots = [find_snapshot(path) for path in inputs]
    corpora = all(snapshot is not None and _TABLES[0] in snapshot.tables for snapshot in snapshots)
    return CORPUS if corpora else DOCUMENTS


def reads_corpora(inputs: Sequence[str]) -> list[TableSource]:
    """Return the tables of corpora."""
    return [TableSource(table, folder, needed=True) for folder in inputs or (None,) for table in _TABLES]


def found_in_corpora(inputs: Inputs, targets: TargetOptions, language: str | None) -> FoundIn:
    """Return what words of corpora are found in.

    Raises:
        UsageError: a corpus has no parts of speech, nothing says its language, or a resource does not suit it.
    """
    corpora = corpora_of(inputs)
    check_columns(
        corpora,
        ["forms", "upos"],
        remedy="content words are found by them: make it anew with an engine that gives them, such as "
        "spacy:en_core_web_sm, or from annotated input",
    )
    spoken = {language} if language else languages(corpora)
    if not spoken:
        raise UsageError("give `language`: the corpora do not say it")
    layers = tuple(name for name in common_layers(corpora) if name in (FEATS, *LAYERS))
    choice = word_choice(targets, sorted({short_tag(name) for name in spoken}), layers)
    parts = {pair.sentences.sha256: CorpusPart(pair) for corpus in corpora for pair in corpus.pairs}
    options = CorpusFindOptions(choice=choice, language=language, layers=layers)
    return FoundIn(tuple(parts[name] for name in sorted(parts)), None, options, len(corpora) > 1)


def named_texts(
    inputs: Sequence[str], exclude: Sequence[str], out: str, format: str, reader: ReaderOptions, share: float
) -> InputPatterns:
    """Return what names files of texts, of which at most a share may be rejects.

    Raises:
        LexbeamError: there are none, or no reader takes any.
    """
    patterns, look, is_all = first_inputs(inputs, exclude, out)
    check_look(look, IngestOptions(format=format, reader=reader), share, {}, is_all=is_all)
    return patterns


def found_in_texts(
    patterns: InputPatterns,
    targets: TargetOptions,
    engine: TextEngine,
    language: str | None,
    format: str,
    reader: ReaderOptions,
) -> FoundIn:
    """Return what words of texts are found in.

    Raises:
        UsageError: there is no engine that gives parts of speech, or none says the language.
    """
    spec = engine.options.engine
    if not spec or not describe_engine(spec).has_upos:
        raise UsageError("content words of texts are found by parts of speech: give an `engine` that has them")
    spoken = language or engine.language
    if not spoken:
        raise UsageError(f"give `language`: the engine {engine.name} is of none in particular")
    if format == "html":
        check_html(reader)
    options = TextFindOptions(
        choice=word_choice(targets, [short_tag(spoken)], engine.options.layers),
        annotate=engine.options,
        format=format,
        reader=reader,
        language=language,
        engine_language=engine.language,
        forgotten=forgotten_at(patterns.out),
    )
    return FoundIn((), patterns, options)


def carried(found: FoundIn, graph: Graph) -> CorpusFindOptions | TextFindOptions:
    """Return the options of the stage that finds words, with resources that the workers of a graph can open."""
    choice = found.options.choice
    scorer = choice.scorer
    if scorer is not None:
        setting = scorer.setting._replace(lexicon=graph.carry(scorer.setting.lexicon))
        scorer = scorer._replace(setting=setting)
    return replace(found.options, choice=choice._replace(lexicon=graph.carry(choice.lexicon), scorer=scorer))


def find_words(
    pipeline: "beam.Pipeline", found: FoundIn, graph: Graph, stages: Stages = FINDING, *, keyed: bool = False
) -> "beam.PCollection":
    """Put corpora or texts into a pipeline, and find words in them; yields receipts.

    Args:
        pipeline: the pipeline.
        found: what words are found in.
        graph: of the command.
        stages: those that read a part of a corpus and a unit of files: `FINDING` or `PLACING`.
        keyed: whether receipts have the numbers of their parts or units.
    """
    from lexbeam.transforms.intake.intake_ptransforms import LoadFiles, LoadParts
    from lexbeam.transforms.simplification.instances.ptransforms import WithoutCopies

    options, workspace = carried(found, graph), graph.workspace
    if found.patterns is None:
        parts = graph.tasks(pipeline, "CorpusParts", enumerate(found.parts), stages[0])
        tasks = parts | "Copies" >> WithoutCopies(found.several)
        return tasks | "FindWords" >> LoadParts(workspace, stages[0], options, graph.lanes, keyed)
    patterns = graph.tasks(pipeline, "Inputs", [found.patterns])
    return patterns | "FindWords" >> LoadFiles(workspace, graph.scratch, stages[1], options, graph.lanes, keyed)
