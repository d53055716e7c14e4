"""Generation of candidates, a part of the instances after the other.

GENERATE    a part of simplification/instances -> a part of simplification/candidates

Instances are taken some hundred at a time: each generator is called once for all of them, and
settings that use it in the same way share what it gives.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.simplification import CANDIDATES, column_of
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Inheritance, Stage
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_rows, sort_rows
from lexbeam.transforms.inflection.models import chosen_formats
from lexbeam.transforms.simplification.generation.combination import Candidate, SourceOf, combined, evidence
from lexbeam.transforms.simplification.generation.forms import formed
from lexbeam.transforms.simplification.generation.generators import GENERATORS
from lexbeam.transforms.simplification.generation.inputs import GenerationInputs
from lexbeam.transforms.simplification.generation.options import GenerationOptions
from lexbeam.transforms.simplification.generation.protection import protection
from lexbeam.transforms.simplification.records import BATCH, ID, INSTANCE_COLUMNS, Instance, instances_of

_SUBSTITUTES = ["instance_id", "substitute", "is_target"]


class GenerationTask(NamedTuple):
    """A part of the instances, and all parts of people's substitutes, for generator `gold` only."""

    part: Part
    substitutes: tuple[Part, ...] = ()


@dataclass(frozen=True)
class CandidateCount:
    """How many candidates of a setting there are.

    Attributes:
        setting: its name.
        generator: the one that gives them; empty: any.
        reason: why they do not go on; empty: they do.
        candidates: their number.
    """

    setting: str
    generator: str
    reason: str
    candidates: int


@dataclass(frozen=True)
class Generated:
    """Receipt of a part of the candidates.

    Attributes:
        part: the file.
        keys: what each instance's candidates were made from.
        instances: how many there were.
        with_candidates: by setting, how many have a candidate that goes on.
        protected: how many get none, by `SETTING REASON`.
        counts: of candidates, sorted.
    """

    part: PartFile
    keys: File
    instances: int
    with_candidates: dict[str, int]
    protected: dict[str, int]
    counts: tuple[CandidateCount, ...]


def candidates_of(instances: Sequence[Instance], inputs: GenerationInputs, gold: Mapping[str, list[str]]) -> pa.Table:
    """Return the candidates of instances in all settings, sorted.

    Args:
        instances: a batch of them.
        inputs: what candidates are generated with.
        gold: people's substitutes except the target by instance, for generator `gold`.
    """
    shared: dict[str, list[list[SourceOf]]] = {}
    rows: list[dict[str, object]] = []
    for setting, options in inputs.settings.items():
        sources = _setting_sources(instances, setting, inputs, gold, shared)
        free = [place for place, why in enumerate(_protections(instances, options, inputs)) if why is None]
        unprotected = [instances[place] for place in free]
        lists = _combined(unprotected, [sources[place] for place in free], options, inputs)
        for instance, candidates in zip(unprotected, lists, strict=True):
            rows += [_row(instance, setting, candidate) for candidate in candidates]
    return sort_rows(pa.Table.from_pylist(rows, schema=CANDIDATES.schema()), CANDIDATES.key)


def _protections(
    instances: Sequence[Instance], options: GenerationOptions, inputs: GenerationInputs
) -> Iterator[str | None]:
    """Yield why each instance gets no candidates; None: it may get some."""
    protected = frozenset(inputs.protected)
    for instance in instances:
        yield protection(instance, options.names, protected, inputs.lemmas_to_protect(instance))


def _setting_sources(
    instances: Sequence[Instance],
    setting: str,
    inputs: GenerationInputs,
    gold: Mapping[str, list[str]],
    shared: dict[str, list[list[SourceOf]]],
) -> list[list[SourceOf]]:
    """Return the sources of a setting for each instance; `shared` has, and takes up, what settings share."""
    options = inputs.settings[setting]
    sources: list[list[SourceOf]] = [[] for _ in instances]
    for generator in options.used_generators:
        key = _sharing_key(generator, options)
        if key not in shared:
            shared[key] = _sources(instances, generator, setting, inputs, gold)
        for place, further in enumerate(shared[key]):
            is_evidence = generator in options.evidence
            sources[place] += evidence(sources[place], further) if is_evidence else further
    return sources


def _sharing_key(generator: str, options: GenerationOptions) -> str:
    """Return the options of a setting that decide what a generator gives, as a key."""
    plain = GenerationOptions()
    decisive = replace(
        options,
        generators=(generator,),
        evidence=(),
        combine=plain.combine,
        k=plain.k,
        order=plain.order,
        least_share=plain.least_share,
        unlisted=plain.unlisted,
        names=plain.names,
    )
    return repr(decisive)


def _sources(
    instances: Sequence[Instance], generator: str, setting: str, inputs: GenerationInputs, gold: Mapping[str, list[str]]
) -> list[list[SourceOf]]:
    """Return what the sources of a generator give for each instance, in its forms."""
    context = inputs.context(setting, gold)
    entry = GENERATORS[generator]
    proposed = entry.propose(instances, context)
    barred = inputs.barred_from(instances, context.options)
    by_instance: list[list[SourceOf]] = []
    for place, instance in enumerate(instances):
        inflector = context.inflector_of(instance.language)
        by_instance.append(
            [
                SourceOf(column_of(generator), entry.adds, formed(instance, source[place], inflector, barred[place]))
                for source in proposed
            ]
        )
    return by_instance


