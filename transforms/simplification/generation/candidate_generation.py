"""Generation of candidates, a part of the instances after the other: those of several generators as one ranked list.

Instances are taken some hundred at a time: each generator is called once for all of them, and
settings that use it in the same way share what it gives.

The key is the form in lower case, NFC, after clean-up. Of a generator's proposals with the same key
the one with the highest score counts, the first of equals; of several generators the first decides
the form. A candidate goes on if any generator has no reason to drop it; if some source that gives it, which is no
evidence, scores it with the least share of that source's highest score among those; and, if unlisted ones are dropped,
if its frequency is known.

The score: where all sources are masked language models, the sum of their probabilities. Else each
generator ranks its candidates by its score (dense: ties share a rank; masked models together, by
their sum), and the reciprocal ranks, 1 / rank, are added; of a single list they keep the order
alone. `average` is LSBert's (Qiang et al. 2020): candidates are ranked by each generator, by
frequency and by cosine to the target, as far as these are known, and the score is 1 / the average
of the ranks; candidates without a value in a list rank behind all others.

Candidates are ranked by score, number of generators, frequency (unknown: last) and code points; or
by frequency first.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Annotated, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.simplification import CANDIDATES, column_of
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.identity import INHERITED
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_rows, sort_rows
from lexbeam.transforms.inflection.models import chosen_formats
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import GENERATORS, GenerationInputs
from lexbeam.transforms.simplification.generation.target_forms import Formed, formed, protection
from lexbeam.transforms.simplification.records import BATCH, ID, INSTANCE_COLUMNS, Instance, instances_of


class SourceOf(NamedTuple):
    """The proposals of a source of a generator for an instance, in their forms.

    Attributes:
        generator: its name.
        adds: whether its scores may be added to those of other such sources.
        formed: its proposals.
        is_evidence: whether it only adds to candidates that other sources give.
    """

    generator: str
    adds: bool
    formed: Sequence[Formed]
    is_evidence: bool = False


class Candidate(NamedTuple):
    """A row of table simplification/candidates, without instance and setting.

    Attributes:
        best: the proposal that decides its form.
        reason: why it does not go on; None: it does.
        rank: 1 for the first; None if it does not go on.
        score: of all generators together; None where it was dropped before.
        scores: raw scores by generator, summed over its sources.
        sources: how many sources have it.
        votes: the most senses that any source has it in; None where no source has senses.
        frequency: of the form; None: not known.
    """

    best: Formed
    reason: str | None
    rank: int | None
    score: float | None
    scores: Mapping[str, float]
    sources: int
    votes: int | None
    frequency: float | None

    @property
    def form(self) -> str:
        """The key."""
        return self.best.form


def combined(
    sources: Sequence[SourceOf],
    *,
    combine: str,
    k: int,
    order: str = "score",
    least_share: float = 0.0,
    only_listed: bool = False,
    frequencies: Mapping[str, float | None] | None = None,
    cosines: Mapping[str, float | None] | None = None,
) -> list[Candidate]:
    """Return all candidates: those that go on by rank, then the others by code points.

    Args:
        sources: whose proposals are combined.
        combine: `union` or `intersection`.
        k: how many are kept.
        order: `score`, `frequency` or `average`.
        least_share: of the highest score of a source, 0 to 1.
        only_listed: whether forms without a frequency are dropped.
        frequencies: of forms; None: there is no list.
        cosines: of forms to the target, for `average`; None: there are no vectors.
    """
    known = frequencies or {}
    best, valid = _gathered(sources)
    shared = [
        form
        for form in valid
        if combine == "union"
        or all(form in by_form for by_form, of in zip(best, sources, strict=True) if not of.is_evidence)
    ]
    weak = _weak(sources, best, shared, least_share)
    if only_listed:
        weak |= {form: "unlisted" for form in shared if known.get(form) is None}
    shared = [form for form in shared if form not in weak]
    scores = _scores(sources, best, shared, order, frequencies, cosines)
    ordered = sorted(shared, key=lambda form: _place(form, order, scores, best, known))
    candidates = []
    for number, form in enumerate(ordered, start=1):
        reason = None if number <= k else "beyond_k"
        rank = number if reason is None else None
        candidates.append(_candidate(sources, best, form, reason, rank, scores[form], known))
    left = [(form, weak.get(form, "one_generator")) for form in valid if form not in scores]
    left += [(form, "") for form in _dropped(sources, valid)]
    for form, reason in sorted(left):
        if reason:
            candidates.append(_candidate(sources, best, form, reason, None, None, known))
        else:
            candidates.append(_of_dropped(sources, form, known))
    return candidates


def evidence(sources: Sequence[SourceOf], further: Sequence[SourceOf]) -> list[SourceOf]:
    """Return further sources, with only those of their proposals that other sources give.

    Args:
        sources: those that give candidates; the evidence among them gives none.
        further: evidence.
    """
    known = {
        formed.form for source in sources if not source.is_evidence for formed in source.formed if formed.reason is None
    }
    return [
        source._replace(
            formed=[formed for formed in source.formed if formed.form in known and formed.reason is None],
            is_evidence=True,
        )
        for source in further
    ]


Best = list[dict[str, Formed]]


def _gathered(sources: Sequence[SourceOf]) -> tuple[Best, dict[str, None]]:
    """Return the best proposal of each form by source, and all forms that go on."""
    best: Best = []
    for source in sources:
        by_form: dict[str, Formed] = {}
        for one in source.formed:
            held = by_form.get(one.form)
            if one.reason is None and (held is None or one.proposal.score > held.proposal.score):
                by_form[one.form] = one
        best.append(by_form)
    return best, dict.fromkeys(form for by_form in best for form in by_form)


def _weak(sources: Sequence[SourceOf], best: Best, shared: Sequence[str], least_share: float) -> dict[str, str]:
    """Return the forms that no source scores with the least share of its highest score, with their reason."""
    strong: set[str] = set()
    for source, by_form in zip(sources, best, strict=True):
        if not source.is_evidence:
            scores = {form: formed.proposal.score for form, formed in by_form.items()}
            highest = max(scores.values(), default=0.0)
            # Of cosines that are all negative, none has a share of the highest.
            strong |= {form for form, score in scores.items() if highest <= 0 or score >= least_share * highest}
    return {form: "low_score" for form in shared if form not in strong} if least_share else {}


def dense_ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Return ranks from 1 for the greatest value; ties share one.

    >>> dense_ranks({"a": 2.0, "b": 3.0, "c": 2.0, "d": 1.0})
    {'a': 2, 'b': 1, 'c': 2, 'd': 3}
    """
    levels = {value: n for n, value in enumerate(sorted(set(values.values()), reverse=True), 1)}
    return {form: levels[value] for form, value in values.items()}


