"""Options of `lexbeam change`, and the plan they make with what the corpora say of themselves."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipelines.commands.options import corpus_folders
from pipelines.frame.command import Inputs
from pipelines.frame.common_options import RunnerOptions
from pipelines.frame.inputs import corpora_of
from transforms.change.graph.comparisons import CommonFrame, Comparisons, SpaceVariant
from transforms.change.nulls.deal_stages import DealOptions
from transforms.change.nulls.deals import BY
from transforms.change.nulls.evidence import LEAST_RUNS
from transforms.change.scores.measures import check_measures, needs_alignment
from transforms.change.scores.score_stages import ChangeScoreOptions
from transforms.change.scores.system_settings import check_settings, has_chance, options_beside
from transforms.change.spaces.alignment_stage import AlignOptions
from transforms.change.spaces.neighbour_stage import NeighbourOptions
from transforms.change.spaces.shards import ShardOptions, check_steps
from transforms.change.view.slices import (
    PAIRINGS,
    Slice,
    filled_slices,
    parse_slices,
    per_slice,
    slice_of,
    slice_pairs,
    with_hyphens,
)
from transforms.change.view.targets import ViewTargets, load_targets
from transforms.change.view.view_stage import RANGE_TOKENS, SMALLEST, ViewSpec
from transforms.change.view.words import ViewOptions, case_of
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import embedded, from_mapping, option, options_of, value_of
from transforms.common.options.small_texts import read_lines
from transforms.common.options.uses import check_uses
from transforms.common.store.tables import Part
from transforms.corpora.corpus import (
    Corpus,
    SentencePart,
    check_columns,
    languages,
    sentence_parts,
    tokens_by_year,
    years,
)
from transforms.embeddings.alignment import ALIGNMENTS, check_fit_on, parse_fit_on, variants_of
from transforms.embeddings.joint.trainings import of_targets
from transforms.embeddings.representations import REPRESENTATIONS, SGNS, RepresentationOptions
from transforms.embeddings.sgns import SgnsOptions
from transforms.embeddings.trainers import TRAINERS

__all__ = ["ChangeOptions", "ChangePlan", "may_be_series", "plan_change", "read_targets"]


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
        metavar="SPEC",
        check=check_slices,
        stands_for=with_hyphens,
    )
    pairs: str = option("consecutive", help="pairs of slices to compare", choices=PAIRINGS)
    targets: str | None = option(
        None,
        help="target words, one a line, perhaps with _nn, _vb or _jj",
        metavar="FILE",
        path="file",
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
        path="place",
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
            chance=self.has_chance or any(has_chance(*_compared(self, name)) for name in self.score.systems),
        )
        check_measures(self.score.measures, self.representation.representation)
        check_steps(self.sharding, self.sgns.epochs)
        if self.align.fit_on:
            parse_fit_on(self.align.fit_on)

    @property
    def has_chance(self) -> bool:
        """Whether the run's own scores, beside which systems may have others, hang on seeds."""
        return has_chance(self.representation.representation, self.score.measures)


