"""Files of shared tasks: gold of benchmarks, and submissions as TSAR-2022 takes them, in and out.

A submission has a row for each instance: sentence, target, then substitutes, the best first, with
tabs between; rows are ragged. Rows are matched by sentence and target, ignoring spaces at the ends
and runs of them.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.small_texts import filled_lines
from lexbeam.transforms.common.shown import listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.characters import seen, straight
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.simplification.evaluation.lists import GoldInstance, folded
from lexbeam.transforms.simplification.instances.layouts import LAYOUTS, RawSubstitute, graded

SHOWN = 60  # characters of a sentence in a message
_SPACES = re.compile(r"\s+")

Key = tuple[str, str]


class Prediction(NamedTuple):
    """A row of a submission: its line, sentence and target as written, substitutes in order."""

    line: int
    sentence: str
    target: str
    words: tuple[str, ...]

    @property
    def key(self) -> Key:
        """What rows are matched by."""
        return _key(self.sentence, self.target)


def _key(sentence: str, target: str) -> Key:
    return straight(_plain_spaces(sentence)), straight(_plain_spaces(target))


def _plain_spaces(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFC", seen(text))).strip()


def _rows(path: str, name: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in filled_lines(path, name, "a row for each instance"):
        yield number, unicodedata.normalize("NFC", seen(line)).split("\t")


def read_gold(path: str, layout: str, notes: list[str], *, as_written: bool = False) -> list[GoldInstance]:
    """Read a file of gold; the ids are the places of rows, in digits.

    Rows of the same sentence and target are one instance, with all their annotators.

    Args:
        path: the file.
        layout: an entry of `lexbeam.transforms.simplification.instances.layouts.LAYOUTS`.
        notes: warnings are appended to it.
        as_written: whether words that differ in capitals are different words.

    Raises:
        UsageError: the file cannot be read, or a row has no sentence, target or place.
    """
    shown = f"`gold` {files.shown(path)}"
    as_compared: Callable[[str], str] = str.strip if as_written else folded
    instances: dict[Key, tuple[str, str, list[RawSubstitute], list[int]]] = {}
    for number, cells in _rows(path, "gold"):
        try:
            row = LAYOUTS[layout].read(cells)
        except BadRecord as error:
            raise UsageError(f"{shown}, line {number}: {error.detail}; rows of layout {layout} are needed") from error
        entry = instances.setdefault(_key(row.sentence, row.target), (row.sentence, row.target, [], []))
        entry[2].extend(row.substitutes)
        entry[3].append(number)
    again = [lines for *_, lines in instances.values() if len(lines) > 1]
    if again:
        lines = listed((" and ".join(map(str, numbers)) for numbers in again), 5)
        notes.append(
            f"{shown}: {len(again)} instances stand there more than once (lines {lines}): their "
            "annotators count together"
        )
    width = len(str(len(instances)))
    return [
        GoldInstance(
            f"{place:0{width}}",
            target,
            sentence,
            {
                substitute.substitute: substitute.gold_rank
                for substitute in graded(substitutes, target, as_compared)
                if substitute.gold_rank is not None
            },
        )
        for place, (sentence, target, substitutes, _) in enumerate(instances.values())
    ]


def read_predictions(path: str) -> list[Prediction]:
    """Read a submission, in the order of its lines; empty cells are left out.

    Raises:
        UsageError: the file cannot be read, a row has no sentence or target, or two rows of the same
            instance have different substitutes. Equal rows count once.
    """
    shown = f"`predictions` {files.shown(path)}"
    predictions: dict[Key, Prediction] = {}
    for number, cells in _rows(path, "predictions"):
        if len(cells) < 2 or not cells[0].strip() or not cells[1].strip():
            raise UsageError(
                f"{shown}, line {number}: no sentence or no target; give sentence, target and "
                "substitutes, separated by tabs"
            )
        words = tuple(cell.strip() for cell in cells[2:] if cell.strip())
        prediction = Prediction(number, cells[0].strip(), cells[1].strip(), words)
        first = predictions.setdefault(prediction.key, prediction)
        if first.words != words:
            raise UsageError(
                f"{shown}, line {number}: target {prediction.target!r} of this sentence stands in line "
                f"{first.line} with other substitutes; give one row for each instance"
            )
    return list(predictions.values())


def matched_rows(
    judged: Sequence[GoldInstance], predictions: Iterable[Prediction], path: str, notes: list[str]
) -> Mapping[str, Prediction]:
    """Return the predictions of instances by their ids; an instance may have none.

    Args:
        judged: the instances of gold.
        predictions: the rows of a submission.
        path: its file.
        notes: warnings are appended to it.

    Raises:
        UsageError: a row belongs to no instance of gold.
    """
    shown = f"`predictions` {files.shown(path)}"
    ids = {_key(instance.sentence, instance.target): instance.id for instance in judged}
    targets: dict[str, list[str]] = {}
    for sentence, target in ids:
        targets.setdefault(sentence, []).append(target)
    matched = {}
    for row in predictions:
        if row.key not in ids:
            sentence, target = row.key
            known_targets = targets.get(sentence)
            problem = (
                f"gold has no target {target!r} in this sentence, but {', '.join(sorted(known_targets))}"
                if known_targets
                else f"gold has no sentence {sentence[:SHOWN]!r}{_near(sentence, targets)}"
            )
            raise UsageError(f"{shown}, line {row.line}: {problem}; write sentence and target as gold has them")
        matched[ids[row.key]] = row
    missing = [instance for instance in judged if instance.id not in matched]
    if missing:
        names = (f"{instance.target!r} in {instance.sentence[:SHOWN]!r}" for instance in missing)
        notes.append(f"{shown}: {len(missing)} of {len(judged)} instances of gold have no row: {listed(names, 3)}")
    return matched


def _near(sentence: str, known: Iterable[str]) -> str:
    begins = {text[:SHOWN]: text for text in known}
    return nearest(sentence[:SHOWN], begins)


def submission(rows: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """Return the text of a submission.

    Args:
        rows: of each instance, in order: sentence, target, substitutes. Tabs and ends of lines in
            them become spaces. An instance without substitutes has a row, too.
    """
    lines = ("\t".join(_plain(cell) for cell in (row[0], row[1], *row[2])) for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _plain(cell: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", cell).strip()
