"""Files of answers to five-way questions evaluated against gold, beside what needs no reading.

    lexbeam evaluate cloze --gold Task_1_dev.jsonl --predictions subtask1.csv
    lexbeam evaluate cloze --gold Task_2_dev.jsonl --predictions cross.csv --trained-on \\
        imperceptibility

docs/tasks/cloze/answer.md says what is read, and what is computed.
"""

import importlib.util
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.pipelines.commands.evaluation import Evaluation, out_or_told
from lexbeam.pipelines.frame.command import HandedBack, Inputs, Opening, PublishOptions
from lexbeam.schemas.cloze import KINDS
from lexbeam.schemas.common_tables import CLOZE_METRICS
from lexbeam.transforms.cloze.answers.evaluation import MeasuredSystem, baselines_of, evaluated, systems_of
from lexbeam.transforms.cloze.answers.five_way import FIVE, Key, joined_keys, read_answers, read_key
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Grid, number
from lexbeam.transforms.common.store import files
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.outcomes import Floats
from lexbeam.transforms.lexicon.compiled.frequencies import Frequencies
from lexbeam.transforms.lexicon.compiled.word_list import WordList
from lexbeam.transforms.lexicon.resources import (
    CacheOptions,
    Lexicon,
    LexiconOptions,
    ResourceAlias,
    check_specs,
    prepare,
)
from lexbeam.transforms.report.panels import Panel, Rows

log = logging.getLogger("lexbeam")

_FREQUENCY = ResourceAlias("frequency_")


@dataclass(frozen=True, kw_only=True)
class EvaluateClozeOptions(PublishOptions):
    """Options of `lexbeam evaluate cloze`."""

    out: str | None = out_or_told("table cloze/metrics is published; none: it is only told")  # type: ignore[assignment]
    gold: tuple[str, ...] = option(
        help="questions with their labels, JSON lines as the task has them and as `lexbeam cloze "
        "questions` writes them; one file or several",
        metavar="FILE",
        path="file",
        data="records",
        published=False,
    )
    predictions: tuple[str, ...] = option(
        help="answers: lines `index,label`, or a table or JSON lines with question and label or "
        "scores; a file for each of gold, or one for all",
        metavar="FILE",
        path="file",
        data="records",
        published=False,
    )
    kind: str | None = option(None, help="kind of questions where the name of the file does not say", choices=KINDS)
    trained_on: str | None = option(
        None,
        help="kind of questions that the system was trained on, where `predictions` do not "
        "say; if not given, the kind that it answers",
        choices=KINDS,
    )
    system: str = option("predictions", help="what the table calls what was evaluated, where `predictions` do not say")
    frequency: str | None = option(
        None,
        help="word list whose most frequent option is the baseline frequency, "
        "FILE:word=COLUMN,value=COLUMN or wordfreq:LANG; if not given, wordfreq:en",
        metavar="SPEC",
        path="resource",
        data="wordlist",
        within=_FREQUENCY.within,
        stands_for=_FREQUENCY.spec,
        check=check_specs,
        group="resources",
    )
    resources: CacheOptions = embedded(CacheOptions, group="resources")
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")


class ClozeEvaluationPlan(NamedTuple):
    """What is evaluated: questions, systems with the baselines first, and where words are."""

    key: Key
    systems: list[MeasuredSystem]
    lexicon: Lexicon


def _systems(key: Key, path: str, options: EvaluateClozeOptions) -> list[MeasuredSystem]:
    answers = read_answers(path)
    if len(options.gold) > 1 == len(options.predictions) and any(answer.by_index for answer in answers):
        raise UsageError(
            f"`predictions` {files.shown(path)} has places in a gold file, and there are "
            f"{len(options.gold)}: give ids, or a file of predictions for each"
        )
    completed = [
        answer if answer.trained_on else answer._replace(trained_on=options.trained_on or "") for answer in answers
    ]
    return systems_of(key, completed, f"`predictions` {files.shown(path)}", options.system)


def _joined(systems: Sequence[MeasuredSystem]) -> list[MeasuredSystem]:
    """Return systems with what they answer in all files, in the order in which they come."""
    joined: dict[tuple[str, str], MeasuredSystem] = {}
    for system in systems:
        name = system.name, system.trained_on
        if name in joined:
            before = joined[name]
            system = system._replace(
                places=np.concatenate([before.places, system.places]),
                chances=np.concatenate([before.chances, system.chances]),
            )
        joined[name] = system
    return list(joined.values())


