"""The stages of a change run: how many artefacts each is to make, how much work that is, what each waits for."""

from collections.abc import Mapping
from typing import Any

from lexbeam.pipelines.commands.change.options import ChangeOptions, may_be_series, parse_seeds
from lexbeam.pipelines.commands.change.plan import ChangePlan
from lexbeam.transforms.change.graph.comparisons import needed_places
from lexbeam.transforms.change.graph.null_pairs import Groups, groups_of, null_slices
from lexbeam.transforms.change.graph.sequences import needed_sequences
from lexbeam.transforms.change.nulls.deal_stages import DEAL, DEALT, SIZES
from lexbeam.transforms.change.scores.combine_stage import COMBINE
from lexbeam.transforms.change.scores.measures import MEASURES
from lexbeam.transforms.change.scores.score_stage import SCORE
from lexbeam.transforms.change.scores.summary_stage import SUMMARISE
from lexbeam.transforms.change.scores.system_ensembles import SYSTEMS_SIDE_BY_SIDE
from lexbeam.transforms.change.series.series_stage import SERIES
from lexbeam.transforms.change.series.trace_stage import TRACE
from lexbeam.transforms.change.spaces.alignment_stage import ALIGN
from lexbeam.transforms.change.spaces.context_stages import ADD_CONTEXTS, COUNT_CONTEXTS, REPRESENT, pieces_of, sums_of
from lexbeam.transforms.change.spaces.joint_stage import TRAIN_JOINTLY
from lexbeam.transforms.change.spaces.neighbour_stage import NEIGHBOURS, SLICE
from lexbeam.transforms.change.spaces.shard_stages import AVERAGE, SHARD, SPACE
from lexbeam.transforms.change.spaces.shards import steps_of
from lexbeam.transforms.change.spaces.training import Train
from lexbeam.transforms.change.view.slice_merges import COUNT, SHUFFLE, count_groups
from lexbeam.transforms.change.view.view_stage import MEASURE, VIEW
from lexbeam.transforms.embeddings.alignment import APART, variants_of
from lexbeam.transforms.embeddings.representations import SGNS
from lexbeam.transforms.embeddings.trainers import TRAINERS


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
        MEASURE.name: parts * slices * (plan.budget is not None),
        SIZES.name: parts * len({place for group in groups for place in group}),
        DEALT.name: parts * nulls * sum(map(len, groups)),
        COUNT.name: (slices + 2 * pairs * nulls + slices * null_series) * (1 + count_groups(parts)),
        SHUFFLE.name: sum(plan.view.ranges),
        COUNT_CONTEXTS.name: sum(pieces) * counted,
        ADD_CONTEXTS.name: sum(map(sums_of, pieces)) * counted,
        REPRESENT.name: trained * counted,
        Train.name: trained * (not steps and not counted),
        TRAIN_JOINTLY.name: together,
        SHARD.name: trained * steps * plan.sharding.shards,
        AVERAGE.name: trained * (steps - 1) * (steps > 0),
        SPACE.name: trained * (steps > 0),
        ALIGN.name: pairs * (seeds + nulls) * len(set(plan.score.alignments)),
        SCORE.name: pairs * (seeds + nulls),
        COMBINE.name: pairs,
        SUMMARISE.name: pairs,
        SYSTEMS_SIDE_BY_SIDE.name: pairs * bool(plan.score.systems or plan.beside),
        NEIGHBOURS.name: spaces * seeds,
        SLICE.name: slices,
        DEAL.name: len(groups),
        TRACE.name: (seeds + nulls) * plan.series,
        SERIES.name: int(plan.series),
    }
    for other in plan.beside:
        found = expected_artefacts(other)
        for stage in _BESIDE:
            artefacts[stage.name] += found.get(stage.name, 0)
    return {stage: number for stage, number in artefacts.items() if number}


# What systems that want other spaces make again.
_BESIDE = (COUNT_CONTEXTS, ADD_CONTEXTS, REPRESENT, Train, TRAIN_JOINTLY, SHARD, AVERAGE, SPACE, ALIGN, SCORE, COMBINE)


# Of COUNT some are of null slices: they come last.
WAITS = {
    VIEW.name: (MEASURE.name,),
    DEAL.name: (SIZES.name,),
    DEALT.name: (DEAL.name,),
    COUNT.name: (VIEW.name, DEALT.name),
    SHUFFLE.name: (VIEW.name,),
    Train.name: (COUNT.name, SHUFFLE.name),
    SHARD.name: (COUNT.name, SHUFFLE.name),
    COUNT_CONTEXTS.name: (COUNT.name, SHUFFLE.name),
    ADD_CONTEXTS.name: (COUNT_CONTEXTS.name,),
    REPRESENT.name: (ADD_CONTEXTS.name,),
    SPACE.name: (SHARD.name, AVERAGE.name),
    TRAIN_JOINTLY.name: (COUNT.name, SHUFFLE.name),
    ALIGN.name: (Train.name, TRAIN_JOINTLY.name, SPACE.name, REPRESENT.name),
    SCORE.name: (ALIGN.name,),
    COMBINE.name: (SCORE.name, DEAL.name),
    SUMMARISE.name: (COMBINE.name,),
    SYSTEMS_SIDE_BY_SIDE.name: (COMBINE.name,),
    SERIES.name: (TRACE.name,),
}


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
        MEASURE.name: 1.0 if options.max_tokens else 0.0,
        VIEW.name: 2.0,
        COUNT.name: 0.5,
        SHUFFLE.name: 1.0,
        SIZES.name: 0.2,
        DEAL.name: 0.1,
        DEALT.name: options.null * (1.5 if series else 1.0),
        COUNT_CONTEXTS.name: slices * 2.0 * sgns.window / 10 if counted else 0.0,
        ADD_CONTEXTS.name: slices * 0.5 if counted else 0.0,
        REPRESENT.name: runs * 2.0 if counted else 0.0,
        Train.name: runs * training * (APART in variants and not in_shards and not counted),
        TRAIN_JOINTLY.name: runs * training * len([name for name in variants if name != APART]),
        SHARD.name: runs * training if in_shards else 0.0,
        AVERAGE.name: runs * 0.2 if in_shards else 0.0,
        SPACE.name: runs * 0.2 if in_shards else 0.0,
        ALIGN.name: runs * 1.0,
        SCORE.name: runs * (0.5 + sum(bool(MEASURES[name].uses) for name in options.score.measures)),
        COMBINE.name: 0.5,
        SUMMARISE.name: 0.5,
        SYSTEMS_SIDE_BY_SIDE.name: 0.1 if options.score.systems else 0.0,
        NEIGHBOURS.name: runs * 0.5,
        SLICE.name: 0.1,
        TRACE.name: runs * 1.0 if series else 0.0,
        SERIES.name: 0.2 if series else 0.0,
    }


STAGES: tuple[Any, ...] = (
    MEASURE,
    VIEW,
    SIZES,
    DEAL,
    DEALT,
    COUNT,
    SHUFFLE,
    COUNT_CONTEXTS,
    ADD_CONTEXTS,
    REPRESENT,
    Train,
    TRAIN_JOINTLY,
    SHARD,
    AVERAGE,
    SPACE,
    ALIGN,
    SCORE,
    COMBINE,
    SUMMARISE,
    SYSTEMS_SIDE_BY_SIDE,
    TRACE,
    SERIES,
    NEIGHBOURS,
    SLICE,
)
