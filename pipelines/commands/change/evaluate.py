"""Published scores evaluated against gold: metrics with bootstrap intervals, table change/metrics.

    lexbeam evaluate change results --binary truth/binary.txt --graded truth/graded.txt
    lexbeam evaluate change results --gold sample/truth.tsv --changed-above 0

docs/reference/evaluation.md says what is computed, and how.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.commands.options import input_folder
from pipelines.frame.command import Action, Command, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import PublishOptions
from pipelines.frame.openings import Opening
from schemas.change.scores import SCORES
from schemas.metrics import CHANGE_METRICS
from transforms.change.scores.evaluation import COLUMNS, TAKES, EvaluationOptions, evaluate, of_gold
from transforms.change.scores.gold import Gold, GoldOptions, read_gold
from transforms.change.view.words import ViewOptions
from transforms.common.code.fingerprints import digest
from transforms.common.options.fields import embedded
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store.sound import checked
from transforms.common.store.tables import read_rows
from transforms.evaluation.metrics import metric_of
from transforms.report.panels import Panel, Rows

__all__ = ["EVALUATE_CHANGE", "EvaluateChangeOptions"]

log = logging.getLogger("lexbeam")

SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class EvaluateChangeOptions(PublishOptions):
    """Options of `lexbeam evaluate change`."""

    folder: str | None = input_folder("the scores of `lexbeam change`", "CHANGE_DIR")
    truth: GoldOptions = embedded(GoldOptions, group="gold")
    how: EvaluationOptions = embedded(EvaluationOptions, group="evaluation")


def _reads(options: EvaluateChangeOptions) -> Sequence[TableSource]:
    return [TableSource(SCORES.name, options.folder)]


def _check(options: EvaluateChangeOptions) -> None:
    for name in options.how.metric:
        metric_of(name, TAKES)
    # Which view the scores are of is not known yet: words stay as they are.
    view = ViewOptions(case="keep", homonym_marks="keep", target_pos="keep")
    read_gold(options.truth, view)


def _gold(options: EvaluateChangeOptions, inputs: Inputs) -> Gold:
    view = inputs.only(SCORES.name).section["view"]
    return read_gold(options.truth, ViewOptions(**view))


def _evaluate(options: EvaluateChangeOptions, action: Action) -> Mapping[str, pa.Table]:
    """Evaluate every system of the scores, and say which gold words have none."""
    gold = _gold(options, action.inputs)
    parts = action.inputs.only(SCORES.name).parts
    tables = read_rows([checked(part) for part in parts], list(COLUMNS))
    rows, missing = evaluate(of_gold(tables, gold.words), gold, options.how)
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


def _resources(gold: Gold) -> Mapping[str, Any]:
    return {"gold": digest([dict(gold.binary), dict(gold.graded)])}


def _section(gold: Gold, _: HandedBack) -> Mapping[str, Any]:
    classes = Counter(gold.binary.values())
    return {
        "gold_words": len(gold.words),
        "gold_graded": len(gold.graded),
        "gold_changed": classes[True],
        "gold_unchanged": classes[False],
    }


def _means(snapshot: Snapshot) -> pa.Table:
    """Return the rows of means over seeds, and of their differences, on all words."""
    rows = snapshot.read(CHANGE_METRICS.name)
    single = pc.match_substring_regex(rows["system"], r"/seed -?\d+$")
    return rows.filter(pc.and_(pc.equal(rows["subset"], "all"), pc.invert(single)))


def _summary(snapshot: Snapshot) -> Iterator[str]:
    section = snapshot.section("evaluate.change")
    yield (
        f"gold: {section['gold_words']} words, {section['gold_graded']} graded, "
        f"{section['gold_changed']} changed, {section['gold_unchanged']} unchanged"
    )
    level = 100 * section["options"]["level"]
    yield f"means over seeds on all words, with {level:g} % intervals:"
    rows = _means(snapshot).to_pylist()
    width = max((len(row["metric"]) for row in rows), default=0)
    system = None
    for row in rows:
        if row["system"] != system:
            system = row["system"]
            yield f"  {system}"
        yield f"    {row['metric']:{width}}  {_estimate(row)}"


def _estimate(row: Mapping[str, Any]) -> str:
    value = "undefined" if row["value"] is None else f"{row['value']:6.3f}"
    if row["low"] is not None:
        value += f" ({row['low']:.3f} to {row['high']:.3f})"
    reason = f", {row['reason']}" if row["reason"] else ""
    return f"{value}, n = {row['n']}{reason}"


def _panels(snapshot: Snapshot) -> list[Panel]:
    text = (
        "A metric of a system on the gold words, means over seeds, with bootstrap intervals over "
        "words; n is how many words count. Single seeds and parts of speech are in the table."
    )
    columns = ["system", "metric", "value", "low", "high", "n", "reason"]
    return [Rows("Scores against gold", text, _means(snapshot).select(columns))]


EVALUATE_CHANGE: Command[EvaluateChangeOptions, Gold] = Command(
    options=EvaluateChangeOptions,
    examples="""\
  lexbeam evaluate change results --binary truth/binary.txt --graded truth/graded.txt
  lexbeam evaluate change results --gold sample/truth.tsv --changed-above 0
  lexbeam evaluate change results --gold opt_stats_groupings.csv --baseline none/frequency""",
    tables=(CHANGE_METRICS,),
    reads=_reads,
    check=_check,
    plan=_gold,
    resources=_resources,
    section=_section,
    summary=_summary,
    opening=Opening(
        "Change scores against gold",
        "How well the ranking of words agrees with judgments or a known truth: for each metric its value with "
        "an interval from resampling words. Spearman compares graded change, average precision how far up "
        "changed words stand; 1 is perfect.",
        ("metric", "missing", "baseline", "resamples", "level"),
    ),
    report=_panels,
    action=_evaluate,
)