def _lexicon(options: EvaluateClozeOptions) -> Lexicon:
    named = options.frequency
    if named is None and importlib.util.find_spec("wordfreq") is None:
        log.warning(
            "there is no baseline frequency: wordfreq is not installed (extra `frequency`), and no "
            "word list is named (`frequency`)"
        )
        return Lexicon(())
    spec = _FREQUENCY.spec(named or "wordfreq:en")
    return prepare(LexiconOptions(resources=(spec,), cache=options.resources.cache))


def _frequencies(key: Key, lexicon: Lexicon) -> Floats | None:
    """Return the frequencies of all options, (questions, 5); None: nothing says them."""
    if not lexicon.held:
        return None
    words = pa.array([word for options in key.options for word in options], pa.large_string())
    listed = lexicon.held[0].open()
    if not isinstance(listed, WordList | Frequencies):
        raise UsageError("`frequency` is no list of words and values: name FILE:word=,value=")
    values = listed.look_up(words)["value"].to_numpy(zero_copy_only=False)
    return np.asarray(values, np.float64).reshape(-1, FIVE)


class EvaluateCloze(Evaluation[EvaluateClozeOptions, ClozeEvaluationPlan]):
    """`lexbeam evaluate cloze`."""

    options = EvaluateClozeOptions
    examples = """\
  lexbeam evaluate cloze --gold Task_1_dev.jsonl --predictions subtask1.csv
  lexbeam evaluate cloze --gold Task_1_dev.jsonl Task_2_dev.jsonl --predictions answers.jsonl \\
      --frequency SUBTLEXus.csv:word=1,value=7"""
    tables = (CLOZE_METRICS,)
    opening = Opening(
        "Answers against gold",
        "How many questions are answered rightly, with an interval, beside baselines that read no passage; "
        "chance is one in five.",
        ("kind", "system", "resamples", "level"),
    )

    def check(self, options: EvaluateClozeOptions) -> None:
        for name in ("gold", "predictions"):
            if not getattr(options, name):
                raise UsageError(f"`{name}` names no file")
        several = len(options.predictions)
        if several > 1 and several != len(options.gold):
            raise UsageError(
                f"`predictions` names {several} files, and `gold` {len(options.gold)}: give a file for "
                "each of gold, in the same order, or one for all"
            )

    def plan(self, options: EvaluateClozeOptions, _: Inputs) -> ClozeEvaluationPlan:
        self.check(options)
        keys = [read_key(path, options.kind) for path in options.gold]
        whole = joined_keys(keys)
        lexicon = _lexicon(options)
        systems = baselines_of(whole, _frequencies(whole, lexicon))
        if len(options.predictions) == len(keys):
            first = 0
            for key, path in zip(keys, options.predictions, strict=True):
                answered = _systems(key, path, options)
                systems += [system._replace(places=system.places + first) for system in answered]
                first += len(key.ids)
        else:
            systems += _systems(whole, options.predictions[0], options)
        return ClozeEvaluationPlan(whole, _joined(systems), lexicon)

    def measure(self, options: EvaluateClozeOptions, plan: ClozeEvaluationPlan, _: Inputs) -> Mapping[str, pa.Table]:
        rows = list(evaluated(plan.key, plan.systems, options.bootstrap))
        return {CLOZE_METRICS.name: pa.Table.from_pylist(rows, schema=CLOZE_METRICS.schema())}

    def shown(self, metrics: pa.Table) -> Iterator[Grid]:
        cells = tuple(
            (
                row["system"],
                row["subset"],
                number(row["value"]),
                "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}",
                str(row["n"]),
                row["reason"] or "",
            )
            for row in metrics.to_pylist()
        )
        yield Grid(("system", "subset", "accuracy", "interval", "n", ""), cells, frozenset({2, 4}))

    def resources(self, plan: ClozeEvaluationPlan) -> Mapping[str, Any]:
        key = plan.key
        gold = [
            key.ids,
            key.kinds,
            key.articles,
            [list(words) for words in key.options],
            key.labels.tolist(),
            key.standing.tolist(),
        ]
        answers = [
            [system.name, system.trained_on, system.places.tolist(), system.chances.tolist()] for system in plan.systems
        ]
        return {"gold": digest(gold), "predictions": digest(answers)}

    def section(self, plan: ClozeEvaluationPlan, _: HandedBack) -> Mapping[str, int]:
        return {"questions": len(plan.key.ids), "articles": len({*plan.key.articles})}

    def report(self, snapshot: Snapshot) -> list[Panel]:
        text = (
            "The share of questions that a system answers rightly, with bootstrap intervals over "
            "articles; of ties the expected share. `KIND from OTHER`: trained on the other kind."
        )
        columns = ["system", "subset", "metric", "value", "low", "high", "n", "reason"]
        return [Rows("Answers against gold", text, snapshot.read(CLOZE_METRICS.name).select(columns))]