def _lists(sources: Sequence[SourceOf], best: Best) -> list[dict[str, float]]:
    """Return the lists that are ranked: one for each generator, but one for all whose scores are added."""
    lists: list[dict[str, float]] = []
    added: dict[str, float] | None = None
    for source, by_form in zip(sources, best, strict=True):
        scores = {form: formed.proposal.score for form, formed in by_form.items()}
        if not source.adds:
            lists.append(scores)
        elif added is None:
            added = scores
            lists.append(added)
        else:
            for form, score in scores.items():
                added[form] = added.get(form, 0.0) + score
    return lists


def _scores(
    sources: Sequence[SourceOf],
    best: Best,
    shared: Sequence[str],
    order: str,
    frequencies: Mapping[str, float | None] | None,
    cosines: Mapping[str, float | None] | None,
) -> dict[str, float]:
    lists = _lists(sources, best)
    if order == "average":
        for known_values in (frequencies, cosines):
            if known_values is not None:
                known = {form: known_values.get(form) for form in shared}
                lists.append({form: value for form, value in known.items() if value is not None})
        ranked = [dense_ranks({f: listed[f] for f in shared if f in listed}) for listed in lists]
        last = [max(ranks.values(), default=0) + 1 for ranks in ranked]
        return {form: len(ranked) / sum(r.get(form, n) for r, n in zip(ranked, last, strict=True)) for form in shared}
    if all(source.adds for source in sources):
        return {form: lists[0][form] for form in shared}  # they are one list
    ranked = [dense_ranks(listed) for listed in lists]
    # The same sum whichever generator has which rank.
    return {form: fsum(1 / ranks[form] for ranks in ranked if form in ranks) for form in shared}