def _compared(options: ChangeOptions, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the representation and the measures of a system."""
    own, measure = options_beside(name, options.score.configured), options.score.named[name].measure
    representation = own.get("representation", options.representation.representation) or SGNS
    return representation, (measure,) if measure else ()


@dataclass(frozen=True)
class ChangePlan:
    """What a change run is to do, checked against the corpora."""

    parts: list[SentencePart]
    settle: bool
    view: ViewSpec
    budget: int | str | None
    pairs: Comparisons
    null: DealOptions
    series: bool
    documents: Mapping[str, Part]
    representation: RepresentationOptions
    sgns: SgnsOptions
    sharding: ShardOptions
    align: AlignOptions
    score: ChangeScoreOptions
    neighbours: NeighbourOptions
    write_text: str | None
    frees: bool = False  # null spaces, once they are scored
    ensembles: tuple[str, ...] = ()
    beside: tuple["ChangePlan", ...] = ()  # for systems that want other spaces; of them `change/systems` alone is made


def plan_change(options: ChangeOptions, inputs: Inputs) -> ChangePlan:
    """Check the options against what the corpora's manifests say, and return the plan.

    Raises:
        UsageError: an option is wrong, needs annotation that the corpora lack, or a trainer that is not compiled.
        LexbeamError: a slice without documents.
    """
    if not options.score.systems:  # which may use it beside the run
        check_uses(options)
        if options.align.fit_on:
            check_fit_on(options.align.fit_on, options.score.alignments)
    if options.representation.representation == SGNS:
        TRAINERS[options.sgns.trainer].check_installed(f"trainer `{options.sgns.trainer}`")
    corpora = corpora_of(inputs)
    slices = filled_slices(options.slices, years(corpora))
    view = options.view
    if view.case == "auto":
        view = replace(view, case=case_of(languages(corpora)))
    targets = read_targets(options, view)
    check_targets(options, targets)
    check_columns(
        corpora,
        _columns(options, targets),
        remedy="choose an engine that gives them, another `unit`, or targets without _nn, _vb, _jj",
    )
    frame = common_frame(options, [slice.name for slice in slices])
    cuts = per_slice(list(options.min_count), slices)
    others = _others(options)
    own = tuple(name for name in options.score.systems if not any(name in names for names in others))
    plan = ChangePlan(
        parts=sentence_parts(corpora),
        settle=len(corpora) > 1,
        view=ViewSpec(slices=slices, targets=targets, options=view, ranges=_ranges(slices, corpora)),
        budget=parse_budget(options.max_tokens),
        pairs=Comparisons(
            names=tuple(slice.name for slice in slices),
            min_counts=tuple(cuts),
            pairs=slice_pairs(slices, options.pairs),
            seeds=parse_seeds(options.seeds)[: None if options.has_chance else 1],
            variants=tuple(SpaceVariant(*found) for found in variants_of(options.score.alignments).items()),
            sequences=(tuple(range(len(slices))),),
            frame=frame,
        ),
        null=DealOptions(nulls=options.null, seed=options.null_seed, by=options.null_by),
        series=options.series and len(slices) >= LEAST_SLICES,
        documents=_documents(corpora),
        representation=replace(options.representation, dim=options.sgns.dim),
        sgns=options.sgns,
        sharding=options.sharding,
        align=replace(options.align, targets=targets.words),
        score=replace(options.score, targets=targets.words, systems=own, ensembles=()),
        neighbours=options.neighbours,
        write_text=options.write_text,
        frees=options.keep == "published" and not others,  # which may be of the same trainings
        ensembles=options.score.ensembles,
    )
    return replace(plan, beside=tuple(_beside(plan, names, other) for names, other in others.items()))


def _others(options: ChangeOptions) -> dict[tuple[str, ...], ChangeOptions]:
    """Return the options of systems that want other spaces than the run's own options make, by the systems' names.

    Systems that state the same stand together.
    """
    known = options_of(ChangeOptions)
    of_run = {name: value_of(options, name) for name in known}
    none = {"system": (), "systems": (), "ensemble": (), "write_text": None}
    of_run |= _seeds(options.representation.representation, options.score.measures)
    served = from_mapping(ChangeOptions, of_run | none)
    stated: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for name, system in options.score.named.items():
        own = options_beside(name, options.score.configured)
        wanted = {key: known[key].default if value is None and key in known else value for key, value in own.items()}
        kind, measures = _compared(options, name)
        representation = REPRESENTATIONS[kind]
        aligned = needs_alignment(system.measure) and system.measure
        scored = {
            "measure": measures,
            "threshold": (system.threshold,) if system.threshold else options.score.thresholds,
            "alignment": (system.alignment,) if aligned else representation.alignments[:1],
        }
        unscored = any(not set(scored[key]) <= set(of_run[key]) for key in ("measure", "threshold", "alignment"))
        unscored = unscored or kind != options.representation.representation
        if own and (unscored or from_mapping(ChangeOptions, of_run | none | wanted) != served):
            names, both = stated.setdefault(str(sorted(own.items(), key=str)), ([], {}))
            names.append(name)
            both |= {
                key: tuple(dict.fromkeys([*both.get(key, ()), *values])) for key, values in scored.items()
            } | wanted
    given = of_run | none | {"seeds": options.seeds}
    return {
        tuple(names): from_mapping(
            ChangeOptions, given | _seeds(both.get("representation", given["representation"]), both["measure"]) | both
        )
        for names, both in stated.values()
    }


def _seeds(representation: str, measures: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return one seed where chance has no part."""
    return {} if has_chance(representation, measures) else {"seeds": (1,)}


def _beside(plan: ChangePlan, names: tuple[str, ...], options: ChangeOptions) -> ChangePlan:
    """Return the plan for systems that want other spaces."""
    if options.representation.representation == SGNS:
        TRAINERS[options.sgns.trainer].check_installed(f"trainer `{options.sgns.trainer}`")
    check_targets(options, plan.view.targets)
    return replace(
        plan,
        pairs=plan.pairs._replace(
            min_counts=tuple(per_slice(list(options.min_count), plan.view.slices)),
            seeds=parse_seeds(options.seeds),
            variants=tuple(SpaceVariant(*found) for found in variants_of(options.score.alignments).items()),
            frame=None,
        ),
        series=False,
        representation=replace(options.representation, dim=options.sgns.dim),
        sgns=options.sgns,
        sharding=options.sharding,
        align=replace(options.align, targets=plan.view.targets.words),
        score=replace(options.score, targets=plan.view.targets.words, systems=names, configured=plan.score.configured),
    )


def _ranges(slices: Sequence[Slice], corpora: Sequence[Corpus]) -> tuple[int, ...]:
    """Return into how many ranges each slice is cut: by its own tokens, whatever others hold."""
    tokens = [0] * len(slices)
    for year, number in tokens_by_year(corpora).items():
        if (place := slice_of(year, slices)) is not None:
            tokens[place] += number
    return tuple(max(1, -(-number // RANGE_TOKENS)) for number in tokens)


def _documents(corpora: Sequence[Corpus]) -> dict[str, Part]:
    """Return the parts of `documents` by the digests of the parts of `sentences` beside them."""
    return {parts.sentences.sha256: parts.documents for corpus in reversed(corpora) for parts in corpus.pairs}


def read_targets(options: ChangeOptions, view: ViewOptions | None = None) -> ViewTargets:
    """Return the target words, as the view has them; where none is given, as the options say.

    Raises:
        UsageError: their file cannot be read, or a word in it is wrong.
    """
    if options.targets is None:
        return ViewTargets()
    return load_targets(read_lines(options.targets, "targets"), view or options.view)


def common_frame(options: ChangeOptions, names: Sequence[str]) -> CommonFrame | None:
    """Return the frame that slices of these names are mapped into; None: each pair is aligned by itself.

    Raises:
        UsageError: no such slice, or an alignment that does not map one space onto the other.
    """
    if options.align_to is None:
        return None
    for name in options.score.alignments:
        method = ALIGNMENTS[name]
        if not method.moves and not method.joint and name != "none":
            able = " or ".join(known for known, one in ALIGNMENTS.items() if one.moves)
            raise UsageError(
                f"`align_to` {options.align_to}: `alignment` {name} does not map one space onto another that stays, "
                f"so that its maps make no common frame: take {able}, or leave `align_to` out"
            )
    if options.align_to in ("previous", "first"):
        return CommonFrame(None if options.align_to == "previous" else 0)
    if options.align_to not in names:
        known_names = ("previous", "first", *names)
        raise UsageError(
            f"`align_to` {options.align_to!r}: no such slice{nearest(options.align_to, known_names)} "
            f"(there are: {', '.join(known_names)})"
        )
    return CommonFrame(names.index(options.align_to))


def check_targets(options: ChangeOptions, targets: ViewTargets) -> None:
    """Refuse alignments that give vectors to targets alone where there are none.

    Raises:
        UsageError: there is one.
    """
    for name in options.score.alignments:
        if of_targets(name) and not targets.words:
            raise UsageError(
                f"`alignment` {name}: it gives targets alone a vector in each slice, and there are none: name some by "
                "`targets`, or take another alignment"
            )


def may_be_series(options: ChangeOptions) -> bool:
    """Return whether slices will, as far as can be told without a corpus, make a series."""
    known = len(parse_slices(options.slices, years=(0, 0)))
    return options.series and (known >= LEAST_SLICES or options.slices.startswith("every"))


def _columns(options: ChangeOptions, targets: ViewTargets) -> set[str]:
    unit = "lemmas" if options.view.unit == "lemma" else "forms"
    return {unit, "upos"} if targets.needs_upos else {unit}
