"""Generation of candidates, a part of the instances after the other.

GENERATE    a part of simplification/instances -> a part of simplification/candidates

Instances are worked on some hundred at a time: each generator is asked once for all of them, and
settings that ask it for the same share what it gives.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.simplification.candidates import CANDIDATES, column_of
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, PartFile, read_rows, sort_rows, write_part
from transforms.simplification.generation.combination import Candidate, SourceOf, combined, evidence
from transforms.simplification.generation.forms import formed, key_of
from transforms.simplification.generation.generator import VECTORS, WORDNET
from transforms.simplification.generation.generators import GENERATORS
from transforms.simplification.generation.inputs import GenerationInputs
from transforms.simplification.generation.options import GenerationOptions
from transforms.simplification.generation.protection import protection
from transforms.simplification.generation.readings import readings
from transforms.simplification.records import INSTANCE_COLUMNS, Instance, instances_of

__all__ = ["GENERATE", "CandidateCount", "Generated", "GenerationTask", "candidates_of"]

_BATCH = 256  # instances


class GenerationTask(NamedTuple):
    """A part of the instances; all parts of people's substitutes, for generator `gold` alone."""

    part: Part
    substitutes: tuple[Part, ...] = ()


@dataclass(frozen=True)
class CandidateCount:
    """Candidates of a setting.

    Attributes:
        setting: its name.
        generator: of those that this one gives; empty: of all.
        reason: why they do not go on; empty: they do.
        candidates: how many.
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
        instances: how many there were.
        with_candidates: by setting, how many have a candidate that goes on.
        protected: by setting and why, how many get none: `SETTING REASON`.
        counts: of candidates, sorted.
    """

    part: PartFile
    instances: int
    with_candidates: dict[str, int]
    protected: dict[str, int]
    counts: tuple[CandidateCount, ...]


class _Tally:
    def __init__(self, settings: Sequence[str]) -> None:
        self.instances = 0
        self.having = dict.fromkeys(settings, 0)
        self.protected: Counter[str] = Counter()
        self.counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, setting: str, candidates: Sequence[Candidate]) -> None:
        self.having[setting] += any(one.reason is None for one in candidates)
        for one in candidates:
            for generator in ("", *one.scores):
                self.counts[setting, generator, one.reason or ""] += 1


def candidates_of(
    instances: Sequence[Instance], asking: GenerationInputs, gold: Mapping[str, list[str]], tally: _Tally | None = None
) -> pa.Table:
    """Return the candidates of instances in all settings, sorted.

    Args:
        instances: some of them.
        asking: what they are asked with.
        gold: people's substitutes but the target by instance, for generator `gold`.
        tally: counts what becomes of them.
    """
    tally = tally or _Tally(list(asking.settings))
    tally.instances += len(instances)
    shared: dict[str, list[list[SourceOf]]] = {}
    rows: list[dict[str, Any]] = []
    protected = frozenset(asking.protected)
    for setting, own in asking.settings.items():
        sources: list[list[SourceOf]] = [[] for _ in instances]
        for generator in (*own.generators, *own.evidence):
            key = _asked(generator, own)
            if key not in shared:
                shared[key] = _sources(instances, generator, setting, asking, gold)
            for place, more in enumerate(shared[key]):
                is_evidence = generator in own.evidence
                sources[place] += evidence(sources[place], more) if is_evidence else more
        free = []
        for place, instance in enumerate(instances):
            why = protection(instance, own.names, protected, _lemmas(instance, asking))
            if why is None:
                free.append(place)
            else:
                tally.protected[f"{setting} {why}"] += 1
        some = [instances[place] for place in free]
        for instance, found in zip(some, _combined(some, [sources[place] for place in free], own, asking), strict=True):
            tally.add(setting, found)
            rows += [_row(instance, setting, one) for one in found]
    schema = CANDIDATES.schema()
    return sort_rows(pa.Table.from_pylist(rows, schema=schema), CANDIDATES.key)


