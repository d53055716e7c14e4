"""Scores of a pair of slices under one seed, as an artefact, and the options of all that scores.

ScoreSeed   two spaces of one seed and their maps  -> one seed's scores
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.transforms.change.scores.measures import FREQUENCY, MADE, MEASURES, REGISTRY, needs_alignment
from lexbeam.transforms.change.scores.named_systems import NamedSystem, as_texts, parsed, presets, systems_of
from lexbeam.transforms.change.scores.pair_scores import ScoredSlice, score_pair, with_made, with_parts
from lexbeam.transforms.change.scores.ranking import RankedWordOptions
from lexbeam.transforms.change.spaces.aligning import SliceFacts, SliceSpace, load_alignments, load_spaces
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import sort_rows
from lexbeam.transforms.embeddings.alignment import named_alignment

_THRESHOLDS = "lexbeam.transforms.change.scores.thresholds:THRESHOLDS"


@dataclass(frozen=True, kw_only=True)
class ChangeScoreOptions:
    """What decides scores, and which words are shown.

    Attributes:
        alignments: names, see `alignment.ALIGNMENTS`; rankings come in this order.
        measures: names, see `measures.MEASURES`; `frequency` is always scored.
        neighbourhood, pivots, pivot_draws, graph_words, topic_words: what some of these use.
        thresholds: names, see `thresholds.THRESHOLDS`; the first has columns without suffix.
        threshold_sd, threshold_quantile: what some of these use.
        votes: whether seeds vote on classes.
        systems: names, see `named_systems.SYSTEMS`.
        configured: options of single systems, see `named_systems.parsed`.
        ensembles: names, see `system_ensembles.ENSEMBLES`.
        rank: which words rankings take.
        neighbour_words: how many of the most changed words get neighbours, beside the targets.
    """

    alignments: tuple[str, ...] = option(
        ("op", "cca"),
        name="alignment",
        help="alignments; procrustes is another name for op",
        choices="lexbeam.transforms.embeddings.alignment:ALIGNMENTS",
        stands_for=named_alignment,
    )
    measures: tuple[str, ...] = option(("cosine",), name="measure", help="measures", choices=REGISTRY)
    neighbourhood: int = option(
        25,
        help="words of a neighbourhood, the word itself among them",
        least=2,
        most=10_000,
        of=f"{REGISTRY}=lnd,neighbour-overlap,mapped-neighbours,ecdf,ecdf-ranked",
    )
    pivots: int = option(100, help="stable words that a profile is of", least=2, most=10_000, of=f"{REGISTRY}=pivots")
    pivot_draws: int = option(
        10, help="draws of pivots that are averaged over", least=1, most=1_000, of=f"{REGISTRY}=pivots"
    )
    graph_words: int = option(
        300,
        help="most frequent words that a graph has at most, beside the one compared",
        least=2,
        most=2_000,
        of=f"{REGISTRY}=resistance",
    )
    topic_words: int = option(
        500,
        help="most frequent words, at most, whose contexts make topics, and that are contexts",
        least=2,
        most=20_000,
        of=f"{REGISTRY}=topics",
    )
    targets: tuple[str, ...] = ()
    thresholds: tuple[str, ...] = option(
        ("mean",),
        name="threshold",
        help="thresholds above which a score counts as change; rankings go by none of them",
        choices=_THRESHOLDS,
    )
    threshold_sd: float = option(
        1.0,
        help="standard deviations of the threshold mean-sd",
        least=-10,
        most=10,
        of=f"{_THRESHOLDS}=mean-sd,mean-sd-ranked",
    )
    votes: bool = option(
        False, help="classes are what most seeds say, each by the thresholds of its own scores, and not mean scores"
    )
    threshold_quantile: float = option(
        0.75,
        help="quantile of the thresholds quantile and gamma",
        least=0,
        most=1,
        of=f"{_THRESHOLDS}=quantile,quantile-ranked,gamma,gamma-ranked",
    )
    systems: tuple[str, ...] = option(
        (),
        name="system",
        help="systems by name, of SemEval-2020 Task 1 or `systems`, side by side; they set options that are not given",
        listed="lexbeam.transforms.change.scores.named_systems:SYSTEMS",
        presets=presets,
        lists="list-systems",
    )
    configured: tuple[str, ...] = option(
        (),
        name="systems",
        help="options of single systems, and systems of one's own; in a file options by name",
        metavar="NAME:OPTION=VALUE",
        check=parsed,
        flattens=as_texts,
    )
    ensembles: tuple[str, ...] = option(
        (),
        name="ensemble",
        help="systems more, made of those that `system` names",
        choices="lexbeam.transforms.change.scores.system_ensembles:ENSEMBLES",
    )
    rank: RankedWordOptions = embedded(RankedWordOptions)
    neighbour_words: int = option(
        100, help="first words of rankings that get neighbours, beside the targets", least=0, most=1_000_000
    )

    @property
    def named(self) -> dict[str, NamedSystem]:
        """The systems by name."""
        return systems_of(self.systems, self.configured)

    def __post_init__(self) -> None:
        """Refuse systems that there are not, and ensembles of nothing."""
        scoring = [name for name, system in self.named.items() if system.measure]
        if self.ensembles and len(scoring) < 2:
            raise UsageError(
                f"`ensemble` {','.join(self.ensembles)}: it is of systems that score words, two or more: name them by "
                "`system`"
            )


class VariantSpaces(NamedTuple):
    """The spaces of a pair of slices and a seed, made in one way, and what compares them.

    Attributes:
        variant: how they are made.
        spaces: of the earlier and the later slice.
        alignments: the maps by alignment; None: no map.
        of_targets: whether targets alone have a vector in each slice.
    """

    variant: str
    spaces: tuple[File, ...]
    alignments: dict[str, File | None]
    of_targets: bool = False


class ScoreTask(NamedTuple):
    """A pair of slices with their spaces of a seed; the first are what measures take that take no aligned vectors."""

    slices: tuple[SliceFacts, SliceFacts]
    seed: int
    variants: tuple[VariantSpaces, ...]

    @property
    def spaces(self) -> list[File]:
        """All spaces."""
        return [file for variant in self.variants for file in variant.spaces]


@dataclass(frozen=True)
class ScoredSeed:
    """One seed's rows of table scores, before they are combined; documents of the smaller slice."""

    rows: File
    documents: int