def _combined(
    instances: Sequence[Instance],
    sources: Sequence[Sequence[SourceOf]],
    options: GenerationOptions,
    inputs: GenerationInputs,
) -> Iterator[list[Candidate]]:
    """Yield the candidates of each instance."""
    forms = [
        list(dict.fromkeys(formed.form for source in instance_sources for formed in source.formed))
        for instance_sources in sources
    ]
    frequencies = inputs.frequencies(instances, forms)
    cosines = inputs.cosines(instances, forms) if options.order == "average" else None
    for place, instance_sources in enumerate(sources):
        yield combined(
            instance_sources,
            combine=options.combine,
            k=options.k,
            order=options.order,
            least_share=options.least_share,
            only_listed=options.unlisted == "drop",
            frequencies=None if frequencies is None else frequencies[place],
            cosines=None if cosines is None else cosines[place],
        )


def _row(instance: Instance, setting: str, candidate: Candidate) -> dict[str, object]:
    best = candidate.best
    return {
        "instance_id": instance.instance_id,
        "setting": setting,
        "form": best.form,
        "lemma": best.lemma,
        "shown": best.shown,
        "rank": candidate.rank,
        "score": candidate.score,
        **{f"{name}_score": candidate.scores.get(name) for name in map(column_of, GENERATORS)},
        "generators": candidate.sources,
        "votes": candidate.votes,
        "sense_id": best.proposal.sense,
        "relation": best.proposal.relation,
        "frequency": candidate.frequency,
        "inflected": best.inflected,
        "feats": best.feats,
        "before": best.before,
        "reason": candidate.reason,
    }


def _generate(artefact: Artefact, task: GenerationTask, inputs: GenerationInputs) -> Generated:
    def batches(wanted: Mask | None = None) -> Iterator[list[Instance]]:
        rows = read_rows([checked(task.part)], list(INSTANCE_COLUMNS))
        return batched(instances_of(some.filter(wanted(some)) if wanted else some for some in rows), BATCH)

    def made(wanted: Mask) -> Iterator[pa.Table]:
        for batch in batches(wanted):
            yield candidates_of(batch, inputs, _gold(batch, task.substitutes))

    protected: Counter[str] = Counter()
    for batch in batches():
        for setting, options in inputs.settings.items():
            protected.update(f"{setting} {why}" for why in _protections(batch, options, inputs) if why is not None)
    with_candidates = Counter(dict.fromkeys(inputs.settings, 0))
    counts: Counter[tuple[str, str, str]] = Counter()

    def count(rows: pa.Table) -> None:
        with_candidates.update(_with_candidates(rows))
        counts.update(_counts(rows))

    read = [Read([task.part], INSTANCE_COLUMNS), Read(task.substitutes, _SUBSTITUTES)]
    part, keys = write_inheriting(artefact, CANDIDATES.schema(), ID, CANDIDATES.key, read, made, count)
    return Generated(
        part,
        keys,
        task.part.rows,
        dict(with_candidates),
        {key: protected[key] for key in sorted(protected)},
        tuple(CandidateCount(*key, counts[key]) for key in sorted(counts)),
    )


def _with_candidates(rows: pa.Table) -> dict[str, int]:
    """Return by setting how many instances have a candidate that goes on."""
    going = rows.filter(pc.is_null(rows["reason"])).group_by(["setting", ID]).aggregate([])
    found = going.group_by("setting").aggregate([(ID, "count")])
    return dict(zip(*(found[name].to_pylist() for name in ("setting", f"{ID}_count")), strict=True))


def _counts(rows: pa.Table) -> dict[tuple[str, str, str], int]:
    """Return how many candidates there are by setting, generator (empty: any) and reason."""
    columns = {f"{name}_score": name for name in map(column_of, GENERATORS)}
    grouped = rows.group_by(["setting", "reason"]).aggregate([(name, "count") for name in ("form", *columns)])
    return {
        (row["setting"], generator, row["reason"] or ""): row[f"{name}_count"]
        for row in grouped.to_pylist()
        for name, generator in {"form": "", **columns}.items()
        if row[f"{name}_count"]
    }


def _gold(instances: Sequence[Instance], substitutes: Sequence[Part]) -> dict[str, list[str]]:
    """Return people's substitutes of instances, except the targets."""
    gold: dict[str, list[str]] = {}
    if not substitutes:
        return gold
    ids = pa.array([instance.instance_id for instance in instances], pa.string())
    for rows in read_rows([checked(part) for part in substitutes], _SUBSTITUTES):
        selected = rows.filter(pc.is_in(rows["instance_id"], value_set=ids))
        for row in selected.to_pylist():
            if not row["is_target"]:
                gold.setdefault(row["instance_id"], []).append(row["substitute"])
    return gold


def _chosen(_: GenerationTask, inputs: GenerationInputs) -> Mapping[str, Collection[str]]:
    base = "lexbeam.transforms.simplification.generation"
    masked = [options.masked for options in inputs.settings.values() if "masked-lm" in options.used_generators]
    return {
        f"{base}.generators:GENERATORS": {
            name for options in inputs.settings.values() for name in options.used_generators
        },
        f"{base}.thesaurus:SENSES": {options.senses for options in inputs.settings.values()},
        f"{base}.masked_cleaning:RULES": {name for options in masked for name in options.masked_rules},
        f"{base}.masked_cleaning:MERGES": {options.masked_merge for options in masked},
        **chosen_formats(inputs.inflector),
    }


GENERATE: Stage[GenerationTask, GenerationInputs, Generated] = Stage(
    name="simplify/generate",
    noun="candidates",
    receipt=Generated,
    build=_generate,
    chosen=_chosen,
    blas=True,
    unit="parts",
    inherits=Inheritance(attrgetter("part.number"), ("task.part", "task.substitutes")),
)
