"""Five-way questions: right options as gold, answers in files, and what needs no reading to choose an option.

What is kept of a gold question is what metrics and baselines need, so that memory does not grow with the
length of passages.

A baseline gives each option the probability that it chooses it, so that ties are exact: the
expected accuracy of a question is the probability of the right option, and nothing is drawn.

- `chance`: every option alike.
- `most_frequent`, `rarest`: the most frequent option, the least frequent one, ties alike.
- `absent`: the options that do not stand in the passage, by form, alike. A target never does stand
  there, by the lemma filter; a wrong option may, which is a short cut.

>>> most_frequent(np.array([[4.5, 3.0, 4.5, np.nan, 1.0]])).tolist()
[[0.5, 0.0, 0.5, 0.0, 0.0]]
>>> absent(stand_in_passage("The dog's well-kept house.", ["dog", "kept", "cat", "home"])[None])
array([[0. , 0. , 0.5, 0.5]])

Files of answers have labels, or scores of the options:

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
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from lexbeam.schemas.cloze import KINDS
from lexbeam.transforms.annotation.engines.engine import plain_tokens
from lexbeam.transforms.cloze.pairs.pair import GivenTarget, RawPair, article_id
from lexbeam.transforms.cloze.pairs.pair_layouts import ReadOptions, read_recam
from lexbeam.transforms.common.errors import UsageError, nearest, reason_of
from lexbeam.transforms.common.options.small_texts import cells_of, delimiter_of, filled_lines, rows_within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.evaluation.metrics import Metric, expected_accuracy
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Ints
from lexbeam.transforms.formats.records.base import Reject, Source

ACCURACY = Metric(expected_accuracy, "classes", doc="expected share of right answers")

_WITHIN = re.compile("[-'’\u2010]+")  # what joins the parts of a plain token


def alike(chosen: Bools) -> Floats:
    """Return the probabilities of options of which those that are chosen are drawn alike.

    Args:
        chosen: options, (questions, options); where none is chosen all are drawn.

    Returns:
        Probabilities, of the same shape; each row adds up to 1.
    """
    drawn = np.where(chosen.any(axis=1, keepdims=True), chosen, True)
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def chance(questions: int, options: int = 5) -> Floats:
    """Return the probabilities of options that are all drawn alike, (questions, options)."""
    return alike(np.ones((questions, options), bool))


def most_frequent(frequencies: Floats) -> Floats:
    """Return the probabilities of options of which the most frequent is chosen, ties alike.

    Args:
        frequencies: of each option, on any scale that rises with frequency, (questions, options);
            NaN: a word that is not listed, rarer than all that are.

    Returns:
        Probabilities, of the same shape; each row adds up to 1.
    """
    known = np.where(np.isnan(frequencies), -np.inf, frequencies)
    return alike(known == known.max(axis=1, keepdims=True))


def rarest(frequencies: Floats) -> Floats:
    """Return the probabilities of options of which the least frequent is chosen, ties alike.

    Args:
        frequencies: as of `most_frequent`.

    Returns:
        Probabilities, of the same shape; each row adds up to 1.
    """
    known = np.where(np.isnan(frequencies), -np.inf, frequencies)
    return alike(known == known.min(axis=1, keepdims=True))


def absent(in_passage: Bools) -> Floats:
    """Return the probabilities of options of which one is chosen that is not in the passage.

    Args:
        in_passage: whether each option stands in its passage, (questions, options).

    Returns:
        Probabilities, of the same shape; each row adds up to 1. Where all options stand in the
        passage, all are alike.
    """
    return alike(~in_passage)


def stand_in_passage(passage: str, options: Sequence[str]) -> Bools:
    """Return which options stand in a passage by their form, without regard to case.

    What is compared are runs of letters, digits and marks, and signs: `dog` stands in `dog's` and
    in `hot-dog`, not in `dogs`. An option of several of them stands there as it is, in a row.
    """
    text = _spelled(passage)
    return np.array([(spelled := _spelled(word)) != "  " and spelled in text for word in options], bool)


def _spelled(text: str) -> str:
    """Return the folded parts of a text's tokens, with a blank around each."""
    parts = (part for form in plain_tokens(straight(text)).forms or () for part in _WITHIN.split(form) if part)
    return f" {' '.join(parts)} ".casefold()


def subset_of(kind: str, trained_on: str | None) -> str:
    """Return what answers to questions of a kind are called.

    >>> subset_of("nonspecificity", None), subset_of("nonspecificity", "imperceptibility")
    ('nonspecificity', 'nonspecificity from imperceptibility')
    """
    return kind if trained_on in (None, "", kind) else f"{kind} from {trained_on}"


FIVE = 5  # options of a question
UNKNOWN = ""  # the kind of questions whose kind is not stated


class Key(NamedTuple):
    """Questions in the order of their files.

    Attributes:
        ids: of each question: its field `question_id` or `id`, empty without one.
        kinds: of each, `UNKNOWN` where it is not stated.
        articles: the ids of their passages.
        options: their five options.
        labels: which of them is right, from 0.
        standing: which of them stand in the passage, (questions, 5).
    """

    ids: list[str]
    kinds: list[str]
    articles: list[str]
    options: list[tuple[str, ...]]
    labels: Ints
    standing: Bools


def read_key(path: str, kind: str | None) -> Key:
    """Read a file of questions in the task's format, compressed or not.

    Args:
        path: JSON lines with `article`, `question`, `option_0` to `option_4` and `label`.
        kind: of its questions, where neither they nor its name say; None: unknown.

    Raises:
        UsageError: it cannot be read, or a line is no question with five options.
    """
    ids, kinds, articles, options, labels, standing = [], [], [], [], [], []
    for pair, target in _questions(path, kind):
        ids.append(pair.source_id or "")
        kinds.append(target.kind)
        articles.append(article_id(pair.passage))
        options.append(target.options)
        labels.append(target.label)
        standing.append(stand_in_passage(pair.passage, target.options))
    return Key(ids, kinds, articles, options, np.array(labels, np.int64), np.array(standing, bool).reshape(-1, FIVE))


_NEEDED = "a file of questions as JSON lines, as the task has them and `lexbeam cloze questions` writes them"


def _questions(path: str, kind: str | None) -> Iterator[tuple[RawPair, GivenTarget]]:
    shown = f"`gold` {files.shown(path)}"
    try:
        if files.size(path) is None:
            raise UsageError(f"{shown} is not there: check the path")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {reason_of(error)}") from error
    text = Source(path, partial(files.open_read, path), path)
    for _, pair in read_recam(text, ReadOptions(layout="recam", kind=kind or UNKNOWN)):
        where = f"{shown}, line {pair.position}" if pair.position else shown
        if isinstance(pair, Reject):
            raise UsageError(f"{where}: {pair.reason}, {pair.detail}; correct it, or name {_NEEDED}")
        assert pair.target is not None  # this layout's records have one
        options = pair.target.options
        if len(options) != FIVE:
            raise UsageError(f"{where}: {len(options)} options, where {FIVE} should be; name {_NEEDED}")
        yield pair, pair.target


def joined_keys(keys: list[Key]) -> Key:
    """Return the questions of several files as those of one."""
    ids, kinds, articles, options = (
        [value for key in keys for value in getattr(key, name)] for name in Key._fields[:4]
    )
    return Key(
        ids,
        kinds,
        articles,
        options,
        np.concatenate([key.labels for key in keys]),
        np.concatenate([key.standing for key in keys]),
    )


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
