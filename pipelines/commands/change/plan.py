"""The plan that options of `lexbeam change` make with what the corpora say of themselves."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lexbeam.pipelines.commands.change.options import (
    LEAST_SLICES,
    ChangeOptions,
    compared_by,
    may_be_series,
    parse_budget,
    parse_seeds,
    read_targets,
)
from lexbeam.pipelines.frame.command import Inputs
from lexbeam.pipelines.frame.inputs import corpora_of
from lexbeam.transforms.change.graph.comparisons import (
    CommonFrame,
    Comparisons,
    SpaceVariant,
    needed_places,
    needed_sequences,
)
from lexbeam.transforms.change.graph.pair_tasks import Groups, groups_of, null_slices
from lexbeam.transforms.change.scores.combined_scores import CombineSeeds, Summarise
from lexbeam.transforms.change.scores.measures import MEASURES, needs_alignment
from lexbeam.transforms.change.scores.named_systems import NamedSystem, has_chance, options_beside
from lexbeam.transforms.change.scores.null_deals import CountDealt, DealDocuments, DealOptions, SizeDocuments
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions, ScoreSeed
from lexbeam.transforms.change.scores.series import MakeSeries
from lexbeam.transforms.change.scores.system_ensembles import CompareSystems
from lexbeam.transforms.change.scores.traces import TraceSlices
from lexbeam.transforms.change.spaces.aligning import (
    Align,
    AlignOptions,
    DescribeSlice,
    ListNeighbours,
    NeighbourOptions,
)
from lexbeam.transforms.change.spaces.counting import AddContexts, CountContexts, Represent, pieces_of, sums_of
from lexbeam.transforms.change.spaces.shards import AverageLast, AverageStep, ShardOptions, TrainShard, steps_of
from lexbeam.transforms.change.spaces.training import Train, TrainJointly
from lexbeam.transforms.change.view.counts import CountSlice, ShuffleRange, count_groups
from lexbeam.transforms.change.view.slices import Slice, filled_slices, per_slice, slice_of, slice_pairs
from lexbeam.transforms.change.view.view_stage import RANGE_TOKENS, MeasureTokens, ViewSlices, ViewSpec
from lexbeam.transforms.change.view.words import ViewTargets, case_of
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import from_mapping, options_of, unused, value_of
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.corpora.annotated_corpora import (
    Corpus,
    SentencePart,
    check_columns,
    languages,
    sentence_parts,
    tokens_by_year,
    years,
)
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, APART, unfitted, variants_of
from lexbeam.transforms.embeddings.joint_trainings import of_targets
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, SGNS, RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.trainers import TRAINERS


def systems_beside(options: ChangeOptions) -> dict[tuple[str, ...], ChangeOptions]:
    """Return the options of systems that want other spaces than the run's own options make, by the systems' names.

    Systems that state the same stand together.

    Raises:
        UsageError: a system states what it cannot use.
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
        kind, measures = compared_by(options, name)
        representation = REPRESENTATIONS[kind]
        aligned = needs_alignment(system.measure) and system.measure
        scored = {
            "measure": measures,
            "threshold": (system.threshold,) if system.threshold else options.score.thresholds,
            "alignment": (system.alignment,) if aligned else representation.alignments[:1],
        }
        if own:
            alone = from_mapping(ChangeOptions, of_run | none | _seeds(kind, measures) | wanted | scored)
            told = _unused(alone, [system])
            if not aligned:
                told |= {"fit_on": f"`fit_on` {own.get('fit_on')}: nothing is fitted for `measure` {system.measure}"}
            for option in own:
                if option in told:
                    raise UsageError(f"`systems`: {name}: {told[option]}")
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


def check_uses(options: ChangeOptions, others: Collection[ChangeOptions]) -> None:
    """Refuse values that neither the run nor what stands beside it takes.

    Raises:
        UsageError: there is one.
    """
    for name, told in _unused(options, options.score.named.values()).items():
        if not any(value_of(one, name) == value_of(options, name) and name not in _unused(one) for one in others):
            raise UsageError(told)


