"""Files of answers to five-way questions, as predictions: labels, or scores of the options.

- the task's own: lines `index,label` without a header, as SemEval-2021 Task 4 takes them;
- a table with a header, separated by tabs or commas;
- JSON lines.

The latter two name the question by `index` (its place in the gold file, from 0), or by
`question_id` or `id`; the answer by `label` (or `chosen`, as table cloze/answers has it), from 0,
or by scores of all options, `option_0` to `option_4`, or in JSON a list `scores`: probabilities or
any numbers of which the greatest is the answer. Options with equal greatest scores are answers in
equal shares. They may say `kind`, `system`, and `trained_on`, the kind that the system was trained
on.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lexbeam.schemas.cloze import KINDS
from lexbeam.transforms.cloze.answers.baselines import most_frequent
from lexbeam.transforms.cloze.answers.keys import FIVE
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.small_texts import cells_of, delimiter_of, filled_lines, rows_within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.evaluation.outcomes import Floats

_IDS = ("question_id", "id")
_LABELS = ("label", "chosen")
_INDEX, _SCORES = "index", "scores"
_OPTIONS = tuple(f"option_{place}" for place in range(FIVE))
_FURTHER = ("kind", "system", "trained_on")
_KNOWN = (_INDEX, *_IDS, *_LABELS, *_OPTIONS)


class SystemAnswer(NamedTuple):
    """An answer to a question.

    Attributes:
        id: the question's, or its place as digits.
        by_index: whether it is its place.
        chances: how probable each option is the answer, (5,); they add up to 1.
        kind: of the question; empty if unknown.
        system: whose answer it is; empty if unknown.
        trained_on: kind that the system was trained on; empty if unknown.
    """

    id: str
    by_index: bool
    chances: Floats
    kind: str = ""
    system: str = ""
    trained_on: str = ""


def read_answers(path: str) -> list[SystemAnswer]:
    """Read a file of answers, in the order of its lines.

    Raises:
        UsageError: it cannot be read, or a line names no question, has neither a label from 0 to 4 nor
            scores, or an unknown kind.
    """
    shown = f"`predictions` {files.shown(path)}"
    lines = filled_lines(path, "predictions", "a line for each question")
    answers = []
    for number, values in _rows(lines, shown):
        try:
            answers.append(_answer(values))
        except ValueError as error:
            raise UsageError(f"{shown}, line {number}: {error}") from error
    if not answers:
        raise UsageError(f"{shown} has a header alone: give a line for each question")
    return answers


def _rows(lines: Sequence[tuple[int, str]], shown: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    first = lines[0][1]
    if first.lstrip().startswith("{"):
        yield from _objects(lines, shown)
        return
    delimiter = delimiter_of(first)
    header = [cell.lower() for cell in cells_of(first, delimiter)]
    if not set(header) & set(_KNOWN):
        if len(header) != 2:
            raise UsageError(
                f"{shown}: its first line is {first[:80]!r}: give lines `index,label`, a header "
                f"with {_INDEX} or {_IDS[0]} and {_LABELS[0]}, or JSON lines"
            )
        header = [_INDEX, _LABELS[0]]
    else:
        lines = lines[1:]
    for number, cells in rows_within(lines, delimiter, len(header), shown):
        yield number, {name: cell for name, cell in zip(header, cells, strict=False) if cell}


def _objects(lines: Sequence[tuple[int, str]], shown: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in lines:
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{shown}, line {number}: no JSON: {error}") from error
        if not isinstance(values, dict):
            raise UsageError(f"{shown}, line {number}: {type(values).__name__}, not an object")
        yield number, {name: value for name, value in values.items() if value is not None}


def _answer(values: Mapping[str, object]) -> SystemAnswer:
    """Return the answer of a row.

    Raises:
        ValueError: the row lacks something.
    """
    further = {name: str(values[name]).strip() for name in _FURTHER if name in values}
    for name in ("kind", "trained_on"):
        if (kind := further.get(name, "")) and kind not in KINDS:
            raise ValueError(f"{name} is {kind[:40]!r}{nearest(kind, KINDS)}: {', '.join(KINDS)}")
    names = [name for name in (*_IDS, _INDEX) if name in values]
    if not names:
        raise ValueError(f"it names no question: give {_INDEX} or {_IDS[0]}")
    by_index = names[0] == _INDEX
    text = str(_whole(values[_INDEX], _INDEX)) if by_index else str(values[names[0]]).strip()
    return SystemAnswer(text, by_index, _chances(values), **further)


def _whole(value: object, name: str) -> int:
    text = "" if isinstance(value, bool) else str(value).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"{name} is {str(value)[:40]!r}, not a whole number from 0")
    return int(text)


def _chances(values: Mapping[str, object]) -> Floats:
    name = next((name for name in _LABELS if name in values), None)
    if name is not None:
        label = _whole(values[name], name)
        if label >= FIVE:
            raise ValueError(f"{name} is {label}, and options are 0 to {FIVE - 1}")
        return np.asarray(np.eye(FIVE)[label])
    scores = values.get(_SCORES, [values[name] for name in _OPTIONS if name in values])
    if not isinstance(scores, list) or len(scores) != FIVE:
        raise ValueError(
            f"it has no answer: give {_LABELS[0]}, or scores of all options, {_OPTIONS[0]} to {_OPTIONS[-1]}"
        )
    return np.asarray(most_frequent(np.array([[_score(score) for score in scores]]))[0])


def _score(value: object) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):  # the latter of whole numbers that JSON may have
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"a score of an option is {str(value)[:40]!r}, not a number")
    return number