def _lemmas(instance: Instance, asking: GenerationInputs) -> list[str]:
    """Return what the form dictionary has as lemmas of a target, where words are protected."""
    if not asking.protected or instance.lemma or asking.inflector is None:
        return []
    setting = next(iter(asking.settings))
    inflector = asking.context(setting, {}).inflector_of(instance.language)
    return [one.lemma for one in readings(instance, inflector)]


def _asked(generator: str, own: GenerationOptions) -> str:
    """Return what of a setting decides what a generator gives."""
    plain = GenerationOptions()
    said = replace(
        own,
        generators=(generator,),
        evidence=(),
        combine=plain.combine,
        k=plain.k,
        order=plain.order,
        names=plain.names,
    )
    return repr(said)


def _sources(
    instances: Sequence[Instance], generator: str, setting: str, asking: GenerationInputs, gold: Mapping[str, list[str]]
) -> list[list[SourceOf]]:
    """Return what the sources of a generator give for each instance, in its forms."""
    context = asking.context(setting, gold)
    about = GENERATORS[generator]
    given = about.propose(instances, context)
    barred = _barred(instances, asking, context.options)
    found: list[list[SourceOf]] = []
    for place, instance in enumerate(instances):
        inflector = context.inflector_of(instance.language)
        found.append(
            [
                SourceOf(column_of(generator), about.adds, formed(instance, source[place], inflector, barred[place]))
                for source in given
            ]
        )
    return found


def _barred(instances: Sequence[Instance], asking: GenerationInputs, own: GenerationOptions) -> list[Collection[str]]:
    """Return the words that must not be candidates of each instance."""
    every = frozenset(asking.barred)
    barred: list[Collection[str]] = [every] * len(instances)
    if own.antonyms == "keep":
        return barred
    languages = pa.array([one.language for one in instances], pa.string())
    for rows, wordnet in asking.lexicon.by_language(WORDNET.name, languages):
        if wordnet is None:
            continue
        opened: Any = wordnet
        lemmas = [instances[row].lemma or instances[row].target.lower() for row in rows]
        lists = opened.antonyms(pa.array(lemmas, pa.string())).to_pylist()
        for row, words in zip(rows.tolist(), lists, strict=True):
            barred[row] = every | {key_of(word) for word in words or ()}
    return barred


def _combined(
    instances: Sequence[Instance],
    sources: Sequence[Sequence[SourceOf]],
    own: GenerationOptions,
    asking: GenerationInputs,
) -> Iterator[list[Candidate]]:
    """Yield the candidates of each instance."""
    forms = [list(dict.fromkeys(one.form for source in mine for one in source.formed)) for mine in sources]
    frequencies = _frequencies(instances, forms, asking)
    cosines = _cosines(instances, forms, asking) if own.order == "average" else None
    for place, mine in enumerate(sources):
        yield combined(
            mine,
            combine=own.combine,
            k=own.k,
            order=own.order,
            frequencies=None if frequencies is None else frequencies[place],
            cosines=None if cosines is None else cosines[place],
        )


Values = list[dict[str, float | None]]


def _frequencies(
    instances: Sequence[Instance], forms: Sequence[Sequence[str]], asking: GenerationInputs
) -> Values | None:
    """Return the frequencies of forms by the first list; phrases have none. None: no list."""
    if not asking.lists:
        return None
    found: Values = [{} for _ in instances]
    languages = pa.array([one.language for one in instances], pa.string())
    for rows, resource in asking.lexicon.by_language(asking.lists[0], languages):
        if resource is None:
            continue
        opened: Any = resource
        words = list(dict.fromkeys(form for row in rows for form in forms[row] if " " not in form))
        looked_up = opened.look_up(pa.array(words, pa.string()))["value"]
        values = dict(zip(words, looked_up.to_pylist(), strict=True))
        for row in rows:
            found[row] = {form: values.get(form) for form in forms[row]}
    return found


