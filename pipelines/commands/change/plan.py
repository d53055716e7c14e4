"""The plan that options of `lexbeam change` make with what the corpora say of themselves."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from lexbeam.pipelines.commands.change.beside import check_uses, systems_beside
from lexbeam.pipelines.commands.change.options import (
    LEAST_SLICES,
    ChangeOptions,
    parse_budget,
    parse_seeds,
    read_targets,
)
from lexbeam.pipelines.frame.command import Inputs
from lexbeam.pipelines.frame.inputs import corpora_of
from lexbeam.transforms.change.graph.comparisons import CommonFrame, Comparisons, SpaceVariant
from lexbeam.transforms.change.nulls.deal_stages import DealOptions
from lexbeam.transforms.change.scores.score_stage import ChangeScoreOptions
from lexbeam.transforms.change.spaces.alignment_stage import AlignOptions
from lexbeam.transforms.change.spaces.neighbour_stage import NeighbourOptions
from lexbeam.transforms.change.spaces.shards import ShardOptions
from lexbeam.transforms.change.view.slices import Slice, filled_slices, per_slice, slice_of, slice_pairs
from lexbeam.transforms.change.view.targets import ViewTargets
from lexbeam.transforms.change.view.view_stage import RANGE_TOKENS, ViewSpec
from lexbeam.transforms.change.view.words import case_of
from lexbeam.transforms.common.errors import UsageError, nearest
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
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, variants_of
from lexbeam.transforms.embeddings.joint.trainings import of_targets
from lexbeam.transforms.embeddings.representations import SGNS, RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.trainers import TRAINERS


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