def _unused(options: ChangeOptions, systems: Iterable[NamedSystem] = ()) -> dict[str, str]:
    """Return what to say of values that nothing takes, by option, but of those that systems of the registry set."""
    found = unused(options) | unfitted(options.align.fit_on, options.score.alignments)
    sets = [system.options for system in systems]
    return {name: told for name, told in found.items() if all(one.get(name) != value_of(options, name) for one in sets)}


def _seeds(representation: str, measures: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return one seed where chance has no part."""
    return {} if has_chance(representation, measures) else {"seeds": (1,)}


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
    shares: bool = False  # trainings or contexts, between plans beside one another
    frees: bool = False  # null spaces, once they are scored
    ensembles: tuple[str, ...] = ()
    beside: tuple["ChangePlan", ...] = ()  # for systems that want other spaces; of them tables of systems alone


def plan_change(options: ChangeOptions, inputs: Inputs) -> ChangePlan:
    """Check the options against what the corpora's manifests say, and return the plan.

    Raises:
        UsageError: an option is wrong, needs annotation that the corpora lack, or a trainer that is not compiled.
        LexbeamError: a slice without documents.
    """
    others = systems_beside(options)
    check_uses(options, others.values())
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
        ensembles=options.score.ensembles,
    )
    beside = tuple(_beside(plan, names, other) for names, other in others.items())
    apart = {_made_from(one) for one in (plan, *beside)}
    shares = len(apart) <= len(beside)
    return replace(plan, beside=beside, shares=shares, frees=options.keep == "published" and not shares)


def _made_from(plan: ChangePlan) -> Hashable:
    """Return what differs between plans that share no trainings, nor counts of contexts."""
    if plan.representation.representation != SGNS:
        return plan.sgns.window
    return replace(plan.sgns, min_count=1), plan.sharding  # each slice has a cut of its own


def _beside(plan: ChangePlan, names: tuple[str, ...], options: ChangeOptions) -> ChangePlan:
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


def _columns(options: ChangeOptions, targets: ViewTargets) -> set[str]:
    unit = "lemmas" if options.view.unit == "lemma" else "forms"
    return {unit, "upos"} if targets.needs_upos else {unit}


def groups_in(plan: ChangePlan) -> Groups:
    """Return the slices whose documents are compared and dealt: without nulls, those of pairs alone."""
    return groups_of(plan.pairs, plan.series and plan.null.nulls > 0)


def expected_artefacts(plan: ChangePlan) -> Mapping[str, int]:
    """Return how many artefacts stages are to make, by name; of `change/view` progress hears later."""
    pairs, slices, seeds = map(len, (plan.pairs.pairs, plan.pairs.names, plan.pairs.seeds))
    nulls = plan.null.nulls
    null_series = nulls if plan.series else 0
    groups = groups_in(plan)
    parts = len(plan.parts)
    null = null_slices(plan.pairs, groups, nulls)
    spaces = trained = together = 0
    for place, variant in enumerate(plan.pairs.variants):
        spaces += len(needed_places(plan.pairs, place))
        if variant.name == APART:
            trained = len(needed_places(plan.pairs, place)) * seeds + len(needed_places(null, place))
        else:
            together += len(needed_sequences(plan.pairs, place)) * seeds + len(needed_sequences(null, place))
    steps = steps_of(plan.sharding, plan.sgns.epochs)
    counted = plan.representation.representation != SGNS
    # A null slice is read from the files of all the slices that it is dealt from.
    of_nulls = [max(plan.view.ranges[place] for place in group) for group in groups for _ in range(nulls * len(group))]
    ranges = [*plan.view.ranges, *of_nulls]
    pieces = [pieces_of(number) for number in ranges]
    artefacts = {
        MeasureTokens.name: parts * slices * (plan.budget is not None),
        SizeDocuments.name: parts * len({place for group in groups for place in group}),
        CountDealt.name: parts * nulls * sum(map(len, groups)),
        CountSlice.name: (slices + 2 * pairs * nulls + slices * null_series) * (1 + count_groups(parts)),
        ShuffleRange.name: sum(plan.view.ranges),
        CountContexts.name: sum(pieces) * counted,
        AddContexts.name: sum(map(sums_of, pieces)) * counted,
        Represent.name: trained * counted,
        Train.name: trained * (not steps and not counted),
        TrainJointly.name: together,
        TrainShard.name: trained * steps * plan.sharding.shards,
        AverageStep.name: trained * (steps - 1) * (steps > 0),
        AverageLast.name: trained * (steps > 0),
        Align.name: pairs * (seeds + nulls) * len(set(plan.score.alignments)),
        ScoreSeed.name: pairs * (seeds + nulls),
        CombineSeeds.name: pairs,
        Summarise.name: pairs,
        CompareSystems.name: pairs * bool(plan.score.systems or plan.beside),
        ListNeighbours.name: spaces * seeds,
        DescribeSlice.name: slices,
        DealDocuments.name: len(groups),
        TraceSlices.name: (seeds + nulls) * plan.series,
        MakeSeries.name: int(plan.series),
    }
    for other in plan.beside:
        found = expected_artefacts(other)
        for stage in _BESIDE:
            artefacts[stage.name] += found.get(stage.name, 0)
    return {stage: number for stage, number in artefacts.items() if number}


# What systems that want other spaces make again.
_BESIDE = (
    CountContexts,
    AddContexts,
    Represent,
    Train,
    TrainJointly,
    TrainShard,
    AverageStep,
    AverageLast,
    Align,
    ScoreSeed,
    CombineSeeds,
)


def weights_of(options: ChangeOptions) -> Mapping[str, float]:
    """Return about how much work the stages are: what is trained, most of all."""
    runs = len(parse_seeds(options.seeds)) + options.null  # a null pair is one at one seed
    sgns = options.sgns
    series = may_be_series(options)
    runs += options.null * series  # as much again, for null series
    # Seconds for a million tokens on one core, with the sample corpus and gensim.
    training = 25.0 / TRAINERS[sgns.trainer].speed * (sgns.epochs / 5) * (sgns.dim / 100) * (sgns.window / 10)
    in_shards = options.sharding.shards > 1
    counted = options.representation.representation != SGNS
    slices = 1 + options.null * (1 + series)  # whatever the seeds
    variants = variants_of(options.score.alignments)
    return {
        MeasureTokens.name: 1.0 if options.max_tokens else 0.0,
        ViewSlices.name: 2.0,
        CountSlice.name: 0.5,
        ShuffleRange.name: 1.0,
        SizeDocuments.name: 0.2,
        DealDocuments.name: 0.1,
        CountDealt.name: options.null * (1.5 if series else 1.0),
        CountContexts.name: slices * 2.0 * sgns.window / 10 if counted else 0.0,
        AddContexts.name: slices * 0.5 if counted else 0.0,
        Represent.name: runs * 2.0 if counted else 0.0,
        Train.name: runs * training * (APART in variants and not in_shards and not counted),
        TrainJointly.name: runs * training * len([name for name in variants if name != APART]),
        TrainShard.name: runs * training if in_shards else 0.0,
        AverageStep.name: runs * 0.2 if in_shards else 0.0,
        AverageLast.name: runs * 0.2 if in_shards else 0.0,
        Align.name: runs * 1.0,
        ScoreSeed.name: runs * (0.5 + sum(bool(MEASURES[name].uses) for name in options.score.measures)),
        CombineSeeds.name: 0.5,
        Summarise.name: 0.5,
        CompareSystems.name: 0.1 if options.score.systems else 0.0,
        ListNeighbours.name: runs * 0.5,
        DescribeSlice.name: 0.1,
        TraceSlices.name: runs * 1.0 if series else 0.0,
        MakeSeries.name: 0.2 if series else 0.0,
    }


STAGES: tuple[Any, ...] = (
    MeasureTokens,
    ViewSlices,
    SizeDocuments,
    DealDocuments,
    CountDealt,
    CountSlice,
    ShuffleRange,
    CountContexts,
    AddContexts,
    Represent,
    Train,
    TrainJointly,
    TrainShard,
    AverageStep,
    AverageLast,
    Align,
    ScoreSeed,
    CombineSeeds,
    Summarise,
    CompareSystems,
    TraceSlices,
    MakeSeries,
    ListNeighbours,
    DescribeSlice,
)