@dataclass(frozen=True)
class ScoreSeed(Step[ScoreTask, ScoredSeed]):
    """Score a pair of slices under a seed.

    Attributes:
        measures: sorted, `frequency` among them.
        targets: target words, sorted.
        rank: which words are ranked, of whatever part of speech.
        parameters: what the measures use, by name.
    """

    measures: tuple[str, ...]
    targets: tuple[str, ...]
    rank: RankedWordOptions
    parameters: Mapping[str, Any]

    name = "change/score"
    noun = "scores"
    unit = "seeds of pairs"
    blas = True

    @classmethod
    def of(cls, options: ChangeScoreOptions) -> "ScoreSeed":
        """Return the step that scores with some options."""
        measures = tuple(sorted({*options.measures, FREQUENCY}))
        uses = {name for measure in with_parts(measures) for name in MEASURES[measure].uses}
        parameters = {name: getattr(options, name) for name in sorted(uses)}
        return cls(measures, tuple(sorted(set(options.targets))), replace(options.rank, pos=()), parameters)

    def chosen(self, task: ScoreTask) -> dict[str, tuple[str, ...]]:
        """Return the measures, and those that they are made of."""
        return {REGISTRY: tuple(with_parts(self.measures))}

    def make(self, artefact: Artefact, task: ScoreTask) -> ScoredSeed:
        """Write the scores of all alignments and measures."""
        measures = [name for name in with_parts(self.measures) if MEASURES[name].takes != MADE]
        tables: list[pa.Table] = []
        for variant in task.variants:
            sides = [
                SliceSpace(facts.name, facts.tokens, space)
                for facts, space in zip(task.slices, variant.spaces, strict=True)
            ]
            spaces = load_spaces(sides, task.seed, variant.variant)
            earlier, later = (
                ScoredSlice(
                    facts.name, space, read_counts(facts.counts), facts.tokens, facts.documents, facts.min_count
                )
                for facts, space in zip(task.slices, spaces, strict=True)
            )
            of_first = not tables
            tables.append(
                score_pair(
                    earlier,
                    later,
                    seed=task.seed,
                    alignments=load_alignments(variant.alignments),
                    measures=[name for name in measures if of_first or needs_alignment(name)],
                    targets=self.targets,
                    rank=self.rank,
                    parameters=self.parameters,
                    of_targets=variant.of_targets,
                )
            )
        rows = tables[0] if len(tables) == 1 else sort_rows(pa.concat_tables(tables), ("alignment", "measure", "word"))
        rows = with_made(rows, self.measures)
        with artefact.writing(".parquet") as stream:
            pq.write_table(rows, pa.PythonFile(stream, "w"), compression="lz4")
        documents = min(facts.documents for facts in task.slices)
        return ScoredSeed(artefact.file(".parquet"), documents)
