"""Candidates for simpler words: table simplification/candidates.

    lexbeam simplify generate es --thesaurus th_es_v2.dat mcr30_spa.tab --inflector es.inflector

docs/tasks/simplification/generate.md says how candidates are generated, inflected and combined.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.simplification.instances import CANDIDATES, INSTANCES, SUBSTITUTES
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store.counts import summed
from transforms.common.store.tables import Part
from transforms.inflection.kept import warn_of_languages
from transforms.simplification.generation.inputs import GenerationFiles, GenerationInputs, asking_of, check_generation
from transforms.simplification.generation.options import GenerationOptions
from transforms.simplification.generation.stage import GENERATE, Generated, GenerationTask
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


class GenerationPlan(NamedTuple):
    """What is to be done.

    Attributes:
        parts: of `simplification/instances`.
        substitutes: parts of `simplification/substitutes`, where a setting generates by `gold`.
        asking: what instances are asked with.
    """

    parts: tuple[Part, ...]
    substitutes: tuple[Part, ...]
    asking: GenerationInputs


def _settings(options: GenerateOptions) -> dict[str, GenerationOptions]:
    return settings_of(STAGE, options.own, options.settings, options.setting)


def _with_gold(options: GenerateOptions) -> bool:
    return any(GOLD in own.generators for own in _settings(options).values())


def _reads(options: GenerateOptions) -> Sequence[TableSource]:
    found = [TableSource(INSTANCES.name, options.folder)]
    if _with_gold(options):
        found.append(TableSource(SUBSTITUTES.name, options.folder))
    return found


def _check(options: GenerateOptions) -> None:
    check_generation(_settings(options), options.files)


def _plan(options: GenerateOptions, inputs: Inputs) -> GenerationPlan:
    instances = inputs.only(INSTANCES.name)
    asking = asking_of(_settings(options), options.files)
    warn_of_languages(asking.inflector, instances.section.get("languages", ()))
    return GenerationPlan(instances.parts, inputs.only(SUBSTITUTES.name).parts if _with_gold(options) else (), asking)


def _build(pipeline: "beam.Pipeline", plan: GenerationPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of instances in, parts of candidates out."""
    import apache_beam as beam

    from transforms.common.store.ptransforms import MakeParts

    asking = plan.asking._replace(lexicon=graph.carry(plan.asking.lexicon))
    tasks = [(part.number, GenerationTask(part, plan.substitutes)) for part in plan.parts]
    receipts, parts = (
        pipeline
        | "Parts" >> beam.Create(tasks, reshuffle=False)
        | "Generate" >> MakeParts(graph.workspace, GENERATE, asking, CANDIDATES.name, graph.lanes, _rows)
    )
    return {"parts": parts, "generated": receipts}


def _rows(task: GenerationTask) -> float:
    return float(task.part.rows)


def _expected(plan: GenerationPlan) -> Mapping[str, int]:
    return {GENERATE.name: len(plan.parts)}


def _section(plan: GenerationPlan, outcome: HandedBack) -> Mapping[str, Any]:
    made: list[Generated] = outcome.rows["generated"]
    having: Counter[str] = Counter()
    protected: Counter[str] = Counter()
    for one in made:
        having.update(one.with_candidates)
        protected.update(one.protected)
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
            {**row, "generator": row["generator"] or "all", "reason": row["reason"] or "kept"}
            for row in summed(made, ("setting", "generator", "reason"), ("candidates",))
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


GENERATE_CANDIDATES: Command[GenerateOptions, GenerationPlan] = Command(
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
    section=_section,
    summary=_summary,
    views=CANDIDATE_VIEWS,
    report=candidate_panels,
)
