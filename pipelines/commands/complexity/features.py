"""Features of instances: tables complexity/features and complexity/coverage.

    lexbeam complexity features complexity --wordnet /usr/share/wordnet \\
        --wordlist aoa=aoa.csv:word=Word,value=Rating.Mean,sd=Rating.SD

docs/tasks/complexity/features.md lists the groups and their columns.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.complexity import COVERAGE, FEATURES, INSTANCES
from lexbeam.transforms.common.options.fields import embedded
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.artefacts import Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.corpus_counts import CombineWords, CountWords, WantWords, count_tasks
from lexbeam.transforms.complexity.features.groups import (
    ComputeFeatures,
    FeatureOptions,
    SumCoverage,
    absent_layers,
    check_features,
    columns_of,
    coverage_tasks,
    feature_tasks,
    setting_of,
)
from lexbeam.transforms.complexity.features.surprisal import CombineNgrams, CountNgrams, WantNgrams, ngram_tasks
from lexbeam.transforms.complexity.shown.complexity_panels import low_coverage, panels
from lexbeam.transforms.complexity.shown.instance_views import FEATURE_VIEWS
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.corpora.document_reading import column_names

if TYPE_CHECKING:
    import apache_beam as beam

log = logging.getLogger("lexbeam")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ComplexityFeaturesOptions(RunnerOptions):
    """Options of `lexbeam complexity features`."""

    folder: str | None = input_folder("instances, of `lexbeam complexity load` or `select`")
    features: FeatureOptions = embedded(FeatureOptions, group="features")


class FeaturesPlan(NamedTuple):
    """What is to be done.

    Attributes:
        parts: parts of `complexity/instances`.
        setting: groups and resources.
        corpus: parts of `sentences` of the reference corpus, if it is counted.
    """

    parts: tuple[Part, ...]
    setting: FeatureSetting
    corpus: tuple[SentencePart, ...] = ()


def _tell_layers(setting: FeatureSetting, parts: Sequence[Part], asked: Sequence[str]) -> None:
    """Say which columns will be null since the instances lack a layer, as `reason` of coverage does afterwards."""
    columns = columns_of(setting)
    for layer in absent_layers(columns, column_names(parts[0])) if parts else ():
        lacking = [column for column in columns if column.feature.layer == layer]
        log.log(
            logging.WARNING if {column.group for column in lacking} & set(asked) else logging.INFO,
            "the instances have no layer %s, so that %s will be null: only `lexbeam complexity select` from a corpus "
            "with --layers %s has it",
            layer,
            ", ".join(column.name for column in lacking),
            layer,
        )


def _targets(parts: Sequence[Part]) -> Iterator[tuple[str | None, str]]:
    for part in parts:
        for rows in read_rows([checked(part)], ["genre", "token"]):
            for row in pa.TableGroupBy(rows, ["genre", "token"]).aggregate([]).to_pylist():
                yield row["genre"], row["token"]


def _by_number(part: Part) -> Iterator[tuple[int, Part]]:
    yield part.number, part


def _together(made: Sequence[tuple[int, T]]) -> Iterator[tuple[int, tuple[T, ...]]]:
    yield 0, tuple(receipt for _, receipt in made)


# The steps that count for a group of features, three each.
_COUNTING: Mapping[str, tuple[type[Step[Any, Any]], ...]] = {
    "corpus": (WantWords, CountWords, CombineWords),
    "surprisal": (WantNgrams, CountNgrams, CombineNgrams),
}
_SHOWN = 8


class ComplexityFeatures(Command[ComplexityFeaturesOptions, FeaturesPlan]):
    """`lexbeam complexity features`."""

    options = ComplexityFeaturesOptions
    examples = """\
  lexbeam complexity features complexity
  lexbeam complexity features complexity --use form,frequency --languages de,fr
  lexbeam complexity features complexity --wordnet /usr/share/wordnet \\
      --wordlist aoa=aoa.csv:word=Word,value=Rating.Mean,sd=Rating.SD,language=en"""
    tables = (FEATURES, COVERAGE)
    stages = (*_COUNTING["corpus"], *_COUNTING["surprisal"], ComputeFeatures, SumCoverage)
    views = FEATURE_VIEWS
    opening = Opening(
        "Features of words",
        "Which features each word in its sentence has, by group and resource, and for what share of the words "
        "a resource knew nothing.",
        ("use", "encoder", "languages"),
    )
    report = staticmethod(panels)

    def reads(self, options: ComplexityFeaturesOptions) -> Sequence[TableSource]:
        corpus = options.features.corpus
        return [
            TableSource(INSTANCES.name, options.folder, needed=True),
            *([] if corpus is None else [TableSource("sentences", corpus)]),
        ]

    def check(self, options: ComplexityFeaturesOptions) -> None:
        check_features(options.features)

    def plan(self, options: ComplexityFeaturesOptions, inputs: Inputs) -> FeaturesPlan:
        parts = inputs.only(INSTANCES.name).parts
        languages: set[str | None] = set()
        for part in parts:
            for rows in read_rows([checked(part)], ["language"]):
                languages.update(pc.unique(rows["language"]).to_pylist())
        if None in languages:
            log.warning(
                "some instances have no language, so that nothing is known of them that depends on it, "
                "such as frequency: say it when they are made (--language of `lexbeam complexity load`)"
            )
        setting = setting_of(options.features, list(languages), _targets(parts))
        _tell_layers(setting, parts, options.features.use)
        if options.features.corpus is None or not {"corpus", "surprisal"} & set(setting.use):
            return FeaturesPlan(parts, setting)
        sentences = inputs.only("sentences").parts
        corpus = sorted(SentencePart(part.rows, part.path, part.bytes, part.sha256) for part in sentences)
        return FeaturesPlan(parts, setting, tuple(corpus))

    def build(self, pipeline: "beam.Pipeline", plan: FeaturesPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of `complexity/instances` in, parts of features and coverage out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each, NameParts, Once, SpreadOverLanes

        workspace = graph.workspace
        setting = plan.setting._replace(lexicon=graph.carry(plan.setting.lexicon))
        graph.expect(SumCoverage, 1)
        for want, count, combine in (steps for group, steps in _COUNTING.items() if group in setting.use):
            graph.expect(want, len(plan.parts))
            graph.expect(count, len(plan.corpus or plan.parts))
            graph.expect(combine, 1)
        instances = graph.tasks(pipeline, "InstanceParts", plan.parts, ComputeFeatures)
        parts = instances | "Spread" >> SpreadOverLanes(attrgetter("rows"), graph.lanes, workspace, "")
        counted_in = pipeline | "CorpusParts" >> beam.Create(plan.corpus) if plan.corpus else parts
        sides = {}
        if "corpus" in setting.use:
            wanted = parts | "WantWords" >> Each(workspace, WantWords(), _by_number)
            of_words = Each(workspace, CountWords(), count_tasks, {"wanted": beam.pvalue.AsList(wanted)})
            counted = counted_in | "CountWords" >> of_words
            words = counted | "CombineWords" >> Once(workspace, CombineWords(), _together) | "Words" >> beam.Values()
            sides["counts"] = beam.pvalue.AsSingleton(words)
        if "surprisal" in setting.use:
            wanted = parts | "WantNgrams" >> Each(workspace, WantNgrams(not plan.corpus), _by_number)
            of_ngrams = Each(workspace, CountNgrams(), ngram_tasks, {"wanted": beam.pvalue.AsList(wanted)})
            counted = counted_in | "CountNgrams" >> of_ngrams
            ngrams = (
                counted | "CombineNgrams" >> Once(workspace, CombineNgrams(), _together) | "Ngrams" >> beam.Values()
            )
            sides["ngrams"] = beam.pvalue.AsSingleton(ngrams)
        featured = parts | "Feature" >> Each(workspace, ComputeFeatures(setting), feature_tasks, sides)
        covered = featured | "Cover" >> Once(workspace, SumCoverage(), coverage_tasks)
        tables = (
            featured | "NameFeatures" >> beam.ParDo(NameParts(FEATURES.name, "part")),
            covered | "NameCoverage" >> beam.ParDo(NameParts(COVERAGE.name)),
        )
        return {"parts": tables | "Tables" >> beam.Flatten()}

    def section(self, plan: FeaturesPlan, outcome: HandedBack) -> Mapping[str, Any]:
        return {
            "instances": sum(part.rows for part in outcome.of_table(FEATURES.name)),
            "groups": list(plan.setting.use),
            "lists": list(plan.setting.lists),
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield the number of columns of each group, and the columns that are known of few."""
        coverage = snapshot.read(COVERAGE.name)
        section = snapshot.section("complexity.features")
        yield f"features of {section['instances']} instances, columns by group:"
        for name in section["groups"]:
            rows = coverage.filter(pc.equal(coverage["feature_group"], name))
            yield f"  {name}: {len(pc.unique(rows['feature']))}"
        low = low_coverage(coverage)
        if low:
            yield "least known, of single words or expressions as a whole:"
        for feature, share in low[:_SHOWN]:
            yield f"  {feature}: {100 * share:.0f} %"
