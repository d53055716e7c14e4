"""Candidates for simpler words: table simplification/candidates.

    lexbeam simplify generate es --thesaurus th_es_v2.dat mcr30_spa.tab --inflector es.inflector

docs/tasks/simplification/generate.md says how candidates are generated, inflected and combined.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, Source
from pipelines.frame.common_options import RunnerOptions
from schemas.simplification.instances import CANDIDATES, INSTANCES, SUBSTITUTES
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store.tables import Part
from transforms.inflection.kept import warn_of_languages
from transforms.simplification.generation.inputs import Asking, GenerationFiles, asking_of, check_generation
from transforms.simplification.generation.options import GenerationOptions
from transforms.simplification.generation.stage import GENERATE, Generated
from transforms.simplification.settings import check_setting_name, settings_of
from transforms.simplification.shown.candidate_panels import candidate_panels, kept_and_dropped
from transforms.simplification.shown.candidates import CANDIDATE_VIEWS

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["GENERATE_CANDIDATES", "GenerateOptions"]

SECTION = "simplify.generate"
STAGE = "generate"
GOLD = "gold"


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(RunnerOptions):
    """Options of `lexbeam simplify generate`."""

    folder: str | None = option(
        None,
        help="folder with instances, of `lexbeam simplify instances`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    own: GenerationOptions = embedded(GenerationOptions, group="generation")
    files: GenerationFiles = embedded(GenerationFiles)
    setting: str = option(
        "default",
        help="name of the setting, where no file of settings is given",
        check=check_setting_name,
        metavar="NAME",
    )
    settings: str | None = option(
        None,
        help="settings by name, each with the options that it has other than given here; "
        "see docs/tasks/simplification/README.md",
        metavar="FILE.yaml",
        path="file",
    )


class Plan(NamedTuple):
    """What is to be done.

    Attributes:
        parts: of `simplification/instances`.
        substitutes: parts of `simplification/substitutes`, where a setting generates by `gold`.
        asking: what instances are asked with.
    """

    parts: tuple[Part, ...]
    substitutes: tuple[Part, ...]
    asking: Asking


def _settings(options: GenerateOptions) -> dict[str, GenerationOptions]:
    return settings_of(STAGE, options.own, options.settings, options.setting)


def _with_gold(options: GenerateOptions) -> bool:
    return any(GOLD in own.generators for own in _settings(options).values())


def _reads(options: GenerateOptions) -> Sequence[Source]:
    found = [Source(INSTANCES.name, options.folder)]
    if _with_gold(options):
        found.append(Source(SUBSTITUTES.name, options.folder))
    return found


def _check(options: GenerateOptions) -> None:
    check_generation(_settings(options), options.files)


def _plan(options: GenerateOptions, inputs: Inputs) -> Plan:
    instances = inputs.one(INSTANCES.name)
    asking = asking_of(_settings(options), options.files)
    warn_of_languages(asking.inflector, instances.section.get("languages", ()))
    return Plan(instances.parts, inputs.one(SUBSTITUTES.name).parts if _with_gold(options) else (), asking)


def _build(pipeline: "beam.Pipeline", plan: Plan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of instances in, parts of candidates out."""
    import apache_beam as beam

    from transforms.common.store.ptransforms import SpreadOverLanes
    from transforms.simplification.generation.ptransforms import GenerateCandidates

    asking = plan.asking._replace(lexicon=graph.carry(plan.asking.lexicon))
    receipts, parts = (
        pipeline
        | "InstanceParts" >> beam.Create(plan.parts, reshuffle=False)
        | "Spread" >> SpreadOverLanes(_rows, graph.lanes, graph.workspace, "")
        | "Generate" >> GenerateCandidates(graph.workspace, asking, plan.substitutes)
    )
    return {"parts": parts, "generated": receipts}


def _rows(part: Part) -> float:
    return float(part.rows)


def _expected(plan: Plan) -> Mapping[str, int]:
    return {GENERATE.name: len(plan.parts)}


def _chosen(plan: Plan) -> Mapping[str, Mapping[str, Any]]:
    nothing: Any = None
    return {GENERATE.name: GENERATE.chosen(nothing, plan.asking)}


def _resources(plan: Plan) -> Mapping[str, Any]:
    own = plan.asking
    described = dict(own.lexicon.described())
    if own.inflector is not None:
        described["inflector"] = own.inflector.described()
    for number, encoder in enumerate(own.encoders, start=1):
        described[f"model_{number}"] = encoder.described()
    return described


def _section(plan: Plan, outcome: HandedBack) -> Mapping[str, Any]:
    made: list[Generated] = outcome.rows["generated"]
    having: Counter[str] = Counter()
    protected: Counter[str] = Counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in made:
        having.update(one.with_candidates)
        protected.update(one.protected)
        for count in one.counts:
            counts[count.setting, count.generator, count.reason] += count.candidates
    return {
        "instances": sum(one.instances for one in made),
        "settings": [
            {
                "setting": name,
                "generators": list(own.generators),
                "combine": own.combine,
                "with_candidates": having[name],
                "protected": {
                    key.partition(" ")[2]: protected[key] for key in sorted(protected) if key.partition(" ")[0] == name
                },
            }
            for name, own in plan.asking.settings.items()
        ],
        "counts": [
            {"setting": key[0], "generator": key[1] or "all", "reason": key[2] or "kept", "candidates": counts[key]}
            for key in sorted(counts)
        ],
    }


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what each setting gives, and why candidates were dropped."""
    section = snapshot.section(SECTION)
    for setting in section["settings"]:
        left = "".join(f"; {number} protected ({reason})" for reason, number in setting["protected"].items())
        yield (
            f"{setting['setting']}: {setting['with_candidates']} of {section['instances']} "
            f"instances have candidates{left}"
        )
        rows = tuple(tuple(map(str, row[1:])) for row in kept_and_dropped(section) if row[0] == setting["setting"])
        if rows:
            yield Grid(("generator", "kept", "dropped", "reasons"), rows, frozenset({1, 2}), 2)


GENERATE_CANDIDATES: Command[GenerateOptions, Plan] = Command(
    options=GenerateOptions,
    examples="""\
  lexbeam simplify generate es --generators thesaurus --thesaurus th_es_v2.dat mcr30_spa.tab \\
      --inflector es.inflector --wordlist frequency=wordfreq:es
  lexbeam simplify generate es --generators thesaurus,vectors --combine union \\
      --thesaurus th_es_v2.dat --vectors es.vec --inflector es.inflector --k 50
  lexbeam simplify generate es --settings settings.yaml --thesaurus th_es_v2.dat""",
    tables=(CANDIDATES,),
    reads=_reads,
    check=_check,
    stages=(GENERATE,),
    plan=_plan,
    build=_build,
    rows={"generated": Generated},
    expected=_expected,
    chosen=_chosen,
    resources=_resources,
    section=_section,
    summary=_summary,
    views=CANDIDATE_VIEWS,
    report=candidate_panels,
)
