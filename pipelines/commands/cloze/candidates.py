"""Words of summaries that may become answers: table cloze/candidates.

lexbeam cloze candidates cloze --kind nonspecificity --wordnet /usr/share/wordnet
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.cloze.pairs import CANDIDATES, PAIRS
from transforms.cloze.filters.base import WORDNET
from transforms.cloze.filters.candidates import COUNTED, JUDGE, CandidateSetting, Judgement
from transforms.cloze.filters.options import CandidateOptions, asking_of, check_candidates
from transforms.cloze.filters.registry import FILTERS
from transforms.cloze.filters.thresholds import MEASURE, RANDOM_PAIRS, SETTLE, Sampled, Thresholds, cutoff_of
from transforms.cloze.shown.candidate_panels import candidate_panels
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store.counts import summed
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["CLOZE_CANDIDATES", "ClozeCandidatesOptions", "warn_of_languages"]

log = logging.getLogger("lexbeam")

SECTION = "cloze.candidates"


@dataclass(frozen=True, kw_only=True)
class ClozeCandidatesOptions(RunnerOptions):
    """Options of `lexbeam cloze candidates`."""

    folder: str | None = option(
        None,
        help="folder with pairs, of `lexbeam cloze pairs`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    asked: CandidateOptions = embedded(CandidateOptions, group="filters")


class CandidatesPlan(NamedTuple):
    """What is to be done.

    Attributes:
        parts: parts of `cloze/pairs`.
        asking: what is asked of words.
        quantiles: by filter, where its threshold is taken from the corpus.
        sampled: what it is taken from; None: nothing.
    """

    parts: tuple[Part, ...]
    asking: CandidateSetting
    quantiles: Mapping[str, float]
    sampled: Sampled | None


def _reads(options: ClozeCandidatesOptions) -> Sequence[TableSource]:
    return [TableSource(PAIRS.name, options.folder)]


def _check(options: ClozeCandidatesOptions) -> None:
    check_candidates(options.asked)


def _plan(options: ClozeCandidatesOptions, inputs: Inputs) -> CandidatesPlan:
    parts = inputs.only(PAIRS.name).parts
    own = options.asked
    asking, quantiles = asking_of(own)
    if any(held.name == WORDNET for held in asking.setting.lexicon.held):
        warn_of_languages(_languages(parts), asking, "`lexbeam cloze pairs`")
    if not quantiles:
        return CandidatesPlan(parts, asking, {}, None)
    ids = read_rows([checked(part) for part in parts], ["pair_id"])
    cutoff = cutoff_of(ids, RANDOM_PAIRS, own.seed)
    return CandidatesPlan(
        parts,
        asking,
        quantiles,
        Sampled(asking.setting.lexicon, asking.setting.encoder, tuple(quantiles), cutoff, own.seed),
    )


def _languages(parts: Sequence[Part]) -> set[str | None]:
    languages: set[str | None] = set()
    for rows in read_rows([checked(part) for part in parts], ["language"]):
        languages.update(pc.unique(rows["language"]).to_pylist())
    return languages


def warn_of_languages(languages: Iterable[str | None], asking: CandidateSetting, remedy: str) -> None:
    """Say of which languages there is no WordNet; some filter asks for one.

    Args:
        languages: those of pairs; None: they have none.
        asking: what is asked of words.
        remedy: what says a language.
    """
    lexicon = asking.setting.lexicon
    for language in sorted(languages, key=lambda one: one or ""):
        if lexicon.find(WORDNET, language) is None:
            log.warning(
                "there is no WordNet for %s: synonyms and antonyms say nothing there, and no word is nonspecific%s",
                f"language {language!r}" if language else "pairs that have no language",
                "" if language else f" ({remedy} takes a language)",
            )


def _build(pipeline: "beam.Pipeline", plan: CandidatesPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of `cloze/pairs` in, parts of candidates out."""
    import apache_beam as beam

    from transforms.cloze.filters.ptransforms import FindCandidates
    from transforms.common.store.ptransforms import SpreadOverLanes

    setting = plan.asking.setting
    setting = setting._replace(lexicon=graph.carry(setting.lexicon))
    asking = plan.asking._replace(setting=setting)
    sampled = None if plan.sampled is None else plan.sampled._replace(lexicon=setting.lexicon)
    judged, taken, parts = (
        pipeline
        | "PairParts" >> beam.Create(plan.parts, reshuffle=False)
        | "Spread" >> SpreadOverLanes(_rows, graph.lanes, graph.workspace, "")
        | "Find" >> FindCandidates(graph.workspace, asking, sampled, plan.quantiles)
    )
    return {"parts": parts, "judged": judged, "thresholds": taken}


