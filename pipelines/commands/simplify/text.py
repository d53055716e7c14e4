"""Texts simplified: files or a corpus in, the same texts out with simpler words, and why each was changed.

docs/tasks/simplification/text.md says what is changed, and what stays.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.pipelines.commands.intake import IntakePlan, inputs_of, settle, text_engine
from lexbeam.pipelines.commands.options import annotation_engine, encodings, excluded_files, longest_line, settings_file
from lexbeam.pipelines.commands.simplify.found_words import (
    FoundIn,
    find_words,
    found_in_corpora,
    found_in_texts,
    layout_of_inputs,
    named_texts,
    reads_corpora,
)
from lexbeam.pipelines.commands.simplify.text_writing import check_places, content_of, write_texts
from lexbeam.pipelines.frame.command import RUN, Command, Graph, HandedBack, Inputs, IntakeOptions, Opening, TableSource
from lexbeam.pipelines.frame.inputs import corpora_of
from lexbeam.pipelines.frame.piping import STDIN
from lexbeam.schemas.simplification import (
    CANDIDATES,
    CHANGES,
    DOCUMENTS,
    INSTANCE_INPUTS,
    INSTANCE_REJECTS,
    INSTANCES,
    KEPT,
    RANKINGS,
    SELECTIONS,
    SIMPLIFICATIONS,
    SUBSTITUTES,
)
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.portions import LEAST_PARTS, stated_parts
from lexbeam.transforms.common.publish.leases import check_output_folder
from lexbeam.transforms.common.publish.snapshots import Snapshot, View
from lexbeam.transforms.common.shown import Block, amount, listed
from lexbeam.transforms.common.store.files import is_local
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.common.texts.languages import short_tag, stated_language
from lexbeam.transforms.corpora.annotated_corpora import languages
from lexbeam.transforms.formats.readers.registry import FORMATS
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.inflection.models import warn_of_languages
from lexbeam.transforms.intake.intake_staging import LoadedCounts
from lexbeam.transforms.intake.settling import Settled
from lexbeam.transforms.report.panels import Panel
from lexbeam.transforms.simplification.documents.placed_texts import PlaceInCorpus, PlaceInFiles
from lexbeam.transforms.simplification.documents.resolving import CHANGED, Resolve, ResolvedPart, texts_tasks
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, Generated
from lexbeam.transforms.simplification.generation.generators import (
    GenerationFiles,
    GenerationInputs,
    check_generation,
    check_languages,
    generation_inputs,
)
from lexbeam.transforms.simplification.instances.content_words import FIXED
from lexbeam.transforms.simplification.instances.found_instances import CORPUS, FEATS
from lexbeam.transforms.simplification.instances.hard_words import COMPLEX, TargetOptions, check_targets
from lexbeam.transforms.simplification.instances.instances_read import RULE
from lexbeam.transforms.simplification.instances.settled_instances import (
    SettleInstances,
    check_records,
    counted,
    task_of,
)
from lexbeam.transforms.simplification.ranking.options import RankingFiles, check_ranking, rankings_of, uses_regressor
from lexbeam.transforms.simplification.ranking.ranked_parts import RankCandidates, Rankings
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import (
    RewriteSentences,
    RewritingOptions,
    check_rewriting,
)
from lexbeam.transforms.simplification.selection.candidate_selection import (
    SelectCandidates,
    Selection,
    SelectionFiles,
    check_selection,
    selection_of,
)
from lexbeam.transforms.simplification.settings import DEFAULT, ENGINES, INFLECTORS, bolder, precision_told, setting_of
from lexbeam.transforms.simplification.shown.candidate_views import CANDIDATE_VIEWS
from lexbeam.transforms.simplification.shown.shown_texts import (
    DOCUMENT_VIEWS,
    INSTANCE_VIEWS,
    difference,
    document_panels,
)

if TYPE_CHECKING:
    import apache_beam as beam


INPUT = "input"
SETTING = "setting"


def _but_standard_input(value: str) -> Within | None:
    return None if value == STDIN else Within("", value)


@dataclass(frozen=True, kw_only=True)
class TextFiles(GenerationFiles, SelectionFiles):
    """What words are looked up in, whatever looks them up."""


@dataclass(frozen=True, kw_only=True)
class SimplifyTextOptions(IntakeOptions):
    """Options of `lexbeam simplify text`."""

    out: str | None = option(  # type: ignore[assignment]
        None,
        help="folder of the published tables; of standard input, none: the text alone is printed",
        path="place",
        published=False,
        group=RUN,
    )
    inputs: tuple[str, ...] = option(
        (),
        help="files, folders or globs, or a folder that `lexbeam corpus` made; -: standard input to standard output",
        metavar="FILE",
        positional=True,
        path="input",
        data="documents",
        within=_but_standard_input,
        published=False,
    )
    language: str | None = option(
        None,
        help="language of the texts; else that of the corpus, or of the engine",
        metavar="L",
        stands_for=stated_language,
        group=INPUT,
    )
    format: str = option("auto", help="format of the files", choices=FORMATS, group=INPUT)
    exclude: tuple[str, ...] = excluded_files(INPUT)
    encoding: tuple[str, ...] = encodings(INPUT)
    engine: str | None = annotation_engine("texts", otherwise="English ones are annotated by builtin:en")
    setting: str = option(
        DEFAULT,
        help="how words are found and replaced: a named setting, or one of `settings`",
        metavar="NAME",
        listed="lexbeam.transforms.simplification.settings:TEXT_SETTINGS",
        group=SETTING,
    )
    settings: str | None = settings_file("`setting` names the one that counts")
    complexity_scorer: str | None = option(
        None,
        help="find hard words by a scorer that `lexbeam complexity score` kept with `save`, not by frequency",
        metavar="MODEL",
        path="place",
        published=False,
        group=SETTING,
    )
    above: float | None = option(
        None, help="of `complexity_scorer`: words that it finds harder than this", least=0, most=1, group=SETTING
    )
    zipf_below: float | None = option(
        None, help="words rarer than this are hard, in Zipf; if not given, as the setting says", least=0, group=SETTING
    )
    rewriting: RewritingOptions = embedded(RewritingOptions, group=SETTING)
    files: TextFiles = embedded(TextFiles)
    write_text: str | None = option(
        None,
        help="also write each text there, under the name that it has",
        metavar="DIR",
        path="written",
        published=False,
        group=RUN,
    )
    max_line_bytes: int = longest_line()


@dataclass(frozen=True, kw_only=True)
class TextPlan(IntakePlan):
    """What is to be done.

    Attributes:
        found: what words are found in, and how.
        reader: how files are read.
        format: of the files.
        generation, selection, rankings: what words are chosen by; each of one setting.
        agreement: how nouns of another gender are placed.
        languages: of the texts, as engines write them.
        of_file: whether the setting is one of a file.
    """

    found: FoundIn
    reader: ReaderOptions
    format: str
    generation: GenerationInputs
    selection: Selection
    rankings: Rankings
    agreement: str
    languages: Sequence[str]
    of_file: bool


def _is_corpus(options: SimplifyTextOptions) -> bool:
    return bool(options.inputs) and layout_of_inputs(options.inputs, "", "") == CORPUS


def reads(options: SimplifyTextOptions) -> Sequence[TableSource]:
    """Return the tables that are read."""
    return reads_corpora(options.inputs) if _is_corpus(options) else []


class _Chosen(NamedTuple):
    """The options of each stage, as the setting has them, with what is chosen where nothing is named."""

    stages: Mapping[str, Any]
    targets: TargetOptions
    files: TextFiles
    engine: str | None
    language: str | None


def _chosen(options: SimplifyTextOptions, spoken: str | None = None) -> _Chosen:
    """Return what is chosen; the language is that of the option, of the engine, or `spoken`."""
    engine = options.engine
    language = options.language or (engine and describe_engine(engine).language) or spoken
    short = short_tag(language or "")
    if engine is None:
        engine = ENGINES.get(short)
    stages, below = setting_of(options.setting, short, options.settings)
    files = options.files
    named = {field.name: getattr(files, field.name) for field in fields(TextFiles)}
    if not files.wordlist and short:
        named["wordlist"] = (f"frequency=wordfreq:{short}",)
    if files.inflector is None:
        named["inflector"] = INFLECTORS.get(short)
    scorer = options.complexity_scorer
    targets = TargetOptions(
        targets=COMPLEX,
        complexity_scorer=scorer,
        above=options.above,
        zipf_below=options.zipf_below if scorer or options.zipf_below is not None else below,
        protect=files.protect,
        wordlist=files.wordlist,
        wordnet=files.wordnet if scorer else None,
        cache=files.cache,
    )
    return _Chosen(stages, targets, TextFiles(**named), engine, language)


def check(options: SimplifyTextOptions) -> None:
    """Check that options go together.

    Raises:
        UsageError: they do not, or something is lacking.
    """
    if not options.inputs:
        raise UsageError("`inputs`: name the files, or - for standard input")
    if STDIN in options.inputs:
        raise UsageError("`inputs`: - is standard input, which goes alone, and on the command line")
    if options.write_text is not None and is_local(options.write_text):
        check_output_folder(options.write_text, "write_text")
    corpus = _is_corpus(options)
    chosen = _chosen(options)
    check_targets(chosen.targets)
    if not corpus:
        _check_engine(chosen)
    if chosen.language is not None:  # else the corpus says it
        _check_stages(options, chosen)


def _check_engine(chosen: _Chosen) -> None:
    if chosen.engine is None:
        of = "" if chosen.language is None else f" of `language` {chosen.language!r}"
        raise UsageError(
            f"give an `engine` that annotates texts{of} with parts of speech: spacy:NAME_OR_PATH, or stanza:LANG; "
            "docs/tasks/simplification/languages/ has sources"
        )
    if chosen.language is None:
        raise UsageError("give `language`: the engine is of none in particular")


def _check_stages(options: SimplifyTextOptions, chosen: _Chosen) -> None:
    """Check that the stages have what they need."""
    setting, stages, files = options.setting, chosen.stages, chosen.files
    if "gold" in stages["generate"].used_generators:
        raise UsageError(f"setting {setting} generates by gold, which texts have not: choose another")
    if len(stages["rank"].ranker) > 1:
        raise UsageError(f"setting {setting} has several rankers, and a text takes one: leave the others out")
    if uses_regressor({setting: stages["rank"]}):
        raise UsageError(
            f"setting {setting} ranks by a regressor, which learns what the words of the text are not: run the stages "
            "one by one, `lexbeam simplify instances` first"
        )
    check_generation({setting: stages["generate"]}, files, SETTING)
    check_selection({setting: stages["select"]}, files, chosen.engine, SETTING)
    check_ranking({setting: stages["rank"]}, _ranking_files(files), SETTING)
    check_rewriting(options.rewriting, files.inflector)


def _ranking_files(files: TextFiles) -> RankingFiles:
    return RankingFiles(wordlist=files.wordlist, vectors=files.vectors, cache=files.cache)


def plan_of(options: SimplifyTextOptions, inputs: Inputs) -> TextPlan:
    """Return what is to be done.

    Raises:
        UsageError: an input or a resource does not suit, or a file would be replaced.
    """
    reader = ReaderOptions(encoding=options.encoding, max_line_bytes=options.max_line_bytes)
    if _is_corpus(options):
        found = found_in_corpora(inputs, _chosen(options).targets, options.language, PlaceInCorpus)
        engine = text_engine(None)
        spoken = _languages(found, inputs)
        chosen = _chosen(options, spoken[0])
        _check_stages(options, chosen)
    else:
        chosen = _chosen(options)
        engine = text_engine(chosen.engine, layers=(FEATS,))
        patterns = named_texts(
            options.inputs, options.exclude, str(options.out), options.format, reader, options.max_reject_share
        )
        found = found_in_texts(patterns, chosen.targets, engine, options.language, options.format, reader, PlaceInFiles)
        spoken = [short_tag(str(chosen.language))]
    if options.write_text is not None:
        check_places(options.write_text, found, overwrite=options.overwrite)
    name, stages = options.setting, chosen.stages
    generation = generation_inputs({name: stages["generate"]}, chosen.files)
    warn_of_languages(generation.inflector, spoken)
    generators = {name: stages["generate"].used_generators}
    check_languages(spoken, generators, generation.lexicon, generation.thesauri)
    return TextPlan(
        patterns=found.patterns,
        read=found.read,
        settle=SettleInstances(),
        engine=engine,
        parts=stated_parts(options.parts),
        max_reject_share=options.max_reject_share,
        found=found,
        reader=reader,
        format=options.format,
        generation=generation,
        selection=selection_of({name: stages["select"]}, chosen.files, chosen.engine),
        rankings=rankings_of({name: stages["rank"]}, _ranking_files(chosen.files)),
        agreement=options.rewriting.agreement,
        languages=spoken,
        of_file=options.settings is not None,
    )


def _languages(found: FoundIn, inputs: Inputs) -> list[str]:
    given = found.read.language
    return sorted({short_tag(name) for name in ([given] if given else languages(corpora_of(inputs)))})


SECTION = "simplify.text"

_REMEDY = "Name another `format` or `encoding`, leave files out by `exclude`"


def _is_made(part: Part) -> bool:
    """Return whether a part is of a table that is published: there are no substitutes."""
    return part.table != SUBSTITUTES.name


_VIEWS: Registry[View[Any]] = Registry(
    {**DOCUMENT_VIEWS, **INSTANCE_VIEWS, **CANDIDATE_VIEWS}, what="view", group=DOCUMENT_VIEWS.group
)


class SimplifyText(Command[SimplifyTextOptions, TextPlan]):
    """`lexbeam simplify text`."""

    options = SimplifyTextOptions
    examples = """\
  lexbeam simplify text report.txt --language es --engine spacy:es_core_news_md \\
      --thesaurus th_es_v2.dat --inflector es.inflector --out easy --write-text easy-texts
  lexbeam simplify text chapters --language en --setting bold --out easy
  lexbeam simplify text - --language en < letter.txt"""
    tables = (
        INSTANCES,
        CANDIDATES,
        SELECTIONS,
        RANKINGS,
        SIMPLIFICATIONS,
        DOCUMENTS,
        CHANGES,
        INSTANCE_REJECTS,
        INSTANCE_INPUTS,
    )
    explains = (INSTANCE_REJECTS,)
    stages = (
        PlaceInCorpus,
        PlaceInFiles,
        *SettleInstances.steps(),
        GenerateCandidates,
        SelectCandidates,
        RankCandidates,
        RewriteSentences,
        Resolve,
    )
    rows: Mapping[str, type] = {
        "counts": LoadedCounts,
        "settled": Settled,
        "generated": Generated,
        "resolved": ResolvedPart,
    }
    views = _VIEWS
    opening = Opening(
        "Texts simplified",
        "Whole texts with simpler words in the place of complex ones, what was changed and why, and what stays.",
        ("setting", "language", "zipf-below", "engine"),
    )
    reads = staticmethod(reads)
    check = staticmethod(check)
    plan = staticmethod(plan_of)

    def build(self, pipeline: "beam.Pipeline", plan: TextPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Files or parts of a corpus in, parts of all tables out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts
        from lexbeam.transforms.simplification.documents.documents_ptransforms import SimplifyWords

        workspace, lanes = graph.workspace, graph.lanes
        texts = find_words(pipeline, plan.found, graph, numbered=True)
        for stage in (SettleInstances, GenerateCandidates, SelectCandidates, RankCandidates, RewriteSentences):
            graph.expect(stage, plan.parts or LEAST_PARTS)
        settled = settle(texts, plan, graph, RULE, partial(task_of, judgments=(), rejects=()))
        words = settled["parts"]
        words = words | "WithoutSubstitutes" >> beam.Filter(_is_made)
        generation = plan.generation._replace(lexicon=graph.carry(plan.generation.lexicon))
        generated, made = words | "Simplify" >> SimplifyWords(
            workspace,
            GenerateCandidates(generation),
            SelectCandidates(graph.carry_all(plan.selection)),
            RankCandidates(graph.carry_all(plan.rankings)),
            RewriteSentences(plan.agreement, plan.generation.inflector),
            lanes,
        )
        parts = (words, made) | "WordParts" >> beam.Flatten()
        resolve = Resolve(
            format=plan.format, reader=plan.reader, inflector=plan.generation.inflector, agreement=plan.agreement
        )
        resolved = texts | "Resolve" >> Each(
            workspace, resolve, texts_tasks, {"parts": beam.pvalue.AsList(parts)}, lanes=lanes, noted=True
        )
        documents = [
            resolved | f"Number{table.title()}" >> beam.ParDo(NameParts(name, table))
            for table, name in (("documents", DOCUMENTS.name), ("changes", CHANGES.name))
        ]
        return {
            **settled,
            "parts": (parts, *documents) | "AllParts" >> beam.Flatten(),
            "generated": generated,
            "resolved": resolved | "Resolved" >> beam.Values(),
        }

    def resources(self, plan: TextPlan) -> Mapping[str, Any]:
        scorer = plan.found.read.choice.scorer
        of_scorer = {} if scorer is None else {"complexity_scorer": scorer.model.digest}
        return {"engine": plan.engine.options.fingerprint or None, **of_scorer}

    def section(self, plan: TextPlan, outcome: HandedBack) -> Mapping[str, Any]:
        (loaded,) = outcome.rows["counts"]
        check_records(loaded, plan.max_reject_share, _REMEDY)
        made: list[Generated] = outcome.rows["generated"]
        resolved: list[ResolvedPart] = outcome.rows["resolved"]
        counts = totals(part.counts for part in resolved)
        ((name, generation),) = plan.generation.settings.items()
        protected = totals(part.protected for part in made)
        return {
            "engine": plan.engine.name or None,
            "layers": list(plan.engine.options.layers),
            **inputs_of(plan, outcome),
            **counted(loaded, outcome.rows["settled"]),
            "settings": [
                {
                    "setting": name,
                    "generators": list(generation.generators),
                    "combine": generation.combine,
                    "with_candidates": totals(part.with_candidates for part in made)[name],
                    "protected": {key.partition(" ")[2]: protected[key] for key in sorted(protected)},
                    "filters": list(plan.selection[name].options.filters),
                    "rankers": list(plan.rankings[name].options.ranker),
                    "keep_target": plan.rankings[name].options.keep_target,
                    "of_file": plan.of_file,
                }
            ],
            "languages": list(plan.languages),
            "documents": sum(part.documents.rows for part in resolved),
            "altered": sum(part.altered for part in resolved),
            "beside": sum(part.beside for part in resolved),
            "outcomes": {name: counts[name] for name in (CHANGED, *KEPT)},
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        yield from difference(snapshot)
        section = snapshot.section(SECTION)
        name = section["settings"][0]["setting"]
        outcomes = listed(f"{name} {number}" for name, number in section["outcomes"].items() if number)
        yield (
            f"{section['altered']} of {section['documents']} texts changed by setting {name}; complex words: "
            f"{outcomes or 'none'}"
        )
        found = section.get("found", {})
        if fixed := listed(f"{found[why]} {meaning}" for why, meaning in FIXED.items() if found.get(why)):
            yield f"content words left alone: {fixed}"
        if not section["settings"][0].get("of_file", True):  # 0.1.0 has not noted it
            yield from precision_told(name, section["languages"])
        if hint := bolder(name, section["outcomes"][CHANGED], sum(section["outcomes"].values())):
            yield hint
        if section["rejected"]:
            reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
            yield f"warning: {section['rejected']} left out, see {INSTANCE_REJECTS.name}: {reasons}"

    def after(self, options: SimplifyTextOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
        if options.write_text is not None:
            number = write_texts(snapshot, options.write_text)
            tell(f"{amount(number, 'texts')} in {os.path.join(options.write_text, '')}")

    def piped(self, snapshot: Snapshot) -> Iterator[bytes]:
        for _, _, content in content_of(snapshot):
            yield content

    def quotes(self, snapshot: Snapshot, _: Sequence[str]) -> list[Panel]:
        return document_panels(snapshot)
