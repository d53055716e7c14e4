"""Answers measured: accuracy of systems, by kind and across kinds, beside what needs no reading.

Rows of cloze/metrics are those of `answers_evaluated`; how frequent an option is, is how often it
stands in passages. A question that is too long for a system counts as answered wrongly.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.common_tables import CLOZE_METRICS
from lexbeam.transforms.cloze.answers.data import EncodedAsked, counts_of, flat_numbers, numbered_questions
from lexbeam.transforms.cloze.answers.evaluation import MeasuredSystem, baselines_of, evaluated
from lexbeam.transforms.cloze.answers.keys import FIVE, Key
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_table, sort_rows, write_part
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.outcomes import Floats


class MeasureTask(NamedTuple):
    """All answers, and all questions, by language."""

    answers: tuple[Part, ...]
    encoded: tuple[tuple[str, EncodedAsked], ...]


class MeasureSettings(NamedTuple):
    """How answers are measured.

    Attributes:
        bootstrap: of intervals.
        split: only questions of this split count; None: all.
    """

    bootstrap: BootstrapOptions
    split: str | None


def _measure(artefact: Artefact, task: MeasureTask, settings: MeasureSettings) -> PartFile:
    key, frequencies = _key(task, settings.split)
    systems = [*baselines_of(key, frequencies), *_answered(task, key)]
    rows = list(evaluated(key, systems, settings.bootstrap))
    table = pa.Table.from_pylist(rows, CLOZE_METRICS.schema())
    return write_part(
        artefact, CLOZE_METRICS.schema(), [sort_rows(table, CLOZE_METRICS.key)], sort_keys=CLOZE_METRICS.key
    )


def _key(task: MeasureTask, split: str | None) -> tuple[Key, Floats]:
    """Return the questions, and how often each option occurs in passages."""
    tables = []
    frequencies = [np.zeros((0, FIVE))]
    for _, encoded in sorted(task.encoded, key=_language):
        _, rows = numbered_questions(encoded)
        if split is not None:
            rows = rows.filter(pc.equal(pc.fill_null(rows["split"], ""), split))
        tables.append(rows)
        numbers = flat_numbers(rows["options"]).reshape(-1, FIVE)
        frequencies.append(counts_of(encoded)[numbers].astype(np.float64))
    rows = pa.concat_tables(tables)
    standing = flat_numbers(rows["standing"]).reshape(-1, FIVE).astype(bool)
    ids, kinds, articles = (rows[name].to_pylist() for name in ("question_id", "kind", "article_id"))
    # Nothing asks for the words of options.
    key = Key(ids, kinds, articles, [], rows["label"].to_numpy(), standing)
    return key, np.concatenate(frequencies)


def _answered(task: MeasureTask, key: Key) -> Iterator[MeasuredSystem]:
    """Yield the systems, each with its answers; what it was trained on is a system of its own."""
    names = ["question_id", "kind", "system", "trained_on", "chosen"]
    rows = read_table([checked(part) for part in sorted(task.answers)], names)
    rows = rows.set_column(3, "trained_on", pc.fill_null(rows["trained_on"], ""))
    places = {question: place for place, question in enumerate(zip(key.ids, key.kinds, strict=True))}
    named = rows.select(names[2:4]).group_by(names[2:4], use_threads=False).aggregate([])
    for name, trained_on in sorted(zip(*named.to_pydict().values(), strict=True)):
        answers = rows.filter(pc.and_(pc.equal(rows["system"], name), pc.equal(rows["trained_on"], trained_on)))
        asked = zip(answers["question_id"].to_pylist(), answers["kind"].to_pylist(), strict=True)
        at = np.array([places[question] for question in asked], np.int64)
        chosen = pc.fill_null(answers["chosen"], -1).to_numpy()
        chances = (chosen[:, None] == np.arange(FIVE)).astype(np.float64)
        order = np.argsort(at)
        yield MeasuredSystem(name, trained_on, at[order], chances[order])


def _language(element: tuple[str, EncodedAsked]) -> str:
    return element[0]


MEASURE_ANSWERS: Stage[MeasureTask, MeasureSettings, PartFile] = Stage(
    name="cloze/measure-answers",
    noun="metrics",
    receipt=PartFile,
    build=_measure,
    unordered=("task.answers", "task.encoded"),
    unit="tables",
)
