"""What `lexbeam simplify text` is told, and what is to be done for it: options, their checks, and the plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from lexbeam.pipelines.commands.intake import TextEngine, text_engine
from lexbeam.pipelines.commands.options import annotation_engine, encodings, excluded_files, longest_line, settings_file
from lexbeam.pipelines.commands.simplify.found_words import (
    FoundIn,
    found_in_corpora,
    found_in_texts,
    layout_of_inputs,
    named_texts,
    reads_corpora,
)
from lexbeam.pipelines.commands.simplify.text_writing import check_places
from lexbeam.pipelines.frame.command import Inputs, TableSource
from lexbeam.pipelines.frame.common_options import RUN, IntakeOptions
from lexbeam.pipelines.frame.inputs import corpora_of
from lexbeam.pipelines.frame.piping import STDIN
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.parts import stated_parts
from lexbeam.transforms.common.publish.output_folders import check_output_folder
from lexbeam.transforms.common.store.files import is_local
from lexbeam.transforms.common.texts.languages import short_tag, stated_language
from lexbeam.transforms.corpora.annotated_corpora import languages
from lexbeam.transforms.formats.readers.registry import FORMATS
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.inflection.models import warn_of_languages
from lexbeam.transforms.simplification.generation.inputs import (
    GenerationFiles,
    GenerationInputs,
    check_generation,
    generation_inputs,
)
from lexbeam.transforms.simplification.generation.languages import check_languages
from lexbeam.transforms.simplification.instances.find_stage import CORPUS, FEATS
from lexbeam.transforms.simplification.instances.targets import COMPLEX, TargetOptions, check_targets
from lexbeam.transforms.simplification.ranking.inputs import RankingFiles, check_ranking, rankings_of, uses_regressor
from lexbeam.transforms.simplification.ranking.stage import Rankings
from lexbeam.transforms.simplification.rewriting.options import RewritingOptions, check_rewriting
from lexbeam.transforms.simplification.selection.inputs import SelectionFiles, check_selection, selection_of
from lexbeam.transforms.simplification.selection.stage import Selection
from lexbeam.transforms.simplification.text_settings import DEFAULT, ENGINES, INFLECTORS, setting_of

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
        listed="lexbeam.transforms.simplification.text_settings:TEXT_SETTINGS",
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


class TextPlan(NamedTuple):
    """What is to be done.

    Attributes:
        found: what words are found in, and how.
        engine: what annotates.
        reader: how files are read.
        format: of the files.
        generation, selection, rankings: what words are chosen by; each of one setting.
        agreement: how nouns of another gender are placed.
        parts: parts of each table of words; 0: their number decides.
        max_reject_share: share of rejects above which nothing is published.
        languages: of the texts, as engines write them.
        of_file: whether the setting is one of a file.
    """

    found: FoundIn
    engine: TextEngine
    reader: ReaderOptions
    format: str
    generation: GenerationInputs
    selection: Selection
    rankings: Rankings
    agreement: str
    parts: int
    max_reject_share: float
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
    """Return what is chosen; the language is that of the option, of the engine, or `spoken`.

    Raises:
        UsageError: there is no such setting, or options do not go together.
    """
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
    """Check that the stages have what they need.

    Raises:
        UsageError: one lacks something, or the setting asks for what a text is not simplified by.
    """
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
        found = found_in_corpora(inputs, _chosen(options).targets, options.language)
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
        found = found_in_texts(patterns, chosen.targets, engine, options.language, options.format, reader)
        spoken = [short_tag(str(chosen.language))]
    if options.write_text is not None:
        check_places(options.write_text, found, overwrite=options.overwrite)
    name, stages = options.setting, chosen.stages
    generation = generation_inputs({name: stages["generate"]}, chosen.files)
    warn_of_languages(generation.inflector, spoken)
    generators = {name: stages["generate"].used_generators}
    check_languages(spoken, generators, generation.lexicon, generation.thesauri)
    return TextPlan(
        found,
        engine,
        reader,
        options.format,
        generation,
        selection_of({name: stages["select"]}, chosen.files, chosen.engine),
        rankings_of({name: stages["rank"]}, _ranking_files(chosen.files)),
        options.rewriting.agreement,
        stated_parts(options.parts),
        options.max_reject_share,
        spoken,
        options.settings is not None,
    )


def _languages(found: FoundIn, inputs: Inputs) -> list[str]:
    given = found.options.language
    return sorted({short_tag(name) for name in ([given] if given else languages(corpora_of(inputs)))})