def _cosines(instances: Sequence[Instance], forms: Sequence[Sequence[str]], asking: GenerationInputs) -> Values | None:
    """Return the cosines of forms to their targets; None: no vectors."""
    if not any(held.name == VECTORS.name for held in asking.lexicon.held):
        return None
    found: Values = [{} for _ in instances]
    languages = pa.array([one.language for one in instances], pa.string())
    for rows, resource in asking.lexicon.by_language(VECTORS.name, languages):
        if resource is None:
            continue
        opened: Any = resource
        pairs = [(row, form) for row in rows.tolist() for form in forms[row]]
        targets = pa.array([instances[row].target for row, _ in pairs], pa.string())
        cosines = opened.cosine(targets, pa.array([form for _, form in pairs], pa.string()))
        for (row, form), cosine in zip(pairs, cosines.to_pylist(), strict=True):
            found[row][form] = cosine
    return found


def _row(instance: Instance, setting: str, one: Candidate) -> dict[str, Any]:
    best = one.best
    return {
        "instance_id": instance.instance_id,
        "setting": setting,
        "form": best.form,
        "lemma": best.lemma,
        "shown": best.shown,
        "rank": one.rank,
        "score": one.score,
        **{f"{name}_score": one.scores.get(name) for name in map(column_of, GENERATORS)},
        "generators": one.sources,
        "votes": one.votes,
        "sense_id": best.proposal.sense,
        "relation": best.proposal.relation,
        "frequency": one.frequency,
        "inflected": best.inflected,
        "feats": best.feats,
        "before": best.before,
        "reason": one.reason,
    }


def _generate(artefact: Artefact, task: GenerationTask, asking: GenerationInputs) -> Generated:
    tally = _Tally(list(asking.settings))

    def rows() -> Iterator[pa.Table]:
        for some in _batches(task.part):
            gold = _gold(some, task.substitutes)
            yield candidates_of(some, asking, gold, tally)

    made = write_part(artefact, CANDIDATES.schema(), rows(), sort_keys=CANDIDATES.key)
    counts = tuple(CandidateCount(*key, tally.counts[key]) for key in sorted(tally.counts))
    protected = {key: tally.protected[key] for key in sorted(tally.protected)}
    return Generated(made, tally.instances, tally.having, protected, counts)


def _batches(part: Part) -> Iterator[list[Instance]]:
    held: list[Instance] = []
    for instance in instances_of(read_rows([checked(part)], list(INSTANCE_COLUMNS))):
        held.append(instance)
        if len(held) == _BATCH:
            yield held
            held = []
    if held:
        yield held


def _gold(instances: Sequence[Instance], substitutes: Sequence[Part]) -> dict[str, list[str]]:
    """Return people's substitutes of instances, but the targets."""
    gold: dict[str, list[str]] = {}
    if not substitutes:
        return gold
    asked = pa.array([one.instance_id for one in instances], pa.string())
    columns = ["instance_id", "substitute", "is_target"]
    for rows in read_rows([checked(part) for part in substitutes], columns):
        own = rows.filter(pc.is_in(rows["instance_id"], value_set=asked))
        for row in own.to_pylist():
            if not row["is_target"]:
                gold.setdefault(row["instance_id"], []).append(row["substitute"])
    return gold


def _chosen(_: Any, asking: GenerationInputs) -> Mapping[str, Collection[str]]:
    base = "transforms.simplification.generation"
    return {
        f"{base}.generators:GENERATORS": {
            name for own in asking.settings.values() for name in (*own.generators, *own.evidence)
        },
        f"{base}.thesaurus:SENSES": {own.senses for own in asking.settings.values()},
    }


GENERATE: Stage[GenerationTask, GenerationInputs, Generated] = Stage(
    name="simplify/generate", receipt=Generated, build=_generate, chosen=_chosen, blas=True, unit="parts"
)
