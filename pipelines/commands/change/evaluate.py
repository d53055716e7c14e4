"""Published scores evaluated against gold: metrics with bootstrap intervals, table change/metrics.

docs/reference/evaluation.md says what is computed, and how.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.pipelines.commands.evaluation import Evaluation, out_or_told
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import HandedBack, Inputs, InputTable, Opening, PublishOptions, TableSource
from lexbeam.schemas.change.scores import SCORES, SYSTEM_SCORES
from lexbeam.schemas.common_tables import CHANGE_METRICS
from lexbeam.transforms.change.scores.evaluation import TAKES, EvaluationOptions, evaluate, of_gold
from lexbeam.transforms.change.scores.gold import (
    COLUMNS,
    NAMED_COLUMNS,
    Gold,
    GoldOptions,
    ScoredWords,
    read_gold,
    read_predictions,
)
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.evaluation.metrics import metric_of
from lexbeam.transforms.report.panels import Panel, Rows

log = logging.getLogger("lexbeam")

SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class EvaluateChangeOptions(PublishOptions):
    """Options of `lexbeam evaluate change`."""

    out: str | None = out_or_told("table change/metrics is published; of `predictions` alone, none: it is only told")  # type: ignore[assignment]
    folder: str | None = input_folder("the scores of `lexbeam change`", "CHANGE_DIR")
    predictions: tuple[str, ...] = option(
        (),
        help="words and scores of other systems, each called as its file: tables with columns word and score, or lines "
        "of a word, a tab and a number; where there are no scores they alone are evaluated",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    truth: GoldOptions = embedded(GoldOptions, group="gold")
    how: EvaluationOptions = embedded(EvaluationOptions, group="evaluation")


class ChangeEvaluationPlan(NamedTuple):
    """What is evaluated: gold, and files of words and scores beside the table."""

    gold: Gold
    predictions: list[ScoredWords]


def _scores(inputs: Inputs) -> InputTable | None:
    return inputs.only(SCORES.name) if inputs.tables else None


def _rows_of(inputs: Inputs, table: str, columns: Sequence[str], words: Sequence[str]) -> pa.Table | None:
    for found in inputs.of(table):
        return of_gold(read_rows([checked(part) for part in found.parts], list(columns)), words)
    return None


# Of words that are in no view: they stay as they are.
_AS_WRITTEN = ViewOptions(case="keep", homonym_marks="keep", target_pos="keep")


def _of_means(rows: pa.Table) -> pa.Table:
    """Return the rows of means over seeds, and of their differences, on all words."""
    single = pc.match_substring_regex(rows["system"], r"/seed -?\d+$")
    return rows.filter(pc.and_(pc.equal(rows["subset"], "all"), pc.invert(single)))


def _estimate(row: Mapping[str, Any]) -> str:
    value = "undefined" if row["value"] is None else f"{row['value']:6.3f}"
    if row["low"] is not None:
        value += f" ({row['low']:.3f} to {row['high']:.3f})"
    p = "" if row["p_value"] is None else f", p = {row['p_value']:.3f}"
    reason = f", {row['reason']}" if row["reason"] else ""
    return f"{value}{p}, n = {row['n']}{reason}"


class EvaluateChange(Evaluation[EvaluateChangeOptions, ChangeEvaluationPlan]):
    """`lexbeam evaluate change`."""

    options = EvaluateChangeOptions
    examples = """\
  lexbeam evaluate change results --binary truth/binary.txt --graded truth/graded.txt
  lexbeam evaluate change results --gold sample/truth.tsv --changed-above 0
  lexbeam evaluate change results --gold opt_stats_groupings.csv --baseline none/frequency
  lexbeam evaluate change results --gold gold.tsv --predictions bert.tsv --mean-ranks op/cosine,bert
  lexbeam evaluate change --gold gold.tsv --predictions bert.tsv"""
    tables = (CHANGE_METRICS,)
    opening = Opening(
        "Change scores against gold",
        "How well the ranking of words agrees with judgments or a known truth: for each metric its value with "
        "an interval from resampling words. Spearman compares graded change, average precision how far up "
        "changed words stand; 1 is perfect.",
        ("metric", "missing", "baseline", "resamples", "level"),
    )

    def reads(self, options: EvaluateChangeOptions) -> Sequence[TableSource]:
        named = TableSource(SYSTEM_SCORES.name, options.folder, optional=True)
        if options.folder is not None:
            return [TableSource(SCORES.name, options.folder, needed=not options.predictions), named]
        # Files can do without the scores that `out` may have, or that the same run makes.
        more = bool(options.predictions)
        return [] if options.out is None else [TableSource(SCORES.name, optional=more, needed=not more), named]

    def check(self, options: EvaluateChangeOptions) -> None:
        for name in options.how.metric:
            metric_of(name, TAKES)
        if options.out is None and not options.predictions:
            raise UsageError("nothing says what is evaluated: name a folder, or files by `predictions`")
        # Which view the scores are of is not known yet.
        read_gold(options.truth, _AS_WRITTEN)
        read_predictions(options.predictions, _AS_WRITTEN)

    def plan(self, options: EvaluateChangeOptions, inputs: Inputs) -> ChangeEvaluationPlan:
        found = _scores(inputs)
        view = found.section.get("view") if found is not None else None  # one that had nothing to do says nothing of it
        view = _AS_WRITTEN if view is None else ViewOptions(**view)
        return ChangeEvaluationPlan(read_gold(options.truth, view), read_predictions(options.predictions, view))

    def measure(
        self, options: EvaluateChangeOptions, plan: ChangeEvaluationPlan, inputs: Inputs
    ) -> Mapping[str, pa.Table]:
        """Evaluate every system of the scores, and say which gold words have none."""
        gold, predictions = plan
        scores, named = (
            _rows_of(inputs, table, columns, gold.words)
            for table, columns in ((SCORES.name, COLUMNS), (SYSTEM_SCORES.name, NAMED_COLUMNS))
        )
        rows, missing = evaluate(scores, gold, options.how, predictions, named)
        for lacking in missing:
            words = [f"{word} ({reason})" for word, reason in sorted(lacking.words.items())]
            more = ", ..." if len(words) > SHOWN else ""
            log.warning(
                "%s: %d of %d gold words have no score: %s%s (`missing` is %s)",
                lacking.system,
                len(words),
                len(gold.words),
                ", ".join(words[:SHOWN]),
                more,
                options.how.missing,
            )
        classes = [name for name in options.how.metric if metric_of(name, TAKES).takes == "classes"]
        if gold.binary and classes and not set(classes) & set(rows["metric"].to_pylist()):
            log.warning(
                "the scores have no classes, since no targets were named: no %s (`class_threshold` mean makes some)",
                ", ".join(classes),
            )
        return {CHANGE_METRICS.name: rows}

    def shown(self, metrics: pa.Table) -> Iterator[str]:
        rows = _of_means(metrics).to_pylist()
        width = max((len(row["metric"]) for row in rows), default=0)
        system = None
        for row in rows:
            if row["system"] != system:
                system = row["system"]
                yield f"  {system}"
            yield f"    {row['metric']:{width}}  {_estimate(row)}"

    def told(self, metrics: pa.Table) -> Iterator[str]:
        return self.shown(metrics)

    def resources(self, plan: ChangeEvaluationPlan) -> Mapping[str, Any]:
        gold = {"gold": digest([dict(plan.gold.binary), dict(plan.gold.graded)])}
        # Not by their order: systems are named.
        files = {file.name: digest(dict(file.scores)) for file in plan.predictions}
        return gold | ({"predictions": dict(sorted(files.items()))} if files else {})

    def section(self, plan: ChangeEvaluationPlan, _: HandedBack) -> Mapping[str, Any]:
        gold = plan.gold
        classes = Counter(gold.binary.values())
        return {
            "gold_words": len(gold.words),
            "gold_graded": len(gold.graded),
            "gold_changed": classes[True],
            "gold_unchanged": classes[False],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section("evaluate.change")
        yield (
            f"gold: {section['gold_words']} words, {section['gold_graded']} graded, "
            f"{section['gold_changed']} changed, {section['gold_unchanged']} unchanged"
        )
        level = 100 * section["options"]["level"]
        yield f"means over seeds on all words, with {level:g} % intervals:"
        yield from super().summary(snapshot)

    def report(self, snapshot: Snapshot) -> list[Panel]:
        text = (
            "A metric of a system on the gold words, means over seeds, with bootstrap intervals over "
            "words; n is how many words count; p is of a difference, by permutations. Single seeds and parts of speech "
            "are in the table."
        )
        columns = ["system", "metric", "value", "low", "high", "p_value", "n", "reason"]
        return [Rows("Scores against gold", text, _of_means(snapshot.read(CHANGE_METRICS.name)).select(columns))]
