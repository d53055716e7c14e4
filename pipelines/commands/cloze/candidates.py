"""Words of summaries that may become answers: table cloze/candidates.

lexbeam cloze candidates cloze --kind nonspecificity --wordnet /usr/share/wordnet
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.pipelines.commands.options import annotation_engine, input_folder
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import (
    Action,
    Command,
    Graph,
    HandedBack,
    Inputs,
    Opening,
    RunnerOptions,
    StringCall,
    TableSource,
)
from lexbeam.pipelines.shown.rows import rows_as_json, rows_as_tsv
from lexbeam.schemas.cloze import CANDIDATES, CRITERIA, FLAGS, KINDS, PAIRS
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine
from lexbeam.transforms.cloze.filters.candidate_options import (
    CandidateOptions,
    check_candidates,
    filter_request,
    lacking,
)
from lexbeam.transforms.cloze.filters.candidate_panels import FILTERED, blocks_of, candidate_panels
from lexbeam.transforms.cloze.filters.candidates import COUNTED, Judgement, JudgeWords, explained, judge_tasks, pair_of
from lexbeam.transforms.cloze.filters.cloze_filters import FILTERS
from lexbeam.transforms.cloze.filters.similarity import (
    RANDOM_PAIRS,
    MeasureRandomWords,
    TakeThresholds,
    Thresholds,
    cutoff_of,
)
from lexbeam.transforms.cloze.pairs.pair import LengthOptions
from lexbeam.transforms.cloze.word_resources import (
    VECTORS,
    WORDNET,
    check_model_language,
    warn_of_inflector,
    warn_of_languages,
)
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.options.small_texts import read_text
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked, summed
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_text

if TYPE_CHECKING:
    import apache_beam as beam


log = logging.getLogger("lexbeam")

LANGUAGE = "en"  # of texts of which neither an option nor an engine says it, as of ReCAM's
ENGLISH = "builtin:en"
_TOLD = ["form", "lemma", "upos", "kind", "passed", "reason", "rating", "depth", "sense", "gloss"]


@dataclass(frozen=True, kw_only=True)
class ExplainedFilterOptions(CandidateOptions):
    """The filters of candidates, as far as they have the resources they need."""

    kind: tuple[str, ...] = option(
        (),
        help="what makes answers abstract: one or several; if not given, all, as far as there is what they need",
        metavar="KIND",
        choices=KINDS,
    )


@dataclass(frozen=True, kw_only=True)
class ExplainOptions:
    """Options of `lexbeam cloze explain`."""

    passage: str = option(help="the passage, a text in UTF-8", metavar="FILE", path="file")
    summary: str = option(help="its summary, a text in UTF-8", metavar="FILE", path="file")
    language: str | None = option(
        None,
        help="language of both; if not given, that of the engine, without one en",
        metavar="L",
        stands_for=stated_language,
    )
    engine: str | None = annotation_engine("texts", group="")
    tsv: bool = option(False, help="print a row for each word and kind, tab-separated, and nothing else")
    json: bool = option(False, help="print the same rows as one JSON document, and nothing else")
    lengths: LengthOptions = embedded(LengthOptions, group="limits")
    filters: ExplainedFilterOptions = embedded(ExplainedFilterOptions, group="filters")

    def __post_init__(self) -> None:
        """Refuse two formats at once."""
        if self.tsv and self.json:
            raise UsageError("`tsv` and `json` are two formats: give one of them")


def _judged(pair: pa.Table, filters: ExplainedFilterOptions) -> tuple[pa.Table, JudgeWords]:
    """Return what filters say of each word of the summary of a pair, and the filters."""
    filtering = _filtering(filters)
    for flag in pair["flags"][0].as_py():
        log.warning("passage and summary: %s", FLAGS[flag])
    warn_of_inflector(pair["language"].to_pylist(), filtering.setting.inflector)
    if filtering.setting.abstractness is not None:
        check_model_language(pair["language"].to_pylist(), filtering.setting.abstractness.language)
    if any(held.name == WORDNET for held in filtering.setting.lexicon.held):
        warn_of_languages(pair["language"].to_pylist(), filtering.setting.lexicon, "`language`")
    return explained(pair, filtering), filtering


def _lines(rows: pa.Table, filtering: JudgeWords, options: ExplainOptions) -> Iterable[str]:
    if options.tsv:
        return shown_lines(rows_as_tsv(rows.schema.names, rows.to_pylist()))
    if options.json:
        return shown_lines(rows_as_json(rows.to_pylist()))
    return shown_lines(blocks_of(rows, filtering))


def _pair(options: ExplainOptions) -> pa.Table:
    """Return the texts as a row of cloze/pairs.

    Raises:
        UsageError: one cannot be read, or is no passage or summary.
    """
    paths = {name: getattr(options, name) for name in ("passage", "summary")}
    texts = {name: read_text(path, name) for name, path in paths.items()}
    shown = {name: files.shown(path) for name, path in paths.items()}
    return _pair_of_texts(texts, shown, options.language, options.engine, options.lengths)


def _pair_of_texts(
    texts: Mapping[str, str], shown: Mapping[str, str], language: str | None, engine: str | None, lengths: LengthOptions
) -> pa.Table:
    cleaned = {}
    for name, text in texts.items():
        try:
            cleaned[name] = clean_text(text)
        except BadRecord as error:
            raise UsageError(f"`{name}` {shown[name]}: {error.detail}") from error
    info = describe_engine(engine) if engine else None
    known = language or (info.language if info else LANGUAGE)
    loaded = load_engine(engine) if engine else None
    try:
        return pair_of(cleaned["passage"], cleaned["summary"], language=known, engine=loaded, lengths=lengths)
    except BadRecord as error:
        raise UsageError(f"{' and '.join(shown.values())} are no pair: {error.detail}") from error


def _filtering(options: ExplainedFilterOptions) -> JudgeWords:
    """Return the filters; those without their resource are named and left out.

    Raises:
        UsageError: a kind or filter that is named lacks a resource it needs, or a threshold is a quantile.
        LexbeamError: a resource cannot be read, or a package is missing.
    """
    named = {*options.filters, *(name for kind in options.kind for name in CRITERIA[kind])}
    without = {name: need for name, need in lacking(options).items() if name not in named}
    request = filter_request(replace(options, kind=options.kind or KINDS), without)
    for name in request.quantiles:
        raise UsageError(
            f"`{name}_threshold`: a quantile is one of a corpus, and this is one pair; give the "
            f"cosine that `lexbeam cloze candidates` told as threshold of {name}"
        )
    if "abstractness" in without:
        log.warning("how concrete words are is not asked: no model is named (`abstractness`)")
    if "nonspecificity" in without:
        log.warning("senses, synonyms and antonyms are not asked: there is no WordNet (`wordnet`)")
    return request.candidates


@dataclass(frozen=True, kw_only=True)
class PairTextOptions:
    """Options of a passage and a summary that are given as texts."""

    passage: str = option(
        help="a text, in place of a folder, with its `summary`: nothing is published, and what filters say of each "
        "word of the summary is returned"
    )
    summary: str = option(help="the summary of `passage`, a text")
    language: str | None = option(None, help="language of `passage` and `summary`; if not given, that of the engine")
    engine: str | None = annotation_engine("passage and summary", otherwise="English ones are annotated by builtin:en")
    lengths: LengthOptions = embedded(LengthOptions, group="limits")
    filters: ExplainedFilterOptions = embedded(ExplainedFilterOptions, group="filters")


def _candidates_in(options: PairTextOptions) -> pa.Table:
    engine = options.engine or (ENGLISH if options.language in (None, LANGUAGE) else None)
    texts = {"passage": options.passage, "summary": options.summary}
    pair = _pair_of_texts(texts, {name: f"`{name}`" for name in texts}, options.language, engine, options.lengths)
    return _judged(pair, options.filters)[0].select(_TOLD)


CANDIDATES_IN_TEXT = StringCall(
    PairTextOptions, "Of `passage` and `summary` a row for each word of the summary and kind.", _candidates_in
)


class ClozeExplain(Command[ExplainOptions, None]):
    """`lexbeam cloze explain`."""

    options = ExplainOptions
    examples = """\
  lexbeam cloze explain --passage passage.txt --summary summary.txt --engine builtin:en
  lexbeam cloze explain --passage passage.txt --summary summary.txt --engine builtin:en \\
      --abstractness models/concreteness --vectors news.vec --tsv"""

    def action(self, options: ExplainOptions, action: Action) -> None:
        """Tell of each word what filters say of it."""
        rows, filtering = _judged(_pair(options), options.filters)
        for line in _lines(rows, filtering, options):
            (action.data or action.tell)(line)


SECTION = "cloze.candidates"


@dataclass(frozen=True, kw_only=True)
class ClozeCandidatesOptions(RunnerOptions):
    """Options of `lexbeam cloze candidates`."""

    folder: str | None = input_folder("pairs, of `lexbeam cloze pairs`")
    filters: CandidateOptions = embedded(CandidateOptions, group="filters")


class CandidatesPlan(NamedTuple):
    """What is to be done.

    Attributes:
        parts: parts of `cloze/pairs`.
        filtering: which filters words pass through, and by what.
        quantiles: by filter, where its threshold is taken from the corpus.
        sampled: what measures the word pairs that it is taken from; None: nothing.
    """

    parts: tuple[Part, ...]
    filtering: JudgeWords
    quantiles: Mapping[str, float]
    sampled: MeasureRandomWords | None


def _languages(parts: Sequence[Part]) -> set[str | None]:
    languages: set[str | None] = set()
    for rows in read_rows([checked(part) for part in parts], ["language"]):
        languages.update(pc.unique(rows["language"]).to_pylist())
    return languages


def _thresholds(filtering: JudgeWords, taken: Sequence[Thresholds]) -> dict[str, float]:
    """Return the thresholds of filters: those that options give, and those taken from the corpus."""
    setting = filtering.setting
    thresholds = dict(setting.thresholds)
    for sample in taken:
        thresholds |= sample.cosines
    if "nonspecificity" in filtering.filters():
        thresholds["nonspecificity"] = setting.depth_below
    if setting.abstractness is not None:
        thresholds["abstractness"] = setting.abstractness.below
    return dict(sorted(thresholds.items()))


class ClozeCandidates(Command[ClozeCandidatesOptions, CandidatesPlan]):
    """`lexbeam cloze candidates`."""

    options = ClozeCandidatesOptions
    examples = """\
  lexbeam cloze candidates cloze --kind nonspecificity
  lexbeam cloze candidates cloze --abstractness models/concreteness --vectors news.vec:remove=3 \\
      --static-threshold quantile:0.999
  lexbeam cloze candidates cloze --kind nonspecificity --filters pos,lemma --sense any \\
      --evaluate until-rejected"""
    tables = (CANDIDATES,)
    stages = (MeasureRandomWords, TakeThresholds, JudgeWords)
    rows: Mapping[str, type] = {"judged": Judgement, "thresholds": Thresholds}
    strings = CANDIDATES_IN_TEXT
    opening = Opening(
        "Words that may become answers",
        "What every filter said of the words of the summaries: a word stays only if all filters that apply "
        "let it pass, so the counts say which filter decides.",
        ("kind", "filters", "abstractness", "encoder", "seed"),
    )
    report = staticmethod(candidate_panels)

    def reads(self, options: ClozeCandidatesOptions) -> Sequence[TableSource]:
        return [TableSource(PAIRS.name, options.folder, needed=True)]

    def check(self, options: ClozeCandidatesOptions) -> None:
        check_candidates(options.filters)

    def plan(self, options: ClozeCandidatesOptions, inputs: Inputs) -> CandidatesPlan:
        parts, seed = inputs.only(PAIRS.name).parts, options.filters.seed
        filtering, quantiles = filter_request(options.filters)
        setting = filtering.setting
        languages = _languages(parts)
        warn_of_inflector(languages, setting.inflector)
        if setting.abstractness is not None:
            check_model_language(languages, setting.abstractness.language)
        if any(held.name == WORDNET for held in setting.lexicon.held):
            warn_of_languages(languages, setting.lexicon, "`lexbeam cloze pairs`")
        if not quantiles:
            return CandidatesPlan(parts, filtering, {}, None)
        ids = read_rows([checked(part) for part in parts], ["pair_id"])
        cutoff = cutoff_of(ids, RANDOM_PAIRS, seed)
        sampled = MeasureRandomWords(setting.lexicon.only(VECTORS), setting.encoder, tuple(quantiles), cutoff, seed)
        return CandidatesPlan(parts, filtering, quantiles, sampled)

    def build(self, pipeline: "beam.Pipeline", plan: CandidatesPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of `cloze/pairs` in, parts of candidates out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts, Once, SpreadOverLanes

        lexicon = graph.carry(plan.filtering.setting.lexicon)
        step = replace(plan.filtering, setting=plan.filtering.setting._replace(lexicon=lexicon))
        pairs = graph.tasks(pipeline, "PairParts", plan.parts, step) | "Spread" >> SpreadOverLanes(
            attrgetter("rows"), graph.lanes, graph.workspace, ""
        )
        sides: dict[str, Any] = {}
        taken = pipeline | "NoThresholds" >> beam.Create([])
        if plan.sampled is not None:
            graph.expect(MeasureRandomWords, len(plan.parts))
            graph.expect(TakeThresholds, 1)
            measure = replace(plan.sampled, lexicon=lexicon.only(VECTORS))
            thresholds = (
                pairs
                | "Measure" >> Each(graph.workspace, measure, lambda part: [(part.number, part)])
                | "Measured" >> beam.Values()
                | "Take" >> Once(graph.workspace, TakeThresholds(plan.quantiles), lambda measured: [(0, measured)])
            )
            sides["thresholds"] = beam.pvalue.AsSingleton(thresholds)
            taken = thresholds | "Taken" >> beam.Values()
        judged = pairs | "Judge" >> Each(graph.workspace, step, judge_tasks, sides=sides)
        return {
            "parts": judged | "Name" >> beam.ParDo(NameParts(CANDIDATES.name, "part")),
            "judged": judged | "Receipts" >> beam.Values(),
            "thresholds": taken,
        }

    def section(self, plan: CandidatesPlan, outcome: HandedBack) -> Mapping[str, Any]:
        counts = summed(outcome.rows["judged"], ("kind", "filter"), COUNTED)
        taken: list[Thresholds] = outcome.rows["thresholds"]
        order = ["", *FILTERS]
        return {
            "pairs": sum(part.rows for part in plan.parts),
            "kinds": list(plan.filtering.kinds),
            "filters": plan.filtering.filters(),
            "thresholds": _thresholds(plan.filtering, taken),
            "random_pairs": {name: number for sample in taken for name, number in sample.pairs.items()},
            "counts": [
                {**row, "filter": row["filter"] or "all"}
                for kind in plan.filtering.kinds
                for row in sorted((c for c in counts if c["kind"] == kind), key=lambda c: order.index(c["filter"]))
            ],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield what became of the words, by kind and filter."""
        section = snapshot.section(SECTION)
        for kind in section["kinds"]:
            whole, *filters = (row for row in section["counts"] if row["kind"] == kind)
            yield (
                f"{kind}: {whole['words'] - whole['rejected']} candidates of {whole['words']} words in "
                f"{section['pairs']} summaries"
            )
            yield FILTERED.grid(filters, without=("kind",))
        for name, value in section["thresholds"].items():
            yield f"threshold of {name}: {value:.4g}"
