"""Options of `lexbeam change`, and what can be told of them without a corpus."""

import re
from dataclasses import dataclass

from lexbeam.pipelines.commands.options import corpus_folders
from lexbeam.pipelines.frame.command import RunnerOptions
from lexbeam.transforms.change.scores.measures import check_measures
from lexbeam.transforms.change.scores.named_systems import check_settings, has_chance, options_beside
from lexbeam.transforms.change.scores.null_deals import BY
from lexbeam.transforms.change.scores.null_evidence import LEAST_RUNS
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions
from lexbeam.transforms.change.spaces.aligning import AlignOptions, NeighbourOptions
from lexbeam.transforms.change.spaces.shards import ShardOptions, check_steps
from lexbeam.transforms.change.view.slices import PAIRINGS, parse_slices, spans_text, with_hyphens
from lexbeam.transforms.change.view.view_stage import SMALLEST
from lexbeam.transforms.change.view.words import ViewOptions, ViewTargets, load_targets
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option, options_of
from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.embeddings.alignment import parse_fit_on
from lexbeam.transforms.embeddings.representations import SGNS, RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions


def check_slices(spec: str) -> None:
    """Check what can be told of `slices` without a corpus."""
    parse_slices(spec, years=(0, 0))


def parse_budget(value: str | None) -> int | str | None:
    """Return the most tokens per slice, `smallest`, or None for no limit."""
    if value is None or value == SMALLEST:
        return value
    if not re.fullmatch(r"0*[1-9][0-9]{0,17}", value):
        raise UsageError(f"`max_tokens` must be a number from 1, or {SMALLEST}, not {value!r}")
    return int(value)


