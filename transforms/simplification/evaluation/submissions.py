"""Files of shared tasks: gold of benchmarks, and submissions as TSAR-2022 takes them, in and out.

A submission has a row for each instance: sentence, target, then substitutes, the best first, with
tabs; rows are ragged. Rows are matched by sentence and target, spaces at the ends and runs of them
apart.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from transforms.common.errors import UsageError, nearest
from transforms.common.options.small_texts import filled_lines
from transforms.common.shown import listed
from transforms.common.store import files
from transforms.formats.records.base import BadRecord
from transforms.simplification.evaluation.lists import GoldInstance, folded
from transforms.simplification.instances.layouts import LAYOUTS, RawSubstitute, graded

__all__ = ["Prediction", "matched_rows", "read_gold", "read_predictions", "submission"]

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
    plain = (_SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip() for text in (sentence, target))
    one, other = plain
    return one, other


def _rows(path: str, name: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in filled_lines(path, name, "a row for each instance"):
        yield number, unicodedata.normalize("NFC", line).split("\t")


def read_gold(path: str, layout: str, notes: list[str], *, as_written: bool = False) -> list[GoldInstance]:
    """Read a file of gold; ids are places of rows, as digits.

    Rows of the same sentence and target are one instance, which all their annotators judged.

    Args:
        path: the file.
        layout: one of `transforms.simplification.instances.layouts.LAYOUTS`.
        notes: takes what a person should be warned of.
        as_written: words that differ by capitals are different ones.

    Raises:
        UsageError: it cannot be read, or a row has no sentence, target or place.
    """
    shown = f"`gold` {files.shown(path)}"
    as_compared: Callable[[str], str] = str.strip if as_written else folded
    found: dict[Key, tuple[str, str, list[RawSubstitute], list[int]]] = {}
    for number, cells in _rows(path, "gold"):
        try:
            row = LAYOUTS[layout](cells)
        except BadRecord as error:
            raise UsageError(f"{shown}, line {number}: {error.detail}; rows of layout {layout} are needed") from error
        own = found.setdefault(_key(row.sentence, row.target), (row.sentence, row.target, [], []))
        own[2].extend(row.substitutes)
        own[3].append(number)
    again = [lines for *_, lines in found.values() if len(lines) > 1]
    if again:
        lines = listed((" and ".join(map(str, numbers)) for numbers in again), 5)
        notes.append(
            f"{shown}: {len(again)} instances stand there more than once (lines {lines}): their "
            "annotators count together"
        )
    width = len(str(len(found)))
    return [
        GoldInstance(
            f"{place:0{width}}",
            target,
            sentence,
            {one.substitute: one.gold_rank for one in graded(given, target, as_compared) if one.gold_rank is not None},
        )
        for place, (sentence, target, given, _) in enumerate(found.values())
    ]


def read_predictions(path: str) -> list[Prediction]:
    """Read a submission, in the order of its lines; empty cells are left out.

    Raises:
        UsageError: it cannot be read, a row has no sentence or target, or two rows of the same
            instance have different substitutes. Equal rows are one.
    """
    shown = f"`predictions` {files.shown(path)}"
    found: dict[Key, Prediction] = {}
    for number, cells in _rows(path, "predictions"):
        if len(cells) < 2 or not cells[0].strip() or not cells[1].strip():
            raise UsageError(
                f"{shown}, line {number}: no sentence or no target; give sentence, target and "
                "substitutes, separated by tabs"
            )
        words = tuple(cell.strip() for cell in cells[2:] if cell.strip())
        own = Prediction(number, cells[0].strip(), cells[1].strip(), words)
        first = found.setdefault(own.key, own)
        if first.words != words:
            raise UsageError(
                f"{shown}, line {number}: target {own.target!r} of this sentence stands in line "
                f"{first.line} with other substitutes; give one row for each instance"
            )
    return list(found.values())


def matched_rows(
    judged: Sequence[GoldInstance], predictions: Iterable[Prediction], path: str, notes: list[str]
) -> Mapping[str, Prediction]:
    """Return the predictions of instances by their ids; some may have none.

    Args:
        judged: gold.
        predictions: the rows of a submission.
        path: its file.
        notes: takes what a person should be warned of.

    Raises:
        UsageError: a row is of no instance of gold.
    """
    shown = f"`predictions` {files.shown(path)}"
    ids = {_key(one.sentence, one.target): one.id for one in judged}
    targets: dict[str, list[str]] = {}
    for sentence, target in ids:
        targets.setdefault(sentence, []).append(target)
    found = {}
    for row in predictions:
        if row.key not in ids:
            sentence, target = row.key
            own = targets.get(sentence)
            told = (
                f"gold has no target {target!r} in this sentence, but {', '.join(sorted(own))}"
                if own
                else f"gold has no sentence {sentence[:SHOWN]!r}{_near(sentence, targets)}"
            )
            raise UsageError(f"{shown}, line {row.line}: {told}; write sentence and target as gold has them")
        found[ids[row.key]] = row
    missing = [one for one in judged if one.id not in found]
    if missing:
        names = (f"{one.target!r} in {one.sentence[:SHOWN]!r}" for one in missing)
        notes.append(f"{shown}: {len(missing)} of {len(judged)} instances of gold have no row: {listed(names, 3)}")
    return found


def _near(sentence: str, known: Iterable[str]) -> str:
    begins = {one[:SHOWN]: one for one in known}
    return nearest(sentence[:SHOWN], begins)


def submission(rows: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """Return the text of a submission.

    Args:
        rows: of each instance, in order: sentence, target, substitutes. Tabs and ends of lines in
            them become spaces. An instance that has none keeps its row.
    """
    lines = ("\t".join(_plain(cell) for cell in (one[0], one[1], *one[2])) for one in rows)
    return "".join(f"{line}\n" for line in lines)


def _plain(cell: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", cell).strip()
