"""Answers to five-way questions evaluated: accuracy by kind and across kinds, beside what needs no reading.

Rows are of `cloze/metrics`. A subset is a kind, `KIND from OTHER` for a system that was trained on
questions of another kind, or `all`. Systems `chance`, `frequency`, `rarest` and `not-in-passage` are those of
`five_way`; in tables, how frequent an option is, is how often it stands in passages. Of ties the expected accuracy
counts. A question that is too long for a system counts as answered wrongly. Intervals resample whole articles, whose
questions are alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import KINDS
from lexbeam.schemas.common_tables import CLOZE_METRICS
from lexbeam.transforms.cloze.answers.data import counts_of, flat_numbers, numbered_questions
from lexbeam.transforms.cloze.answers.five_way import (
    ACCURACY,
    FIVE,
    UNKNOWN,
    Key,
    SystemAnswer,
    absent,
    chance,
    most_frequent,
    rarest,
    subset_of,
)
from lexbeam.transforms.cloze.readers.data import NumberedTexts
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_table, sort_rows, write_part
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import matched, measure, row
from lexbeam.transforms.evaluation.outcomes import Floats, Ints

ALL = "all"


class MeasuredSystem(NamedTuple):
    """The answers of a system.

    Attributes:
        name: what it is called.
        trained_on: the kind that it was trained on; empty if unknown.
        places: the questions that it answers, rising.
        chances: how probable each option is its answer, (answers, 5).
    """

    name: str
    trained_on: str
    places: Ints
    chances: Floats


def baselines_of(key: Key, frequencies: Floats | None) -> list[MeasuredSystem]:
    """Return the baselines, see `five_way`.

    Args:
        key: the questions.
        frequencies: of their options, (questions, 5), NaN where a word is not listed; None: not
            known, and no baseline by them.
    """
    count = len(key.ids)
    chances_of = {"chance": chance(count)}
    if frequencies is not None:
        chances_of["frequency"] = most_frequent(frequencies)
        chances_of["rarest"] = rarest(frequencies)
    chances_of["not-in-passage"] = absent(key.standing)
    return [MeasuredSystem(name, "", np.arange(count), chances) for name, chances in chances_of.items()]


def systems_of(key: Key, answers: Sequence[SystemAnswer], where: str, named: str) -> list[MeasuredSystem]:
    """Return the systems of a file of answers, sorted by name and what they were trained on.

    A system answers every question; one that was trained on a kind, every question of the kinds that it answers.

    Args:
        key: the questions.
        answers: to them.
        where: the file, for messages.
        named: the name of a system where the file has none.

    Raises:
        LexbeamError: an answer is missing, doubled, or to no question; ids are named.
    """
    groups: dict[tuple[str, str], list[SystemAnswer]] = {}
    for answer in answers:
        groups.setdefault((answer.system or named, answer.trained_on), []).append(answer)
    systems = []
    for (system, trained_on), of_system in sorted(groups.items()):
        try:
            systems.append(_system(key, of_system, system, trained_on))
        except LexbeamError as error:
            source = f"{where}, {system}" if len(groups) > 1 else where
            raise LexbeamError(f"{source}: {error}") from error
    for system in sorted({name for name, _ in groups}):
        places = [place for answered in systems if answered.name == system for place in answered.places.tolist()]
        if left := sorted({*key.kinds} - {key.kinds[place] for place in places}):
            raise LexbeamError(f"{where}, {system}: no question of {' and '.join(left)} is answered, and gold has such")
    return systems


def _system(key: Key, answers: Sequence[SystemAnswer], system: str, trained_on: str) -> MeasuredSystem:
    by_index = {answer.by_index for answer in answers}
    if len(by_index) > 1:
        raise LexbeamError("some answers have an index, and some an id: give one of them")
    with_kind = all(answer.kind for answer in answers) and all(key.kinds)
    names = [str(place) for place in range(len(key.ids))] if by_index == {True} else key.ids
    if by_index == {True} and {answer.id for answer in answers} == {str(1 + int(name)) for name in names}:
        raise LexbeamError(f"index runs from 1 to {len(names)}: the first question has index 0")
    if not all(names):
        raise LexbeamError(
            "answers have ids, and gold has questions without `question_id` or `id`: give `index`, "
            "the place in the gold file, from 0"
        )
    names = [_name(*both, with_kind) for both in zip(names, key.kinds, strict=True)]
    answered = [_name(answer.id, answer.kind, with_kind) for answer in answers]
    asked = np.arange(len(names))
    if trained_on:
        there = {*answered}
        kinds = {kind for name, kind in zip(names, key.kinds, strict=True) if name in there}
        if kinds:
            asked = np.flatnonzero(np.isin(np.array(key.kinds), sorted(kinds)))
    order = matched([names[place] for place in asked.tolist()], answered)
    places = asked[order.gold]
    chances = np.array([answers[place].chances for place in order.predicted.tolist()])
    rising = np.argsort(places)
    return MeasuredSystem(system, trained_on, places[rising], chances[rising])


def _name(name: str, kind: str, with_kind: bool) -> str:
    return f"{name} ({kind})" if with_kind else name


def evaluated(key: Key, systems: Sequence[MeasuredSystem], options: BootstrapOptions) -> Iterator[dict[str, Any]]:
    """Yield the rows of `cloze/metrics` of systems, subset by subset.

    Args:
        key: the questions.
        systems: what answers them.
        options: of the intervals.
    """
    for system in systems:
        for subset, rows in _subsets(key, system):
            places = system.places[rows]
            clusters = [key.articles[place] for place in places.tolist()]
            outcomes = key.labels[places], system.chances[rows]
            measured = measure(ACCURACY, outcomes, clusters=clusters, options=options)
            yield row(system.name, subset, "accuracy", None, measured)


def _subsets(key: Key, system: MeasuredSystem) -> Iterator[tuple[str, Ints]]:
    kinds = np.array([key.kinds[place] for place in system.places.tolist()], object)
    known = [kind for kind in KINDS if (kinds == kind).any()]
    for kind in known:
        yield subset_of(kind, system.trained_on), np.flatnonzero(kinds == kind)
    # Over kinds a system that was trained on one is two things at once.
    if (kinds == UNKNOWN).any() or (len(known) > 1 and not system.trained_on):
        yield subset_of(ALL, system.trained_on), np.arange(len(kinds))


class MeasureTask(NamedTuple):
    """All answers, and all questions, by language."""

    answers: tuple[Part, ...]
    encoded: tuple[tuple[str, NumberedTexts], ...]


@dataclass(frozen=True)
class MeasureAnswers(Step[MeasureTask, PartFile]):
    """Measure answers: accuracy by system and kind.

    Attributes:
        bootstrap: of intervals.
        split: only questions of this split count; None: all.
    """

    bootstrap: BootstrapOptions
    split: str | None

    name, noun, unit = "cloze/measure-answers", "metrics", "tables"

    def make(self, artefact: Artefact, task: MeasureTask) -> PartFile:
        """Write the metrics."""
        key, frequencies = _key(task, self.split)
        systems = [*baselines_of(key, frequencies), *_answered(task, key)]
        table = pa.Table.from_pylist(list(evaluated(key, systems, self.bootstrap)), CLOZE_METRICS.schema())
        rows = sort_rows(table, CLOZE_METRICS.key)
        return write_part(artefact, CLOZE_METRICS.schema(), [rows], sort_keys=CLOZE_METRICS.key)


def _key(task: MeasureTask, split: str | None) -> tuple[Key, Floats]:
    """Return the questions, and how often each option occurs in passages."""
    tables = []
    frequencies = [np.zeros((0, FIVE))]
    for _, encoded in task.encoded:
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
    rows = read_table([checked(part) for part in task.answers], names)
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