def _place(
    form: str, order: str, scores: Mapping[str, float], best: Best, frequencies: Mapping[str, float | None]
) -> tuple[float | int | str, ...]:
    frequency = frequencies.get(form)
    frequent = float("inf") if frequency is None else -frequency
    sources = -sum(form in by_form for by_form in best)
    if order == "frequency":
        return frequent, -scores[form], sources, form
    return -scores[form], sources, frequent, form


def _candidate(
    sources: Sequence[SourceOf],
    best: Best,
    form: str,
    reason: str | None,
    rank: int | None,
    score: float | None,
    frequencies: Mapping[str, float | None],
) -> Candidate:
    proposals = [(source, by_form[form]) for source, by_form in zip(sources, best, strict=True) if form in by_form]
    return _candidate_of(proposals, reason, rank, score, frequencies)


def _candidate_of(
    proposals: Sequence[tuple[SourceOf, Formed]],
    reason: str | None,
    rank: int | None,
    score: float | None,
    frequencies: Mapping[str, float | None],
) -> Candidate:
    scores: dict[str, float] = {}
    for source, one in proposals:
        scores[source.generator] = scores.get(source.generator, 0.0) + one.proposal.score
    votes = [one.proposal.votes for _, one in proposals if one.proposal.votes is not None]
    first = proposals[0][1]
    return Candidate(
        first, reason, rank, score, scores, len(proposals), max(votes, default=None), frequencies.get(first.form)
    )


def _dropped(sources: Sequence[SourceOf], valid: Mapping[str, None]) -> list[str]:
    """Return the forms that every proposal gives a reason to drop."""
    forms = (formed.form for source in sources for formed in source.formed)
    return [form for form in dict.fromkeys(forms) if form not in valid]


def _of_dropped(sources: Sequence[SourceOf], form: str, frequencies: Mapping[str, float | None]) -> Candidate:
    proposals = []
    for source in sources:
        same_form = [formed for formed in source.formed if formed.form == form]
        if same_form:
            proposals.append((source, max(same_form, key=lambda formed: formed.proposal.score)))
    return _candidate_of(proposals, proposals[0][1].reason, None, None, frequencies)


_SUBSTITUTES = ["instance_id", "substitute", "is_target"]


class GenerationTask(NamedTuple):
    """A part of the instances, and all parts of people's substitutes, for generator `gold` only."""

    part: Annotated[Part, INHERITED]
    substitutes: Annotated[tuple[Part, ...], INHERITED] = ()

    @property
    def weight(self) -> int:
        """Rows, for dealing out."""
        return self.part.rows


def generation_tasks(part: Part, substitutes: tuple[Part, ...] = ()) -> Iterator[tuple[int, GenerationTask]]:
    """Yield the task of a part of the instances."""
    yield part.number, GenerationTask(part, substitutes)


@dataclass(frozen=True)
class CandidateCount:
    """How many candidates of a setting there are.

    Attributes:
        setting: its name.
        generator: the one that gives them; empty: any.
        reason: why they do not go on; empty: they do.
    """

    setting: str
    generator: str
    reason: str
    candidates: int


@dataclass(frozen=True)
class Generated:
    """Receipt of a part of the candidates.

    Attributes:
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


@dataclass(frozen=True)
class GenerateCandidates(Step[GenerationTask, Generated]):
    """Generate the candidates of a part of the instances."""

    inputs: GenerationInputs

    name = "simplify/generate"
    noun = "candidates"
    unit = "parts"
    blas = True

    def make(self, artefact: Artefact, task: GenerationTask) -> Generated:
        """Write the candidates of a part of the instances, in all settings."""
        inputs = self.inputs

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

    def chosen(self, _: GenerationTask) -> Mapping[str, Collection[str]]:
        """Return the generators, and what they choose from."""
        settings = self.inputs.settings.values()
        masked = [options.masked for options in settings if "masked-lm" in options.used_generators]
        return {
            "lexbeam.transforms.simplification.generation.generators:GENERATORS": {
                name for options in settings for name in options.used_generators
            },
            "lexbeam.transforms.simplification.generation.sense_generators:SENSES": {
                options.senses for options in settings
            },
            "lexbeam.transforms.simplification.generation.masked_words:RULES": {
                name for options in masked for name in options.masked_rules
            },
            "lexbeam.transforms.simplification.generation.masked_words:MERGES": {
                options.masked_merge for options in masked
            },
            **chosen_formats(self.inputs.inflector),
        }


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
