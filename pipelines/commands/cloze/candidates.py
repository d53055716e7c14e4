"""Words of summaries that may become answers: table cloze/candidates.

lexbeam cloze candidates cloze --kind nonspecificity --wordnet /usr/share/wordnet
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc

from lexbeam.pipelines.commands.cloze.explain import CANDIDATES_IN_TEXT
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.cloze.candidates import CANDIDATES
from lexbeam.schemas.cloze.pairs import PAIRS
from lexbeam.transforms.cloze.filters.candidates import COUNTED, JUDGE, CandidateSetting, Judgement
from lexbeam.transforms.cloze.filters.options import CandidateOptions, check_candidates, filter_request
from lexbeam.transforms.cloze.filters.registry import FILTERS
from lexbeam.transforms.cloze.filters.thresholds import MEASURE, RANDOM_PAIRS, SETTLE, Sampled, Thresholds, cutoff_of
from lexbeam.transforms.cloze.shown.candidate_panels import FILTERED, candidate_panels
from lexbeam.transforms.cloze.word_resources import WORDNET, check_model_language, warn_of_inflector, warn_of_languages
from lexbeam.transforms.common.options.fields import embedded
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import checked, summed
from lexbeam.transforms.common.store.tables import Part, read_rows

if TYPE_CHECKING:
    import apache_beam as beam

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
        sampled: what it is taken from; None: nothing.
    """

    parts: tuple[Part, ...]
    filtering: CandidateSetting
    quantiles: Mapping[str, float]
    sampled: Sampled | None


def _languages(parts: Sequence[Part]) -> set[str | None]:
    languages: set[str | None] = set()
    for rows in read_rows([checked(part) for part in parts], ["language"]):
        languages.update(pc.unique(rows["language"]).to_pylist())
    return languages


def _rows(part: Part) -> float:
    return float(part.rows)


def _thresholds(filtering: CandidateSetting, taken: Sequence[Thresholds]) -> dict[str, float]:
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
    stages = (MEASURE, SETTLE, JUDGE)
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
        sampled = Sampled(setting.lexicon, setting.encoder, tuple(quantiles), cutoff, seed)
        return CandidatesPlan(parts, filtering, quantiles, sampled)

    def build(self, pipeline: "beam.Pipeline", plan: CandidatesPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of `cloze/pairs` in, parts of candidates out."""
        from lexbeam.transforms.cloze.filters.ptransforms import FindCandidates
        from lexbeam.transforms.common.store.ptransforms import SpreadOverLanes

        lexicon = graph.carry(plan.filtering.setting.lexicon)
        filtering = plan.filtering._replace(setting=plan.filtering.setting._replace(lexicon=lexicon))
        sampled = None if plan.sampled is None else plan.sampled._replace(lexicon=lexicon)
        made_of_parts = [JUDGE] if sampled is None else [JUDGE, MEASURE]
        if sampled is not None:
            graph.expect(SETTLE, 1)
        judged, taken, parts = (
            graph.tasks(pipeline, "PairParts", plan.parts, *made_of_parts)
            | "Spread" >> SpreadOverLanes(_rows, graph.lanes, graph.workspace, "")
            | "Find" >> FindCandidates(graph.workspace, filtering, sampled, plan.quantiles)
        )
        return {"parts": parts, "judged": judged, "thresholds": taken}

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
