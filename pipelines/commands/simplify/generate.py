"""Candidates for simpler words: table simplification/candidates.

docs/tasks/simplification/generate.md says how candidates are generated, inflected and combined.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.pipelines.commands.options import input_folder, settings_file
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, SUBSTITUTES
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import summed, totals
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.inflection.models import warn_of_languages
from lexbeam.transforms.simplification.generation.candidate_generation import (
    GenerateCandidates,
    Generated,
    generation_tasks,
)
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import (
    GenerationFiles,
    GenerationInputs,
    check_generation,
    check_languages,
    generation_inputs,
)
from lexbeam.transforms.simplification.settings import check_setting_name, settings_of
from lexbeam.transforms.simplification.shown.candidate_views import (
    CANDIDATE_VIEWS,
    GENERATED,
    candidate_panels,
    generator_counts,
)
from lexbeam.transforms.simplification.shown.metric_panels import sentence_panels

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "simplify.generate"
STAGE = "generate"
GOLD = "gold"


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(RunnerOptions):
    """Options of `lexbeam simplify generate`."""

    folder: str | None = input_folder("instances, of `lexbeam simplify instances`")
    generation: GenerationOptions = embedded(GenerationOptions, group="generation")
    files: GenerationFiles = embedded(GenerationFiles)
    setting: str = option(
        "default",
        help="name of the setting, where no file of settings is given",
        check=check_setting_name,
        metavar="NAME",
    )
    settings: str | None = settings_file("see docs/tasks/simplification/README.md")


class GenerationPlan(NamedTuple):
    """What is to be done.

    Attributes:
        parts: of `simplification/instances`.
        substitutes: parts of `simplification/substitutes`, where a setting generates by `gold`.
        resources: what generators look words up in, by setting.
    """

    parts: tuple[Part, ...]
    substitutes: tuple[Part, ...]
    resources: GenerationInputs


def _settings(options: GenerateOptions) -> dict[str, GenerationOptions]:
    return settings_of(STAGE, options.generation, options.settings, options.setting)


def _with_gold(options: GenerateOptions) -> bool:
    return any(GOLD in setting.generators for setting in _settings(options).values())


class SimplifyGenerate(Command[GenerateOptions, GenerationPlan]):
    """`lexbeam simplify generate`."""

    options = GenerateOptions
    examples = """\
  lexbeam simplify generate es --generators thesaurus --thesaurus th_es_v2.dat mcr30_spa.tab \\
      --inflector es.inflector --wordlist frequency=wordfreq:es
  lexbeam simplify generate es --generators thesaurus,vectors --combine union \\
      --thesaurus th_es_v2.dat --vectors es.vec --inflector es.inflector --k 50
  lexbeam simplify generate es --settings settings.yaml --thesaurus th_es_v2.dat"""
    tables = (CANDIDATES,)
    stages = (GenerateCandidates,)
    rows: Mapping[str, type] = {"generated": Generated}
    views = CANDIDATE_VIEWS
    opening = Opening(
        "Candidates",
        "Which words each generator proposes in the place of a word: how many, and from which evidence. What "
        "is not proposed here cannot be chosen later.",
        ("generators", "combine", "k", "senses", "masked-top", "seed"),
    )
    report = staticmethod(candidate_panels)
    quotes = staticmethod(sentence_panels)

    def reads(self, options: GenerateOptions) -> Sequence[TableSource]:
        sources = [TableSource(INSTANCES.name, options.folder, needed=True)]
        if _with_gold(options):
            sources.append(TableSource(SUBSTITUTES.name, options.folder))
        return sources

    def check(self, options: GenerateOptions) -> None:
        check_generation(_settings(options), options.files)

    def plan(self, options: GenerateOptions, inputs: Inputs) -> GenerationPlan:
        instances = inputs.only(INSTANCES.name)
        resources = generation_inputs(_settings(options), options.files)
        languages = instances.section.get("languages", ())
        warn_of_languages(resources.inflector, languages)
        generators = {name: options.used_generators for name, options in resources.settings.items()}
        check_languages(languages, generators, resources.lexicon, resources.thesauri)
        return GenerationPlan(
            instances.parts, inputs.only(SUBSTITUTES.name).parts if _with_gold(options) else (), resources
        )

    def build(self, pipeline: "beam.Pipeline", plan: GenerationPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of instances in, parts of candidates out."""
        step = GenerateCandidates(plan.resources._replace(lexicon=graph.carry(plan.resources.lexicon)))
        sides = {"substitutes": plan.substitutes}
        return graph.each_part(
            pipeline, step, plan.parts, generation_tasks, sides, table=CANDIDATES, receipts="generated"
        )

    def section(self, plan: GenerationPlan, outcome: HandedBack) -> Mapping[str, Any]:
        made: list[Generated] = outcome.rows["generated"]
        with_candidates = totals(part.with_candidates for part in made)
        protected = totals(part.protected for part in made)
        return {
            "instances": sum(part.instances for part in made),
            "settings": [
                {
                    "setting": name,
                    "generators": list(setting.generators),
                    "combine": setting.combine,
                    "with_candidates": with_candidates[name],
                    "protected": {
                        key.partition(" ")[2]: protected[key]
                        for key in sorted(protected)
                        if key.partition(" ")[0] == name
                    },
                }
                for name, setting in plan.resources.settings.items()
            ],
            "counts": [
                {**row, "generator": row["generator"] or "all", "reason": row["reason"] or "kept"}
                for row in summed(made, ("setting", "generator", "reason"), ("candidates",))
            ],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section(SECTION)
        for setting in section["settings"]:
            left = "".join(f"; {number} protected ({reason})" for reason, number in setting["protected"].items())
            yield (
                f"{setting['setting']}: {setting['with_candidates']} of {section['instances']} "
                f"instances have candidates{left}"
            )
            rows = [row for row in generator_counts(section) if row["setting"] == setting["setting"]]
            if rows:
                yield GENERATED.grid(rows, without=("setting",))
