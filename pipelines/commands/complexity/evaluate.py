"""Files of predicted complexity evaluated against gold files, in the formats of the task.

    lexbeam evaluate complexity --gold lcp_single_test.tsv --predictions answer.csv
    lexbeam evaluate complexity --gold gold.csv --predictions answer.csv --threshold 0.5

docs/tasks/complexity/score.md says what is computed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from lexbeam.pipelines.commands.evaluation import Evaluation, out_or_told
from lexbeam.pipelines.frame.command import HandedBack, Inputs
from lexbeam.pipelines.frame.common_options import PublishOptions
from lexbeam.pipelines.frame.openings import Opening
from lexbeam.schemas.metrics import COMPLEXITY_METRICS
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.complexity.instances.official_files import OfficialScores, evaluate_files, read_scores
from lexbeam.transforms.complexity.scorers.scorer_metrics import ScorerMeasureOptions, check_measures
from lexbeam.transforms.complexity.shown.complexity_panels import metric_lines, metrics_panel
from lexbeam.transforms.report.panels import Panel


@dataclass(frozen=True, kw_only=True)
class EvaluateComplexityOptions(PublishOptions):
    """Options of `lexbeam evaluate complexity`."""

    out: str | None = out_or_told("table complexity/metrics is published; none: it is only told")  # type: ignore[assignment]
    gold: str = option(
        help="complexity by id: lines `id,score`, or a table with a header `id` and `complexity`",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    predictions: str = option(
        help="predicted complexity by id, as `gold` has it", metavar="FILE", path="file", data="cells", published=False
    )
    system: str = option("predictions", help="what the table calls what was evaluated")
    measures: ScorerMeasureOptions = embedded(ScorerMeasureOptions, group="evaluation")


class EvaluateComplexity(Evaluation[EvaluateComplexityOptions, tuple[OfficialScores, OfficialScores]]):
    """`lexbeam evaluate complexity`."""

    options = EvaluateComplexityOptions
    examples = """\
  lexbeam evaluate complexity --gold lcp_single_test.tsv --predictions answer.csv
  lexbeam evaluate complexity --gold gold.csv --predictions answer.csv --threshold 0.3,0.5"""
    tables = (COMPLEXITY_METRICS,)
    shown = staticmethod(metric_lines)
    told = staticmethod(metric_lines)
    opening = Opening(
        "Predicted complexity against gold",
        "How well a file of predictions agrees with a file of labels: each metric with an interval from resampling.",
        ("system", "metric", "resamples", "level"),
    )

    def check(self, options: EvaluateComplexityOptions) -> None:
        check_measures(options.measures)

    def plan(self, options: EvaluateComplexityOptions, _: Inputs) -> tuple[OfficialScores, OfficialScores]:
        return read_scores(options.gold, "gold"), read_scores(options.predictions, "predictions")

    def measure(
        self, options: EvaluateComplexityOptions, plan: tuple[OfficialScores, OfficialScores], _: Inputs
    ) -> Mapping[str, pa.Table]:
        rows = evaluate_files(*plan, options.system, options.measures)
        return {COMPLEXITY_METRICS.name: pa.Table.from_pylist(rows, schema=COMPLEXITY_METRICS.schema())}

    def resources(self, files: tuple[OfficialScores, OfficialScores]) -> Mapping[str, str]:
        return {
            name: digest([scores.ids, scores.values.tolist(), scores.genres, scores.tokens])
            for name, scores in zip(("gold", "predictions"), files, strict=True)
        }

    def section(self, files: tuple[OfficialScores, OfficialScores], _: HandedBack) -> Mapping[str, int]:
        return {"instances": len(files[0].ids)}

    def report(self, snapshot: Snapshot) -> list[Panel]:
        return [metrics_panel(snapshot)]