def _rows(part: Part) -> float:
    return float(part.rows)


def _expected(plan: CandidatesPlan) -> Mapping[str, int]:
    expected = {JUDGE.name: len(plan.parts)}
    if plan.sampled is not None:
        expected |= {MEASURE.name: len(plan.parts), SETTLE.name: 1}
    return expected


def _section(plan: CandidatesPlan, outcome: HandedBack) -> Mapping[str, Any]:
    counts = summed(outcome.rows["judged"], ("kind", "filter"), COUNTED)
    taken: list[Thresholds] = outcome.rows["thresholds"]
    own = plan.asking.setting
    thresholds = dict(own.thresholds)
    for found in taken:
        thresholds |= found.cosines
    if "nonspecificity" in plan.asking.filters():
        thresholds["nonspecificity"] = own.depth_below
    if own.abstractness is not None:
        thresholds["abstractness"] = own.abstractness.below
    order = ["", *FILTERS]
    return {
        "pairs": sum(part.rows for part in plan.parts),
        "kinds": list(plan.asking.kinds),
        "filters": plan.asking.filters(),
        "thresholds": dict(sorted(thresholds.items())),
        "random_pairs": {name: n for found in taken for name, n in found.pairs.items()},
        "counts": [
            {**row, "filter": row["filter"] or "all"}
            for kind in plan.asking.kinds
            for row in sorted((c for c in counts if c["kind"] == kind), key=lambda c: order.index(c["filter"]))
        ],
    }


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what became of the words, by kind and filter."""
    section = snapshot.section(SECTION)
    for kind in section["kinds"]:
        own = [row for row in section["counts"] if row["kind"] == kind]
        whole = own[0]
        yield (
            f"{kind}: {whole['words'] - whole['rejected']} candidates of {whole['words']} words in "
            f"{section['pairs']} summaries"
        )
        heads = ("filter", "asked", "rejected", "abstained", "first to reject", "targets", "targets rejected")
        names = ("filter", "words", "rejected", "abstained", "reasons", "targets", "targets_rejected")
        rows = tuple(tuple(str(row[name]) for name in names) for row in own[1:])
        yield Grid(heads, rows, frozenset(range(1, len(heads))), 2)
    for name, value in section["thresholds"].items():
        yield f"threshold of {name}: {value:.4g}"


CLOZE_CANDIDATES: Command[ClozeCandidatesOptions, CandidatesPlan] = Command(
    options=ClozeCandidatesOptions,
    examples="""\
  lexbeam cloze candidates cloze --kind nonspecificity
  lexbeam cloze candidates cloze --abstractness models/concreteness --vectors news.vec:remove=3 \\
      --static-threshold quantile:0.999
  lexbeam cloze candidates cloze --kind nonspecificity --filters pos,lemma --sense any \\
      --evaluate until-rejected""",
    tables=(CANDIDATES,),
    reads=_reads,
    check=_check,
    stages=(MEASURE, SETTLE, JUDGE),
    plan=_plan,
    build=_build,
    rows={"judged": Judgement, "thresholds": Thresholds},
    expected=_expected,
    section=_section,
    summary=_summary,
    report=candidate_panels,
)