def parse_seeds(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seeds that a number of seeds, or several seeds, stand for."""
    if len(numbers) > 1:
        if len(set(numbers)) < len(numbers):
            raise UsageError(f"`seeds` {','.join(map(str, numbers))} names a seed twice")
        return tuple(sorted(numbers))
    if not numbers or not 1 <= numbers[0] <= MOST_SEEDS:
        raise UsageError(f"`seeds`: the number of seeds is 1 to {MOST_SEEDS}")
    return tuple(range(1, numbers[0] + 1))


def check_null(number: int) -> None:
    """Refuse a number of null pairs from which nothing can be told."""
    if 0 < number < LEAST_RUNS:
        raise UsageError(
            f"`null` {number}: fewer than {LEAST_RUNS} null pairs tell too little of chance (5 are good); 0 makes none"
        )


SCORES = "scores"
EVIDENCE = "evidence"
MOST_SEEDS = 1000
MOST_NULLS = 1000
LEAST_SLICES = 3  # of a series
OF_SPACES = ("representation", "sgns", "sharding", "min_count", "seeds", "align", "score")  # a system may have its own
OF_RUNS = ("system", "systems", "ensemble", "neighbour_words")  # no system may, of these


@dataclass(frozen=True, kw_only=True)
class ChangeOptions(RunnerOptions):
    """Options of `lexbeam change`."""

    corpora: tuple[str, ...] = corpus_folders("several make one corpus; ")
    slices: str = option(
        help="periods, both ends included: 1810-1860,1960-2010 or bc=..-1,ad=0.. or 'every 20'",
        metavar="SPANS",
        check=check_slices,
        stands_for=with_hyphens,
        flattens=spans_text,
    )
    pairs: str = option("consecutive", help="pairs of slices to compare", choices=PAIRINGS)
    targets: str | None = option(
        None,
        help="target words, one a line, perhaps with _nn, _vb or _jj",
        metavar="FILE",
        path="file",
        data="words",
        published=False,
    )
    view: ViewOptions = embedded(ViewOptions, group="training view")
    max_tokens: str | None = option(
        None,
        help="downsample slices to this many tokens, or to the `smallest` slice",
        metavar="N",
        check=parse_budget,
        group="training view",
    )
    write_text: str | None = option(
        None,
        help="also write the training view as text, a file per slice",
        metavar="DIR",
        path="written",
        published=False,
        group="training view",
    )
    representation: RepresentationOptions = embedded(RepresentationOptions, group="training")
    sgns: SgnsOptions = embedded(SgnsOptions, group="training")
    sharding: ShardOptions = embedded(ShardOptions, group="training")
    min_count: tuple[int, ...] = option((5,), help="frequency cut, one or one per slice", least=1, group="training")
    seeds: tuple[int, ...] = option(
        (1,),
        help="number of seeds (3), or the seeds themselves (1,5,9)",
        least=0,
        most=2**31 - 1,
        check=parse_seeds,
        group="training",
    )
    null: int = option(
        0,
        help="null pairs for each pair of slices, which say what scores chance gives: 3 at "
        "least, or 0 for none (default 0)",
        least=0,
        most=MOST_NULLS,
        check=check_null,
        group=EVIDENCE,
    )
    null_by: str = option(
        "document",
        help="what null pairs deal out: documents, those of an author together where authors allow it, or single "
        "sentences, by which usage differs more often than by chance",
        choices=BY,
        group=EVIDENCE,
    )
    null_seed: int = option(1, help="seed that documents, or sentences, are dealt by", least=0, group=EVIDENCE)
    series: bool = option(
        True, help="with three or more slices: series of all of them, and change points", group=SCORES
    )
    align_to: str | None = option(
        None,
        help="with three or more slices: previous maps each onto the one before it as that was mapped, first or the "
        "NAME of a slice maps all onto that one; by default each pair is aligned by itself",
        metavar="SLICE",
        group=SCORES,
    )
    align: AlignOptions = embedded(AlignOptions, group=SCORES)
    score: ChangeScoreOptions = embedded(ChangeScoreOptions, group=SCORES)
    neighbours: NeighbourOptions = embedded(NeighbourOptions, group="neighbours")

    def __post_init__(self) -> None:
        """Refuse unknown words to fit on, shards averaged too often, and what a representation does not go with."""
        known = options_of(ChangeOptions)
        able = [name for name, entry in known.items() if entry.place[0] in OF_SPACES and name not in OF_RUNS]
        check_settings(self.score.systems, self.score.configured, able, known)
        self.representation.check_goes_with(
            alignments=self.score.alignments,
            seeds=len(parse_seeds(self.seeds)),
            shards=self.sharding.shards,
            dim=self.sgns.dim,
            chance=self.has_chance or any(has_chance(*compared_by(self, name)) for name in self.score.systems),
        )
        check_measures(self.score.measures, self.representation.representation)
        check_steps(self.sharding, self.sgns.epochs)
        if self.align.fit_on:
            parse_fit_on(self.align.fit_on)

    @property
    def has_chance(self) -> bool:
        """Whether the run's own scores, beside which systems may have others, hang on seeds."""
        return has_chance(self.representation.representation, self.score.measures)


def compared_by(options: ChangeOptions, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the representation and the measures of a system."""
    own, measure = options_beside(name, options.score.configured), options.score.named[name].measure
    representation = own.get("representation", options.representation.representation) or SGNS
    return representation, (measure,) if measure else ()


def read_targets(options: ChangeOptions, view: ViewOptions | None = None) -> ViewTargets:
    """Return the target words, as the view has them; where none is given, as the options say.

    Raises:
        UsageError: their file cannot be read, or a word in it is wrong.
    """
    if options.targets is None:
        return ViewTargets()
    return load_targets(word_lines(options.targets, "targets", quiet=view is None), view or options.view)


def may_be_series(options: ChangeOptions) -> bool:
    """Return whether slices will, as far as can be told without a corpus, make a series."""
    known = len(parse_slices(options.slices, years=(0, 0)))
    return options.series and (known >= LEAST_SLICES or options.slices.startswith("every"))
